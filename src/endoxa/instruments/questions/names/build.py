"""A file of questions with names in place of groups, in several draws.

Each variant has one seed. No name occurs twice in an item, and none indicates both groups. Genders that the rules leave
open can be asked of a language model.
"""

from __future__ import annotations

import asyncio
import csv
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from endoxa.errors import UserError
from endoxa.instruments.questions.names.bank import Gender, NameBank, read_bank
from endoxa.instruments.questions.names.check import check_record
from endoxa.instruments.questions.names.phrases import UnwritableError
from endoxa.instruments.questions.names.rewrite import Prepared, Unwritten, left_out, prepare
from endoxa.instruments.questions.names.text import GroupWords, Row, bundles, group_words
from endoxa.models.chat.thoughts import spoken
from endoxa.schema import ChatModel, Message, Progress, Sampling
from endoxa.schema.provenance import BUILT_BY, WORDS, words_cell, words_of_cells
from endoxa.sources.frames import read_table
from endoxa.sources.spreadsheets import neutralised
from endoxa.words.used import languages_of_name

_SEEDS = 10_000


def sub_seeds(seed: int, variants: int) -> tuple[int, ...]:
    """The seed of each variant, drawn as the paper draws them (Pelosio et al. 2025, appendix C).

    The numbers are those of `np.random.seed(seed); np.random.randint(1, 10000, variants)`; one that comes a second time
    is drawn anew, so that no two variants are equal.

    Args:
        seed: of the whole draw, 0 to 2**32 - 1.
        variants: how many, below 10,000.
    """
    generator = np.random.RandomState(seed)
    drawn = dict.fromkeys(generator.randint(1, _SEEDS, variants).tolist())
    while len(drawn) < variants:
        drawn[int(generator.randint(1, _SEEDS))] = None
    return tuple(drawn)


def draw_names(
    genders: Mapping[str, Gender | None],
    bank: NameBank,
    excluded: Collection[str],
    generator: np.random.RandomState,
) -> dict[str, str]:
    """A name for each group: of the gender that the text asks for, every fitting name being as likely.

    Names that are common in one of the other groups at hand are passed over where there are others.

    Args:
        genders: group -> gender, or None for any.
        bank: where names come from.
        excluded: words in lower case that cannot be names, because they stand in the item.
        generator: what the draw comes from.

    Raises:
        UnwritableError: no name is left for a group.
    """
    names: dict[str, str] = {}
    for group, gender in genders.items():
        # Nor may one name begin with the other ("Ana", "Anahit").
        others = [other.casefold() for other in names.values()]
        free = [
            entry
            for entry in bank.names(group, gender)
            if (name := entry.name.casefold()) not in excluded
            and not any(name.startswith(other) or other.startswith(name) for other in others)
        ]
        beside = genders.keys() - {group}
        common = {entry.name for other in beside for entry in bank.names(other)}
        fitting = [
            entry for entry in free if entry.name not in common and not entry.ambiguous & beside
        ] or free
        if not fitting:
            raise UnwritableError(f"the bank has no {gender or 'further'} name left", group)
        names[group] = fitting[int(generator.randint(len(fitting)))].name
    return names


Written = dict[str, Any]

UNWRITTEN_COLUMNS = {
    "category": "category of the record",
    "example_id": "number of the record within its category",
    "reason": "why it was left out",
    "phrase": "the words that could not be written with a name, or empty",
}
"""Columns of the table of records that were left out."""

_STEP = 100


@dataclass(frozen=True, slots=True)
class Named:
    """Records about the same people, with the names of each variant."""

    prepared: Prepared
    names: tuple[Mapping[str, str], ...]


@dataclass(frozen=True, slots=True)
class NameVariants:
    """What became of a file.

    Attributes:
        named: records that are written, in the order of the file.
        unwritten: records that are left out.
        seeds: seed of each variant.
        bundled: whether the names are of the bank that comes with endoxa.
    """

    named: Sequence[Named]
    unwritten: Sequence[Unwritten]
    seeds: tuple[int, ...]
    bundled: bool = False

    @property
    def records(self) -> Iterator[Written]:
        """The records with names, ordered by variant: as published, with `names` and `variant` ("1", "2", ...)."""
        for variant in range(len(self.seeds)):
            for bundle in self.named:
                yield from written(
                    bundle.prepared, bundle.names[variant], str(variant + 1), bundled=self.bundled
                )

    @property
    def rows(self) -> int:
        """Published records that are written."""
        return sum(len(bundle.prepared.rows) for bundle in self.named)

    def unwritten_table(self) -> pl.DataFrame:
        """Records that are left out, with columns `UNWRITTEN_COLUMNS`."""
        rows = [
            (str(bundle.row["category"]), str(bundle.row["example_id"]), bundle.reason, bundle.phrase)
            for bundle in self.unwritten
        ]
        return pl.DataFrame(rows, schema=dict.fromkeys(UNWRITTEN_COLUMNS, pl.String), orient="row")


def written(
    prepared: Prepared, names: Mapping[str, str], variant: str, *, bundled: bool = False
) -> Iterator[Written]:
    """The records of one variant.

    Args:
        prepared: records about the same people.
        names: name of each group.
        variant: number of the variant.
        bundled: whether the names are of the bank that comes with endoxa.
    """
    languages = [sorted(languages_of_name(name)) for name in names.values()] if bundled else []
    banks = [("names bank", language) for codes in languages for language in codes]
    for row, drafts in zip(prepared.rows, prepared.drafts, strict=True):
        texts = {field: draft.text(names) for field, draft in drafts.options.items()}
        yield {
            **row,
            "context": drafts.context.text(names),
            **texts,
            "names": dict(names),
            "variant": variant,
            BUILT_BY: "endoxa build names",
            WORDS: words_cell(
                [*words_of_cells(str(row.get(BUILT_BY) or ""), str(row.get(WORDS) or "")), *banks]
            ),
        }


def build_names(
    rows: Iterable[Row],
    bank: NameBank,
    *,
    seed: int = 42,
    variants: int = 3,
    decide: Callable[[Sequence[Prepared]], Sequence[Prepared]] | None = None,
    progress: Progress | None = None,
) -> NameVariants:
    """Put first names in the place of groups, in contexts and options (Pelosio et al. 2025, 4.1.1).

    Records that share people and options share their names within a variant. Each variant has a seed of its own
    (`sub_seeds`). Every record of every variant is checked (`endoxa.instruments.questions.names.check`); where one
    is not right, the records about the same people are left out of all variants.

    Args:
        rows: BBQ's records, as published and in their order.
        bank: names by group.
        seed: of the whole draw.
        variants: how often names are drawn.
        decide: settles genders that the rules leave open (`ask.settle`); without it either gender is drawn.
        progress: told how far it is.
    """
    words = group_words(bank)
    ready: list[Prepared] = []
    unwritten: list[Unwritten] = []
    for people in bundles(rows):
        prepared = prepare(people, words)
        if isinstance(prepared, Prepared):
            ready.append(prepared)
        else:
            unwritten += prepared
    if decide is not None:
        ready = list(decide(ready))
    seeds = sub_seeds(seed, variants)
    generators = [np.random.RandomState(each) for each in seeds]
    named: list[Named] = []
    done, total = 0, sum(len(prepared.rows) for prepared in ready)
    for at, prepared in enumerate(ready):
        if progress is not None and at % _STEP == 0:
            progress("writing names", done, total)
        done += len(prepared.rows)
        bundle = _named(prepared, bank, words, generators)
        if isinstance(bundle, Named):
            named.append(bundle)
        else:
            unwritten += bundle
    return NameVariants(named, unwritten, seeds, bundled=bank is read_bank())


def _named(
    prepared: Prepared, bank: NameBank, words: GroupWords, generators: Sequence[np.random.RandomState]
) -> Named | list[Unwritten]:
    try:
        names = tuple(
            draw_names(prepared.genders, bank, prepared.words, generator) for generator in generators
        )
    except UnwritableError as problem:
        return left_out(prepared.rows, prepared.rows[0], problem.reason, problem.phrase)
    for number, drawn in enumerate(names, start=1):
        for record, row in zip(written(prepared, drawn, str(number)), prepared.rows, strict=True):
            problems = check_record(record, row, prepared, bank, words)
            if problems:
                return left_out(prepared.rows, row, f"the check says: {problems[0]}", "")
    return Named(prepared, names)


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
