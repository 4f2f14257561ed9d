"""A chat model behind a provider's interface: rate limits, one call, a look at what came, and again where it failed."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from functools import partial
from typing import Any, TypeVar

from endoxa.errors import UserError
from endoxa.models.addresses import Addresses, Outcome, addresses_fact, silent_warning
from endoxa.models.chat.failures import blames_server, judge
from endoxa.models.chat.limits import RateLimits, estimate_tokens
from endoxa.models.chat.service import ChatService, Lost, Request, UnusableError
from endoxa.models.chat.spec import ChatOptions, ChatSpec
from endoxa.models.clients import shown
from endoxa.models.retrying import (
    CHECK_PATIENCE,
    REFUSED_TEXTS,
    SLOW,
    Failure,
    Retrier,
    SilentError,
    TransientError,
    read_failure,
)
from endoxa.schema import ChatAnswer, Message, Sampling

T = TypeVar("T")

log = logging.getLogger(__name__)

EMPTY_TRIES = 5
"""How often an empty answer is asked for again before it counts as the answer."""
AWAKE = 5
"""A call may take this many times the timeout in all: some providers keep a connection awake with blank lines."""
LIST_SECONDS = 60.0
"""Most seconds for the list of models."""
SMALL_QUESTION = (Message("user", "Say yes."),)
"""Asked to learn whether a provider answers at all."""
SHOWN = 5


class RemoteModel:
    """See `endoxa.schema.ChatModel`.

    Args:
        spec: the model.
        services: its provider's interface, at each address of the model.
        keys: the key at each address, to keep parts of it out of every message.
        options: limits and patience.
        lost: see `endoxa.models.chat.service.Lost`.
    """

    def __init__(
        self,
        spec: ChatSpec,
        services: Sequence[ChatService],
        keys: Sequence[str],
        options: ChatOptions,
        lost: Lost,
    ) -> None:
        self._spec, self._keys, self._options, self._lost = spec, keys, options, lost
        self._services, self._service = services, services[0]
        self._addresses = Addresses([address_spec.base_url for address_spec in spec.at_each])
        self._limits = RateLimits(options.requests_per_minute, options.tokens_per_minute)
        self._retrier = Retrier(_who(spec), options.attempts, options.patience)
        self._trying_out = asyncio.Lock()
        self._notice = ""

    @property
    def name(self) -> str:
        """See `ChatModel.name`."""
        return self._spec.text

    def describe(self) -> Mapping[str, Any]:
        """See `ChatModel.describe`."""
        return {
            "name": self._spec.text,
            "kind": self._spec.kind,
            "provider": self._spec.provider,
            "server": self._spec.where,
            "served_name": self._spec.served_name,
            "revision": None,
            **self._service.describe(),
            **addresses_fact(self._addresses.counts()),
        }

    async def check(self) -> None:
        """See `ChatModel.check`; a model that is in no provider's list is asked a first question.

        Some of several addresses may be silent; one that lists other models than the others is refused.
        """
        # Retriers of their own: what is answered here was not asked with the settings of the run.
        patience = min(CHECK_PATIENCE, self._options.patience)
        retriers = [
            Retrier(_who(address_spec), self._options.attempts, patience)
            for address_spec in self._spec.at_each
        ]
        looks = [retrier.run(partial(self._listed, place)) for place, retrier in enumerate(retriers)]
        outcomes = await asyncio.gather(*looks, return_exceptions=True)
        lists = _of_those_that_answer(outcomes)
        silent = [url for place, url in enumerate(self._addresses.urls) if place not in lists]
        self._notice = silent_warning(silent, len(lists)) if silent else ""
        name = self._spec.served_name
        without = {place: names for place, names in lists.items() if names is not None and name not in names}
        for place, names in without.items():
            if any(names is not None and name in names for names in lists.values()):
                raise UserError(
                    f"The model '{self._spec.text}': {self._addresses.urls[place]} does not serve '{name}', as another "
                    f"address does. It has: {', '.join(names[:SHOWN]) or 'no model'}."
                )
            await self._try_out(place, names, retriers[place])

    async def _try_out(self, place: int, listed: Sequence[str], retrier: Retrier) -> None:
        """Ask a first question at an address that lists other models: the name may be an alias.

        Raises:
            UserError: it is not answered.
        """
        sampling = Sampling(temperature=None, max_tokens=16)
        request = self._service.request(SMALL_QUESTION, sampling)

        async def ask() -> None:
            sent = await self._sent(place, request)
            if isinstance(sent, Failure):
                judge(sent, self._spec, worked=False)
            else:
                self._lost(SMALL_QUESTION, sampling, sent.usage)

        try:
            await retrier.run(ask)
        except UserError as problem:
            near = get_close_matches(self._spec.served_name, listed, n=SHOWN) or listed[:SHOWN]
            hint = f" It lists: {', '.join(near) or 'no model'}."
            raise type(problem)(f"{problem}{hint}") from None

    async def _listed(self, place: int) -> list[str] | None:
        """Names of the models to be had at an address, or None where it does not list them."""
        try:
            async with asyncio.timeout(min(LIST_SECONDS, self._options.timeout)):
                return await self._services[place].models()
        except TimeoutError:
            raise TransientError("the list of models did not come") from None
        except self._service.problems as problem:
            failure = self._failure(place, problem)
            # `transformers serve` answers 500 where it has no folder to list, and answers questions all the same.
            if failure.status in {404, 405, 500, 501}:
                return None
            judge(failure, self._spec, worked=False)
            return None
        except (ValueError, TypeError, AttributeError):
            # The client builds whatever came into its own types, so a page that is no list can fail anywhere.
            return None

    async def ask(
        self, messages: Sequence[Message], sampling: Sampling, told: Mapping[str, Any] | None = None
    ) -> ChatAnswer:
        """See `ChatModel.ask`."""
        del told  # for simulated respondents only
        if self._notice:  # said where work begins: a run checks its models more than once
            log.warning("%s", self._notice)
            self._notice = ""
        request = self._service.request(messages, sampling)
        estimate = estimate_tokens(messages)
        empty = failures = 0

        async def once() -> ChatAnswer:
            nonlocal empty, failures
            await self._limits.enter(estimate)
            try:
                answer = await self._answer(messages, request, sampling)
            except TransientError as problem:
                if problem.billed:
                    self._lost(messages, sampling, None)
                failures += not problem.slow_down
                if failures >= self._options.attempts or self._retrier.silent:
                    await self._answers_at_all(sampling)
                raise
            self._limits.settle(estimate, answer.usage)
            if not answer.text and not answer.refused and not answer.error and answer.finish != "length":
                empty += 1
                if empty < EMPTY_TRIES:
                    self._lost(messages, sampling, answer.usage)
                    raise TransientError("the answer was empty")
            return answer

        try:
            return await self._retrier.run(once)
        except TransientError as problem:
            return ChatAnswer("", finish="error", error=f"failed {failures} times: {problem}")

    async def _answer(self, messages: Sequence[Message], request: Request, sampling: Sampling) -> ChatAnswer:
        """One attempt.

        Raises:
            TransientError: try again.
            UserError: no request will be answered.
        """
        sent = await self._send(request)
        if isinstance(sent, ChatAnswer):
            return sent
        try:
            answer = judge(sent, self._spec, worked=self._retrier.worked)
        except UserError:
            if sent.status not in REFUSED_TEXTS or not await self._answers_at_all(sampling):
                raise
            answer = judge(sent, self._spec, worked=True)
        if sent.billed:
            self._lost(messages, sampling, None)
        return answer

    async def _answers_at_all(self, sampling: Sampling) -> bool:
        """Whether a small question is answered with the same settings: then a failure blames its own request."""
        failed = self._retrier.now()
        async with self._trying_out:
            if self._retrier.answered_since(failed):
                return True
            if self._retrier.over:
                return False
            await self._limits.enter(estimate_tokens(SMALL_QUESTION))
            sent = await self._send(self._service.request(SMALL_QUESTION, sampling), self._options.patience)
            answered = isinstance(sent, ChatAnswer)
            if answered:
                self._retrier.note_success()
        if isinstance(sent, ChatAnswer):
            self._lost(SMALL_QUESTION, sampling, sent.usage)
        elif sent.billed:
            self._lost(SMALL_QUESTION, sampling, None)
        return answered

    async def _send(self, request: Request, patience: float = math.inf) -> ChatAnswer | Failure:
        """What comes of a request at the address with least to do, waited for no longer than `patience` seconds."""
        place = self._addresses.choose(self._retrier.now())
        outcome: Outcome = "dropped"
        wait = None
        try:
            sent = await self._sent(place, request, patience)
            outcome = "answered"
            if isinstance(sent, Failure) and blames_server(sent):
                outcome, wait = "failed", sent.wait
                if self._addresses.others_ready(place, self._retrier.now()):
                    return replace(
                        sent, wait=None
                    )  # that one address asks to wait is no reason not to ask another
            return sent
        finally:
            self._addresses.done(place, outcome, self._retrier.now(), wait)

    async def _sent(self, place: int, request: Request, patience: float = math.inf) -> ChatAnswer | Failure:
        """What comes of a request at one address."""
        service = self._services[place]
        try:
            async with asyncio.timeout(min(AWAKE * self._options.timeout, patience)):
                return service.read(await service.send(request))
        except TimeoutError:
            return Failure(0, SLOW, billed=True)
        except UnusableError as problem:
            return Failure(0, shown(f"the answer cannot be read: {problem}", self._keys[place]), billed=True)
        except service.problems as problem:
            return self._failure(place, problem)

    def _failure(self, place: int, problem: Exception) -> Failure:
        return replace(read_failure(problem, self._keys[place]), where=self._addresses.urls[place])

    async def close(self) -> None:
        """See `ChatModel.close`."""
        for service in self._services:
            await service.close()


def _of_those_that_answer(outcomes: Sequence[T | BaseException]) -> dict[int, T]:
    """What came from each address that answers, by its place.

    Raises:
        UserError: a refusal, or no address answers.
    """
    silent = [place for place, outcome in enumerate(outcomes) if isinstance(outcome, SilentError)]
    for place, outcome in enumerate(outcomes):
        if isinstance(outcome, BaseException) and (place not in silent or len(silent) == len(outcomes)):
            raise outcome
    return {
        place: outcome for place, outcome in enumerate(outcomes) if not isinstance(outcome, BaseException)
    }


def _who(spec: ChatSpec) -> str:
    return f"The model '{spec.text}' at {spec.where}"
