"""How much faster several servers of a model are than one, and how many units keep them busy.

    python benchmarks/fleet.py [--servers 1,2,4] [--lanes 1,2] [--units 32] [--items 24] \
        [--places 8] [--latency 0.2] [--repeats 3]

A server is a process of its own that answers as an OpenAI-compatible one does, each call after a
fixed latency, so many at once: what it can do is known (places / latency), and what is missing to
that is the client's. `lanes` is how many units are in progress per server. Before anything is
timed, every fleet answers all units, and nothing is timed if a result is not that of a single
server. `read anew` is how often a server met a beginning that it had not met before, over the
number of beginnings: 1 is what one cache would have, and the number of servers what dealing the
units out in turn would come to. Repeats alternate between the kinds; a line has the median.
"""

import argparse
import asyncio
import hashlib
import json
import math
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager

import httpx2

from normscope.judges.engine import LabelRequest, LabelResult
from normscope.judges.engines import load
from normscope.judges.scale import Scale
from normscope.progress import hidden
from normscope.records.journal import Row
from normscope.records.model_spec import EndpointSettings, ModelSpec
from normscope.records.units import Lanes, Unit, each_done, in_order, plan

RATING = Scale(labels=tuple("12345"), values=(1.0, 2.0, 3.0, 4.0, 5.0))
BEGINNINGS = 5
RULES = "Rules.\n" * 200


def main() -> None:
    given = _arguments()
    if given.serve:
        asyncio.run(_serve(given.places, given.latency))
        return
    requests = _requests(given.units, given.items)
    most = max(given.servers)
    with ExitStack() as running, hidden():
        servers = [running.enter_context(_server(given)) for _ in range(most)]
        expected, _ = _timed(servers[:1], requests, 1, given)
        for number in given.servers:
            if _timed(servers[:number], requests, 2, given)[0] != expected:
                sys.exit(f"{number} servers answer otherwise than one: nothing is timed")
        print(
            f"{len(requests):,} requests in {given.units} units: the same answers from 1 and {most}"
        )
        kinds = [(number, lanes) for number in given.servers for lanes in given.lanes]
        took: dict[tuple[int, int], list[float]] = {kind: [] for kind in kinds}
        anew: dict[tuple[int, int], list[float]] = {kind: [] for kind in kinds}
        for _ in range(given.repeats):
            for number, lanes in kinds:
                for server in servers:
                    httpx2.get(f"{server}/forget")
                took[number, lanes].append(_timed(servers[:number], requests, lanes, given)[1])
                met = sum(httpx2.get(f"{server}/met").json() for server in servers)
                anew[number, lanes].append(met / BEGINNINGS)
        print("servers | lanes each | s per unit | times one server | of what they can | read anew")
        first = statistics.median(took[kinds[0]])
        for kind, seconds in took.items():
            middle = statistics.median(seconds)
            best = len(requests) * given.latency / (given.places * kind[0])
            print(
                f"{kind[0]} | {kind[1]} | {middle / given.units:.3f} | {first / middle:.2f} "
                f"| {best / middle:.0%} | {statistics.median(anew[kind]):.1f}",
                flush=True,
            )


def _requests(units: int, items: int) -> list[LabelRequest]:
    """Questions behind one of a few long beginnings, as those of a category are, in their order."""
    return [
        LabelRequest((("user", f"Category {at}.\n{RULES}Question {number}"),), RATING)
        for number in range(units * items)
        for at in [number * BEGINNINGS // (units * items)]
    ]


def _timed(
    servers: Sequence[str], requests: Sequence[LabelRequest], lanes: int, given: argparse.Namespace
) -> tuple[list[LabelResult], float]:
    """The results in the requests' order, and the seconds that they took, without the greeting."""
    address = ",".join(f"{server}/v1#m" for server in servers)
    engine = load(ModelSpec(address, endpoint=EndpointSettings(concurrency=given.places)))
    planned = plan("benchmark", in_order(range(len(requests))), size=given.items)
    results: dict[int, LabelResult] = {}

    def do(unit: Unit) -> list[Row]:
        numbers = unit.rows.tolist()
        answered = engine.labels([requests[number] for number in numbers])
        results.update(zip(numbers, answered, strict=True))
        return []

    begun = time.perf_counter()
    for _ in each_done(planned.units, do, lanes=Lanes(lanes * len(servers))):
        pass
    seconds = time.perf_counter() - begun
    return [results[number] for number in range(len(requests))], seconds


@contextmanager
def _server(given: argparse.Namespace) -> Iterator[str]:
    """A server in a process of its own; its address."""
    settings = ("--serve", "--places", str(given.places), "--latency", str(given.latency))
    command = [sys.executable, __file__, *settings]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            port = process.stdout.readline().strip() if process.stdout else ""
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()


async def _serve(places: int, latency: float) -> None:
    """Answers calls until the process is ended, so many at once, each after the latency."""
    place, met = asyncio.Semaphore(places), set[str]()

    async def answer(path: str, body: bytes) -> object:
        if path.endswith("/met"):
            return len(met)
        if path.endswith("/forget"):
            met.clear()
        if not body or not path.endswith("/chat/completions"):
            return {"data": [{"id": "m"}]}
        text = json.loads(body)["messages"][0]["content"]
        async with place:
            await asyncio.sleep(latency)
        if "\n" in text:
            met.add(text.partition("\n")[0])
        share = hashlib.sha256(text.encode()).digest()[0] / 256
        tops = [
            {"token": label, "logprob": math.log((1 + share * at) / (5 + 10 * share))}
            for at, label in enumerate(RATING.labels)
        ]
        logprobs = {"content": [{**tops[0], "top_logprobs": tops}]}
        return {"model": "m", "choices": [{"message": {"content": "1"}, "logprobs": logprobs}]}

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode()
                lines = dict(line.lower().split(": ", 1) for line in head.split("\r\n")[1:-2])
                body = await reader.readexactly(int(lines.get("content-length", 0)))
                content = json.dumps(await answer(head.split()[1], body)).encode()
                writer.write(f"HTTP/1.1 200 OK\r\nContent-Length: {len(content)}\r\n\r\n".encode())
                writer.write(content)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


def _arguments() -> argparse.Namespace:
    def numbers(text: str) -> list[int]:
        return [int(number) for number in text.split(",")]

    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--servers", type=numbers, default=[1, 2, 4])
    parser.add_argument("--lanes", type=numbers, default=[1, 2])
    parser.add_argument("--units", type=int, default=32)
    parser.add_argument("--items", type=int, default=24)
    parser.add_argument("--places", type=int, default=8)
    parser.add_argument("--latency", type=float, default=0.2)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    main()
