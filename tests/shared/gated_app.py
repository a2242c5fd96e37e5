"""A small app behind the Space's server, as a process of its own: `python gated_app.py PORT`.

It answers with whom it takes the request to be from and how much of a body it read. `/shout`
prints a megabyte, `/fail` raises.
"""

import json
import os
import sys
from typing import Any

from normscope.spaces.normscope import limits, serving


async def app(scope: Any, receive: Any, send: Any) -> None:
    if scope["type"] != "http":
        raise NotImplementedError
    if scope["path"] == "/fail":
        raise RuntimeError("a fault of the page")
    if scope["path"] == "/shout":
        print("x" * 1_000_000)  # noqa: T201 - what is tested
    size, more = 0, True
    while more:
        message = await receive()
        size += len(message.get("body", b""))
        more = message.get("more_body", False)
    answer = json.dumps({"client": scope["client"][0], "size": size}).encode()
    headers = [(b"content-type", b"application/json")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": answer})


if __name__ == "__main__":
    vars(limits).update(json.loads(os.environ["NORMSCOPE_TEST_LIMITS"]))
    serving.run(app, port=int(sys.argv[1]), quiet=True)
