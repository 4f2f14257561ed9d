"""Pseudo-log-likelihood: every token of the sentence masked in turn."""

from __future__ import annotations

from collections.abc import Sequence

from endoxa.probe.rules.encoding import encode
from endoxa.probe.rules.values import per_token, total
from endoxa.schema import MaskedRequest, Model, Pair, Request, Rule


def _requests(pairs: Sequence[Pair], model: Model) -> list[tuple[Request, Request]]:
    texts = [text for pair in pairs for text in (pair.sent_more, pair.sent_less)]
    requests: list[Request] = [
        MaskedRequest(sentence.ids, tuple((position,) for position in sentence.positions))
        for sentence in encode(model, texts)
    ]
    return list(zip(requests[::2], requests[1::2], strict=True))


RULES = (
    Rule(
        "pll",
        "masked",
        "nats",
        "every token masked in turn, summed",
        "Salazar et al. 2020, eq. 1; AfriStereo 5.3 (masked models)",
        _requests,
        total,
    ),
    Rule(
        "pll-mean",
        "masked",
        "nats per token",
        "as pll, per token",
        "Salazar et al. 2020",
        _requests,
        per_token,
    ),
)
