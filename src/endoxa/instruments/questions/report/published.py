"""Tables 1 to 6 of Pelosio et al. (2025, "Obscured but Not Erased") for one's own models, as finished texts.

The paper prints the mean and the standard deviation over seeds. Ours add the interval of the pooled value, and
between which bounds a value could lie had the answers been read that were not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import polars as pl

from endoxa.instruments.questions.report.results import (
    AMBIGUOUS,
    CONDITIONS,
    DISAMBIGUATED,
    SPOKEN_CONDITIONS,
    QaResults,
)
from endoxa.instruments.questions.report.values import ALL_READ, Row, bounds, missing, unread, value_with_sd
from endoxa.report.document import Section
from endoxa.report.tables import Column, Table
from endoxa.report.words import NO_VALUE, decimal_interval, listed


@dataclass(frozen=True, slots=True)
class _Measure:
    number: int
    title: str
    condition: str
    column: str
    meaning: str


_MEASURES = (
    _Measure(
        1,
        "Accuracy in ambiguous contexts",
        AMBIGUOUS,
        "accuracy",
        "Share of the answers read that choose the unknown option, which is right there.",
    ),
    _Measure(
        2,
        "Accuracy in disambiguated contexts",
        DISAMBIGUATED,
        "accuracy",
        "Share of the answers read that name the person whom the text names.",
    ),
    _Measure(
        3,
        "Bias score in ambiguous contexts",
        AMBIGUOUS,
        "bias_score",
        "The unscaled score times the share of wrong answers; 0: no lean, 1: always the stereotype. Intervals of the "
        "bootstrap; verdicts stand in the first table.",
    ),
    _Measure(
        4,
        "Bias score in disambiguated contexts",
        DISAMBIGUATED,
        "bias_score",
        "2 × (share of stereotyped answers among those that name a person) − 1. A respondent without errors has 0 "
        "only if as many right answers agree with the stereotype as do not, so no lean is claimed from this score.",
    ),
    _Measure(
        5,
        "Unscaled bias score in ambiguous contexts",
        AMBIGUOUS,
        "bias_unscaled",
        "2 × (share of stereotyped answers among those that name a person) − 1, however few they are; 0: no lean.",
    ),
)


def paper_tables(results: QaResults) -> list[Table]:
    """Tables 1 to 5 for the contexts that were asked, and a Table 6 for every data set and the same with names."""
    asked = set(results.overall["context_condition"])
    tables = [_measure_table(results, measure) for measure in _MEASURES if measure.condition in asked]
    return [*tables, *(_retention_table(results, *pair) for pair in results.pairs)]


def _measure_table(results: QaResults, measure: _Measure) -> Table:
    rows = results.overall.filter(pl.col("context_condition") == measure.condition)
    found: dict[tuple[str, str], Row] = {
        (row["line"], row["data"]): row for row in rows.iter_rows(named=True)
    }
    incomplete = [
        data
        for data in results.data
        if any(bounds(row, measure.column) for (_, own), row in found.items() if own == data)
    ]
    heads: list[str] = []
    for data in results.data:
        heads += [data, f"{results.level} interval", *(["bounds"] if data in incomplete else [])]
    body = tuple(
        (
            line,
            *(
                text
                for data in results.data
                for text in _cells(found.get((line, data)), measure.column, with_bounds=data in incomplete)
            ),
        )
        for line in results.lines
    )
    places = ((f"{line}, {data}", row, measure.column) for (line, data), row in found.items())
    absent = [
        f"{line}, {data}" for line in results.lines for data in results.data if (line, data) not in found
    ]
    return Table(
        measure.title,
        _columns(heads),
        body,
        notes=(_explained(measure, rows, bool(incomplete)), *missing(places), *_absent(absent, "not asked")),
        number=measure.number,
    )


def _columns(heads: Sequence[str]) -> tuple[Column, ...]:
    return (Column("Model"), *(Column(name, numeric=True) for name in heads))


def _cells(row: Row | None, column: str, *, with_bounds: bool) -> Iterator[str]:
    if row is None:
        yield from (NO_VALUE for _ in range(3 if with_bounds else 2))
        return
    yield value_with_sd(row, column)
    yield decimal_interval(row[f"{column}_low"], row[f"{column}_high"])
    if with_bounds:
        found = bounds(row, column)
        yield decimal_interval(*found) if found else NO_VALUE if unread(row) else ALL_READ


def _absent(places: list[str], why: str) -> Iterator[str]:
    if places:
        yield f"{NO_VALUE} {why} ({listed(places)})."


def _explained(measure: _Measure, rows: pl.DataFrame, with_bounds: bool) -> str:
    said = [measure.meaning]
    if rows["n_seeds"].max() == 1:
        said.append("One seed, so no standard deviation.")
    else:
        said.append(
            "Mean ± standard deviation over seeds (variants × repeats); the interval is that of the pooled value."
        )
    if with_bounds:
        said.append("Bounds: what the pooled value could be had every answer been read.")
    return " ".join(said)


def _retention_table(results: QaResults, original: str, substituted: str) -> Table:
    rows = results.retention.filter((pl.col("original") == original) & (pl.col("substituted") == substituted))
    found: dict[tuple[str, str], Row] = {
        (row["line"], row["context_condition"]): row for row in rows.iter_rows(named=True)
    }
    lines = list(dict.fromkeys(line for line, _ in found))
    heads = [
        head
        for condition in CONDITIONS
        for head in (SPOKEN_CONDITIONS[condition].capitalize(), f"{results.level} interval")
    ]
    body = tuple(
        (line, *(text for condition in CONDITIONS for text in _ratio(found.get((line, condition)))))
        for line in lines
    )
    places = (
        (f"{line}, {SPOKEN_CONDITIONS[condition]}", row, "ratio") for (line, condition), row in found.items()
    )
    absent = [
        f"{line}, {SPOKEN_CONDITIONS[condition]}"
        for line in lines
        for condition in CONDITIONS
        if (line, condition) not in found
    ]
    meaning = (
        f"Share of wrong answers with {substituted} divided by that with {original}, over the items both have: "
        "1: as many errors, below 1: fewer."
    )
    return Table(
        f"Error retention ratio from {original} to {substituted}",
        _columns(heads),
        body,
        notes=(meaning, *missing(places), *_absent(absent, "no question was asked and read in both")),
        number=6,
    )


def _ratio(row: Row | None) -> tuple[str, str]:
    if row is None:
        return NO_VALUE, NO_VALUE
    return value_with_sd(row, "ratio"), decimal_interval(row["low"], row["high"])


def published(results: QaResults) -> Section:
    """Tables 1 to 6 of Pelosio et al. (2025)."""
    return Section(
        anchor="published",
        title="Tables in the format of Pelosio et al. (2025)",
        folded=True,
        tables=tuple(
            replace(table, columns=(Column("model"), *table.columns[1:])) for table in paper_tables(results)
        ),
        notes=(
            "Numbered as in Pelosio et al. (2025), whose tables print mean and standard deviation over three "
            "seeds; intervals and bounds are ours. Intervals resample templates with all their questions, because "
            "questions made from one "
            "template are not independent. These tables claim nothing: verdicts stand in the tables of leans and of "
            "differences.",
        ),
    )
