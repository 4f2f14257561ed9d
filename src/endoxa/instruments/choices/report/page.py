"""The page about choices: one HTML file, and the estimates as CSV."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import polars as pl

from endoxa.instruments.choices.estimates import (
    SCHEMAS,
    analyze_run,
    group_score,
    paired,
    read_records,
)
from endoxa.instruments.choices.kinds import CLEAR, ITEMS, MEANINGS, kind_of, main_rows, what
from endoxa.instruments.choices.report.answers import answers
from endoxa.report import estimates as say
from endoxa.report.claims import P_ADJUSTED, VERDICT, Row, interval_holds, is_clear
from endoxa.report.document import Figure, Section
from endoxa.report.figures import described, share_figure
from endoxa.report.frame import CITE, Page, filled
from endoxa.report.inputs import Run
from endoxa.report.outcomes import answer_findings
from endoxa.report.overview import data_field, run_table, what_was_run
from endoxa.report.plots import INK, ORANGE
from endoxa.report.quoting import Diagnostic, answers_lost, quoting, review
from endoxa.report.tables import Table, number_field, table_of, text_field
from endoxa.report.words import NO_VALUE, count, percent, plural, signed
from endoxa.runs.asking.likelihoods import OTHER_RULE, RULES, likeliest
from endoxa.runs.asking.outcomes import read_counts
from endoxa.runs.folder import RECORDS
from endoxa.runs.instrument import Shown
from endoxa.runs.options import DEFAULT_CONFIDENCE, ReportOptions
from endoxa.schema import ALL
from endoxa.schema.choices import ANTI, BOTH, NEITHER, OUTCOMES, REFUSED, STEREOTYPE, UNDETERMINED, UNREAD
from endoxa.sources.spreadsheets import csv_text
from endoxa.stats.verdicts import significance

ASKED = {
    **{ask: f"options scored by {rule}" for ask, rule in RULES.items()},
    "nli": "labelled by an NLI model",
}
"""How models were asked, where no answer was generated and read."""
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
        associations: `schema.choices.CHOICE_ASSOCIATION_COLUMNS`.
        records: all answers.
        confidence: confidence level.
    """

    runs: Sequence[Run]
    estimates: pl.DataFrame
    associations: pl.DataFrame
    records: pl.DataFrame
    confidence: float

    @property
    def main(self) -> list[Row]:
        """The measure that stands for each kind, by model."""
        return list(main_rows(self.estimates).rows(named=True))

    def value(self, row: Row, name: str) -> float | None:
        """Another measure of the same model, kind and premise."""
        same = self.estimates.filter(
            pl.col("axis") == ALL, **{cell: row[cell] for cell in ("model", "kind", "premise")}
        ).filter(name=name)
        return None if same.is_empty() else same["value"][0]


def title(results: Results) -> str:
    """The finding, in a few words."""
    rows = results.main
    if len(rows) > 1:
        return say.title(kind_of(rows[0]), rows, "results")
    (row,) = rows
    lean = CLEAR.get(row["verdict"], "show{s} no clear lean").format(s="s")
    return f"{row['model']} {lean} in {what(row)}"


def findings(results: Results) -> Section:
    """Each model and kind in a sentence, and a table of them."""
    rows = results.main
    lost = [
        finding
        for run in results.runs
        for finding in answer_findings(read_counts(run.folder), run.facts, str)
    ]
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
            number_field("bounds", _bounds),
            VERDICT,
            P_ADJUSTED,
            number_field("n"),
        ),
    )
    spoken = rows if len(rows) <= MOST_SPOKEN else [row for row in rows if is_clear(row)]
    return Section(
        "findings",
        "What the answers show",
        findings=(*lost, *(say.sentence(kind_of(row), row) for row in spoken)),
        tables=(table,),
        **large,
    )


def _bounds(row: Row) -> str:
    return (
        NO_VALUE
        if row["bound_low"] is None
        else f"{percent(row['bound_low'])} to {percent(row['bound_high'])}"
    )


def diagnostics(results: Results) -> Iterator[Diagnostic]:
    """What else may explain the numbers: position, missing choices, ties, answers lost, words nobody checked."""
    for row in results.main:
        first = results.value(row, "first_shown")
        if first is not None and row["kind"] == "decision":
            text = (
                f"{row['model']} chooses whoever is shown first in {percent(first)} of its choices (without "
                "position bias 50 %). Both orders are asked, so this is no bias towards a group, but it hides one."
            )
            away = abs(row["value"] - 0.5)
            yield Diagnostic("position", text, abs(first - 0.5) > away, row["n"], row["model"], value=first)
        agreement = results.value(row, "agreement")
        if agreement is not None:
            text = (
                f"{row['model']} agrees with what it is asked more often than it denies it by {signed(agreement)} of "
                "all answers read. Every attribute is asked with a counterpart, so this is no stereotype, but it "
                "hides one."
            )
            hides = abs(agreement) > abs(row["value"])
            yield Diagnostic("agreement", text, hides, row["n"], row["model"], value=agreement)
        if row["bound_low"] is not None:
            bounds = {"low": row["bound_low"], "high": row["bound_high"]}
            crossing = is_clear(row) and interval_holds(bounds, 0.5)
            text = (
                f"{row['model']}: with every missing choice against or for the stereotype, the share would be "
                f"{percent(row['bound_low'])} or {percent(row['bound_high'])}."
            )
            yield Diagnostic(
                "missing choices", text, crossing, row["n"], row["model"], value=row["bound_low"]
            )
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
    yield from _other_rule(results.records)
    for run in results.runs:
        yield from answers_lost(read_counts(run.folder), {})
        yield from review(run.facts, results.records.height, "items")


def _other_rule(records: pl.DataFrame) -> Iterator[Diagnostic]:
    """What scored answers would be by the other rule, where they differ."""
    scored = records.filter(pl.col("ask").is_in([*OTHER_RULE]), pl.col("kind") != "association")
    for (model, kind, ask), part in scored.group_by("model", "kind", "ask", maintain_order=True):
        rule = OTHER_RULE[str(ask)]
        here, there = (_scores(part["answer"], each) for each in (str(ask), rule))
        if changed := int((here != there).sum()):
            text = (
                f"{model}, {ITEMS[str(kind)]}: options are compared by {RULES[str(ask)]}. By {RULES[rule]}, "
                f"{count(changed)} of {plural(part.height, 'answer')} would be others, and the mean score "
                f"{signed(_towards(part, there))}, not {signed(_towards(part, here))}."
            )
            yield Diagnostic("rule of comparison", text, True, part.height, str(model), value=changed)


def _scores(answers: pl.Series, rule: str) -> pl.Series:
    """1 where the first option is the likeliest, -1 where the second one is, else 0."""
    options = answers.map_elements(lambda answer: likeliest(answer, rule), pl.Int64)
    return options.eq_missing(0).cast(pl.Int64) - options.eq_missing(1).cast(pl.Int64)


def _towards(part: pl.DataFrame, scores: pl.Series) -> float:
    """The mean score towards the stereotype; who agrees with a counterpart speaks against it."""
    return float(part.with_columns(score=scores).select(group_score().mean()).item())


def rows_by(results: Results) -> Section | None:
    """Scores by axis, group, other group, situation and attribute."""
    scored = paired(results.records, pl.col("score").is_not_null())
    if scored.is_empty():
        return None
    tables = list(_likings(scored.filter(kind="decision")))
    columns = ("axis", "identity", "reference", "situation", "attribute")
    for column in columns:
        if scored[column].n_unique() < 2:
            continue
        rows = (
            scored.group_by("model", "kind", column, maintain_order=True)
            .agg(
                value=pl.col("score").mean(),
                n=pl.len(),
                favour=(pl.col("outcome") == STEREOTYPE).sum(),
                against=(pl.col("outcome") == ANTI).sum(),
            )
            .sort("value", descending=True, maintain_order=True)
        )
        names = {"identity": "group", "reference": "other group"}
        tables.append(
            table_of(
                f"By {names.get(column, column)}",
                rows.rename({column: "unit"}),
                (
                    text_field(names.get(column, column), "unit", veiled=column == "attribute"),
                    number_field("score", "value", signed),
                    number_field("for the stereotype", "favour"),
                    number_field("against", "against"),
                    number_field("answers", "n"),
                    text_field("model") if scored["model"].n_unique() > 1 else None,
                    text_field("items", lambda row: ITEMS[row["kind"]])
                    if scored["kind"].n_unique() > 1
                    else None,
                ),
                folded=rows.height > MOST_OPEN or column == "attribute",
            )
        )
    return Section(
        "rows",
        "By axis, group, situation and attribute",
        tables=tuple(tables),
        notes=(
            "Score: answers for the stereotype minus answers against it, over all that were read; without bias "
            "0. These rows are not tested.",
        ),
    )


def _likings(decisions: pl.DataFrame) -> Iterator[Table]:
    """How often each model names the first of two groups, whether the attribute or its counterpart is asked about."""
    if decisions.is_empty():
        return
    rows = decisions.group_by("model", "identity", "reference", maintain_order=True).agg(
        value=(group_score().mean() + 1) / 2, n=pl.len()
    )
    yield table_of(
        "By pair of names: how often the first is named, whatever is asked about (without a liking 50 %)",
        rows.sort("value", descending=True, maintain_order=True),
        (
            text_field("group", "identity"),
            text_field("other group", "reference"),
            number_field("group named", "value", percent),
            number_field("answers", "n"),
            text_field("model") if rows["model"].n_unique() > 1 else None,
        ),
        folded=rows.height > MOST_OPEN,
    )


def outcomes(results: Results) -> Section:
    """Stacked bars of what became of the answers."""
    counts = results.records.group_by("model", "kind", "premise", "outcome", maintain_order=True).len("n")
    counts = counts.with_columns(share=pl.col("n") / pl.col("n").sum().over("model", "kind", "premise"))
    label = pl.concat_str(
        pl.col("model"),
        pl.lit(", "),
        pl.col("kind").replace_strict(ITEMS, return_dtype=pl.String),
        pl.when(pl.col("premise") == "").then(pl.lit("")).otherwise(pl.format(" ({})", "premise")),
    )
    percentage = pl.format("{} %", (100 * pl.col("share")).round(0).cast(pl.Int64))
    shares = counts.select(
        "share",
        label=label,
        part="outcome",
        text=pl.when(pl.col("share") >= LEAST_LABELLED).then(percentage).otherwise(pl.lit("")),
    )
    present = [outcome for outcome in OUTCOMES if outcome in set(shares["part"])]
    bars = (
        f"{bar}: "
        + ", ".join(f"{part} {percent(share)}" for part, share in rows.select("part", "share").iter_rows())
        for (bar,), rows in shares.group_by(["label"], maintain_order=True)
    )
    figure: Figure = share_figure(
        shares,
        {outcome: COLORS[outcome] for outcome in present},
        dark=(STEREOTYPE, UNREAD),
        of="answers",
        name="outcomes",
        title="Answers by outcome",
        alt=described("Share of every outcome", bars),
    )
    table = table_of(
        f"Outcomes, counted ({count(results.records.height)})",
        counts.rows(named=True),
        (
            text_field("model"),
            text_field("items", what),
            text_field("outcome"),
            number_field("n"),
            number_field("share", shown=percent),
        ),
        folded=True,
    )
    return Section(
        "outcomes",
        "What became of the answers",
        figures=(figure,),
        tables=(table,),
        notes=(
            "Of word lists every word counts. Refusals and unread answers are in no score; the bounds say what "
            "they could change.",
        ),
    )


def overview(results: Results) -> Section:
    """What was run."""
    runs = run_table(results.runs, (data_field("file", "path"),), data="file")
    return what_was_run((), (runs,), results.runs)


def shown(runs: Sequence[Run], how: ReportOptions) -> Shown:
    """Page and table of runs of choices."""
    confidence = how.confidence or DEFAULT_CONFIDENCE
    tables = [analyze_run(run.folder, confidence=confidence, seed=how.seed) for run in runs]
    results = Results(
        runs,
        pl.concat([each["estimates"] for each in tables]),
        pl.concat([each["associations"] for each in tables]),
        pl.concat([read_records(run.folder / RECORDS) for run in runs], how="diagonal"),
        confidence,
    )
    return Shown(
        page=lambda: _page(results),
        texts={"csv": partial(csv_text, results.estimates.select(list(SCHEMAS["estimates"])))},
    )


def _page(results: Results) -> Page:
    builders = (
        findings,
        lambda every: quoting(diagnostics(every)),
        outcomes,
        rows_by,
        lambda every: answers(every.runs, every.records),
    )
    sections = filled(builders, results)
    kinds = results.records["kind"].unique(maintain_order=True).to_list()
    asked = results.records["ask"].unique(maintain_order=True).to_list()
    how = ", ".join(dict.fromkeys(ASKED.get(ask, "answers read") for ask in asked))
    items = plural(results.records["item_id"].n_unique(), "item")
    return Page(
        package=__package__,
        title=title(results),
        subtitle=f"{items}: {', '.join(ITEMS[kind] for kind in kinds)}; {how}",
        entries=(*sections, LIMITS, METHODS, overview(results), CITE),
        runs=results.runs,
        models=results.records["model"].unique(maintain_order=True).to_list(),
        values={"level": f"{significance(results.confidence):g}"},
    )
