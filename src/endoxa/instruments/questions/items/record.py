"""One question in the fields of BBQ's JSONL, ambiguous or with the answer in its context."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from endoxa import __version__
from endoxa.curate.persons import Person
from endoxa.instruments.questions.items.templates import PERSON_COMPONENT, Templates
from endoxa.instruments.questions.options import QaOptions
from endoxa.schema.provenance import BUILT_BY, WORDS, words_cell
from endoxa.schema.qa import PERSON, built_with
from endoxa.words.packs import languages_with

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
        both: the attribute in both genders, where its form shows one; empty otherwise.
        association_id: the association.
        axis: its social axis, or empty.
        source: where it comes from, or empty.
        words: components of endoxa with which the association was made, each with its language.
    """

    target: Side
    distractor: Side
    attribute: str
    both: str
    association_id: str
    axis: str
    source: str
    words: tuple[tuple[str, str], ...]

    def asked(self, genders: tuple[str, str]) -> str:
        """The attribute as it is asked: of a woman and a man in both genders, so that its form gives nothing away."""
        return self.both if self.both and len({*genders}) > 1 else self.attribute


def genders(target: Person, distractor: Person, wanted: str) -> tuple[str, str]:
    """Genders of two people: the wanted one, or that of whichever has one form only."""
    alone = [next(iter(who.forms)) for who in (target, distractor) if len(who.forms) == 1]
    common = alone[0] if alone else wanted
    return _form(target, common), _form(distractor, common)


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


def records_of(
    number: int, pair: Pair, draw: Draw, templates: Templates, options: QaOptions
) -> Iterator[dict[str, Any]]:
    """The question as BBQ writes one, ambiguous and with `question_polarity` 'neg'; the disambiguated ones after it.

    Args:
        number: `example_id` of the first.
        pair: who and what it is about.
        draw: what was drawn.
        templates: of the language.
        options: with language and seed.
    """
    ambiguous = _record(number, pair, draw, templates, options)
    yield ambiguous
    if not options.disambiguated:
        return
    people = [
        templates.option(side.who, gender)
        for side, gender in zip((pair.target, pair.distractor), draw.genders, strict=True)
    ]
    for right, wrong in ((0, 1), (1, 0)):
        number += 1
        told = templates.disambiguating(pair.asked(draw.genders), people[right], people[wrong])
        yield {
            **ambiguous,
            "example_id": number,
            "context_condition": "disambig",
            "context": f"{ambiguous['context']} {told}",
            "label": draw.order.index(right),
        }


def _record(number: int, pair: Pair, draw: Draw, templates: Templates, options: QaOptions) -> dict[str, Any]:
    sides = (pair.target, pair.distractor)
    mentions = [templates.mention(side.who, gender) for side, gender in zip(sides, draw.genders, strict=True)]
    first, second = mentions if draw.target_first else reversed(mentions)
    unknown = templates.unknown[draw.unknown]
    texts = [templates.option(side.who, gender) for side, gender in zip(sides, draw.genders, strict=True)]
    answers = [*texts, unknown]
    components = (
        *[PERSON_COMPONENT] * (templates.style == PERSON),
        *COMPONENTS * (options.language in languages_with("questions.toml")),
    )
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
        "question": templates.question(draw.question, pair.asked(draw.genders)),
        **{f"ans{place}": answers[option] for place, option in enumerate(draw.order)},
        "label": draw.order.index(2),
        "language": options.language,
        BUILT_BY: built_with(templates.style),
        WORDS: words_cell([*pair.words, *((name, str(options.language)) for name in components)]),
    }
