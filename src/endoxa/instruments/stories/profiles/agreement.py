"""How far the extractors of a run agree: from the votes in its records to `agreement.csv`."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from endoxa.instruments.stories.profiles.errors import read_facts
from endoxa.instruments.stories.profiles.reading import REFUSAL, majority
from endoxa.runs.folder import AGREEMENT, RECORDS
from endoxa.schema.stories import EXTRACTOR_AGREEMENT_COLUMNS
from endoxa.sources.frames import write_table
from endoxa.sources.stereotales import OTHER, UNKNOWN, Vocabulary
from endoxa.stats.agreement import agreeing_pairs, alpha, alpha_interval

CONFIDENCE = 0.95
RESAMPLES = 1000
UNLISTED = "unlisted_json"
VOTES = ("refusal", "votes_json", "refusal_votes_json", UNLISTED)
"""Columns of the records that are read; runs of older versions lack the last one."""
PART = 20_000
"""Records read at a time."""

Patterns = Mapping[tuple[str, ...], int]
"""The votes on one story, sorted -> the number of stories that have them."""


@dataclass(slots=True)
class Tally:
    """Votes counted; memory grows with the different patterns of votes, not with the stories.

    Attributes:
        vocabulary: the attributes.
        extractors: how many there are.
        patterns: for each attribute, and for the question of refusal, how many stories have which votes.
        answers: for each attribute how often each answer won.
        ties: for each attribute how often none did.
        sent: stories that extractors were asked about.
        stories: those of them that are no refusals.
        unparsed: votes that could not be read, for profiles and for the question of refusal.
        unlisted: for each attribute how often each extractor gave something that is none of its answers.
        lists_unlisted: whether the records say what was not in the list.
    """

    vocabulary: Vocabulary
    extractors: int
    patterns: dict[str, Counter[tuple[str, ...]]] = field(default_factory=dict)
    answers: dict[str, Counter[str]] = field(default_factory=dict)
    ties: Counter[str] = field(default_factory=Counter)
    sent: int = 0
    stories: int = 0
    unparsed: Counter[str] = field(default_factory=Counter)
    unlisted: dict[str, Counter[str]] = field(default_factory=dict)
    lists_unlisted: bool = True

    def add(self, row: Mapping[str, Any]) -> None:
        """Count a record; one that no extractor was asked about counts for nothing."""
        refusals = json.loads(row["refusal_votes_json"] or "{}")
        if not refusals:
            return
        self.sent += 1
        self._count(REFUSAL, [None if vote is None else str(vote) for vote in refusals.values()])
        if row["refusal"]:
            return
        self.stories += 1
        profiles = list(json.loads(row["votes_json"]).values())
        for attribute in self.vocabulary:
            votes = [None if profile is None else profile[attribute.name] for profile in profiles]
            self._count(attribute.name, votes)
            self._decide(attribute.name, [vote for vote in votes if vote is not None])
        for model, names in json.loads(row.get(UNLISTED) or "{}").items():
            for name in names:
                self.unlisted.setdefault(name, Counter())[model] += 1

    def _count(self, name: str, votes: list[str | None]) -> None:
        read = sorted(vote for vote in votes if vote is not None)
        self.patterns.setdefault(name, Counter())[tuple(read)] += 1
        self.unparsed[name] += len(votes) - len(read)

    def _decide(self, name: str, votes: list[str]) -> None:
        answer = majority(votes)
        self.ties[name] += bool(votes) and answer is None
        self.answers.setdefault(name, Counter())[answer or UNKNOWN] += 1


def agreement_of_run(folder: Path) -> pl.DataFrame:
    """How far the extractors of a finished run agree: `EXTRACTOR_AGREEMENT_COLUMNS`.

    Raises:
        UserError: the folder holds no finished run of `probe extract`.
    """
    run = read_facts(folder)
    columns = pl.scan_parquet(folder / RECORDS).collect_schema()
    present = tuple(name for name in VOTES if name in columns)
    tally = Tally(run.vocabulary, run.extractors, lists_unlisted=UNLISTED in present)
    return agreement_table(tally, _records(folder, present), run.seed)


def _records(folder: Path, columns: Sequence[str]) -> Iterator[dict[str, Any]]:
    """The records one by one, read in parts."""
    scan, start = pl.scan_parquet(folder / RECORDS).select(columns), 0
    while (part := scan.slice(start, PART).collect()).height:
        yield from part.iter_rows(named=True)
        start += PART


def write_agreement(folder: Path, *, again: bool = False) -> Path:
    """Write `agreement.csv` into the folder of a finished run, unless it is there; with `again` in any case."""
    path = folder / AGREEMENT
    if again or not path.exists():
        write_table(agreement_of_run(folder), path)
    return path


def agreement_table(tally: Tally, records: Iterable[Mapping[str, Any]], seed: int) -> pl.DataFrame:
    """One row per attribute, and one for the question of refusal (`EXTRACTOR_AGREEMENT_COLUMNS`)."""
    for record in records:
        tally.add(record)
    rows = [
        _row(name, tally, seed) for name in (REFUSAL, *(attribute.name for attribute in tally.vocabulary))
    ]
    types = {name: pl.Float64() for name in EXTRACTOR_AGREEMENT_COLUMNS} | {
        "attribute": pl.String(),
        "unlisted_json": pl.String(),
        "n": pl.Int64(),
        "n_known": pl.Int64(),
    }
    return pl.DataFrame(rows, schema=types, orient="row").fill_nan(None)


def without_unknown(patterns: Patterns) -> dict[tuple[str, ...], int]:
    """The patterns without the votes for "unknown"."""
    left: dict[tuple[str, ...], int] = {}
    for votes, count in patterns.items():
        kept = tuple(vote for vote in votes if vote != UNKNOWN)
        left[kept] = left.get(kept, 0) + count
    return left


def _row(name: str, tally: Tally, seed: int) -> dict[str, Any]:
    patterns = tally.patterns.get(name, Counter())
    stories = tally.sent if name == REFUSAL else tally.stories
    row = {
        "attribute": name,
        **_alpha("n", "alpha", patterns, seed),
        "agreement": agreeing_pairs(*_counts(patterns)),
        "unparsed": _share(tally.unparsed[name], stories * tally.extractors),
    }
    if name == REFUSAL:
        return row
    answers, unlisted = tally.answers.get(name, Counter()), tally.unlisted.get(name, Counter())
    row |= {
        **_alpha("n_known", "alpha_known", without_unknown(patterns), seed),
        "ties": _share(tally.ties[name], stories),
        "unknown": _share(answers[UNKNOWN], stories),
        "other": _share(answers[OTHER], stories),
    }
    if tally.lists_unlisted:
        row["unlisted"] = _share(unlisted.total(), stories * tally.extractors)
        row["unlisted_json"] = json.dumps(dict(sorted(unlisted.items())), ensure_ascii=False)
    return row


def _alpha(number: str, name: str, patterns: Patterns, seed: int) -> dict[str, Any]:
    """Stories with two votes or more, their alpha and its interval."""
    counts, weights = _counts(patterns)
    interval = alpha_interval(counts, weights, CONFIDENCE, resamples=RESAMPLES, seed=seed)
    return {
        number: int(weights.sum()),
        name: alpha(counts, weights=weights),
        f"{name}_low": interval.low,
        f"{name}_high": interval.high,
    }


def _counts(patterns: Patterns) -> tuple[np.ndarray, np.ndarray]:
    """Votes per pattern and value, and stories per pattern, of patterns with two votes or more."""
    usable = {votes: count for votes, count in sorted(patterns.items()) if len(votes) >= 2}
    values = sorted({vote for votes in usable for vote in votes})
    counts = np.array([[votes.count(value) for value in values] for votes in usable], dtype=np.int64)
    return counts.reshape(len(usable), len(values)), np.array(list(usable.values()), dtype=np.int64)


def _share(count: int, total: int) -> float | None:
    return count / total if total else None
