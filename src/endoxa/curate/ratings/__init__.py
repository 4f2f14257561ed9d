"""What people's ratings of associations say: how far they disagree, and whether they are lenient with their own."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from pathlib import Path

import polars as pl

from endoxa.errors import UserError
from endoxa.report.words import plural
from endoxa.sources.frames import read_table
from endoxa.sources.identities import identity_key, one_spelling
from endoxa.sources.layouts import Layout, ratings_layout
from endoxa.sources.tables import TABLE_SUFFIXES, require_columns

_LOG = logging.getLogger(__name__)
COLUMNS: dict[str, str] = {
    "identity": "the people it is said of",
    "attribute": "what is said of them",
    "rating": "a number",
    "rater": "who rated, or empty",
    "in_group": "whether the rater is one of these people, or null",
    "topic": "topic of the association, or empty",
    "sentiment": "sentiment of the association ('positive', 'negative', ...), or empty",
    "propensity": "probability with which the association was shown to this rater, or null",
}
"""Columns of the ratings as they are analysed."""

NEEDED = ("identity", "attribute", "rating")
ALIASES = {"rating": "value", "sentiment": "polarity"}
"""Names that a campaign's export has for our columns."""
LABELS = {"text": "attribute", "label": "topic"}
"""Columns of labels of `endoxa author label`, by our names."""
_ANSWERS = dict.fromkeys(("true", "1", "yes", "in", "in-group"), True) | dict.fromkeys(
    ("false", "0", "no", "out", "out-group"), False
)


def read_ratings(path: Path, topics: Path | None = None) -> pl.DataFrame:
    """Ratings, one row each.

    Args:
        path: folder of `endoxa collect export` or its table of ratings (the pairs beside it say what was rated), a
            published table of ratings (LACES' release), or a table with the columns `NEEDED` and any of `COLUMNS`.
        topics: table with `attribute`, `topic` and perhaps `identity` and `sentiment`, which come in place of the
            ratings' own; or labels of `endoxa author label` (`text`, `label`) that somebody approved.

    Returns:
        The columns of `COLUMNS`.

    Raises:
        UserError: a file cannot be read, a column is missing, a rating is no number, an `in_group` is neither yes nor
            no, a propensity is not above 0 and at most 1, or somebody rated an association twice.
    """
    ratings = export_table(path, "ratings") if path.is_dir() else path
    table = read_table(ratings, optional=(*COLUMNS, *ALIASES.values()))
    if "association_id" in table.columns and not {"identity", "attribute"} <= set(table.columns):
        table = _of_campaign(ratings, table)
    published = ratings_layout(table.columns)
    table = _named(table) if published is None else _released(table, published, path)
    require_columns(path, table.columns, NEEDED)
    if topics is not None:
        by_attribute = one_spelling(_labelled(topics))
        names = ["identity", "attribute"] if "identity" in by_attribute.columns else ["attribute"]
        brought = [name for name in ("topic", "sentiment") if name in by_attribute.columns]
        by_attribute = by_attribute.select(*names, *brought).unique(maintain_order=True)
        twice = by_attribute.filter(pl.struct(names).is_duplicated())
        if twice.height:
            raise UserError(
                f"{topics}: '{twice['attribute'][0]}' has more than one topic or sentiment. Give each association one."
            )
        keyed = {f"_{name}": pl.col(name).map_elements(identity_key, pl.String) for name in names}
        by_key = by_attribute.select(*brought, **keyed)
        table = table.drop(brought, strict=False).with_columns(**keyed)
        table = table.join(by_key, on=list(keyed), how="left", maintain_order="left")
    return _typed(one_spelling(trimmed(table, COLUMNS), source=str(path)), path)


def trimmed(table: pl.DataFrame, columns: Iterable[str]) -> pl.DataFrame:
    """Columns as texts without blanks at their ends; empty where the table has none of that name."""
    return table.select(
        pl.col(name).cast(pl.String).fill_null("").str.strip_chars()
        if name in table.columns
        else pl.lit("").alias(name)
        for name in columns
    )


def in_group(texts: pl.DataFrame, path: Path) -> pl.Series:
    """Whether who said it is of the group, null where the column `in_group` is empty.

    Raises:
        UserError: a cell is neither yes nor no.
    """
    cells = texts["in_group"]
    answers = cells.str.to_lowercase().replace_strict(_ANSWERS, default=None, return_dtype=pl.Boolean)
    if (wrong := (answers.is_null() & (cells != "")).arg_true()).len():
        raise UserError(
            f"{path}, row {wrong[0] + 1}, column 'in_group': '{cells[wrong[0]]}' is neither yes nor no. Correct it, or "
            "leave it empty."
        )
    return answers


def ratings_file(folder: Path) -> Path | None:
    """The table of ratings in the folder of an export, or None."""
    return _in_folder(folder, "ratings")


def export_table(folder: Path, name: str) -> Path:
    """A table in the folder of an export.

    Raises:
        UserError: there is none of that name.
    """
    path = _in_folder(folder, name)
    if path is None:
        raise UserError(f"{folder} holds no table '{name}'. Expected a folder of `endoxa collect export`.")
    return path


def _in_folder(folder: Path, name: str) -> Path | None:
    return next((path for end in TABLE_SUFFIXES if (path := folder / f"{name}{end}").is_file()), None)


def _of_campaign(path: Path, rated: pl.DataFrame) -> pl.DataFrame:
    """The ratings of an export that count, with the words of their pairs."""
    pairs = _in_folder(path.parent, "pairs")
    if pairs is None:
        raise UserError(
            f"{path} names associations by association_id, and no table 'pairs' beside it says what these are. "
            "Expected a folder of `endoxa collect export`."
        )
    about = read_table(pairs, ("association_id", "identity", "attribute"))
    columns = ("association_id", "identity", "attribute", "topic", "polarity")
    kept = [name for name in columns if name in about.columns]
    if "counted" in rated.columns:
        rated = rated.filter(pl.col("counted").fill_null("true").str.to_lowercase() != "false")
    return rated.join(about.select(kept), on="association_id", how="inner", maintain_order="left")


def _labelled(path: Path) -> pl.DataFrame:
    """Topics by attribute, of a table of them or of labels."""
    table = read_table(path, optional=("attribute", "topic", *LABELS))
    if set(LABELS) <= set(table.columns) and "attribute" not in table.columns:
        table = table.select(*LABELS).rename(LABELS).filter(pl.col("topic").fill_null("") != "")
    require_columns(path, table.columns, ("attribute", "topic"))
    return _named(table)


def _named(table: pl.DataFrame) -> pl.DataFrame:
    """The table with our names of columns."""
    there = set(table.columns)
    return table.rename(
        {theirs: ours for ours, theirs in ALIASES.items() if theirs in there and ours not in there}
    )


def _released(table: pl.DataFrame, layout: Layout, path: Path) -> pl.DataFrame:
    """A published table of ratings with our names of columns, without rows that have no rating.

    A rater is in the group whose nation is among the rater's nationalities (LACES, section 3).
    """
    roles = layout.roles
    rated = table.filter(pl.col(roles["rating"]).fill_null("").str.strip_chars() != "")
    if rated.height < table.height:
        left_out = plural(table.height - rated.height, "row")
        _LOG.warning("%s: %s without a rating left out.", path, left_out)
    nationalities = pl.col(roles["nationalities"]).str.strip_chars("[]").str.split(", ")
    stripped = nationalities.list.eval(pl.element().str.strip_chars("'\" "))
    inside = stripped.list.contains(pl.col(roles["identity"]).str.strip_chars())
    return rated.select(
        in_group=pl.when(inside).then(pl.lit("yes")).otherwise(pl.lit("no")),
        **{name: roles[name] for name in NEEDED},
    )


def _typed(texts: pl.DataFrame, path: Path) -> pl.DataFrame:
    """The ratings with numbers and truth values.

    Raises:
        UserError: see `read_ratings`.
    """
    typed = texts.with_row_index("row", offset=1).with_columns(
        number=pl.col("rating").cast(pl.Float64, strict=False),
        in_group=in_group(texts, path),
        shown=pl.col("propensity").cast(pl.Float64, strict=False),
    )
    wrong = {
        "has no identity": pl.col("identity") == "",
        "has no attribute": pl.col("attribute") == "",
        "has a rating that is no number": ~pl.col("number").is_finite().fill_null(value=False),
        "has a propensity that is not above 0 and at most 1": (pl.col("propensity") != "")
        & ~pl.col("shown").is_between(0, 1, closed="right").fill_null(value=False),
    }
    for problem, condition in wrong.items():
        rows = typed.filter(condition)
        if rows.height:
            raise UserError(
                f"{path}, row {rows['row'][0]} {problem} ({rows.height} such rows). Correct it, or leave the row out."
            )
    named = typed.filter(pl.col("rater") != "")
    twice = named.filter(pl.struct("identity", "attribute", "rater").is_duplicated())
    if twice.height:
        raise UserError(
            f"{path}, row {twice['row'][1]}: the rater '{twice['rater'][0]}' rated this association before. Keep one "
            "of the ratings."
        )
    if typed.is_empty():
        raise UserError(f"{path} holds no ratings.")
    return typed.select(
        pl.exclude("rating", "propensity", "row", "number", "shown"), rating="number", propensity="shown"
    ).select(list(COLUMNS))
