"""The page of a gate: one line, the differences with the margin drawn, a table, methods."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from math import isfinite
from operator import attrgetter
from pathlib import Path

import polars as pl

from endoxa.report.document import Finding, Section
from endoxa.report.figures import Measure, described, dot_figure
from endoxa.report.frame import CITE, Page, filled
from endoxa.report.inputs import read_runs
from endoxa.report.tables import number_field, table_of, text_field
from endoxa.report.words import count, p_value, signed
from endoxa.study.gate.measures import measures_of
from endoxa.study.gate.results import NUMBERS, VERDICT, Gate, bounds, counted

VERDICTS = {
    "pass": "The candidate is not worse than the baseline",
    "worse": "The candidate is worse than the baseline",
    "undecided": "Undecided whether the candidate is worse",
}


def difference_and_margin(gate: Gate) -> Section:
    """The verdict, with a row for each test: difference, bounds, margin."""
    frame = pl.DataFrame([asdict(test) for test in gate.tests]).select(
        pl.col("low", "high").fill_nan(None),
        value=pl.col("difference").fill_nan(None),
        outer_low=pl.lit(None, pl.Float64),
        outer_high=pl.lit(None, pl.Float64),
        filled=pl.col("verdict") != "undecided",
        label=pl.Series(
            f"{test.measure}\n{test.rule}, {'all items' if test.axis == 'all' else test.axis}"
            for test in gate.tests
        ),
        note=pl.Series(f"{signed(test.difference)} {test.verdict}" for test in gate.tests),
    )
    differences = [0.0, *(test.difference for test in gate.tests if isfinite(test.difference))]
    wide = max(abs(end - gate.margin) for end in differences) >= 0.025
    measure = Measure(
        f"worse by (grey mark: margin {gate.margin:g})",
        gate.margin,
        ".2f" if wide else ".3f",
        gate.margin + 0.005,
        0.01 if wide else 0.005,
    )
    spoken = (
        f"{test.name}: {signed(test.difference)} ({bounds(test)}), {test.verdict}" for test in gate.tests
    )
    figure = dot_figure(
        frame,
        measure,
        name="difference",
        title="By how much the candidate is worse",
        alt=described(
            f"Difference and one-sided bounds of each test against the margin of {gate.margin:g}", spoken
        ),
    )
    words = gate.apart()
    table = table_of(
        f"{gate.alike() or 'Every test'}; p worse is adjusted (Holm) over all tests",
        gate.tests,
        (
            *(text_field(name, attrgetter(name)) for name in words),
            VERDICT,
            *NUMBERS,
            number_field("items", lambda test: count(test.n_items)),
            number_field("left out", lambda test: count(test.n_left_out)),
            text_field("about", attrgetter("about")),
            number_field("p worse", lambda test: p_value(test.p_worse_adjusted)),
        ),
        stub=len(words) + 1,
    )
    return Section(
        "verdict",
        "Difference and margin",
        number=signed(gate.tests[0].difference) if len(gate.tests) == 1 else "",
        meaning=f"worse by, in {gate.tests[0].measure}; no difference: 0, margin: {gate.margin:g}.",
        findings=(Finding(gate.sentence, tuple(gate.to_dict()["tests"])),),
        figures=(figure,),
        tables=(table,),
        notes=(
            "Right of 0 the candidate is worse. Bars are one-sided bounds, the grey mark is the margin. A bar "
            "left of the mark is a pass, one right of it is worse, if the correction for several tests allows it.",
            *gate.notes,
        ),
    )


def each_test(gate: Gate) -> Section | None:
    """A sentence for each test, where they are several."""
    rows = zip(gate.tests, gate.to_dict()["tests"], strict=True)
    findings = tuple(Finding(test.sentence, (row,)) for test, row in rows)
    return Section("tests", "Each test", findings=findings, folded=True) if len(findings) > 1 else None


def methods(gate: Gate) -> Section:
    """What is measured, and how it is decided."""
    used = {test.measure for test in gate.tests}
    kind = read_runs([Path(gate.baseline["run"])])[0].kind
    measures = [measure for measure in measures_of(kind, ()) if measure.name in used]
    values = {"measures": measures, "gate": gate}
    return Section("methods", "Methods", template="methods.html.j2", folded=True, values=values)


SECTIONS: tuple[Callable[[Gate], Section | None], ...] = (difference_and_margin, each_test, methods)
"""What is said about a gate, in this order."""


def page_of(gate: Gate) -> Page:
    """The page; both run folders must still be there."""
    return Page(
        package=__package__,
        title=f"{VERDICTS[gate.verdict]} by more than {gate.margin:g}",
        subtitle=f"Baseline {gate.baseline['model']}, candidate {gate.candidate['model']}. {counted(gate)}.",
        entries=(*filled(SECTIONS, gate), CITE),
        runs=[run for side in (gate.baseline, gate.candidate) for run in read_runs([Path(side["run"])])],
        models=dict.fromkeys((gate.baseline["model"], gate.candidate["model"])),
    )
