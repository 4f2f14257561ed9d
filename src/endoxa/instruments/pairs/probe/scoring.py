"""One chunk of items under one model: requests, answers, finished rows.

With neutral identities, the score of an attribute alone is measured as well. "Fishermen are brave" may score higher
than "Fishermen are timid" only because *brave* is the more frequent, shorter or un-negated word. The same two
sentences about no particular group ("People are brave" / "People are timid") measure that part; subtracting it leaves
the association with the identity. The two sentences of the pair must name the same identity and differ in the
attribute.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

from endoxa.instruments.pairs.probe.records import Journal, Row, request_key
from endoxa.runs.journal import COMMIT_SECONDS
from endoxa.schema import Model, Pair, Request, Rule, Score, Unscorable
from endoxa.words.people import neutral_identities


def neutral_pairs(item: Mapping[str, Any]) -> list[Pair]:
    """The pair with each neutral identity of its language in the place of its own.

    Empty where the item names no identity or attributes, where the identity does not stand in both sentences, or
    where the language has no neutral identities.

    Args:
        item: a row with the columns of `schema.PAIR_COLUMNS`.
    """
    identity = item["identity"]
    if not identity or not item["attribute_more"] or not item["attribute_less"]:
        return []
    pairs = []
    for phrase in neutral_identities(item["language"].split("-")[0], item["agreement"] or ""):
        more, less = (replace_identity(item[side], identity, phrase) for side in ("sent_more", "sent_less"))
        if more is None or less is None or more == less:
            return []
        prompt = item["prompt"] or ""
        neutral_prompt = replace_identity(prompt, identity, phrase) or prompt
        pairs.append(Pair(more, less, item["direction"], neutral_prompt, phrase, item["language"] or ""))
    return pairs


def replace_identity(text: str, identity: str, phrase: str) -> str | None:
    """`text` with `phrase` for `identity` (any case, whole words), or None where it is not there.

    A capital first letter of the identity at the start of the text is carried over.
    """
    pattern = re.compile(rf"(?<!\w){re.escape(identity)}(?!\w)", re.IGNORECASE)

    def put(match: re.Match[str]) -> str:
        starts = not text[: match.start()].strip("¿¡\"'«“ ")
        return phrase[0].upper() + phrase[1:] if starts and match.group()[0].isupper() else phrase

    replaced, times = pattern.subn(put, text)
    return replaced if times else None


Results = dict[bytes, Score | Unscorable]


@dataclass(frozen=True, slots=True)
class RequestKeys:
    """A pair as one rule asks about it: the keys of its two requests."""

    more: bytes
    less: bytes


@dataclass(frozen=True, slots=True)
class Line:
    """What one item needs under one rule: itself, and itself with neutral identities."""

    rule: int
    item: int
    original: RequestKeys
    neutral: tuple[RequestKeys, ...]


def lines_of(
    items: Sequence[dict[str, Any]],
    first: int,
    rules: Sequence[Rule],
    model: Model,
    *,
    calibrate: bool,
    first_rule: int = 0,
) -> tuple[list[Line], dict[bytes, Request]]:
    """What must be known about each item under each rule from `first_rule` on, and the distinct requests behind it."""
    originals = [pair_of(item) for item in items]
    neutral = [neutral_pairs(item) if calibrate else [] for item in items]
    everything = [*originals, *(pair for pairs in neutral for pair in pairs)]
    requests: dict[bytes, Request] = {}
    lines = []
    for number, rule in enumerate(rules[first_rule:], first_rule):
        request_keys = []
        for more, less in rule.requests(everything, model):
            keys = request_key(more), request_key(less)
            requests.update(zip(keys, (more, less), strict=True))
            request_keys.append(RequestKeys(*keys))
        extra = iter(request_keys[len(originals) :])
        for k, pairs in enumerate(neutral):
            lines.append(Line(number, first + k, request_keys[k], tuple(next(extra) for _ in pairs)))
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
                yield Row(model, line.rule, line.item, None, None, 0, 0, None, 0, problem)
                break
        else:
            assert isinstance(more, Score)
            assert isinstance(less, Score)
            neutral = _neutral_differences(line, rule, results)
            yield Row(
                model,
                line.rule,
                line.item,
                rule.value(more),
                rule.value(less),
                more.n_tokens,
                less.n_tokens,
                sum(neutral) / len(neutral) if neutral else None,
                len(neutral),
                None,
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


def _neutral_differences(line: Line, rule: Rule, results: Results) -> list[float]:
    differences = []
    for keys in line.neutral:
        more, less = results[keys.more], results[keys.less]
        if isinstance(more, Score) and isinstance(less, Score):
            differences.append(rule.value(more) - rule.value(less))
    return differences
