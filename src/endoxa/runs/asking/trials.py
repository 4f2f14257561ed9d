"""Trial questions to servers of the user's own before a run: what they ignore, and where answers can end.

Nobody knows what stands behind such an address, and asking there costs nothing.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from endoxa.models.chat import ChatSpec, open_chat
from endoxa.models.chat.prices import price_of
from endoxa.runs.asking.ending import FIELD, try_stops
from endoxa.runs.asking.ignored import ignored_settings
from endoxa.runs.asking.settings import ChatRunSettings
from endoxa.schema import ChatModel

T = TypeVar("T")

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
    trial = partial(try_stops, sampling=settings.sampling, seed=settings.seed, stops=signs)
    for spec, ending in _try_each(specs, settings, trial):
        log.warning("%s", ending.reason)
        stops[spec.text] = ending.stops
    return stops


def _try_each(
    specs: Iterable[ChatSpec],
    settings: ChatRunSettings,
    trial: Callable[[ChatModel], Coroutine[Any, Any, T]],
) -> Iterator[tuple[ChatSpec, T]]:
    """What a trial shows of each model on a server of the user's own without a price; nothing is asked again."""
    hasty = replace(settings.options, attempts=1, patience=0.0)

    async def result(spec: ChatSpec) -> T:
        chat = open_chat(spec, hasty, lambda *_: None)
        try:
            return await trial(chat)
        finally:
            await chat.close()

    for spec in specs:
        if spec.host.user_server and price_of(spec, settings.price) is None:
            yield spec, asyncio.run(result(spec))
