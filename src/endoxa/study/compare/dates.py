"""One model at several dates: each measure over time, with breaks where the served version changes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import isfinite
from typing import Any

import polars as pl

from endoxa.report.document import Figure, Finding, Section
from endoxa.report.figures import Measure, described, dot_figure
from endoxa.report.tables import number_field, table_of, text_field
from endoxa.report.words import decimal_interval, listed, plural, signed
from endoxa.schema import ALL
from endoxa.study.compare.changes import Change
from endoxa.study.compare.results import Comparison, Contrasted, value
from endoxa.study.compare.sentences import NEUTRAL, name_of
from endoxa.study.compare.sides import Compared
from endoxa.study.gate.settings import SERVED_AS

NOT_STATED = "version not stated"


def is_dated(comparison: Comparison) -> bool:
    """Whether the runs are three or more of one model, asked alike, at dates in the order given."""
    runs = comparison.runs
    dates = [run.date for run in runs]
    alike = all(not _asked_otherwise(each) for each in comparison.shown)
    one_model = len({run.side.name for run in runs}) == 1
    groups = any(run.members for run in runs)
    return len(runs) > 2 and not groups and one_model and alike and all(dates) and dates == sorted(dates)


def _asked_otherwise(contrast: Contrasted) -> bool:
    """Whether two runs were asked in different ways; another version of the model is none."""
    return any(
        setting.name not in ("model", "fingerprint", "revision", SERVED_AS) for setting in contrast.settings
    )


def versions(runs: Sequence[Compared]) -> list[str]:
    """What was measured in each run: what the server directions that it is, else a fingerprint of weights."""
    return [run.side.version or str(run.side.facts().get("fingerprint") or NOT_STATED) for run in runs]


def over_time(comparison: Comparison) -> Section | None:
    """Each measure of bias over time; None where the runs are no dates of one model."""
    if not is_dated(comparison):
        return None
    runs, names = comparison.runs, versions(comparison.runs)
    breaks = [place for place in range(1, len(runs)) if names[place] != names[place - 1]]
    first, last = _day(runs[0]), _day(runs[-1])
    when = f"{len(runs)} dates, {first} to {last}" if first != last else f"{len(runs)} times on {first}"
    text = f"{runs[0].side.name} at {when}: "
    text += (
        "the version changed "
        + listed(
            [f"before {runs[place].label} ({names[place - 1]}, then {names[place]})" for place in breaks]
        )
        if breaks
        else f"{names[0]} in all runs"
    )
    rows = [run.facts() | {"version": name} for run, name in zip(runs, names, strict=True)]
    table = table_of(
        "Runs in the order of time",
        rows,
        (
            text_field("run", "label"),
            text_field("date"),
            text_field("version"),
            *(number_field(_named(series[0]), _at(comparison, series)) for series in _measures(comparison)),
        ),
    )
    counts = {"runs": len(runs), "changes": len(breaks)}
    return Section(
        "dates",
        "Over time",
        findings=(Finding(f"{text}.", (counts, *rows)),),
        figures=tuple(_figures(comparison, names)),
        tables=(table,),
        notes=(
            "Bars are intervals of the change from the first run, drawn about its value; filled dots are claims of "
            "such a change. Headings are versions: what stands under another one is another model.",
        ),
    )


def _day(run: Compared) -> str:
    return run.date[:10]


def _measures(comparison: Comparison) -> list[list[Change]]:
    """Each measure of bias that every run has: its changes from the first run to each other one."""
    by_run = [
        {(change.measure, change.identity, change.rule): change for change in each.bias}
        for each in comparison.shown
    ]
    return [
        [changes[key] for changes in by_run] for key in by_run[0] if all(key in changes for changes in by_run)
    ]


def _named(change: Change) -> str:
    return change.measure if change.rule == ALL else f"{change.measure} ({change.rule})"


def _at(comparison: Comparison, series: Sequence[Change]) -> Callable[[Mapping[str, Any]], str]:
    """From a row of the table of runs to the value of a measure there."""
    values = [series[0].before, *(change.after for change in series)]
    by_run = {run.label: number for run, number in zip(comparison.runs, values, strict=True)}
    return lambda row: value(by_run[row["label"]])


def _figures(comparison: Comparison, names: Sequence[str]) -> Iterator[Figure]:
    runs = comparison.runs
    for place, series in enumerate(_measures(comparison)):
        head = series[0]
        if not isfinite(head.before):
            continue
        rows: list[dict[str, Any]] = []
        for run, name, change in zip(runs, names, (None, *series), strict=True):
            ends = (change.low, change.high) if change else (float("nan"), float("nan"))
            rows.append(
                {
                    "label": f"{run.label}\n{_day(run)}",
                    "value": change.after if change else head.before,
                    "low": change.before + ends[0] if change and isfinite(ends[0]) else None,
                    "high": change.before + ends[1] if change and isfinite(ends[1]) else None,
                    "filled": bool(change and change.clear),
                    "note": value(change.after if change else head.before),
                    "block": name,
                }
            )
        frame = pl.DataFrame(rows, schema_overrides={"low": pl.Float64, "high": pl.Float64})
        spoken = (
            f"{row['label'].replace(chr(10), ', ')}: {value(row['value'])}"
            + (
                f" (change {signed(change.difference)}, {decimal_interval(change.low, change.high)})"
                if change
                else ""
            )
            for row, change in zip(rows, (None, *series), strict=True)
        )
        rule = "" if head.rule == ALL else f" ({head.rule})"
        title = f"{name_of(head)[:1].upper()}{name_of(head)[1:]}{rule}"
        yield dot_figure(
            frame,
            Measure(head.measure, NEUTRAL.get(head.measure, 0.0), ".2~f", 0.1, 0.1),
            name=f"dates-{head.measure.replace('_', '-')}-{place}",
            title=title,
            alt=described(f"{title} over {plural(len(runs), 'date')}", spoken),
            rows=frame.drop("note").rename({"block": "version"}),
        )
