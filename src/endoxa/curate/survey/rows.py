"""A table that already has one statement per row: nothing is split, and no row inherits from another.

Who said it, where, in which language, and what was asked stand in columns that are named, or known by their usual names
(`endoxa.sources.headers`). A respondent who stands in several rows is one person.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from endoxa.curate.extract import Question
from endoxa.curate.language import language_code
from endoxa.curate.survey import SurveyMap, shown
from endoxa.curate.survey.reading import read_export, refuse_names, refuse_private
from endoxa.curate.survey.statements import Statement, length_flags
from endoxa.errors import UserError
from endoxa.schema import STATEMENT_COLUMNS
from endoxa.sources.headers import Role, usual_column
from endoxa.words.identifiers import IDENTIFIER, identifier_in

IDENTITIES = {"women": "gender", "men": "gender", "girls": "gender", "boys": "gender"}
"""Names of questions that are about one group, with their axis."""
NO_AXIS = "unspecified"


@dataclass(frozen=True, slots=True)
class RowColumns:
    """Which columns of a table of statements are read.

    Attributes:
        statement: the statement itself.
        question: the question's name; None, here and below, for a column with a usual name, where there is one.
        country: the respondent's country.
        language: ISO 639-1 code.
        keep: further columns that go along under their own names.
        respondent: code of who said it.
        axis: social axis of the question.
        identity: the group that the question is about.
        region: the respondent's region; goes along as `region`.
        attribute: what is said of that group, where people said it already; nothing is read then.
    """

    statement: str
    question: str | None = None
    country: str | None = None
    language: str | None = None
    keep: tuple[str, ...] = ()
    respondent: str | None = None
    axis: str | None = None
    identity: str | None = None
    region: str | None = None
    attribute: str | None = None


ROLES: tuple[Role, ...] = ("respondent", "question", "axis", "country", "region", "language", "identity")
ONE_EACH = (
    "No column says who made a statement: every row counts as one respondent. If people stand in several rows, name "
    "the column of their codes with --respondent COLUMN."
)
_LONGEST_AXIS = 4
"""Words of a question's name that can be an axis; more are the question itself."""


def with_usual_columns(
    table: pl.DataFrame, columns: RowColumns, say: Callable[[str], None] = lambda _: None
) -> RowColumns:
    """The columns with those that a table has under usual names; what was assumed is said.

    A table that has attributes was read before: its identities are answers, and not what was asked about.
    """
    free = table.drop(columns.statement, *columns.keep, strict=False)
    there = {role: role if role in free.columns else usual_column(free, role) for role in ROLES}
    if "attribute" in table.columns:
        there["identity"] = None
    usual = {role: name for role, name in there.items() if name and getattr(columns, role) is None}
    if renamed := ", ".join(f"{role} '{shown(name)}'" for role, name in usual.items() if name != role):
        say(f"Columns by their names: {renamed}.")
    if columns.respondent is None and "respondent" not in usual:
        say(ONE_EACH)
    changes: dict[str, Any] = {str(role): name for role, name in usual.items()}
    return replace(columns, **changes)


def question_named(name: str, survey_map: SurveyMap | None = None) -> Question:
    """The question of that name: of the map, or one about a group of `IDENTITIES`, or one whose axis is its name."""
    plain = " ".join(name.split()).lower()
    if survey_map is not None:
        for entry in survey_map.question:
            if entry.name == plain:
                return entry.question
    if plain in IDENTITIES:
        return Question(plain, IDENTITIES[plain], plain)
    return Question(plain, plain if 0 < len(plain.split()) <= _LONGEST_AXIS else NO_AXIS)


def read_statements(
    path: Path,
    columns: RowColumns,
    survey_map: SurveyMap | None = None,
    say: Callable[[str], None] = lambda _: None,
) -> list[Statement]:
    """The statements of a table, in its order.

    Of the other columns `statement_id` (made where there is none), `position`, `original_statement` and `flag` are read
    where they are present, and those of `columns`; nothing else is.

    Args:
        path: the table.
        columns: what is read.
        survey_map: questions by name.
        say: is given what was assumed, as sentences.

    Raises:
        UserError: a column is missing, an id stands twice or is empty, the respondents seem to be names, a kept column,
            the country, region or language looks private, or a kept one is taken, or no row has a statement.
    """
    stated = [getattr(columns, role) for role in ("statement", "attribute", *ROLES)]
    table = read_export(path, [name for name in (*stated, *columns.keep) if name])
    _require_keepable(path, columns.keep)
    columns = with_usual_columns(table, columns, say)
    used = [*columns.keep, columns.country, columns.region, columns.language]
    refuse_private(path, table, [name for name in used if name])
    if columns.respondent:
        refuse_names(path, table, columns.respondent)
    if not any((cell or "").strip() for cell in table[columns.statement]):
        raise UserError(
            f"{path}: column '{shown(columns.statement)}' is empty in all rows. Expected statements."
        )
    ids = _ids(path, table)
    width = len(str(table.height))
    return [
        _statement(row, statement_id or f"row-{number:0{width}d}", columns, survey_map)
        for number, (row, statement_id) in enumerate(
            zip(table.iter_rows(named=True), ids, strict=True), start=1
        )
    ]


def _statement(
    row: Mapping[str, str | None], statement_id: str, columns: RowColumns, survey_map: SurveyMap | None
) -> Statement:
    def cell(name: str | None) -> str:
        return " ".join((row.get(name) or "").split()) if name else ""

    question = question_named(cell(columns.question), survey_map)
    axis, identity = cell(columns.axis).lower(), cell(columns.identity).lower()
    question = Question(question.name, axis or question.axis, identity or question.identity)
    pieces = (" ".join(piece.split()) for piece in (row.get(columns.statement) or "").split("\t"))
    text = " - ".join(piece for piece in pieces if piece)  # group and attribute may stand apart by a tab
    position = cell("position")
    country = cell(columns.country)
    original = cell("original_statement") or text
    identified = [IDENTIFIER] if any(map(identifier_in, (text, original, country))) else []
    return Statement(
        statement_id=statement_id,
        respondent=cell(columns.respondent),
        question=question,
        position=int(position) if position.isdigit() else 1,
        country=country,
        original=original,
        language=language_code(cell(columns.language)),
        text=text,
        kept={name: cell(name) for name in columns.keep}
        | ({"region": cell(columns.region)} if columns.region else {}),
        flags=tuple(dict.fromkeys([*cell("flag").split(), *length_flags(text), *identified])),
        alone=True,
        pair=(cell(columns.identity), cell(columns.attribute)) if columns.attribute else None,
    )


def _ids(path: Path, table: pl.DataFrame) -> list[str]:
    """The ids of the table, or an empty text per row where it has none."""
    if "statement_id" not in table.columns:
        return [""] * table.height
    rows: dict[str, int] = {}
    for number, cell in enumerate(table["statement_id"], start=1):
        name = (cell or "").strip()
        if not name:
            raise UserError(f"{path}, row {number}: the statement_id is empty. Fill it in.")
        if name in rows:
            raise UserError(
                f"{path}, row {number}: the statement_id '{shown(name)}' also appears in row {rows[name]}. Make ids "
                "unique."
            )
        rows[name] = number
    return list(rows)


def _require_keepable(path: Path, keep: Sequence[str]) -> None:
    for name in keep:
        if name in STATEMENT_COLUMNS:
            raise UserError(
                f"{path}: the column '{name}' cannot be kept, because statements already have this column. Rename it."
            )
