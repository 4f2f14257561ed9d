"""The few rows that stand for a run of choices."""

from __future__ import annotations

from pathlib import Path

from endoxa.instruments.choices.estimates import SCHEMAS
from endoxa.instruments.choices.kinds import kind_of, main_rows
from endoxa.report.claims import chip
from endoxa.report.words import NO_VALUE
from endoxa.runs.asking.outcomes import answer_warnings, read_counts
from endoxa.runs.estimates import read
from endoxa.runs.run import read_run
from endoxa.schema.headline import Headline, plain


def headline(folder: Path) -> Headline:
    """One row for each model, kind and premise."""
    estimates = read(folder, "estimates", SCHEMAS["estimates"])
    rows = main_rows(estimates)
    texts = []
    for row in rows.iter_rows(named=True):
        kind, premise = kind_of(row), row["premise"]
        items = f"{row['kind']}, {premise}" if premise else row["kind"]
        value = NO_VALUE if row["value"] is None else kind.value(row["value"])
        texts.append((row["model"], items, kind.head, value, kind.ends(row), kind.neutral, chip(row)))
    facts = read_run(folder)
    notes = tuple(
        f"{row['model']}, {row['kind']}: cannot be tested ({row['reason']})."
        for row in rows.filter(verdict="cannot-be-tested").iter_rows(named=True)
    )
    return Headline(
        title="Inferences, decisions and word lists: positive leans towards the stereotype",
        columns=("model", "kind", "measure", "value", "interval", "neutral", "verdict"),
        texts=tuple(texts),
        rows=tuple({name: plain(value) for name, value in row.items()} for row in rows.iter_rows(named=True)),
        words=("model", "kind", "name", "verdict"),
        notes=notes,
        warnings=answer_warnings(read_counts(folder), facts),
    )
