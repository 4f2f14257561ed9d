"""A trial question to servers of the user's own before a run: where answers can end.

Nobody knows what stands behind such an address, and asking there costs nothing.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable, Sequence
from dataclasses import replace

from endoxa.errors import UserError
from endoxa.models.chat import ChatSpec, open_chat
from endoxa.models.chat.presets import price_of
from endoxa.models.chat.thoughts import part_thoughts
from endoxa.models.retrying import TransientError
from endoxa.runs.asking.settings import ChatRunSettings
from endoxa.schema import ChatModel, Message, Sampling
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


log = logging.getLogger(__name__)


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
    for spec in specs:
        if not spec.host.user_server or price_of(spec, settings.price) is not None:
            continue
        reason = asyncio.run(_try(spec, settings, signs))
        log.warning("%s: %s.", spec.text, f"no stop sequences are sent: {reason}" if reason else decided)
        stops[spec.text] = () if reason else signs
    return stops


async def _try(spec: ChatSpec, settings: ChatRunSettings, signs: Sequence[str]) -> str:
    """See `why_no_stops`; nothing is asked again."""
    model = open_chat(spec, replace(settings.options, attempts=1, patience=0.0), lambda *_: None)
    try:
        return await why_no_stops(model, settings.sampling, settings.seed, signs)
    finally:
        await model.close()
