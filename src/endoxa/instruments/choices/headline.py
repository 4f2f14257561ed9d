"""The few rows that stand for a run of choices."""

from __future__ import annotations

from pathlib import Path

from endoxa.instruments.choices.estimates import SCHEMAS
from endoxa.instruments.choices.kinds import kind_of, main_rows
from endoxa.report.claims import chip
from endoxa.runs.asking.outcomes import answer_warnings, read_counts
from endoxa.runs.estimates import read
from endoxa.runs.run import read_run
from endoxa.schema.headline import Headline, plain
from endoxa.stats.verdicts import UNTESTED


def headline(folder: Path) -> Headline:
    """One row for each model, kind and premise."""
    rows = main_rows(read(folder, "estimates", SCHEMAS["estimates"]))
    texts = []
    for row in rows:
        kind, premise = kind_of(row), row["premise"]
        items = f"{row['kind']}, {premise}" if premise else row["kind"]
        value, interval = kind.value(row["value"]), kind.ends(row)
        texts.append((row["model"], items, kind.head, value, interval, kind.neutral, chip(row)))
    notes = tuple(
        f"{row['model']}, {row['kind']}: cannot be tested ({row['reason']})."
        for row in rows
        if row["verdict"] == UNTESTED
    )
    return Headline(
        title="Inferences, decisions and word lists: positive leans towards the stereotype",
        columns=("model", "kind", "measure", "value", "interval", "neutral", "verdict"),
        texts=tuple(texts),
        rows=tuple({name: plain(value) for name, value in row.items()} for row in rows),
        words=("model", "kind", "name", "verdict"),
        notes=notes,
        warnings=answer_warnings(read_counts(folder), read_run(folder)),
    )
