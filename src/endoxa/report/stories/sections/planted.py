"""Simulated tellers: the associations planted in their stories beside those that were found."""

from __future__ import annotations

from collections.abc import Sequence

from endoxa.datasets.stereotales.associations import PARTS
from endoxa.report.document import Column, Finding, Section, Table
from endoxa.report.stories.planted import NOT_ASKED, TESTABLE, Planted, compare_planted, found_of
from endoxa.report.stories.results import StoryResults
from endoxa.report.stories.words import phrase
from endoxa.report.words import NO_VALUE, count, decimal, decimal_interval, percent, plural

TABLE = ("base_attribute", "compared_attribute")


def planted(results: StoryResults) -> Section | None:
    """Every planted association with its true and its measured lift; None where no teller is simulated."""
    compared = {
        model: rows for model in results.writers if (rows := compare_planted(results, model)) is not None
    }
    if not compared:
        return None
    rows = [row for own in compared.values() for row in own]
    return Section(
        anchor="planted",
        title="Planted and found",
        findings=tuple(_sentence(results, model, own) for model, own in compared.items()),
        tables=(_table(results, rows),) if rows else (),
        notes=(
            "Simulated tellers write stories in which these associations were planted; everything else is independent. "
            "Where a value is raised for one trait, the others of that table fall, so further cells of the same "
            "table are true findings. Stories are those about the first trait that tell the second attribute; power is "
            "the probability that so many show the planted lift, if stories of one prompt do not depend on each other.",
        ),
    )


def _sentence(results: StoryResults, model: str, rows: Sequence[Planted]) -> Finding:
    found = found_of(results, model)
    true = {row.parts for row in rows}
    tables = {tuple(row.truth[name] for name in TABLE) for row in rows}
    hit = sum(parts in true for parts in found.select(PARTS).iter_rows())
    beside = sum(table in tables for table in found.select(TABLE).iter_rows()) - hit
    other = found.height - hit - beside
    testable = sum(row.outcome in TESTABLE for row in rows)
    power = sum(row.power or 0.0 for row in rows)
    known = all(row.power is not None for row in rows if row.outcome in TESTABLE)
    expected = (
        f" ({decimal(power, 1)} were to be expected with so many stories)" if known and testable else ""
    )
    numbers = {"hit": hit, "testable": testable, "power": round(power, 1), "beside": beside, "other": other}
    numbers |= _untested_numbers(rows)
    return Finding(
        f"{results.label(model)}: {count(hit)} of {plural(testable, 'planted association')} that the stories could "
        f"show {'was' if hit == 1 else 'were'} found{expected}{_untested(rows)}. {count(beside)} more in the same "
        f"tables, and {count(other)} in tables where nothing was planted, which {'is' if other == 1 else 'are'} false.",
        (numbers,),
    )


def _untested_numbers(rows: Sequence[Planted]) -> dict[str, int]:
    """Planted associations that were not asked for, and those that had too few stories."""
    untested = [row.outcome for row in rows if row.outcome not in TESTABLE]
    asked = untested.count(NOT_ASKED)
    return {"asked": asked, "few": len(untested) - asked}


def _untested(rows: Sequence[Planted]) -> str:
    asked, few = _untested_numbers(rows).values()
    if not asked + few:
        return ""
    return f"; {count(asked)} more {'was' if asked == 1 else 'were'} not asked for, {count(few)} had too few stories"


def _table(results: StoryResults, rows: Sequence[Planted]) -> Table:
    cells = tuple(
        (
            results.label(row.model),
            phrase(row.truth),
            percent(row.truth["expected_fraction"], 0),
            percent(own["fraction"], 0) if (own := row.measured) else NO_VALUE,
            decimal(row.truth["expected_lift"], 2),
            decimal(own.get("lift"), 2),
            decimal_interval(own.get("lift_low"), own.get("lift_high"), 2),
            NO_VALUE if row.stories is None else count(row.stories),
            NO_VALUE if row.power is None else percent(row.power, 0),
            row.outcome,
        )
        for row in rows
    )
    numbers = (
        "planted share",
        "measured share",
        "planted lift",
        "measured lift",
        f"{results.level} interval",
        "stories",
        "power",
    )
    return Table(
        "Planted associations",
        (
            Column("model"),
            Column("association", veiled=True),
            *(Column(name, numeric=True) for name in numbers),
            Column("found"),
        ),
        cells,
        folded=len(cells) > 30,
    )
