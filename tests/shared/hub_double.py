"""A double of the Hugging Face Hub for tests, on 127.0.0.1, of the standard library alone.

It is not the Hub. It keeps what is sent to it (contents by their hash, commits, branches, pull
requests' refs), refuses a commit on a parent that is no longer the newest (412), and serves what it
keeps at any revision. Uploads are the basic transfer of git-lfs: a client needs
HF_HUB_DISABLE_XET=1.

    with Hub() as hub:
        subprocess.run([...], env=hub.environment(tmp_path))
        assert hub.files("datasets", "alice/rain") == {"README.md": ...}
"""

import base64
import hashlib
import json
import os
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

TOKEN = "hf_" + "a1b2" * 8
OTHER_TOKEN = "hf_" + "c3d4" * 8
READ_TOKEN = "hf_" + "e5f6" * 8
USERS = {TOKEN: "alice", OTHER_TOKEN: "bob", READ_TOKEN: "carol"}
DATE = "2026-01-01T00:00:00.000Z"
LARGE = (".parquet", ".safetensors", ".bin", ".arrow", ".png", ".zip")
LARGE_BYTES = 10 << 20


@dataclass(frozen=True)
class Entry:
    """One file of a commit. `oid` is the SHA-256 of a large file, else git's hash of the blob."""

    oid: str
    size: int
    large: bool

    def described(self, path: str) -> dict[str, Any]:
        about: dict[str, Any] = {"type": "file", "path": path, "oid": self.oid, "size": self.size}
        if self.large:
            about["oid"] = git_hash(self.pointer)
            about["lfs"] = self.lfs
        return about

    @property
    def lfs(self) -> dict[str, Any]:
        names = {"oid": self.oid, "sha256": self.oid}
        return {**names, "size": self.size, "pointerSize": len(self.pointer)}

    @property
    def pointer(self) -> bytes:
        return (
            f"version https://git-lfs.github.com/spec/v1\noid sha256:{self.oid}\nsize {self.size}\n"
        ).encode()


Tree = dict[str, Entry]


@dataclass
class Repo:
    """The commits of a repository and the refs that point at them."""

    trees: dict[str, Tree] = field(default_factory=dict)
    parents: dict[str, str | None] = field(default_factory=dict)
    titles: dict[str, str] = field(default_factory=dict)
    refs: dict[str, str] = field(default_factory=dict)
    private: bool = False
    sdk: str | None = None

    def commit(self, ref: str, tree: Tree, title: str) -> str:
        parent = self.refs.get(ref)
        said = json.dumps([parent, sorted((p, e.oid) for p, e in tree.items()), title])
        oid = sha1(f"{len(self.trees)} {said}".encode())
        self.trees[oid], self.parents[oid], self.titles[oid] = tree, parent, title
        self.refs[ref] = oid
        return oid

    def resolve(self, revision: str) -> str | None:
        return self.refs.get(revision) or (revision if revision in self.trees else None)

    def history(self, ref: str = "main") -> list[str]:
        """The commits that lead to the ref, the oldest first."""
        found, commit = [], self.refs.get(ref)
        while commit is not None:
            found.append(commit)
            commit = self.parents[commit]
        return found[::-1]


class Hub:
    """The double. `repos` and `requests` may be looked at, and `before_commit` and `refuse` set.

    `before_commit` is called before each commit is looked at, with the requests of others going on.
    `refuse` maps a part of a path to the status that requests to it get.
    """

    def __init__(self) -> None:
        self.repos: dict[tuple[str, str], Repo] = {}
        self.blobs: dict[str, bytes] = {}
        self.requests: list[tuple[str, str, int]] = []
        self.before_commit: Callable[[], object] | None = None
        self.refuse: dict[str, int] = {}
        self.lock = threading.RLock()
        handler = type("Bound", (Handler,), {"hub": self})
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)

    def __enter__(self) -> "Hub":
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()

    def environment(self, home: Path, *, token: str | None = TOKEN) -> dict[str, str]:
        """The variables under which a client talks to this double, and nothing else is cached."""
        ours = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith("HF_") and not name.endswith("_OFFLINE")
        }
        ours |= {"NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1"}
        ours |= {"HF_ENDPOINT": self.url, "HF_HOME": str(home), "HF_HUB_DISABLE_XET": "1"}
        ours |= {"HF_HUB_DISABLE_PROGRESS_BARS": "1", "HF_HUB_DISABLE_TELEMETRY": "1"}
        return ours | ({"HF_TOKEN": token} if token else {})

    def commit(
        self,
        kind: str,
        name: str,
        files: Mapping[str, bytes],
        *,
        ref: str = "main",
        title: str = "by hand",
    ) -> str:
        """Somebody else's commit: the files are added to those of the ref."""
        with self.lock:
            repo = self.repos.setdefault((kind, name), Repo())
            tree = dict(repo.trees.get(repo.refs.get(ref, ""), {}))
            tree |= {
                path: self.keep(data, large=is_large(path, data)) for path, data in files.items()
            }
            return repo.commit(ref, tree, title)

    def files(self, kind: str, name: str, revision: str = "main") -> dict[str, bytes]:
        """The contents of a repository at a revision, by path."""
        repo = self.repos[kind, name]
        commit = repo.resolve(revision)
        assert commit is not None, f"no revision {revision}"
        return {path: self.blobs[entry.oid] for path, entry in repo.trees[commit].items()}

    def keep(self, data: bytes, *, large: bool) -> Entry:
        oid = hashlib.sha256(data).hexdigest() if large else git_hash(data)
        self.blobs[oid] = data
        return Entry(oid, len(data), large)


def sha1(data: bytes) -> str:
    return hashlib.sha1(data, usedforsecurity=False).hexdigest()


def git_hash(data: bytes) -> str:
    return sha1(b"blob %d\0" % len(data) + data)


def is_large(path: str, data: bytes) -> bool:
    return path.endswith(LARGE) or len(data) > LARGE_BYTES


class RefusalError(Exception):
    """An answer that is an error: its status, the Hub's code for it, and its words."""

    def __init__(self, status: int, code: str, said: str) -> None:
        super().__init__(said)
        self.status, self.code, self.said = status, code, said


class Handler(BaseHTTPRequestHandler):
    """One request. A route answers with what is sent as JSON, or sends its answer itself."""

    hub: Hub
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        """Says nothing: what was asked is in `Hub.requests`."""

    def handle_any(self) -> None:
        url = urlsplit(self.path)
        self.query = dict(parse_qsl(url.query))
        self.body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        try:
            for part, status in self.hub.refuse.items():
                if part in url.path:
                    raise RefusalError(status, "", "as the test asked")
            for pattern, route in ROUTES:
                if match := re.fullmatch(pattern, url.path):
                    groups = {k: unquote(v) for k, v in match.groupdict(default="").items()}
                    if "/commit/" in url.path and self.hub.before_commit is not None:
                        self.hub.before_commit()
                    with self.hub.lock:
                        answer = getattr(self, route)(**groups)
                    if answer is not None:
                        self.send(200, json.dumps(answer).encode())
                    return
            raise RefusalError(404, "", f"the double has no route {self.command} {url.path}")
        except RefusalError as refusal:
            headers = {"X-Error-Code": refusal.code, "X-Error-Message": refusal.said}
            said = {"error": refusal.said, "errors": [{"message": refusal.said}]}
            self.send(refusal.status, json.dumps(said).encode(), headers)

    do_GET = do_HEAD = do_POST = do_PUT = handle_any  # noqa: N815

    def send(self, status: int, body: bytes, headers: Mapping[str, str] | None = None) -> None:
        # before the answer: whoever gets it may look at the list at once
        self.hub.requests.append((self.command, unquote(self.path), status))
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    # who asks, and for what

    def user(self, *, write: bool = False) -> str:
        given = self.headers.get("Authorization", "").removeprefix("Bearer ")
        if given not in USERS:
            raise RefusalError(401, "", "Invalid credentials in Authorization header")
        if write and given == READ_TOKEN:
            raise RefusalError(403, "", "This token has no write access")
        return USERS[given]

    def repo(self, kind: str, name: str) -> Repo:
        if self.headers.get("Authorization"):
            self.user()
        found = self.hub.repos.get((kind or "models", name))
        if found is None:
            raise RefusalError(404, "RepoNotFound", "Repository not found")
        return found

    def commit_of(self, repo: Repo, revision: str) -> str:
        commit = repo.resolve(revision)
        if commit is None:
            raise RefusalError(404, "RevisionNotFound", f"Invalid rev id: {revision}")
        return commit

    def address(self, kind: str, name: str) -> str:
        prefix = "" if kind == "models" else f"{kind}/"
        return f"http://{self.headers['Host']}/{prefix}{name}"

    # routes

    def validate_yaml(self) -> Any:
        return {"errors": [], "warnings": []}

    def create(self) -> Any:
        asked = json.loads(self.body)
        user = self.user(write=True)
        kind, name = f"{asked.get('type') or 'model'}s", f"{asked.get('organization') or user}/"
        sdk = asked.get("sdk")
        name += asked["name"]
        repo = self.hub.repos[kind, name] = Repo(private=is_private(asked), sdk=sdk)
        attributes = self.hub.keep(b"*.parquet filter=lfs diff=lfs merge=lfs -text\n", large=False)
        repo.commit("main", {".gitattributes": attributes}, "initial commit")
        return {"url": self.address(kind, name), "name": name, "id": name}

    def info(self, kind: str, name: str, revision: str = "main") -> Any:
        repo = self.repo(kind, name)
        commit = self.commit_of(repo, revision or "main")
        siblings = [
            {"rfilename": path, "size": entry.size, "blobId": entry.described(path)["oid"]}
            | ({"lfs": entry.lfs} if entry.large else {})
            for path, entry in sorted(repo.trees[commit].items())
        ]
        return {
            "_id": "0" * 24,
            "id": name,
            "author": name.partition("/")[0],
            "sha": commit,
            "siblings": siblings,
            "private": repo.private,
            "gated": False,
            "disabled": False,
            "lastModified": DATE,
            "createdAt": DATE,
            "downloads": 0,
            "likes": 0,
            "tags": [],
            "cardData": {},
        }

    def tree(self, kind: str, name: str, revision: str, path: str) -> Any:
        repo = self.repo(kind, name)
        files = repo.trees[self.commit_of(repo, revision)]
        prefix = f"{path}/" if path else ""
        inside = {p: e for p, e in sorted(files.items()) if p.startswith(prefix)}
        folders = {"/".join(p.split("/")[:n]) for p in inside for n in range(1, p.count("/") + 1)}
        found = [folder(p) for p in sorted(folders) if p.startswith(prefix)]
        found += [entry.described(p) for p, entry in inside.items()]
        if self.query.get("recursive", "").lower() in {"true", "1"}:
            return found
        return [about for about in found if "/" not in about["path"][len(prefix) :]]

    def preupload(self, kind: str, name: str, revision: str) -> Any:
        self.user(write=True)
        repo = self.repo(kind, name)
        files = repo.trees[self.commit_of(repo, revision)]
        asked = json.loads(self.body)["files"]
        answers = []
        for file in asked:
            path, there = file["path"], files.get(file["path"])
            large = path.endswith(LARGE) or file["size"] > LARGE_BYTES
            mode = "lfs" if large else "regular"
            oid = None if there is None else there.oid
            answers.append({"path": path, "uploadMode": mode, "shouldIgnore": False, "oid": oid})
        return {"files": answers}

    def lfs_batch(self, kind: str, name: str) -> Any:
        self.user(write=True)
        self.repo(kind, name)
        host = f"http://{self.headers['Host']}"
        objects = []
        for asked in json.loads(self.body)["objects"]:
            answer = {"oid": asked["oid"], "size": asked["size"]}
            if asked["oid"] not in self.hub.blobs:
                answer["actions"] = {"upload": {"href": f"{host}/lfs/{asked['oid']}"}}
            objects.append(answer)
        return {"transfer": "basic", "objects": objects}

    def lfs_put(self, oid: str) -> Any:
        self.hub.blobs[oid] = self.body
        return {}

    def commit(self, kind: str, name: str, revision: str) -> Any:
        self.user(write=True)
        repo = self.repo(kind, name)
        newest = self.commit_of(repo, revision)
        lines = [json.loads(line) for line in self.body.splitlines() if line.strip()]
        header = next(line["value"] for line in lines if line["key"] == "header")
        if header.get("parentCommit", newest) != newest:
            raise RefusalError(
                412, "", "A commit has happened since. Please refresh and try again."
            )
        tree = dict(repo.trees[newest])
        for line in lines:
            self.apply(line["key"], line["value"], tree)
        answer = {"success": True, "hookOutput": ""}
        ref = revision
        if self.query.get("create_pr"):
            number = 1 + sum(other.startswith("refs/pr/") for other in repo.refs)
            ref = f"refs/pr/{number}"
            repo.refs[ref] = newest
            answer["pullRequestUrl"] = f"{self.address(kind, name)}/discussions/{number}"
        oid = repo.commit(ref, tree, header["summary"])
        return {**answer, "commitOid": oid, "commitUrl": f"{self.address(kind, name)}/commit/{oid}"}

    def apply(self, key: str, value: Mapping[str, Any], tree: Tree) -> None:
        """One line of a commit, done to the tree."""
        if key == "file":
            tree[value["path"]] = self.hub.keep(base64.b64decode(value["content"]), large=False)
        elif key == "lfsFile":
            data = self.hub.blobs[value["oid"]]
            tree[value["path"]] = Entry(value["oid"], len(data), large=True)
        elif key == "deletedFile":
            del tree[value["path"]]
        elif key != "header":
            raise RefusalError(400, "", f"the double does not know the operation {key}")

    def download(self, kind: str, name: str, revision: str, path: str) -> None:
        repo = self.repo(kind, name)
        commit = self.commit_of(repo, revision)
        entry = repo.trees[commit].get(path)
        if entry is None:
            raise RefusalError(404, "EntryNotFound", f"no {path} in {revision}")
        headers = {"X-Repo-Commit": commit, "ETag": f'"{entry.oid}"'}
        if entry.large:
            headers |= {"X-Linked-Etag": f'"{entry.oid}"', "X-Linked-Size": str(entry.size)}
        self.send(200, self.hub.blobs[entry.oid], headers)


def is_private(asked: Mapping[str, Any]) -> bool:
    """Whether a new repository is asked to be private, in either of the clients' spellings."""
    return bool(asked.get("private")) or asked.get("visibility") == "private"


def folder(path: str) -> dict[str, Any]:
    return {"type": "directory", "path": path, "oid": git_hash(path.encode()), "size": 0}


def _routes() -> Iterator[tuple[str, str]]:
    # a ref such as refs/pr/1 comes encoded in one segment, or (downloads) in three
    name, revision = r"(?P<name>[^/]+/[^/]+)", r"(?P<revision>refs/[^/]+/[^/]+|[^/]+)"
    api, prefix = (
        rf"/api/(?P<kind>models|datasets|spaces)/{name}",
        r"/(?:(?P<kind>datasets|spaces)/)?",
    )
    yield r"/api/validate-yaml", "validate_yaml"
    yield r"/api/repos/create", "create"
    yield api, "info"
    yield rf"{api}/revision/{revision}", "info"
    yield rf"{api}/tree/{revision}(?:/(?P<path>.*))?", "tree"
    yield rf"{api}/preupload/{revision}", "preupload"
    yield rf"{api}/commit/{revision}", "commit"
    yield rf"{prefix}{name}\.git/info/lfs/objects/batch", "lfs_batch"
    yield r"/lfs/(?P<oid>[0-9a-f]{64})", "lfs_put"
    yield rf"{prefix}{name}/(?:resolve|raw)/{revision}/(?P<path>.+)", "download"


ROUTES = tuple(_routes())
