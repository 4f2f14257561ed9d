"""From a table of associations to questions (LACES, appendix B.1).

Distractors are identities that were never observed with the attribute (B.1, "Distractor selection").
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from endoxa.curate.associations import association_id
from endoxa.curate.crossed import CROSS_OF, read_parts, with_parts
from endoxa.curate.distractors import Distractors, Observed, plain_attribute
from endoxa.curate.grammar.gender import Shown, shown_gender
from endoxa.curate.keys import with_identity_keys
from endoxa.curate.opposites import languages, load_lexicon
from endoxa.curate.persons import (
    comparable,
    identity_of,
)
from endoxa.errors import UserError
from endoxa.instruments.questions.items.record import (
    LEFT_OUT_COLUMNS,
    Draw,
    Pair,
    Questions,
    Side,
    genders,
    records_of,
)
from endoxa.instruments.questions.items.templates import Templates, load_templates
from endoxa.instruments.questions.options import DEFAULT_LANGUAGE, QaOptions
from endoxa.schema.associations import SMALLEST_CELL
from endoxa.schema.provenance import BUILT_BY, PROVENANCE_COLUMNS, WORDS, words_of_cells

SAMPLE = Path(__file__).with_name("sample.csv")
"""36 mild associations in Spanish, English and Portuguese, written for endoxa and collected from nobody."""


_COLUMNS = (
    *("identity", "attribute", "association_id", "axis", "region", "language", "source", "group_id"),
    *PROVENANCE_COLUMNS,
)
_ASSUMED = {
    "axis": "a distractor can be any identity of the table",
    "language": "every association is taken to be in '{language}'",
}


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


class _UnusableError(Exception):
    """Why an association has no question."""


@dataclass(frozen=True, slots=True)
class _Row:
    """An association, with its place in the table from 1."""

    number: int
    cells: Mapping[str, str]
    observed: Observed
    extra: Mapping[str, str]

    @property
    def association_id(self) -> str:
        cells = (self.cells[column] for column in ("identity", "attribute", "axis", "region", "source"))
        return self.cells["association_id"] or association_id(*cells)


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
    crossed = 0
    if options.cross:
        associations, crossed = with_parts(associations, read_parts(options.parts), language=language)
    rows = tuple(_rows(with_identity_keys(associations, language), language))
    first: dict[str, int] = {}
    for row in rows:
        stated = row.cells["association_id"]
        if stated and first.setdefault(stated, row.number) != row.number:
            raise UserError(
                f"Rows {first[stated]} and {row.number} of the associations have the same association_id '{stated}'. "
                "Make ids unique, or leave the column out."
            )
    sides = _sides(rows, templates)
    lexicon = load_lexicon(templates.language) if templates.language in languages() else None
    # Nobody said of the parts what is asked about them.
    distractors = Distractors((row.observed for row in rows if CROSS_OF not in row.extra), sides)
    random = np.random.default_rng(options.seed)
    records: list[Mapping[str, Any]] = []
    left_out: list[tuple[str, ...]] = []
    seen: dict[tuple[str, str], int] = {}
    made = fewer = 0
    for row in rows:
        if made == options.limit:
            break
        try:
            target, beside = _people(row, templates, seen, distractors, sides)
            shown = shown_gender(row.cells["attribute"], templates.language, lexicon)
            beside = _not_given_away(target, beside, sides, shown)
        except _UnusableError as problem:
            texts = (row.cells[column] for column in ("identity", "attribute", "language"))
            left_out.append((str(row.number), row.association_id, *texts, str(problem)))
            continue
        chosen = random.choice(len(beside), min(options.per_association, len(beside)), replace=False)
        cells = row.cells
        words = tuple(words_of_cells(cells[BUILT_BY], cells[WORDS]))
        for place in chosen:
            pair = Pair(
                target=target,
                distractor=sides[beside[place]],
                attribute=cells["attribute"],
                both=shown.both,
                association_id=row.association_id,
                axis=cells["axis"],
                source=cells["source"],
                words=words,
            )
            draw = _draw(random, templates, pair, options)
            for made_of in records_of(len(records), pair, draw, templates, options):
                extra = {**row.extra, **made_of["additional_metadata"]}
                records.append({**made_of, "additional_metadata": extra})
        made += 1
        fewer += len(chosen) < options.per_association
    return Questions(
        tuple(records),
        pl.DataFrame(left_out, schema=dict.fromkeys(LEFT_OUT_COLUMNS, pl.String), orient="row"),
        made,
        fewer,
        (
            *(
                f"There is no column '{name}': {assumed.format(language=language)}."
                for name, assumed in _ASSUMED.items()
                if name not in associations.columns
            ),
            *(
                [f"{crossed} crossed identities; questions about their parts are added."]
                if options.cross
                else ()
            ),
        ),
    )


def _rows(associations: pl.DataFrame, language: str) -> Iterator[_Row]:
    absent = [name for name in _COLUMNS if name not in associations.columns]
    table = associations.with_columns(pl.lit("").alias(name) for name in absent)
    for number, cells in enumerate(table.iter_rows(named=True), start=1):
        every = {name: " ".join((cell or "").split()) for name, cell in cells.items()}
        row = {name: every[name] for name in _COLUMNS}
        extra = {name: cell for name, cell in every.items() if cell and name not in _WRITTEN_ELSEWHERE}
        if _support(every) < SMALLEST_CELL:
            extra = {name: cell for name, cell in extra.items() if name not in _PLACES}
        row["axis"] = row["axis"].lower()
        identity = identity_of(row["identity"], _main(row["language"] or language))
        yield _Row(number, row, Observed(identity, row["attribute"], row["axis"], row["group_id"]), extra)


_WRITTEN_ELSEWHERE = (
    *("identity", "attribute", "association_id", "axis", "language", "source"),
    *PROVENANCE_COLUMNS,
)
"""Columns of associations that questions hold in a field of their own."""
_PLACES = ("region", "country", "place")
"""Columns that could tell a person, where few stand behind an association."""


def _support(cells: Mapping[str, str]) -> float:
    """Respondents behind an association; many where the table does not count them."""
    try:
        return float(cells.get("support") or "inf")
    except ValueError:
        return 1.0


def _main(language: str) -> str:
    """The language without its region: 'es-AR' is 'es'."""
    return language.replace("_", "-").split("-")[0].lower()


def _sides(rows: Sequence[_Row], templates: Templates) -> dict[str, Side]:
    """Every identity that the language can name, by key, as a row in that language writes it where there is one."""
    sides: dict[str, Side] = {}
    for row in sorted(rows, key=lambda row: _main(row.cells["language"]) != templates.language):
        key = row.observed.identity.key
        if key not in sides and (who := templates.person(row.cells["identity"])) is not None:
            sides[key] = Side(row.cells["identity"], who)
    return sides


def _people(
    row: _Row,
    templates: Templates,
    seen: dict[tuple[str, str], int],
    distractors: Distractors,
    sides: Mapping[str, Side],
) -> tuple[Side, list[str]]:
    """The identity of an association as one of the two people, and keys of those who can stand beside it.

    Args:
        row: the association.
        templates: of the questions.
        seen: what was said before, with the number of its row; grows.
        distractors: of all associations.
        sides: every identity that the language can name, by key.

    Raises:
        _UnusableError: no question can be made of the association.
    """
    cells = row.cells
    for column in ("identity", "attribute"):
        if plain_attribute(cells[column]) in _NO_TEXT:
            raise _UnusableError(f"the {column} is empty")
    if cells["language"] and _main(cells["language"]) != templates.language:
        raise _UnusableError(
            f"it is in '{cells['language']}', and the questions are in '{templates.language}'"
        )
    who = templates.person(cells["identity"])
    if who is None:
        raise _UnusableError(
            f"no natural way is known to name one person of this identity in '{templates.language}'"
        )
    statement = (row.observed.identity.key, plain_attribute(cells["attribute"]))
    first = seen.setdefault(statement, row.number)
    if first != row.number:
        raise _UnusableError(f"row {first} says the same")
    keys = [key for key in distractors.candidates(row.observed) if comparable(sides[key].who, who)]
    if not keys:
        raise _UnusableError(_NOBODY)
    return Side(cells["identity"], who), keys


def _not_given_away(target: Side, beside: list[str], sides: Mapping[str, Side], shown: Shown) -> list[str]:
    """Those of whom the form of the attribute does not tell the target: all, or those of its gender.

    Raises:
        _UnusableError: there are none.
    """
    if not shown.gender or shown.both:
        return beside
    alike = [key for key in beside if len({*genders(target.who, sides[key].who, "m")}) == 1]
    if not alike:
        raise _UnusableError(_GIVEN_AWAY)
    return alike


def _draw(random: np.random.Generator, templates: Templates, pair: Pair, options: QaOptions) -> Draw:
    gender = options.gender if options.gender != "any" else ("m", "f")[int(random.integers(2))]
    return Draw(
        context=int(random.integers(len(templates.contexts))),
        question=int(random.integers(len(templates.questions))),
        unknown=int(random.integers(len(templates.unknown))),
        target_first=bool(random.integers(2)),
        order=tuple(int(place) for place in random.permutation(3)),
        genders=genders(pair.target.who, pair.distractor.who, gender),
    )
