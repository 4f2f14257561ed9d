"""What rules make of a sum of log-probabilities."""

from __future__ import annotations

from endoxa.schema import Score


def total(score: Score) -> float:
    """The sum itself, in nats."""
    _refuse_empty(score)
    return score.total


def per_token(score: Score) -> float:
    """The sum over the number of scored tokens, in nats per token."""
    _refuse_empty(score)
    return score.total / score.n_tokens


def _refuse_empty(score: Score) -> None:
    if score.n_tokens < 1:
        raise ValueError("no token was scored, so there is no score")
