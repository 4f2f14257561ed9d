"""Which tests were corrected together, and what is claimed from them: one table on every page."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from endoxa.report.document import Section
from endoxa.report.tables import Column, Table
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
    rows = tuple(
        (
            family.name + (f", {which}" if which else ""),
            family.tests,
            " and ".join(count(number) for number in family.numbers(table)),
            count(int((table["verdict"] == UNTESTED).sum())),
            family.correction,
            family.claims,
        )
        for family, table, which in used
        if table.height
    )
    names = (
        "family",
        "its tests",
        "p-values adjusted together",
        "could not be tested",
        "correction",
        "what is claimed from it",
    )
    numeric = ("p-values adjusted together", "could not be tested")
    return Section(
        anchor=anchor,
        folded=True,
        title="Tests and corrections",
        tables=(
            Table(
                "Families of tests",
                tuple(Column(name, numeric=name in numeric) for name in names),
                rows,
                folded=True,
            ),
        )
        if rows
        else (),
        notes=(
            "A claim needs an adjusted p-value of at most "
            f"{level}; p-values are adjusted over all tests of the family. A row that cannot be tested (too few "
            "clusters, for example) is evidence neither for nor against.",
        ),
    )
