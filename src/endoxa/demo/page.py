"""The page of the demonstration: what was planted beside what was found, then the page that any run has."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from endoxa.demo.figure import recovery_figure, scale_figure
from endoxa.report.document import Finding, Section
from endoxa.report.tables import Column, Table
from endoxa.report.words import NOT_DEFINED, count, percent, percent_interval, plural
from endoxa.runs.options import ReportOptions

TITLE = "Planted and found: a demonstration with models whose preference is known"


def write_demo_page(folder: Path, recovery: pl.DataFrame, scale: pl.DataFrame, *, seed: int) -> None:
    """Write `report.html` of the run of the demonstration, its figures beside it.

    Args:
        folder: the run.
        recovery: `recovery.recovery_table` of it.
        scale: `recovery.scale_table` of it.
        seed: seed of the bootstrap.

    Raises:
        UserError: the run cannot be read, or the page cannot be written.
    """
    from endoxa.instruments.reports import shown_as
    from endoxa.report.frame import write_page
    from endoxa.report.inputs import read_runs
    from endoxa.report.render import unchecked

    with unchecked():
        page = shown_as(read_runs([folder]), ReportOptions(seed=seed)).page()
        first = recovery_section(recovery, scale)
        write_page(replace(page, title=TITLE, entries=(first, *page.entries)), folder / "report.html")


def recovery_section(recovery: pl.DataFrame, scale: pl.DataFrame) -> Section:
    """What was planted and what was found, as the page begins."""
    figures = [recovery_figure(recovery)]
    if not scale.is_empty():
        figures.insert(0, scale_figure(scale))
    return Section(
        anchor="planted",
        title="Planted and found",
        lead="In these models preferences were planted, so what endoxa should find is known.",
        findings=(*_of_scale(scale), *_of_frequency(recovery)),
        figures=tuple(figures),
        tables=(
            (
                Table(
                    "The stereotyped models, axis by axis",
                    (
                        *(Column(name) for name in ("model", "rule", "axis")),
                        *(Column(name, numeric=True) for name in ("pairs", "planted", "found", "interval")),
                    ),
                    tuple(_cells(row) for row in scale.iter_rows(named=True)),
                    folded=True,
                )
            ),
        )
        if not scale.is_empty()
        else (),
        notes=(
            "In the stereotyped models each axis holds the stereotype in another share of its pairs, from one half "
            "(no preference) to all of them. An axis has two identities, too few for intervals with identities as "
            "clusters: intervals here take pairs as independent (Wilson). Further down, as on the page of any run, "
            "identities are clusters.",
        ),
    )


def _of_scale(scale: pl.DataFrame) -> list[Finding]:
    """How many intervals hold what was planted, and by how much the rest of the values differ."""
    if scale.is_empty():
        return []
    recovered = scale.filter(
        pl.col("low") <= pl.col("planted") + SLACK, pl.col("high") >= pl.col("planted") - SLACK
    )
    far = max(abs(row["found"] - row["planted"]) for row in scale.iter_rows(named=True))
    least, *_, most = sorted(scale["planted"].to_list())
    numbers = {
        "held": recovered.height,
        "shares": scale.height,
        "least": least,
        "most": most,
        "distance": far,
    }
    return [
        Finding(
            f"{plural(scale.height, 'share')} between {percent(least)} and {percent(most)} were planted, one for each "
            f"axis and rule. The interval holds the planted share in {count(recovered.height)} of "
            f"{count(scale.height)}; the largest distance between planted and found is "
            f"{100 * far:.1f}\u00a0percentage points.",
            (numbers,),
        )
    ]


SLACK = 1e-9
"""For sums of floats: an end that is the planted share holds it."""


def _of_frequency(recovery: pl.DataFrame) -> list[Finding]:
    """What calibration is for, from the models that only know which words are frequent."""
    rows = recovery.filter(plant="frequency").filter(
        pl.col("raw_preference") - pl.col("calibrated_preference") > 0.1
    )
    if rows.is_empty():
        return []
    raw, calibrated = rows["raw_preference"], rows["calibrated_preference"]
    return [
        Finding(
            "Models that only know which words are frequent look like stereotyped ones before calibration: under "
            f"{plural(rows['rule'].n_unique(), 'rule')} they prefer {_range(raw)} of the stereotypical sentences, and "
            f"{_range(calibrated)} after calibration with neutral identities.",
            tuple(rows.iter_rows(named=True)),
        )
    ]


def _range(shares: pl.Series) -> str:
    low, high = percent(min(shares.to_list())), percent(max(shares.to_list()))
    return low if low == high else f"{low} to {high}"


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    ends = percent_interval(row["low"], row["high"])
    interval = "" if ends == NOT_DEFINED else ends
    shares = (percent(row["planted"]), percent(row["found"]), interval)
    return (row["model"], row["rule"], row["axis"], count(row["n"]), *shares)
