"""What a file of seeds would do to a campaign, before anything is added."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import get_language

from endoxa.collect import geography
from endoxa.collect.entry.seeding import SeedReport, SeedRow, unkind

FIRST = 10
"""Rows of each kind that are shown."""


@dataclass(frozen=True)
class Shown:
    """A row with names in the language of the page, and whether it is unkind (None: not known)."""

    country: str
    language: str
    row: SeedRow
    unkind: bool | None


@dataclass(frozen=True)
class Counted:
    """How many new rows a country has in each language."""

    country: str
    languages: tuple[tuple[str, int], ...]
    total: int


def shown(rows: Sequence[SeedRow]) -> list[Shown]:
    """The first rows with names."""
    return [named(row) for row in rows[:FIRST]]


def named(row: SeedRow) -> Shown:
    """A row with names."""
    here = get_language() or "en"
    return Shown(
        geography.name(row.country, here), geography.language_name(row.language, here), row, unkind(row)
    )


def counted(report: SeedReport) -> list[Counted]:
    """New rows by country and language, the largest country first."""
    here = get_language() or "en"
    cells = Counter((row.country, row.language) for row in report.new)
    totals = Counter(row.country for row in report.new)
    return [
        Counted(
            geography.name(country, here),
            tuple(
                (geography.language_name(language, here), count)
                for (other, language), count in sorted(cells.items())
                if other == country
            ),
            total,
        )
        for country, total in sorted(totals.items(), key=lambda item: (-item[1], item[0]))
    ]
