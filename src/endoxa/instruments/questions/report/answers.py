"""What became of the answers: five outcomes, kept apart, and the answers themselves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import polars as pl

from endoxa.instruments.questions.items.of_run import items_of_run, options_shown
from endoxa.instruments.questions.report.results import SPOKEN_CONDITIONS, QaResults
from endoxa.report.document import Figure, Section
from endoxa.report.figures import described, share_figure
from endoxa.report.inputs import Run
from endoxa.report.items import Items, items_section
from endoxa.report.labels import ModelName, without_directions
from endoxa.report.plots import INK, ORANGE
from endoxa.report.words import percent
from endoxa.runs.folder import RECORDS
from endoxa.schema import NOT_KNOWN, OUTCOMES, SHOWN_OUTCOMES
from endoxa.schema.finish import LENGTH
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
    """Stacked bars for ambiguous and disambiguated contexts; `counts.csv` has the numbers."""
    notes = [
        "Stereotyped: the answer names the person the stereotype is about (for a question that asks for the "
        "opposite, the other one). Anti-stereotyped: the other person. Unknown: the option that it cannot be known. "
        "Refused: the model declined to answer. Unparsed: no option could be read. The last two are in no score; the "
        "published tables give bounds for the scores had they been read. Numbers are in counts.csv of each run folder."
    ]
    if NOT_KNOWN in set(results.outcomes["outcome"]):
        notes.append(f"“{NOT_KNOWN}”: the file does not say which of the two the stereotype is about.")
    return Section(
        anchor="outcomes",
        title="What became of the answers",
        figures=tuple(_figures(results)),
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
        bars = (
            f"{bar}: "
            + ", ".join(
                f"{part} {percent(share)}" for part, share in rows.select("part", "share").iter_rows()
            )
            for (bar,), rows in shares.group_by(["label"], maintain_order=True)
        )
        yield share_figure(
            shares,
            {outcome: COLORS[outcome] for outcome in SHOWN_OUTCOMES if outcome in present},
            dark=(STEREOTYPED, UNPARSED),
            of="answers",
            name=f"outcomes-{spoken}",
            title=f"{spoken.capitalize()} contexts",
            alt=described(f"Share of every outcome in {spoken} contexts", bars),
        )


MOST_CHARACTERS = 600
"""Longer answers are cut."""

FACETS = {
    "data": "data set",
    "category": "category",
    "contexts": "contexts",
    "polarity": "question",
    "group": "group",
    "language": "language",
}
POLARITIES = {"neg": "asks for the stereotype", "nonneg": "asks for the opposite"}
SHOWN = (
    *("item_id", "category", "question_polarity", "context_condition", "language", "identity", "model"),
    *("protocol", "repeat", "order", "answer", "error", "finish", "outcome"),
)


def answers(runs: Sequence[Run], names: Mapping[str, ModelName]) -> Section | None:
    """Every question with what each model answered, to be read side by side."""
    records = _records(runs)
    if records.is_empty():
        return None
    asked = pl.concat(
        [_with_texts(run, records.filter(run=place), several=len(runs) > 1) for place, run in enumerate(runs)]
    )
    repeat = pl.col("repeat").fill_null(1)
    again = pl.when(repeat > 1).then(pl.format(", repeat {}", repeat)).otherwise(pl.lit(""))
    cut_off = pl.when(pl.col("finish") == LENGTH).then(pl.lit(", cut off")).otherwise(pl.lit(""))
    labels = {model: name.label for model, name in names.items()}
    given = asked.select(
        "id",
        "text",
        pl.col("model").replace_strict(labels, return_dtype=pl.String),
        condition=pl.concat_str("protocol", again),
        outcome=pl.concat_str(pl.col("outcome").replace("", NOT_KNOWN).fill_null(NOT_KNOWN), cut_off),
        value=pl.lit(None, dtype=pl.Float64),
    ).unique(["id", "model", "condition"], keep="first", maintain_order=True)
    questions = asked.unique("id", keep="first", maintain_order=True)
    return items_section(
        "answers",
        Items("question", "protocol", questions, given, FACETS, {"question": "question"}),
        title="Questions and answers",
        lead="What the models were asked and what they answered, below it the options in the order they saw.",
        unveil="Show all questions and answers (they quote stereotypes and can be offensive)",
        closing="Every answer, with all turns of its conversation, is in records.parquet of its run folder.",
    )


def _records(runs: Sequence[Run]) -> pl.DataFrame:
    """The records of all runs, `run` being the place of theirs; versions of a model are models of their own."""
    tables = [
        pl.scan_parquet(run.folder / RECORDS).with_columns(run=pl.lit(place))
        for place, run in enumerate(runs)
    ]
    empty = pl.LazyFrame(schema=dict.fromkeys(SHOWN, pl.String) | {"repeat": pl.Int64, "run": pl.Int32})
    records = versions_apart(pl.concat([empty, *tables], how="diagonal_relaxed"), within=("run",))
    return records.select("run", *SHOWN).collect()


def _with_texts(run: Run, records: pl.DataFrame, *, several: bool) -> pl.DataFrame:
    """The records of a run with questions and answers as texts, or why these are not known; ids say whose they are."""
    items, why = items_of_run(run, set(records["item_id"]))
    questions, texts = [], []
    for name, order, *said in records.select("item_id", "order", "answer", "error").iter_rows():
        item, text = items.get(name), next(filter(None, said), "(nothing)")
        if len(text) > MOST_CHARACTERS:
            text = f"{text[:MOST_CHARACTERS].rstrip()} […]"
        questions.append(f"{item.context} {item.question}" if item else f"({why})")
        texts.append(f"{text}\n{options_shown(item, order)}" if item else text)
    data = without_directions(str(run.data.get("label") or run.folder.name))
    return records.with_columns(
        id=pl.format("{} {}", pl.lit(data), "item_id") if several else "item_id",
        data=pl.lit(data),
        contexts=pl.col("context_condition").replace(SPOKEN_CONDITIONS),
        polarity=pl.col("question_polarity").replace(POLARITIES),
        group="identity",
        question=pl.Series(questions, dtype=pl.String),
        text=pl.Series(texts, dtype=pl.String),
    )
