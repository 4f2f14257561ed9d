"""Drafts: records on their way to pairs, with their faults, and the rules that several formats share.

A draft may be wrong (an empty cell, an unknown label). Reading raises at the first wrong one; `endoxa.sources.check`
lists every one. Both call `draft_faults`, so they agree on what an error is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path

import polars as pl

from endoxa.errors import UserError
from endoxa.schema import DIRECTIONS, PAIR_COLUMNS, Reader, ReadOptions
from endoxa.sources.tables import TABLE_SUFFIXES, Fault, refusal, table_columns

SIDES = ("more", "less")

UNSPECIFIED = "unspecified"
"""Axis of a pair whose file names none."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A pair as the file has it, before anything is required of it.

    Attributes:
        row: number of the record from 1.
        line: line on which the record starts; None where the file has no lines.
        pair: cells by the names of `PAIR_COLUMNS`; what is not there is null.
        names: what the file calls a column, where that is another name than ours.
        faults: what is wrong with the record itself.
    """

    row: int
    line: int | None
    pair: Mapping[str, str | None]
    names: Mapping[str, str] = field(default_factory=dict)
    faults: tuple[Fault, ...] = ()

    def column(self, name: str) -> str:
        """The file's name of one of our columns."""
        return self.names.get(name, name)


def draft_faults(draft: Draft) -> Iterator[Fault]:
    """What keeps the draft from being a pair: faults of the record, empty cells, unknown labels."""
    if draft.faults:
        yield from draft.faults
        return
    for name in ("item_id", "sent_more", "sent_less"):
        if not (draft.pair.get(name) or "").strip():
            yield Fault("empty-cell", draft.column(name), "is empty: every pair needs text here")
    for name, labels in (("direction", DIRECTIONS), ("stereotypical", SIDES)):
        value = draft.pair.get(name)
        if value not in labels:
            yield Fault(
                f"unknown-{name}",
                draft.column(name),
                f"holds {value!r}; it must be one of: {', '.join(labels)}",
            )


Drafts = Callable[[Path, ReadOptions], Iterator[Draft]]


@dataclass(frozen=True, slots=True)
class Format(Reader):
    """A reader that comes with endoxa, whose records can be looked at before they are refused.

    Attributes:
        drafts: its records.
        marks: what a file is recognised by, for messages.
        columns: those by which a table of the format is recognised; none where it need not be a table.
    """

    drafts: Drafts
    marks: str
    columns: tuple[str, ...] = ()


def table_format(
    name: str,
    title: str,
    columns: tuple[str, ...],
    drafts: Drafts,
    *,
    units: str = "one row, one pair",
    other_columns: frozenset[str] = frozenset(),
) -> Format:
    """A format of tables, which are recognised by their columns.

    Args:
        name: word used on the command line.
        title: one line for lists.
        columns: those that every table of the format has.
        drafts: its records.
        units: what a row of the file is, and what becomes of it.
        other_columns: those that speak for another format.
    """

    def recognise(path: Path) -> bool:
        if path.suffix.lower() not in TABLE_SUFFIXES:
            return False
        names = set(table_columns(path, columns))
        return names.issuperset(columns) and not names & other_columns

    return Format(
        name=name,
        title=title,
        suffixes=TABLE_SUFFIXES,
        recognise=recognise,
        read=partial(read_frames, drafts),
        example=example(f"{name}.csv"),
        units=units,
        drafts=drafts,
        marks=f"columns {', '.join(columns)}",
        columns=columns,
    )


def example(file_name: str) -> str:
    """The text of a tiny valid file of a format, from the folder `examples`."""
    return Path(__file__).with_name("examples").joinpath(file_name).read_text(encoding="utf-8")


def read_frames(drafts: Drafts, path: Path, options: ReadOptions) -> Iterator[pl.DataFrame]:
    """Yield the pairs in frames of `options.chunk_rows` rows with the columns of `PAIR_COLUMNS`.

    Raises:
        UserError: at the first draft with a fault (file, row, line and column named), or where there is none.
    """
    if options.chunk_rows < 1:
        raise UserError(f"chunk_rows is {options.chunk_rows}. Expected at least 1.")
    sound = (_sound(path, draft) for draft in drafts(path, options))
    empty = True
    while chunk := list(islice(sound, options.chunk_rows)):
        empty = False
        yield pl.DataFrame(
            {name: [pair.get(name) for pair in chunk] for name in PAIR_COLUMNS},
            schema=dict.fromkeys(PAIR_COLUMNS, pl.String),
        )
    if empty:
        raise UserError(no_rows(path))


def no_rows(path: Path) -> str:
    """The sentence for a file that holds column names and nothing else."""
    return f"{path} has no rows: only column names were found."


def _sound(path: Path, draft: Draft) -> Mapping[str, str | None]:
    for fault in draft_faults(draft):
        raise refusal(path, draft.row, draft.line, fault)
    return draft.pair


def axis_of(text: str | None) -> str:
    """A social axis as we write it: lower case, no blanks around it; 'unspecified' where there is none."""
    return (text or "").strip().lower() or UNSPECIFIED


def direction_of(text: str | None) -> str | None:
    """A published label without blanks and capitals; nothing stays nothing."""
    return text.strip().lower() if text else text
