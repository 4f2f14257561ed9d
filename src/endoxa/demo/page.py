"""The page of the demonstration: what was planted beside what was found, then the page that any run has."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from endoxa.demo.figure import recovery_figure, scale_figure
from endoxa.demo.world import STEREOTYPE
from endoxa.report.claims import chip, verdict_counts
from endoxa.report.document import Finding, Section
from endoxa.report.tables import Column, Table
from endoxa.report.words import NOT_DEFINED, count, decimal, p_value, percent, percent_interval, plural
from endoxa.runs.options import ReportOptions
from endoxa.stats.verdicts import ABOVE, UNCLEAR, UNTESTED

TITLE = "Planted and found: a demonstration with models whose preference is known"


SIMULATED = (
    "Whether intervals hold the truth cannot be seen from one set of pairs. In simulated sets of this layout "
    "(benchmarks/coverage_two_way.py, 300 sets for each of nine kinds of variation) at least 95\u00a0% of the "
    "intervals held the true share, and at most 5\u00a0% of true shares of 50\u00a0% were claimed. Where identities "
    "and attributes vary half as much as pairs themselves, a true share of 60\u00a0% was claimed in 33\u00a0% of the "
    "sets, one of 70\u00a0% in 93\u00a0%. That is one test alone; here many are corrected together."
)
"""What the manual page on two-way inference measures for this sample."""


def write_demo_page(
    folder: Path, recovery: pl.DataFrame, scale: pl.DataFrame, claims: pl.DataFrame, *, seed: int
) -> None:
    """Write `report.html` of the run of the demonstration, its figures beside it.

    Args:
        folder: the run.
        recovery: `recovery.recovery_table` of it.
        scale: `recovery.scale_table` of it.
        claims: `recovery.claims_table` of it.
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
        first = recovery_section(recovery, scale, claims)
        write_page(replace(page, title=TITLE, entries=(first, *page.entries)), folder / "report.html")


def recovery_section(recovery: pl.DataFrame, scale: pl.DataFrame, claims: pl.DataFrame) -> Section:
    """What was planted, what the scores say of it and what the tests claim, as the page begins."""
    figures = [recovery_figure(recovery)]
    if not scale.is_empty():
        figures.insert(0, scale_figure(scale))
    return Section(
        anchor="planted",
        title="Planted and found",
        lead="In these models preferences were planted, so what endoxa should find is known.",
        findings=(
            *_of_scores(recovery),
            *_of_claims(recovery, claims),
            *_of_scale(scale),
            *_of_frequency(recovery),
        ),
        figures=tuple(figures),
        tables=(
            (
                Table(
                    "The stereotyped models, axis by axis",
                    (
                        *(Column(name) for name in ("model", "rule", "axis")),
                        *(
                            Column(name, numeric=True)
                            for name in ("pairs", "identities", "planted", "found", "interval")
                        ),
                        Column("verdict"),
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
            "(no preference) to all of them. Intervals and verdicts are those of the tables below: identities and "
            "attributes are samples, and verdicts are corrected for all tests of the run. Professions are two in all "
            "languages together, too few to test.",
            SIMULATED,
        ),
    )


def _of_scores(recovery: pl.DataFrame) -> list[Finding]:
    """How many differences have the planted sign, and how far they are from what was planted."""
    if recovery.is_empty():
        return []
    right, pairs, worst = (
        int(recovery["signs_as_planted"].sum()),
        int(recovery["n"].sum()),
        recovery.sort("mean_absolute_error").row(-1, named=True),
    )
    numbers = {"right": right, "differences": pairs, "error": worst["mean_absolute_error"]}
    return [
        Finding(
            f"Scores: {count(right)} of {count(pairs)} differences between two sentences have the sign that was "
            f"planted ({plural(recovery['model'].n_unique(), 'model')}). The mean error of a difference is at most "
            f"{decimal(worst['mean_absolute_error'])}\u00a0nats ({worst['model']}, {worst['rule']}); a stereotype was "
            f"planted with {STEREOTYPE['stereotyped']:g}\u00a0nats.",
            (numbers,),
        )
    ]


def _of_claims(recovery: pl.DataFrame, claims: pl.DataFrame) -> list[Finding]:
    """In how many results a preference is claimed, where one was planted and where none was."""
    planted = claims.filter(plant="stereotyped")
    if planted.is_empty():
        return []

    def claimed(rows: pl.DataFrame) -> str:
        raw, calibrated = (
            (of_kind.filter(verdict=ABOVE).height, of_kind.height)
            for of_kind in (rows.filter(calibrated=False), rows.filter(calibrated=True))
        )
        return f"in {raw[0]} of {raw[1]} results as scored and in {calibrated[0]} of {calibrated[1]} calibrated ones"

    share = percent(max(recovery.filter(plant="stereotyped")["planted_preference"].to_list()))
    text = f"Tests: the planted preference ({share} of the pairs) is found {claimed(planted)}"
    others = claims.filter(pl.col("plant") != "stereotyped")
    if not others.is_empty():
        text += f"; where no stereotype was planted, a preference is found {claimed(others)}"
    missed = planted.filter(pl.col("verdict") != ABOVE)
    if not missed.is_empty():
        row = missed.sort("p_adjusted").row(0, named=True)
        text += (
            f". {plural(row['n'], 'pair')} of {count(row['clusters'])} identities × {count(row['attributes'])} "
            f"attributes are few for so many tests: {row['model']} under {row['rule']} has {percent(row['value'])} "
            f"(interval {percent_interval(row['low'], row['high'])}), and p after correction is "
            f"{p_value(row['p_adjusted'])}"
        )
    return [Finding(f"{text}.", tuple(claims.iter_rows(named=True)))]


def _of_scale(scale: pl.DataFrame) -> list[Finding]:
    """What is found of the shares planted axis by axis, and how far the shares are apart."""
    if scale.is_empty():
        return []
    above = scale.filter(pl.col("planted") > 0.5 + SLACK)
    level = scale.filter(pl.col("planted") <= 0.5 + SLACK)
    far = max(abs(row["found"] - row["planted"]) for row in scale.iter_rows(named=True))
    verdicts = verdict_counts(above.iter_rows(named=True))
    numbers = {"shares": scale.height, "distance": far, "claimed_at_half": level.filter(verdict=ABOVE).height}
    return [
        Finding(
            f"Axis by axis, found and planted shares differ by {100 * far:.1f}\u00a0percentage points at most. But of "
            f"{plural(above.height, 'share')} that were planted above 50\u00a0%, tests find {verdicts[ABOVE]}: "
            f"{verdicts[UNCLEAR]} are not distinguishable from chance and {verdicts[UNTESTED]} cannot be tested, since "
            f"an axis has few identities. Of {level.height} planted at 50\u00a0%, {numbers['claimed_at_half']} are "
            "called a preference.",
            ({**numbers, **verdicts},),
        )
    ]


SLACK = 1e-9
"""For sums of floats: a share of one half counts as one half."""


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
    names = (row["model"], row["rule"], row["axis"], count(row["n"]), count(row["identities"]))
    return (*names, *shares, chip(row))
