"""The analysis of languages (or models): shared associations, and each one alone.

For each language: the number of associations, and what an analysis of it alone would miss.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl

from endoxa.instruments.stories.harm.measures import every_pair, measured, ratio
from endoxa.instruments.stories.languages.lists import exclusive, universal
from endoxa.instruments.stories.languages.marked import Groups, shift
from endoxa.instruments.stories.languages.presence import By, Presence, names_with_stories, presence
from endoxa.instruments.stories.languages.spread import compare_reach, reach
from endoxa.runs.options import Resampling
from endoxa.schema.stories import JACCARD_COLUMNS, MEMBER_COLUMNS
from endoxa.sources.frames import column_types
from endoxa.sources.stereotales import Profiles


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
        whole = 1.0 if size else None
        cells[a, a] = {"shared": size, "either": size, "jaccard": whole, "overlap": whole}
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
    present, harmful = where.present, where.harmful
    alone = present & (present.sum(axis=1) == 1)[:, None]
    rated = where.associations["harmful"].is_not_null().any()
    total = int(harmful.sum())
    rows = []
    for k, name in enumerate(where.members):
        here = int((present[:, k] & harmful).sum())
        rows.append(
            {
                "member": name,
                "stories": None if profiles is None else _stories(profiles, where, name),
                "models": int(where.shown[:, k].any(axis=0).sum()),
                "associations": int(present[:, k].sum()),
                "harmful": here if rated else None,
                "exclusive": int(alone[:, k].sum()),
                "exclusive_harmful": int((alone[:, k] & harmful).sum()) if rated else None,
                "missed": float(1 - present[:, k].mean()),
                "missed_harmful": 1 - here / total if total else None,
            }
        )
    table = pl.DataFrame(rows, schema=_MEMBERS)
    return table.sort("associations", descending=True, maintain_order=True)


def _stories(profiles: Profiles, where: Presence, name: str) -> int:
    codes = profiles.language if where.by == "language" else profiles.model
    return int(np.count_nonzero(codes == names_with_stories(profiles, where.by).index(name)))


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
