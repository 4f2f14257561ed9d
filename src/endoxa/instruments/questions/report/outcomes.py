"""What became of the answers: five outcomes, kept apart."""

from __future__ import annotations

import altair as alt
import polars as pl

from endoxa.instruments.questions.report.results import CONDITIONS, SPOKEN_CONDITIONS, QaResults
from endoxa.report.charts import INK, ORANGE, square_legend, stacked_shares
from endoxa.report.document import Figure, Section
from endoxa.report.tables import Column, Table
from endoxa.report.words import count, percent, plural
from endoxa.schema import NOT_KNOWN, OUTCOMES, SHOWN_OUTCOMES

COLUMNS = {
    "label": "what the bar is about, written above it",
    "outcome": "one of `SHOWN_OUTCOMES`",
    "share": "its share of the bar's answers",
}
"""Columns of the frame; bars are drawn in the order of their first rows."""

STEREOTYPED, ANTI, UNKNOWN, REFUSED, UNPARSED = OUTCOMES
COLORS = {
    STEREOTYPED: ORANGE,
    ANTI: "#a9cdec",
    NOT_KNOWN: "#d9c9a3",
    UNKNOWN: "#f4f6f8",
    REFUSED: "#8a939c",
    UNPARSED: INK,
}
"""From left to right dark and light take turns, so that prints without colour can be read."""

ON_DARK = (STEREOTYPED, UNPARSED)
LEAST_LABELLED = 0.08
"""Narrower parts have no room for their percentage."""


def outcome_bars(frame: pl.DataFrame) -> alt.TopLevelMixin:
    """One bar of 100 % per label, its parts always in the same order, wide ones with their percentage.

    Args:
        frame: columns of `COLUMNS`.
    """
    present = [outcome for outcome in SHOWN_OUTCOMES if outcome in set(frame["outcome"])]
    percentage = pl.format("{} %", (100 * pl.col("share")).round(0).cast(pl.Int64))
    return stacked_shares(
        frame.select(
            "label",
            "share",
            part="outcome",
            text=pl.when(pl.col("share") >= LEAST_LABELLED).then(percentage).otherwise(pl.lit("")),
        ),
        {outcome: COLORS[outcome] for outcome in present},
        dark=ON_DARK,
        title="answers",
        legend=square_legend(columns=3, labelLimit=160),
    )


def outcomes(results: QaResults) -> Section:
    """Stacked bars for ambiguous and disambiguated contexts, and their counts."""
    present = set(results.outcomes["outcome"])
    notes = [
        "Stereotyped: the answer names the person the stereotype is about (for a question that asks for the "
        "opposite, the other one). Anti-stereotyped: the other person. Unknown: the option that it cannot be known. "
        "Refused: the model declined to answer. Unparsed: no option could be read. The last two are in no score; the "
        "published tables give bounds for the scores had they been read."
    ]
    if NOT_KNOWN in present:
        notes.append(f"“{NOT_KNOWN}”: the file does not say which of the two the stereotype is about.")
    return Section(
        anchor="outcomes",
        title="What became of the answers",
        figures=tuple(_figures(results)),
        tables=(_table(results),),
        notes=tuple(notes),
    )


def _figures(results: QaResults) -> list[Figure]:
    shown = results.outcomes.with_columns(bar=pl.format("{}, {}", "line", "data"))
    figures = []
    for condition in CONDITIONS:
        own = shown.filter(pl.col("context_condition") == condition)
        if own.is_empty():
            continue
        spoken = SPOKEN_CONDITIONS[condition]
        figures.append(
            Figure(
                name=f"outcomes-{spoken}",
                title=f"{spoken.capitalize()} contexts",
                chart=outcome_bars(own.select(label="bar", outcome="outcome", share="share")),
                alt=_alt(own, spoken),
            )
        )
    return figures


def _alt(own: pl.DataFrame, spoken: str) -> str:
    bars = [
        f"{bar}: "
        + ", ".join(f"{row['outcome']} {percent(row['share'])}" for row in rows.iter_rows(named=True))
        for (bar,), rows in own.group_by(["bar"], maintain_order=True)
    ]
    return f"Share of every outcome in {spoken} contexts. {'; '.join(bars)}."


def _table(results: QaResults) -> Table:
    kinds = [outcome for outcome in SHOWN_OUTCOMES if outcome in set(results.outcomes["outcome"])]
    rows = []
    for (line, data, condition), own in results.outcomes.group_by(
        ["line", "data", "context_condition"], maintain_order=True
    ):
        found: dict[str, int] = dict(own.select("outcome", "n").iter_rows())
        counts = (count(found.get(kind, 0)) for kind in kinds)
        rows.append((str(line), str(data), SPOKEN_CONDITIONS[str(condition)], *counts, count(sum(own["n"]))))
    names = ("model", "data", "contexts", *kinds, "answers")
    return Table(
        f"Outcomes, counted ({plural(sum(results.outcomes['n']), 'answer')})",
        tuple(Column(name, numeric=name in (*kinds, "answers")) for name in names),
        tuple(rows),
        folded=True,
    )
