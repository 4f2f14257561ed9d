"""One chunk of items under one model: requests, answers, finished rows."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from statistics import fmean, median
from typing import Any

from endoxa.instruments.pairs.probe.calibration import Comparisons
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
        return Unscorable("the model gave no finite probability; try --dtype float32 or bfloat16")
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
