"""One question in the fields of BBQ's JSONL, and the templates and settings it is made from.

`templates/LANGUAGE.toml` holds contexts, questions, wordings of the unknown option and noun phrases of a language.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import polars as pl

from endoxa import __version__
from endoxa.errors import UserError
from endoxa.instruments.questions.items.groups import LANGUAGES, Kind, Person
from endoxa.instruments.questions.options import QaOptions
from endoxa.schema.provenance import BUILT_BY, WORDS, words_cell
from endoxa.sources.check.wording import indefinite_article
from endoxa.words.packs import words_of

__all__ = ["LANGUAGES", "Templates", "load_templates"]


_OPENING = "“„«"
_AROUND = frozenset([('"', '"'), ("“", "”"), ("„", "“"), ("«", "»")])
_QUOTE = re.compile(r'["“”„«»]')
_FINAL_STOP = re.compile(r"(?<![.…])(?<!\b\w\.\w)\s*[.。]$")


@dataclass(frozen=True, slots=True)
class Phrases:
    """Patterns by gender, or under '' where the language has none.

    Attributes:
        mention: in the context.
        option: among the answers.
    """

    mention: Mapping[str, str]
    option: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Templates:
    """What questions of a language are made of: the fields of `templates/en.toml`, where each is explained."""

    contexts: tuple[str, ...]
    questions: tuple[str, ...]
    unknown: tuple[str, ...]
    inner_quotes: tuple[str, str]
    phrases: Mapping[Kind, Phrases]

    def question(self, number: int, attribute: str) -> str:
        """A question, with the attribute as it is in the table but for its final stop and its quotation marks."""
        return self.questions[number].format(attribute=self.quotable(attribute))

    def quotable(self, attribute: str) -> str:
        """An attribute as it stands within quotation marks: without a final stop, its own marks of the other kind."""
        text = attribute.strip()
        while len(text) > 2 and (text[0], text[-1]) in _AROUND and not _QUOTE.search(text[1:-1]):
            text = text[1:-1].strip()
        text = _FINAL_STOP.sub("", text)
        opened = False

        def inner(mark: re.Match[str]) -> str:
            nonlocal opened
            opened = mark[0] in _OPENING or (mark[0] == '"' and not opened)
            return self.inner_quotes[not opened]

        return _QUOTE.sub(inner, text)

    def mention(self, who: Person, gender: str) -> str:
        """The person as the context introduces them ("my Chilean friend", "a nurse I know")."""
        return _filled(self.phrases[who.kind].mention, who, gender)

    def option(self, who: Person, gender: str) -> str:
        """The person as an answer names them ("The Chilean friend", "The nurse")."""
        return _filled(self.phrases[who.kind].option, who, gender)


def _filled(patterns: Mapping[str, str], who: Person, gender: str) -> str:
    word = who.forms[gender]
    return patterns[gender].format(who=word, a=indefinite_article(word))


@cache
def load_templates(language: str) -> Templates:
    """The templates of a language.

    Raises:
        UserError: there are none.
    """
    if language not in LANGUAGES:
        raise UserError(
            f"--language: no question templates in '{language}'. Available: {', '.join(LANGUAGES)}."
        )
    table = words_of(language, "questions.toml")
    return Templates(
        tuple(table["contexts"]),
        tuple(table["questions"]),
        tuple(table["unknown"]),
        (table["inner_quotes"][0], table["inner_quotes"][1]),
        {"friend": Phrases(**table["friend"]), "noun": Phrases(**table["noun"])},
    )


LEFT_OUT_COLUMNS = ("row", "association_id", "identity", "attribute", "language", "reason")
"""Columns of the table of associations without a question; `row` counts records from 1."""


@dataclass(frozen=True, slots=True)
class Questions:
    """What was made.

    Attributes:
        records: questions in the fields of BBQ's JSONL, with `language`.
        left_out: `LEFT_OUT_COLUMNS`, a row for each association without a question.
        associations: how many associations have one.
        fewer: associations with fewer questions than asked for, since there are no more distractors.
        notes: sentences about columns that are not there.
    """

    records: tuple[Mapping[str, Any], ...]
    left_out: pl.DataFrame
    associations: int
    fewer: int
    notes: tuple[str, ...]


COMPONENTS = ("question templates", "names of peoples")
"""Words of endoxa with which every question is made."""

_NONE = "None"
"""How BBQ writes a value that is not there."""

NO_AXIS = "associations"
"""Category of questions whose association names no axis."""


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two people.

    Attributes:
        identity: the group, as the table of associations writes it.
        who: how one person of it is called.
    """

    identity: str
    who: Person


@dataclass(frozen=True, slots=True)
class Pair:
    """What one question is about.

    Attributes:
        target: the identity of the association.
        distractor: one never observed with the attribute.
        attribute: what is said of the target.
        association_id: the association.
        axis: its social axis, or empty.
        source: where it comes from, or empty.
        words: components of endoxa with which the association was made, each with its language.
    """

    target: Side
    distractor: Side
    attribute: str
    association_id: str
    axis: str
    source: str
    words: tuple[tuple[str, str], ...]

    def genders(self, wanted: str) -> tuple[str, str]:
        """Genders of target and distractor: the wanted one, or that of whichever has one form only."""
        sides = (self.target, self.distractor)
        fixed = [next(iter(forms)) for side in sides if len(forms := side.who.forms) == 1]
        common = fixed[0] if fixed else wanted
        return _form(self.target.who, common), _form(self.distractor.who, common)


def _form(who: Person, gender: str) -> str:
    return gender if gender in who.forms else next(iter(who.forms))


@dataclass(frozen=True, slots=True)
class Draw:
    """What was drawn for one question.

    Attributes:
        context: which context template, from 0.
        question: which question template, from 0.
        unknown: which wording of the unknown option, from 0.
        target_first: whether the context names the target before the distractor.
        order: the option (0 target, 1 distractor, 2 unknown) in each of the three places.
        genders: of target and distractor.
    """

    context: int
    question: int
    unknown: int
    target_first: bool
    order: tuple[int, ...]
    genders: tuple[str, str]


def record(number: int, pair: Pair, draw: Draw, templates: Templates, options: QaOptions) -> dict[str, Any]:
    """The question as BBQ writes one, ambiguous and with `question_polarity` 'neg'.

    Args:
        number: its `example_id`.
        pair: who and what it is about.
        draw: what was drawn.
        templates: of the language.
        options: with language and seed.
    """
    sides = (pair.target, pair.distractor)
    mentions = [templates.mention(side.who, gender) for side, gender in zip(sides, draw.genders, strict=True)]
    first, second = mentions if draw.target_first else reversed(mentions)
    unknown = templates.unknown[draw.unknown]
    texts = [templates.option(side.who, gender) for side, gender in zip(sides, draw.genders, strict=True)]
    answers = [*texts, unknown]
    info = [[side.identity, side.identity] for side in sides] + [[unknown, "unknown"]]
    return {
        "example_id": number,
        "question_index": f"c{draw.context + 1}q{draw.question + 1}",
        "question_polarity": "neg",
        "context_condition": "ambig",
        "category": pair.axis.lower() or NO_AXIS,
        "answer_info": {f"ans{place}": info[option] for place, option in enumerate(draw.order)},
        "additional_metadata": {
            "subcategory": _NONE,
            "stereotyped_groups": [pair.target.identity],
            "version": f"endoxa {__version__}",
            "source": pair.source or _NONE,
            "association_id": pair.association_id,
            "identity": pair.target.identity,
            "distractor": pair.distractor.identity,
            "attribute": pair.attribute,
            "seed": options.seed,
        },
        "context": templates.contexts[draw.context].format(first=first, second=second),
        "question": templates.question(draw.question, pair.attribute),
        **{f"ans{place}": answers[option] for place, option in enumerate(draw.order)},
        "label": draw.order.index(2),
        "language": options.language,
        BUILT_BY: "endoxa build qa",
        WORDS: words_cell([*pair.words, *((name, str(options.language)) for name in COMPONENTS)]),
    }
