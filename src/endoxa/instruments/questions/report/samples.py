"""A few raw answers as they came, with the questions they were given to."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import polars as pl

from endoxa.errors import UserError
from endoxa.report import inputs
from endoxa.report.document import Section
from endoxa.report.inputs import Run
from endoxa.report.labels import ModelName
from endoxa.report.tables import Cell, Column, Table
from endoxa.schema import NOT_KNOWN, SHOWN_OUTCOMES, QaItem
from endoxa.sources.served import versions_apart

EACH = 3
"""Answers shown for every model and outcome."""

NOT_FOUND = "{} is not found from here: make the report in the folder where the run was made"
CHANGED = "{} has changed since the run"
UNREADABLE = "{} does not hold it in a form that can be read"

MOST_CHARACTERS = 600
"""Longer answers are cut."""

COLUMNS = (
    Column("model"),
    Column("read as"),
    Column("the model was asked", veiled=True),
    Column("it answered", veiled=True),
    Column("protocol"),
    Column("item"),
)


@dataclass(frozen=True, slots=True)
class Sample:
    """One answer, finished texts.

    Attributes:
        model: the model's label.
        outcome: how its answer was read.
        item_id: the item.
        protocol: how it was asked.
        language: ISO 639 code, or empty.
        asked: context, question and options in the order shown; empty where they are not known.
        unknown: why they are not, else empty.
        answer: what it said.
    """

    model: str
    outcome: str
    item_id: str
    protocol: str
    language: str
    asked: str
    unknown: str
    answer: str


def answers(runs: Sequence[Run], names: Mapping[str, ModelName]) -> Section | None:
    """`EACH` answers for every model and outcome, from all runs, taken at even distances: nobody picked them."""
    records = _records(runs)
    found = [
        sample for place, run in enumerate(runs) for sample in _of_run(run, records.filter(run=place), names)
    ]
    order = {name.label: place for place, name in enumerate(names.values())}
    outcomes = {outcome: place for place, outcome in enumerate(SHOWN_OUTCOMES)}
    found.sort(key=lambda sample: (order[sample.model], outcomes[sample.outcome]))
    if not found:
        return None
    return Section(
        anchor="answers",
        title="Some answers as they came",
        lead="For every run, model and outcome up to three answers, taken at even distances through the run: nobody "
        "picked them. Each row says what the model was asked and what it answered.",
        skip="Skip the answers",
        tables=(
            Table(
                "Questions and answers",
                COLUMNS,
                tuple(map(_row, found)),
                folded=True,
                tall=True,
                summary=f"{len(found)} answers",
                unveil="Show questions and answers (they quote stereotypes and can be offensive)",
            ),
        ),
        closing="Every answer, with all turns of its conversation, is in records.parquet of its run folder.",
    )


def _row(sample: Sample) -> tuple[str | Cell, ...]:
    language = sample.language
    return (
        sample.model,
        sample.outcome,
        Cell(sample.asked or f"({sample.unknown})", language=language, veiled=bool(sample.asked)),
        Cell(sample.answer or "(nothing)", language=language, veiled=bool(sample.answer)),
        sample.protocol,
        sample.item_id,
    )


def _records(runs: Sequence[Run]) -> pl.LazyFrame:
    """The records of all runs, `run` being the place of theirs; versions of a model are models of their own."""
    tables = [
        pl.scan_parquet(run.folder / "records.parquet").with_columns(run=pl.lit(place))
        for place, run in enumerate(runs)
    ]
    empty = pl.LazyFrame(schema=dict.fromkeys((*SHOWN, "outcome"), pl.String) | {"run": pl.Int32})
    return versions_apart(pl.concat([empty, *tables], how="diagonal_relaxed"), within=("run",))


def _of_run(run: Run, records: pl.LazyFrame, names: Mapping[str, ModelName]) -> Iterator[Sample]:
    rows = list(_chosen(records).iter_rows(named=True))
    items, why = _items(run, {row["item_id"] for row in rows})
    for row in rows:
        item = items.get(row["item_id"])
        yield Sample(
            model=names[row["model"]].label,
            outcome=row["outcome"],
            item_id=row["item_id"],
            protocol=row["protocol"],
            language=row["language"] or "",
            asked=_asked(item, row["order"]) if item else "",
            unknown="" if item else why,
            answer=_cut(row["answer"] or row["error"] or ""),
        )


SHOWN = ("item_id", "language", "model", "protocol", "order", "answer", "error")


def _chosen(records: pl.LazyFrame) -> pl.DataFrame:
    """Rows at even distances within each model and outcome; only these are read with their answers."""
    group = ("model", "outcome")
    place, size = pl.int_range(pl.len()).over(group), pl.len().over(group)
    step = pl.max_horizontal(size // EACH, 1)
    rows = (
        records.select("model", outcome=_shown_outcome())
        .with_row_index("row")
        .filter((place % step == step // 2) & (place // step < EACH))
        .select("row")
        .collect()
    )
    return (
        records.with_row_index("row")
        .join(rows.lazy(), on="row", how="semi")
        .select(*SHOWN, outcome=_shown_outcome())
        .collect()
    )


def _shown_outcome() -> pl.Expr:
    return pl.when(pl.col("outcome").fill_null("") == "").then(pl.lit(NOT_KNOWN)).otherwise("outcome")


def _items(run: Run, wanted: Collection[str]) -> tuple[dict[str, QaItem], str]:
    """The items with these ids, and why others are not known: the questions are a help, the page goes without."""
    from endoxa.sources.bbq import read_items
    from endoxa.sources.files import sha256

    said = run.facts.get("data")
    data: Mapping[str, Any] = said if isinstance(said, Mapping) else {}
    path = Path(inputs.text(data, "path"))
    try:
        if not path.is_file():
            return {}, NOT_FOUND.format(path)
        if sha256(path) != data.get("sha256"):
            return {}, CHANGED.format(path)
        columns = (run.facts.get("settings") or {}).get("columns") or {}
        found = read_items(path, only=wanted, columns=columns)
        items = {item.item_id: item for item in islice(found, len(wanted))}
    except (OSError, UserError):
        return {}, UNREADABLE.format(path)
    return items, UNREADABLE.format(path)


def _asked(item: QaItem, order: str | None) -> str:
    """'CONTEXT QUESTION (A) ... (B) ... (C) ...' with the options in the order shown."""
    places = [int(place) for place in order or ""] or [0, 1, 2]
    options = " ".join(
        f"({letter}) {item.options[place]}" for letter, place in zip("ABC", places, strict=True)
    )
    return f"{item.context} {item.question} {options}"


def _cut(text: str) -> str:
    return text if len(text) <= MOST_CHARACTERS else f"{text[:MOST_CHARACTERS].rstrip()} […]"
