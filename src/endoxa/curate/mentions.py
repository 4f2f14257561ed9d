"""Mentions: the statements that count, each with the group of attributes it belongs to.

Associations and the summary are both counted on this table, so their numbers agree.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from endoxa.errors import UserError
from endoxa.sources.identities import merged, spellings, with_shown_spelling

OMITTED = "proposed for omission"
NO_IDENTITY = "without an identity"
NO_ATTRIBUTE = "without an attribute"
FLAGGED = "flagged as pasted from a chatbot (--include-flagged takes them)"

CHATBOT = "chatbot"
"""Word of the column `flag` for statements that a respondent did not write."""

MENTION_COLUMNS: dict[str, str] = {
    "axis": "social axis, 'unspecified' where the table names none",
    "identity": "the group of people",
    "attribute": "the canonical attribute of the group of like attributes",
    "said": "the attribute as it was said",
    "group_id": "the group of like attributes, or empty",
    "polarity": "polarity that the grouping gives it, or empty",
    "source": "the survey or campaign",
    "person": "who said it: one key per respondent and source",
    "statement_id": "the statement, or empty",
}
"""Columns of a table of mentions; all columns of the statements follow under their own names."""

WORKING_LANGUAGE = "en"
"""Language of identity and attribute where the statement was translated, or the table does not say."""

_SHARE = 0.5
_TRUE = ("true", "1", "yes")
_OPTIONAL = ("axis", "respondent", "statement_id", "omit", "flag", "source")


@dataclass(frozen=True, slots=True)
class Mentions:
    """Statements that count.

    Attributes:
        table: columns of `MENTION_COLUMNS`, one row per statement that counts, in the order of the statements.
        left_out: how many rows were left out, by reason.
        notes: what was assumed, as sentences.
    """

    table: pl.DataFrame
    left_out: Mapping[str, int]
    notes: tuple[str, ...]


def mentions(
    statements: pl.DataFrame,
    groups: pl.DataFrame | None = None,
    *,
    source: str = "",
    include_flagged: bool = False,
) -> Mentions:
    """The statements that count, each with its canonical attribute.

    Left out are rows whose column `omit` is true, rows without identity or attribute and, unless asked for, rows
    flagged as a chatbot's: nobody said those. A row without a respondent counts as a respondent of its own.

    A grouping holds for the languages it was made from: English for what was translated, else the language of the
    statement. These are the language with most attributes in it, and any other with at least half of its own in it;
    so a French "hypocrites" is not taken for the English word.

    Args:
        statements: columns of `schema.STATEMENT_COLUMNS`; only identity and attribute are required.
        groups: columns of `schema.GROUP_COLUMNS`; without it every attribute stands for itself.
        source: name of the survey, where the statements have no column `source` or an empty cell in it.
        include_flagged: count rows flagged as a chatbot's too.

    Raises:
        UserError: the grouping puts one attribute into two groups, or nothing is left to count.
    """
    table = _completed(statements, source)
    reason = _reason(include_flagged=include_flagged)
    counted = table.with_columns(reason.alias("_reason"))
    left_out = dict(counted.drop_nulls("_reason")["_reason"].value_counts(sort=True).iter_rows())
    kept = counted.filter(pl.col("_reason").is_null()).drop("_reason")
    if kept.is_empty():
        listed = ", ".join(f"{n} {why}" for why, n in left_out.items())
        raise UserError(f"No statement left to count. Of {table.height} rows, {listed}.")
    several = spellings(kept["identity"])
    notes = [merged(several)] if several else []
    grouped, missing = _grouped(with_shown_spelling(kept, several), groups)
    if missing:
        notes.append(f"{missing} attributes are not in the grouping and stand for themselves.")
    unnamed = kept.filter(pl.col("respondent") == "").height
    if unnamed:
        notes.append(f"{unnamed} statements without a respondent: each counts as one respondent.")
    return Mentions(_ordered(grouped), left_out, tuple(notes))


def _text(column: str) -> pl.Expr:
    """A cell without blanks around it; nothing is an empty text."""
    return pl.col(column).fill_null("").str.strip_chars()


def _completed(statements: pl.DataFrame, source: str) -> pl.DataFrame:
    absent = [name for name in _OPTIONAL if name not in statements.columns]
    completed = statements.with_columns(pl.lit("").alias(name) for name in absent)
    named = ["identity", "attribute", *_OPTIONAL]
    return completed.with_columns(_text(name) for name in named).with_columns(
        axis=_or(pl.col("axis").str.to_lowercase(), "unspecified"), source=_or(pl.col("source"), source)
    )


def _or(cell: pl.Expr, default: str) -> pl.Expr:
    return pl.when(cell == "").then(pl.lit(default)).otherwise(cell)


def _reason(*, include_flagged: bool) -> pl.Expr:
    flagged = pl.col("flag").str.split(" ").list.contains(CHATBOT) & pl.lit(not include_flagged)
    return (
        pl.when(pl.col("omit").str.to_lowercase().is_in(_TRUE))
        .then(pl.lit(OMITTED))
        .when(pl.col("identity") == "")
        .then(pl.lit(NO_IDENTITY))
        .when(pl.col("attribute") == "")
        .then(pl.lit(NO_ATTRIBUTE))
        .when(flagged)
        .then(pl.lit(FLAGGED))
    )


def _grouped(kept: pl.DataFrame, groups: pl.DataFrame | None) -> tuple[pl.DataFrame, int]:
    """The statements with said, attribute (canonical), group_id and polarity; how many attributes have no group."""
    ours = pl.exclude("said", "person", "group_id", "canonical", "polarity")
    reported = kept.select(ours).rename({"attribute": "said"})
    if groups is None:
        return reported.with_columns(attribute=pl.col("said"), group_id=pl.lit(""), polarity=pl.lit("")), 0
    keyed = reported.with_columns(
        _key=pl.col("said").str.to_lowercase(), _language=language_of_words(reported)
    )
    lookup = _lookup(groups)
    joined = keyed.join(lookup, on="_key", how="left", maintain_order="left")
    ours_too = pl.col("_language").is_in(_languages(keyed, lookup))
    joined = joined.with_columns(
        pl.when(ours_too).then(name) for name in ("group_id", "canonical", "polarity")
    )
    missing = joined.filter(pl.col("canonical").is_null())["_key"].n_unique()
    return (
        joined.with_columns(
            attribute=pl.coalesce(pl.col("canonical"), pl.col("said")),
            group_id=pl.col("group_id").fill_null(""),
            polarity=pl.col("polarity").fill_null(""),
        ).drop("_key", "_language", "canonical"),
        missing,
    )


def language_of_words(table: pl.DataFrame) -> pl.Expr:
    """Language of identity and attribute: the working language where the statement was translated or names none."""
    explicit = (
        _or(_text("language"), WORKING_LANGUAGE) if "language" in table.columns else pl.lit(WORKING_LANGUAGE)
    )
    if not {"statement", "original_statement"} <= set(table.columns):
        return explicit
    return (
        pl.when(_text("statement") == _text("original_statement"))
        .then(explicit)
        .otherwise(pl.lit(WORKING_LANGUAGE))
    )


def _languages(keyed: pl.DataFrame, lookup: pl.DataFrame) -> list[str]:
    """The languages that a grouping was made from."""
    listed = pl.col("_key").is_in(lookup["_key"].implode())
    shares = (
        keyed.select("_language", "_key")
        .unique()
        .group_by("_language")
        .agg(listed.sum().alias("n"), listed.mean().alias("share"))
    )
    most = pl.col("n") == pl.col("n").max()
    return shares.filter(most | (pl.col("share") >= _SHARE))["_language"].to_list()


def _lookup(groups: pl.DataFrame) -> pl.DataFrame:
    """One row per attribute (lower case) of the grouping."""
    if "polarity" not in groups.columns:
        groups = groups.with_columns(polarity=pl.lit(""))
    cells = groups.select(_text(name) for name in ("attribute", "group_id", "canonical", "polarity"))
    rows = cells.filter(pl.col("attribute") != "").select(
        pl.col("attribute").str.to_lowercase().alias("_key"),
        "group_id",
        pl.when(pl.col("canonical") == "")
        .then(pl.col("attribute"))
        .otherwise("canonical")
        .alias("canonical"),
        "polarity",
    )
    rows = rows.unique(maintain_order=True)
    twice = rows.filter(pl.col("_key").is_duplicated())
    if not twice.is_empty():
        attribute, first, second = twice["_key"][0], *twice.filter(_key=twice["_key"][0])["group_id"][:2]
        raise UserError(
            f"The groups contain the attribute '{attribute}' twice, in '{first}' and '{second}'. Remove one of the "
            "rows, "
            "or give both the same canonical term."
        )
    return rows


def _ordered(table: pl.DataFrame) -> pl.DataFrame:
    """The columns of `MENTION_COLUMNS` first; who said it becomes one key."""
    named = pl.concat_str("source", "respondent", separator="\x1f")
    alone = pl.concat_str(pl.lit("row\x1f"), pl.int_range(pl.len()).cast(pl.String))
    person = pl.when(pl.col("respondent") == "").then(alone).otherwise(named)
    return table.with_columns(person=person).select(*MENTION_COLUMNS, pl.exclude(*MENTION_COLUMNS))
