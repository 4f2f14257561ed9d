"""A review sheet before it is written: which rows a reviewer gets, and in which columns."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import endoxa
from endoxa.curate.review.form import ANSWERS, DISPUTED, EARLIER, PROPOSAL, ROW_KEY, Kind, kind_of
from endoxa.curate.review.origin import Origin, OriginRow
from endoxa.curate.review.rows import Row, fingerprint, rows_of, with_row_keys
from endoxa.curate.review.text import has_controls
from endoxa.datasets.frames import read_table, require_columns
from endoxa.errors import UserError


@dataclass(frozen=True, slots=True)
class Choice:
    """Which part of a table a reviewer gets.

    Attributes:
        reviewer: whom the sheet is for, or empty.
        sample: how many ids to draw at random (with all rows of each), or None for all.
        seed: seed of the draw; the same ids for every reviewer who gets the same seed.
        only_proposed: only rows whose omission is proposed.
        only_disputed: only rows that earlier reviewers disagreed about.
        columns: columns to show instead of the usual ones of this kind of table.
        edit: columns that may be changed, instead of the usual ones.
    """

    reviewer: str = ""
    sample: int | None = None
    seed: int = 0
    only_proposed: bool = False
    only_disputed: bool = False
    columns: tuple[str, ...] | None = None
    edit: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Sheet:
    """A review sheet.

    Attributes:
        origin: what it was made from.
        kind: kind of the table.
        columns: its columns, in order; the answers and the name of the row come last.
        rows: what stands in them; the answers are empty.
        origins: per row what it was made from.
    """

    origin: Origin
    kind: Kind
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    origins: tuple[OriginRow, ...]

    @property
    def disguised(self) -> int:
        """How many cells hold control characters, which an XLSX file can show as signs only."""
        return sum(
            has_controls(row.get(name, ""))
            for row in self.rows
            for name in self.columns
            if name not in ANSWERS
        )


def make_sheet(path: Path, choice: Choice) -> Sheet:
    """The review sheet of a table.

    Raises:
        UserError: the table cannot be read, is of no known kind or lacks a column, or no row is chosen.
    """
    table = read_table(path)
    kind = kind_of(table.columns, path)
    require_columns(path, table.columns, [*(choice.columns or ()), *(choice.edit or ())])
    if ";" in choice.reviewer:
        raise UserError(
            f"The reviewer's name '{choice.reviewer}' holds a ';', which separates names: leave it out."
        )
    edited = _present(choice.edit or kind.edited, table.columns)
    shown = _shown(choice.columns or kind.shown, table.columns, {kind.key, *edited})
    rows = _chosen(with_row_keys(rows_of(table), kind, path), kind, choice, path)
    origin = Origin(
        table=path.name,
        sha256=hashlib.sha256(path.read_bytes()).hexdigest(),
        version=endoxa.__version__,
        kind=kind.name,
        key=kind.key,
        shown=shown,
        edited=edited,
        reviewer=choice.reviewer.strip(),
    )
    locked = (*shown, *_present((*PROPOSAL, *EARLIER), table.columns))
    return Sheet(
        origin=origin,
        kind=kind,
        columns=(kind.key, *locked, *edited, *ANSWERS, ROW_KEY),
        rows=tuple(rows),
        origins=tuple(_origin_row(row, origin) for row in rows),
    )


def _present(wanted: Sequence[str], columns: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for name in wanted if name in columns))


def _shown(wanted: Sequence[str], columns: Sequence[str], taken: set[str]) -> tuple[str, ...]:
    """The columns that are only shown.

    Raises:
        UserError: one has the name of a column that the reviewer fills in.
    """
    clash = sorted(set(wanted) & set(ANSWERS))
    if clash:
        raise UserError(
            f"The column '{clash[0]}' cannot be shown: the reviewer's own answers stand under that name. Rename it."
        )
    own = taken | {*PROPOSAL, *EARLIER, ROW_KEY}
    return tuple(name for name in _present(wanted, columns) if name not in own)


def _chosen(rows: list[Row], kind: Kind, choice: Choice, path: Path) -> list[Row]:
    """The rows of the choice, in the order of the table."""
    if choice.only_proposed:
        rows = _where(rows, "omit", "true", path)
    if choice.only_disputed:
        rows = _where(rows, "review_decision", DISPUTED, path)
    if choice.sample is not None:
        if choice.sample < 1:
            raise UserError(f"--sample is {choice.sample}: a sample needs at least 1 row.")
        identifiers = sorted({row[kind.key] for row in rows})
        drawn = random.Random(choice.seed).sample(  # noqa: S311 - a sample for reviewers is no secret
            identifiers, min(choice.sample, len(identifiers))
        )
        rows = [row for row in rows if row[kind.key] in set(drawn)]
    return rows


def _where(rows: list[Row], column: str, value: str, path: Path) -> list[Row]:
    found = [row for row in rows if row.get(column, "").strip().lower() == value]
    if not found:
        raise UserError(
            f"{path} has no row with '{value}' in the column '{column}': there is nothing to review."
        )
    return found


def _origin_row(row: Row, origin: Origin) -> OriginRow:
    return OriginRow(
        row=row[ROW_KEY],
        key=row[origin.key],
        fingerprint=fingerprint(row, origin.shown),
        decision=row.get("review_decision", ""),
        words={name: row[name] for name in origin.edited},
    )
