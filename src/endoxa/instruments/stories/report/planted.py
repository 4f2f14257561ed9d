"""What was planted in simulated tellers, whether their stories could show it, and whether they did."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from endoxa.errors import UserError
from endoxa.instruments.stories.report.results import StoryResults
from endoxa.instruments.stories.report.sources import POOLED, by_model
from endoxa.instruments.stories.report.words import phrase
from endoxa.instruments.stories.settings import Discovery
from endoxa.report.document import Finding, Section
from endoxa.report.tables import Column, Table
from endoxa.report.words import NO_VALUE, count, decimal, decimal_interval, percent, plural
from endoxa.sources.stereotales import OTHER, UNKNOWN
from endoxa.sources.stereotales.associations import PARTS

FOUND, MISSED = "yes", "no"
NOT_ASKED, TOO_FEW = "not asked", "too few stories"
TESTABLE = (FOUND, MISSED)


TABLE = ("base_attribute", "compared_attribute")


@dataclass(frozen=True, slots=True)
class Planted:
    """One planted association.

    Attributes:
        model: the teller.
        truth: its four parts, `expected_fraction` and `expected_lift`.
        stories: stories of its base value that tell the compared attribute; None where the stories are not there.
        power: probability that so many stories pass both steps (`associations.power`); None where it is not
            testable.
        measured: its row of the associations found, or empty.
    """

    model: str
    truth: Mapping[str, Any]
    stories: int | None
    power: float | None
    measured: Mapping[str, Any]

    @property
    def parts(self) -> tuple[str, ...]:
        """The four parts."""
        return tuple(self.truth[name] for name in PARTS)

    @property
    def outcome(self) -> str:
        """One of `TESTABLE`, or why it could not be found."""
        if self.measured:
            return FOUND
        if self.stories is None or self.power is not None:
            return MISSED
        return TOO_FEW if self.stories else NOT_ASKED


def planted_associations(model: str) -> tuple[Mapping[str, Any], ...] | None:
    """What was planted in a simulated teller, as its name says; None for every other model."""
    from endoxa.models.chat import parse_chat_model
    from endoxa.models.chat.simulated import SimulatedModel

    if not model.startswith("sim/"):
        return None
    try:
        told = SimulatedModel(parse_chat_model(model)).describe()
    except UserError:  # a respondent of another version
        return None
    probes: Mapping[str, Any] = told["probes"]
    stated = probes.get("stories", {}).get("associations")  # latent strengths state none
    return None if stated is None else tuple(stated)


def found_of(results: StoryResults, model: str) -> pl.DataFrame:
    """Associations that may be claimed of a model, all languages together."""
    return by_model(results.claimed).filter(pl.col("model") == model)


def compare_planted(results: StoryResults, model: str) -> list[Planted] | None:
    """Every association planted in a model beside what its stories show; None where it is no simulated teller."""
    truth = planted_associations(model)
    return None if truth is None else list(_compared(results, model, truth))


def _compared(results: StoryResults, model: str, truth: tuple[Mapping[str, Any], ...]) -> Iterator[Planted]:
    found = {
        tuple(row[name] for name in PARTS): row for row in found_of(results, model).iter_rows(named=True)
    }
    own = results.told.filter(pl.col("model") == model)
    for entry in truth:
        measured = found.get(tuple(entry[name] for name in PARTS), {})
        if own.is_empty():
            yield Planted(model, entry, None, None, measured)
        else:
            yield Planted(model, entry, *_stories_and_power(own, entry, _alpha(results, model)), measured)


def _alpha(results: StoryResults, model: str) -> float:
    """False-discovery rate with which associations of a model were discovered."""
    alphas = results.tested.filter(POOLED, pl.col("model") == model)["alpha"]
    return float(alphas[0]) if len(alphas) else Discovery().alpha


def _stories_and_power(own: pl.DataFrame, entry: Mapping[str, Any], alpha: float) -> tuple[int, float | None]:
    """Stories that could show an association, and with which power; None where it is in no table that is tested."""
    from endoxa.instruments.stories.associations.cells import power, table_power
    from endoxa.instruments.stories.associations.tables import FEWEST

    compared = entry["compared_attribute"]
    if compared not in own.columns:
        return 0, None
    value = pl.col(compared).cast(pl.String)
    told = own.filter(
        pl.col("base_attribute") == entry["base_attribute"],
        value.is_not_null(),
        ~value.is_in([UNKNOWN, OTHER]),
    )
    counts = dict(told.group_by("base_value").len().iter_rows())
    stories = int(counts.get(entry["base_value"], 0))
    values = sum(n >= FEWEST for n in counts.values())
    if stories < FEWEST or values < 2:
        return stories, None
    rate = entry["expected_fraction"] / entry["expected_lift"]
    columns = told[compared].n_unique()
    if columns < 2:
        return stories, None
    given = {"base_rate": rate, "lift": min(entry["expected_lift"], values, 1 / rate), "alpha": alpha}
    kept = table_power(stories, values=values, columns=columns, **given)
    return stories, kept * power(stories, values=values, cells=values * columns, **given)


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
    # A table alone does not say what its stories were asked about.
    showable = " that the stories could show" if any(row.stories is not None for row in rows) else ""
    numbers = {"hit": hit, "testable": testable, "power": round(power, 1), "beside": beside, "other": other}
    numbers |= _untested_numbers(rows)
    shown = (
        f"{count(hit) if hit else 'none'} of {plural(testable, 'planted association')}{showable} "
        f"{'were' if hit > 1 else 'was'} found{expected}"
        if testable
        else "the stories could show none of the planted associations"
    )
    return Finding(f"{results.label(model)}: {shown}{_untested(rows)}.{_others(beside, other)}", (numbers,))


def _others(beside: int, other: int) -> str:
    """What else was found: in tables with a planted association, and false findings."""
    same = f"in the same tables: {count(beside)}"
    false = f"in tables where nothing was planted: {count(other)}, all false"
    parts = [*([same] if beside else []), *([false] if other else [])]
    return f" Also found {'; '.join(parts)}." if parts else ""


def _untested_numbers(rows: Sequence[Planted]) -> dict[str, int]:
    """Planted associations that were not asked for, and those that had too few stories."""
    untested = [row.outcome for row in rows if row.outcome not in TESTABLE]
    asked = untested.count(NOT_ASKED)
    return {"asked": asked, "few": len(untested) - asked}


def _untested(rows: Sequence[Planted]) -> str:
    asked, few = _untested_numbers(rows).values()
    if not asked + few:
        return ""
    parts = (
        (asked, f"{count(asked)} {'was' if asked == 1 else 'were'} not asked for"),
        (few, f"{count(few)} had too few stories"),
    )
    return "; " + ", ".join(text for number, text in parts if number)


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
