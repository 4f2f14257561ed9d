"""Where an answer from a server of the user's own is to end: at the first sign of a new question.

A base model behind a server seldom ends its answer and goes on with questions of its own. Stop sequences save their
tokens, but they would also cut thoughts, and some servers refuse the field. One trial question shows both.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from endoxa.errors import UserError
from endoxa.models.chat.thoughts import part_thoughts
from endoxa.models.retrying import TransientError
from endoxa.schema import ChatModel, Message, Sampling
from endoxa.schema.finish import STOP

FIELD = "stop"
"""Name of the field in OpenAI's interface, which takes at most four texts."""
TOKENS = 64
"""Enough for a sum; whoever needs more may be thinking without a mark."""
SECONDS = 60.0
"""Whoever takes longer is sent no stop sequences: the run itself waits for slow servers."""


@dataclass(frozen=True, slots=True)
class Ending:
    """What a trial of stop sequences showed.

    Attributes:
        stops: texts at which answers end; none where the server refuses them, or the model thinks or may be thinking.
        reason: what is said of it.
    """

    stops: tuple[str, ...]
    reason: str


async def try_stops(model: ChatModel, sampling: Sampling, seed: int, stops: Sequence[str]) -> Ending:
    """Ask a sum with stop sequences, after an example by which a base model goes on with a next sum.

    Args:
        model: a model on a server.
        sampling: how the run draws.
        seed: a seed of the run.
        stops: signs of a new question; at the first of them the example begins.
    """
    label = stops[0].strip()
    question = Message("user", f"{label} 1 + 1 = ?\n2\n\n{label} 2 + 2 = ?")
    trial = replace(with_stops(sampling, stops), max_tokens=TOKENS, answer_schema=None)
    try:
        async with asyncio.timeout(SECONDS):
            answer = await model.ask([question], trial.with_seed(seed))
    except TimeoutError:
        return _without(model, f"a trial question with them was not answered within {SECONDS:g} seconds")
    except (UserError, TransientError) as problem:
        return _without(model, f"a trial question with them failed: {str(problem).rstrip('.')}")
    if answer.error:
        return _without(model, f"a trial question with them failed: {answer.error.rstrip('.')}")
    parted = part_thoughts(answer.text)
    if bool(
        answer.reasoning or answer.usage.reasoning_tokens or parted.reasoning or parted.text != answer.text
    ):
        return _without(model, "the model thinks before it answers, and they could cut its thoughts")
    if answer.finish != STOP:
        return _without(
            model, "its answer to a trial question did not end, so that it may be thinking unmarked"
        )
    texts = ", ".join(f'"{stop.strip()}"' for stop in stops)
    return Ending(
        tuple(stops),
        f"{model.name}: answers end where a line begins with {texts} (stop sequences; --extra '{{\"stop\": null}}' "
        "leaves them out).",
    )


def with_stops(sampling: Sampling, stops: Sequence[str]) -> Sampling:
    """The same draw, ended at these texts; as it is where there are none."""
    return replace(sampling, extra={**sampling.extra, FIELD: list(stops)}) if stops else sampling


def _without(model: ChatModel, reason: str) -> Ending:
    return Ending((), f"{model.name}: no stop sequences are sent: {reason}.")
