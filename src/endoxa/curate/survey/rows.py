"""A table that already has one statement per row: nothing is split, and no row inherits from another.

Who said it, where, in which language, and what was asked stand in columns that are named, or known by their usual names
(`endoxa.sources.headers`). A respondent who stands in several rows is one person.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from endoxa.curate.extract import Question
from endoxa.curate.language import language_code
from endoxa.curate.survey import SurveyMap, shown
from endoxa.curate.survey.reading import read_export, refuse_names, refuse_private, unique_cells
from endoxa.curate.survey.statements import Statement, length_flags
from endoxa.errors import UserError
from endoxa.report.words import plural
from endoxa.schema import STATEMENT_COLUMNS
from endoxa.sources.frames import read_table
from endoxa.sources.headers import Role, usual_column
from endoxa.sources.layouts import SENTENCES, Layout, recognised_as
from endoxa.sources.source import Source, reading_files
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


def question_named(
    name: str, survey_map: SurveyMap | None = None, *, axis: str = "", identity: str = ""
) -> Question:
    """The question of that name: of the map, or one about a group of `IDENTITIES`, or one whose axis is its name.

    Args:
        name: its name.
        survey_map: questions by name.
        axis: its axis, where a table says it.
        identity: the group that it is about, where a table says it.
    """
    plain = " ".join(name.split()).lower()
    mapped = (entry.question for entry in survey_map.question if entry.name == plain) if survey_map else ()
    usual = plain if 0 < len(plain.split()) <= _LONGEST_AXIS else NO_AXIS
    group = plain if plain in IDENTITIES else None
    question = next(iter(mapped), Question(plain, IDENTITIES.get(plain, usual), group))
    return Question(question.name, axis or question.axis, identity or question.identity)


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
    if "statement_id" in table.columns:
        ids = unique_cells(path, table, "statement_id", "statement_id", "Make ids unique.")
    else:
        width = len(str(table.height))
        ids = [f"row-{number:0{width}d}" for number in range(1, table.height + 1)]
    rows = zip(table.iter_rows(named=True), ids, strict=True)
    return [_statement(row, statement_id, columns, survey_map) for row, statement_id in rows]


def _statement(
    row: Mapping[str, str | None], statement_id: str, columns: RowColumns, survey_map: SurveyMap | None
) -> Statement:
    def cell(name: str | None) -> str:
        return " ".join((row.get(name) or "").split()) if name else ""

    axis, identity = cell(columns.axis).lower(), cell(columns.identity).lower()
    question = question_named(cell(columns.question), survey_map, axis=axis, identity=identity)
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


def _require_keepable(path: Path, keep: Sequence[str]) -> None:
    for name in keep:
        if name in STATEMENT_COLUMNS:
            raise UserError(
                f"{path}: the column '{name}' cannot be kept, because statements already have this column. Rename it."
            )


GAP = "*"
_LISTED = re.compile(r"""'([^']*)'|"([^"]*)\"""")
"""Entries of a list as Python writes it, `['pobres', 'ricos']`; what is not quoted (`none`) is no entry."""
_BLANK_BEFORE_MARK = re.compile(r"\s+(?=[.,;:!?])")


def sentences_of(path: Path) -> tuple[Source, str] | None:
    """The sentences of a published file, and what to say of how it was read; None for other files.

    The table has `statement`, `axis`, `respondent` (number of the row in which the sentence stands first) and the
    file's other columns. These files do not say who wrote a row, so a sentence counts once, with the axis of its first
    row, however often it is there.

    Raises:
        UserError: the file cannot be read, or has no sentence.
    """
    recognised = recognised_as(path)
    if recognised is None or recognised.layout.unit != SENTENCES:
        return None
    with reading_files(sheet=recognised.sheet):
        rows = read_table(path, tuple(recognised.columns), as_written=True).rename(recognised.columns)
    filled: dict[str, dict[str, str]] = {}
    for statement in _statements(rows, recognised.layout):
        filled.setdefault(statement["statement"].casefold(), statement)
    if not filled:
        raise UserError(
            f"{path} has no sentence: every one has a gap, and no words for it. Use the authors' file."
        )
    how = (
        f"{path} was read as {recognised.layout.name}: {plural(len(filled), 'different sentence')} from "
        f"{plural(rows.height, 'row')}. The file does not say who wrote a row, so rows count as respondents, nor which "
        "sentences are stereotypes: let people judge them (endoxa curate review)."
    )
    return Source.of_frame(pl.DataFrame(list(filled.values())), str(path), str(path)), how


def _statements(rows: pl.DataFrame, layout: Layout) -> Iterator[dict[str, str]]:
    others = [name for name in rows.columns if name not in layout.roles.values()]
    for number, cells in enumerate(rows.iter_rows(named=True), start=1):
        sentence, words = (cells.get(layout.roles.get(role, "")) or "" for role in ("statement", "words"))
        axis = _axis(cells[layout.roles["axis"]] or "", layout.axes)
        for word in listed(words) if GAP in sentence else [""]:
            text = " ".join(sentence.replace(GAP, f" {word} ", 1).split())
            yield {
                "statement": _BLANK_BEFORE_MARK.sub("", text).rstrip(" ."),
                "axis": axis,
                "respondent": str(number),
                **{name: cells[name] or "" for name in others},
            }


def listed(cell: str) -> list[str]:
    """The entries of a list that Python wrote, without marks behind them."""
    return [word.strip(" .") for pair in _LISTED.findall(cell) if (word := "".join(pair)).strip(" .")]


def _axis(cell: str, axes: Mapping[str, str]) -> str:
    """Our names of the axes that are known, in the order of the alphabet; the file's are free text."""
    letters = unicodedata.normalize("NFKD", cell.casefold())
    plain = listed("".join(letter for letter in letters if not unicodedata.combining(letter)))
    return ", ".join(sorted({axes[name] for name in plain if name in axes})) or NO_AXIS
