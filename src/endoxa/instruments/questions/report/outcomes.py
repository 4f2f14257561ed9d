"""What became of the answers: five outcomes, kept apart."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import altair as alt
import polars as pl

from endoxa.errors import UserError
from endoxa.instruments.questions.report.results import CONDITIONS, SPOKEN_CONDITIONS, QaResults
from endoxa.report import inputs
from endoxa.report.charts import INK, ORANGE, square_legend, stacked_shares
from endoxa.report.document import Figure, Section
from endoxa.report.inputs import Run
from endoxa.report.labels import ModelName
from endoxa.report.tables import Cell, Column, Table
from endoxa.report.words import count, percent, plural
from endoxa.schema import NOT_KNOWN, OUTCOMES, SHOWN_OUTCOMES, QaItem
from endoxa.sources.served import versions_apart

COLUMNS = {
    "label": "what the bar is about, written above it",
    "outcome": "one of `SHOWN_OUTCOMES`",
    "share": "its share of the bar's answers",
}
"""Columns of the frame; bars are drawn in the order of their first rows."""

STEREOTYPED, ANTI, UNKNOWN, REFUSED, UNPARSED = OUTCOMES
COLORS = {
    STEREOTYPED: ORANGE,
    ANTI: "#a9cdec",
    NOT_KNOWN: "#d9c9a3",
    UNKNOWN: "#f4f6f8",
    REFUSED: "#8a939c",
    UNPARSED: INK,
}
"""From left to right dark and light take turns, so that prints without colour can be read."""

ON_DARK = (STEREOTYPED, UNPARSED)
LEAST_LABELLED = 0.08
"""Narrower parts have no room for their percentage."""


def outcome_bars(frame: pl.DataFrame) -> alt.TopLevelMixin:
    """One bar of 100 % per label, its parts always in the same order, wide ones with their percentage.

    Args:
        frame: columns of `COLUMNS`.
    """
    present = [outcome for outcome in SHOWN_OUTCOMES if outcome in set(frame["outcome"])]
    percentage = pl.format("{} %", (100 * pl.col("share")).round(0).cast(pl.Int64))
    return stacked_shares(
        frame.select(
            "label",
            "share",
            part="outcome",
            text=pl.when(pl.col("share") >= LEAST_LABELLED).then(percentage).otherwise(pl.lit("")),
        ),
        {outcome: COLORS[outcome] for outcome in present},
        dark=ON_DARK,
        title="answers",
        legend=square_legend(columns=3, labelLimit=160),
    )


def outcomes(results: QaResults) -> Section:
    """Stacked bars for ambiguous and disambiguated contexts, and their counts."""
    present = set(results.outcomes["outcome"])
    notes = [
        "Stereotyped: the answer names the person the stereotype is about (for a question that asks for the "
        "opposite, the other one). Anti-stereotyped: the other person. Unknown: the option that it cannot be known. "
        "Refused: the model declined to answer. Unparsed: no option could be read. The last two are in no score; the "
        "published tables give bounds for the scores had they been read."
    ]
    if NOT_KNOWN in present:
        notes.append(f"“{NOT_KNOWN}”: the file does not say which of the two the stereotype is about.")
    return Section(
        anchor="outcomes",
        title="What became of the answers",
        figures=tuple(_figures(results)),
        tables=(_table(results),),
        notes=tuple(notes),
    )


def _figures(results: QaResults) -> list[Figure]:
    shown = results.outcomes.with_columns(bar=pl.format("{}, {}", "line", "data"))
    figures = []
    for condition in CONDITIONS:
        of_condition = shown.filter(pl.col("context_condition") == condition)
        if of_condition.is_empty():
            continue
        spoken = SPOKEN_CONDITIONS[condition]
        figures.append(
            Figure(
                name=f"outcomes-{spoken}",
                title=f"{spoken.capitalize()} contexts",
                chart=outcome_bars(of_condition.select(label="bar", outcome="outcome", share="share")),
                alt=_alt(of_condition, spoken),
            )
        )
    return figures


def _alt(shares: pl.DataFrame, spoken: str) -> str:
    bars = [
        f"{bar}: "
        + ", ".join(f"{row['outcome']} {percent(row['share'])}" for row in rows.iter_rows(named=True))
        for (bar,), rows in shares.group_by(["bar"], maintain_order=True)
    ]
    return f"Share of every outcome in {spoken} contexts. {'; '.join(bars)}."


def _table(results: QaResults) -> Table:
    kinds = [outcome for outcome in SHOWN_OUTCOMES if outcome in set(results.outcomes["outcome"])]
    rows = []
    for (line, data, condition), of_cell in results.outcomes.group_by(
        ["line", "data", "context_condition"], maintain_order=True
    ):
        by_outcome: dict[str, int] = dict(of_cell.select("outcome", "n").iter_rows())
        counts = (count(by_outcome.get(kind, 0)) for kind in kinds)
        rows.append(
            (str(line), str(data), SPOKEN_CONDITIONS[str(condition)], *counts, count(sum(of_cell["n"])))
        )
    names = ("model", "data", "contexts", *kinds, "answers")
    return Table(
        f"Outcomes, counted ({plural(sum(results.outcomes['n']), 'answer')})",
        tuple(Column(name, numeric=name in (*kinds, "answers")) for name in names),
        tuple(rows),
        folded=True,
    )


EACH = 3
"""Answers shown for every model and outcome."""

MISSING = "{} is not found from here: make the report in the folder where the run was made"
CHANGED = "{} has changed since the run"
UNREADABLE = "{} does not hold it in a form that can be read"

MOST_CHARACTERS = 600
"""Longer answers are cut."""

SAMPLE_COLUMNS = (
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
        question: context, question and options in the order shown; empty where they are not known.
        unknown: why they are not, else empty.
        answer: what it said.
    """

    model: str
    outcome: str
    item_id: str
    protocol: str
    language: str
    question: str
    unknown: str
    answer: str


def answers(runs: Sequence[Run], names: Mapping[str, ModelName]) -> Section | None:
    """`EACH` answers for every model and outcome, from all runs, taken at even distances: nobody picked them."""
    records = _records(runs)
    samples = [
        sample for place, run in enumerate(runs) for sample in _of_run(run, records.filter(run=place), names)
    ]
    order = {name.label: place for place, name in enumerate(names.values())}
    outcomes = {outcome: place for place, outcome in enumerate(SHOWN_OUTCOMES)}
    samples.sort(key=lambda sample: (order[sample.model], outcomes[sample.outcome]))
    if not samples:
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
                SAMPLE_COLUMNS,
                tuple(map(_row, samples)),
                folded=True,
                tall=True,
                summary=f"{len(samples)} answers",
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
        Cell(sample.question or f"({sample.unknown})", language=language, veiled=bool(sample.question)),
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
            question=_question_shown(item, row["order"]) if item else "",
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

    entry = run.facts.get("data")
    data: Mapping[str, Any] = entry if isinstance(entry, Mapping) else {}
    path = Path(inputs.text(data, "path"))
    try:
        if not path.is_file():
            return {}, MISSING.format(path)
        if sha256(path) != data.get("sha256"):
            return {}, CHANGED.format(path)
        columns = (run.facts.get("settings") or {}).get("columns") or {}
        questions = read_items(path, only=wanted, columns=columns)
        items = {item.item_id: item for item in islice(questions, len(wanted))}
    except (OSError, UserError):
        return {}, UNREADABLE.format(path)
    return items, UNREADABLE.format(path)


def _question_shown(item: QaItem, order: str | None) -> str:
    """'CONTEXT QUESTION (A) ... (B) ... (C) ...' with the options in the order shown."""
    places = [int(place) for place in order or ""] or [0, 1, 2]
    options = " ".join(
        f"({letter}) {item.options[place]}" for letter, place in zip("ABC", places, strict=True)
    )
    return f"{item.context} {item.question} {options}"


def _cut(text: str) -> str:
    return text if len(text) <= MOST_CHARACTERS else f"{text[:MOST_CHARACTERS].rstrip()} […]"
