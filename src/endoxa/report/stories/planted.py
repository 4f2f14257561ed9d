"""What was planted in simulated tellers, whether their stories could show it, and whether they did."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from endoxa.analyze.associations.settings import Discovery
from endoxa.datasets.stereotales import OTHER, UNKNOWN
from endoxa.datasets.stereotales.associations import PARTS
from endoxa.errors import UserError
from endoxa.report.stories.found import POOLED
from endoxa.report.stories.results import StoryResults
from endoxa.report.stories.rows import by_model

FOUND, MISSED = "yes", "no"
NOT_ASKED, TOO_FEW = "not asked", "too few stories"
TESTABLE = (FOUND, MISSED)


@dataclass(frozen=True, slots=True)
class Planted:
    """One planted association.

    Attributes:
        model: the teller.
        truth: its four parts, `expected_fraction` and `expected_lift`.
        stories: stories of its base value that tell the compared attribute; None where the stories are not there.
        power: probability that so many stories pass both steps (`analyze.associations.power`); None where it is not
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
    from endoxa.models.chat.simulated import SimulatedModel
    from endoxa.models.chat.spec import parse_chat_model

    if not model.startswith("sim/"):
        return None
    try:
        told = SimulatedModel(parse_chat_model(model)).describe()
    except UserError:  # a respondent of another version
        return None
    probes: Mapping[str, Any] = told["probes"]
    return tuple(probes["stories"]["associations"]) if "stories" in probes else None


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
    from endoxa.analyze.associations.power import power, table_power
    from endoxa.analyze.associations.tables import FEWEST

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
