"""The table of raters: what each thinks overall, how it compares with people, and what it writes against its word."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl

from endoxa.analyze.harm.compared import compare
from endoxa.analyze.harm.differences import CLAIM_TYPES, Ratings, difference, ratings_of_people
from endoxa.analyze.harm.made import blind_share, made_by
from endoxa.analyze.harm.measures import Resampling
from endoxa.analyze.harm.names import ALL_MODELS, HIGHEST, HUMAN, MODEL, PEOPLE
from endoxa.analyze.harm.panel import Panel
from endoxa.schema.stories import HARM_RATER_COLUMNS

WHOLE_NUMBERS = ("associations", "ratings", "compared", "made", "blind_spots")
TYPES = {
    name: pl.String if name.startswith("rater") else pl.Int64 if name in WHOLE_NUMBERS else pl.Float64
    for name in HARM_RATER_COLUMNS
} | CLAIM_TYPES


def rater_table(
    panel: Panel,
    made: pl.DataFrame | None,
    names: Mapping[str, str],
    how: Resampling,
) -> pl.DataFrame:
    """`schema.stories.HARM_RATER_COLUMNS`: models, all models together where there are two or more, and people.

    Verdicts on differences are still open (`decide_together`).

    Args:
        panel: the ratings.
        made: associations with the `model` that makes each, or None.
        names: for each rater whose stories are in `made`, the name that it has there.
        how: how intervals are made.
    """
    rows = []
    people = ratings_of_people(panel)
    for rater in panel.raters:
        own = panel.ratings.filter(pl.col("rater") == rater)
        kind = HUMAN if rater == PEOPLE else MODEL
        row = {"rater": rater, "rater_kind": kind, **_overall(panel, rater, own)}
        if rater != PEOPLE:
            row |= _with_people(panel, people, rater, how)
        if made is not None and rater in names:
            row |= blind_share(panel, rater, made_by(made, names[rater]), how.confidence)
        rows.append(row)
    if len(panel.models) > 1:
        models = panel.ratings.filter(pl.col("rater_kind") == MODEL)
        row = {"rater": ALL_MODELS, "rater_kind": "models", **_overall(panel, ALL_MODELS, models)}
        rows.insert(len(panel.models), row | _with_people(panel, people, ALL_MODELS, how))
    return pl.DataFrame(rows, schema=TYPES).with_columns(pl.selectors.float().fill_nan(None))


def _overall(panel: Panel, rater: str, own: pl.DataFrame) -> dict[str, Any]:
    """What a rater says, whatever others say."""
    harm, frequent = own["harm"].drop_nulls(), own["frequent"].drop_nulls()
    said = frequent.filter(frequent != "")
    means = panel.mean(rater)
    rated = means[~np.isnan(means)]
    refused = (own["outcome"] == "refused").mean()
    unread = (own["harm"].is_null() & (own["outcome"] != "refused")).mean()
    return {
        "associations": len(rated),
        "ratings": len(harm),
        "refused": refused,
        "unread": unread,
        "mean": float(rated.mean()) if len(rated) else None,
        "at_maximum": (harm == HIGHEST).mean(),
        "frequent_yes": (said == "yes").mean(),
    }


def _with_people(panel: Panel, people: Ratings, rater: str, how: Resampling) -> dict[str, Any]:
    """How a model compares with people; nothing where no person rated."""
    if not panel.has_people:
        return {}
    compared = compare(panel, rater, PEOPLE, how)
    every = np.ones(panel.associations.height, dtype=bool)
    claim = difference(panel.mean(rater), people, every, how.confidence)
    return {"compared": compared.n, **claim, **compared.columns()}
