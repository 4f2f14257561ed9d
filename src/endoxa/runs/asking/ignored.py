"""Settings of the draw that a server takes and ignores: temperature and seed, found out by asking twice.

Servers answer 200 whatever a request holds; `transformers serve`, for one, takes neither temperature nor seed from it.
A run there looks as if it had the temperature and the seeds that were asked for.
"""

from __future__ import annotations

import asyncio

from endoxa.errors import UserError
from endoxa.models.retrying import TransientError
from endoxa.schema import ChatAnswer, ChatModel, Message, Sampling

QUESTION = (Message("user", "Write ten random words, separated by commas. Begin with the first word."),)
"""Answers to it differ nearly surely wherever tokens are drawn."""
TOKENS = 32
SECONDS = 60.0
"""Whoever takes longer is not tried out: the run itself waits for slow servers."""
LOWEST = 0.5
"""Temperature below which equal answers are no sign that it was ignored."""


async def ignored_settings(model: ChatModel, sampling: Sampling, seed: int) -> str:
    """What is said of settings that a server ignores; empty where none is, or where it cannot be told.

    One question is asked twice with one seed, and where tokens are drawn once more with another seed.

    Args:
        model: the model.
        sampling: how the run draws.
        seed: a seed of the run.
    """
    drawn = Sampling(
        temperature=sampling.temperature, top_p=sampling.top_p, max_tokens=TOKENS, extra=sampling.extra
    )
    try:
        async with asyncio.timeout(SECONDS):
            first, again = [await _answer_text(model, drawn, seed) for _ in range(2)]
            if not first or not again:
                return ""
            if first != again:
                return _other_answer(model.name, sampling)
            hot = sampling.temperature is not None and sampling.temperature >= LOWEST
            if hot and await _answer_text(model, drawn, seed + 1) == first:
                return (
                    f"{model.name}: the server gave the same answer to one question with two seeds at temperature "
                    f"{sampling.temperature:g}: it seems to ignore temperature and seed. Repeats may all be alike, and "
                    "results are those of the server's own settings."
                )
    except (TimeoutError, UserError, TransientError):
        return ""
    return ""


def _other_answer(name: str, sampling: Sampling) -> str:
    """What is said where the same request got two answers."""
    if sampling.temperature == 0:
        return (
            f"{name}: the server gave two answers to one question at temperature 0: it ignores the temperature, or its "
            "answers depend on what else it computes. The run cannot be repeated exactly."
        )
    return (
        f"{name}: the server gave two answers to one question with the same seed: it ignores the seed, or its answers "
        "depend on what else it computes. The run cannot be repeated exactly."
    )


async def _answer_text(model: ChatModel, sampling: Sampling, seed: int) -> str:
    answer: ChatAnswer = await model.ask(QUESTION, sampling.with_seed(seed))
    return answer.reasoning + answer.text
