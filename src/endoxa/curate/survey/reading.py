"""A survey export as respondents with their answers: only what the map names is kept."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from endoxa.curate.extract import Question
from endoxa.curate.survey.columns import find_column, is_code_header, shown
from endoxa.curate.survey.export import read_export
from endoxa.curate.survey.mapping import ColumnChoice, SurveyMap
from endoxa.curate.survey.privacy import LONG_NUMBER, USER_CODE, Suspicion, private_columns
from endoxa.errors import UserError

LONG_ANSWER = 5000
"""Characters from which an answer is looked at: a missing quote makes one cell swallow its neighbours."""


_CODE = re.compile(r"(?=\D*\d)[\w.-]{1,16}")
_NAME = re.compile(r"[^\W\d_]{2,}(?:[ '’-]+[^\W\d_]{2,})+\.?")


@dataclass(frozen=True, slots=True)
class Respondent:
    """What one person answered.

    Attributes:
        code: the survey's own code, or the number of the row from 0.
        country: as the export has it, cleaned of marks; empty where it is not known.
        language: ISO 639 code where the export declares it, else empty.
        kept: kept demographics by name.
        answers: one text per question of the map, in its order; empty where there is none.
    """

    code: str
    country: str
    language: str
    kept: dict[str, str]
    answers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Survey:
    """An export, read.

    Attributes:
        questions: the questions of the map, in its order.
        kept: names of the kept demographics.
        respondents: in the order of the file.
        dropped: columns that were not read.
        private: those of them that look private.
    """

    questions: tuple[Question, ...]
    kept: tuple[str, ...]
    respondents: tuple[Respondent, ...]
    dropped: tuple[str, ...]
    private: tuple[Suspicion, ...]


def read_survey(path: Path, survey_map: SurveyMap) -> Survey:
    """Read an export through its map.

    Raises:
        UserError: the file cannot be read; a mapped column is missing, ambiguous or named twice; a kept column,
            the country or the language looks private, by its header or its cells; two rows have one
            respondent code; no answer at all.
    """
    table = read_export(path)
    headers = table.columns
    question_columns = [_must(find_column(path, headers, one), one) for one in survey_map.question]
    named_twice = next((name for name in question_columns if question_columns.count(name) > 1), None)
    if named_twice:
        raise UserError(
            f"{path}: the map takes column '{shown(named_twice)}' for two questions: write more of both."
        )
    kept = [(one.name, find_column(path, headers, one)) for one in survey_map.keep]
    kept_columns = [(name, column) for name, column in kept if column is not None]
    country = _optional(path, headers, survey_map.country)
    language = _optional(path, headers, survey_map.language_column)
    respondent = _optional(path, headers, survey_map.respondent)
    released = [*(column for _, column in kept_columns), country, language]
    refuse_private(path, table, [column for column in released if column is not None])
    used = {*question_columns, *(column for _, column in kept_columns), country, language, respondent}
    dropped = [column for column in headers if column not in used]
    if survey_map.respondent and survey_map.respondent.optional and not holds_codes(table, respondent):
        respondent = None
    codes = _codes(path, table, respondent)
    names = tuple(dict.fromkeys(name for name, _ in kept))
    mark = survey_map.multi_select
    respondents = tuple(
        Respondent(
            code=code,
            country=clean_choice(row[country], mark) if country else "",
            language=(row[language] or "").strip().lower() if language else "",
            kept=_joined(names, kept_columns, row, mark),
            answers=tuple(row[column] or "" for column in question_columns),
        )
        for code, row in zip(codes, table.iter_rows(named=True), strict=True)
    )
    _require_words(path, respondents, question_columns)
    return Survey(
        questions=tuple(one.question for one in survey_map.question),
        kept=names,
        respondents=respondents,
        dropped=tuple(dropped),
        private=tuple(private_columns(table, dropped)),
    )


def clean_choice(cell: str | None, mark: str) -> str:
    """The items of a "select all that apply" cell joined by '; ': 'A  * B *' with mark '*' is 'A; B'."""
    items = (cell or "").split(mark) if mark else [cell or ""]
    return "; ".join(" ".join(item.split()) for item in items if item.strip())


def _must(column: str | None, choice: ColumnChoice) -> str:
    if column is None:
        raise UserError(f"The question '{choice.column}' is marked optional in the map: questions cannot be.")
    return column


def _optional(path: Path, headers: Sequence[str], choice: ColumnChoice | None) -> str | None:
    return None if choice is None else find_column(path, headers, choice)


def _joined(
    names: Sequence[str], columns: Sequence[tuple[str, str]], row: dict[str, str | None], mark: str
) -> dict[str, str]:
    cells = {
        name: [clean_choice(row[column], mark) for one, column in columns if one == name] for name in names
    }
    return {name: "; ".join(cell for cell in found if cell) for name, found in cells.items()}


def refuse_private(path: Path, table: pl.DataFrame, columns: Sequence[str]) -> None:
    """Raise UserError where one of the columns that are to be kept looks private, by its header or its cells."""
    for one in private_columns(table, columns):
        raise UserError(
            f"{path}: column '{shown(one.column)}' is to be kept, but holds what looks like a {one.kind} per person: "
            "leave it out (or give it another header, if it holds nothing of the kind)."
        )


def holds_codes(table: pl.DataFrame, column: str | None) -> bool:
    """Whether a column that need not be there holds unique codes, each with a digit in it: names have none."""
    cells = [] if column is None else table[column].to_list()
    return len(set(cells)) == len(cells) and all(_CODE.fullmatch(cell or "") for cell in cells)


def _private_code(table: pl.DataFrame, column: str) -> str:
    """The kind of private thing that a column of respondents' codes seems to hold, or an empty text."""
    fine = {USER_CODE, *([LONG_NUMBER] if is_code_header(column) else [])}
    kinds = [one.kind for one in private_columns(table, [column]) if one.kind not in fine]
    named = sum(bool(_NAME.fullmatch((cell or "").strip())) for cell in table[column]) > table.height / 2
    return kinds[0] if kinds else "name" if named else ""


def _codes(path: Path, table: pl.DataFrame, column: str | None) -> list[str]:
    """A unique code per row."""
    if column is None:
        return [str(number) for number in range(table.height)]
    kind = _private_code(table, column)
    if kind:
        raise UserError(
            f"{path}: the respondent column '{shown(column)}' holds what looks like a {kind}: "
            "use a column of codes, or leave it out of the map (the row's number is used then)."
        )
    rows: dict[str, int] = {}
    for number, cell in enumerate(table[column], start=1):
        code = (cell or "").strip()
        if not code:
            raise UserError(
                f"{path}, row {number}, column '{shown(column)}': the respondent's code is empty."
            )
        if code in rows:
            raise UserError(
                f"{path}, row {number}, column '{shown(column)}': the respondent code '{shown(code)}' stands in row "
                f"{rows[code]} too: every respondent needs a code of their own."
            )
        rows[code] = number
    return list(rows)


def _require_words(path: Path, respondents: Sequence[Respondent], columns: Sequence[str]) -> None:
    """Refuse columns of answers that are empty throughout, or hold numbers only."""
    if not any(answer.strip() for one in respondents for answer in one.answers):
        raise UserError(
            f"{path}: every answer of every mapped question is empty: does the map name the right columns?"
        )
    for place, column in enumerate(columns):
        filled = [one.answers[place].strip() for one in respondents if one.answers[place].strip()]
        if filled and all(_is_number(cell) for cell in filled):
            raise UserError(
                f"{path}: column '{shown(column)}' holds numbers only (the first is '{shown(filled[0])}'), so it is "
                "not one of answers in words: mend the map, or the spreadsheet that turned words into numbers."
            )


def _is_number(cell: str) -> bool:
    return cell.replace(".", "", 1).replace(",", "", 1).isdigit()
