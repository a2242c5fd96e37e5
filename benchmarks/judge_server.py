"""How many answers a second a called judge judges: clients batched together, and one by one.

    python benchmarks/judge_server.py [--judge bundled] [--rubric NAME] [--clients 1,8,32] \
        [--answers 256] [--repeats 3]

Each server is a process of its own (`normscope.server`), asked over HTTP on this machine for one
answer a request; a client sends its next request when it has the reply to the last. `one by one`
is the same server, which judges no two answers together. The answers are those of the graded set,
half of them Chinese, in a drawn order. Before anything is timed, both servers judge all answers,
and nothing is timed if a probability differs by more than 1e-4. Repeats alternate between the two;
a line has the median, and the server's own processor time, which other work on the machine does
not change much.
"""

import argparse
import asyncio
import os
import random
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import httpx2

from normscope.api.judge import Judge
from normscope.datasets_builders.registry import benchmark
from normscope.judges.batching import BATCH
from normscope.server.serving import serve

NEAR = 1e-4
TICKS = os.sysconf("SC_CLK_TCK")
MODES = {"batched": BATCH, "one by one": 1}
ORDER = 22


@dataclass(frozen=True, slots=True)
class Server:
    """Where it listens, and which process it is."""

    address: str
    process: int

    @property
    def processor_s(self) -> float:
        """The seconds that its threads have computed."""
        with open(f"/proc/{self.process}/stat", encoding="utf-8") as file:  # noqa: PTH123
            fields = file.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS


@dataclass(frozen=True, slots=True)
class Load:
    """What one load came to: wall clock, processor time, and how long each request took."""

    wall_s: float
    processor_s: float
    requests_s: Sequence[float]


def main() -> None:
    given = _arguments()
    if given.serve:
        judge = Judge(given.judge, rubric=given.rubric)
        serve(judge, port=given.serve, most_waiting=given.answers, batch=given.batch)
        return
    bodies = _bodies(given.answers)
    with _server(given, MODES["batched"]) as batched, _server(given, MODES["one by one"]) as single:
        servers = {"batched": batched, "one by one": single}
        probs = [asyncio.run(_probs(server, bodies)) for server in servers.values()]
        apart = max(abs(a - b) for a, b in zip(*probs, strict=True))
        print(f"{len(bodies):,} answers; probabilities differ by up to {apart:.1g}")
        if apart > NEAR:
            sys.exit(f"more than {NEAR:g}: nothing is timed")
        print("clients | mode | answers/s | ms of processor per answer | p50 ms | p95 ms")
        for clients in given.clients:
            loads: dict[str, list[Load]] = {name: [] for name in servers}
            for _ in range(given.repeats):
                for name, server in servers.items():
                    loads[name].append(asyncio.run(_load(server, bodies, clients)))
            for name, several in loads.items():
                _print(clients, name, several, len(bodies))


def _print(clients: int, name: str, loads: Sequence[Load], answers: int) -> None:
    rate = statistics.median(answers / load.wall_s for load in loads)
    cost = statistics.median(1000 * load.processor_s / answers for load in loads)
    took = sorted(1000 * second for load in loads for second in load.requests_s)
    middle, late = took[len(took) // 2], took[int(0.95 * len(took))]
    print(f"{clients} | {name} | {rate:.1f} | {cost:.1f} | {middle:.0f} | {late:.0f}", flush=True)


async def _probs(server: Server, bodies: Sequence[dict[str, Any]]) -> list[float]:
    """Every probability of every answer, of which 32 wait at a time."""
    replies = await _ask(server, bodies, 32)
    return [
        prob
        for reply, _ in replies
        for criterion in reply["results"][0]["criteria"].values()
        for prob in criterion["probs"] or ()
    ]


async def _load(server: Server, bodies: Sequence[dict[str, Any]], clients: int) -> Load:
    begun, used = time.perf_counter(), server.processor_s
    replies = await _ask(server, bodies, clients)
    wall, processor = time.perf_counter() - begun, server.processor_s - used
    return Load(wall, processor, [seconds for _, seconds in replies])


async def _ask(
    server: Server, bodies: Sequence[dict[str, Any]], clients: int
) -> list[tuple[Any, float]]:
    """The reply to each and how long it took, so many clients asking at a time."""
    turn = asyncio.Semaphore(clients)
    limits = httpx2.Limits(max_connections=clients, max_keepalive_connections=clients)
    async with httpx2.AsyncClient(
        base_url=server.address, limits=limits, timeout=300, trust_env=False
    ) as http:

        async def one(body: dict[str, Any]) -> tuple[Any, float]:
            async with turn:
                begun = time.perf_counter()
                reply = await http.post("/v1/judge", json=body)
                reply.raise_for_status()
                return reply.json(), time.perf_counter() - begun

        return list(await asyncio.gather(*map(one, bodies)))


def _bodies(count: int) -> list[dict[str, Any]]:
    builder, graded = benchmark("safety-gradient")
    items = graded.items(builder.tables(None)[graded.config])
    drawn = random.Random(ORDER).sample(items, min(count, len(items)))  # noqa: S311
    return [
        {
            "question": item.question,
            "answer": item.response,
            "category": item.category,
            "language": item.language,
        }
        for item in drawn
    ]


@contextmanager
def _server(given: argparse.Namespace, batch: int) -> Iterator[Server]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    rubric = ["--rubric", given.rubric] if given.rubric else []
    process = subprocess.Popen(
        [
            *(sys.executable, __file__, "--serve", str(port), "--batch", str(batch)),
            *("--judge", given.judge, "--answers", str(given.answers), *rubric),
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    address = f"http://127.0.0.1:{port}"
    try:
        while process.poll() is None:
            try:
                httpx2.get(f"{address}/health", timeout=1, trust_env=False)
                break
            except httpx2.HTTPError:
                time.sleep(0.2)
        else:
            sys.exit("the server did not start")
        yield Server(address, process.pid)
    finally:
        process.terminate()
        process.wait(60)


def _numbers(text: str) -> list[int]:
    return [int(number) for number in text.split(",")]


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--judge", default="bundled")
    parser.add_argument("--rubric")
    parser.add_argument("--clients", type=_numbers, default=[1, 8, 32])
    parser.add_argument("--answers", type=int, default=256)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--serve", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--batch", type=int, help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    main()
