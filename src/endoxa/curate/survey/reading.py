"""A survey export as respondents with their answers: what the map names, and nothing that tells who they are.

A first map for a survey that has none: a proposal to be read and mended by hand.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import polars as pl

from endoxa.curate.extract import Question
from endoxa.curate.survey import SurveyMap, find_column, is_code_header, plain_header, shown, without_code
from endoxa.errors import UserError
from endoxa.sources.files import require_file
from endoxa.sources.frames import read_table
from endoxa.sources.headers import usual_column
from endoxa.sources.source import called
from endoxa.sources.tables import TABLE_SUFFIXES
from endoxa.words.identifiers import LONG_NUMBER, find_identifiers

USER_CODE = "user code"
"""Kind of column that a survey tool makes: fine as a respondent's code, but nothing to keep."""

_ACCOUNTS = r"(?:instagram|facebook|twitter|tiktok|telegram|snapchat|linkedin)"
_HEADERS = {
    "e-mail": r"\be-?mails?\b|\bcourriel\b|\bcorreo\b|\bbarua pepe\b",
    "phone number": r"\b(?:tele)?phones?\b|\btele(?:fono|fone|movel)s?\b|\bmobile (?:number|no)\b|\bcell ?phone\b"
    r"|\bwhatsapp\b|\btel\b|\bnumero de (?:celular|movil|portable)\b|\b(?:namba ya )?simu\b"
    r"|^(?:(?:your|tu|su|votre|seu) )?(?:mobile|cell|celular|movil|portable)$",
    "IP address": r"\bip\b|\bgeo-?ip\b",
    "place": r"\baddress\b|\badresse\b|\bdireccion\b|\bendereco\b|\banwani\b|\bgps\b|\blatitude\b|\blongitude\b"
    r"|\bgeo-?location\b|\bpost ?code\b|\bzip\b|\b(?:postal|zip) code\b|\bcod(?:e|igo) postal\b|\bcep\b",
    "name": r"\b(?:full|first|last|family|your|given|sur|user|interviewer'?s?) ?names?\b|^names?$|\bnom\b|\bprenoms?\b"
    r"|\binterviewer\b|\benqueteur\b|\bapellidos?\b|\bsobrenomes?\b|^nom[eb]r?e?s?$|\bnom(?:br)?e completo\b"
    r"|\b(?:tu|su|seu) nom(?:br)?e\b|\bnombre (?:y apellido|de (?:usuario|(?:la )?persona\b|(?:el |la )?entrevistad))"
    r"|\bjina\b",
    "date of birth": r"\bdate of birth\b|\bbirth ?da(?:te|y)\b|\bdob\b|\bfecha de nac|\bdate de naissance\b"
    r"|\bdata de nascimento\b|\btarehe ya kuzaliwa\b",
    "personal number": r"\b(?:national|passport|student|matric(?:ulation)?|employee|staff|voter'?s?|tax)[ -]?"
    r"(?:id\b|identification|identity (?:card|number)|number|no\b)"
    r"|\b(?:nin|ssn|bvn|curp|cpf|dni|cedula|aadhaar|pasaporte|passeport|kitambulisho)\b|\bsocial security\b"
    r"|\b(?:numero|carte|carteira|documento) d[e'](?: ?la)? ?(?:identi(?:te|dade?|ficacion)|etudiant|estudiante)\b",
    "account": rf"^(?:your )?{_ACCOUNTS}$"
    rf"|\b(?:{_ACCOUNTS}|social media) (?:handle|account|user ?name|id|profile|link)s?\b",
    USER_CODE: r"\b(?:user|device|advertising)[ -]?id\b|\buuid\b|\buid\b",
}
_HEADER_PATTERNS = {kind: re.compile(pattern) for kind, pattern in _HEADERS.items()}
_LOOKED_AT = 200
_SHARE = 0.2
"""Share of a column's filled cells that must look like an identifier before the column does."""


_LONG_NUMBER_DIGITS = 10


def private_columns(table: pl.DataFrame, columns: Iterable[str]) -> dict[str, str]:
    """Those of `columns` that look private by their header or by a fifth of their first filled cells, and as what."""
    private = {}
    for column in columns:
        parts = unicodedata.normalize("NFKD", plain_header(column)).replace("_", " ")
        letters = "".join(letter for letter in parts if not unicodedata.combining(letter))
        plain = without_code(letters).strip(" :*?")
        by_header = (kind for kind, pattern in _HEADER_PATTERNS.items() if pattern.search(plain))
        if kind := next(by_header, "") or _by_values(table[column]):
            private[column] = kind
    return private


def _by_values(cells: pl.Series) -> str:
    filled = [cell.strip() for cell in cells.drop_nulls().to_list() if cell.strip()][:_LOOKED_AT]
    kinds = Counter(kind for cell in filled if (kind := _identifier_only(cell)))
    return next((kind for kind, count in kinds.most_common(1) if count >= _SHARE * len(filled)), "")


def _identifier_only(cell: str) -> str:
    """The kind of identifier that a cell is, or an empty text; a bare number below ten digits may be an income."""
    first = next(iter(find_identifiers(cell)), None)
    if first is None or first.end - first.start < len(cell):
        return ""
    return "" if first.kind == LONG_NUMBER and len(cell) < _LONG_NUMBER_DIGITS else first.kind


def read_export(path: Path, required: Sequence[str] = ()) -> pl.DataFrame:
    """The table at `path`, all columns as text; see `endoxa.sources.frames.read_table`.

    Raises:
        UserError: the name ends in no kind of file that is read, or see `read_table`.
    """
    require_file(path)
    if path.suffix.lower() not in TABLE_SUFFIXES:
        raise UserError(
            f"{path} has an unknown file type. Save it as {', '.join(TABLE_SUFFIXES[:-1])} or {TABLE_SUFFIXES[-1]} "
            "(from a spreadsheet: .csv or .xlsx)."
        )
    return read_table(path, required, respect_statuses=False, as_written=True)


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
        private: those of them that look private, and as what.
    """

    questions: tuple[Question, ...]
    kept: tuple[str, ...]
    respondents: tuple[Respondent, ...]
    dropped: tuple[str, ...]
    private: dict[str, str]


def read_survey(path: Path, survey_map: SurveyMap) -> Survey:
    """Read an export through its map.

    Raises:
        UserError: the file cannot be read; a mapped column is missing, ambiguous or named twice; a kept column,
            the country or the language looks private, by its header or its cells; two rows have one
            respondent code; no answer at all.
    """
    table = read_export(path)
    headers = table.columns
    question_columns = [find_column(path, headers, wanted) or wanted.column for wanted in survey_map.question]
    named_twice = next((name for name in question_columns if question_columns.count(name) > 1), None)
    if named_twice:
        raise UserError(
            f"{called(path)}: two questions of the mapping match the column '{shown(named_twice)}'. Write longer "
            "parts of their headers."
        )
    kept: dict[str, list[str]] = {}
    for wanted in survey_map.keep:
        column = find_column(path, headers, wanted)
        kept.setdefault(wanted.name, []).extend([] if column is None else [column])
    country, language, respondent = (
        find_column(path, headers, choice) if choice else None
        for choice in (survey_map.country, survey_map.language_column, survey_map.respondent)
    )
    released = [*chain(*kept.values()), country, language]
    refuse_private(path, table, [column for column in released if column is not None])
    used = {*question_columns, *released, respondent}
    dropped = [column for column in headers if column not in used]
    if survey_map.respondent and survey_map.respondent.optional and not holds_codes(table, respondent):
        respondent = None
    if respondent is None:
        codes = [str(number) for number in range(table.height)]
    else:
        refuse_names(path, table, respondent)
        codes = unique_cells(path, table, respondent, "respondent code", _ONE_ROW_EACH)
    mark = survey_map.multi_select
    respondents = tuple(
        Respondent(
            code=code,
            country=clean_choice(row[country], mark) if country else "",
            language=(row[language] or "").strip().lower() if language else "",
            kept={
                name: "; ".join(filter(None, (clean_choice(row[column], mark) for column in columns)))
                for name, columns in kept.items()
            },
            answers=tuple(row[column] or "" for column in question_columns),
        )
        for code, row in zip(codes, table.iter_rows(named=True), strict=True)
    )
    _require_words(path, respondents, question_columns)
    return Survey(
        questions=tuple(wanted.question for wanted in survey_map.question),
        kept=tuple(kept),
        respondents=respondents,
        dropped=tuple(dropped),
        private=private_columns(table, dropped),
    )


def clean_choice(cell: str | None, mark: str) -> str:
    """The items of a "select all that apply" cell joined by '; ': 'A  * B *' with mark '*' is 'A; B'."""
    items = (cell or "").split(mark) if mark else [cell or ""]
    return "; ".join(" ".join(item.split()) for item in items if item.strip())


def refuse_private(path: Path, table: pl.DataFrame, columns: Sequence[str]) -> None:
    """Raise UserError where one of the columns that are to be kept looks private, by its header or its cells."""
    for column, kind in private_columns(table, columns).items():
        raise UserError(
            f"{called(path)}, column '{shown(column)}' looks like a {kind} per person and cannot be "
            "kept. Leave it out (or rename its header, if it is not private)."
        )


def holds_codes(table: pl.DataFrame, column: str | None) -> bool:
    """Whether a column that need not be there holds unique codes, each with a digit in it: names have none."""
    cells = [] if column is None else table[column].to_list()
    return len(set(cells)) == len(cells) and all(_CODE.fullmatch(cell or "") for cell in cells)


def refuse_names(path: Path, table: pl.DataFrame, column: str) -> None:
    """Raise UserError where a column of respondents' codes seems to hold names, or something else that is private."""
    # The kind of private thing that a column of respondents' codes seems to hold, or an empty text.
    fine = {USER_CODE, *([LONG_NUMBER] if is_code_header(column) else [])}
    kinds = [kind for kind in private_columns(table, [column]).values() if kind not in fine]
    named = sum(bool(_NAME.fullmatch((cell or "").strip())) for cell in table[column]) > table.height / 2
    kind = kinds[0] if kinds else "name" if named else ""
    if kind:
        raise UserError(
            f"{called(path)}, column '{shown(column)}' (respondent) looks like a {kind}. Use a column of codes, or "
            "leave it out (rows are numbered instead)."
        )


def unique_cells(path: Path, table: pl.DataFrame, column: str, name: str, how: str) -> list[str]:
    """The cells of a column that names its rows.

    Args:
        path: the table's, for messages.
        table: the table.
        column: its column.
        name: what a cell is, for messages.
        how: what to do where one stands twice, for messages.

    Raises:
        UserError: a cell is empty, or stands twice.
    """
    rows: dict[str, int] = {}
    for number, cell in enumerate(table[column], start=1):
        place = f"{called(path)}, row {number}, column '{shown(column)}': the {name}"
        text = (cell or "").strip()
        if not text:
            raise UserError(f"{place} is empty. Fill it in.")
        if text in rows:
            raise UserError(f"{place} '{shown(text)}' also appears in row {rows[text]}. {how}")
        rows[text] = number
    return list(rows)


_ONE_ROW_EACH = (
    "Give each respondent a unique code, or name the column of statements with --statement-column if each row is one "
    "statement."
)


def _require_words(path: Path, respondents: Sequence[Respondent], columns: Sequence[str]) -> None:
    """Refuse columns of answers that are empty throughout, or hold numbers only."""
    if not any(answer.strip() for respondent in respondents for answer in respondent.answers):
        raise UserError(
            f"{called(path)}: all answers of the mapped questions are empty. Check the columns of the mapping."
        )
    for place, column in enumerate(columns):
        filled = [cell for each in respondents if (cell := each.answers[place].strip())]
        if filled and all(cell.replace(".", "", 1).replace(",", "", 1).isdigit() for cell in filled):
            raise UserError(
                f"{called(path)}, column '{shown(column)}': only numbers found (the first is '{shown(filled[0])}'). "
                "Expected answers in words. Correct the mapping, or the spreadsheet if it converted words to numbers."
            )


_VARIED = 0.5
"""Least share of different answers in a column of answers in words: choices among a few are none."""
_HEAD = """\
# Draft mapping for {name}: correct names and axes, delete what you do not need.
# A header may be shortened, as long as only one column starts with it.
title = {title}
# languages = ["en", "fr"]  # languages the answers may be in, if you know them
{roles}"""


def draft_map(path: Path) -> str:
    """TOML of a map for the table at `path`: questions are the columns that hold sentences.

    Columns that are left out stand at the end as comments, so that nothing is overlooked.

    Raises:
        UserError: the file cannot be read.
    """
    table = read_export(path)
    code = next((name for name in table.columns if is_code_header(name) and holds_codes(table, name)), None)
    private = private_columns(table, [name for name in table.columns if name != code])
    roles = {"respondent": code, "country": usual_column(table.drop(private), "country")}
    rest = [name for name in table.columns if name not in {*private, *roles.values()}]
    questions = [name for name in rest if _in_words(table[name])]
    columns = "".join(f"{role} = {{ column = {_quoted(name)} }}\n" for role, name in roles.items() if name)
    parts = [_HEAD.format(name=path.name, title=_quoted(path.stem), roles=columns)]
    for number, name in enumerate(questions, start=1):
        parts.append(
            f'[[question]]\ncolumn = {_quoted(name)}\nname = "question-{number}"\naxis = "other"\n'
            '# identity = "women"  # only if all answers are about one group\n'
        )
    for name in rest:
        if name not in questions:
            short = without_code(plain_header(name))[:20]
            parts.append(f"# [[keep]]\n# column = {_quoted(name)}\n# name = {_quoted(short)}\n")
    parts += [f"# looks private ({kind}): {shown(name)}\n" for name, kind in private.items()]
    return "\n".join(parts)


def _in_words(cells: pl.Series) -> bool:
    """Whether a column holds answers in words: several in most cells, no choices among a few, and no times."""
    filled = cells.drop_nulls().str.strip_chars().str.to_lowercase()
    filled = filled.filter(filled != "")
    words = filled.str.contains(r"\p{L}.*\s.*\p{L}") & ~filled.str.contains(r"\d:\d\d")
    return 2 * int(words.sum()) > len(filled) and filled.n_unique() >= _VARIED * len(filled)


def _quoted(text: str) -> str:
    """A TOML string; JSON's escapes are TOML's."""
    return json.dumps(text, ensure_ascii=False)
