"""One chunk of items under one model: requests, answers, finished rows; and some pairs once more.

In bfloat16 the same sentence gets another score when other sentences stand in its batch: sums are rounded to 8 bits, in
an order that depends on the shapes. Some pairs are scored once more, each alone, which is another batch than the first
one; by how much their differences moved is the noise that every difference of the run carries.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from statistics import fmean, median
from typing import Any

import numpy as np

from endoxa.instruments.pairs.probe.calibration import Comparisons
from endoxa.instruments.pairs.probe.items import Chunk
from endoxa.instruments.pairs.probe.records import Journal, Row, request_key
from endoxa.runs.journal import COMMIT_SECONDS
from endoxa.schema import Model, Pair, Request, Rule, Score, Unscorable

Results = dict[bytes, Score | Unscorable]


@dataclass(frozen=True, slots=True)
class RequestKeys:
    """A pair as one rule asks about it: the keys of its two requests."""

    more: bytes
    less: bytes


@dataclass(frozen=True, slots=True)
class Line:
    """What one item needs under one rule: itself, and the same about others, of the kind `compared_with`."""

    rule: int
    item: int
    original: RequestKeys
    compared_with: str
    compared: tuple[RequestKeys, ...]


def lines_of(
    items: Sequence[dict[str, Any]],
    first: int,
    rules: Sequence[Rule],
    model: Model,
    *,
    comparisons: Comparisons | None,
    first_rule: int = 0,
) -> tuple[list[Line], dict[bytes, Request]]:
    """What must be known about each item under each rule from `first_rule` on, and the distinct requests behind it."""
    originals = [pair_of(item) for item in items]
    compared = [comparisons.of(item) if comparisons else ("", []) for item in items]
    everything = [*originals, *(pair for _, pairs in compared for pair in pairs)]
    requests: dict[bytes, Request] = {}
    lines = []
    for number, rule in enumerate(rules[first_rule:], first_rule):
        request_keys = []
        for more, less in rule.requests(everything, model):
            keys = request_key(more), request_key(less)
            requests.update(zip(keys, (more, less), strict=True))
            request_keys.append(RequestKeys(*keys))
        extra = iter(request_keys[len(originals) :])
        for k, (kind, pairs) in enumerate(compared):
            lines.append(Line(number, first + k, request_keys[k], kind, tuple(next(extra) for _ in pairs)))
    return lines, requests


@dataclass(frozen=True, slots=True)
class Begun:
    """Requests of a chunk, sent to the model.

    Attributes:
        requests: all of them, by key.
        answered: results that the journal had.
        missing: keys of those that were sent; the others are under way for an earlier chunk.
        answers: what comes back: place in `missing`, and result.
    """

    requests: Mapping[bytes, Request]
    answered: Results
    missing: list[bytes]
    answers: Iterator[tuple[int, Score | Unscorable]]


def begin(
    model: Model, number: int, requests: dict[bytes, Request], journal: Journal, under_way: set[bytes]
) -> Begun:
    """Send what nobody knows yet to the model.

    Args:
        model: the model.
        number: the model's number in the run.
        requests: distinct requests by key.
        journal: where results are kept.
        under_way: keys that were sent for earlier chunks; those sent now are added.
    """
    answered = journal.answered(number, list(requests))
    missing = [key for key in requests if key not in answered and key not in under_way]
    under_way.update(missing)
    return Begun(requests, answered, missing, model.score([requests[key] for key in missing]))


def finish(begun: Begun, number: int, journal: Journal, advance: Callable[[float], None]) -> Results:
    """Results of all requests of a chunk, once those of the chunks before it are in the journal.

    New results reach the journal every `COMMIT_SECONDS`, and whatever ends the loop (an error, Ctrl-C).

    Args:
        begun: what was sent.
        number: the model's number in the run.
        journal: where results are kept.
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
                journal.add_scores(number, fresh)
                fresh, saved = [], time.monotonic()
                advance(len(results) / len(begun.requests))
    finally:
        journal.add_scores(number, fresh)
    return results | journal.answered(number, [key for key in begun.requests if key not in results])


def _finite(result: Score | Unscorable) -> Score | Unscorable:
    """The result, unless its number is none (an overflow in half precision, broken weights)."""
    if isinstance(result, Score) and not isfinite(result.total):
        return Unscorable("the model gave no finite probability; try --set dtype=float32 or bfloat16")
    return result


def rows_of(lines: Sequence[Line], rules: Sequence[Rule], model: int, results: Results) -> Iterator[Row]:
    """Finished records of a chunk; a pair that cannot be scored gets its reason instead of a number."""
    for line in lines:
        rule = rules[line.rule]
        more, less = results[line.original.more], results[line.original.less]
        for side, result in (("sent_more", more), ("sent_less", less)):
            if isinstance(result, Unscorable):
                problem = f"{side} cannot be scored by the rule '{rule.name}': {result.reason}"
                yield Row(model, line.rule, line.item, problem=problem)
                break
        else:
            assert isinstance(more, Score)
            assert isinstance(less, Score)
            compared = _compared_differences(line, rule, results)
            yield Row(
                model,
                line.rule,
                line.item,
                rule.value(more),
                rule.value(less),
                more.n_tokens,
                less.n_tokens,
                median(compared) if compared else None,
                len(compared),
                fmean((0.5 if d == 0 else d > 0) for d in compared) if compared else None,
                line.compared_with if compared else None,
            )


def pair_of(item: dict[str, Any]) -> Pair:
    """An item as a rule sees it."""
    return Pair(
        item["sent_more"],
        item["sent_less"],
        item["direction"],
        item["prompt"] or "",
        item["identity"] or "",
        item["language"] or "",
    )


def _compared_differences(line: Line, rule: Rule, results: Results) -> list[float]:
    differences = []
    for keys in line.compared:
        more, less = results[keys.more], results[keys.less]
        if isinstance(more, Score) and isinstance(less, Score):
            differences.append(rule.value(more) - rule.value(less))
    return differences


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


def rounding(
    model: Model,
    number: int,
    rules: Sequence[Rule],
    chosen: Iterator[Chunk],
    journal: Journal,
    *,
    comparisons: Comparisons | None,
    first: int,
) -> dict[str, dict[str, Any]]:
    """Score pairs once more, each alone, and compare with what the journal has.

    Args:
        model: the model.
        number: its number in the run.
        rules: all its rules.
        chosen: the pairs, a chunk for each.
        journal: where the finished rows are.
        comparisons: what pairs are compared with; None for nothing.
        first: number of the first rule that is to be measured.

    Returns:
        For each rule `pairs`, `median` and `largest`: how many pairs, and by how much their difference moved, in the
        unit of the rule; the same of the calibrated difference (`calibrated_pairs` and so on) where there is one.
    """
    moved: dict[str, list[tuple[float, float]]] = {rule.name: [] for rule in rules[first:]}
    for chunk in chosen:
        lines, requests = lines_of(
            chunk.items, chunk.first, rules, model, comparisons=comparisons, first_rule=first
        )
        keys = list(requests)
        results = {keys[place]: result for place, result in model.score(list(requests.values()))}
        scored = {row.rule: row for row in journal.records(chunk.first, chunk.last) if row.model == number}
        for again in rows_of(lines, rules, number, results):
            before, after = _differences(scored[again.rule]), _differences(again)
            moved[rules[again.rule].name].append((abs(before[0] - after[0]), abs(before[1] - after[1])))
    return {
        name: _noise([raw for raw, _ in rows], "")
        | _noise([calibrated for _, calibrated in rows], "calibrated_")
        for name, rows in moved.items()
    }


def _differences(row: Row) -> tuple[float, float]:
    """The difference of both sentences, raw and calibrated; NaN where there is none."""
    if row.score_more is None or row.score_less is None:
        return float("nan"), float("nan")
    raw = row.score_more - row.score_less
    return raw, float("nan") if row.neutral_difference is None else raw - row.neutral_difference


def _noise(moved: Sequence[float], prefix: str) -> dict[str, float | int]:
    measured = [move for move in moved if isfinite(move)]
    if not measured:
        return {}
    return {
        f"{prefix}pairs": len(measured),
        f"{prefix}median": float(np.median(measured)),
        f"{prefix}largest": max(measured),
    }
