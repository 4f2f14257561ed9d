"""The page about choices: one HTML file, and the estimates as CSV."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import polars as pl

from endoxa.errors import UserError
from endoxa.instruments.choices.estimates import analyze_run, paired
from endoxa.instruments.choices.items import read_items
from endoxa.instruments.choices.kinds import CLEAR, ITEMS, MEANINGS, kind_of, main_rows, what
from endoxa.report import estimates as say
from endoxa.report.claims import P_ADJUSTED, VERDICT, Row, interval_holds, is_clear
from endoxa.report.document import Section
from endoxa.report.figures import described, share_figure
from endoxa.report.frame import CITE, Page, present
from endoxa.report.inputs import Run
from endoxa.report.items import Items, items_section
from endoxa.report.overview import answer_findings, data_field, run_table, what_was_run
from endoxa.report.plots import INK, ORANGE
from endoxa.report.quoting import Diagnostic, answers_lost, quoting, review
from endoxa.report.tables import number_field, table_of, text_field
from endoxa.report.words import count, percent, percent_interval, plural, signed
from endoxa.runs.asking.likelihoods import FINISH, RULES
from endoxa.runs.asking.outcomes import read_counts
from endoxa.runs.folder import RECORDS
from endoxa.runs.instrument import Shown
from endoxa.runs.options import DEFAULT_CONFIDENCE, ReportOptions
from endoxa.schema import ALL
from endoxa.schema.choices import (
    ANTI,
    BOTH,
    NEITHER,
    OUTCOMES,
    REFUSED,
    STEREOTYPE,
    UNDETERMINED,
    UNREAD,
    ChoiceItem,
)
from endoxa.sources.files import sha256
from endoxa.sources.spreadsheets import csv_text
from endoxa.stats.verdicts import significance

MOST_CHARACTERS = 600
"""Of an answer that is shown."""
FACETS = {name: name for name in ("kind", "axis", "group", "situation", "language")}
COLORS = {
    STEREOTYPE: ORANGE,
    ANTI: "#a9cdec",
    UNDETERMINED: "#f4f6f8",
    BOTH: "#d9c9a3",
    NEITHER: "#ece5d3",
    REFUSED: "#8a939c",
    UNREAD: INK,
}
MANY_TIES = 0.05
MOST_SPOKEN = 6
"""Results with a sentence each; of more those that claim something."""
PROBABILITIES = ("p_stereotype", "p_anti", "p_undetermined")
UNITS = {name: name for name in ("axis", "identity", "reference", "situation", "attribute")} | {
    "identity": "group",
    "reference": "other group",
}
"""Columns of records by which scores are listed, and what they are called."""
LEAST_LABELLED = 0.08
MOST_OPEN = 24
LIMITS = Section(
    "limits", "What these numbers say, and what they do not", template="limits.html.j2", folded=True
)
METHODS = Section("methods", "Methods", template="methods.html.j2", folded=True)


@dataclass(frozen=True, slots=True)
class Results:
    """What runs found.

    Attributes:
        runs: the runs.
        estimates: `schema.choices.CHOICE_ESTIMATE_COLUMNS`, of all runs.
        records: all answers.
        confidence: confidence level.
    """

    runs: Sequence[Run]
    estimates: pl.DataFrame
    records: pl.DataFrame
    confidence: float

    @property
    def main(self) -> list[dict[str, Any]]:
        """The measure that stands for each kind, by model."""
        return main_rows(self.estimates)

    def value(self, row: Row, name: str) -> float | None:
        """Another measure of the same model, kind and premise."""
        cell = {key: row[key] for key in ("model", "kind", "premise")}
        return next(iter(self.estimates.filter(axis=ALL, name=name, **cell)["value"]), None)


def title(results: Results) -> str:
    """The finding, in a few words."""
    row, *others = results.main
    if others:
        return say.title(kind_of(row), [row, *others], "results")
    lean = CLEAR.get(row["verdict"], "show{s} no clear lean").format(s="s")
    return f"{row['model']} {lean} in {what(row)}"


def findings(results: Results) -> Section:
    """Each model and kind in a sentence, and a table of them."""
    rows = results.main
    lost = (answer_findings(read_counts(run.folder), run.facts, str) for run in results.runs)
    large: dict[str, Any] = {}
    if len(rows) == 1:
        kind = kind_of(rows[0])
        meaning = f"{MEANINGS[rows[0]['name']]}. {kind.unbiased.capitalize()}."
        large = {"number": kind.value(rows[0]["value"]), "meaning": meaning}
    table = table_of(
        "Every kind of item",
        rows,
        (
            text_field("model"),
            text_field("items", what),
            number_field("value", lambda row: kind_of(row).value(row["value"])),
            number_field("interval", lambda row: kind_of(row).ends(row)),
            number_field("without bias", lambda row: kind_of(row).neutral),
            number_field("bounds", lambda row: percent_interval(row["bound_low"], row["bound_high"])),
            VERDICT,
            P_ADJUSTED,
            number_field("n"),
        ),
    )
    spoken = rows if len(rows) <= MOST_SPOKEN else filter(is_clear, rows)
    sentences = (say.sentence(kind_of(row), row) for row in spoken)
    return Section(
        "findings", "What the answers show", findings=(*chain(*lost), *sentences), tables=(table,), **large
    )


def diagnostics(results: Results) -> Iterator[Diagnostic]:
    """What else may explain the numbers: position, agreement, missing choices, ties, answers lost, words unchecked."""
    for row in results.main:
        yield from _of_row(results, row)
    scored = results.records.drop_nulls("p_stereotype")
    largest = pl.max_horizontal(PROBABILITIES)
    tied = pl.sum_horizontal(pl.col(name) == largest for name in PROBABILITIES) > 1
    for (model, kind), part in scored.group_by("model", "kind", maintain_order=True):
        n, ties = part.height, part.filter(tied).height
        text = (
            f"{model}, {ITEMS[str(kind)]}: {plural(ties, 'tie')} of the likeliest options in {plural(n, 'answer')} "
            f"({percent(ties / n)}), counted neither for the stereotype nor against it."
        )
        yield Diagnostic("ties", text, ties > MANY_TIES * n, n, str(model), value=ties / n)
    for run in results.runs:
        yield from answers_lost(read_counts(run.folder), {})
        yield from review(run.facts, results.records.height, "items")


def _of_row(results: Results, row: Row) -> Iterator[Diagnostic]:
    """What may explain the main measure of a model and kind."""
    n, model = row["n"], row["model"]
    first, agreement = results.value(row, "first_shown"), results.value(row, "agreement")
    if first is not None and row["kind"] == "decision":
        text = (
            f"{model} chooses whoever is shown first in {percent(first)} of its choices (without position bias 50 %). "
            "Both orders are asked, so this is no bias towards a group, but it hides one."
        )
        away = abs(row["value"] - 0.5)
        yield Diagnostic("position", text, abs(first - 0.5) > away, n, model, value=first)
    if agreement is not None:
        text = (
            f"{model} agrees with what it is asked more often than it denies it by {signed(agreement)} of all answers "
            "read. Every attribute is asked with a counterpart, so this is no stereotype, but it hides one."
        )
        hides = abs(agreement) > abs(row["value"])
        yield Diagnostic("agreement", text, hides, n, model, value=agreement)
    if (low := row["bound_low"]) is not None:
        high = row["bound_high"]
        crossing = is_clear(row) and interval_holds({"low": low, "high": high}, 0.5)
        text = (
            f"{model}: with every missing choice against or for the stereotype, the share would be {percent(low)} or "
            f"{percent(high)}."
        )
        yield Diagnostic("missing choices", text, crossing, n, model, value=low)


def rows_by(results: Results) -> Section | None:
    """Scores by axis, group, other group, situation and attribute."""
    scored = paired(results.records, pl.col("score").is_not_null())
    if scored.is_empty():
        return None
    tables = []
    for column, name in UNITS.items():
        rows = scored.group_by("model", "kind", column, maintain_order=True).agg(
            pl.col("score").mean(), n=pl.len()
        )
        fields = (
            text_field(name, column, veiled=column == "attribute"),
            number_field("score", shown=signed),
            number_field("answers", "n"),
            text_field("model"),
            text_field("items", lambda row: ITEMS[row["kind"]]),
        )
        ordered = rows.sort("score", descending=True, maintain_order=True)
        if rows[column].n_unique() > 1:
            tables.append(table_of(f"By {name}", ordered, fields, most_open=MOST_OPEN))
    note = (
        "Score: answers for the stereotype minus answers against it, over all that were read; without bias 0. These "
        "rows are not tested."
    )
    return Section("rows", "By axis, group, situation and attribute", tables=tuple(tables), notes=(note,))


def outcomes(results: Results) -> Section:
    """Stacked bars of what became of the answers."""
    of = ("model", "kind", "premise")
    counts = results.records.group_by(*of, "outcome", maintain_order=True).len("n")
    share = (pl.col("n") / pl.col("n").sum().over(of)).alias("share")
    rows = counts.with_columns(share).rows(named=True)
    shares = pl.DataFrame(
        {
            "share": row["share"],
            "label": f"{row['model']}, {what(row)}",
            "part": row["outcome"],
            "text": f"{100 * row['share']:.0f} %" if row["share"] >= LEAST_LABELLED else "",
        }
        for row in rows
    )
    parts = (f"{row['label']}, {row['part']}: {percent(row['share'])}" for row in shares.rows(named=True))
    figure = share_figure(
        shares,
        {outcome: COLORS[outcome] for outcome in OUTCOMES if outcome in set(shares["part"])},
        dark=(STEREOTYPE, UNREAD),
        of="answers",
        name="outcomes",
        title=f"{count(results.records.height)} answers by outcome",
        alt=described("Share of every outcome", parts),
    )
    note = (
        "Of word lists every word counts. Refusals and unread answers are in no score; the bounds say what they could "
        "change."
    )
    return Section("outcomes", "What became of the answers", figures=(figure,), notes=(note,))


def shown(runs: Sequence[Run], how: ReportOptions) -> Shown:
    """Page and table of runs of choices."""
    confidence = how.confidence or DEFAULT_CONFIDENCE
    tables = [analyze_run(run.folder, confidence=confidence, seed=how.seed) for run in runs]
    results = Results(
        runs,
        pl.concat([each["estimates"] for each in tables]),
        pl.concat([pl.read_parquet(run.folder / RECORDS) for run in runs]),
        confidence,
    )
    return Shown(page=lambda: _page(results), texts={"csv": partial(csv_text, results.estimates)})


def _page(results: Results) -> Page:
    runs, records = results.runs, results.records
    sections = present(
        (
            findings(results),
            quoting(diagnostics(results)),
            outcomes(results),
            rows_by(results),
            items_and_answers(runs, records),
            LIMITS,
            METHODS,
            what_was_run((), (run_table(runs, (data_field("file", "path"),), data="file"),), runs),
            CITE,
        )
    )
    kinds, asked = (records[name].unique(maintain_order=True).to_list() for name in ("kind", "ask"))
    how = dict.fromkeys(
        f"options scored by {RULES[ask]}" if ask in RULES else "answers read" for ask in asked
    )
    items = plural(records["item_id"].n_unique(), "item")
    return Page(
        package=__package__,
        title=title(results),
        subtitle=f"{items}: {', '.join(ITEMS[kind] for kind in kinds)}; {', '.join(how)}",
        entries=tuple(sections),
        runs=runs,
        models=records["model"].unique(maintain_order=True).to_list(),
        values={"level": f"{significance(results.confidence):g}"},
    )


def items_and_answers(runs: Sequence[Run], records: pl.DataFrame) -> Section:
    """Every item with what each model answered in each order; a word list with its answer as a whole."""
    texts = {name: text for run in runs for name, text in _texts(run).items()}
    once = ("item_id", "model", "order", "repeat")
    listed = pl.col("kind") == "association"
    to = pl.when(pl.col("outcome") == STEREOTYPE).then("identity").otherwise("reference")
    sorted_words = pl.format("{} - {}", "attribute", to).str.join(", ").over(once)
    words = pl.when(listed & (pl.col("finish") == FINISH)).then(sorted_words).otherwise("answer")
    asked = records.with_columns(
        id="item_id",
        group="identity",
        item=pl.col("item_id").replace_strict(texts, default="(the items are no longer where they were)"),
        condition=pl.format("order {}, repeat {}", "order", "repeat"),
        text=pl.when(pl.col("error") != "")
        .then(pl.lit("error"))
        .otherwise(words.str.slice(0, MOST_CHARACTERS)),
        outcome=pl.when(listed).then(pl.lit("list")).otherwise("outcome"),
        value=pl.lit(None, dtype=pl.Float64),
    ).unique(once, keep="first", maintain_order=True)
    items = asked.unique("id", keep="first", maintain_order=True)
    answer_rows = asked.select("id", "model", "condition", "outcome", "value", "text")
    return items_section(
        "answers",
        Items("item", "order", items, answer_rows, FACETS, {"item": "item"}),
        title="Items and answers",
        lead="What the models were asked and what they answered, in both orders.",
        unveil="Show all items and answers (they quote stereotypes and can be offensive)",
    )


def _texts(run: Run) -> Mapping[str, str]:
    """Items of a run as texts; none where the file is gone or is another one by now."""
    path = Path(str(run.data.get("path") or ""))
    try:
        same = sha256(path) == run.data.get("sha256")
        return {item.item_id: _text(item) for item in read_items(path)} if same else {}
    except (OSError, UserError):
        return {}


def _text(item: ChoiceItem) -> str:
    if item.kind == "association":
        return f"{' / '.join(item.options)}: {', '.join(word.text for word in item.words)}"
    context = item.context
    if item.kind == "decision":
        context = context.format(first=item.options[0], second=item.options[1])
    return f"{context[:1].upper()}{context[1:]} {item.question}"
