"""What cheap instruments predict of those near to use, as a section of the page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from endoxa.report.claims import VERDICT
from endoxa.report.document import Finding, Section
from endoxa.report.tables import Cell, number_field, text_field
from endoxa.report.words import listed, p_value
from endoxa.stats.verdicts import UNTESTED
from endoxa.study.convergence.by_association import model_table
from endoxa.study.convergence.correlations import ends, number, tool
from endoxa.study.convergence.run import Convergence


def predicted(convergence: Convergence) -> Section | None:
    """Predictions of what was left out; None where nothing near to use was measured beside a cheap instrument."""
    rows = convergence.prediction
    if rows.is_empty():
        return None
    first = rows.unique(["model", "target", "left_out"], keep="first", maintain_order=True).filter(
        (pl.col("left_out") == "association") | (pl.col("verdict") != UNTESTED)
    )
    return Section(
        "prediction",
        "What do the cheap instruments predict?",
        findings=tuple(
            Finding(row.pop("sentence"), (row | {"value": row["r2"]},)) for row in first.iter_rows(named=True)
        ),
        tables=(
            model_table(
                "Predictions of what was left out",
                rows,
                convergence.labels,
                text_field("predicted", "target", tool),
                text_field(
                    "from", lambda row: listed([tool(name) for name in row["predictors"].split("; ")])
                ),
                text_field("left out", lambda row: f"one {row['left_out']}"),
                VERDICT,
                number_field("R²", lambda row: _estimate(row, "r2", ("low", "high"))),
                number_field(
                    "rank correlation", lambda row: _estimate(row, "rank", ("rank_low", "rank_high"))
                ),
                number_field("reliability of what is predicted", "reliability", number),
                number_field("associations", "n_associations"),
                number_field("p adjusted", "p_adjusted", p_value),
                stub=4,
            ),
        ),
        notes=(
            "Each association, or all of one identity, is left out; least squares on the rest predict it. R² is 1 less "
            "squared errors over those of the mean of the rest: 0 is no better than the mean, below 0 worse, and no "
            "R² above the reliability of what is predicted can be expected. The rank correlation is Spearman's, of "
            "what was predicted beyond that mean and what was measured.",
            "To compare: Lum et al. (2025, ACL 2025.acl-long.7) found a mean rank correlation of 0.12 between short "
            "tests and three realistic uses. Theirs is over models, each a number; this one is over associations "
            "within a model, so the two answer related and not the same questions.",
            "Intervals: jackknife over identities and attributes, on log(1 - R²) and on Fisher's z.",
        ),
    )


def _estimate(row: Mapping[str, Any], value: str, interval: tuple[str, str]) -> Cell:
    low, high = (row[name] for name in interval)
    below = "" if low is None else ends(low, high, row["verdict"] if value == "r2" else "")
    return Cell(number(row[value]), below=below, order=row[value])
