"""The journal of a run, one chunk of items under one model, and its records: a row per pair, model and rule.

In bfloat16 the same sentence gets another score when other sentences stand in its batch: sums are rounded to 8 bits, in
an order that depends on the shapes. Some pairs are scored once more, each alone, which is another batch than the first
one; by how much their differences moved is the noise that every difference of the run carries.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass
from math import isfinite
from pathlib import Path
from statistics import fmean, median
from typing import Any

import numpy as np
import polars as pl

from endoxa.instruments.pairs.options import PairsSettings
from endoxa.instruments.pairs.probe.items import GROUP, Chunk, Comparisons, chunks
from endoxa.runs.estimates import parquet_in_parts
from endoxa.runs.folder import RECORDS, UNSCORED
from endoxa.runs.journal import COMMIT_SECONDS, JournalFile
from endoxa.schema import PAIR_COLUMNS, RECORD_COLUMNS, Model, Pair, Request, Rule, Score, Unscorable
from endoxa.sources.spreadsheets import csv_text, read_csv
from endoxa.stats.intervals import NAN

TABLES = """
CREATE TABLE IF NOT EXISTS scores (
    model INTEGER, request BLOB, total REAL, tokens INTEGER, problem TEXT, PRIMARY KEY (model, request)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS records (
    model INTEGER, rule INTEGER, item INTEGER, score_more REAL, score_less REAL, n_tokens_more INTEGER,
    n_tokens_less INTEGER, neutral_difference REAL, n_neutral INTEGER, neutral_preferred REAL,
    compared_with TEXT, problem TEXT,
    PRIMARY KEY (item, model, rule)
) WITHOUT ROWID;
"""
LOOKUP = 500
"""Requests asked for in one SELECT; SQLite allows 999 parameters in its oldest builds."""


@dataclass(frozen=True, slots=True)
class Row:
    """A finished record; `problem` is set, and the scores are not, where the pair could not be scored."""

    model: int
    rule: int
    item: int
    score_more: float | None = None
    score_less: float | None = None
    n_tokens_more: int = 0
    n_tokens_less: int = 0
    neutral_difference: float | None = None
    n_neutral: int = 0
    neutral_preferred: float | None = None
    compared_with: str | None = None
    problem: str | None = None

    @property
    def differences(self) -> tuple[float, float]:
        """The difference of both sentences, raw and calibrated; NaN where there is none."""
        if self.score_more is None or self.score_less is None:
            return NAN, NAN
        raw = self.score_more - self.score_less
        return raw, NAN if self.neutral_difference is None else raw - self.neutral_difference


class Journal(JournalFile):
    """Scores and records of one run, on disk."""

    def __init__(self, path: Path) -> None:
        """Open or create the file; see `JournalFile`."""
        super().__init__(path, TABLES)

    def restore(self, folder: Path, names: Sequence[tuple[str, Sequence[str]]]) -> None:
        """Read the rows of a finished run back from its folder, so that a model can be added.

        Args:
            folder: holds `records.parquet`, and `unscored.csv` where a pair could not be scored.
            names: name and rules of each model, in the order of their numbers.
        """
        with self._explained():
            item_numbers = self._db.execute("SELECT item_id, number FROM items").fetchall()
        items = pl.DataFrame(item_numbers, schema={"item_id": pl.String, "item": pl.Int64}, orient="row")
        numbers = pl.DataFrame(
            [
                (model, rule, number, place)
                for number, (model, rules) in enumerate(names)
                for place, rule in enumerate(rules)
            ],
            schema={"model": pl.String, "rule": pl.String, "model_number": pl.Int64, "rule_number": pl.Int64},
            orient="row",
        )
        tables = [pl.read_parquet(folder / RECORDS)]
        if (folder / UNSCORED).exists():
            listed = read_csv(folder / UNSCORED, schema_overrides={"item_id": pl.String})
            tables.append(listed.rename({"reason": "problem"}).with_columns(n_tokens_more=0, n_tokens_less=0))
        for table in tables:
            joined = table.join(items, on="item_id").join(numbers, on=["model", "rule"])
            rows = joined.select(
                "item",
                *(name for name in (*NUMBERS, "problem") if name in table.columns),
                model="model_number",
                rule="rule_number",
            )
            self.add_records(Row(**row) for row in rows.iter_rows(named=True))

    def answered(self, model: int, keys: Sequence[bytes]) -> dict[bytes, Score | Unscorable]:
        """Results of the requests that were answered before."""
        results: dict[bytes, Score | Unscorable] = {}
        for start in range(0, len(keys), LOOKUP):
            some = keys[start : start + LOOKUP]
            marks = ",".join("?" * len(some))
            query = (
                f"SELECT request, total, tokens, problem FROM scores WHERE model = ? AND request IN ({marks})"  # noqa: S608
            )
            with self._explained():
                for key, total, tokens, problem in self._db.execute(query, (model, *some)):
                    results[key] = Score(total, tokens) if problem is None else Unscorable(problem)
        return results

    def add_scores(self, model: int, results: Iterable[tuple[bytes, Score | Unscorable]]) -> None:
        """Remember results, in one transaction."""
        rows = [
            (model, key, None, None, result.reason)
            if isinstance(result, Unscorable)
            else (model, key, result.total, result.n_tokens, None)
            for key, result in results
        ]
        with self._explained(), self._transaction():
            self._db.executemany("INSERT OR REPLACE INTO scores VALUES (?, ?, ?, ?, ?)", rows)

    def add_records(self, rows: Iterable[Row]) -> None:
        """Remember finished records, in one transaction."""
        marks = ",".join("?" * len(Row.__slots__))
        with self._explained(), self._transaction():
            self._db.executemany(f"INSERT OR REPLACE INTO records VALUES ({marks})", map(astuple, rows))  # noqa: S608

    def count_records(self, model: int, first: int, last: int) -> int:
        """Finished records of a model for items first..last (both included)."""
        query = "SELECT count(*) FROM records WHERE model = ? AND item BETWEEN ? AND ?"
        with self._explained():
            return int(self._db.execute(query, (model, first, last)).fetchone()[0])

    def records(self, first: int, last: int) -> list[Row]:
        """Finished records of items first..last (both included), by item, model and rule."""
        columns = ", ".join(Row.__slots__)
        query = f"SELECT {columns} FROM records WHERE item BETWEEN ? AND ? ORDER BY item, model, rule"  # noqa: S608
        with self._explained():
            return [Row(*row) for row in self._db.execute(query, (first, last))]


def request_key(request: Request) -> bytes:
    """A 16-byte name of a request's content."""
    return hashlib.blake2b(repr(request).encode(), digest_size=16).digest()


NUMBERS = {
    "score_more": pl.Float64,
    "score_less": pl.Float64,
    "n_tokens_more": pl.Int32,
    "n_tokens_less": pl.Int32,
    "neutral_difference": pl.Float64,
    "n_neutral": pl.Int32,
    "neutral_preferred": pl.Float64,
    "compared_with": pl.String,
}


def write_records(
    data: Path, settings: PairsSettings, journal: Journal, out: Path, rules: Sequence[Sequence[str]]
) -> tuple[int, int]:
    """Write `records.parquet` (and `unscored.csv` where a pair could not be scored) into `out`.

    Args:
        data: the file of pairs.
        settings: the run's settings.
        journal: finished rows.
        out: the run folder.
        rules: for each model, its rule names by number.

    Returns:
        Rows of `records.parquet`, and of `unscored.csv`.
    """
    texts = dict.fromkeys((*PAIR_COLUMNS, GROUP, "model", "rule"), pl.String)
    scored = unscored = 0
    with parquet_in_parts(out / RECORDS) as add:
        for chunk in chunks(data, settings):
            done, failed = [], []
            for row in journal.records(chunk.first, chunk.last):
                names = {"model": settings.models[row.model], "rule": rules[row.model][row.rule]}
                item = chunk.items[row.item - chunk.first]
                if row.problem is None:
                    done.append({**item, **names, **{name: getattr(row, name) for name in NUMBERS}})
                else:
                    failed.append({"item_id": item["item_id"], **names, "reason": row.problem})
            add(pl.DataFrame(done, schema={**texts, **NUMBERS}).select(list(RECORD_COLUMNS)))
            if failed:
                with (out / UNSCORED).open("a" if unscored else "w", encoding="utf-8") as file:
                    file.write(csv_text(pl.DataFrame(failed), include_header=not unscored))
            scored, unscored = scored + len(done), unscored + len(failed)
    return scored, unscored


Results = dict[bytes, Score | Unscorable]
Keys = tuple[bytes, bytes]
"""A pair as one rule asks about it: the keys of its two requests."""


@dataclass(frozen=True, slots=True)
class Line:
    """What one item needs under one rule: itself, and the same about others, of the kind `compared_with`."""

    rule: int
    item: int
    original: Keys
    compared_with: str
    compared: tuple[Keys, ...]


@dataclass(frozen=True, slots=True)
class Begun:
    """Requests of a chunk, sent to the model.

    Attributes:
        chunk: the items.
        lines: what each of them needs.
        requests: keys of all requests.
        answered: results that the journal had.
        missing: keys of those that were sent; the others are under way for an earlier chunk.
        answers: what comes back: place in `missing`, and result.
    """

    chunk: Chunk
    lines: Sequence[Line]
    requests: Sequence[bytes]
    answered: Results
    missing: Sequence[bytes]
    answers: Iterator[tuple[int, Score | Unscorable]]


@dataclass(frozen=True, slots=True)
class Task:
    """One model of a run, under its rules.

    Attributes:
        number: the model's number in the run.
        model: the model.
        rules: all its rules.
        journal: where results and finished rows are kept.
        comparisons: what pairs are compared with; None for nothing.
    """

    number: int
    model: Model
    rules: Sequence[Rule]
    journal: Journal
    comparisons: Comparisons | None

    def needs(self, chunk: Chunk) -> tuple[list[Line], dict[bytes, Request]]:
        """What must be known about each item under each rule to be scored, and the distinct requests behind it."""
        originals = [pair_of(item) for item in chunk.items]
        compared = [self.comparisons.of(item) if self.comparisons else ("", []) for item in chunk.items]
        everything = [*originals, *(pair for _, pairs in compared for pair in pairs)]
        requests: dict[bytes, Request] = {}
        lines = []
        for number, rule in enumerate(self.rules):
            keys: list[Keys] = []
            for more, less in rule.requests(everything, self.model):
                keys.append((request_key(more), request_key(less)))
                requests.update(zip(keys[-1], (more, less), strict=True))
            extra = iter(keys[len(originals) :])
            for k, (kind, pairs) in enumerate(compared):
                lines.append(Line(number, chunk.first + k, keys[k], kind, tuple(next(extra) for _ in pairs)))
        return lines, requests

    def begin(self, chunk: Chunk, under_way: set[bytes]) -> Begun:
        """Send what nobody knows yet to the model.

        Args:
            chunk: the items.
            under_way: keys that were sent for earlier chunks; those sent now are added.
        """
        lines, requests = self.needs(chunk)
        answered = self.journal.answered(self.number, list(requests))
        missing = [key for key in requests if key not in answered and key not in under_way]
        under_way.update(missing)
        answers = self.model.score([requests[key] for key in missing])
        return Begun(chunk, lines, list(requests), answered, missing, answers)

    def finish(self, begun: Begun, advance: Callable[[float], None]) -> list[Row]:
        """Finished records of a chunk, once those of the chunks before it are in the journal.

        New results reach the journal every `COMMIT_SECONDS`, and whatever ends the loop (an error, Ctrl-C).

        Args:
            begun: what was sent.
            advance: told the share (0 to 1) of the requests that is answered.
        """
        results = dict(begun.answered)
        fresh: list[tuple[bytes, Score | Unscorable]] = []
        saved = time.monotonic()
        try:
            for index, answered in begun.answers:
                result = _finite(answered)
                results[begun.missing[index]] = result
                fresh.append((begun.missing[index], result))
                if time.monotonic() - saved > COMMIT_SECONDS:
                    self.journal.add_scores(self.number, fresh)
                    fresh, saved = [], time.monotonic()
                    advance(len(results) / len(begun.requests))
        finally:
            self.journal.add_scores(self.number, fresh)
        earlier = [key for key in begun.requests if key not in results]
        return list(self.rows(begun.lines, results | self.journal.answered(self.number, earlier)))

    def rows(self, lines: Sequence[Line], results: Results) -> Iterator[Row]:
        """Finished records of a chunk; a pair that cannot be scored gets its reason instead of a number."""
        for line in lines:
            rule, about = self.rules[line.rule], (self.number, line.rule, line.item)
            more, less = (results[key] for key in line.original)
            if isinstance(more, Unscorable) or isinstance(less, Unscorable):
                side, result = ("sent_more", more) if isinstance(more, Unscorable) else ("sent_less", less)
                assert isinstance(result, Unscorable)
                problem = f"{side} cannot be scored by the rule '{rule.name}': {result.reason}"
                yield Row(*about, problem=problem)
                continue
            others = [
                rule.value(a) - rule.value(b)
                for a, b in ((results[first], results[second]) for first, second in line.compared)
                if isinstance(a, Score) and isinstance(b, Score)
            ]
            yield Row(
                *about,
                score_more=rule.value(more),
                score_less=rule.value(less),
                n_tokens_more=more.n_tokens,
                n_tokens_less=less.n_tokens,
                neutral_difference=median(others) if others else None,
                n_neutral=len(others),
                neutral_preferred=fmean((0.5 if d == 0 else d > 0) for d in others) if others else None,
                compared_with=line.compared_with if others else None,
            )

    def rounding(self, chosen: Iterable[Chunk]) -> dict[str, dict[str, Any]]:
        """Score pairs once more, each alone, and compare with what the journal has.

        Args:
            chosen: the pairs, a chunk for each.

        Returns:
            For each rule `pairs`, `median` and `largest`: how many pairs, and by how much their difference moved, in
            the unit of the rule; the same of the calibrated difference (`calibrated_pairs` and so on) where there is
            one.
        """
        moved: dict[str, tuple[list[float], list[float]]] = {rule.name: ([], []) for rule in self.rules}
        for chunk in chosen:
            lines, requests = self.needs(chunk)
            keys = list(requests)
            results = {keys[place]: result for place, result in self.model.score(list(requests.values()))}
            rows = self.journal.records(chunk.first, chunk.last)
            before = {row.rule: row.differences for row in rows if row.model == self.number}
            for row in self.rows(lines, results):
                moves = zip(moved[self.rules[row.rule].name], before[row.rule], row.differences, strict=True)
                for of_kind, first, second in moves:
                    of_kind.append(abs(first - second))
        return {
            name: _noise("", raw) | _noise("calibrated_", calibrated)
            for name, (raw, calibrated) in moved.items()
        }


def _noise(prefix: str, moves: Sequence[float]) -> dict[str, float | int]:
    measured = [move for move in moves if isfinite(move)]
    if not measured:
        return {}
    return {
        f"{prefix}pairs": len(measured),
        f"{prefix}median": float(np.median(measured)),
        f"{prefix}largest": max(measured),
    }


def _finite(result: Score | Unscorable) -> Score | Unscorable:
    """The result, unless its number is none (an overflow in half precision, broken weights)."""
    if isinstance(result, Score) and not isfinite(result.total):
        return Unscorable("the model gave no finite probability; try --set dtype=float32 or bfloat16")
    return result


def pair_of(item: Mapping[str, Any]) -> Pair:
    """An item as a rule sees it."""
    texts = (item[name] or "" for name in ("prompt", "identity", "language"))
    return Pair(item["sent_more"], item["sent_less"], item["direction"], *texts)


PAIRS = 64
"""Pairs that are scored twice: 1 in 65 of the others is expected to move by more than the largest of them did."""
FULL = ("float32", "float64")


def rounds(dtype: object) -> bool:
    """Whether weights of this type, as `Model.describe` names it, have fewer bits than float32."""
    return isinstance(dtype, str) and dtype not in FULL


def sampled(number: int, seed: int) -> frozenset[int]:
    """Numbers of the pairs that are scored twice.

    Args:
        number: pairs of the run.
        seed: of the draw.
    """
    drawn = np.random.default_rng(seed).choice(number, min(PAIRS, number), replace=False)
    return frozenset(drawn.tolist())
