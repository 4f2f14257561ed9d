"""What a kind of draft is: what is asked, which rows an answer may have, which are kept, how they are united."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from endoxa.schema.drafts import DRAFT_COLUMNS, MALFORMED
from endoxa.sources.frames import read_table
from endoxa.sources.identities import identity_key
from endoxa.words.packs import full_stops

if TYPE_CHECKING:
    from endoxa.author.prompts import Prompts
    from endoxa.author.settings import AuthorSettings


Cells = Mapping[str, str]
"""A row as a model wrote it, or as it is kept: column -> text."""


Row = Mapping[str, Any]
"""A row of the user's table."""


@dataclass(frozen=True, slots=True)
class Ask:
    """One request to every model; its number is its place among all requests.

    Attributes:
        text: what is sent.
        facts: columns that all its rows have (identity, country, ...); a simulated author is told them.
        sources: names of the rows of the data that it is about.
        wanted: rows asked for.
        batch: which batch, from 1.
        draw: which draw it is of its model; None: the request's number.
        allowed: for fields with a closed list of values, the values.
        simulated: what else a simulated author is told.
    """

    text: str
    facts: Cells = field(default_factory=dict)
    sources: tuple[str, ...] = ()
    wanted: int = 1
    batch: int = 1
    draw: int | None = None
    allowed: Mapping[str, Sequence[str]] = field(default_factory=dict)
    simulated: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Judged:
    """What becomes of one row.

    Attributes:
        cells: its columns, those of the kind.
        reason: why it is no draft (`endoxa.schema.drafts.REASONS`), or empty.
        checks: what was found in it although it is kept, by name.
    """

    cells: Cells = field(default_factory=dict)
    reason: str = ""
    checks: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of draft: a command of `endoxa author`.

    Attributes:
        name: the command ("tuples"), also the name of its prompt.
        fields: fields of a row in an answer; a model is asked for these, in the words of its prompts.
        columns: columns that `judge` gives, after those that all drafts have.
        tokens: tokens that one row of an answer takes, for the plan.
        asks: the requests, from settings, the rows to draft from, prompts, and what `context` made.
        judge: what becomes of a row in which no field is empty; `Any` is what `context` made of the data.
        same: what tells a draft from others of its model; two rows that give the same are one. By default all differ.
        needs: columns of the data.
        context: what `asks` and `judge` need of settings and of all rows of the data, also those that --limit and
            --sample leave out; made once.
        unite: drafts of all models as one table, near-duplicates united.
        speaks: the words of a row that say which language it is in; None where the language of a row plays no part.
    """

    name: str
    fields: Sequence[str]
    columns: Sequence[str]
    tokens: int
    asks: Callable[[Any, pl.DataFrame, Prompts, Any], Iterable[Ask]]
    judge: Callable[[Any, Any, Ask, Cells], Judged]
    same: Callable[[Cells], object] = lambda _cells: object()
    needs: tuple[str, ...] = ()
    context: Callable[[Any, pl.DataFrame], Any] = lambda _settings, _data: None
    unite: Callable[[Any, pl.DataFrame, pl.DataFrame], pl.DataFrame] = lambda _settings, _data, drafts: drafts
    speaks: Callable[[Row], str] | None = None

    def judged(self, settings: AuthorSettings, context: Any, ask: Ask, row: Cells) -> Judged:
        """What becomes of a row of an answer."""
        if not all(cell(row, name) for name in self.fields):
            return Judged(reason=MALFORMED)
        return self.judge(settings, context, ask, row)


def named_rows(data: pl.DataFrame) -> Iterator[tuple[str, Row]]:
    """Each row with its name: `draft_id`, `association_id`, `item_id` or `id`, else its number from 1."""
    for number, row in enumerate(data.iter_rows(named=True), start=1):
        names = (row.get(column) for column in ("draft_id", "association_id", "item_id", "id"))
        yield next((str(name) for name in names if name), str(number)), row


def earlier_rows(settings: AuthorSettings, *needs: str) -> Iterator[Row]:
    """The rows of --known, the user's own data.

    Raises:
        UserError: the table cannot be read.
    """
    if settings.known:
        table = read_table(Path(settings.known), needs, respect_statuses=False)
        yield from table.iter_rows(named=True)


def cells_of(row: Row, *names: str) -> dict[str, str]:
    """Some cells of a row."""
    return {name: cell(row, name) for name in names}


def cell(row: Row, name: str) -> str:
    """A cell as one line of text; empty where there is none."""
    return " ".join(str(row.get(name) or "").split())


def folded(text: str) -> str:
    """A text for comparison: the key of its spellings, without a final stop."""
    return identity_key(text).rstrip(f" !{full_stops()}")


NAMING = frozenset({"item_id", "id"})
"""Names of the rows themselves: drafts have names of their own, and `source_ids` links to these."""
OF_AN_ATTRIBUTE = frozenset(
    {
        "association_id",
        "attribute",
        "canonical",
        "group_id",
        "predicate",
        "statement_ids",
        "support",
        "polarity",
    }
)
"""What is known of an attribute and not of a group: it does not hold for other attributes."""


def further_columns(data: pl.DataFrame, names: Iterable[str]) -> list[str]:
    """Columns of the user's table that a step does not write itself."""
    written = {*names, *DRAFT_COLUMNS, *NAMING}
    return [name for name in data.columns if name not in written]


def with_columns_of_data(
    data: pl.DataFrame, drafts: pl.DataFrame, *, from_rows: bool, new: bool
) -> pl.DataFrame:
    """Drafts with the columns of the user's table; what the step wrote itself stays.

    A draft that was made from a row has what stands there; one after the pattern of the table what all rows of its
    group, or else of the table, agree in.

    Args:
        data: the user's table.
        drafts: what was made of it.
        from_rows: each draft was made from the row that `source_ids` names.
        new: the drafts have attributes that are not in the table.
    """
    names = [name for name in further_columns(data, drafts.columns) if not (new and name in OF_AN_ATTRIBUTE)]
    rows: dict[str, list[Row]] = defaultdict(list)
    for name, row in named_rows(data):
        rows[name if from_rows else folded(cell(row, "identity"))].append(row)
    keys = drafts["source_ids"] if from_rows else map(folded, drafts["identity"])
    sources = [rows.get(key) or data.to_dicts() for key in keys]
    return drafts.with_columns(
        pl.Series(name, [_shared(of_draft, name) for of_draft in sources], dtype=data.schema[name])
        for name in names
    )


def _shared(rows: Iterable[Row], name: str) -> Any:
    values = {row[name] for row in rows}
    return values.pop() if len(values) == 1 else None
