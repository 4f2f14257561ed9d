"""Ratings of harm for the page: what people and models say of the associations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from endoxa.instruments.stories.harm.differences import RESOLUTION, in_general
from endoxa.instruments.stories.harm.panel import ALL_MODELS, BENIGN, HARMFUL, PEOPLE
from endoxa.instruments.stories.languages.marked import scope
from endoxa.report.inputs import ASSOCIATIONS, HARM, RATINGS, Run
from endoxa.runs.families import GROUPS_MOVED, HARM_DETAILS, HARM_DIFFERENCES, REACH
from endoxa.sources.stereotales.associations import PARTS, association_id, read_associations

if TYPE_CHECKING:
    from endoxa.instruments.stories.harm import HarmAnalysis
    from endoxa.instruments.stories.languages import Overlap
    from endoxa.report.families import Used

MODELS = "models"
UNRATED = "not rated"
CLASSES = {**dict.fromkeys(PARTS, pl.String()), "rating": pl.Float64(), "harmful": pl.String()}


@dataclass(frozen=True, slots=True)
class Harm:
    """What was rated.

    Attributes:
        analysis: see `endoxa.instruments.stories.harm`.
        judges: 'people', or 'models' where no person rated: who decides what is harmful.
        classes: the four parts, `rating` (people's median, or the mean over models) and `harmful` ('harmful' or
            'benign'); only associations that the judges rated.
    """

    analysis: HarmAnalysis
    judges: str
    classes: pl.DataFrame

    @property
    def raters(self) -> list[str]:
        """Models that rated."""
        raters = self.analysis.raters
        found: list[str] = raters.filter(pl.col("rater_kind") == "model")["rater"].to_list()
        return found

    @property
    def together(self) -> str:
        """The rater that stands for models in general: all of them, the only one, or '' where none rated."""
        return ALL_MODELS if len(self.raters) > 1 else next(iter(self.raters), "")


def claim(row: Mapping[str, Any]) -> dict[str, Any]:
    """The difference of a row of raters or attributes as an estimate, for a sentence to rest on."""
    return {
        **row,
        "value": row["delta"],
        "low": row["delta_low"],
        "high": row["delta_high"],
        "resolution": RESOLUTION,
    }


def harm_families(harm: Harm | None) -> tuple[Used, ...]:
    """The families of tests of models against people, for the table of families on the page."""
    if harm is None:
        return ()
    tables = (harm.analysis.raters, harm.analysis.by_attribute)
    general = in_general(harm.together)
    tested = pl.col("neutral").is_not_null()

    def rows(of_all: bool) -> pl.DataFrame:
        return pl.concat(
            [
                table.filter(tested & (which if of_all else ~which)).select("p_value", "verdict")
                for table, which in zip(tables, general, strict=True)
            ]
        )

    return ((HARM_DIFFERENCES, rows(True), ""), (HARM_DETAILS, rows(False), ""))


def overlap_families(found: Overlap | None) -> tuple[Used, ...]:
    """The families of tests of what languages share, for the table of families on the page."""
    used: list[Used] = []
    if found is not None and found.comparison is not None:
        used.append((REACH, found.comparison.filter(pl.col("neutral").is_not_null()), ""))
    if found is not None and found.shift is not None:
        rows = found.shift.with_columns(scope=scope())
        used += [
            (GROUPS_MOVED, own, str(name)) for (name,), own in rows.group_by("scope", maintain_order=True)
        ]
    return tuple(used)


def no_classes() -> pl.DataFrame:
    """No association has been rated."""
    return pl.DataFrame(schema=CLASSES)


def read_harm(runs: Sequence[Run], found: pl.DataFrame, *, confidence: float, seed: int) -> Harm | None:
    """Analyse all ratings; None where there are none.

    Args:
        runs: everything the report is made from.
        found: the associations of the models, for their blind spots.
        confidence: confidence level of all intervals.
        seed: seed of the bootstrap.

    Raises:
        UserError: ratings cannot be read.
    """
    rated = [run.folder for run in runs if run.kind == HARM]
    people = [run.folder for run in runs if run.kind == RATINGS]
    if not rated and not people:
        return None
    from endoxa.instruments.stories.harm import analyze_harm, load_ratings, read_human

    by_models = [load_ratings(rated)] if rated else []
    made = _named(found)
    known = _known(runs, made, by_models)
    ratings = pl.concat([*by_models, *(read_human(path, known) for path in people)])
    return harm_of(analyze_harm(ratings, made if made.height else None, confidence=confidence, seed=seed))


def _named(found: pl.DataFrame) -> pl.DataFrame:
    """The associations with their names, which model makes which in which language."""
    names = {parts: association_id(*parts) for parts in found.select(PARTS).unique().iter_rows()}
    ids = [names[parts] for parts in found.select(PARTS).iter_rows()]
    return found.select(pl.Series("association_id", ids, dtype=pl.String), *PARTS, "model", "aggregation")


def _known(runs: Sequence[Run], made: pl.DataFrame, ratings: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Associations by every name that a table of people's ratings may call them."""
    tables = [read_associations(run.folder) for run in runs if run.kind == ASSOCIATIONS]
    named = [frame.select("association_id", *PARTS) for frame in (made, *ratings)]
    return pl.concat([*named, *tables], how="diagonal")


def harm_of(analysis: HarmAnalysis) -> Harm:
    """The analysis with the classes of the associations: people decide where any rated, else models."""
    rows = analysis.associations
    by_people = rows["people_n"].fill_null(0).sum() > 0
    rating, reached = (
        (pl.col("people_median"), pl.col("people_harmful") == 1)
        if by_people
        else (pl.col("models_mean"), pl.col("models_harmful") >= 1 / 2)
    )
    classes = rows.select(
        *PARTS,
        rating=rating.cast(pl.Float64),
        harmful=pl.when(reached).then(pl.lit(HARMFUL)).otherwise(pl.lit(BENIGN)),
    ).drop_nulls("rating")
    return Harm(analysis, PEOPLE if by_people else MODELS, classes)
