"""A table that already has one statement per row: nothing is split, and no row inherits from another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from endoxa.curate.extract import Question
from endoxa.curate.language import language_code
from endoxa.curate.survey import SurveyMap, shown
from endoxa.curate.survey.reading import read_export, refuse_private
from endoxa.curate.survey.statements import Statement, length_flags
from endoxa.errors import UserError
from endoxa.schema import STATEMENT_COLUMNS
from endoxa.words.identifiers import IDENTIFIER, identifier_in

IDENTITIES = {"women": "gender", "men": "gender", "girls": "gender", "boys": "gender"}
"""Names of questions that are about one group, with their axis."""
NO_AXIS = "unspecified"


@dataclass(frozen=True, slots=True)
class RowColumns:
    """Which columns of a table of statements are read.

    Attributes:
        statement: the statement itself.
        question: the question's name, or None.
        country: the respondent's country; None for a column of that name, where there is one.
        language: ISO 639-1 code; None for a column of that name, where there is one.
        keep: further columns that go along under their own names.
        identity: who each statement is about, where people said it already; None where it is read from the statement.
        attribute: what is said of them; only with `identity`.
    """

    statement: str
    question: str | None = None
    country: str | None = None
    language: str | None = None
    keep: tuple[str, ...] = ()
    identity: str | None = None
    attribute: str | None = None


def question_named(name: str, survey_map: SurveyMap | None = None) -> Question:
    """The question of that name: of the map, or one about a group of `IDENTITIES`, or one whose axis is its name."""
    plain = " ".join(name.split()).lower()
    if survey_map is not None:
        for entry in survey_map.question:
            if entry.name == plain:
                return entry.question
    if plain in IDENTITIES:
        return Question(plain, IDENTITIES[plain], plain)
    return Question(plain, plain or NO_AXIS)


def read_statements(path: Path, columns: RowColumns, survey_map: SurveyMap | None = None) -> list[Statement]:
    """The statements of a table, in its order.

    Of the other columns `statement_id` (made where there is none), `respondent`, `position`, `axis`,
    `original_statement` and `flag` are read where they are present, and those of `columns`; nothing else is.

    Raises:
        UserError: a column is missing, an id stands twice or is empty, a kept column, the country or the
            language looks private, or a kept one is taken, or
            no row has a statement.
    """
    named = [columns.statement, columns.question, columns.country, columns.language, *columns.keep]
    named += [columns.identity, columns.attribute]
    table = read_export(path, [name for name in named if name])
    _require_keepable(path, columns.keep)
    used = [*columns.keep, columns.country or "country", columns.language or "language"]
    refuse_private(path, table, [name for name in used if name in table.columns])
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
    if cell("axis"):
        question = Question(question.name, cell("axis").lower(), question.identity)
    pieces = (" ".join(piece.split()) for piece in (row.get(columns.statement) or "").split("\t"))
    text = " - ".join(piece for piece in pieces if piece)  # group and attribute may stand apart by a tab
    position = cell("position")
    country = cell(columns.country or "country")
    original = cell("original_statement") or text
    identified = [IDENTIFIER] if any(map(identifier_in, (text, original, country))) else []
    return Statement(
        statement_id=statement_id,
        respondent=cell("respondent"),
        question=question,
        position=int(position) if position.isdigit() else 1,
        country=country,
        original=original,
        language=language_code(cell(columns.language or "language")),
        text=text,
        kept={name: cell(name) for name in columns.keep},
        flags=tuple(dict.fromkeys([*cell("flag").split(), *length_flags(text), *identified])),
        alone=True,
        pair=(cell(columns.identity), cell(columns.attribute)) if columns.identity else None,
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
