"""How far associations reach: in how many languages (or models) each is found, harmful ones against benign ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl

from endoxa.errors import UserError
from endoxa.instruments.stories.harm.raters import every_pair, measured, ratio
from endoxa.instruments.stories.harm.ratings import BENIGN, HARMFUL
from endoxa.instruments.stories.languages.marked import Groups, shift
from endoxa.instruments.stories.languages.presence import By, Presence, presence
from endoxa.runs.estimates import REACH, judged
from endoxa.runs.options import DEFAULT_CONFIDENCE, Resampling
from endoxa.schema.stories import JACCARD_COLUMNS, MEMBER_COLUMNS, REACH_COMPARISON_COLUMNS
from endoxa.sources.frames import column_types
from endoxa.sources.stereotales.profiles import Profiles
from endoxa.stats.crossed import crossed_estimate
from endoxa.stats.intervals import NAN, UNDEFINED, Interval, agreeing, effective_number
from endoxa.stats.signs import fewest_units
from endoxa.stats.verdicts import significance, too_few


def reach(where: Presence) -> pl.DataFrame:
    """In how many languages (or by how many models) each association is found.

    Returns:
        `schema.stories.REACH_COLUMNS`, the furthest first.
    """
    present, found_by = where.present, np.asarray(where.shown.any(axis=1))
    table = where.associations.with_columns(
        reach=pl.Series(present.sum(axis=1), dtype=pl.Int64),
        of=pl.lit(len(where.members), dtype=pl.Int64),
        members=pl.Series([_joined(where.members, row) for row in present], dtype=pl.String),
        model_count=pl.Series(found_by.sum(axis=1), dtype=pl.Int64),
        models=pl.Series([_joined(where.models, row) for row in found_by], dtype=pl.String),
    )
    return table.sort("reach", "model_count", descending=True, maintain_order=True)


def compare_reach(reached: pl.DataFrame, confidence: float = DEFAULT_CONFIDENCE) -> pl.DataFrame:
    """Do harmful associations reach fewer languages than benign ones?

    Undecided and unrated ones are left out. Associations that share a base value, or a compared value, are alike:
    values are the units of intervals and tests (`endoxa.stats.crossed.crossed_estimate`). The row 'superiority' has the
    verdict: below, where harmful ones reach less far. Its p-value is the larger one of that test and of Mann and
    Whitney's (two-sided, with ties corrected for), which takes associations as independent.

    Args:
        reached: what `reach` gave.
        confidence: confidence level of the intervals.

    Returns:
        `schema.stories.REACH_COMPARISON_COLUMNS`.
    """
    rated = reached.select(
        "harmful",
        pl.col("reach").cast(pl.Float64),
        *(pl.concat_str(f"{e}_attribute", f"{e}_value", separator="\n").alias(e) for e in ENDS),
    )
    sides = {kind: rated.filter(harmful=kind) for kind in (HARMFUL, BENIGN)}
    kind, values = min(((kind, _units(side)) for kind, side in sides.items()), key=lambda entry: entry[1])
    few = too_few(int(values), f"values of {kind} associations", fewest_units(significance(confidence)))
    most = float(reached["of"].max() or 1)  # type: ignore[arg-type]
    rows = []
    for kind, side in sides.items():
        reaches = side["reach"].to_numpy()
        value = float(reaches.mean()) if len(reaches) else NAN
        ends, _ = _crossed(value, [side], [reaches - value], bounds=(1.0, most), confidence=confidence)
        rows.append({"name": f"mean_reach_{kind}", **_cells(value, ends, [side], "mean", confidence)})
    difference, superiority = _compared(list(sides.values()), most, few, confidence)
    rows += [difference, {**superiority, "neutral": 0.5, "clusters": int(values), "reason": few}]
    return judged(rows, _COMPARISON, REACH, confidence=confidence)


def _compared(
    sides: Sequence[pl.DataFrame], most: float, few: str, confidence: float
) -> tuple[dict[str, Any], ...]:
    """The rows that compare harmful associations with benign ones; without an interval where there are too `few`."""
    apart, chance, difference, wider, p_value = NAN, NAN, UNDEFINED, UNDEFINED, NAN
    if all(len(side) for side in sides):
        x, y = (side["reach"].to_numpy() for side in sides)
        exceeding = _exceeded(x, y), 1 - _exceeded(y, x)
        apart, chance = float(x.mean() - y.mean()), float(exceeding[0].mean())
        if not few:
            moved = x - x.mean(), y.mean() - y
            bounds = (1 - most, most - 1)
            difference, _ = _crossed(apart, sides, moved, neutral=0.0, bounds=bounds, confidence=confidence)
            moved = exceeding[0] - chance, exceeding[1] - chance
            wider, clustered = _crossed(
                chance, sides, moved, neutral=0.5, bounds=(0.0, 1.0), confidence=confidence
            )
            p_value = max(clustered, _mann_whitney(x, y))
            wider = agreeing(wider, chance, 0.5, p_value, confidence)
    method = "P(harmful reaches further) + P(equal)/2; p: the larger of this test and Mann-Whitney"
    superiority = _cells(chance, wider, sides, method, confidence)
    return (
        {
            "name": "difference",
            **_cells(apart, difference, sides, "mean reach, harmful - benign", confidence),
        },
        {"name": "superiority", **superiority, "p_value": p_value},
    )


ENDS = ("base", "compared")


def _units(rows: pl.DataFrame, number: Callable[[np.ndarray], float] = len) -> float:
    """Number of base values or of compared ones, whichever is less, from how many associations each has."""
    return min(number(rows[end].value_counts()["count"].to_numpy()) for end in ENDS)


def _crossed(
    value: float,
    sides: Sequence[pl.DataFrame],
    deviations: Sequence[np.ndarray],
    *,
    neutral: float = NAN,
    bounds: tuple[float, float],
    confidence: float,
) -> tuple[Interval, float]:
    """Interval and p-value of what is a mean over each side; each association adds its deviation."""
    if not all(len(side) for side in sides):
        return UNDEFINED, NAN
    base, compared = (pl.concat(side[end] for side in sides).to_numpy().astype(str) for end in ENDS)
    return crossed_estimate(
        value,
        np.concatenate([deviation / len(deviation) for deviation in deviations]),
        base,
        compared,
        units=min(_units(side, effective_number) for side in sides),
        neutral=neutral,
        bounds=bounds,
        confidence=confidence,
    )


def _cells(
    value: float, ends: Interval, sides: Sequence[pl.DataFrame], method: str, confidence: float
) -> dict[str, Any]:
    """What rows of the comparison have in common."""
    return {
        "value": value,
        "low": ends.low,
        "high": ends.high,
        "n": sum(map(len, sides)),
        "method": f"{method}; values as units",
        "interval": "none" if np.isnan(ends.low) else "values",
        "confidence": confidence,
        "reason": "",
    }


def _exceeded(values: np.ndarray, other: np.ndarray) -> np.ndarray:
    """For each of the first, the share of the others that it exceeds; ties count half."""
    ordered = np.sort(other)
    left, right = (np.searchsorted(ordered, values, side=side) for side in ("left", "right"))
    return np.asarray((left + right) / (2 * len(other)))


def _mann_whitney(values: np.ndarray, other: np.ndarray) -> float:
    from scipy.stats import mannwhitneyu

    if np.ptp(np.concatenate([values, other])) == 0:
        return 1.0
    return float(mannwhitneyu(values, other, alternative="two-sided").pvalue)


_TEXT, _COUNTS = ("name", "method", "interval", "verdict", "reason"), ("n", "clusters")
_COMPARISON = column_types(REACH_COMPARISON_COLUMNS, texts=_TEXT, counts=_COUNTS)


def _joined(names: Sequence[str], which: np.ndarray) -> str:
    return "; ".join(name for name, present in zip(names, which, strict=True) if present)


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
    written = {} if profiles is None else dict(zip(*_stories(profiles, where.by), strict=True))
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


def _stories(profiles: Profiles, by: By) -> tuple[tuple[str, ...], list[int]]:
    """Languages (or models), and how many stories each has."""
    of_language = (profiles.languages, profiles.language)
    names, codes = of_language if by == "language" else (profiles.models, profiles.model)
    return names, np.bincount(codes, minlength=len(names)).tolist()


@dataclass(frozen=True, slots=True)
class Overlap:
    """What languages (or models) share; columns in `schema.stories`.

    Attributes:
        reach: each association and where it is found (`REACH_COLUMNS`).
        members: each language or model (`MEMBER_COLUMNS`).
        jaccard: how alike every two are (`JACCARD_COLUMNS`).
        comparison: reach of harmful against benign ones (`REACH_COMPARISON_COLUMNS`); None without classes.
        shift: harmful ones with marked and unmarked groups (`SHIFT_COLUMNS`); None without classes or groups.
    """

    reach: pl.DataFrame
    members: pl.DataFrame
    jaccard: pl.DataFrame
    comparison: pl.DataFrame | None
    shift: pl.DataFrame | None

    @property
    def exclusive(self) -> pl.DataFrame:
        """Rows of `reach` of associations that one language (or model) alone has."""
        return self.reach.filter(reach=1)

    @property
    def universal(self) -> pl.DataFrame:
        """Rows of `reach` of associations that all of them have."""
        return self.reach.filter(pl.col("reach") == pl.col("of"))


def analyze_overlap(
    associations: pl.DataFrame,
    harmful: pl.DataFrame | None = None,
    groups: Mapping[str, Groups] | None = None,
    *,
    by: By = "language",
    profiles: Profiles | None = None,
    how: Resampling | None = None,
) -> Overlap:
    """Compare the sets of associations of languages, or of models.

    Args:
        associations: `model`, `aggregation` and the four parts of every association found (`DISCOVERED_COLUMNS`).
        harmful: the four parts, each association once, and `harmful`; see `read_classes`.
        groups: marked and unmarked groups, see `read_groups`; only used by language.
        by: what has a set of associations.
        profiles: the stories: languages in which nothing was found count.
        how: how intervals are made.

    Raises:
        UserError: there is nothing to compare, or the stories are others.
    """
    how = how or Resampling()
    members = () if profiles is None else _stories(profiles, by)[0]
    where = presence(associations, harmful, by=by, members=members)
    strange = (
        {*where.models} - {*profiles.models} | {*where.members} - {*members}
        if profiles is not None
        else set[str]()
    )
    if strange:
        raise UserError(
            f"The stories have none of '{min(strange)}', but the associations do. Give the stories that the "
            "associations were found in."
        )
    reached, rated = reach(where), where.harmful.any()
    return Overlap(
        reached,
        members_of(where, profiles),
        jaccard(where, how),
        compare_reach(reached, how.confidence) if rated else None,
        shift(where, groups, how) if rated and groups is not None and by == "language" else None,
    )
