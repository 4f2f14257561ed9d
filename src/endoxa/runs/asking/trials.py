"""Trial questions to servers of the user's own before a run: what they ignore, and where answers can end.

Nobody knows what stands behind such an address, and asking there costs nothing.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from endoxa.errors import UserError
from endoxa.models.chat import open_chat
from endoxa.models.chat.presets import price_of
from endoxa.models.chat.spec import ChatSpec
from endoxa.models.chat.thoughts import part_thoughts
from endoxa.models.retrying import TransientError
from endoxa.runs.asking.settings import ChatRunSettings
from endoxa.schema import ChatAnswer, ChatModel, Message, Sampling
from endoxa.schema.finish import STOP

FIELD = "stop"
"""Name of the field in OpenAI's interface, which takes at most four texts."""
STOP_TOKENS = 64
"""Enough for a sum; whoever needs more may be thinking without a mark."""
TRIAL_SECONDS = 60.0
"""Whoever takes longer is not tried out: the run itself waits for slow servers."""


async def why_no_stops(model: ChatModel, sampling: Sampling, seed: int, stops: Sequence[str]) -> str:
    """Why stop sequences are not sent to a model, as the end of a sentence; empty where they are.

    A sum is asked with them, after an example by which a base model goes on with a next sum. They are not sent where
    the server refuses them, or where the model thinks or may be thinking.

    Args:
        model: a model on a server.
        sampling: how the run draws.
        seed: a seed of the run.
        stops: signs of a new question; at the first of them the example begins.
    """
    label = stops[0].strip()
    question = Message("user", f"{label} 1 + 1 = ?\n2\n\n{label} 2 + 2 = ?")
    trial = replace(with_stops(sampling, stops), max_tokens=STOP_TOKENS, answer_schema=None)
    try:
        async with asyncio.timeout(TRIAL_SECONDS):
            answer = await model.ask([question], trial.with_seed(seed))
    except TimeoutError:
        return f"a trial question with them was not answered within {TRIAL_SECONDS:g} seconds"
    except (UserError, TransientError) as problem:
        return f"a trial question with them failed: {str(problem).rstrip('.')}"
    if answer.error:
        return f"a trial question with them failed: {answer.error.rstrip('.')}"
    parted = part_thoughts(answer.text)
    if answer.reasoning or answer.usage.reasoning_tokens or parted.reasoning or parted.text != answer.text:
        return "the model thinks before it answers, and they could cut its thoughts"
    if answer.finish != STOP:
        return "its answer to a trial question did not end, so that it may be thinking unmarked"
    return ""


def with_stops(sampling: Sampling, stops: Sequence[str]) -> Sampling:
    """The same draw, ended at these texts; as it is where there are none."""
    return replace(sampling, extra={**sampling.extra, FIELD: list(stops)}) if stops else sampling


QUESTION = (Message("user", "Write ten random words, separated by commas. Begin with the first word."),)
"""Answers to it differ nearly surely wherever tokens are drawn."""
SAMPLE_TOKENS = 32
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
        temperature=sampling.temperature, top_p=sampling.top_p, max_tokens=SAMPLE_TOKENS, extra=sampling.extra
    )
    try:
        async with asyncio.timeout(TRIAL_SECONDS):
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
    how, setting = (
        ("at temperature 0", "temperature") if sampling.temperature == 0 else ("with the same seed", "seed")
    )
    return (
        f"{name}: the server gave two answers to one question {how}: it ignores the {setting}, or its answers depend "
        "on what else it computes. The run cannot be repeated exactly."
    )


async def _answer_text(model: ChatModel, sampling: Sampling, seed: int) -> str:
    answer: ChatAnswer = await model.ask(QUESTION, sampling.with_seed(seed))
    return answer.reasoning + answer.text


log = logging.getLogger(__name__)


def warn_of_ignored_settings(specs: Iterable[ChatSpec], settings: ChatRunSettings) -> None:
    """Warn of temperature and seeds that a server of the user's own ignores.

    Args:
        specs: models; those elsewhere are left alone.
        settings: the run.
    """
    trial = partial(ignored_settings, sampling=settings.sampling, seed=settings.seed)
    for _, warning in _try_each(specs, settings, trial):
        if warning:
            log.warning("%s", warning)


def find_stops(
    specs: Iterable[ChatSpec], settings: ChatRunSettings, signs: tuple[str, ...]
) -> dict[str, tuple[str, ...]]:
    """Where answers of models on servers of the user's own end, by model; what was decided is said.

    Nothing is tried where the user says where answers end, or how hard the model is to think.

    Args:
        specs: models; those elsewhere are left alone.
        settings: the run.
        signs: how a new question begins.
    """
    if not signs or FIELD in settings.sampling.extra or settings.sampling.reasoning is not None:
        return {}
    stops = {}
    texts = ", ".join(f'"{sign.strip()}"' for sign in signs)
    decided = (
        f"answers end where a line begins with {texts} (stop sequences; --set extra='{{\"stop\": null}}' leaves them "
        "out)"
    )
    trial = partial(why_no_stops, sampling=settings.sampling, seed=settings.seed, stops=signs)
    for spec, reason in _try_each(specs, settings, trial):
        log.warning("%s: %s.", spec.text, f"no stop sequences are sent: {reason}" if reason else decided)
        stops[spec.text] = () if reason else signs
    return stops


def _try_each(
    specs: Iterable[ChatSpec],
    settings: ChatRunSettings,
    trial: Callable[[ChatModel], Coroutine[Any, Any, str]],
) -> Iterator[tuple[ChatSpec, str]]:
    """What a trial shows of each model on a server of the user's own without a price; nothing is asked again."""
    hasty = replace(settings.options, attempts=1, patience=0.0)

    async def result(spec: ChatSpec) -> str:
        chat = open_chat(spec, hasty, lambda *_: None)
        try:
            return await trial(chat)
        finally:
            await chat.close()

    for spec in specs:
        if spec.host.user_server and price_of(spec, settings.price) is None:
            yield spec, asyncio.run(result(spec))
