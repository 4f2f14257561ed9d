"""Runs of questions in, analysed: what every part of their report is made from."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from endoxa.instruments.questions.estimates.answers import grouped
from endoxa.instruments.questions.estimates.inference import split_reason
from endoxa.instruments.questions.headline import over_categories, units_of
from endoxa.instruments.questions.thoughts.estimates import THOUGHT_TYPES
from endoxa.report import inputs
from endoxa.report.inputs import Run
from endoxa.report.labels import DIRECTIONS, ModelName, name_models, read_labels
from endoxa.report.tables import Field, number_field, text_field
from endoxa.report.words import NO_VALUE, decimal, decimal_interval, listed
from endoxa.schema import PROTOCOLS

if TYPE_CHECKING:
    from endoxa.instruments.questions.estimates import QaAnalysis


AMBIGUOUS, DISAMBIGUATED = CONDITIONS = ("ambig", "disambig")
SPOKEN_CONDITIONS = {AMBIGUOUS: "ambiguous", DISAMBIGUATED: "disambiguated"}
CONTEXTS = {condition: f"In {spoken} contexts" for condition, spoken in SPOKEN_CONDITIONS.items()}
"""How a sentence about one kind of context begins."""
BASELINE = PROTOCOLS[0]
_SHOWN = ("data", "category", "identity", "original", "substituted")


@dataclass(frozen=True, slots=True)
class QaResults:
    """Everything that the answers of some runs say.

    All frames are in the order of `names`, protocols and `data`, and have two more columns: `label`, the model's, and
    `line`, the same with the protocol behind it where that is not the baseline. Those with verdicts are `judged_as`.

    Attributes:
        estimates: columns of `schema.QA_ESTIMATE_COLUMNS`.
        retention: columns of `schema.RETENTION_COLUMNS`.
        debias: columns of `schema.DEBIAS_COLUMNS`.
        differences: columns of `schema.QA_DIFFERENCE_COLUMNS`.
        outcomes: columns of `schema.OUTCOME_COLUMNS`.
        question_counts: see `question_counts`.
        identities: columns of `schema.QA_IDENTITY_COLUMNS`.
        names: name of every model, in the order shown.
        data: labels of the data sets, those with the groups before those with names.
        confidence: confidence level of all intervals.
        thoughts: columns of `schema.thoughts.THOUGHT_COLUMNS`; no rows where no run has thoughts.
    """

    estimates: pl.DataFrame
    retention: pl.DataFrame
    debias: pl.DataFrame
    differences: pl.DataFrame
    outcomes: pl.DataFrame
    question_counts: pl.DataFrame
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
        """The estimates over all categories of each data set."""
        return over_categories(self.estimates)

    @property
    def lines(self) -> list[str]:
        """Every `line` of the estimates."""
        return self.estimates["line"].unique(maintain_order=True).to_list()

    def label(self, model: str) -> str:
        """The model as readers see it."""
        return self.names[model].label if model in self.names else model

    def main(self, frame: pl.DataFrame) -> pl.DataFrame:
        """The rows of one protocol for each model: the baseline, or the first it was asked under."""
        protocols = self.estimates.group_by("model", maintain_order=True).agg(pl.col("protocol").first())
        return frame.join(protocols, on=["model", "protocol"], how="semi", maintain_order="left")

    def interval_field(self, column: str = "", name: str = "") -> Field:
        """A column of tables for an interval.

        Args:
            column: of the value; `_low` and `_high` behind it are its ends. Empty where they have no other name.
            name: heading; the confidence level where empty.
        """
        low, high = (f"{column}_{end}".lstrip("_") for end in ("low", "high"))
        return number_field(
            name or f"{self.level} interval", lambda row: decimal_interval(row[low], row[high])
        )


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
        answers = load_answers(folders, COUNTED_COLUMNS, checked=False)  # the estimates checked them
    else:
        answers = load_answers(folders, (*COUNTED_COLUMNS, "identity", "attribute", "identity_key"))
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
        answers: `data` and the columns of `schema.QA_RECORD_COLUMNS`.
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
        keys = [
            pl.col(name).replace_strict(order, range(len(order)), return_dtype=pl.Int64)
            for name, order in orders.items()
            if name in frame.columns
        ]
        return (
            _single_direction(frame)
            .with_columns(
                label=label,
                line=pl.when(baseline).then(label).otherwise(pl.format("{} · {}", label, "protocol")),
            )
            .sort(keys, maintain_order=True)
        )

    return QaResults(
        estimates=placed(judged_as(analysis.estimates, "lean", "lean_low", "lean_high")),
        retention=placed(judged_as(analysis.retention, "ratio", n="n_items")),
        debias=placed(analysis.debias),
        differences=placed(judged_as(analysis.differences, "difference", n="n_items")),
        outcomes=placed(analysis.outcomes),
        question_counts=placed(question_counts(answers)),
        identities=placed(analysis.identities),
        names=names,
        data=tuple(data),
        confidence=confidence,
    )


def judged_as(
    rows: pl.DataFrame, value: str, low: str = "low", high: str = "high", n: str = "n"
) -> pl.DataFrame:
    """The rows with what their verdict is about under `value`, `low`, `high`, `n` and `reason`.

    Why values or intervals are missing, which is `reason` in tables about questions, is in `missing`.
    """
    return rows.with_columns(value=value, low=low, high=high, n=n, missing="reason", reason="verdict_reason")


COUNTED_COLUMNS = (
    *("category", "example_id", "variant", "model", "protocol", "repeat", "outcome"),
    *("order", "ask", "served_model", "error"),
)
"""Columns that `question_counts` reads, beside the data set's."""


def question_counts(answers: pl.DataFrame) -> pl.DataFrame:
    """What each model was asked: one row per data set, model and protocol.

    `items`, `variants` and `repeats` count different ones, `orders` the orders the options were shown in; `answers`,
    `refused`, `unparsed` and `failed` (the provider refused the request) count answers; `ask` lists how answers were
    asked for, `served` the names under which the provider served the model.
    """
    return grouped(
        answers.lazy().with_columns(item=pl.struct("category", "example_id").hash()),
        ("data", "model", "protocol"),
        items=pl.col("item").n_unique(),
        variants=pl.col("variant").fill_null("").n_unique(),
        repeats=pl.col("repeat").n_unique(),
        orders=pl.col("order").n_unique(),
        ask=pl.col("ask").unique(maintain_order=True).str.join(", "),
        served=pl.col("served_model").filter(pl.col("served_model") != "").unique(maintain_order=True),
        answers=pl.len(),
        refused=(pl.col("outcome") == "refused").sum(),
        unparsed=(pl.col("outcome") == "unparsed").sum(),
        failed=(pl.col("error").fill_null("") != "").sum(),
    )


def _single_direction(frame: pl.DataFrame) -> pl.DataFrame:
    """Labels and names without characters that turn the direction in which they and their neighbours are shown."""
    shown = [name for name in _SHOWN if name in frame.columns]
    return frame.with_columns(pl.col(shown).str.replace_all(DIRECTIONS.pattern, ""))


Row = Mapping[str, Any]
"""A row of the estimates or of the retention ratios."""

NOT_RECORDED = "no reason was recorded"
ALL_READ = "all read"
"""In place of bounds, where no answer is missing."""


def value_with_sd(row: Row, column: str) -> str:
    """'0.950 ± 0.002' over seeds; the pooled value where there was one seed, '–' where it is undefined."""
    mean, sd = row[f"{column}_mean"], row[f"{column}_sd"]
    if mean is None or sd is None:
        return decimal(row[column])
    return f"{decimal(mean)} ± {decimal(sd)}"


def unread(row: Row) -> int:
    """Answers that were refused or could not be read."""
    return int(row["n_unparsed"] + row["n_refused"])


def bounds(row: Row, column: str) -> tuple[float, float] | None:
    """Least and largest value had the unread answers been read; None where all were, or no bounds are defined."""
    lost = unread(row)
    if not lost:
        return None
    if column == "accuracy":
        ends = (row["n_correct"] / row["n"], (row["n_correct"] + lost) / row["n"])
    else:
        ends = (row.get(f"{column}_if_none"), row.get(f"{column}_if_all"))
    return None if None in ends else (min(ends), max(ends))


def missing(rows: Iterable[tuple[str, Row, str]]) -> Iterator[str]:
    """One note for each reason why values are undefined, or have no interval.

    Args:
        rows: where the value stands ('gpt-4o, Name'), its row and its column.
    """
    undefined: dict[str, dict[str, None]] = {}
    alone: dict[str, dict[str, None]] = {}
    for where, row, column in rows:
        why, why_alone = split_reason(str(row["missing"] or "").rstrip("."), column)
        if row[column] is None:
            undefined.setdefault(why or NOT_RECORDED, {})[where] = None
        elif row[f"{column}_low" if f"{column}_low" in row else "low"] is None:
            alone.setdefault(why_alone or NOT_RECORDED, {})[where] = None
    for reason, places in undefined.items():
        yield f"{NO_VALUE} undefined: {reason} ({listed(list(places))})."
    for reason, places in alone.items():
        yield f"{NO_VALUE} beside a value: no interval, because {reason} ({listed(list(places))})."


def in_order(column: str, order: Iterable[str]) -> pl.Expr:
    """What to sort by, so that the values of a column stand in this order."""
    places = {value: place for place, value in enumerate(order)}
    return pl.col(column).replace_strict(places, return_dtype=pl.Int64)


CONTEXTS_FIELD = text_field("contexts", lambda row: SPOKEN_CONDITIONS[row["context_condition"]])
UNITS_FIELD = text_field("over", units_of)
"""Columns of tables: the kind of contexts a row is about, and the units of its interval and test."""
OVER = "over templates and, where several templates share them, over stereotyped groups or attributes"
