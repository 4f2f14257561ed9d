"""One model at one address or several, asked by clients of OpenAI's interface that wait where they stand."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from endoxa.models.addresses import Addresses, Outcome, silent_warning
from endoxa.models.clients import server_client
from endoxa.models.retrying import Retrier, SilentError, TransientError, for_server

if TYPE_CHECKING:
    from openai import OpenAI

P = TypeVar("P")
T = TypeVar("T")
Send = Callable[["OpenAI", str], T]
"""Makes one call with the client of an address, which is named for messages; raises TransientError where it may help
to ask again."""

log = logging.getLogger(__name__)


class Servers:
    """The addresses of one model, with a client each.

    Args:
        what: what needs them, for messages ("The model 'http://...'").
        urls: the addresses.
        keys: the key for each, or `NO_KEY`.
        is_openai: the server is OpenAI's own, which may learn of the organization.
    """

    def __init__(
        self, what: str, urls: Sequence[str], keys: Sequence[str], *, is_openai: bool = False
    ) -> None:
        """Make the clients; nothing is sent yet.

        Raises:
            UserError: a package is missing.
        """
        self.urls = tuple(urls)
        self.clients = [
            server_client(what, url, key, is_openai=is_openai) for url, key in zip(urls, keys, strict=True)
        ]
        self.retrier = for_server(self.where)
        self._addresses = Addresses(self.urls)

    @property
    def where(self) -> str:
        """All addresses, for messages and `run.json`."""
        return ",".join(self.urls)

    def counts(self) -> dict[str, dict[str, int]]:
        """See `Addresses.counts`."""
        return self._addresses.counts()

    def call(self, send: Send[T], retrier: Retrier | None = None) -> T:
        """What `send` returns at the address with least to do; where one fails, another is tried.

        Args:
            send: makes one call.
            retrier: in the place of this model's own.

        Raises:
            UserError: what `send` raises, or no address answers.
            TransientError: this call fails again and again while others are answered.
        """
        policy = retrier or self.retrier

        def once() -> T:
            with self._chosen(policy) as place:
                return send(self.clients[place], self.urls[place])

        return policy.call(once)

    @contextmanager
    def _chosen(self, policy: Retrier) -> Iterator[int]:
        """The place of the address for one attempt, whose end is noted."""
        place = self._addresses.choose(policy.now())
        outcome: Outcome = "dropped"
        wait = None
        try:
            yield place
            outcome = "answered"
        except TransientError as problem:
            outcome, wait = "failed", problem.wait
            if self._addresses.others_ready(place, policy.now()):
                problem.wait = None  # that one address asks to wait is no reason not to ask another
            raise
        finally:
            self._addresses.done(place, outcome, policy.now(), wait)

    def each(self, ask: Send[T]) -> dict[str, T]:
        """What each address answers before the work begins, by address; one that does not answer is warned of.

        Raises:
            UserError: what `ask` raises, or no address answers.
        """

        def answer_of(place: int) -> T | SilentError:
            url, client = self.urls[place], self.clients[place]
            try:
                return for_server(url, checking=True).call(lambda: ask(client, url))
            except SilentError as problem:
                return problem

        outcomes = dict(zip(self.urls, self.map(answer_of, range(len(self.urls))), strict=True))
        answers = {url: outcome for url, outcome in outcomes.items() if not isinstance(outcome, SilentError)}
        silent = {url: outcome for url, outcome in outcomes.items() if isinstance(outcome, SilentError)}
        if not answers:
            raise next(iter(silent.values()))
        if silent:
            log.warning("%s", silent_warning(list(silent), len(answers)))
        return answers

    def map(self, task: Callable[[P], T], pieces: Sequence[P]) -> Iterator[T]:
        """What a task makes of each piece, in their order; as many at once as there are addresses."""
        if len(self.urls) == 1 or len(pieces) < 2:
            yield from map(task, pieces)
            return
        with ThreadPoolExecutor(len(self.urls)) as pool:
            yield from pool.map(task, pieces)
