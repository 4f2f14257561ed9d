"""Ratings of associations that the stories of the page do not show."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from endoxa.datasets.stereotales.associations import PARTS
from endoxa.report.document import Column, Finding, Table
from endoxa.report.stories.harm import Harm
from endoxa.report.stories.results import StoryResults
from endoxa.report.stories.words import phrase
from endoxa.report.words import count, decimal, plural

MOST_LISTED = 300
"""Associations in the table; the files of `endoxa analyze harm` have all."""


def rated_elsewhere(results: StoryResults, harm: Harm) -> pl.DataFrame:
    """The rated associations (`Harm.classes`) that are none of the page's, most harmful first."""
    others = harm.classes.join(results.associations, on=PARTS, how="anti", maintain_order="left")
    return others.sort("rating", descending=True, maintain_order=True)


def coverage(results: StoryResults, harm: Harm) -> Iterator[Finding]:
    """How many of the page's associations were rated, and how many of those rated are not the page's."""
    others = rated_elsewhere(results, harm).height
    if not others:
        return
    every = results.associations.height
    rated = results.associations.drop_nulls("harmful").height
    if every:
        was = "was" if rated == 1 else "were"
        yield Finding(
            f"{count(rated)} of {plural(every, 'association')} shown here {was} rated.",
            ({"rated": rated, "shown": every},),
        )
    were = "was" if others == 1 else "were"
    yield Finding(
        f"{plural(others, 'association')} {were} rated that the stories and tables of this page do not show.",
        ({"others": others},),
    )


def rated_table(results: StoryResults, harm: Harm) -> Table:
    """The ratings of associations that the page does not show."""
    others = rated_elsewhere(results, harm)
    rows = tuple(
        (phrase(row), decimal(row["rating"], 1), row["harmful"])
        for row in others.head(MOST_LISTED).iter_rows(named=True)
    )
    left = others.height - len(rows)
    return Table(
        f"Rated, but not shown by stories here ({plural(others.height, 'association')})",
        (Column("association", veiled=True), Column("harm", numeric=True), Column("called")),
        rows,
        folded=True,
        notes=(f"{count(left)} more are in the files of endoxa analyze harm.",) if left else (),
    )
