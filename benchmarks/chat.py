"""Asking a chat server: our engine beside a bare asyncio loop on the same client.

    python benchmarks/chat.py                         10,000 requests at 32 at once, three rounds taken in turn

The server (`endoxa.testing.chat_server`) runs in a process of its own and answers after a fixed latency. The bare loop
has as many tasks as calls at once, each sending one request after the other with openai's client; no retries, no
limits, no journal. Ours has all of these; where calls cost something, each is in the journal before it is sent.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from statistics import median

from frame import in_turn, options, ratio, seconds_of

QUESTION = (
    "Answer with one letter.\n\nTwo friends met at the market. Who was late?\n(A) Ana\n(B) Berta\n(C) Unknown"
)


def main() -> None:
    """All ways in turn."""
    args = options(__doc__, requests=10_000, concurrency=32, latency=0.05, rounds=3).parse_args()
    print(f"no loop can do more than {args.concurrency / args.latency:.0f} requests a second")
    with server(args.latency) as address:
        ours(address, 200, args.concurrency)  # both start warm
        ways = {
            "bare loop": lambda: asyncio.run(bare_loop(address, args.requests, args.concurrency)),
            "endoxa, free": partial(ours, address, args.requests, args.concurrency),
            "endoxa, priced": partial(ours, address, args.requests, args.concurrency, priced=True),
        }
        times, _ = in_turn(ways, args.rounds, time_of=float)
    for name, values in times.items():
        print(
            f"{name:16}{args.requests / median(values):8.0f}/s   of the bare loop {1 / ratio(times, name):.2f}"
        )


@contextmanager
def server(latency: float) -> Iterator[str]:
    """A server in a process of its own; gives its address."""
    words = [sys.executable, "-m", "endoxa.testing.chat_server", "--port", "0", "--latency", str(latency)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().split()[-1]
        finally:
            process.terminate()


async def bare_loop(address: str, requests: int, concurrency: int) -> float:
    """Seconds for the requests with nothing around the client."""
    import openai

    client = openai.AsyncOpenAI(base_url=address, api_key="none", max_retries=0)
    numbers = iter(range(requests))

    async def work() -> None:
        for _ in numbers:
            await client.chat.completions.create(
                model="test",
                messages=[{"role": "user", "content": QUESTION}],
                temperature=1.0,
                max_tokens=512,
            )

    start = asyncio.get_running_loop().time()
    async with asyncio.TaskGroup() as tasks:
        for _ in range(concurrency):
            tasks.create_task(work())
    seconds = asyncio.get_running_loop().time() - start
    await client.close()
    return seconds


def ours(address: str, requests: int, concurrency: int, *, priced: bool = False) -> float:
    """Seconds for the same requests through the engine, journal on; calls may have a price."""
    from endoxa.models.chat import open_chat, parse_chat_model
    from endoxa.models.chat.presets import Price
    from endoxa.models.chat.spec import ChatOptions
    from endoxa.runs.asking.calls import Asking, ask_all
    from endoxa.runs.asking.cost import Budget
    from endoxa.runs.asking.jobs import Job
    from endoxa.runs.asking.journal import AnswerJournal
    from endoxa.schema import Sampling

    with tempfile.TemporaryDirectory() as folder:
        journal = AnswerJournal(Path(folder) / "journal.sqlite")
        model = open_chat(parse_chat_model(f"{address}#test"), ChatOptions(concurrency=concurrency))
        budget = Budget(None, Price(1.0, 10.0, "made up") if priced else None, 0.0)
        asking = Asking(model, 0, Sampling(), concurrency, journal, budget)
        seconds, _ = seconds_of(
            lambda: ask_all(asking, (Job(k, (QUESTION,), seed=1) for k in range(requests)))
        )
        assert journal.count(0) == requests
        journal.close()
    return seconds


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    main()
