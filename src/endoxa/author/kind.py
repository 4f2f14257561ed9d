"""What a kind of draft is: what is asked, which rows an answer may have, which are kept, how they are united."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import polars as pl

from endoxa.runs.asking.jobs import draw_seed
from endoxa.schema.drafts import DRAFT_COLUMNS
from endoxa.sources.identities import identity_key
from endoxa.words.packs import full_stops

if TYPE_CHECKING:
    from endoxa.author.prompts import Prompts
    from endoxa.author.settings import AuthorSettings


Cells = Mapping[str, str]
"""A row as a model wrote it, or as it is kept: column -> text."""


@dataclass(frozen=True, slots=True)
class Ask:
    """One request to every model.

    Attributes:
        number: its number, from 0.
        text: what is sent.
        wanted: rows asked for.
        facts: columns that all its rows have (identity, country, ...).
        sources: names of the rows of the data that it is about.
        batch: which batch, from 1.
        seed: seed of the draw.
        allowed: for fields with a closed list of values, the values.
        simulated: what only a simulated author is told.
    """

    number: int
    text: str
    wanted: int
    facts: Cells = field(default_factory=dict)
    sources: tuple[str, ...] = ()
    batch: int = 1
    seed: int = 0
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

    cells: Cells
    reason: str = ""
    checks: Sequence[str] = ()


def everything(_settings: AuthorSettings, _data: pl.DataFrame, drafts: pl.DataFrame) -> pl.DataFrame:
    """Every draft as it is."""
    return drafts


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of draft: a command of `endoxa author`.

    Attributes:
        name: the command ("tuples"), also the name of its prompt.
        holds: what its drafts are, in words.
        needs: columns of the data.
        fields: fields of a row in an answer; a model is asked for these, in the words of its prompts.
        columns: columns of its drafts after the common ones.
        asks: the requests, from settings, the rows to draft from, prompts, and what `context` made.
        judge: what becomes of a row; `Any` is what `context` made of the data.
        same: what tells a draft from others of its model; two rows that give the same are one.
        head: the text whose first words and spread say how varied the drafts are.
        cells: columns that `judge` gives; those of the kind where nothing is said.
        may_lack: whether a row without all fields is a row all the same.
        context: what `asks` and `judge` need of settings and of all rows of the data, also those that --limit and
            --sample leave out; made once.
        unite: drafts of all models as one table, near-duplicates united.
        speaks: the words of a row that say which language it is in; None where the language of a row plays no part.
        tokens: tokens that one row of an answer takes, for the plan.
    """

    name: str
    holds: str
    needs: tuple[str, ...]
    fields: Sequence[str]
    columns: Mapping[str, str]
    asks: Callable[[Any, pl.DataFrame, Prompts, Any], Iterable[Ask]]
    judge: Callable[[Any, Any, Ask, Cells], Judged]
    same: Callable[[Cells], object]
    head: str
    cells: tuple[str, ...] = ()
    may_lack: Callable[[Cells], bool] = lambda _row: False
    context: Callable[[Any, pl.DataFrame], Any] = lambda _settings, _data: None
    unite: Callable[[Any, pl.DataFrame, pl.DataFrame], pl.DataFrame] = everything
    speaks: Callable[[Mapping[str, Any]], str] | None = None
    tokens: int = 30


def row_name(row: Mapping[str, Any], number: int) -> str:
    """Name of a row of the data: `draft_id`, `association_id`, `item_id` or `id`, else its number from 1."""
    for column in ("draft_id", "association_id", "item_id", "id"):
        if row.get(column):
            return str(row[column])
    return str(number)


def ask_about(
    settings: AuthorSettings, row: Mapping[str, Any], place: int, text: str, facts: Cells, **more: Any
) -> Ask:
    """A request about one row of the data.

    Args:
        settings: whose seed decides the draw.
        row: the row.
        place: its place in the data, from 0.
        text: what is sent.
        facts: columns that all rows of the answer have; a simulated author is told the same.
        more: further fields of `Ask`; its number is the place, and one row is wanted, unless they say otherwise.
    """
    number = more.pop("number", place)
    fields: dict[str, Any] = {
        "wanted": 1,
        "seed": draw_seed(settings.seed, number),
        "simulated": facts,
    } | more
    return Ask(number, text, facts=facts, sources=(row_name(row, place + 1),), **fields)


def cells_of(row: Mapping[str, Any], *names: str) -> dict[str, str]:
    """Some cells of a row."""
    return {name: cell(row, name) for name in names}


def cell(row: Mapping[str, Any], name: str) -> str:
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


def from_row_of_draft(
    data: pl.DataFrame, drafts: pl.DataFrame, without: frozenset[str] = frozenset()
) -> pl.DataFrame:
    """Drafts with the columns of the row that each was made from (`source_ids`); what the step wrote itself stays.

    Args:
        data: the user's table.
        drafts: what was made of its rows, each of one.
        without: columns that do not hold for the drafts.
    """
    names = [name for name in further_columns(data, drafts.columns) if name not in without]
    rows: dict[str, Mapping[str, Any]] = {}
    for number, row in enumerate(data.iter_rows(named=True), start=1):
        rows.setdefault(row_name(row, number), row)
    sources = [rows.get(name, {}) for name in drafts["source_ids"].fill_null("")]
    return drafts.with_columns(
        pl.Series(name, [row.get(name) for row in sources], dtype=data.schema[name]) for name in names
    )


def from_common_rows(data: pl.DataFrame, drafts: pl.DataFrame) -> pl.DataFrame:
    """New rows with the columns of the user's table, where all rows of the group, or else of the table, agree.

    Args:
        data: the user's table.
        drafts: rows after its pattern, none of them made from one of its rows.
    """
    names = [name for name in further_columns(data, drafts.columns) if name not in OF_AN_ATTRIBUTE]
    rows = list(data.iter_rows(named=True))
    groups: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        groups.setdefault(folded(str(row.get("identity") or "")), []).append(row)
    of_drafts = [groups.get(folded(str(name or "")), rows) for name in drafts["identity"]]
    return drafts.with_columns(
        pl.Series(name, [_shared(draft, name) for draft in of_drafts], dtype=data.schema[name])
        for name in names
    )


def _shared(rows: Iterable[Mapping[str, Any]], name: str) -> Any:
    values = {row[name] for row in rows}
    return values.pop() if len(values) == 1 else None
