"""The map of correlations: every two instruments over the associations of one model."""

from __future__ import annotations

import polars as pl

from endoxa.report.document import Figure
from endoxa.report.grids import Grid, GridCell, Grids
from endoxa.report.words import slug
from endoxa.stats.verdicts import ABOVE, BELOW
from endoxa.study.convergence.correlations import ends, number, tool

LEGEND = (
    "Diagonal: reliability. Above it: correlation corrected for unreliability, outlined where it is claimed. Below it: "
    "correlation as observed."
)


def correlation_map(
    model: str, label: str, effects: pl.DataFrame, reliabilities: pl.DataFrame, correlations: pl.DataFrame
) -> Figure | None:
    """Reliabilities in the diagonal, raw correlations below and corrected ones above; None with one instrument.

    Args:
        model: the model.
        label: how it is called in the figure.
        effects: `schema.convergence.EFFECT_COLUMNS`.
        reliabilities: `RELIABILITY_COLUMNS`.
        correlations: `CORRELATION_COLUMNS`.
    """
    of_model = effects.filter(model=model).drop_nulls("effect")
    tools = of_model["instrument"].unique(maintain_order=True).to_list()
    if len(tools) < 2:
        return None
    spoken = []
    cells: dict[tuple[str, str], GridCell] = {}
    for row in reliabilities.filter(model=model).fill_nan(None).iter_rows(named=True):
        name, text = row["instrument"], number(row["reliability"])
        cells[name, name] = GridCell(text, f"Reliability of {tool(name)}: {text}")
    for row in correlations.filter(model=model).fill_nan(None).iter_rows(named=True):
        first, second = row["instrument_1"], row["instrument_2"]
        pair, corrected, raw = (
            f"{tool(first)} and {tool(second)}",
            number(row["corrected"]),
            number(row["raw"]),
        )
        interval = "" if row["low"] is None else f" ({ends(row['low'], row['high'], row['verdict'])})"
        claimed = row["verdict"] in (ABOVE, BELOW)
        cells[first, second] = _cell(
            corrected, f"{pair}: corrected {corrected}{interval}", row["corrected"], claimed
        )
        cells[second, first] = _cell(raw, f"{pair}: raw {raw}", row["raw"])
        spoken.append(f"{pair}: corrected {corrected}, raw {raw}")
    rows = tuple((tool(row), tuple(cells.get((row, column)) for column in tools)) for row in tools)
    return Figure(
        f"convergence-{slug(label)}",
        f"{label}: correlations of instruments",
        Grids((Grid("", tuple(map(tool, tools)), rows),), LEGEND),
        f"Map of correlations, {label}. {'; '.join(spoken)}.",
        wide=True,
        rows=of_model.select(
            "model", "association_id", "identity", "instrument", "effect", "low", "high", "verdict"
        ),
    )


def _cell(text: str, tip: str, value: float | None, claimed: bool = False) -> GridCell:
    """A correlation, the fuller the farther from zero."""
    if value is None:
        return GridCell(text, tip)
    return GridCell(text, tip, "above" if value >= 0 else "below", min(1.0, abs(value)), claimed)
