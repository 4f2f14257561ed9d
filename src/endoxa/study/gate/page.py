"""The page of a gate: one line, the differences with the margin drawn, a table, methods."""

from __future__ import annotations

from math import isfinite
from pathlib import Path

import polars as pl

from endoxa.report.charts import interval_rows
from endoxa.report.document import Figure, Finding, Section
from endoxa.report.frame import CITE, Page
from endoxa.report.inputs import read_runs
from endoxa.report.tables import Column, Table
from endoxa.report.words import count, decimal, p_value, signed
from endoxa.study.gate.measures import OF_PAIRS, OF_QUESTIONS
from endoxa.study.gate.results import Gate, GateTest, bounds
from endoxa.study.gate.write import counted

VERDICTS = {
    "pass": "The candidate is not worse than the baseline",
    "worse": "The candidate is worse than the baseline",
    "undecided": "Undecided whether the candidate is worse",
}


def page_of(gate: Gate) -> Page:
    """The page; both run folders must still be there."""
    runs = [run for side in (gate.baseline, gate.candidate) for run in read_runs([Path(side["run"])])]
    verdict = Section(
        anchor="verdict",
        title="Difference and margin",
        findings=(Finding(gate.sentence, tuple(gate.to_dict()["tests"])),),
        figures=(_figure(gate),),
        tables=(_table(gate),),
        notes=(
            "Right of 0 the candidate is worse. Bars are one-sided bounds, the grey mark is the margin. A bar "
            "left of the mark is a pass, one right of it is worse, if the correction for several tests allows it.",
            *gate.notes,
        ),
    )
    several = len(gate.tests) > 1
    single = Section(
        anchor="tests",
        title="Each test",
        findings=tuple(
            Finding(test.sentence, (row,))
            for test, row in zip(gate.tests, gate.to_dict()["tests"], strict=True)
        ),
        folded=True,
    )
    used = {test.measure for test in gate.tests}
    methods = Section(
        "methods",
        "Methods",
        template="methods.html.j2",
        folded=True,
        values={
            "measures": [measure for measure in (*OF_PAIRS, *OF_QUESTIONS) if measure.name in used],
            "gate": gate,
        },
    )
    return Page(
        package=__package__,
        title=f"{VERDICTS[gate.verdict]} by more than {gate.margin:g}",
        subtitle=f"Baseline {gate.baseline['model']}, candidate {gate.candidate['model']}. {counted(gate)}.",
        entries=(verdict, *([single] if several else []), methods, CITE),
        runs=runs,
        models=dict.fromkeys((gate.baseline["model"], gate.candidate["model"])),
        values={},
    )


def _figure(gate: Gate) -> Figure:
    """A row for each test: difference, bounds, margin."""
    rows = [
        {
            "label": f"{test.measure}\n{test.rule}, {'all items' if test.axis == 'all' else test.axis}",
            "note": f"{signed(test.difference)} {test.verdict}",
            "value": test.difference,
            "low": test.low,
            "high": test.high,
            "outer_low": None,
            "outer_high": None,
            "filled": test.verdict != "undecided",
        }
        for test in gate.tests
    ]
    types = dict.fromkeys(("value", "low", "high", "outer_low", "outer_high"), pl.Float64)
    frame = pl.DataFrame(rows, schema_overrides=types)
    ends = [gate.margin, 0.0, *(end for test in gate.tests for end in _ends(test))]
    room = max(0.1 * (max(ends) - min(ends)), 0.005)
    chart = interval_rows(
        frame,
        neutral=gate.margin,
        domain=(min(ends) - room, max(ends) + room),
        title=f"worse by (grey mark: margin {gate.margin:g})",
        axis_format=".2f" if max(ends) - min(ends) >= 0.05 else ".3f",
    )
    spoken = "; ".join(
        f"{test.name}: {signed(test.difference)} ({bounds(test)}), {test.verdict}" for test in gate.tests
    )
    alt = f"Difference and one-sided bounds of each test against the margin of {gate.margin:g}. {spoken}."
    return Figure("difference", "By how much the candidate is worse", chart, alt, wide=True)


def _ends(test: GateTest) -> list[float]:
    return [end for end in (test.difference, test.low, test.high) if isfinite(end)]


def _table(gate: Gate) -> Table:
    numbers = (
        "baseline",
        "candidate",
        "worse by",
        "bounds",
        "items",
        "left out",
        gate.tests[0].unit,
        "p worse",
    )
    words = gate.apart()
    columns = (
        *(Column(name) for name in (*words, "verdict")),
        *(Column(name, numeric=True) for name in numbers),
    )
    rows = tuple(
        (
            *(getattr(test, name) for name in words),
            test.verdict,
            decimal(test.baseline),
            decimal(test.candidate),
            signed(test.difference),
            bounds(test),
            count(test.n_items),
            count(test.n_left_out),
            count(test.n_identities),
            p_value(test.p_worse_adjusted),
        )
        for test in gate.tests
    )
    caption = f"{gate.alike() or 'Every test'}; p worse is adjusted (Holm) over all tests"
    return Table(caption, columns, rows, stub=len(words) + 1)
