"""Runs of questions in, analysed: what every part of their report is made from, and how estimates are spoken of."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from endoxa.instruments.questions.estimates.measures import CELL
from endoxa.instruments.questions.headline import GUESSING, leans_of, over_categories, units_of
from endoxa.instruments.questions.thoughts.estimates import THOUGHT_TYPES
from endoxa.report import estimates as say
from endoxa.report import inputs
from endoxa.report.claims import Row, decimal_ends
from endoxa.report.document import Figure
from endoxa.report.estimates import Kind
from endoxa.report.figures import Measure
from endoxa.report.inputs import Run
from endoxa.report.labels import DIRECTIONS, ModelName, name_models, read_labels
from endoxa.report.tables import Field, text_field
from endoxa.report.words import NO_VALUE, count, decimal, listed, percent, percent_interval, plural
from endoxa.schema import PROTOCOLS, SHOWN_OUTCOMES
from endoxa.stats.verdicts import ABOVE, BELOW, TOO_SMALL, UNCLEAR, UNTESTED

if TYPE_CHECKING:
    from endoxa.instruments.questions.estimates import QaAnalysis


AMBIGUOUS, DISAMBIGUATED = CONDITIONS = ("ambig", "disambig")
SPOKEN_CONDITIONS = {AMBIGUOUS: "ambiguous", DISAMBIGUATED: "disambiguated"}
CONTEXTS = {condition: f"In {spoken} contexts" for condition, spoken in SPOKEN_CONDITIONS.items()}
"""How a sentence about one kind of context begins."""
BASELINE = PROTOCOLS[0]
MOST_NAMED = 6
"""Places that a note names; more are counted."""
_SHOWN = ("data", "category", "identity", "original", "substituted")


@dataclass(frozen=True, slots=True)
class QaResults:
    """Everything that the answers of some runs say.

    All frames are in the order of `names`, protocols and `data`, and have two more columns: `label`, the model's, and
    `line`, the same with the protocol behind it where that is not the baseline.

    Attributes:
        estimates: columns of `schema.QA_ESTIMATE_COLUMNS` and `schema.QA_COUNT_COLUMNS`.
        leans: see `headline.leans_of`.
        retention: columns of `schema.QA_COMPARISON_COLUMNS`.
        debias: columns of `schema.DEBIAS_COLUMNS`.
        differences: columns of `schema.QA_COMPARISON_COLUMNS`.
        outcomes: see `outcome_shares`.
        identities: columns of `schema.QA_IDENTITY_COLUMNS`.
        names: name of every model, in the order shown.
        data: labels of the data sets, those with the groups before those with names.
        confidence: confidence level of all intervals.
        thoughts: columns of `schema.thoughts.THOUGHT_COLUMNS`; no rows where no run has thoughts.
    """

    estimates: pl.DataFrame
    leans: pl.DataFrame
    retention: pl.DataFrame
    debias: pl.DataFrame
    differences: pl.DataFrame
    outcomes: pl.DataFrame
    identities: pl.DataFrame
    names: Mapping[str, ModelName]
    data: tuple[str, ...]
    confidence: float
    thoughts: pl.DataFrame = field(default_factory=lambda: pl.DataFrame(schema=THOUGHT_TYPES))

    @property
    def level(self) -> str:
        """The confidence level as '95 %'."""
        return f"{100 * self.confidence:g}\u00a0%"

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """(data set with the groups, the same with names), as the analysis paired them."""
        return list(self.retention.select("original", "substituted").unique(maintain_order=True).iter_rows())

    @property
    def overall(self) -> pl.DataFrame:
        """The leans over all categories of each data set."""
        return over_categories(self.leans)

    @property
    def lines(self) -> list[str]:
        """Every `line` of the estimates."""
        return self.estimates["line"].unique(maintain_order=True).to_list()

    def measure(self, name: str) -> pl.DataFrame:
        """The estimates of one measure over all categories of each data set."""
        return over_categories(self.estimates).filter(name=name)

    def label(self, model: str) -> str:
        """The model as readers see it."""
        return self.names[model].label if model in self.names else model

    def main(self, frame: pl.DataFrame) -> pl.DataFrame:
        """The rows of one protocol for each model: the baseline, or the first it was asked under."""
        protocols = self.estimates.group_by("model", maintain_order=True).agg(pl.col("protocol").first())
        return frame.join(protocols, on=["model", "protocol"], how="semi", maintain_order="left")


def read_results(
    runs: Sequence[Run], *, confidence: float, seed: int, labels: Path | None = None
) -> QaResults:
    """The analysis of one run as its folder holds it, or of the answers of several runs together.

    Args:
        runs: finished runs of questions.
        confidence: confidence level of all intervals.
        seed: seed of the bootstrap.
        labels: table of labels, see `page.labels.read_labels`.

    Raises:
        UserError: records cannot be read or analysed together, or the labels cannot be used.
    """
    from endoxa.instruments.questions.estimates import analyze_qa, analyze_run, load_answers

    user_labels = {} if labels is None else read_labels(labels)
    folders = [run.folder for run in runs]
    if len(runs) == 1:
        analysis = analyze_run(folders[0], confidence=confidence, seed=seed)
        answers = load_answers(folders, ("model",), checked=False)  # the estimates checked them
    else:
        answers = load_answers(folders, ("identity", "attribute", "identity_key"))
        analysis = analyze_qa(answers, confidence=confidence, seed=seed)
    return results_of(answers, analysis, user_labels, inputs.simulated_models(runs), confidence)


def results_of(
    answers: pl.DataFrame,
    analysis: QaAnalysis,
    user_labels: Mapping[str, ModelName],
    simulated: Collection[str],
    confidence: float,
) -> QaResults:
    """The results, named and in order.

    Args:
        answers: `data` and `model` of all of them.
        analysis: what `analyze_qa` found in them.
        user_labels: names that the user gave.
        simulated: models that their run calls simulated.
        confidence: confidence level of the intervals.
    """
    names = name_models(answers["model"].unique(maintain_order=True).to_list(), user_labels, simulated)
    substituted = set(_single_direction(analysis.retention)["substituted"])
    labels = _single_direction(answers.select("data").unique(maintain_order=True))["data"].unique(
        maintain_order=True
    )
    data = sorted(labels, key=lambda label: label in substituted)
    short = {model: name.label for model, name in names.items()}
    orders = {"model": list(names), "protocol": PROTOCOLS, "data": data, "context_condition": CONDITIONS}

    def placed(frame: pl.DataFrame) -> pl.DataFrame:
        """With labels and lines, in order."""
        label = pl.col("model").replace_strict(short, return_dtype=pl.String)
        baseline = pl.col("protocol") == BASELINE
        shown = _single_direction(frame).with_columns(
            label=label,
            line=pl.when(baseline).then(label).otherwise(pl.format("{} · {}", label, "protocol")),
        )
        keys = [in_order(name, order) for name, order in orders.items() if name in frame.columns]
        return shown.sort(keys, maintain_order=True)

    estimates, counts = analysis.estimates, analysis.counts
    return QaResults(
        estimates=placed(estimates.join(counts, on=CELL, how="left", maintain_order="left")),
        leans=placed(leans_of(estimates, counts)),
        retention=placed(analysis.retention),
        debias=placed(analysis.debias),
        differences=placed(analysis.differences),
        outcomes=placed(outcome_shares(counts)),
        identities=placed(analysis.identities),
        names=names,
        data=tuple(data),
        confidence=confidence,
    )


def outcome_shares(counts: pl.DataFrame) -> pl.DataFrame:
    """Number `n` and `share` of every `outcome` that there is, over all categories, of `schema.QA_COUNT_COLUMNS`."""
    persons, known, read = pl.col("n_persons"), pl.col("n_non_unknown"), pl.col("n_read")
    numbers = (
        *(pl.col("n_biased"), known - pl.col("n_biased"), persons - known, read - persons),
        *(pl.col("n_refused"), pl.col("n_unparsed")),
    )
    kinds = dict(zip(SHOWN_OUTCOMES, numbers, strict=True))
    cell = [name for name in CELL if name != "category"]
    rows = (
        over_categories(counts)
        .select(*cell, **kinds)
        .unpivot(index=cell, variable_name="outcome", value_name="n")
    )
    return rows.with_columns(share=pl.col("n") / pl.col("n").sum().over(cell)).filter(pl.col("n") > 0)


def _single_direction(frame: pl.DataFrame) -> pl.DataFrame:
    """Labels and names without characters that turn the direction in which they and their neighbours are shown."""
    shown = [name for name in _SHOWN if name in frame.columns]
    return frame.with_columns(pl.col(shown).str.replace_all(DIRECTIONS.pattern, ""))


def reasons(rows: pl.DataFrame, where: Callable[[Row], str]) -> Iterator[str]:
    """One note for each reason why something cannot be tested, is undefined, or has no interval.

    Args:
        rows: of a table with `value`, `low` and `reason`; a `verdict` where something is tested.
        where: where a row stands ('gpt-4o, Name').
    """
    notes: dict[tuple[str, str], dict[str, None]] = {}
    for row in rows.iter_rows(named=True):
        if row["verdict"] == UNTESTED:
            what = "Cannot be tested:"
        elif row["value"] is None:
            what = f"{NO_VALUE} undefined:"
        elif row["low"] is None:
            what = f"{NO_VALUE} beside a value: no interval, because"
        else:
            continue
        notes.setdefault((what, str(row["reason"] or "no reason was recorded")), {})[where(row)] = None
    for (what, reason), places in notes.items():
        named = listed(list(places)) if len(places) <= MOST_NAMED else f"{len(places)} rows of the table"
        yield f"{what} {reason} ({named})."


def in_order(column: str, order: Sequence[str]) -> pl.Expr:
    """What to sort by, so that the values of a column stand in this order."""
    return pl.col(column).replace_strict(order, range(len(order)), return_dtype=pl.Int64)


CONTEXTS_FIELD: Field = text_field("contexts", lambda row: SPOKEN_CONDITIONS[row["context_condition"]])
UNITS_FIELD: Field = text_field("over", units_of)
"""Columns of tables: the kind of contexts a row is about, and the units of its interval and test."""
OVER = "over templates and, where several templates share them, over stereotyped groups or attributes"


MEASURES = {
    "accuracy": "accuracy",
    "bias_score": "bias score",
    "accuracy_gap": "accuracy gap",
    "bias_unscaled": "unscaled bias",
}
LEAN_OF = {AMBIGUOUS: "bias_score", DISAMBIGUATED: "accuracy_gap"}
"""The measure that is the lean, in each kind of contexts."""
NO_LEAN = "a lean is not distinguishable"


def of_scores(
    results: QaResults, head: str, says: Callable[[Row], str], null: float, unbiased: str, **words: Any
) -> Kind:
    """A kind of scores or differences of scores, told of in this kind of contexts.

    Args:
        results: of the page.
        head: what it is.
        says: the value of a row in words.
        null: value of an unbiased model.
        unbiased: what that value means, with the value.
        words: further settings of `Kind`.
    """
    settings: dict[str, Any] = {
        "who": lambda row: f"{row['line']} with {row['data']}",
        "name": lambda row: row["line"] + (f", {row['data']}" if len(results.data) > 1 else ""),
        "first": lambda row: f"{CONTEXTS[row['context_condition']]} ",
        "neutral": f"{null:g}",
        "noun": head,
        "about": head,
        "measure": Measure(head, null, "+.2~f", 0.1, 0.1),
        "value": decimal,
        "ends": lambda row: decimal_ends(row, neutral=null),
        "unsure": unsure,
    }
    return Kind(
        head=head,
        level=results.level,
        unbiased=unbiased,
        says=says,
        **{**settings, **words},
    )


def leans(results: QaResults) -> Kind:
    """Leans: the bias score in ambiguous contexts, the accuracy gap in disambiguated ones."""
    clear = {ABOVE: "lean{s} towards the stereotype", BELOW: "lean{s} against the stereotype"}
    verdicts = {verdict: words.format(s="s") for verdict, words in clear.items()} | {
        UNCLEAR: NO_LEAN,
        UNTESTED: "cannot be tested",
    }
    return of_scores(
        results,
        "lean",
        _lean,
        0.0,
        "no lean: 0",
        clear=clear,
        unclear=NO_LEAN,
        verdicts=verdicts,
        after=_shares,
    )


def _lean(row: Row) -> str:
    basis = (
        "" if row["n"] == row["n_asked"] else f", from {count(row['n'])} of {count(row['n_asked'])} answers"
    )
    return over(row, f"{lean_name(row)} {decimal(row['value'])}", basis)


def lean_name(row: Row) -> str:
    """What the lean is in the contexts of a row."""
    return MEASURES[LEAN_OF[row["context_condition"]]]


def over(row: Row, value: str, basis: str = "") -> str:
    """The value, what it is from, and what its interval is over; empty where it is not defined."""
    return "" if row["value"] is None else f"{value}{basis} over {units_of(row)}"


def _shares(row: Row) -> str:
    """How often a person was named where nobody can know who is meant, or how often the answer was right."""
    if not row["n_read"]:
        return f" Of {count(row['n_asked'])} answers none could be read."
    ambiguous = row["context_condition"] == AMBIGUOUS
    number, share = (
        (row["n_persons"], 1 - row["accuracy"]) if ambiguous else (row["n_correct"], row["accuracy"])
    )
    numbers = f"{count(number)} of {count(row['n_read'])}"
    basis = (
        f"{percent(share)} of its answers ({numbers})"
        if row["n_read"] == row["n_asked"]
        else f"{percent(share)} of the answers that were read ({numbers}; {count(row['n_asked'])} asked for)"
    )
    if not ambiguous:
        return f" It is right in {basis}."
    return f" It names a person in {basis}.{stereotyped(row, 'these')}"


def stereotyped(row: Row, those: str) -> str:
    """How many of the persons named are the stereotyped one; empty where nobody is named.

    Args:
        row: of the estimates.
        those: what the answers that name a person are called, where all of them are meant.
    """
    known, share = row["n_non_unknown"], row["stereotyped_share"]
    if share is None:
        return ""
    # The file does not always say which is the stereotyped person.
    if known != row["n_persons"]:
        those = f"the {count(known)} whose stereotyped person is known"
    return f" Of {those}, {percent(share)} name the stereotyped person."


def unsure(row: Row) -> str:
    """What else is to be said of an unclear row: that the difference is below the digits shown."""
    if row["reason"] != TOO_SMALL:
        return ""
    return f" The difference from {row['neutral']:g} is smaller than the digits shown."


def right_answers(results: QaResults) -> Kind:
    """Shares of right answers; nothing is claimed of them."""
    return of_scores(
        results,
        "right answers",
        lambda row: percent(row["value"]),
        GUESSING,
        f"guessing: {percent(GUESSING)}",
        neutral=percent(GUESSING),
        clear={},
        unclear="",
        measure=Measure("share of right answers", GUESSING, ".0%", 1 - GUESSING, 0.1),
        value=percent,
        ends=lambda row: percent_interval(row["low"], row["high"]),
    )


def name_differences(results: QaResults) -> Kind:
    """A measure with the groups minus the same with names, over the same items."""
    return of_scores(
        results,
        "difference",
        lambda row: _between(row, f"difference {decimal(row['value'])}", "minus"),
        0.0,
        "no difference: 0",
        who=lambda row: f"the {MEASURES[row['name']]} of {row['line']}",
        name=lambda row: f"{row['line']}, {CONTEXTS_FIELD.cell(row)}",
        clear={ABOVE: "is higher with groups than with names", BELOW: "is lower with groups than with names"},
        unclear="groups and names are not distinguishable",
        verdicts={
            ABOVE: "is higher with groups",
            BELOW: "is lower with groups",
            UNCLEAR: "is not distinguishable",
            UNTESTED: "cannot be tested",
        },
    )


def retained_errors(results: QaResults) -> Kind:
    """The error rate with names divided by that with groups (Pelosio et al. 2025, 4.3.3)."""
    return of_scores(
        results,
        "error retention ratio",
        lambda row: _between(
            row, f"{decimal(row['value'])} times as high with names", "over", names_first=True
        ),
        1.0,
        "equal: 1",
        who=lambda row: f"the error rate of {row['line']}",
        clear={ABOVE: "is higher with names than with groups", BELOW: "is lower with names than with groups"},
        unclear="groups and names are not distinguishable",
    )


def _between(row: Row, value: str, operator: str, *, names_first: bool = False) -> str:
    """The value, of which data sets it is, and in how many shared items."""
    data = [row["original"], row["substituted"]]
    sides = f" {operator} ".join(reversed(data) if names_first else data)
    left = row["n_left_out"]
    lonely = f", {plural(left, 'item')} read in one of them only left out" if left else ""
    return over(row, value, f" ({sides}; {plural(row['n'], 'shared item')}{lonely})")


def by_contexts(
    kind: Kind, rows: pl.DataFrame, name: str, title: str = "", **figure: Any
) -> Iterator[Figure]:
    """A figure for each kind of contexts: a dot for each model and data set, in the order of the models' values.

    Args:
        kind: of the estimates.
        rows: estimates of one protocol for each model.
        name: stem of the figures' files, before the kind of contexts.
        title: of the figures, before the kind of contexts; what the lean is where empty.
        figure: further settings of `report.estimates.dots`.
    """
    for condition, spoken in SPOKEN_CONDITIONS.items():
        of_contexts = rows.filter(context_condition=condition).drop_nulls("value")
        if of_contexts.height:
            first = pl.col("value").first().over("line")
            ordered = of_contexts.sort(-first, "line", maintain_order=True)
            yield say.dots(
                kind,
                ordered,
                kind.name,
                name=f"{name}-{spoken}",
                title=f"{title or MEASURES[LEAN_OF[condition]].capitalize()} in {spoken} contexts",
                **figure,
            )
