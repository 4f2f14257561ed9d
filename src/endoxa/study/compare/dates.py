"""One model at several dates: each measure over time, with the version that was served."""

from __future__ import annotations

from collections.abc import Sequence

from endoxa.report.document import Finding, Section
from endoxa.report.tables import number_field, table_of, text_field
from endoxa.report.words import listed, plural
from endoxa.schema import ALL
from endoxa.sources.served import NOT_STATED
from endoxa.study.compare.results import Comparison, Contrasted, value
from endoxa.study.gate.runs import Side
from endoxa.study.gate.settings import SERVED_AS


def is_dated(comparison: Comparison) -> bool:
    """Whether the runs are three or more of one model, asked alike, at dates in the order given."""
    runs = comparison.runs
    dates = [run.date for run in runs]
    alike = all(not _asked_otherwise(each) for each in comparison.shown)
    one_model = len({run.name for run in runs}) == 1
    return len(runs) > 2 and one_model and alike and all(dates) and dates == sorted(dates)


def _asked_otherwise(contrast: Contrasted) -> bool:
    """Whether two runs were asked in different ways; another version of the model is none."""
    return any(
        setting.name not in ("model", "fingerprint", "revision", SERVED_AS) for setting in contrast.settings
    )


def versions(runs: Sequence[Side]) -> list[str]:
    """What was measured in each run: what the server said that it is, else a fingerprint of weights."""
    return [run.version or str(run.facts().get("fingerprint") or NOT_STATED) for run in runs]


def over_time(comparison: Comparison) -> Section | None:
    """Each measure of bias at each date; None where the runs are no dates of one model."""
    if not is_dated(comparison):
        return None
    runs, names = comparison.runs, versions(comparison.runs)
    values = _values(comparison)
    rows = [
        run.dated_facts() | {"version": name} | {head: numbers[place] for head, numbers in values.items()}
        for place, (run, name) in enumerate(zip(runs, names, strict=True))
    ]
    columns = [number_field(head, head, value) for head in values]
    fields = (text_field("run", "label"), text_field("date"), text_field("version"), *columns)
    first, last = runs[0].date[:10], runs[-1].date[:10]
    when = f"{len(runs)} dates, {first} to {last}" if first != last else f"{len(runs)} times on {first}"
    several = list(dict.fromkeys(names))
    text = f"{runs[0].name} at {when}: {plural(len(several), 'version')} ({listed(several)})."
    finding = Finding(text, ({"runs": len(runs), "versions": len(several)}, *rows))
    table = table_of("Runs in the order of time", rows, fields)
    return Section("dates", "Over time", findings=(finding,), tables=(table,))


def _values(comparison: Comparison) -> dict[str, list[float]]:
    """The values of each measure of bias that every run has, in the order of the runs, by its heading."""
    by_run = [
        {(change.measure, change.identity, change.rule): change for change in each.bias}
        for each in comparison.shown
    ]
    values = {}
    for (measure, test, rule), first in by_run[0].items():
        key = (measure, test, rule)
        if all(key in changes for changes in by_run):
            head = f"{measure if test == ALL else test}{'' if rule == ALL else f' ({rule})'}"
            values[head] = [first.before, *(changes[key].after for changes in by_run)]
    return values
