"""What was planted in simulated tellers, whether their stories could show it, and whether they did."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from endoxa.errors import UserError
from endoxa.instruments.stories.options import Discovery
from endoxa.instruments.stories.report.results import StoryResults
from endoxa.instruments.stories.report.sources import POOLED, by_model
from endoxa.instruments.stories.report.words import phrase
from endoxa.report.document import Finding, Section
from endoxa.report.tables import number_field, table_of, text_field
from endoxa.report.words import NO_VALUE, count, decimal, decimal_interval, percent, plural
from endoxa.sources.stereotales import OTHER, UNKNOWN
from endoxa.sources.stereotales.associations import PARTS

DETECTED, MISSED = "yes", "no"
NO_STORIES, TOO_FEW = "not asked", "too few stories"
TESTABLE = (DETECTED, MISSED)


TABLE = ("base_attribute", "compared_attribute")


@dataclass(frozen=True, slots=True)
class Planted:
    """One planted association.

    Attributes:
        model: the teller.
        truth: its four parts, `expected_fraction` and `expected_lift`.
        stories: stories of its base value that tell the compared attribute; None where the stories are not there.
        power: probability that so many stories pass both steps (`associations.cells`); None where it is not
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
            return DETECTED
        if self.stories is None or self.power is not None:
            return MISSED
        return TOO_FEW if self.stories else NO_STORIES


def planted_associations(model: str) -> tuple[Mapping[str, Any], ...] | None:
    """What was planted in a simulated teller, as its name says; None for every other model."""
    from endoxa.models.chat import parse_chat_model
    from endoxa.models.chat.simulated import SimulatedModel

    if not model.startswith("sim/"):
        return None
    try:
        description = SimulatedModel(parse_chat_model(model)).describe()
    except UserError:  # a respondent of another version
        return None
    probes: Mapping[str, Any] = description["probes"]
    stated = probes.get("stories", {}).get("associations")  # latent strengths state none
    return None if stated is None else tuple(stated)


def claimed_of(results: StoryResults, model: str) -> pl.DataFrame:
    """Associations that may be claimed of a model, all languages together."""
    return by_model(results.claimed).filter(pl.col("model") == model)


def compare_planted(results: StoryResults, model: str) -> list[Planted] | None:
    """Every association planted in a model beside what its stories show; None where it is no simulated teller."""
    truth = planted_associations(model)
    return None if truth is None else list(_compared(results, model, truth))


def _compared(results: StoryResults, model: str, truth: tuple[Mapping[str, Any], ...]) -> Iterator[Planted]:
    claims = {
        tuple(row[name] for name in PARTS): row for row in claimed_of(results, model).iter_rows(named=True)
    }
    stories = results.protagonists.filter(pl.col("model") == model)
    for entry in truth:
        measured = claims.get(tuple(entry[name] for name in PARTS), {})
        if stories.is_empty():
            yield Planted(model, entry, None, None, measured)
        else:
            alphas = results.tested.filter(POOLED, pl.col("model") == model)["alpha"]
            yield Planted(
                model,
                entry,
                *_stories_and_power(stories, entry, (float(alphas[0]) if len(alphas) else Discovery().alpha)),
                measured,
            )


def _stories_and_power(
    written: pl.DataFrame, entry: Mapping[str, Any], alpha: float
) -> tuple[int, float | None]:
    """Stories that could show an association, and with which power; None where it is in no table that is tested."""
    from endoxa.instruments.stories.associations.cells import power, table_power
    from endoxa.instruments.stories.associations.tables import FEWEST

    compared = entry["compared_attribute"]
    if compared not in written.columns:
        return 0, None
    value = pl.col(compared).cast(pl.String)
    telling = written.filter(
        pl.col("base_attribute") == entry["base_attribute"],
        value.is_not_null(),
        ~value.is_in([UNKNOWN, OTHER]),
    )
    counts = dict(telling.group_by("base_value").len().iter_rows())
    stories = int(counts.get(entry["base_value"], 0))
    values = sum(n >= FEWEST for n in counts.values())
    if stories < FEWEST or values < 2:
        return stories, None
    rate = entry["expected_fraction"] / entry["expected_lift"]
    columns = telling[compared].n_unique()
    if columns < 2:
        return stories, None
    shared = {"base_rate": rate, "lift": min(entry["expected_lift"], values, 1 / rate), "alpha": alpha}
    kept = table_power(stories, values=values, columns=columns, **shared)
    return stories, kept * power(stories, values=values, cells=values * columns, **shared)


def planted(results: StoryResults) -> Section | None:
    """Every planted association with its true and its measured lift; None where no teller is simulated."""
    compared = {
        model: rows for model in results.writers if (rows := compare_planted(results, model)) is not None
    }
    if not compared:
        return None
    rows = [row for entries in compared.values() for row in entries]
    return Section(
        anchor="planted",
        title="Planted and found",
        findings=tuple(_sentence(results, model, entries) for model, entries in compared.items()),
        tables=(
            table_of(
                "Planted associations",
                rows,
                (
                    text_field("model", lambda row: results.label(row.model)),
                    text_field("association", lambda row: phrase(row.truth), veiled=True),
                    number_field("planted share", lambda row: percent(row.truth["expected_fraction"], 0)),
                    number_field(
                        "measured share",
                        lambda row: percent(row.measured["fraction"], 0) if row.measured else NO_VALUE,
                    ),
                    number_field("planted lift", lambda row: decimal(row.truth["expected_lift"], 2)),
                    number_field("measured lift", lambda row: decimal(row.measured.get("lift"), 2)),
                    number_field(
                        f"{results.level} interval",
                        lambda row: decimal_interval(
                            row.measured.get("lift_low"), row.measured.get("lift_high"), 2
                        ),
                    ),
                    number_field(
                        "stories", lambda row: NO_VALUE if row.stories is None else count(row.stories)
                    ),
                    number_field(
                        "power", lambda row: NO_VALUE if row.power is None else percent(row.power, 0)
                    ),
                    text_field("found", lambda row: row.outcome),
                ),
                most_open=30,
            ),
        )
        if rows
        else (),
        notes=(
            "Simulated tellers write stories in which these associations were planted; everything else is independent. "
            "Where a value is raised for one trait, the others of that table fall, so further cells of the same "
            "table are true findings. Stories are those about the first trait that tell the second attribute; power is "
            "the probability that so many show the planted lift, if stories of one prompt do not depend on each other.",
        ),
    )


def _sentence(results: StoryResults, model: str, rows: Sequence[Planted]) -> Finding:
    claims = claimed_of(results, model)
    true = {row.parts for row in rows}
    tables = {tuple(row.truth[name] for name in TABLE) for row in rows}
    hit = sum(parts in true for parts in claims.select(PARTS).iter_rows())
    beside = sum(table in tables for table in claims.select(TABLE).iter_rows()) - hit
    other = claims.height - hit - beside
    testable = sum(row.outcome in TESTABLE for row in rows)
    power = sum(row.power or 0.0 for row in rows)
    computed = all(row.power is not None for row in rows if row.outcome in TESTABLE)
    expected = (
        f" ({decimal(power, 1)} were to be expected with so many stories)" if computed and testable else ""
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
    without_stories = untested.count(NO_STORIES)
    return {"asked": without_stories, "few": len(untested) - without_stories}


def _untested(rows: Sequence[Planted]) -> str:
    without_stories, few = _untested_numbers(rows).values()
    if not without_stories + few:
        return ""
    parts = (
        (
            without_stories,
            f"{count(without_stories)} {'was' if without_stories == 1 else 'were'} not asked for",
        ),
        (few, f"{count(few)} had too few stories"),
    )
    return "; " + ", ".join(text for number, text in parts if number)
