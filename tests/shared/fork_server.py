"""A process that imports once and forks for every request, since importing takes seconds.

Requests and answers are lines of JSON.
"""

import gc
import json
import os
import subprocess
import sys
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NoReturn

STARTED = "started"


class ForkServer:
    """The server as its caller sees it."""

    def __init__(self, script: str, **environment: str) -> None:
        """Starts the script, which calls `serve`; returns once everything is imported."""
        self._server = subprocess.Popen(
            [sys.executable, script],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, **environment, "PYTHONPATH": os.pathsep.join(sys.path)},
        )
        if self._read() != STARTED:
            raise RuntimeError("the server did not start")

    def ask(self, request: dict[str, Any]) -> Any:
        """What the server answers."""
        assert self._server.stdin is not None
        self._server.stdin.write(json.dumps(request) + "\n")
        self._server.stdin.flush()
        return self._read()

    def close(self) -> None:
        """Ends the server."""
        self._server.kill()
        self._server.communicate()

    def _read(self) -> Any:
        assert self._server.stdout is not None
        line = self._server.stdout.readline()
        if not line:
            raise RuntimeError(f"the server ended with {self._server.wait()}")
        return json.loads(line)


def serve(answer: Callable[..., Any]) -> None:
    """Answers each request, whose names are the function's arguments."""
    # a fork looks for garbage among its own things alone
    gc.collect()
    gc.freeze()
    _write(STARTED)
    for line in sys.stdin:
        _write(answer(**json.loads(line)))


def redirect(output: Path, errors: Path | None = None) -> None:
    """Lets this process read nothing, and write to the file, its errors to another if given."""
    flags = os.O_CREAT | os.O_WRONLY | os.O_TRUNC
    file = os.open(output, flags)
    other = os.open(errors, flags) if errors else file
    null = os.open(os.devnull, os.O_RDONLY)
    for source, target in ((null, 0), (file, 1), (other, 2)):
        os.dup2(source, target)


def end_as(
    main: Callable[[], None],
    arguments: Sequence[str],
    cwd: str | Path,
    output: Path,
    *,
    last: Callable[[], object] = lambda: None,
) -> NoReturn:
    """Ends this forked process as the command does, a process group of its own; a fault is 70.

    What it prints is in the file; `last` is called before the end.
    """
    code = 70
    try:
        os.setsid()
        redirect(output)
        os.chdir(cwd)
        sys.argv = ["normscope", *arguments]
        main()
    except SystemExit as error:
        code = error.code if isinstance(error.code, int) else 1
    except BaseException:  # noqa: BLE001 - what a user would see as a traceback is the finding
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        last()
        os._exit(code)


def _write(value: Any) -> None:
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()
