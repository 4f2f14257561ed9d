"""Simulated respondents: what was planted in them beside what was measured."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from endoxa.instruments.questions.report.results import AMBIGUOUS, CONTEXTS_FIELD, QaResults, Row
from endoxa.report import inputs
from endoxa.report.document import Finding, Section
from endoxa.report.inputs import Run
from endoxa.report.tables import number_field, table_of, text_field
from endoxa.report.words import NO_VALUE, decimal, listed, plural

MEASURES = {"accuracy": "accuracy", "bias_score": "bias score"}
UNSCALED = {"bias_unscaled": "unscaled bias"}
"""In disambiguated contexts the same as the bias score."""
BALANCED = 0.02
"""Part of surplus answers of one kind up to which a design counts as balanced."""


def planted(runs: Sequence[Run], results: QaResults) -> Section | None:
    """The comparison for every simulated model whose run says what was planted; None where there is none."""
    rows = list(comparisons(results, expected_values(runs)))
    if not rows:
        return None
    measured = [row["inside"] for row in rows if row["inside"] is not None]
    labels = listed(list(dict.fromkeys(row["line"] for row in rows)))
    values = plural(len(measured), "measured value")
    covered = f" Of {values} with an interval, {sum(measured)} include the planted value." if measured else ""
    return Section(
        anchor="planted",
        title="Planted and measured",
        findings=(
            Finding(
                f"The answers of {labels} are simulated, so their true values are known.{covered}",
                ({"known": len(measured), "inside": sum(measured)},),
            ),
        ),
        tables=(
            table_of(
                "Planted and measured values",
                rows,
                (
                    *(text_field("model", "line"), text_field("data"), CONTEXTS_FIELD, text_field("measure")),
                    number_field("planted", shown=decimal),
                    number_field("measured", "value", decimal),
                    results.interval_field(),
                    text_field(
                        "planted value inside",
                        "inside",
                        {True: "yes", False: "no", None: NO_VALUE}.__getitem__,
                    ),
                ),
                most_open=30,
            ),
        ),
        notes=(
            "Intervals miss the truth now and then: at 95\u00a0%, about 1 in 20. Values of one model rest on the same "
            "answers, so they miss together. The planted bias score of disambiguated contexts holds where in half of "
            "the questions the right answer agrees with the stereotype; for other designs it is left out.",
            *(
                [f"{NO_VALUE}: there is no interval; why stands below the published tables."]
                if len(measured) < len(rows)
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


def comparisons(
    results: QaResults, expected: Mapping[tuple[str, str], Mapping[str, Any]]
) -> Iterator[dict[str, Any]]:
    """True values beside what was measured: `planted`, `value`, its interval, and whether the truth lies `inside` it.

    Args:
        results: of the page.
        expected: see `expected_values`.
    """
    with_names = dict(results.question_counts.select("data", "with_names").iter_rows())
    for row in results.overall.iter_rows(named=True):
        values = _at(
            expected.get((row["model"], row["protocol"]), {}),
            "names" if with_names[row["data"]] else "groups",
        )
        ambiguous, aligned, other = (
            row["context_condition"] == AMBIGUOUS,
            row["n_aligned"],
            row["n_nonaligned"],
        )
        # Planted disambiguated scores assume that right answers agree with the stereotype as often as not.
        balanced = ambiguous or abs(aligned - other) <= BALANCED * (aligned + other)
        for column, measure in (MEASURES | UNSCALED if ambiguous else MEASURES).items():
            true = values.get(f"{column}_{row['context_condition']}")
            if true is not None and row[column] is not None and (balanced or column != "bias_score"):
                ends = row[f"{column}_low"], row[f"{column}_high"]
                yield _compared(row, measure, true, row[column], ends)
    for row in results.retention.iter_rows(named=True):
        values = expected.get((row["model"], row["protocol"]), {})
        name = f"accuracy_{row['context_condition']}"
        before, after = _at(values, "groups").get(name), _at(values, "names").get(name)
        if before is not None and after is not None and before < 1 and row["ratio"] is not None:
            cell = row | {"data": f"{row['original']} to {row['substituted']}"}
            true = (1 - after) / (1 - before)
            yield _compared(cell, "error retention ratio", true, row["ratio"], (row["low"], row["high"]))


def _compared(row: Row, measure: str, true: float, value: float, ends: tuple[Any, Any]) -> dict[str, Any]:
    low, high = ends
    inside = None if None in ends else low <= true <= high
    numbers = {"planted": true, "value": value, "low": low, "high": high, "inside": inside}
    return {**row, "measure": measure, **numbers}
