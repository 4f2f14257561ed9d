"""Questions as XLSForm, the spreadsheets of KoboToolbox, ODK and LimeSurvey: read into a campaign, written from one.

`select_one` questions are asked about the person, `text` questions are the survey. What a campaign cannot keep (other
types, conditions, data of the device) is left out, and a warning names its row and column.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from endoxa.errors import UserError
from endoxa.sources.spreadsheets import opened_workbook
from endoxa.sources.tables import written_columns
from endoxa_collect import geography, naming
from endoxa_collect.campaign import CampaignSettings, ProfileField, SurveyQuestion, Texts
from endoxa_collect.export.card import toml_string

Cells = Mapping[str, str]

_SHEETS = ("survey", "choices", "settings")
_TRANSLATED = re.compile(r"(label|hint)(?:::?\s*(.+?))?")
_CODE = re.compile(r".*\(([A-Za-z]{2,3})(?:[-_]\w+)?\)")
_META = {
    *("start", "end", "today", "deviceid", "subscriberid", "simserial", "phonenumber", "username", "email"),
    *("audit", "start-geopoint", "background-audio", "calculate", "hidden"),
}
_GROUPS = {"begin group", "begin_group", "begin repeat", "begin_repeat"}
_ENDS = {"end group", "end_group", "end repeat", "end_repeat"}
_LOST = ("relevant", "constraint", "calculation", "choice_filter", "default", "appearance")
PERSON = "about_you"
"""The group of questions about the person in the forms that are written."""
SURVEY = "survey"


@dataclass(frozen=True)
class Form:
    """What a campaign takes from a form; `warnings` say what it does not."""

    profile: tuple[ProfileField, ...]
    questions: tuple[SurveyQuestion, ...]
    warnings: tuple[str, ...]


@dataclass(frozen=True)
class _Row:
    """A row of a sheet: where it is, its cells by column in small letters, and its texts by language."""

    place: str
    cells: Cells
    label: Texts
    hint: Texts


def read_form(path: Path) -> Form:
    """The questions of a form.

    Raises:
        UserError: it is no XLSForm, or a question cannot be asked; it says which row and column.
    """
    sheets = _sheets(path)
    settings = next(iter(sheets.get("settings", ())), {})
    usual = _language(settings.get("default_language", "")) or "en"
    lists: dict[str, dict[str, Texts]] = defaultdict(dict)
    for row in _rows(path, "choices", sheets.get("choices", ()), usual):
        listed = row.cells.get("list_name") or row.cells.get("list name", "")
        choice = row.cells.get("name", "")
        if listed and choice in lists[listed]:
            raise UserError(f"{row.place}, column 'name': '{choice}' is there twice in the list '{listed}'.")
        if listed:
            lists[listed][choice] = row.label or {usual: choice}
    reading = _Reading(lists, usual)
    for row in _rows(path, "survey", sheets["survey"], usual):
        reading.take(row)
    if not (reading.profile or reading.questions):
        raise UserError(
            f"{path}, sheet 'survey': no question that a campaign can ask. "
            "Expected rows of the types select_one and text."
        )
    return Form(tuple(reading.profile), tuple(reading.questions), tuple(reading.warnings))


def _sheets(path: Path) -> dict[str, list[Cells]]:
    """Rows of the three sheets by the heading of their columns, empty rows as they are, so that numbers stay true."""
    with opened_workbook(path, only_values=True) as book:
        named = {sheet.title.strip().lower(): sheet for sheet in book.worksheets}
        if "survey" not in named:
            raise UserError(
                f"{path} has no sheet 'survey' (found: {', '.join(named)}). Expected an XLSForm, as KoboToolbox, "
                "ODK and LimeSurvey save it."
            )
        rows_of: dict[str, list[Cells]] = {}
        for name in _SHEETS:
            if name not in named:
                continue
            heading, *rows = [
                list(map(_text, cells)) for cells in named[name].iter_rows(values_only=True)
            ] or [[]]
            columns = [column.strip() for column in heading]
            columns = [column if _translated(column) else column.lower() for column in columns]
            rows_of[name] = [
                {column: cell for column, cell in zip(columns, row, strict=False) if column} for row in rows
            ]
            if name != "settings":
                needed = ("type", "name") if name == "survey" else ("name",)
                if missing := next((column for column in needed if column not in columns), ""):
                    raise UserError(
                        f"{path}, sheet '{name}', row 1: column '{missing}' is missing (found: {', '.join(columns)})."
                    )
        return rows_of


def _text(cell: object) -> str:
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return "" if cell is None else str(cell).strip()


def _translated(column: str) -> re.Match[str] | None:
    return _TRANSLATED.fullmatch(column)


def _rows(path: Path, sheet: str, rows: Iterable[Cells], usual: str) -> Iterator[_Row]:
    for number, cells in enumerate(rows, start=2):
        if not any(cells.values()):
            continue
        texts: dict[str, dict[str, str]] = {"label": {}, "hint": {}}
        for column, text in cells.items():
            if (match := _translated(column)) and text:
                language = _language(match[2] or "") or usual
                texts[match[1]].setdefault(language, text)
        place = f"{path}, sheet '{sheet}', row {number}"
        yield _Row(place, cells, texts["label"], texts["hint"])


def _language(typed: str) -> str:
    """The code of a language as forms name it: "English (en)", "en", "English"; "" where it is none."""
    if match := _CODE.fullmatch(typed.strip()):
        return match[1].lower()
    return naming.match_language(typed, "en").code if typed.strip() else ""


class _Reading:
    """Rows of the sheet `survey` in their order, with the groups that are open."""

    def __init__(self, lists: Mapping[str, Mapping[str, Texts]], usual: str) -> None:
        self.profile: list[ProfileField] = []
        self.questions: list[SurveyQuestion] = []
        self.warnings: list[str] = []
        self._lists, self._usual = lists, usual
        self._groups: list[str] = []
        self._names: set[tuple[object, str]] = set()

    def take(self, row: _Row) -> None:
        kind, _, rest = row.cells.get("type", "").partition(" ")
        whole = row.cells.get("type", "").lower()
        if whole in _GROUPS:
            self._groups.append(row.cells.get("name", ""))
            self._say_lost(row, ("relevant",))
        elif whole in _ENDS:
            self._groups[-1:] = []
        elif whole in _META:
            self._warn(row, "type", f"'{whole}' is not asked: a campaign keeps nothing of devices and names")
        elif whole == "note":
            self._warn(row, "type", "a note is not shown: write it in the texts of the campaign (Settings)")
        elif kind in ("select_one", "select1"):
            self._choices(row, rest.split(" ")[0])
        elif whole in ("text", "string"):
            self._open(row)
        elif whole:
            self._warn(
                row,
                "type",
                f"'{row.cells['type']}' cannot be asked here (only select_one and text): left out",
            )

    def _choices(self, row: _Row, listed: str) -> None:
        if listed not in self._lists:
            raise UserError(
                f"{row.place}, column 'type': the sheet 'choices' has no list '{listed}'. Add it, or correct its name."
            )
        if not row.hint:
            self._warn(
                row,
                "hint",
                "empty, so people do not read why it is asked: write it under Settings, About the person",
            )
        purpose = row.hint or {"en": "So that we know whose answers these are."}
        facts = {"label": row.label, "purpose": purpose, "choices": dict(self._lists[listed])}
        self.profile.append(self._made(ProfileField, row, facts))

    def _open(self, row: _Row) -> None:
        about = next((name for name in reversed(self._groups) if name not in ("", SURVEY)), "")
        axis = row.cells.get("axis") or about.replace("_", " ") or row.cells.get("name", "")
        examples = {"": row.hint} if row.hint else {}
        facts = {
            "axis": axis,
            "identity": row.cells.get("identity", ""),
            "text": row.label,
            "examples": examples,
        }
        self.questions.append(self._made(SurveyQuestion, row, facts))

    def _made(self, model: Any, row: _Row, facts: Mapping[str, Any]) -> Any:
        name = row.cells.get("name", "")
        short = re.sub(r"[^a-z0-9_]+", "_", name.lower()).strip("_")[:31]
        if short != name:
            self._warn(row, "name", f"'{name}' is called '{short}' in the campaign")
        if not row.label:
            raise UserError(
                f"{row.place}, column 'label': empty. Expected the words of the question, such as under "
                "label::English (en)."
            )
        # A form may call a question about the person as one of the survey, in another group.
        if (model, short) in self._names:
            raise UserError(f"{row.place}, column 'name': '{short}' is there twice.")
        self._names.add((model, short))
        try:
            made = model.model_validate({"name": short, **facts})
        except ValidationError as problem:
            first = problem.errors()[0]
            part = str(first["loc"][0])
            column = {"choices": "type", "purpose": "hint", "examples": "hint", "text": "label"}.get(
                part, part
            )
            raise UserError(f"{row.place}, column '{column}': {first['msg']}.") from None
        if row.cells.get("required", "").lower() in ("yes", "true", "true()"):
            self._warn(row, "required", "not kept: people may leave out every question")
        self._say_lost(row, _LOST)
        return made

    def _say_lost(self, row: _Row, columns: Sequence[str]) -> None:
        for column in columns:
            if row.cells.get(column):
                self._warn(row, column, "not kept: every question is asked of everybody, in one order")

    def _warn(self, row: _Row, column: str, problem: str) -> None:
        self.warnings.append(f"{row.place}, column '{column}': {problem}.")


def with_form(settings: CampaignSettings, form: Form, *, replace: bool = False) -> dict[str, Any]:
    """New values by field of the settings: questions of one name are replaced, others added after those there.

    Args:
        settings: in force.
        form: what was read.
        replace: leave out all questions that were there.
    """

    def merged(before: Iterable[Any], new: Iterable[Any]) -> list[Any]:
        named = {} if replace else {entry.name: entry for entry in before}
        return [
            entry.model_dump(mode="json") for entry in (named | {entry.name: entry for entry in new}).values()
        ]

    questions = merged(settings.questions, form.questions)
    return {
        "profile": merged(settings.profile, form.profile),
        "questions": questions,
        "survey": settings.survey or bool(form.questions),
    }


def write_form(settings: CampaignSettings, path: Path, name: str) -> None:
    """Write the questions of a campaign as an XLSForm, with its consent as a note."""
    from openpyxl import Workbook

    languages = settings.ui_languages

    def words(column: str, texts: Texts) -> dict[str, str]:
        return {_heading(column, code): texts.get(code, "") for code in languages}

    survey: list[dict[str, str]] = [
        {"type": "note", "name": "consent", **words("label", settings.texts.consent)},
        {"type": "begin_group", "name": PERSON, **words("label", dict.fromkeys(languages, " "))},
    ]
    choices: list[dict[str, str]] = []
    for field in settings.profile:
        survey.append(
            {
                "type": f"select_one {field.name}",
                "name": field.name,
                **words("label", field.label),
                **words("hint", field.purpose),
            }
        )
        choices += [
            {"list_name": field.name, "name": choice, **words("label", texts)}
            for choice, texts in field.choices.items()
        ]
    survey += [
        {"type": "end_group", "name": ""},
        {"type": "begin_group", "name": SURVEY, **words("label", dict.fromkeys(languages, " "))},
    ]
    survey += [
        {
            "type": "text",
            "name": question.name,
            **words("label", question.text),
            **words("hint", question.examples.get("", {})),
            "axis": question.axis,
            "identity": question.identity,
        }
        for question in settings.questions
    ]
    survey.append({"type": "end_group", "name": ""})
    facts = {
        "form_title": settings.texts.title.get(languages[0], name),
        "form_id": name,
        "default_language": _named(languages[0]),
    }
    book = Workbook()
    for title, rows in zip(_SHEETS, (survey, choices, [facts]), strict=True):
        sheet = book.create_sheet(title)
        columns = list(dict.fromkeys(column for row in rows for column in row)) or ["list_name", "name"]
        for cells in (columns, *([row.get(column, "") for column in columns] for row in rows)):
            sheet.append(cells)
            for cell in sheet[sheet.max_row]:
                # Words that begin with "=" are words.
                cell.data_type = "s"
    book.remove(book.worksheets[0])
    made = BytesIO()  # a book that fails to be saved to a full disk fails once more when it goes
    book.save(made)
    try:
        path.write_bytes(made.getvalue())
    except OSError as problem:
        raise UserError(f"{path} cannot be written: {problem.strerror or problem}.") from problem


def _heading(column: str, code: str) -> str:
    return f"{column}::{_named(code)}"


def _named(code: str) -> str:
    return f"{geography.language_name(code, 'en')} ({code})"


def responses_map(path: Path, settings: CampaignSettings, title: str) -> tuple[str, tuple[str, ...]]:
    """The map by which `endoxa curate extract` reads answers from Kobo or ODK, and questions that have no column.

    Columns are found by the name of the question, with or without its groups ("survey/women", "survey-women"), or by
    its words in any language. What the map does not name is not read: the device, times, the account.

    Raises:
        UserError: the file has none of the questions.
    """
    columns = written_columns(path)
    lines = [
        f"title = {toml_string(title)}",
        f"languages = [{', '.join(map(toml_string, settings.ui_languages))}]",
    ]
    missing: list[str] = []
    for question in settings.questions:
        column = _column_of(question.name, question.text, columns, not_in=PERSON)
        if not column:
            missing.append(question.name)
            continue
        facts = {"column": column, "name": question.name, "axis": question.axis.lower()}
        if question.identity:
            facts["identity"] = question.identity.lower()
        lines += ["", "[[question]]", *(f"{key} = {toml_string(text)}" for key, text in facts.items())]
    if len(missing) == len(settings.questions):
        raise UserError(
            f"{path} has no column of a question of the survey ({', '.join(missing) or 'there are none'}). Found: "
            f"{', '.join(columns[:12])}."
        )
    for field in settings.profile:
        column = _column_of(field.name, field.label, columns, not_in=SURVEY)
        if column:
            lines += ["", "[[keep]]", f"column = {toml_string(column)}", f"name = {toml_string(field.name)}"]
        else:
            missing.append(field.name)
    return "\n".join(lines) + "\n", tuple(missing)


def _column_of(name: str, words: Texts, columns: Sequence[str], *, not_in: str) -> str:
    """The column of a question, "" where there is none; none of the group `not_in` of forms that we wrote."""
    spellings = {naming.plain(text) for text in words.values()}
    for column in columns:
        *above, last = (part.strip().lower() for part in re.split(r"[/:.-]", column))
        if not_in not in above and (last == name or naming.plain(column) in spellings):
            return column
    return ""
