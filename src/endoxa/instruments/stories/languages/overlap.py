"""How far associations reach: in how many languages (or models) each is found, harmful ones against benign ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl

from endoxa.instruments.stories.harm.raters import every_pair, mean, measured, ratio
from endoxa.instruments.stories.harm.ratings import BENIGN, HARMFUL
from endoxa.instruments.stories.languages.marked import Groups, shift
from endoxa.instruments.stories.languages.presence import (
    By,
    Presence,
    exclusive,
    names_with_stories,
    presence,
    universal,
)
from endoxa.runs.families import REACH, adjusted, decided
from endoxa.runs.options import Resampling
from endoxa.schema.stories import JACCARD_COLUMNS, MEMBER_COLUMNS, REACH_COMPARISON_COLUMNS
from endoxa.sources.frames import column_types
from endoxa.sources.stereotales import Profiles
from endoxa.stats.crossed import crossed_estimate
from endoxa.stats.intervals import NAN, UNDEFINED, Interval, agreeing, effective_number
from endoxa.stats.signs import fewest_units
from endoxa.stats.verdicts import significance, too_few

FEW = 3
"""'Concentrated in 1-3 languages' (Le Jeune et al. 2026, "Language Specificity")."""
OF_VALUES = "values as units"
COMPARED = {
    "difference": f"mean reach, harmful - benign; {OF_VALUES}",
    "superiority": f"P(harmful reaches further) + P(equal)/2; {OF_VALUES}; p: the larger of this test and Mann-Whitney",
    "mann_whitney": "U of harmful associations; Mann-Whitney, associations as independent",
}
"""Rows that compare harmful with benign associations, and how they are computed."""


def reach(where: Presence) -> pl.DataFrame:
    """In how many languages (or by how many models) each association is found.

    Returns:
        `schema.stories.REACH_COLUMNS`, the furthest first.
    """
    present = where.present
    counting = where.shown & present[:, :, None]
    table = where.associations.with_columns(
        reach=pl.Series(present.sum(axis=1), dtype=pl.Int64),
        of=pl.lit(len(where.members), dtype=pl.Int64),
        members=pl.Series([_joined(where.members, row) for row in present], dtype=pl.String),
        model_count=pl.Series(counting.any(axis=1).sum(axis=1), dtype=pl.Int64),
        models=pl.Series([_joined(where.models, row) for row in counting.any(axis=1)], dtype=pl.String),
    )
    return table.sort("reach", "model_count", descending=True, maintain_order=True)


def compare_reach(reached: pl.DataFrame, how: Resampling | None = None) -> pl.DataFrame:
    """Do harmful associations reach fewer languages than benign ones?

    Undecided and unrated ones are left out. Associations that share a base value, or a compared value, are alike:
    values are the units of intervals and tests (`endoxa.stats.crossed.crossed_estimate`). The row 'superiority' has the
    verdict: below, where harmful ones reach less far. Its p-value is the larger one of that test and of Mann and
    Whitney's (two-sided, with ties corrected for), which takes associations as independent and stands in the row
    'mann_whitney'.

    Args:
        reached: what `reach` gave.
        how: confidence level, and how the intervals of shares are made.

    Returns:
        `schema.stories.REACH_COMPARISON_COLUMNS`.
    """
    how = how or Resampling()
    rated = reached.filter(pl.col("harmful").is_in([HARMFUL, BENIGN]))
    sides = {kind: _Side.of(rated.filter(harmful=kind)) for kind in (HARMFUL, BENIGN)}
    kind, least = min(sides.items(), key=lambda entry: entry[1].values)
    needed = fewest_units(significance(how.confidence))
    few = too_few(least.values, f"values of {kind} associations", needed)
    most = float(reached["of"].max() or 1)  # type: ignore[arg-type]
    rows = [_mean(kind, side, most, how.confidence) for kind, side in sides.items()]
    for kind, side in sides.items():
        share = mean((side.reach <= FEW).astype(float), how)
        method = f"share with a reach of at most {FEW}; bootstrap of associations"
        rows.append((f"share_few_{kind}", share.value, share.low, share.high, None, len(side), method))
    rows += _against(sides[HARMFUL], sides[BENIGN], most, few, how.confidence)
    return _claimed(pl.DataFrame(rows, schema=_MEASURED, orient="row"), least.values, few, how.confidence)


@dataclass(frozen=True, slots=True, eq=False)
class _Side:
    """Harmful or benign associations.

    Attributes:
        reach: the reach of each.
        base: its base attribute and value.
        compared: its compared ones.
    """

    reach: np.ndarray
    base: np.ndarray
    compared: np.ndarray

    @classmethod
    def of(cls, rows: pl.DataFrame) -> _Side:
        base, compared = (
            rows.select(pl.concat_str(f"{end}_attribute", f"{end}_value", separator="\n")).to_series()
            for end in ("base", "compared")
        )
        return cls(
            rows["reach"].to_numpy().astype(float),
            *(values.to_numpy().astype(str) for values in (base, compared)),
        )

    def __len__(self) -> int:
        return len(self.reach)

    @property
    def values(self) -> int:
        """Number of base values or of compared ones, whichever is less."""
        return min(len(np.unique(self.base)), len(np.unique(self.compared)))

    @property
    def effective(self) -> float:
        """The same, less where some values have most of the associations (Kish)."""
        return min(
            effective_number(np.unique(values, return_counts=True)[1])
            for values in (self.base, self.compared)
        )


_Line = tuple[str | float | None, ...]
"""Name, value, both ends, p-value, associations, method."""


def _mean(kind: str, side: _Side, most: float, confidence: float) -> _Line:
    value, ends = NAN, UNDEFINED
    if len(side):
        value = float(side.reach.mean())
        ends, _ = crossed_estimate(
            value,
            (side.reach - value) / len(side),
            side.base,
            side.compared,
            units=side.effective,
            neutral=NAN,
            bounds=(1.0, most),
            confidence=confidence,
        )
    return f"mean_reach_{kind}", value, ends.low, ends.high, None, len(side), f"mean; {OF_VALUES}"


def _against(harmful: _Side, benign: _Side, most: float, few: str, confidence: float) -> list[_Line]:
    """The rows that compare both sides."""
    number = len(harmful) + len(benign)
    if not len(harmful) or not len(benign):
        return [(name, NAN, NAN, NAN, None, number, method) for name, method in COMPARED.items()]
    x, y = harmful.reach, benign.reach
    exceeding = _exceeded(x, y), 1 - _exceeded(y, x)
    apart, chance = float(x.mean() - y.mean()), float(exceeding[0].mean())
    difference, wider, p_value, published = UNDEFINED, UNDEFINED, NAN, _mann_whitney(x, y)

    def crossed(value: float, *deviations: np.ndarray, **test: Any) -> tuple[Interval, float]:
        """Interval and p-value of what is a mean over each side; each association adds its deviation."""
        return crossed_estimate(
            value,
            np.concatenate([deviation / len(deviation) for deviation in deviations]),
            np.concatenate([harmful.base, benign.base]),
            np.concatenate([harmful.compared, benign.compared]),
            units=min(harmful.effective, benign.effective),
            confidence=confidence,
            **test,
        )

    if not few:
        apart_bounds = (1 - most, most - 1)
        difference, _ = crossed(apart, x - x.mean(), y.mean() - y, neutral=0.0, bounds=apart_bounds)
        deviations = (part - chance for part in exceeding)
        wider, clustered = crossed(chance, *deviations, neutral=0.5, bounds=(0.0, 1.0))
        p_value = max(clustered, published)
        wider = agreeing(wider, chance, 0.5, p_value, confidence)
    cells = {
        "difference": (apart, difference.low, difference.high, None),
        "superiority": (chance, wider.low, wider.high, p_value),
        "mann_whitney": (chance * len(harmful) * len(benign), NAN, NAN, published),
    }
    return [(name, *cells[name], number, method) for name, method in COMPARED.items()]


def _exceeded(values: np.ndarray, other: np.ndarray) -> np.ndarray:
    """For each of the first, the share of the others that it exceeds; ties count half."""
    ordered = np.sort(other)
    left, right = (np.searchsorted(ordered, values, side=side) for side in ("left", "right"))
    return np.asarray((left + right) / (2 * len(other)))


def _claimed(table: pl.DataFrame, units: int, untestable: str, confidence: float) -> pl.DataFrame:
    """The table with the verdict of its row 'superiority'."""
    tested, undefined = pl.col("name") == "superiority", pl.col("low").fill_nan(None).is_null()
    of_associations = pl.col("name").str.starts_with("share_few")
    interval = pl.when(of_associations).then(pl.lit("associations")).otherwise(pl.lit("values"))
    claims = table.with_columns(
        neutral=pl.when(tested).then(0.5),
        p_value=pl.when(tested).then("p_value"),
        confidence=pl.lit(confidence),
        interval=pl.when(undefined).then(pl.lit("none")).otherwise(interval),
        clusters=pl.when(tested).then(pl.lit(units)),
        reason=pl.when(tested).then(pl.lit(untestable)).otherwise(pl.lit("")),
    )
    # The p-value of Mann and Whitney's test has no verdict of its own.
    done = decided(adjusted(claims, REACH), confidence=confidence)
    done = done.with_columns(p_value=pl.when(tested).then("p_value").otherwise(table["p_value"]))
    return done.select(pl.col(name).cast(kind) for name, kind in _COMPARISON.items()).with_columns(
        pl.selectors.float().fill_nan(None)
    )


def _joined(names: Sequence[str], which: np.ndarray) -> str:
    return "; ".join(name for name, present in zip(names, which, strict=True) if present)


def _mann_whitney(values: np.ndarray, other: np.ndarray) -> float:
    from scipy.stats import mannwhitneyu

    if np.ptp(np.concatenate([values, other])) == 0:
        return 1.0
    return float(mannwhitneyu(values, other, alternative="two-sided").pvalue)


_TEXT, _COUNTS = ("name", "method", "interval", "verdict", "reason"), ("n", "clusters")
_COMPARISON = column_types(REACH_COMPARISON_COLUMNS, texts=_TEXT, counts=_COUNTS)
_MEASURED = {name: _COMPARISON[name] for name in ("name", "value", "low", "high", "p_value", "n", "method")}


def jaccard(where: Presence, how: Resampling) -> pl.DataFrame:
    """Jaccard similarity of the sets of associations of every two languages (or models).

    Returns:
        `schema.stories.JACCARD_COLUMNS`: every ordered pair, and each with itself, in the order of the heat map.
    """
    sizes = dict(zip(where.members, where.present.sum(axis=0).tolist(), strict=True))
    columns = dict(zip(where.members, where.present.T, strict=True))
    cells: dict[tuple[str, str], dict[str, Any]] = {}
    for a, b in combinations(where.members, 2):
        cells[a, b] = cells[b, a] = _pair(columns[a], columns[b], how)
    for a, size in sizes.items():
        full = 1.0 if size else None
        cells[a, a] = {"shared": size, "either": size, "jaccard": full, "overlap": full}
    rows = [
        {**row, "size_a": sizes[row["a"]], "size_b": sizes[row["b"]]}
        for row in every_pair(where.members, cells, "jaccard")
    ]
    return pl.DataFrame(rows, schema=_JACCARD).with_columns(pl.selectors.float().fill_nan(None))


def _pair(first: np.ndarray, other: np.ndarray, how: Resampling) -> dict[str, Any]:
    """Two sets. Only what either has is resampled: the rest adds nothing to the ratio."""
    either, shared = first | other, first & other
    alike = measured(np.column_stack([np.ones(either.sum()), shared[either]]), ratio, how)
    smaller = min(first.sum(), other.sum())
    return {
        "shared": int(shared.sum()),
        "either": int(either.sum()),
        "jaccard": alike.value,
        "low": alike.low,
        "high": alike.high,
        "overlap": float(shared.sum() / smaller) if smaller else None,
    }


_JACCARD = column_types(
    JACCARD_COLUMNS, texts=("a", "b"), counts=("place_a", "place_b", "size_a", "size_b", "shared", "either")
)


def members_of(where: Presence, profiles: Profiles | None = None) -> pl.DataFrame:
    """One row per language (or model).

    Args:
        where: the associations.
        profiles: the stories; without them, `stories` is null.

    Returns:
        `schema.stories.MEMBER_COLUMNS`, the most associations first.
    """
    present, harmful = where.present, where.harmful[:, None]
    alone = present & (present.sum(axis=1) == 1)[:, None]
    rated, total = where.associations["harmful"].is_not_null().any(), int(harmful.sum())
    here = (present & harmful).sum(axis=0)
    written: dict[str, int] = {}
    if profiles is not None:
        codes = profiles.language if where.by == "language" else profiles.model
        names = names_with_stories(profiles, where.by)
        written = dict(zip(names, np.bincount(codes, minlength=len(names)).tolist(), strict=True))
    columns = {
        "member": where.members,
        "stories": [written.get(name) for name in where.members],
        "models": where.shown.any(axis=0).sum(axis=1),
        "associations": present.sum(axis=0),
        "harmful": here if rated else None,
        "exclusive": alone.sum(axis=0),
        "exclusive_harmful": (alone & harmful).sum(axis=0) if rated else None,
        "missed": 1 - present.mean(axis=0),
        "missed_harmful": 1 - here / total if total else None,
    }
    table = pl.DataFrame(columns, schema=_MEMBERS)
    return table.sort("associations", descending=True, maintain_order=True)


_MEMBERS = {
    name: pl.String() if name == "member" else pl.Float64() if name.startswith("missed") else pl.Int64()
    for name in MEMBER_COLUMNS
}


@dataclass(frozen=True, slots=True)
class Overlap:
    """What languages (or models) share; columns in `schema.stories`.

    Attributes:
        reach: each association and where it is found (`REACH_COLUMNS`).
        members: each language or model (`MEMBER_COLUMNS`).
        jaccard: how alike every two are (`JACCARD_COLUMNS`).
        exclusive: associations of one alone (`EXCLUSIVE_COLUMNS`).
        universal: associations of all (`UNIVERSAL_COLUMNS`).
        comparison: reach of harmful against benign ones (`REACH_COMPARISON_COLUMNS`); None without classes.
        shift: harmful ones with marked and unmarked groups (`SHIFT_COLUMNS`); None without classes or groups.
    """

    reach: pl.DataFrame
    members: pl.DataFrame
    jaccard: pl.DataFrame
    exclusive: pl.DataFrame
    universal: pl.DataFrame
    comparison: pl.DataFrame | None
    shift: pl.DataFrame | None


def analyze_overlap(
    associations: pl.DataFrame,
    harmful: pl.DataFrame | None = None,
    groups: Mapping[str, Groups] | None = None,
    *,
    by: By = "language",
    models: int = 1,
    profiles: Profiles | None = None,
    how: Resampling | None = None,
) -> Overlap:
    """Compare the sets of associations of languages, or of models.

    Args:
        associations: `model`, `aggregation` and the four parts of every association found (`DISCOVERED_COLUMNS`).
        harmful: the four parts, each association once, and `harmful`; see `read_classes`.
        groups: marked and unmarked groups, see `read_groups`; only used by language.
        by: what has a set of associations.
        models: models that must find an association in a language.
        profiles: the stories: languages in which nothing was found count, and absences are judged by their power.
        how: how intervals are made.

    Raises:
        UserError: there is nothing to compare, or the stories are others.
    """
    how = how or Resampling()
    where = presence(associations, harmful, by=by, models=models, members=names_with_stories(profiles, by))
    reached = reach(where)
    rated = where.harmful.any()
    shifting = rated and groups is not None and by == "language"
    return Overlap(
        reached,
        members_of(where, profiles),
        jaccard(where, how),
        exclusive(where, profiles),
        universal(where),
        compare_reach(reached, how) if rated else None,
        shift(where, groups, how) if shifting and groups is not None else None,
    )
