"""Names of columns: ours in any spelling, and where they stand in a table that begins with something else.

Exports of survey tools and spreadsheets begin with titles, have names in two rows ("Women" above "first thing",
"second thing"), or describe each column below its name (Qualtrics). What is found is said by the reader of tables; a
first row that names the columns is never passed over.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from endoxa.errors import UserError
from endoxa.schema import ASSOCIATION_COLUMNS, GROUP_COLUMNS, PAIR_COLUMNS, STATEMENT_COLUMNS
from endoxa.schema.drafts import DRAFT_COLUMNS
from endoxa.schema.harm import HARM_RATING_COLUMNS
from endoxa.schema.stories import STORY_COLUMNS, STORY_MAP_COLUMNS

LOOKED_AT = 50
"""Rows at the beginning among which the names are looked for."""
_TITLE_LINES = 20
_LEAST_COLUMNS = 3
_FULL = 0.8
"""Share of the columns that a row of names fills at least."""
_HALF = 0.5
_GAPS = 0.4
"""Least share of blanks in an upper row of names, where no name of it goes on below."""
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
Span = tuple[int, int, int, int]
"""Merged cells: first row, first column, last row, last column, all from 0."""


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
    spans: Iterable[Span] = (),
    stated: int | None = None,
) -> Header:
    """Find the names of the columns.

    Args:
        rows: the first rows.
        wanted: names that the caller needs, as `plain_name` gives them: a row that has them all is the one.
        usual: names that speak for a row.
        lines: the number of each row as people see it; counted from 1 where empty.
        spans: merged cells.
        stated: the number of the row of names, where somebody said it.

    Raises:
        UserError: the stated row is not there, or is blank.
    """
    numbers = lines or range(1, len(rows) + 1)
    if not rows:
        return Header((), 0, 0)
    imports = next((place for place, row in enumerate(rows[:_TITLE_LINES]) if _is_import_row(row)), None)
    if imports is not None and imports > 1:
        return _qualtrics(rows, imports, wanted, numbers, stated)
    columns = len({column for row in rows for column, cell in enumerate(row) if cell})
    merged = _of_merged(rows, list(spans), columns)
    if stated is not None and (stated not in numbers or not _filled(rows[list(numbers).index(stated)])):
        raise UserError(
            f"--header-row {stated}: there is no row {stated} with names of columns. Give the number of the row "
            f"as a spreadsheet shows it, {numbers[0]} to {numbers[-1]}."
        )
    place = _first(rows, columns, wanted, usual) if stated is None else list(numbers).index(stated)
    if merged is not None and place in (merged[1], 0 if stated is None else merged[1]):
        names, last = merged
        how = f"column names in row {numbers[last]}, with the titles above them"
        return Header(names, last, last + 1, how)
    return Header(
        _names(rows[place]), place, place + 1, f"column names in row {numbers[place]}" if place else ""
    )


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


def _of_merged(
    rows: Sequence[Cells], spans: Sequence[Span], columns: int
) -> tuple[tuple[str, ...], int] | None:
    """Names in several rows under merged titles, and the last of these rows; None where there are none.

    A lower name stands alone where it is the only one of its kind, else behind its title: "Women: first thing".
    """
    filled = [list(row) for row in rows[:_TITLE_LINES]]
    top = _top(_spread(filled, spans))
    spans = spans or _gaps(rows, top, columns)
    filled = _spread(filled, spans)
    over = [span for span in spans if span[0] == top]
    last = max((span[2] if span[2] > top else top + (span[3] > span[1]) for span in over), default=top)
    if last == top or last >= len(filled) or _filled(filled[last]) < _FULL * columns:
        return None
    chains = [
        list(
            dict.fromkeys(row[column] for row in filled[top : last + 1] if column < len(row) and row[column])
        )
        for column in range(max(map(len, filled[top : last + 1])))
    ]
    lower = Counter(chain[-1] for chain in chains if chain)
    return tuple(
        "" if not chain else str(chain[-1]) if lower[chain[-1]] == 1 else ": ".join(map(str, chain))
        for chain in chains
    ), last


def _spread(rows: Sequence[Cells], spans: Sequence[Span]) -> list[list[str | None]]:
    """The rows with the text of merged cells in each of them."""
    filled = [list(row) for row in rows]
    for top, left, bottom, right in spans:
        if top < len(filled) and left < len(filled[top]):
            for line in filled[top : bottom + 1]:
                end = min(right + 1, len(line))
                line[left:end] = [filled[top][left]] * (end - left)
    return filled


def _top(rows: Sequence[Cells]) -> int:
    """The first row that holds more than one text."""
    return next((place for place, row in enumerate(rows) if len({*filter(None, row)}) > 1), 0)


def _gaps(rows: Sequence[Cells], top: int, columns: int) -> list[Span]:
    """What was merged before a table with two rows of names was saved as text: a title, and blanks behind or below."""
    if len(rows) < top + _LEAST_COLUMNS:
        return []
    upper, lower, *others = ([*row, *[None] * (columns - len(row))][:columns] for row in rows[top:])
    gaps = [column for column in range(columns) if not upper[column]]
    below = [column for column in range(columns) if not lower[column]]
    two_rows = (
        gaps
        and upper[0]
        and not set(gaps) & set(below)
        and _like_names([text for text in dict.fromkeys(lower) if text])
        and all(any(row[column] for row in others) for column in below)
        and (below or len(gaps) > _GAPS * columns)
    )
    if not two_rows:
        return []
    starts = [column for column in range(columns) if upper[column]]
    return [
        (top, left, top + (left in below), right - 1)
        for left, right in zip(starts, [*starts[1:], columns], strict=True)
    ]


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
