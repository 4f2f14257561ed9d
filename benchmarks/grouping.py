"""Time and memory of grouping attributes, as there are more of them; one process for each size.

    python benchmarks/grouping.py                          1,000, 10,000 and 100,000 attributes
    python benchmarks/grouping.py --attributes 5000        another size

The attributes are made by combining everyday words ("honest with neighbours", "not shy but tidy at work"). Prints, for
each size, the seconds of encoding and of everything else, the texts that were encoded (terms, and the words in which
terms differ), the groups, the peak memory of the whole process (torch
included), and what the full matrix of similarities alone would take.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import time
from collections.abc import Sequence

import numpy as np

TRAITS = """honest generous patient careful punctual cheerful stubborn talkative quiet proud humble ambitious lazy
hardworking friendly rude polite brave shy curious strict gentle practical creative thrifty wasteful tidy messy loyal
reliable impatient clever slow quick fair jealous calm nervous serious playful modest boastful helpful selfish warm cold
confident insecure tolerant suspicious inventive traditional modern flexible rigid organised forgetful attentive strong
weak skilled clumsy energetic tired hopeful gloomy sociable reserved independent obedient bossy respectful outspoken
sensible foolish fashionable plain thoughtful careless determined hesitant musical sporty religious learned witty
dull sincere sly forgiving resentful adventurous cautious resourceful helpless"""
PLACES = """at home|at work|at school|in traffic|at the market|at parties|at weddings|in meetings|on the phone|online|
with money|with time|with food|with words|with tools|with animals|with children|with parents|with guests|with friends|
with neighbours|with strangers|with colleagues|with customers|with teachers|with rules|with secrets|with promises|
about food|about music|about sport|about politics|about fashion|about the weather|about the past|about the future|
about their village|about their city|about their language|about their work|in the kitchen|in the garden|in the morning|
in the evening|in summer|in winter|when travelling|when driving|when shopping|when cooking|when tired|when hungry|
when angry|when alone|in a crowd|in a team|under pressure|before exams|after work|on holidays|on Sundays|
for their family|for their team|for praise|for a living|towards elders|towards the young|towards newcomers|
as leaders|as drivers|as cooks|as parents|as students|as hosts|as traders|as dancers|as singers|as farmers|as players|
in business|in sport|in love|in debates|in public|in private|in small towns|in big cities|by the sea|in the mountains|
at games|at bargaining|at planning|at teaching|at repairing things|at telling stories|at remembering names|
at keeping accounts|at growing vegetables|at handling machines""".replace("\n", "")


def attributes(count: int) -> list[str]:
    """`count` different attributes: one trait or two, a place or none, denied or not, drawn at random."""
    drawn = np.random.default_rng(0)
    traits, places = TRAITS.split(), ("", *PLACES.split("|"))
    found: dict[str, None] = {}
    while len(found) < count:
        one, other = drawn.choice(traits, 2, replace=False)
        start = drawn.choice(("", "", "", "not "))
        also = drawn.choice(("", f"and {other} ", f"but {other} "))
        found[f"{start}{one} {also}{drawn.choice(places)}".strip()] = None
    return list(found)


def measure(count: int) -> None:
    """Group `count` attributes; print seconds of encoding and of the rest, texts, groups, and peak memory in MiB."""
    from endoxa.curate.encoders import Vectors, load_encoder
    from endoxa.curate.group import group_attributes
    from endoxa.curate.opposites import load_lexicon

    encoder = load_encoder()
    seen: dict[str, float] = {"seconds": 0.0, "texts": 0}

    def timed(texts: Sequence[str], /) -> Vectors:
        start = time.perf_counter()
        vectors = encoder(texts)
        seen["seconds"] += time.perf_counter() - start
        seen["texts"] += len(texts)
        return vectors

    start = time.perf_counter()
    table = group_attributes(dict.fromkeys(attributes(count), 1), timed, load_lexicon())
    rest = time.perf_counter() - start - seen["seconds"]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(seen["seconds"], rest, seen["texts"], table["group_id"].n_unique(), peak)


def main() -> None:
    """Measure each size in a process of its own."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--attributes", type=int, action="append")
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.one:
        measure(args.one)
        return
    print(
        f"{'attributes':>10}{'texts':>9}{'groups':>9}{'encoding s':>12}{'grouping s':>12}{'peak MiB':>10}"
        f"{'full matrix MiB':>17}"
    )
    for count in args.attributes or (1_000, 10_000, 100_000):
        words = [sys.executable, __file__, "--one", str(count)]
        printed = subprocess.run(words, check=True, capture_output=True, text=True).stdout.split()
        encoding, grouping, texts, groups, peak = map(float, printed)
        print(
            f"{count:10,}{texts:9,.0f}{groups:9,.0f}{encoding:12.1f}{grouping:12.1f}{peak:10,.0f}"
            f"{4 * count**2 / 2**20:17,.0f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
