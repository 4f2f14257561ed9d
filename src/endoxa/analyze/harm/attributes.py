"""Where models underestimate harm and where they overestimate it, and how much they write there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import polars as pl

from endoxa.analyze.harm.differences import CLAIM_TYPES, Ratings, difference, ratings_of_people
from endoxa.analyze.harm.made import made_by
from endoxa.analyze.harm.names import ALL_MODELS, EITHER, PEOPLE
from endoxa.analyze.harm.panel import Panel
from endoxa.schema.stories import HARM_ATTRIBUTE_COLUMNS

SIDES = (EITHER, "base", "compared")
WHOLE_NUMBERS = ("n", "made")
TEXTS = ("attribute", "side", "rater")
TYPES = {
    name: pl.String if name in TEXTS else pl.Int64 if name in WHOLE_NUMBERS else pl.Float64
    for name in HARM_ATTRIBUTE_COLUMNS
} | CLAIM_TYPES


def attribute_table(
    panel: Panel, made: pl.DataFrame | None, names: Mapping[str, str], confidence: float
) -> pl.DataFrame:
    """`schema.stories.HARM_ATTRIBUTE_COLUMNS`: every attribute, side, and model, and all models together.

    Verdicts are still open (`decide_together`).

    Args:
        panel: the ratings.
        made: associations with the `model` that makes each, or None.
        names: for each rater whose stories are in `made`, the name that it has there.
        confidence: confidence level of the intervals.
    """
    raters = [*panel.models, *([ALL_MODELS] if len(panel.models) > 1 else [])]
    people = ratings_of_people(panel)
    rows = [
        row for rater in raters for row in _rows(panel, people, rater, _made(made, names, rater), confidence)
    ]
    return pl.DataFrame(rows, schema=TYPES).with_columns(pl.selectors.float().fill_nan(None))


def attributes_of(associations: pl.DataFrame) -> list[str]:
    """All attributes on either side, in alphabetical order."""
    return sorted({*associations["base_attribute"], *associations["compared_attribute"]})


def having(associations: pl.DataFrame, attribute: str, side: str) -> np.ndarray:
    """Which associations have an attribute on a side, as true and false."""
    base, compared = (
        (associations[f"{name}_attribute"] == attribute).to_numpy() for name in ("base", "compared")
    )
    return np.asarray({"base": base, "compared": compared, EITHER: base | compared}[side])


def _made(made: pl.DataFrame | None, names: Mapping[str, str], rater: str) -> pl.DataFrame | None:
    """The associations that a rater makes, each once; None where its stories are not known."""
    if made is None or (rater != ALL_MODELS and rater not in names):
        return None
    if rater != ALL_MODELS:
        return made_by(made, names[rater])
    return made.filter(pl.col("model").is_not_null()).unique("association_id")


def _rows(
    panel: Panel, people: Ratings, rater: str, own: pl.DataFrame | None, confidence: float
) -> Iterator[dict[str, Any]]:
    scores = panel.mean(rater)
    theirs = panel.mean(PEOPLE) if panel.has_people else np.full_like(scores, np.nan)
    both = ~np.isnan(scores) & ~np.isnan(theirs)
    for attribute in attributes_of(panel.associations):
        for side in SIDES:
            here = both & having(panel.associations, attribute, side)
            n = int(here.sum())
            claim = difference(scores, people, here, confidence) if panel.has_people else {}
            count = None if own is None else int(having(own, attribute, side).sum())
            yield {
                "attribute": attribute,
                "side": side,
                "rater": rater,
                "n": n,
                "rater_mean": scores[here].mean() if n else None,
                "people_mean": theirs[here].mean() if n else None,
                "made": count,
                "made_share": count / len(own)
                if count is not None and own is not None and len(own)
                else None,
                **claim,
            }
