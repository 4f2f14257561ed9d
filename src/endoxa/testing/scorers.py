"""The battery that every scoring rule must pass, ours and others'."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from endoxa.schema import ARCHITECTURES, Model, Pair, Rule, Score, Unscorable

UNITS = ("nats", "nats per token")
TOLERANCE = 1e-4
"""Nats by which a score may differ when other sentences share its batch."""


def check_rule(rule: Rule, model: Model, pairs: Sequence[Pair]) -> None:
    """Raise AssertionError where a rule breaks a promise that the probe room relies on.

    Args:
        rule: the rule under test.
        model: a model of the rule's architecture.
        pairs: at least three different pairs of at least four words each, the first with different sentences.
    """
    assert rule.unit in UNITS, f"{rule.name}: its unit must be one of {UNITS}"
    assert rule.architecture in ARCHITECTURES, f"{rule.name}: unknown architecture"
    assert rule.summary, f"{rule.name}: needs a summary"
    assert rule.source, f"{rule.name}: needs a source"
    assert rule.architecture == model.architecture, "give check_rule a model of the rule's architecture"
    scores = score_pairs(rule, model, pairs)
    assert scores == score_pairs(rule, model, pairs), f"{rule.name}: the same input twice gives other scores"
    backwards = score_pairs(rule, model, pairs[::-1])[::-1]
    assert _close(scores, backwards), f"{rule.name}: scores depend on the order of the rows"
    alone = [score_pairs(rule, model, [pair])[0] for pair in pairs]
    assert _close(scores, alone), f"{rule.name}: scores depend on the other rows of the batch"
    assert all(value <= 0 for score in scores for value in score), (
        f"{rule.name}: a log-probability is above zero"
    )
    assert rule.requests([], model) == [], f"{rule.name}: an empty table must give no request"
    assert list(model.score([])) == [], f"{rule.name}: no request must give no score"
    # Identical sentences have identical scores, to the last bit, whatever stands beside them.
    text, prompt = pairs[0].sent_more, pairs[0].prompt
    tied = Pair(text, text, "stereo", prompt)
    for batch in ([tied], [*pairs, tied], [tied, *pairs[::-1]]):
        more, less = score_pairs(rule, model, batch)[batch.index(tied)]
        assert more == less, f"{rule.name}: identical sentences have different scores"
    _check_refusals(rule, model)


def score_pairs(rule: Rule, model: Model, pairs: Sequence[Pair]) -> list[tuple[float, float]]:
    """Score of both sentences of each pair, without journal or chunks.

    Raises:
        ValueError: a sentence cannot be scored.
    """
    requests = [request for pair_requests in rule.requests(pairs, model) for request in pair_requests]
    scores: dict[int, float] = {}
    for index, result in model.score(requests):
        if isinstance(result, Unscorable):
            raise ValueError(  # noqa: TRY004 - the value is at fault, not its type
                f"pair {index // 2} cannot be scored: {result.reason}"
            )
        scores[index] = rule.value(result)
    assert len(scores) == len(requests), f"{rule.name}: some requests have no answer"
    return [(scores[2 * k], scores[2 * k + 1]) for k in range(len(pairs))]


def _check_refusals(rule: Rule, model: Model) -> None:
    """Nothing scored is an error, never zero; a sentence that is no text is refused."""
    try:
        value = rule.value(Score(0.0, 0))
    except ValueError:
        pass
    else:
        raise AssertionError(f"{rule.name}: nothing scored must raise ValueError, not give {value}")
    wrong: Any = Pair(None, 3)  # type: ignore[arg-type]
    try:
        requests = [request for pair_requests in rule.requests([wrong], model) for request in pair_requests]
        results = list(model.score(requests))
    except (TypeError, ValueError, AttributeError):
        return
    raise AssertionError(f"{rule.name}: a sentence that is no text must be refused, not scored ({results})")


def _close(first: Sequence[tuple[float, float]], second: Sequence[tuple[float, float]]) -> bool:
    return all(
        abs(a - b) <= TOLERANCE for x, y in zip(first, second, strict=True) for a, b in zip(x, y, strict=True)
    )
