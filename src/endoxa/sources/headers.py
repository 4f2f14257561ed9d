"""Names of columns: ours in any spelling, and where they stand in a table that begins with something else.

Exports of survey tools and spreadsheets begin with titles, or describe each column below its name (Qualtrics). What is
found is said by the reader of tables; a first row that names the columns is never passed over. Names in two rows
("Women" above "first thing", "second thing") are joined where somebody says which rows these are.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import accumulate
from typing import Literal

import polars as pl

from endoxa.errors import UserError
from endoxa.schema import ASSOCIATION_COLUMNS, GROUP_COLUMNS, PAIR_COLUMNS, STATEMENT_COLUMNS
from endoxa.schema.drafts import DRAFT_COLUMNS
from endoxa.schema.harm import HARM_RATING_COLUMNS
from endoxa.schema.stories import STORY_COLUMNS, STORY_MAP_COLUMNS
from endoxa.words.packs import words_by_language

LOOKED_AT = 50
"""Rows at the beginning among which the names are looked for."""
_TITLE_LINES = 20
_LEAST_COLUMNS = 3
_FULL = 0.8
"""Share of the columns that a row of names fills at least."""
_HALF = 0.5
_IMPORT = '{"ImportId"'
"""How cells of the row begin that Qualtrics writes below names and texts of questions."""


def plain_name(name: str) -> str:
    """A column's name without what people write differently: case, blanks around it, blanks or hyphens for '_'."""
    return "_".join(name.replace("\ufeff", " ").replace("\u200b", " ").replace("-", " ").casefold().split())


NUMBERS = frozenset(
    {
        "agreement",
        "confidence",
        "harm",
        "in_group_mean",
        "in_group_ratings",
        "k",
        "knowers",
        "mean",
        "out_group_mean",
        "out_group_ratings",
        "pred_index",
        "propensity",
        "rating",
        "ratings",
        "size",
        "skips",
        "support",
        "value",
        "variance",
        "vote",
        "weighted_knowers",
        "weighted_mean",
    }
)
"""Columns of numbers, in which `3,5` is 3.5."""

_OURS = {
    plain_name(name): name
    for columns in (
        NUMBERS,
        STORY_MAP_COLUMNS,
        STORY_COLUMNS,
        HARM_RATING_COLUMNS,
        DRAFT_COLUMNS,
        GROUP_COLUMNS,
        STATEMENT_COLUMNS,
        ASSOCIATION_COLUMNS,
        PAIR_COLUMNS,
    )
    for name in columns
}
"""Our names of columns by their plain spelling."""


@lru_cache(maxsize=256)
def spelled(names: tuple[str, ...], wanted: tuple[str, ...] = ()) -> Mapping[str, str]:
    """Names that differ from a known column's in capitals, blanks, hyphens only -> that column.

    A name that is `wanted` as it stands keeps its spelling, and no column is taken for one that is there.

    Args:
        names: the column names of a table.
        wanted: names that the caller looks for, besides our own.
    """
    by_plain_name = _OURS | {plain_name(name): name for name in wanted}
    free = set(by_plain_name.values()) - set(names)
    spellings: dict[str, str] = {}
    for name in names:
        ours = by_plain_name.get(plain_name(name))
        if name not in wanted and ours in free:
            free.discard(ours)
            spellings[name] = ours
    return spellings


def usual_names(wanted: Sequence[str]) -> frozenset[str]:
    """Plain spellings of our names of columns, and of those that the caller looks for."""
    return frozenset((*_OURS, *map(plain_name, wanted)))


Cells = Sequence[str | None]
NameRows = tuple[int, int]
"""First and last row that name the columns, as a spreadsheet numbers them; equal where one row does."""


def name_rows(text: str) -> NameRows:
    """The rows that `--header-row` names: "2", or "1-2".

    Raises:
        UserError: it names none.
    """
    match = re.fullmatch(r"\s*([1-9]\d*)(?:\s*-\s*([1-9]\d*))?\s*", text)
    first, last = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
    if last < first:
        raise UserError(
            f"--header-row: '{text}' names no rows. Expected a number such as 2, or two such as 1-2."
        )
    return first, last


@dataclass(frozen=True, slots=True)
class Header:
    """Where a table begins.

    Attributes:
        names: the names of the columns, empty for a column without one.
        row: place of their row, from 0.
        first: place of the first row of data.
        how: how the names were found; empty where the first row has them and data follow.
    """

    names: tuple[str, ...]
    row: int
    first: int
    how: str = ""


def find_header(
    rows: Sequence[Cells],
    wanted: Collection[str] = (),
    usual: Collection[str] = (),
    *,
    lines: Sequence[int] = (),
    stated: NameRows | None = None,
) -> Header:
    """Find the names of the columns.

    Args:
        rows: the first rows.
        wanted: names that the caller needs, as `plain_name` gives them: a row that has them all is the one.
        usual: names that speak for a row.
        lines: the number of each row as people see it; counted from 1 where empty.
        stated: the rows of names, where somebody said them.

    Raises:
        UserError: the last stated row is not there, or is blank.
    """
    numbers = list(lines or range(1, len(rows) + 1))
    if not rows:
        return Header((), 0, 0)
    last = None if stated is None else stated[1]
    imports = next((place for place, row in enumerate(rows[:_TITLE_LINES]) if _is_import_row(row)), None)
    if imports is not None and imports > 1:
        return _qualtrics(rows, imports, wanted, numbers, last)
    if last is not None and (last not in numbers or not _filled(rows[numbers.index(last)])):
        raise UserError(
            f"--header-row {last}: there is no row {last} with names of columns. Give the number of the row "
            f"as a spreadsheet shows it, {numbers[0]} to {numbers[-1]}."
        )
    columns = len({column for row in rows for column, cell in enumerate(row) if cell})
    place = _first(rows, columns, wanted, usual) if last is None else numbers.index(last)
    above = [at for at in range(place) if stated and numbers[at] >= stated[0]]
    if above:
        how = f"column names in row {numbers[place]}, with the titles above them"
        return Header(_joined([rows[at] for at in (*above, place)]), place, place + 1, how)
    return Header(
        _names(rows[place]), place, place + 1, f"column names in row {numbers[place]}" if place else ""
    )


def _joined(rows: Sequence[Cells]) -> tuple[str, ...]:
    """Names in several rows; a title holds for the blank cells behind it, as merged cells are written.

    A lower name stands alone where it is the only one of its kind, else behind its titles: "Women: first thing".
    """
    width = max(map(len, rows))
    *upper, lower = ([*_names(row), *[""] * (width - len(row))] for row in rows)
    titles = [list(accumulate(row, _carried)) for row in upper]
    chains = [list(dict.fromkeys(filter(None, chain))) for chain in zip(*titles, lower, strict=True)]
    counts = Counter(chain[-1] for chain in chains if chain)
    return tuple(
        "" if not chain else chain[-1] if counts[chain[-1]] == 1 else ": ".join(chain) for chain in chains
    )


def _carried(title: str, cell: str) -> str:
    return cell or title


def _filled(row: Cells) -> int:
    return sum(bool(cell and cell.strip()) for cell in row)


def _names(row: Cells) -> tuple[str, ...]:
    return tuple(" ".join((cell or "").split()) if cell and "\n" in cell else cell or "" for cell in row)


def _first(rows: Sequence[Cells], columns: int, wanted: Collection[str], usual: Collection[str]) -> int:
    """The first row that names the columns; the first of all where none surely does."""
    plain = [{plain_name(cell) for cell in row if cell} for row in rows[:_TITLE_LINES]]
    if wanted:
        place = next((place for place, names in enumerate(plain) if set(wanted) <= names), None)
        if place is not None:
            return place
    for place, row in enumerate(rows[: _TITLE_LINES - 1]):
        if not _is_title(row, columns, plain[place] & set(usual)):
            named = _filled(row) >= _FULL * columns and _like_names(row)
            return place if named and (columns >= _LEAST_COLUMNS or plain[place] & set(usual)) else 0
    return 0


def _is_title(row: Cells, columns: int, usual: Collection[str]) -> bool:
    """Whether a row is a line of text above the table: "Village survey", "Exported | 2026-11-01", or blank."""
    filled = _filled(row)
    if filled and usual:
        return False
    # One word alone in its line may as well name the only column.
    leading = not filled or bool(row[0] and row[0].strip() and (len(row) > 1 or " " in row[0].strip()))
    return columns > 1 and leading and (filled <= 1 or (filled == 2 and columns >= 2 * filled))


def _like_names(row: Cells) -> bool:
    """Whether all cells are different and none is a number."""
    cells = [cell.strip().casefold() for cell in row if cell and cell.strip()]
    return len(set(cells)) == len(cells) and not any(
        cell.replace(".", "", 1).replace(",", "", 1).isdigit() for cell in cells
    )


def _is_import_row(row: Cells) -> bool:
    cells = [cell for cell in row if cell]
    return bool(cells) and sum(cell.startswith(_IMPORT) for cell in cells) > _HALF * len(cells)


def _qualtrics(
    rows: Sequence[Cells],
    imports: int,
    wanted: Collection[str],
    numbers: Sequence[int],
    stated: int | None,
) -> Header:
    """The texts of questions as names, or their codes where these are wanted; both where a text stands twice."""
    codes, texts = (_names(row) for row in rows[imports - 2 : imports])
    plain = set(map(plain_name, codes))
    if stated == numbers[imports - 2] or (stated is None and wanted and set(wanted) <= plain):
        return Header(codes, imports - 2, imports + 1, f"codes of questions in row {numbers[imports - 2]}")
    counts = Counter(texts)
    names = tuple(
        text if counts[text] == 1 else f"{code}. {text}" for code, text in zip(codes, texts, strict=False)
    )
    how = (
        f"texts of questions in row {numbers[imports - 1]} as column names (--header-row "
        f"{numbers[imports - 2]} takes their codes)"
    )
    return Header(names, imports - 1, imports + 1, how)


# --------------------------------------------------------------------------- usual names in many languages

Role = Literal["statement", "respondent", "question", "axis", "country", "region", "language", "identity"]


def usual_column(table: pl.DataFrame, role: Role) -> str | None:
    """The column of a role by its name; None where no name says it.

    Of several, the first whose cells repeat, because what tells rows apart tells no people apart.
    """
    columns = [name for name in table.columns if is_usual(name, role)]
    repeated = (name for name in columns if table[name].drop_nulls().is_duplicated().any())
    return next(repeated, columns[0] if columns else None)


def is_usual(name: str, role: Role) -> bool:
    """Whether a column's name says in some language that it has the role."""
    return _plain(name) in _usual_names()[role]


def with_respondents(table: pl.DataFrame, column: str | None = None) -> pl.DataFrame:
    """The table with the column `respondent`, where another one says who is behind a row.

    Args:
        table: any table; one that has the column is left as it is, unless another one is named.
        column: the name of the other one; None for a usual name.
    """
    name = column or ("respondent" if "respondent" in table.columns else usual_column(table, "respondent"))
    if name in (None, "respondent"):
        return table
    return table.drop("respondent", strict=False).rename({name: "respondent"})


@cache
def _usual_names() -> Mapping[str, frozenset[str]]:
    names: dict[str, frozenset[str]] = {}
    for words in words_by_language("columns.toml").values():
        for role, usual in words.items():
            names[role] = names.get(role, frozenset()) | set(map(_plain, usual))
    return names


def _plain(name: str) -> str:
    """A name without accents, groups of questions in front (KoboToolbox: `group/name`) and marks behind."""
    letters = unicodedata.normalize("NFKD", name.rpartition("/")[2].strip(" *:?"))
    return plain_name("".join(letter for letter in letters if not unicodedata.combining(letter)))
