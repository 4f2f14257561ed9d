"""The attributes of a table with their respondents, and a grouping that people have worked on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path

import polars as pl
import regex

from endoxa.curate.carrying import further_columns, not_carried
from endoxa.errors import UserError
from endoxa.schema import ASSOCIATION_COLUMNS
from endoxa.sources.frames import read_table

WORKING_LANGUAGE = "en"
"""Language that statements are translated into."""


def read_attributes(
    path: Path,
    column: str = "attribute",
    language: str | None = None,
    tell: Callable[[str], object] = lambda _: None,
    written: Collection[str] = (),
) -> dict[str, int]:
    """Respondents by attribute, in the order in which the attributes first appear.

    A table of statements counts different respondents, and leaves out rows whose `omit` is true; a table with a
    column `count` sums it; any other one counts rows. Rows without an attribute are left out.

    Args:
        path: the table.
        column: the column of the attributes.
        language: leave out statements that stand in another language because nobody translated them.
        tell: takes a sentence for the user where such were left out.
        written: columns of the table that is made of the attributes, where one is: what it lacks is told.

    Raises:
        UserError: the file cannot be read, lacks the column, has a count that is no whole number, or no attribute.
    """
    table = read_table(path, (column,))
    if written:
        for sentence in not_carried(
            further_columns(table, (*written, column, *ASSOCIATION_COLUMNS)), "groups"
        ):
            tell(sentence)
    table = table.with_row_index("row", offset=1)
    table = table.with_columns(pl.col(column).str.strip_chars().alias("attribute")).filter(
        pl.col("attribute").fill_null("") != ""
    )
    if "omit" in table.columns:
        table = table.filter(pl.col("omit").fill_null("").str.to_lowercase() != "true")
    if language:
        table = _in_language(table, language, tell)
    if table.is_empty():
        raise UserError(f"{path}, column '{column}': no attribute found. Expected at least one.")
    if "respondent" in table.columns:
        count = pl.col("respondent").drop_nulls().n_unique()
    elif "count" in table.columns:
        table = _with_numbers(table, path)
        count = pl.col("count").sum()
    else:
        count = pl.len()
    grouped = table.group_by("attribute", maintain_order=True).agg(count.alias("count"))
    return dict(grouped.select("attribute", pl.col("count").cast(pl.Int64)).iter_rows())


def _in_language(table: pl.DataFrame, language: str, tell: Callable[[str], object]) -> pl.DataFrame:
    """The rows whose `statement` is in the language: an encoder of one language groups another's at random."""
    if not {"language", "statement", "original_statement"} <= set(table.columns):
        return table
    same_language = pl.col("language").fill_null("").is_in(["", language])
    translated = pl.col("statement") != pl.col("original_statement")
    kept = (same_language | translated) if language == WORKING_LANGUAGE else same_language & ~translated
    others = table.filter(~kept).unique("attribute").filter(pl.col("language") != language)
    if others.height:
        codes = ", ".join(sorted(set(others["language"].drop_nulls())))
        tell(
            f"{others.height} attributes in other languages than '{language}' ({codes}) are not grouped. Translate the "
            "statements (endoxa curate extract --translate), or group them with --language, --encoder and --existing."
        )
    return table.filter(kept)


def _with_numbers(table: pl.DataFrame, path: Path) -> pl.DataFrame:
    numbers = table["count"].str.strip_chars().cast(pl.Int64, strict=False)
    wrong = table.filter(numbers.is_null() | (numbers < 0))
    if not wrong.is_empty():
        raise UserError(
            f"{path}, row {wrong['row'][0]}, column 'count': '{wrong['count'][0] or ''}' is not a whole number. "
            "Expected the number of respondents."
        )
    return table.with_columns(numbers)


GROUP_ID = regex.compile(r"g(\d+)")


@dataclass(frozen=True, slots=True)
class Existing:
    """The rows of an earlier grouping.

    Attributes:
        table: all rows and columns, as they stand.
        groups: group id by attribute.
        canonical: canonical term by group id.
        polarity: polarity by group id, where the table says it.
    """

    table: pl.DataFrame
    groups: dict[str, str]
    canonical: dict[str, str]
    polarity: dict[str, str]

    def next_number(self) -> int:
        """First number of a group id that is not taken."""
        numbers = [int(match[1]) for name in self.canonical if (match := GROUP_ID.fullmatch(name))]
        return max(numbers, default=0) + 1


def read_existing(path: Path) -> Existing:
    """Read a grouping: columns attribute, group_id and canonical; others are kept.

    People who move an attribute to another group seldom mend its canonical term: of several in a group, the one in
    most rows is the group's.

    Raises:
        UserError: a column is missing, a row has no attribute or no group, or an attribute is in two groups.
    """
    table = read_table(path, ("attribute", "group_id", "canonical"))
    for number, row in enumerate(table.iter_rows(named=True), start=1):
        for column in ("attribute", "group_id"):
            if not (row[column] or "").strip():
                raise UserError(f"{path}, row {number}, column '{column}': empty. Fill it in.")
    twice = [name for name, times in Counter(table["attribute"].to_list()).items() if times > 1]
    if twice:
        raise UserError(f"{path}: the attribute '{twice[0]}' appears in two rows. Keep it in one group.")
    groups: dict[str, str] = dict(table.select("attribute", "group_id").iter_rows())
    first = {name: attribute for attribute, name in reversed(groups.items())}
    polarity = _most_common(table, "polarity") if "polarity" in table.columns else {}
    return Existing(table, groups, first | _most_common(table, "canonical"), polarity)


def _most_common(table: pl.DataFrame, column: str) -> dict[str, str]:
    """The value in most rows of each group, of equals the first in the alphabet; groups without any are left out."""
    values: dict[str, Counter[str]] = {}
    for name, value in table.select("group_id", column).iter_rows():
        if value:
            values.setdefault(name, Counter())[value] += 1
    return {
        name: min(counter, key=lambda value: (-counter[value], value)) for name, counter in values.items()
    }
