"""What is said of a group, in sentences about nobody in particular, and the opposite of it."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from endoxa.build.pairs import PairOptions, build_pairs
from endoxa.build.tests.crossing import ALL, require_sentences
from endoxa.build.tests.templates import Templates


def with_sentences(table: pl.DataFrame, templates: Mapping[str, Templates]) -> pl.DataFrame:
    """The table with the sentences `said` and `opposite`, and `opposite_term`; null where none can be made."""
    for language in table["language"].unique(maintain_order=True):
        require_sentences(language, templates, ALL)
    keys = ["attribute", "language", "agreement", "predicate"]
    asked = table.select(keys).unique(maintain_order=True)
    subjects = [
        templates[language].people.get(gender, templates[language].people.get("", ""))
        for language, gender in asked.select("language", "agreement").iter_rows()
    ]
    number = pl.int_range(pl.len()).cast(pl.String)
    asked = asked.with_columns(
        pl.Series("identity", subjects, dtype=pl.String), number.alias("association_id")
    )
    said = build_pairs(asked, PairOptions(negation_only=True)).pairs
    opposite = build_pairs(asked, PairOptions(antonym_only=True)).pairs
    for made in (
        said.select("association_id", said="sent_more"),
        opposite.select("association_id", opposite="sent_less", opposite_term="attribute_less"),
    ):
        known = made.unique("association_id")
        asked = asked.join(known, on="association_id", how="left", maintain_order="left")
    return table.join(asked.drop("identity", "association_id"), on=keys, how="left", maintain_order="left")


def sentences_of(part: pl.DataFrame) -> dict[str, str]:
    """Attribute by its sentence, for the attributes that have one."""
    return dict(part.filter(pl.col("said").is_not_null()).select("said", "attribute").iter_rows())


def poles(part: pl.DataFrame) -> tuple[dict[str, str], dict[str, str]]:
    """What is said, and its opposites: term by sentence, no sentence in both.

    Where both an attribute and its opposite are said, the one that more respondents said stays; neither where as many
    said the one as the other.

    Args:
        part: rows of one identity, with the columns of `with_sentences` and `support`.
    """
    known = part.filter(pl.col("said").is_not_null() & pl.col("opposite").is_not_null())
    support = dict(known.group_by("said").agg(pl.col("support").sum()).iter_rows())
    said: dict[str, str] = {}
    opposites: dict[str, str] = {}
    for row in known.sort("support", descending=True, maintain_order=True).iter_rows(named=True):
        tied = support.get(row["opposite"]) == support[row["said"]]
        if not tied and row["said"] not in opposites and row["opposite"] not in said:
            said[row["said"]] = row["attribute"]
            opposites[row["opposite"]] = row["opposite_term"]
    return said, opposites
