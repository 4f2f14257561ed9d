"""Simulated respondents: what was planted in them beside what was measured."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from endoxa.instruments.questions.report.results import AMBIGUOUS, SPOKEN_CONDITIONS, QaResults
from endoxa.report import inputs
from endoxa.report.document import Finding, Section
from endoxa.report.inputs import Run
from endoxa.report.tables import Column, Table
from endoxa.report.words import NO_VALUE, decimal, decimal_interval, listed, plural

MEASURES = {"accuracy": "accuracy", "bias_score": "bias score"}
UNSCALED = {"bias_unscaled": "unscaled bias"}
"""In disambiguated contexts the same as the bias score."""
BALANCED = 0.02
"""Part of surplus answers of one kind up to which a design counts as balanced."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """A true value beside what was found.

    Attributes:
        line: the model, with its protocol where that is not the baseline.
        data: the data set, or the two of a ratio.
        contexts: 'ambiguous' or 'disambiguated'.
        measure: what is compared.
        planted: its true value.
        value: what was measured.
        low: lower end of its interval.
        high: upper end of its interval.
    """

    line: str
    data: str
    contexts: str
    measure: str
    planted: float
    value: float
    low: float | None
    high: float | None

    @property
    def inside(self) -> bool | None:
        """The true value lies in the interval; None where there is none."""
        return None if self.low is None or self.high is None else self.low <= self.planted <= self.high


def planted(runs: Sequence[Run], results: QaResults) -> Section | None:
    """The comparison for every simulated model whose run says what was planted; None where there is none."""
    truth = expected_values(runs)
    comparisons = [*_measures(results, truth), *_ratios(results, truth)]
    if not comparisons:
        return None
    with_interval = [comparison for comparison in comparisons if comparison.inside is not None]
    inside = sum(bool(comparison.inside) for comparison in with_interval)
    labels = listed(list(dict.fromkeys(comparison.line for comparison in comparisons)))
    values = plural(len(with_interval), "measured value")
    covered = f" Of {values} with an interval, {inside} include the planted value." if with_interval else ""
    return Section(
        anchor="planted",
        title="Planted and measured",
        findings=(
            Finding(
                f"The answers of {labels} are simulated, so their true values are known.{covered}",
                ({"known": len(with_interval), "inside": inside},),
            ),
        ),
        tables=(_table(results, comparisons),),
        notes=(
            "Intervals miss the truth now and then: at 95\u00a0%, about 1 in 20. Values of one model rest on the same "
            "answers, so they miss together. The planted bias score of disambiguated contexts holds where in half of "
            "the questions the right answer agrees with the stereotype; for other designs it is left out.",
            *(
                [f"{NO_VALUE}: there is no interval; why stands below the published tables."]
                if len(with_interval) < len(comparisons)
                else []
            ),
        ),
    )


def expected_values(runs: Sequence[Run]) -> dict[tuple[str, str], Mapping[str, Any]]:
    """True values by (model, protocol): 'groups' and 'names', each a mapping of measures."""
    expected: dict[tuple[str, str], Mapping[str, Any]] = {}
    for run in runs:
        for model in inputs.entries(run.facts.get("models")):
            by_protocol = _at(_at(_at(model, "probes"), "qa"), "expected")
            expected |= {
                (inputs.text(model, "name"), str(protocol)): values
                for protocol, values in by_protocol.items()
                if isinstance(values, Mapping)
            }
    return expected


def _at(mapping: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = mapping.get(key)
    return value if isinstance(value, Mapping) else {}


def _measures(results: QaResults, truth: Mapping[tuple[str, str], Mapping[str, Any]]) -> Iterator[Comparison]:
    with_names = dict(results.question_counts.select("data", "with_names").iter_rows())
    for row in results.overall.iter_rows(named=True):
        items = "names" if with_names[row["data"]] else "groups"
        values = _at(truth.get((row["model"], row["protocol"]), {}), items)
        ambiguous = row["context_condition"] == AMBIGUOUS
        for column, measure in (MEASURES | UNSCALED if ambiguous else MEASURES).items():
            true = values.get(f"{column}_{row['context_condition']}")
            if column == "bias_score" and not (ambiguous or _balanced(row)):
                continue
            if true is not None and row[column] is not None:
                yield Comparison(
                    row["line"],
                    row["data"],
                    SPOKEN_CONDITIONS[row["context_condition"]],
                    measure,
                    true,
                    row[column],
                    row[f"{column}_low"],
                    row[f"{column}_high"],
                )


def _balanced(row: Mapping[str, Any]) -> bool:
    """Whether right answers agree with the stereotype as often as not, which planted disambiguated scores assume."""
    aligned, other = row["n_aligned"], row["n_nonaligned"]
    return bool(abs(aligned - other) <= BALANCED * (aligned + other))


def _ratios(results: QaResults, truth: Mapping[tuple[str, str], Mapping[str, Any]]) -> Iterator[Comparison]:
    for row in results.retention.iter_rows(named=True):
        values = truth.get((row["model"], row["protocol"]), {})
        name = f"accuracy_{row['context_condition']}"
        before, after = _at(values, "groups").get(name), _at(values, "names").get(name)
        if before is not None and after is not None and before < 1 and row["ratio"] is not None:
            yield Comparison(
                row["line"],
                f"{row['original']} to {row['substituted']}",
                SPOKEN_CONDITIONS[row["context_condition"]],
                "error retention ratio",
                (1 - after) / (1 - before),
                row["ratio"],
                row["low"],
                row["high"],
            )


def _table(results: QaResults, comparisons: Sequence[Comparison]) -> Table:
    spoken = {True: "yes", False: "no", None: NO_VALUE}
    rows = tuple(
        (
            comparison.line,
            comparison.data,
            comparison.contexts,
            comparison.measure,
            decimal(comparison.planted),
            decimal(comparison.value),
            decimal_interval(comparison.low, comparison.high),
            spoken[comparison.inside],
        )
        for comparison in comparisons
    )
    columns = (
        *(Column(name) for name in ("model", "data", "contexts", "measure")),
        *(Column(name, numeric=True) for name in ("planted", "measured", f"{results.level} interval")),
        Column("planted value inside"),
    )
    return Table("Planted and measured values", columns, rows, folded=len(rows) > 30)
