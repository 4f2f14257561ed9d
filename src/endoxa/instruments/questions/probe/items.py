"""The questions of a run: read as a stream, filtered, counted."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from endoxa.curate.language import AssumedLanguage, language_of_questions
from endoxa.errors import UserError
from endoxa.instruments.questions.probe.settings import QaSettings
from endoxa.runs.items import each_once
from endoxa.runs.journal import JournalFile
from endoxa.runs.part import chosen
from endoxa.schema import QaItem
from endoxa.sources.bbq import find_metadata, read_items
from endoxa.sources.identities import identity_key
from endoxa.words.used import Tally, Used


@dataclass(frozen=True, slots=True)
class Contents:
    """What a file of questions holds.

    Attributes:
        items: how many there are.
        label: what reports call the data.
        templates: number of their templates, which tests resample.
        languages: their languages, in order.
    """

    items: int
    label: str
    templates: int
    languages: tuple[str, ...]


def metadata_of(settings: QaSettings) -> Path | None:
    """The metadata file named, or the one beside the data, or None."""
    return Path(settings.metadata) if settings.metadata else find_metadata(Path(settings.data))


def items(settings: QaSettings) -> Iterator[QaItem]:
    """The questions that a run takes, in file order."""
    return chosen(lambda: available(settings), settings, _stratum, _content)


def _stratum(item: QaItem) -> tuple[str, ...]:
    return item.language, item.category, item.condition, item.template, identity_key(item.identity)


def _content(item: QaItem) -> str:
    parts = (item.variant, item.polarity, item.context, item.question, item.options, item.label)
    return json.dumps(parts)


def available(settings: QaSettings) -> Iterator[QaItem]:
    """Every question in file order after the filters, whatever part of them is taken."""
    stated = unstated_language(settings)
    questions = read_items(
        Path(settings.data),
        metadata=metadata_of(settings),
        language=settings.languages[0] if len(settings.languages) == 1 else stated.code if stated else None,
        columns=settings.columns,
    )
    return (item for item in questions if not settings.languages or item.language in settings.languages)


def unstated_language(settings: QaSettings) -> AssumedLanguage | None:
    """The language that is taken for questions that do not name theirs; None where they do, or --language says it.

    Raises:
        UserError: the data cannot be read, or its language cannot be told.
    """
    if len(settings.languages) == 1:
        return None
    return language_of_questions(Path(settings.data), settings.columns)


def scan(settings: QaSettings, journal: JournalFile | None = None) -> Contents:
    """Read all items once.

    Args:
        settings: which items.
        journal: keeps the ids, to notice one that is there twice; None where that was done.

    Raises:
        UserError: none is left after the filters, or two have one id.
    """
    count = named = 0
    categories: Counter[str] = Counter()
    templates: set[str] = set()
    languages: set[str] = set()

    def repeated(name: str, first: int, second: int) -> str:
        return (
            f"{settings.data}: the item '{name}' appears twice (questions {first} and {second}). Make the combination "
            "of category, example_id and variant unique."
        )

    for item in each_once(items(settings), lambda item: item.item_id, journal, repeated):
        count += 1
        named += bool(item.names)
        categories[item.category] += 1
        templates.add(item.template)
        languages.add(item.language)
    if not count:
        language = f" in the language {', '.join(settings.languages)}" if settings.languages else ""
        raise UserError(f"{settings.data} contains no question{language}. Expected at least one.")
    category = next(iter(categories)) if len(categories) == 1 else Path(settings.data).stem
    label = settings.label or ("Name" if named == count else category)
    return Contents(count, label, len(templates), tuple(sorted(languages)))


def words(settings: QaSettings) -> Used:
    """What the questions say they were made with; instructions, unless they are the user's; words that read answers.

    Raises:
        UserError: the data cannot be read.
    """
    tally = Tally()
    languages: set[str] = set()
    for item in items(settings):
        languages.add(item.language)
        tally.add_stated(item.built_by, item.words)
    if settings.prompts is None:
        tally.add("question prompts", languages)
    if not settings.by_likelihood:
        tally.add("answer words", languages)
        tally.add("answer patterns", languages)
    return tally.used
