"""What became of the answers: five outcomes, kept apart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from endoxa.instruments.questions.items.of_run import items_of_run, question_shown
from endoxa.instruments.questions.report.results import CONTEXTS_FIELD, SPOKEN_CONDITIONS, QaResults
from endoxa.report.charts import INK, ORANGE, square_legend, stacked_shares
from endoxa.report.document import Figure, Section
from endoxa.report.figures import described
from endoxa.report.inputs import Run
from endoxa.report.labels import ModelName
from endoxa.report.tables import Cell, number_field, table_of, text_field
from endoxa.report.words import percent, plural
from endoxa.schema import NOT_KNOWN, OUTCOMES, SHOWN_OUTCOMES
from endoxa.sources.served import versions_apart

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

LEAST_LABELLED = 0.08
"""Narrower parts have no room for their percentage."""


def outcomes(results: QaResults) -> Section:
    """Stacked bars for ambiguous and disambiguated contexts, and their counts."""
    notes = [
        "Stereotyped: the answer names the person the stereotype is about (for a question that asks for the "
        "opposite, the other one). Anti-stereotyped: the other person. Unknown: the option that it cannot be known. "
        "Refused: the model declined to answer. Unparsed: no option could be read. The last two are in no score; the "
        "published tables give bounds for the scores had they been read."
    ]
    kinds = [outcome for outcome in SHOWN_OUTCOMES if outcome in set(results.outcomes["outcome"])]
    if NOT_KNOWN in kinds:
        notes.append(f"“{NOT_KNOWN}”: the file does not say which of the two the stereotype is about.")
    rows = [
        dict.fromkeys(kinds, 0)
        | dict(of_cell.select("outcome", "n").iter_rows())
        | {"line": line, "data": data, "context_condition": condition, "answers": sum(of_cell["n"])}
        for (line, data, condition), of_cell in results.outcomes.group_by(
            ["line", "data", "context_condition"], maintain_order=True
        )
    ]
    table = table_of(
        f"Outcomes, counted ({plural(sum(results.outcomes['n']), 'answer')})",
        rows,
        (
            *(text_field("model", "line"), text_field("data"), CONTEXTS_FIELD),
            *map(number_field, kinds),
            number_field("answers"),
        ),
        folded=True,
    )
    return Section(
        anchor="outcomes",
        title="What became of the answers",
        figures=tuple(_figures(results)),
        tables=(table,),
        notes=tuple(notes),
    )


def _figures(results: QaResults) -> Iterator[Figure]:
    """One bar of 100 % for each model and data set, its parts always in the same order, wide ones with their share."""
    percentage = pl.format("{} %", (100 * pl.col("share")).round(0).cast(pl.Int64))
    for condition, spoken in SPOKEN_CONDITIONS.items():
        shares = results.outcomes.filter(context_condition=condition).select(
            "share",
            label=pl.format("{}, {}", "line", "data"),
            part="outcome",
            text=pl.when(pl.col("share") >= LEAST_LABELLED).then(percentage).otherwise(pl.lit("")),
        )
        if shares.is_empty():
            continue
        present = set(shares["part"])
        chart = stacked_shares(
            shares,
            {outcome: COLORS[outcome] for outcome in SHOWN_OUTCOMES if outcome in present},
            dark=(STEREOTYPED, UNPARSED),
            title="answers",
            legend=square_legend(columns=3, labelLimit=160),
        )
        bars = (
            f"{bar}: "
            + ", ".join(
                f"{part} {percent(share)}" for part, share in rows.select("part", "share").iter_rows()
            )
            for (bar,), rows in shares.group_by(["label"], maintain_order=True)
        )
        title = f"{spoken.capitalize()} contexts"
        alternative = described(f"Share of every outcome in {spoken} contexts", bars)
        yield Figure(f"outcomes-{spoken}", title, chart, alternative)


EACH = 3
"""Answers shown for every model and outcome."""

MOST_CHARACTERS = 600
"""Longer answers are cut."""


def answers(runs: Sequence[Run], names: Mapping[str, ModelName]) -> Section | None:
    """`EACH` answers for every model and outcome, from all runs, taken at even distances: nobody picked them."""
    records = _records(runs)
    rows = []
    for place, run in enumerate(runs):
        chosen = _chosen(records.filter(run=place)).rows(named=True)
        items, why = items_of_run(run, {row["item_id"] for row in chosen})
        rows += [row | {"item": items.get(row["item_id"]), "why": why} for row in chosen]
    if not rows:
        return None
    models, kinds = list(names), list(SHOWN_OUTCOMES)
    rows.sort(key=lambda row: (models.index(row["model"]), kinds.index(row["outcome"])))

    def prompt(row: Mapping[str, Any]) -> Cell:
        text = question_shown(row["item"], row["order"]) if row["item"] else ""
        return Cell(text or f"({row['why']})", language=row["language"] or "", veiled=bool(text))

    def answer(row: Mapping[str, Any]) -> Cell:
        text = row["answer"] or row["error"] or ""
        if len(text) > MOST_CHARACTERS:
            text = f"{text[:MOST_CHARACTERS].rstrip()} […]"
        return Cell(text or "(nothing)", language=row["language"] or "", veiled=bool(text))

    table = table_of(
        "Questions and answers",
        rows,
        (
            text_field("model", lambda row: names[row["model"]].label),
            text_field("read as", "outcome"),
            text_field("the model was asked", prompt, veiled=True),
            text_field("it answered", answer, veiled=True),
            text_field("protocol"),
            text_field("item", "item_id"),
        ),
        folded=True,
        tall=True,
        summary=f"{len(rows)} answers",
        unveil="Show questions and answers (they quote stereotypes and can be offensive)",
    )
    return Section(
        anchor="answers",
        title="Some answers as they came",
        lead="For every run, model and outcome up to three answers, taken at even distances through the run: nobody "
        "picked them. Each row says what the model was asked and what it answered.",
        skip="Skip the answers",
        tables=(table,),
        closing="Every answer, with all turns of its conversation, is in records.parquet of its run folder.",
    )


def _records(runs: Sequence[Run]) -> pl.LazyFrame:
    """The records of all runs, `run` being the place of theirs; versions of a model are models of their own."""
    tables = [
        pl.scan_parquet(run.folder / "records.parquet").with_columns(run=pl.lit(place))
        for place, run in enumerate(runs)
    ]
    empty = pl.LazyFrame(schema=dict.fromkeys((*SHOWN, "outcome"), pl.String) | {"run": pl.Int32})
    return versions_apart(pl.concat([empty, *tables], how="diagonal_relaxed"), within=("run",))


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
