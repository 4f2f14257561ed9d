"""Editions as they are read: who said which association, or how many did."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import polars as pl

from endoxa.curate.associations import mentions
from endoxa.curate.normalise.identity import IDENTITY_KEY, with_identity_keys
from endoxa.errors import UserError
from endoxa.sources.frames import read_table
from endoxa.sources.identities import identity_key

KEY = ("identity_key", "attribute_key")
"""What joins an association over editions: the English name of the group where one is known, and the attribute."""
SHOWN = ("identity", "attribute", "axis")
RELEASED = ("associations.parquet", "associations.csv", "statements.parquet", "statements.csv")


@dataclass(frozen=True, slots=True)
class Edition:
    """A table of one edition.

    Attributes:
        path: its file.
        people: who said what: columns of `KEY` and `SHOWN`, language, respondent, country; None where the table only
            counts.
        counts: columns of `KEY` and `SHOWN`, count, total; the total is null where the table does not give it.
        notes: what was left out or assumed, as sentences.
    """

    path: Path
    people: pl.DataFrame | None
    counts: pl.DataFrame
    notes: tuple[str, ...] = ()


def table_path(path: Path) -> Path:
    """The table of a release (`endoxa export hub`), or the file itself.

    Raises:
        UserError: the folder holds no table of associations or statements.
    """
    if not path.is_dir():
        return path
    for name in RELEASED:
        if (path / "data" / name).is_file():
            return path / "data" / name
    raise UserError(
        f"{path} has no data/{RELEASED[0]} or data/{RELEASED[2]}. Give a table or a release folder."
    )


def read_edition(path: Path, groups: pl.DataFrame | None) -> Edition:
    """A table of statements, of associations, or an export of a campaign.

    Raises:
        UserError: it cannot be read, or has none of the columns that say how many people said it.
    """
    file = table_path(path)
    table = read_table(file, ("identity", "attribute"))
    names = set(table.columns)
    if "respondent" in names:
        return _of_statements(file, path.stem, table, groups)
    if {"ratings", "knowers"} <= names:
        number = pl.col("ratings").cast(pl.Float64, strict=False).fill_null(0)
        heard = pl.col("knowers").cast(pl.Float64, strict=False).fill_null(0) * number
        rated = table.with_columns(count=heard.round(), total=number).filter(pl.col("total") > 0)
        if rated.is_empty():
            raise UserError(f"{file}: nobody rated any of its associations. Compare an export with ratings.")
        note = "the share is that of raters who had heard it (ratings, knowers); raters of each pair count as different"
        return _of_counts(file, path.stem, rated, groups, (f"{path.stem}: {note}.",))
    if "support" in names:
        count = pl.col("support").cast(pl.Float64, strict=False)
        total = (
            pl.col("respondents").cast(pl.Float64, strict=False) if "respondents" in names else pl.lit(None)
        )
        counted = table.with_columns(count=count, total=total.cast(pl.Float64))
        if counted["count"].null_count():
            raise UserError(
                f"{file}, column 'support': a cell is not a number. Expected the number of respondents."
            )
        return _of_counts(file, path.stem, counted, groups, ())
    raise UserError(
        f"{file} does not say who said it. Expected a column 'respondent' (statements), 'support' (associations), or "
        "'ratings' and 'knowers' (export of a campaign)."
    )


def associations_of(file: Path) -> pl.DataFrame:
    """A table of associations with the columns of `KEY`."""
    return _keys(read_table(file, ("identity", "attribute", "support")))


def _keys(table: pl.DataFrame) -> pl.DataFrame:
    """The table with the columns of `KEY` and a text in every one of `SHOWN`."""
    absent = [name for name in (IDENTITY_KEY, "axis", "language") if name not in table.columns]
    full = with_identity_keys(table.with_columns(pl.lit("").alias(name) for name in absent)).with_columns(
        pl.col(IDENTITY_KEY, *SHOWN, "language").fill_null("").str.strip_chars()
    )
    named = pl.when(pl.col(IDENTITY_KEY) == "").then("identity").otherwise(IDENTITY_KEY)
    return full.with_columns(
        identity_key=named.map_elements(identity_key, return_dtype=pl.String),
        attribute_key=pl.col("attribute").map_elements(identity_key, return_dtype=pl.String),
    ).filter(pl.all_horizontal(pl.col(*KEY) != ""))


def _of_statements(path: Path, name: str, table: pl.DataFrame, groups: pl.DataFrame | None) -> Edition:
    mentioned = mentions(table, groups, source=name)
    left_out = [f"{name}: {n} statements left out: {reason}." for reason, n in mentioned.left_out.items()]
    country = "country" if "country" in mentioned.table.columns else pl.lit("").alias("country")
    keyed = _keys(mentioned.table.with_columns(country)).with_columns(
        respondent=pl.when(pl.col("respondent") == "").then("person").otherwise("respondent"),
        country=pl.col("country").fill_null("").str.strip_chars(),
    )
    people = keyed.select(*KEY, *SHOWN, "language", "respondent", "country").unique(
        (*KEY, "respondent"), keep="first", maintain_order=True
    )
    several = people.group_by("respondent").agg(pl.col("country").n_unique()).filter(pl.col("country") > 1)
    if several.height:
        left_out.append(
            f"{name}: {several.height} respondents with several countries count for the first of them."
        )
    people = people.with_columns(pl.col("country").first().over("respondent"))
    counts = _summed(people.with_columns(count=1.0)).with_columns(
        total=float(people["respondent"].n_unique())
    )
    return Edition(path, people, counts, (*left_out, *(f"{name}: {note}" for note in mentioned.notes)))


def _of_counts(
    path: Path, name: str, table: pl.DataFrame, groups: pl.DataFrame | None, notes: tuple[str, ...]
) -> Edition:
    if groups is not None:
        key = pl.col("attribute").map_elements(identity_key, pl.String)
        lookup = dict(
            groups.select(key, "canonical").unique("attribute", keep="first", maintain_order=True).iter_rows()
        )
        table = table.with_columns(key.replace_strict(lookup, default=pl.col("attribute")))
    keyed = _keys(table)
    summed = _summed(keyed)
    several = keyed.height - summed.height
    if several:
        notes += (
            f"{name}: {several} rows repeat an association (other countries, languages or members of a group); their "
            "counts are added up, so who said it in several of them counts several times.",
        )
    return Edition(path, None, summed, notes)


def _summed(table: pl.DataFrame) -> pl.DataFrame:
    total = pl.col("total").max() if "total" in table.columns else pl.lit(None, pl.Float64).alias("total")
    return table.group_by(KEY, maintain_order=True).agg(pl.col(*SHOWN).first(), pl.col("count").sum(), total)
