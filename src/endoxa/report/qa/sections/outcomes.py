"""What became of the answers: five outcomes, kept apart."""

from __future__ import annotations

import polars as pl

from endoxa.report.document import Column, Figure, Section, Table
from endoxa.report.qa.figures.outcome_bars import outcome_bars
from endoxa.report.qa.results import CONDITIONS, SPOKEN_CONDITIONS, QaResults
from endoxa.report.words import count, percent, plural
from endoxa.schema import NOT_KNOWN, SHOWN_OUTCOMES


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
