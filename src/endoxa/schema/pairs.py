"""Sentence pairs, the items of a probe: columns of their table, a pair as a rule sees it, and their readers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from endoxa.schema.columns import shared
from endoxa.schema.provenance import PROVENANCE_COLUMNS

if TYPE_CHECKING:
    import polars as pl


PAIR_COLUMNS: dict[str, str] = {
    "item_id": "unique name of the pair; kept in every record and estimate made from it",
    **shared("language"),
    "axis": "social axis of the pair in lower case (the `bias_type` of CrowS-Pairs), or 'unspecified'",
    "direction": "the published label: 'stereo', 'antistereo', or 'unknown' where there is none",
    "stereotypical": "which sentence is the stereotypical one under the data set's own rule: 'more' or 'less'",
    "sent_more": "the first sentence as published (CrowS-Pairs: the more stereotyping one)",
    "sent_less": "the second sentence",
    "identity": "the group the pair is about, as it stands in the text; pairs sharing it are resampled together",
    "identity_key": "one name for the identity in all languages, so that its translations count as one identity",
    "agreement": "grammatical gender of the attribute where it inflects ('m' or 'f'), else empty",
    "attribute_more": "the attribute in `sent_more`, where the data set names it",
    "attribute_less": "the attribute in `sent_less`, where the data set names it",
    "prompt": "what an encoder-decoder reads before it completes the sentence, or empty",
    "region": "where the stereotype was collected, or empty",
    "association_id": "the association the pair was made from, or empty",
    **PROVENANCE_COLUMNS,
}
"""Columns of a table of pairs, all strings; optional ones are null where nothing is known."""

REQUIRED_PAIR_COLUMNS = tuple(PAIR_COLUMNS)[:7]
"""Up to the two sentences; the others may be empty."""

DIRECTIONS = ("stereo", "antistereo", "unknown")


@dataclass(frozen=True, slots=True)
class Pair:
    """The two sentences of an item as a rule sees them."""

    sent_more: str
    sent_less: str
    direction: str = "stereo"
    prompt: str = ""
    identity: str = ""
    language: str = ""


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """Options a reader may use; each reader documents the ones it understands.

    Attributes:
        chunk_rows: rows per frame handed on; memory grows with this, not with the file.
        language: language of the file where it does not say so itself.
        prefix: word(s) written before every identity by template readers ("African").
        template: sentence template with `{identity}` and `{attribute}`, for template readers.
        columns: our name of a column -> the file's, for tables in no published format.
    """

    chunk_rows: int = 4096
    language: str | None = None
    prefix: str | None = None
    template: str | None = None
    columns: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Reader:
    """A published format of sentence pairs.

    Attributes:
        name: word used on the command line (`--format`).
        title: one line for lists.
        suffixes: file endings it may have, with the dot.
        recognise: True where the file's first bytes or columns are of this format.
        read: yields frames with exactly the columns of `PAIR_COLUMNS` (all `pl.String`), in file order.
            Raises `UserError` naming file, row and column.
        example: text of a tiny valid file, written by us: the battery of common checks reads it.
        units: what a row of the file is, and what becomes of it (documented for the reader of the manual).
    """

    name: str
    title: str
    suffixes: tuple[str, ...]
    recognise: Callable[[Path], bool]
    read: Callable[[Path, ReadOptions], Iterator[pl.DataFrame]]
    example: str
    units: str
