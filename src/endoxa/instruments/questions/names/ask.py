"""Requests to a chat model for the gender of people whose gender the rules leave open, only on request.

Answers are written to disk as they arrive, so that none is paid for twice.
"""

from __future__ import annotations

import asyncio
import csv
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from endoxa.errors import UserError
from endoxa.instruments.questions.names.bank import Gender
from endoxa.instruments.questions.names.rewrite import Prepared
from endoxa.models.chat.thoughts import spoken
from endoxa.schema import ChatModel, Message, Sampling
from endoxa.sources.frames import read_table
from endoxa.sources.spreadsheets import neutralised

AT_ONCE = 8
"""Questions under way at once."""

_PROMPT = (
    "Text: {context}\nPerson or people: {option}\n\n"
    "Does the text say, by a noun or a pronoun, whether this person is a woman or a man? "
    "Answer with one word: female, male, or neutral where the text does not say."
)
_SAMPLING = Sampling(temperature=0, max_tokens=16)
_GENDERS: Mapping[str, Gender] = {"female": "female", "woman": "female", "male": "male", "man": "male"}


@dataclass(frozen=True, slots=True)
class Person:
    """A person in a context."""

    context: str
    option: str


def unsettled(prepared: Iterable[Prepared]) -> list[Person]:
    """Everybody for whom the rules find no gender, each once."""
    return list(dict.fromkeys(question for bundle in prepared for question in _questions(bundle).values()))


def settle(prepared: Prepared, answers: Mapping[Person, str]) -> Prepared:
    """The same records with the genders of the answers where the rules find none."""
    genders = {group: gender_of(answers[person]) for group, person in _questions(prepared).items()}
    return replace(prepared, genders={**prepared.genders, **genders})


def _questions(prepared: Prepared) -> dict[str, Person]:
    """Group -> what to ask, from the longest context of records about the same people."""
    at = max(range(len(prepared.rows)), key=lambda place: len(prepared.rows[place]["context"]))
    row, drafts = prepared.rows[at], prepared.drafts[at]
    options = {draft.groups[0]: field for field, draft in drafts.options.items()}
    return {
        group: Person(row["context"], row[options[group]])
        for group, gender in prepared.genders.items()
        if gender is None and group in options
    }


def gender_of(answer: str) -> Gender | None:
    """The gender that an answer says, None for anything but one word for it."""
    return _GENDERS.get(answer.strip().strip(".*'\"").lower())


async def ask_all(model: ChatModel, people: Sequence[Person], keep: Callable[[Person, str], None]) -> None:
    """Ask the model about each, at temperature 0.

    Args:
        model: whom to ask.
        people: what to ask.
        keep: given each answer as soon as it is there.

    Raises:
        UserError: the model cannot be had, or will not answer.
    """
    gate = asyncio.Semaphore(AT_ONCE)

    async def ask(person: Person) -> None:
        async with gate:
            prompt = _PROMPT.format(context=person.context, option=person.option)
            answer = await model.ask([Message("user", prompt)], _SAMPLING)
        keep(person, spoken(answer).text)

    try:
        await model.check()
        await asyncio.gather(*map(ask, people))
    finally:
        await model.close()


ANSWER_COLUMNS = {
    "model": "the model as written on the command line",
    "context": "what it was shown",
    "option": "the person it was asked about",
    "answer": "what it said",
    "gender": "'female', 'male', or 'any' where it said neither",
}
"""Columns of the table of answers, which a later run reads instead of asking again; also those of other
models."""


def read_answers(model: str, path: Path) -> dict[Person, str]:
    """The answers of a model in such a table; none where there is no file.

    Raises:
        UserError: the file cannot be read, or lacks a column.
    """
    if not path.exists():
        return {}
    rows = read_table(path, tuple(ANSWER_COLUMNS)).iter_rows(named=True)
    return {
        Person(row["context"], row["option"]): row["answer"] or "" for row in rows if row["model"] == model
    }


@contextmanager
def keeping(model: str, path: Path) -> Iterator[Callable[[Person, str], None]]:
    """What adds an answer of the model to the table, at once and for good, whatever ends the run.

    Raises:
        UserError: the place cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8", newline="") as stream:
            writer = csv.writer(stream, lineterminator="\n")
            if not stream.tell():
                writer.writerow(ANSWER_COLUMNS)

            def keep(person: Person, answer: str) -> None:
                cells = (model, person.context, person.option, answer, gender_of(answer) or "any")
                writer.writerow(map(neutralised, cells))
                stream.flush()

            yield keep
    except OSError as problem:
        raise UserError(f"{path} cannot be written: {problem.strerror or problem}.") from problem
