"""Files that are whole or absent, and hashes of what is in them."""

import codecs
import hashlib
import json
import math
import os
import re
import shutil
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import pyarrow as pa
import pyarrow.parquet as pq

from .errors import DataError
from .messages import from_json, marked, message, to_json

T = TypeVar("T")

_PART = re.compile(r"\.(.+)\.([1-9][0-9]*)\.part")
_SAVE_AGAIN = marked(
    "{problem}; save it again as UTF-8 text (Save as …, Encoding: UTF-8; in Excel: CSV UTF-8)"
)
_MOST_SHOWN = 60
_KINDS = {
    stat.S_IFDIR: message("a folder"),
    stat.S_IFIFO: message("a pipe"),
    stat.S_IFSOCK: message("a socket"),
}


def check_regular(path: Path) -> int:
    """The size of the file in bytes, or a `DataError` if it is missing or no regular file.

    Whoever opens a pipe waits for ever, and a device may never end.
    """
    try:
        status = path.stat()
    except FileNotFoundError:
        raise DataError(message("{path} does not exist", path=path)) from None
    except (OSError, ValueError) as error:
        raise DataError(message("{path} cannot be read: {error}", path=path, error=error)) from None
    if not stat.S_ISREG(status.st_mode):
        kind = _KINDS.get(stat.S_IFMT(status.st_mode), message("a device"))
        raise DataError(message("{path} is {kind}, not a file: name a file", path=path, kind=kind))
    return status.st_size


def encoding_problem(data: bytes) -> tuple[int, str] | None:
    """What keeps the bytes from being UTF-8 text, most likely, and on which line; 0 is the file.

    >>> encoding_problem("a: é".encode()), encoding_problem(b"PK\\3\\4...")[0]
    (None, 0)
    """
    if data.startswith((b"PK\3\4", b"\xd0\xcf\x11\xe0")):
        what = message("it is a Word, spreadsheet or ZIP file")
        return 0, message(_SAVE_AGAIN, problem=what)
    # in UTF-16 every second byte of a Latin letter is 0
    zeros = max(data[0::2].count(0), data[1::2].count(0))
    marked_so = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    if marked_so or (len(data) >= 4 and 4 * zeros > len(data)):  # noqa: PLR2004 - one letter is no text
        return 0, message(_SAVE_AGAIN, problem=message("it is UTF-16 text, not UTF-8"))
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        number = data.count(b"\n", 0, error.start) + 1
        # a Chinese character has two bytes in GBK; a letter with an accent is alone in Windows-1252
        runs = [len(run) for run in re.findall(rb"[\x80-\xff]+", data)]
        chinese = 2 * runs.count(1) < len(runs)
        encoding, name = ("gb18030", "GBK") if chinese else ("cp1252", "Windows-1252 (Latin-1)")
        line = data.split(b"\n")[number - 1].decode(encoding, "replace").strip()
        what = message(
            "not UTF-8 text; in {encoding} this line reads {line}",
            encoding=name,
            line=repr(line[:_MOST_SHOWN]),
        )
        return number, message(_SAVE_AGAIN, problem=what)
    return None


def named(path: Path) -> Path:
    """The path, resolved where it has no name of its own (`.`, `..`), so that others can be made.

    In Python no shell has put the home folder for `~`.

    >>> named(Path("runs/x")).as_posix(), named(Path(".")) == Path.cwd()
    ('runs/x', True)
    >>> named(Path("~/x")) == Path.home() / "x"
    True
    """
    if path.parts[:1] == ("~",):
        return path.expanduser()
    return path if path.name not in {"", ".."} else path.resolve()


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A temporary path beside `path`, moved onto it when the block ends well, removed if not.

    The block makes a file or a folder there; a folder takes the place of none or of an empty one.
    What a process that was killed has left of the same name goes, too.
    """
    path = path.absolute()
    path.parent.mkdir(parents=True, exist_ok=True)
    sweep(path.parent, of=path.name)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")  # as `sweep` reads it
    try:
        yield part
        if part.is_dir():
            _put_folder(part, path)
        else:
            with part.open("rb") as file:
                os.fsync(file.fileno())
            part.replace(path)
    finally:
        _remove(part)


def _put_folder(part: Path, path: Path) -> None:
    try:
        with suppress(FileNotFoundError):
            path.rmdir()
        part.rename(path)
    except OSError as error:
        raise DataError(
            f"{path} cannot be put in its place ({error.strerror}): name a folder that is not "
            "there yet"
        ) from error


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def sweep(folder: Path, *, of: str | None = None) -> None:
    """Removes the parts, of every file or of one, whose process is no more."""
    for path in folder.iterdir():
        part = _PART.fullmatch(path.name)
        if part and of in {None, part[1]} and not _is_alive(int(part[2])):
            _remove(path)


def _is_alive(process: int) -> bool:
    """Whether there is a process of this number on this machine."""
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:  # another user's
        return True
    return True


def write_text(path: Path, text: str) -> None:
    """Writes the text as UTF-8, whole or not at all."""
    with replacing(path) as part:
        part.write_text(text, encoding="utf-8", newline="\n")


def write_json(path: Path, value: Any) -> None:
    """Writes indented JSON with sorted keys; NaN is refused, since JSON has none.

    A message in it is kept with its id and slots, and `read_json` gives it back.
    """
    plain = to_json(value)
    dumped = json.dumps(plain, ensure_ascii=False, indent=2, sort_keys=True, allow_nan=False)
    write_text(path, dumped + "\n")


def rounded(value: Any) -> Any:
    """JSON values with every number to nine digits: what follows hangs on the machine.

    >>> rounded({"a": (1 / 3, float("nan"), True)})
    {'a': [0.333333333, None, True]}
    """
    if isinstance(value, float):
        return float(f"{value:.9g}") if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): rounded(member) for key, member in value.items()}
    return [rounded(member) for member in value] if isinstance(value, list | tuple) else value


def read_json(path: Path) -> Any:
    """The JSON value of the file, or a `DataError` that names it."""
    check_regular(path)
    try:
        return from_json(json.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        text = message("{path} cannot be read: {error}", path=path, error=error.strerror)
    except ValueError as error:
        text = message("{path} is not JSON of ours: {error}", path=path, error=error)
    except RecursionError:
        text = message("{path} is not JSON of ours: it is nested beyond reason", path=path)
    raise DataError(text)


def typed(kind: type[T], value: Any) -> T:
    """The record of a kind that the value has the fields of, as JSON or Arrow has them."""
    record: T = _adapter(kind).validate_python(value)
    return record


def typed_json(kind: type[T], text: str | bytes) -> T:
    """The same of JSON text, in which a tuple is a list; pydantic's `ValidationError` if not."""
    record: T = _adapter(kind).validate_json(text)
    return record


def _new_adapter(kind: Any) -> Any:
    # `import normscope` loads this module, and is to be quick
    from pydantic import TypeAdapter

    return TypeAdapter(kind)


# declared so, since `cache` alone takes no `type[T]`
_adapter: Callable[[Any], Any] = cache(_new_adapter)


def typed_of_file(kind: type[T], value: Any, *, path: Path, remedy: str) -> T:
    """The record that a file's JSON value is, or a `DataError` that says what is wrong with it."""
    from pydantic import ValidationError

    try:
        return typed(kind, value)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise DataError(
            message(
                "{path} is damaged ({where}: {problem}): {remedy}",
                path=path,
                where=where,
                problem=first["msg"],
                remedy=remedy,
            )
        ) from None


def write_parquet(path: Path, table: pa.Table) -> None:
    """Writes the table, whole or not at all; the same table gives the same bytes."""
    with replacing(path) as part:
        pq.write_table(table, part, compression="zstd", write_statistics=True)


def read_parquet(path: Path, *, columns: Sequence[str] | None = None) -> pa.Table:
    """The table of the file, or these columns; a `DataError` names the file and what to do."""
    check_regular(path)
    with unreadable_parquet(path):
        # no partitioning: a folder called a=b above the file would else become a column
        return pq.read_table(path, columns=columns and list(columns), partitioning=None)


@contextmanager
def unreadable_parquet(path: Path) -> Iterator[None]:
    """What Arrow raises inside the block becomes a `DataError` that names the file."""
    try:
        yield
    except FileNotFoundError:
        raise DataError(message("{path} does not exist", path=path)) from None
    except pa.ArrowMemoryError:
        raise
    except (pa.ArrowException, OSError) as error:
        first = str(error).splitlines()[0]
        remedy = message("it may be truncated; write or download it again")
        raise DataError(
            message(
                "{path} is not a readable Parquet file ({first}): {remedy}",
                path=path,
                first=first,
                remedy=remedy,
            )
        ) from error


def canonical_json(value: Any) -> str:
    """JSON with one spelling for equal values: sorted keys, no spaces.

    >>> canonical_json({"b": 1, "a": [True, None]})
    '{"a":[true,null],"b":1}'
    """
    return json.dumps(
        value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False
    )


def hash_value(value: Any) -> str:
    """The SHA-256 of the canonical JSON of the value.

    >>> hash_value({"a": 1, "b": 2}) == hash_value({"b": 2, "a": 1})
    True
    """
    return hashlib.sha256(canonical_json(value).encode()).hexdigest()


def hash_file(path: Path) -> str:
    """The SHA-256 of the bytes of the file."""
    check_regular(path)
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
