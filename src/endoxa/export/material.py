"""What is exported: pairs, associations or statements, with the columns that may leave the house."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal

import polars as pl

from endoxa import __version__
from endoxa.author.tables import with_association_ids
from endoxa.errors import UserError
from endoxa.schema import ASSOCIATION_COLUMNS, PAIR_COLUMNS, STATEMENT_COLUMNS, ReadOptions
from endoxa.schema.provenance import PROVENANCE_COLUMNS
from endoxa.sources import READERS
from endoxa.sources.files import sha256
from endoxa.sources.frames import read_table
from endoxa.sources.read import DEFAULTS, recognise
from endoxa.sources.tables import TABLE_SUFFIXES, require_columns, table_columns
from endoxa.words.identifiers import IDENTIFIER
from endoxa.words.state import Tally, unreviewed

Kind = Literal["pairs", "associations", "statements"]

_REVIEW = {"review_decision": "what the reviewers decided about the row"}

COLUMNS: dict[Kind, dict[str, str]] = {
    "pairs": {
        **PAIR_COLUMNS,
        "how": "how the second sentence was made from the first: 'antonym' or 'negation'",
        "source": "where the association comes from: a survey, a campaign, or a draft by a language model",
        **_REVIEW,
    },
    "associations": {
        **ASSOCIATION_COLUMNS,
        "group_id": "name of the group of like attributes that the attribute stands for",
        **_REVIEW,
    },
    "statements": {**STATEMENT_COLUMNS, **_REVIEW},
}
"""Columns that are exported without being asked for, where they are there, with what they mean."""

ABOUT_RESPONDENTS = ("respondent", "country")
"""Columns of statements that describe a person: they leave only by name."""

_MARKS: dict[Kind, tuple[str, ...]] = {
    "associations": ("association_id", "identity", "attribute"),
    "statements": ("statement_id", "statement"),
}
FEWEST = 5
"""Respondents from which on an association's region is released (the summary's smallest cell)."""

_SENTENCES = ("sent_more", "sent_less")
_OTHER_NAMES = ("bias_type", "stereo_antistereo")  # read as axis and direction


@dataclass(frozen=True, slots=True)
class Material:
    """A table as it will be released.

    Attributes:
        kind: what a row is.
        table: the released columns, all text; null where nothing is known.
        path: the file it was read from.
        sha256: hash of that file.
        format: name of the format of pairs it was read as; 'table' for our own other tables.
        kept: columns that are there because they were named.
        left_out: columns of the file that are not released.
        omitted: rows of the file that are not released, because its reviewers decided to omit them.
        identifying: rows that are not released, because an e-mail address or the like stands in their words.
        unplaced: associations whose region is not released, because too few respondents stand behind them.
        linked: True where the ids of statements begin with the code of the respondent, who is left out.
    """

    kind: Kind
    table: pl.DataFrame
    path: Path
    sha256: str
    format: str
    kept: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    omitted: int = 0
    identifying: int = 0
    unplaced: int = 0
    linked: bool = False

    @property
    def unreviewed(self) -> str:
        """One line about words of ours with which the rows were made; empty where there is none to say."""
        tally = Tally()
        if set(PROVENANCE_COLUMNS) <= set(self.table.columns):
            for built_by, words in self.table.select(list(PROVENANCE_COLUMNS)).unique().iter_rows():
                tally.add_stated(built_by, words)
        return unreviewed(tally.used.items())

    @property
    def provenance(self) -> dict[str, Any]:
        """What every exported folder records about its source."""
        return {
            "made_by": f"endoxa {__version__}",
            "source": {"file": self.path.name, "sha256": self.sha256, "format": self.format},
            "kind": self.kind,
            "rows": self.table.height,
        }


def read_pairs_material(
    path: Path,
    options: ReadOptions = DEFAULTS,
    format: str | None = None,  # noqa: A002
    keep: Sequence[str] = (),
) -> Material:
    """A file of pairs in any format endoxa reads, with `PAIR_COLUMNS` and the columns of `keep`.

    Raises:
        UserError: the file holds no pairs, an id twice, or a column of `keep` cannot be had.
    """
    reader = recognise(path) if format is None else READERS.get(format)
    table = pl.concat(list(reader.read(path, options)))
    twice = table.filter(pl.col("item_id").is_duplicated())
    if twice.height:
        raise UserError(
            f"{path} has the item_id {twice['item_id'][0]!r} more than once. List duplicates with `endoxa datasets "
            "check`."
        )
    left_out: tuple[str, ...] = ()
    if reader.name == "native":
        frame = read_table(path, _SENTENCES, optional=keep)
        others = [name for name in frame.columns if name not in (*PAIR_COLUMNS, *_OTHER_NAMES)]
        _require_kept(path, keep, others)
        more = [name for name in others if name in COLUMNS["pairs"] or name in keep]
        table = table.hstack(frame.select(more))
        left_out = tuple(name for name in others if name not in more)
    elif keep:
        raise UserError(f"{path} has the format {reader.name}. --keep needs a table in endoxa's own format.")
    released = _released(path, table)
    omitted = table.height - released.height
    return Material("pairs", released, path, sha256(path), reader.name, tuple(keep), left_out, omitted)


def read_material(
    path: Path,
    options: ReadOptions = DEFAULTS,
    format: str | None = None,  # noqa: A002
    keep: Sequence[str] = (),
) -> Material:
    """A file of pairs, or a table of associations or statements made by `endoxa curate`.

    Raises:
        UserError: the file is none of them, or a column of `keep` is not in it.
    """
    kind = _kind_of(path) if format is None else None
    if kind is None:
        return read_pairs_material(path, options, format, keep)
    reviewed_table = with_association_ids(read_table(path, optional=keep))
    require_columns(path, reviewed_table.columns, _MARKS[kind])
    reviewed = _released(path, reviewed_table)
    table = _unidentifying(path, reviewed)
    table, unplaced = _unplaced(table) if "region" not in keep else (table, 0)
    _require_kept(path, keep, table.columns)
    wanted = [name for name in COLUMNS[kind] if name in table.columns and name not in ABOUT_RESPONDENTS]
    released = list(dict.fromkeys([*wanted, *keep]))
    return Material(
        kind,
        table.select(released),
        path,
        sha256(path),
        "table",
        tuple(name for name in keep if name not in wanted),
        tuple(name for name in table.columns if name not in released),
        reviewed_table.height - reviewed.height,
        reviewed.height - table.height,
        unplaced,
        linked="respondent" not in released and _linked(table),
    )


def _kind_of(path: Path) -> Kind | None:
    """Associations or statements by their columns; None for anything that may be pairs."""
    suffix = path.suffix.lower()
    if suffix not in TABLE_SUFFIXES:
        return None
    columns = table_columns(path)
    if set(columns).issuperset(_SENTENCES):
        return None
    there = {*columns, *(("association_id",) if "draft_id" in columns else ())}
    return next((kind for kind, marks in _MARKS.items() if there.issuperset(marks)), None)


def _released(path: Path, table: pl.DataFrame) -> pl.DataFrame:
    """The rows that the reviewers did not decide to omit; all of them where nobody reviewed.

    Raises:
        UserError: none is left.
    """
    if "review_decision" not in table.columns:
        return table
    kept = table.filter(pl.col("review_decision").fill_null("") != "omit")
    if kept.is_empty():
        raise UserError(f"{path} has no rows left: reviewers omitted all of them.")
    return kept


def _unidentifying(path: Path, table: pl.DataFrame) -> pl.DataFrame:
    """The rows that `curate extract` did not flag as holding an address, a phone number or the like."""
    if "flag" not in table.columns:
        return table
    kept = table.filter(~pl.col("flag").fill_null("").str.split(" ").list.contains(IDENTIFIER))
    if kept.is_empty():
        raise UserError(f"{path} has no rows left: all are flagged '{IDENTIFIER}'.")
    return kept


def _unplaced(table: pl.DataFrame) -> tuple[pl.DataFrame, int]:
    """Associations of few respondents without their region, and how many those are."""
    if not {"support", "region"} <= set(table.columns):
        return table, 0
    few = (pl.col("support").cast(pl.Float64, strict=False).fill_null(0) < FEWEST) & (pl.col("region") != "")
    count = table.filter(few).height
    return table.with_columns(region=pl.when(few).then(pl.lit("")).otherwise(pl.col("region"))), count


def _require_kept(path: Path, keep: Sequence[str], columns: Sequence[str]) -> None:
    for name in keep:
        if name not in columns:
            near = get_close_matches(name, columns, n=3) or columns
            raise UserError(
                f"--keep: {path} has no additional column {name!r}. Available: {', '.join(near) or 'none'}."
            )


def _linked(table: pl.DataFrame) -> bool:
    """True where most ids of statements begin with the respondent's code, and so tie a person's answers together."""
    if "respondent" not in table.columns:
        return False
    named = table.filter(pl.col("respondent").str.len_chars() > 0)
    share = named.select(pl.col("statement_id").str.starts_with(pl.col("respondent")).mean()).item()
    return share is not None and float(share) > 0.5
