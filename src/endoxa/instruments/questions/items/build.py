"""From a table of associations to questions in the fields of BBQ's JSONL (LACES, appendix B.1).

Distractors are identities that were never observed with the attribute (B.1, "Distractor selection").
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from endoxa import __version__
from endoxa.curate.associations import association_id
from endoxa.curate.grammar.gender import in_genders, quoted
from endoxa.curate.normalise.identity import with_identity_keys
from endoxa.curate.opposites import languages, load_lexicon
from endoxa.curate.persons import (
    CROSS_OF,
    Distractors,
    Observed,
    Person,
    comparable,
    identity_of,
    plain_attribute,
    with_parts,
)
from endoxa.errors import UserError
from endoxa.instruments.questions.items.templates import PERSON_COMPONENT, Templates, load_templates
from endoxa.instruments.questions.options import DEFAULT_LANGUAGE, QaOptions
from endoxa.schema.associations import SMALLEST_CELL
from endoxa.schema.provenance import BUILT_BY, PROVENANCE_COLUMNS, WORDS, words_cell, words_of_cells
from endoxa.schema.qa import PERSON, built_with
from endoxa.words.packs import languages_with

LEFT_OUT_COLUMNS = ("row", "association_id", "identity", "attribute", "language", "reason")
"""Columns of the table of associations without a question; `row` counts records from 1."""

COMPONENTS = ("question templates", "names of peoples")
"""Words of endoxa with which every question is made."""

_ELSEWHERE = (
    *("identity", "attribute", "association_id", "axis", "language", "source"),
    *PROVENANCE_COLUMNS,
)
"""Columns of associations that questions hold in a field of their own."""
_PLACES = ("region", "country", "place")
"""Columns that could tell a person, where few stand behind an association."""
_COLUMNS = (*_ELSEWHERE, "region", "group_id")
_ASSUMED = {
    "axis": "a distractor can be any identity of the table",
    "language": "every association is taken to be in '{language}'",
}
_NONE = "None"
"""How BBQ writes a value that is not there."""
_NO_AXIS = "associations"
"""Category of questions whose association names no axis."""

_NOBODY = (
    "every other identity of its axis was observed with the attribute, overlaps with one that was, or is introduced in "
    "another way"
)
_GIVEN_AWAY = (
    "its attribute is in the form of one gender, its other form is not known, and everybody who could stand beside it "
    "is of the other gender, so the words would give the answer away: write it in a form that fits both"
)
_NO_TEXT = frozenset(["", "nan", "null", "n/a", "<na>"])
"""Cells that hold nothing, also as programs write them."""


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


class _UnusableError(Exception):
    """Why an association has no question."""


@dataclass(frozen=True, slots=True)
class _Row:
    """An association, with its place in the table from 1.

    Attributes:
        number: its place.
        cells: all columns that the table may have.
        observed: as distractors take it.
    """

    number: int
    cells: Mapping[str, str]
    observed: Observed

    @property
    def association_id(self) -> str:
        cells = (self.cells[column] for column in ("identity", "attribute", "axis", "region", "source"))
        return self.cells["association_id"] or association_id(*cells)

    @property
    def extra(self) -> Mapping[str, str]:
        """Further columns, which questions keep in their metadata."""
        few = _support(self.cells) < SMALLEST_CELL
        hidden = (*_ELSEWHERE, *_PLACES) if few else _ELSEWHERE
        return {name: cell for name, cell in self.cells.items() if cell and name not in hidden}


@dataclass(frozen=True, slots=True)
class _Side:
    """One of the two people: the group as the table of associations writes it, and how one person of it is called."""

    identity: str
    who: Person


@dataclass(frozen=True, slots=True)
class _Asked:
    """What one question is about.

    Attributes:
        row: the association.
        target: its identity.
        distractor: one never observed with the attribute.
        forms: the attribute as it is quoted of a man and of a woman.
    """

    row: _Row
    target: _Side
    distractor: _Side
    forms: tuple[str, str]


def build_questions(associations: pl.DataFrame, options: QaOptions | None = None) -> Questions:
    """Ask of every association who is meant: its identity, or one that was never observed with the attribute.

    The distractor is drawn uniformly from the identities of the same axis that were observed neither with the attribute
    nor with another one of its group (`group_id`), that overlap with none that was, and whose person is introduced in
    the same way (`people.comparable`). Context, question, wording of the unknown option, and the order of people and
    options are drawn uniformly.

    Args:
        associations: columns of `schema.ASSOCIATION_COLUMNS`, all text; only identity and attribute are required.
        options: what was chosen.

    Raises:
        UserError: a language or style without templates, templates of the user's that cannot be used, or an
            association_id that stands twice.
    """
    options = options or QaOptions()
    language = options.language or DEFAULT_LANGUAGE
    options = replace(options, language=language)
    templates = load_templates(options)
    notes = [
        f"There is no column '{name}': {assumed.format(language=language)}."
        for name, assumed in _ASSUMED.items()
        if name not in associations.columns
    ]
    if options.cross:
        associations, crossed = with_parts(associations, language)
        notes.append(f"{crossed} crossed identities; questions about their parts are added.")
    chosen = _Choice(tuple(_rows(with_identity_keys(associations, language), language)), templates)
    random = np.random.default_rng(options.seed)
    records: list[Mapping[str, Any]] = []
    left_out: list[tuple[str, ...]] = []
    made = fewer = 0
    for row in chosen.rows:
        if made == options.limit:
            break
        try:
            asked = chosen.questions_of(row)
        except _UnusableError as problem:
            texts = (row.cells[column] for column in ("identity", "attribute", "language"))
            left_out.append((str(row.number), row.association_id, *texts, str(problem)))
            continue
        drawn = random.choice(len(asked), min(options.per_association, len(asked)), replace=False)
        for place in drawn:
            records += _records(len(records), asked[place], random, templates, options)
        made += 1
        fewer += len(drawn) < options.per_association
    schema = dict.fromkeys(LEFT_OUT_COLUMNS, pl.String)
    table = pl.DataFrame(left_out, schema=schema, orient="row")
    return Questions(tuple(records), table, made, fewer, tuple(notes))


def _rows(associations: pl.DataFrame, language: str) -> Iterator[_Row]:
    """The associations.

    Raises:
        UserError: an association_id stands twice.
    """
    absent = [name for name in _COLUMNS if name not in associations.columns]
    table = associations.with_columns(pl.lit("").alias(name) for name in absent)
    first: dict[str, int] = {}
    for number, texts in enumerate(table.iter_rows(named=True), start=1):
        cells = {name: " ".join((text or "").split()) for name, text in texts.items()}
        cells["axis"] = cells["axis"].lower()
        stated = cells["association_id"]
        if stated and first.setdefault(stated, number) != number:
            raise UserError(
                f"Rows {first[stated]} and {number} of the associations have the same association_id '{stated}'. "
                "Make ids unique, or leave the column out."
            )
        identity = identity_of(cells["identity"], _main(cells["language"] or language))
        yield _Row(number, cells, Observed(identity, cells["attribute"], cells["axis"], cells["group_id"]))


def _support(cells: Mapping[str, str]) -> float:
    """Respondents behind an association; many where the table does not count them."""
    try:
        return float(cells.get("support") or "inf")
    except ValueError:
        return 1.0


def _main(language: str) -> str:
    """The language without its region: 'es-AR' is 'es'."""
    return language.replace("_", "-").split("-")[0].lower()


class _Choice:
    """Who can stand beside whom, among all associations of a table."""

    def __init__(self, rows: Sequence[_Row], templates: Templates) -> None:
        self.rows = rows
        self._templates = templates
        self._seen: dict[tuple[str, str], int] = {}
        self._sides: dict[str, _Side] = {}
        # As a row in the language of the questions writes an identity, where there is one.
        for row in sorted(rows, key=lambda row: _main(row.cells["language"]) != templates.language):
            key, identity = row.observed.identity.key, row.cells["identity"]
            if key not in self._sides and (who := templates.person(identity)) is not None:
                self._sides[key] = _Side(identity, who)
        # Nobody said of the parts what is asked about them.
        observed = (row.observed for row in rows if not row.cells.get(CROSS_OF))
        self._distractors = Distractors(observed, self._sides)
        self._lexicon = load_lexicon(templates.language) if templates.language in languages() else None

    def questions_of(self, row: _Row) -> list[_Asked]:
        """An association with everybody who can stand beside its identity.

        Raises:
            _UnusableError: no question can be made of the association.
        """
        cells, language = row.cells, self._templates.language
        for column in ("identity", "attribute"):
            if plain_attribute(cells[column]) in _NO_TEXT:
                raise _UnusableError(f"the {column} is empty")
        if cells["language"] and _main(cells["language"]) != language:
            raise _UnusableError(f"it is in '{cells['language']}', and the questions are in '{language}'")
        who = self._templates.person(cells["identity"])
        if who is None:
            raise _UnusableError(
                f"no natural way is known to name one person of this identity in '{language}'"
            )
        statement = (row.observed.identity.key, plain_attribute(cells["attribute"]))
        first = self._seen.setdefault(statement, row.number)
        if first != row.number:
            raise _UnusableError(f"row {first} says the same")
        beside = [self._sides[key] for key in self._distractors.candidates(row.observed)]
        beside = [side for side in beside if comparable(side.who, who)]
        if not beside:
            raise _UnusableError(_NOBODY)
        forms = in_genders(cells["attribute"], language, self._lexicon)
        beside = [side for side in beside if quoted(forms, _genders(who, side.who, "m"))]
        if not beside:
            raise _UnusableError(_GIVEN_AWAY)
        return [_Asked(row, _Side(cells["identity"], who), side, forms) for side in beside]


def _genders(target: Person, distractor: Person, wanted: str) -> tuple[str, str]:
    """Genders of two people: the wanted one, or that of whichever has one form only."""
    alone = [next(iter(who.forms)) for who in (target, distractor) if len(who.forms) == 1]
    common = alone[0] if alone else wanted
    first, second = (common if common in who.forms else next(iter(who.forms)) for who in (target, distractor))
    return first, second


def _records(
    number: int, asked: _Asked, random: np.random.Generator, templates: Templates, options: QaOptions
) -> Iterator[dict[str, Any]]:
    """The question as BBQ writes one, ambiguous and with `question_polarity` 'neg'; the disambiguated ones after it.

    Args:
        number: `example_id` of the first.
        asked: who and what it is about.
        random: draws genders, templates and orders.
        templates: of the language.
        options: with language and seed.
    """
    row, cells, sides = asked.row, asked.row.cells, (asked.target, asked.distractor)
    wanted = options.gender if options.gender != "any" else ("m", "f")[int(random.integers(2))]
    genders = _genders(asked.target.who, asked.distractor.who, wanted)
    context, question, unknown = (
        int(random.integers(len(texts)))
        for texts in (templates.contexts, templates.questions, templates.unknown)
    )
    target_first = bool(random.integers(2))
    order = [int(place) for place in random.permutation(3)]
    attribute = quoted(asked.forms, genders)
    people = [(side.who, gender) for side, gender in zip(sides, genders, strict=True)]
    mentions = [templates.mention(*person) for person in people]
    first, second = mentions if target_first else reversed(mentions)
    answers = [*(templates.option(*person) for person in people), templates.unknown[unknown]]
    info = [[side.identity, side.identity] for side in sides] + [[answers[2], "unknown"]]
    components = (
        *[PERSON_COMPONENT] * (templates.style == PERSON),
        *COMPONENTS * (templates.language in languages_with("questions.toml")),
    )
    ambiguous = {
        "example_id": number,
        "question_index": f"c{context + 1}q{question + 1}",
        "question_polarity": "neg",
        "context_condition": "ambig",
        "category": cells["axis"] or _NO_AXIS,
        "answer_info": {f"ans{place}": info[option] for place, option in enumerate(order)},
        "additional_metadata": {
            **row.extra,
            "subcategory": _NONE,
            "stereotyped_groups": [asked.target.identity],
            "version": f"endoxa {__version__}",
            "source": cells["source"] or _NONE,
            "association_id": row.association_id,
            "identity": asked.target.identity,
            "distractor": asked.distractor.identity,
            "attribute": cells["attribute"],
            "seed": options.seed,
        },
        "context": templates.contexts[context].format(first=first, second=second),
        "question": templates.question(question, attribute),
        **{f"ans{place}": answers[option] for place, option in enumerate(order)},
        "label": order.index(2),
        "language": templates.language,
        BUILT_BY: built_with(templates.style),
        WORDS: words_cell(
            [
                *words_of_cells(cells[BUILT_BY], cells[WORDS]),
                *((name, templates.language) for name in components),
            ]
        ),
    }
    yield ambiguous
    for right, wrong in ((0, 1), (1, 0)) if options.disambiguated else ():
        number += 1
        told = templates.disambiguating(attribute, answers[right], answers[wrong])
        yield {
            **ambiguous,
            "example_id": number,
            "context_condition": "disambig",
            "context": f"{ambiguous['context']} {told}",
            "label": order.index(right),
        }
