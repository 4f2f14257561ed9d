"""Which tests were corrected together, and what is claimed from them: one table on every page."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from endoxa.report.document import Section
from endoxa.report.tables import number_field, table_of, text_field
from endoxa.report.words import count
from endoxa.runs.families import Family
from endoxa.stats.verdicts import UNTESTED

Used = tuple[Family, pl.DataFrame, str]
"""A family, its rows of estimates, and what tells it from others of its name (a rule), or empty."""


def families(used: Sequence[Used], anchor: str = "families", level: str = "0.05") -> Section:
    """The families of a page, how many tests each holds, and how many of its rows could not be tested.

    Args:
        used: the families in the order of the page; those without a row are left out.
        anchor: id of the heading.
        level: level of the verdicts, as text.
    """
    rows = [entry for entry in used if entry[1].height]
    fields = (
        text_field("family", lambda row: row[0].name + (f", {row[2]}" if row[2] else "")),
        text_field("its tests", lambda row: row[0].tests),
        number_field(
            "p-values adjusted together", lambda row: " and ".join(map(count, row[0].numbers(row[1])))
        ),
        number_field("could not be tested", lambda row: count(row[1].filter(verdict=UNTESTED).height)),
        text_field("correction", lambda row: row[0].correction),
        text_field("what is claimed from it", lambda row: row[0].claims),
    )
    return Section(
        anchor=anchor,
        folded=True,
        title="Tests and corrections",
        tables=(table_of("Families of tests", rows, fields, folded=True),) if rows else (),
        notes=(
            "A claim needs an adjusted p-value of at most "
            f"{level}; p-values are adjusted over all tests of the family. A row that cannot be tested (too few "
            "clusters, for example) is evidence neither for nor against.",
        ),
    )
