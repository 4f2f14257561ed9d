"""Rules for encoder-decoders: the probability of the sentence as a completion of the item's prompt."""

from __future__ import annotations

from collections.abc import Sequence

from endoxa.probe.rules.values import per_token, total
from endoxa.schema import CompletionRequest, Model, Pair, Request, Rule


def _requests(pairs: Sequence[Pair], _model: Model) -> list[tuple[Request, Request]]:
    return [
        (CompletionRequest(pair.prompt, pair.sent_more), CompletionRequest(pair.prompt, pair.sent_less))
        for pair in pairs
    ]


RULES = (
    Rule(
        "completion",
        "encoder-decoder",
        "nats",
        "log P(sentence | prompt), end token scored, summed; the prompt is empty where the item has none",
        "AfriStereo 5.3 (encoder-decoder)",
        _requests,
        total,
    ),
    Rule(
        "completion-mean",
        "encoder-decoder",
        "nats per token",
        "as completion, per scored token",
        "IndiBias 6.1 (normalised probability, sequence-to-sequence models)",
        _requests,
        per_token,
    ),
)
