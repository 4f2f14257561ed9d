"""One model at several dates: each measure over time, with the version that was served."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from endoxa.report.document import Finding, Section
from endoxa.report.tables import number_field, table_of, text_field
from endoxa.report.words import listed, plural
from endoxa.schema import ALL
from endoxa.study.compare.changes import Change
from endoxa.study.compare.results import Comparison, Contrasted, value
from endoxa.study.compare.sides import Compared
from endoxa.study.gate.settings import SERVED_AS

NOT_STATED = "version not stated"


def is_dated(comparison: Comparison) -> bool:
    """Whether the runs are three or more of one model, asked alike, at dates in the order given."""
    runs = comparison.runs
    dates = [run.date for run in runs]
    alike = all(not _asked_otherwise(each) for each in comparison.shown)
    one_model = len({run.side.name for run in runs}) == 1
    return len(runs) > 2 and one_model and alike and all(dates) and dates == sorted(dates)


def _asked_otherwise(contrast: Contrasted) -> bool:
    """Whether two runs were asked in different ways; another version of the model is none."""
    return any(
        setting.name not in ("model", "fingerprint", "revision", SERVED_AS) for setting in contrast.settings
    )


def versions(runs: Sequence[Compared]) -> list[str]:
    """What was measured in each run: what the server said that it is, else a fingerprint of weights."""
    return [run.side.version or str(run.side.facts().get("fingerprint") or NOT_STATED) for run in runs]


def over_time(comparison: Comparison) -> Section | None:
    """Each measure of bias at each date; None where the runs are no dates of one model."""
    if not is_dated(comparison):
        return None
    runs, names = comparison.runs, versions(comparison.runs)
    first, last = _day(runs[0]), _day(runs[-1])
    when = f"{len(runs)} dates, {first} to {last}" if first != last else f"{len(runs)} times on {first}"
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
    several = list(dict.fromkeys(names))
    text = f"{runs[0].side.name} at {when}: {plural(len(several), 'version')} ({listed(several)})."
    counts = {"runs": len(runs), "versions": len(several)}
    return Section("dates", "Over time", findings=(Finding(text, (counts, *rows)),), tables=(table,))


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
