"""Which associations each model makes, under its name as a rater, and which of those it calls harmful itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl

from endoxa.analyze.harm.panel import Panel
from endoxa.datasets.stereotales.associations import PARTS
from endoxa.errors import UserError
from endoxa.schema.stories import BLIND_SPOT_COLUMNS
from endoxa.stats.intervals import wilson

TEXTS = ("rater", "generator_model", "association_id", *PARTS, "aggregations", "people_verdict")
TYPES = {
    name: pl.String if name in TEXTS else pl.Int64 if name == "n" else pl.Float64
    for name in BLIND_SPOT_COLUMNS
}


def generators(panel: Panel, made: pl.DataFrame, aliases: Mapping[str, str]) -> dict[str, str]:
    """For each rater whose stories are in `made`, the name that it has there.

    Args:
        panel: the raters.
        made: associations with the `model` that makes each.
        aliases: names in `made` by names of raters, where they differ.

    Raises:
        UserError: an alias names a rater or a model that is not there.
    """
    writers = set(made["model"].drop_nulls())
    models = set(panel.models.values())
    for rater, writer in aliases.items():
        if rater not in models:
            raise UserError(f"--alias: no model '{rater}' rated; there are: {', '.join(sorted(models))}.")
        if writer not in writers:
            raise UserError(
                f"--alias: the associations name no '{writer}'; they name: {', '.join(sorted(writers)) or 'no model'}."
            )
    names = {rater: aliases.get(model, model) for rater, model in panel.models.items()}
    return {rater: name for rater, name in names.items() if name in writers}


def made_by(made: pl.DataFrame, generator: str) -> pl.DataFrame:
    """Each association that a model makes once: `association_id`, the four parts, and `aggregations` joined by '; '."""
    own = made.filter(pl.col("model") == generator)
    parts = [
        name for name in own.columns if name not in ("association_id", "model", "aggregation", "given_id")
    ]
    joined = pl.col("aggregation").unique(maintain_order=True).str.join("; ").alias("aggregations")
    return own.group_by("association_id", *parts, maintain_order=True).agg(joined)


def blind_share(panel: Panel, rater: str, own: pl.DataFrame, confidence: float) -> dict[str, Any]:
    """How many associations a model makes and rated, and how many of those it calls harmful itself."""
    is_own = panel.associations["association_id"].is_in(own["association_id"].implode()).to_numpy()
    harmful = panel.harmful(rater)[is_own]
    rated = int((~np.isnan(harmful)).sum())
    blind = int(np.nansum(harmful))
    if not rated:
        return {"made": 0, "blind_spots": 0}
    interval = wilson(blind, rated, confidence)
    return {
        "made": rated,
        "blind_spots": blind,
        "blind_share": blind / rated,
        "blind_low": interval.low,
        "blind_high": interval.high,
    }


def blind_spot_table(
    panel: Panel, associations: pl.DataFrame, made: pl.DataFrame | None, names: Mapping[str, str]
) -> pl.DataFrame:
    """`schema.stories.BLIND_SPOT_COLUMNS`, the most harmful first; no rows where no stories are known.

    Args:
        panel: the ratings.
        associations: the table of associations, with people's verdicts.
        made: associations with the `model` that makes each, or None.
        names: for each rater whose stories are in `made`, the name that it has there.
    """
    found = [pl.DataFrame(schema=TYPES)]
    if made is None:
        return found[0]
    verdicts = associations.select("association_id", "people_median", "people_verdict")
    for rater, generator in names.items():
        own = made_by(made, generator)
        harmful = panel.table.filter((pl.col("rater") == rater) & (pl.col("harmful") == 1))
        spots = (
            own.join(harmful, on="association_id", how="inner")
            .join(verdicts, on="association_id", how="left")
            .with_columns(generator_model=pl.lit(generator))
            .sort("median", "mean", "association_id", descending=[True, True, False])
        )
        found.append(spots.select(pl.col(name).cast(kind) for name, kind in TYPES.items()))
    return pl.concat(found)
