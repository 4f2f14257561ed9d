"""Calls of a batch interface: tried again, read, and refused with a sentence like any other call."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from endoxa.errors import UserError
from endoxa.models.chat.remote import judge, permanent
from endoxa.models.chat.spec import ChatOptions, ChatSpec, UnusableError
from endoxa.models.retrying import Failure, Retrier, TransientError, raise_if_passing, read_failure
from endoxa.schema import ChatAnswer

MAX_REQUESTS = 10_000
MAX_BYTES = 100_000_000

T = TypeVar("T")
Content = TypeVar("Content", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Line:
    """What a file of results says of one request.

    Attributes:
        name: of the request.
        answer: makes the answer of what came, or None where nothing did.
        failure: what came instead, or None.
    """

    name: str
    answer: Callable[[], ChatAnswer] | None = None
    failure: Failure | None = None


class Calls:
    """Makes calls to one provider.

    Args:
        spec: the model.
        key: the key, to keep it out of every message.
        options: attempts and patience.
        problems: what the client raises.
        worked: the same settings have been answered before, so a refusal blames its own request.
    """

    def __init__(
        self, spec: ChatSpec, key: str, options: ChatOptions, problems: type[Exception], *, worked: bool
    ) -> None:
        self._spec, self._key, self._problems, self._worked = spec, key, problems, worked
        who = f"The batch interface of '{spec.text}' at {spec.base_url}"
        self._retrier = Retrier(who, options.attempts, options.patience)

    async def run(self, send: Callable[[], Awaitable[str]], read: Callable[[str], T]) -> T:
        """Send until what comes can be read.

        Args:
            send: makes the call and returns the body of the answer.
            read: makes of it what is wanted; a ValueError means that it cannot be read.

        Raises:
            UserError: the provider refuses, has no such interface, or does not answer.
        """

        async def once() -> T:
            try:
                return read(await send())
            except self._problems as problem:
                failure = read_failure(problem, self._key)
            except ValueError:
                raise TransientError("the answer cannot be read") from None
            raise_if_passing(failure)
            raise self._refusal(failure)

        try:
            return await self._retrier.run(once)
        except TransientError as problem:
            raise UserError(
                f"The batch interface of '{self._spec.text}' fails again and again ({problem}). What was done is "
                "kept; the same command continues."
            ) from None

    def _refusal(self, failure: Failure) -> UserError:
        if failure.status in {404, 405, 501}:
            return UserError(
                f"The model '{self._spec.text}': {self._spec.base_url} has no batch interface, or does not have that "
                f"batch ({failure.words}). Leave out --batch to ask one by one."
            )
        return permanent(failure, self._spec)

    async def answers(self, lines: Iterable[Line]) -> AsyncIterator[tuple[str, ChatAnswer | None]]:
        """Name and answer of each line of a file of results.

        Raises:
            UserError: every request of the batch was refused for good.
        """
        several = list(lines)
        worked = self._worked or any(line.answer is not None for line in several)
        for line in several:
            yield line.name, self._answer(line, worked=worked)

    def _answer(self, line: Line, *, worked: bool) -> ChatAnswer | None:
        try:
            if line.answer is not None:
                return line.answer()
            return None if line.failure is None else judge(line.failure, self._spec, worked=worked)
        except (TransientError, UnusableError):
            return None


def reader(form: type[Content]) -> Callable[[str], Content]:
    """Reads JSON of a given form; ValueError where it is not."""

    def read(text: str) -> Content:
        try:
            return form.model_validate_json(text)
        except ValidationError as problem:
            raise ValueError("not of the form") from problem

    return read


def read_lines(text: str) -> list[dict[str, Any]]:
    """Reads JSON lines; ValueError where one is cut or is no object."""
    lines = [json.loads(line) for line in text.splitlines() if line.strip()]
    if not all(isinstance(line, dict) and "custom_id" in line for line in lines):
        raise ValueError("not lines of results")
    return lines
