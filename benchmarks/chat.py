"""Asking a chat server: our engine beside a bare asyncio loop on the same client, and memory as the file grows.

    python benchmarks/chat.py                         10,000 requests at 32 at once, three rounds taken in turn
    python benchmarks/chat.py --memory                10,000 to 650,000 questions: memory of run, estimates and page

The server (`endoxa.testing.chat_server`) runs in a process of its own and answers after a fixed latency. The bare loop
is what one would write without endoxa: as many tasks as calls at once, each sending one request after the other with
openai's asynchronous client; no retries, no limits, no journal. Ours has all of these switched on; where calls cost
something, each is in the journal before it is sent.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

QUESTION = (
    "Answer with one letter.\n\nTwo friends met at the market. Who was late?\n(A) Ana\n(B) Berta\n(C) Unknown"
)
SIZES = (10_000, 100_000, 650_000)


def main() -> None:
    """Measure throughput, or memory."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--requests", type=int, default=10_000)
    parser.add_argument("--concurrency", type=int, default=32)
    parser.add_argument(
        "--latency", type=float, default=0.05, help="seconds the server takes for each answer"
    )
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--memory", action="store_true")
    parser.add_argument("--items", type=int, action="append")
    parser.add_argument("--one", nargs=2, metavar=("STEP", "FOLDER"), help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.one:
        step(args.one[0], Path(args.one[1]))
    elif args.memory:
        memory(args.items or SIZES)
    else:
        throughput(args)


def throughput(args: argparse.Namespace) -> None:
    """Both ways in turn, so that noise of the machine meets both."""
    limit = args.concurrency / args.latency
    print(
        f"{args.requests:,} requests, {args.concurrency} at once, latency {args.latency * 1000:.0f} ms",
        end="",
    )
    print(f" (no loop can do more than {limit:.0f}/s)")
    ratios: dict[str, list[float]] = {"free": [], "priced": []}
    with server(args.latency) as address:
        ours(address, 200, args.concurrency)  # both start warm
        for _ in range(args.rounds):
            bare = args.requests / asyncio.run(bare_loop(address, args.requests, args.concurrency))
            print(f"bare loop {bare:7.0f}/s", end="")
            for kind, found in ratios.items():
                own = args.requests / ours(address, args.requests, args.concurrency, priced=kind == "priced")
                found.append(own / bare)
                print(f"   endoxa, {kind} {own:7.0f}/s   ratio {own / bare:.2f}", end="", flush=True)
            print()
    for kind, found in ratios.items():
        low, middle, high = min(found), median(found), max(found)
        print(f"{kind}: ratio {low:.2f} / {middle:.2f} / {high:.2f} (min, median, max; target 0.85)")


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

    start = time.perf_counter()
    async with asyncio.TaskGroup() as tasks:
        for _ in range(concurrency):
            tasks.create_task(work())
    seconds = time.perf_counter() - start
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
        start = time.perf_counter()
        ask_all(asking, (Job(k, (QUESTION,), seed=1) for k in range(requests)))
        seconds = time.perf_counter() - start
        assert journal.count(0) == requests
        journal.close()
    return seconds


STEPS = ("probe", "estimates", "page")


def memory(sizes: tuple[int, ...] | list[int]) -> None:
    """Peak memory of each step of a run for each size, each in a process of its own."""
    print(f"{'questions':>10}{'step':>12}{'seconds':>10}{'per second':>12}{'peak MiB':>10}")
    for items in sizes:
        with tempfile.TemporaryDirectory() as folder:
            write_questions(Path(folder) / "questions.jsonl", items)
            for name in STEPS:
                words = [sys.executable, __file__, "--one", name, folder]
                output = subprocess.run(words, check=True, capture_output=True, text=True).stdout
                seconds, peak = map(float, output.split()[-2:])
                print(f"{items:10,}{name:>12}{seconds:10.1f}{items / seconds:12.0f}{peak:10.0f}", flush=True)


def write_questions(path: Path, count: int) -> None:
    """Made-up questions of 25 templates."""
    with path.open("w", encoding="utf-8") as file:
        for k in range(count):
            file.write(json.dumps(item(k)) + "\n")


def step(name: str, folder: Path) -> None:
    """Ask a simulated respondent, or estimate, or write the page; print seconds and peak memory in MiB."""
    from endoxa.instruments.questions.estimates import analyze_run
    from endoxa.instruments.questions.instrument import QUESTIONS
    from endoxa.instruments.questions.probe.settings import QaSettings
    from endoxa.instruments.reports import write_report
    from endoxa.runs.run import measure

    data, run = folder / "questions.jsonl", folder / "run"
    start = time.perf_counter()
    if name == "probe":
        measure(QUESTIONS, QaSettings(data=str(data), models=("sim/biased",)), run)
    elif name == "estimates":
        analyze_run(run, keep=True)
    else:
        write_report([run], folder / "page.html")
    print(time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def item(number: int) -> dict[str, object]:
    """One made-up question in BBQ's form."""
    return {
        "example_id": number,
        "question_index": str(number // 4 % 25),
        "question_polarity": "neg",
        "context_condition": "ambig",
        "category": "Cities",
        "answer_info": {
            "ans0": ["harbour", "harbour"],
            "ans1": ["hill", "hill"],
            "ans2": ["Unknown", "unknown"],
        },
        "additional_metadata": {"stereotyped_groups": ["harbour"], "source": "ours"},
        "context": f"Person {number} from the harbour and a person from the hill met at the market.",
        "question": "Who was late?",
        "ans0": "The person from the harbour",
        "ans1": "The person from the hill",
        "ans2": "Unknown",
        "label": 2,
    }


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    main()
