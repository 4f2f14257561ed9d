"""Runs of questions in, analysed: what every part of their report is made from."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from endoxa.instruments.questions.estimates.answers import grouped
from endoxa.report import inputs
from endoxa.report.inputs import Run
from endoxa.report.labels import DIRECTIONS, ModelName, name_models, read_labels
from endoxa.schema import ALL, PROTOCOLS

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
    `line`, the same with the protocol behind it where that is not the baseline.

    Attributes:
        estimates: columns of `schema.QA_ESTIMATE_COLUMNS`.
        retention: columns of `schema.RETENTION_COLUMNS`.
        debias: columns of `schema.DEBIAS_COLUMNS`.
        differences: columns of `schema.QA_DIFFERENCE_COLUMNS`.
        outcomes: columns of `schema.OUTCOME_COLUMNS`.
        asked: see `asked`.
        identities: columns of `schema.QA_IDENTITY_COLUMNS`.
        names: name of every model, in the order shown.
        data: labels of the data sets, those with the groups before those with names.
        confidence: confidence level of all intervals.
    """

    estimates: pl.DataFrame
    retention: pl.DataFrame
    debias: pl.DataFrame
    differences: pl.DataFrame
    outcomes: pl.DataFrame
    asked: pl.DataFrame
    identities: pl.DataFrame
    names: Mapping[str, ModelName]
    data: tuple[str, ...]
    confidence: float

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
        several = self.estimates.filter(pl.col("category") == ALL)["data"].unique().to_list()
        return self.estimates.filter((pl.col("category") == ALL) | ~pl.col("data").is_in(several))

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

    told = {} if labels is None else read_labels(labels)
    folders = [run.folder for run in runs]
    if len(runs) == 1:
        analysis = analyze_run(folders[0], confidence=confidence, seed=seed)
        answers = load_answers(folders, ASKED, checked=False)  # the estimates checked them
    else:
        answers = load_answers(folders, (*ASKED, "identity"))
        analysis = analyze_qa(answers, confidence=confidence, seed=seed)
    return results_of(answers, analysis, told, inputs.simulated_models(runs), confidence)


def results_of(
    answers: pl.DataFrame,
    analysis: QaAnalysis,
    told: Mapping[str, ModelName],
    simulated: Collection[str],
    confidence: float,
) -> QaResults:
    """The results, named and in order.

    Args:
        answers: `data` and the columns of `schema.QA_RECORD_COLUMNS`.
        analysis: what `analyze_qa` found in them.
        told: names that the user gave.
        simulated: models that their run calls simulated.
        confidence: confidence level of the intervals.
    """
    names = name_models(answers["model"].unique(maintain_order=True).to_list(), told, simulated)
    substituted = set(_one_direction(analysis.retention)["substituted"])
    labels = _one_direction(answers.select("data").unique(maintain_order=True))["data"].unique(
        maintain_order=True
    )
    data = sorted(labels, key=lambda label: label in substituted)

    def placed(frame: pl.DataFrame) -> pl.DataFrame:
        return _in_order(_with_lines(_one_direction(frame), names), data, list(names))

    return QaResults(
        estimates=placed(analysis.estimates),
        retention=placed(analysis.retention),
        debias=placed(analysis.debias),
        differences=placed(analysis.differences),
        outcomes=placed(analysis.outcomes),
        asked=placed(asked(answers)),
        identities=placed(analysis.identities),
        names=names,
        data=tuple(data),
        confidence=confidence,
    )


ASKED = (
    *("category", "example_id", "variant", "model", "protocol", "repeat", "outcome"),
    *("order", "ask", "served_model", "error"),
)
"""Columns that `asked` reads, beside the data set's."""


def asked(answers: pl.DataFrame) -> pl.DataFrame:
    """What each model was asked: one row per data set, model and protocol.

    `items`, `variants` and `repeats` count different ones, `orders` the orders the options were shown in;
    `with_names` says that names stand for groups (the items have variants); `answers`, `refused`, `unparsed` and
    `failed` (the provider refused the request) count answers; `ask` lists how answers were asked for, `served` the
    names under which the provider served the model.
    """
    return grouped(
        answers.lazy().with_columns(item=pl.struct("category", "example_id").hash()),
        ("data", "model", "protocol"),
        items=pl.col("item").n_unique(),
        variants=pl.col("variant").fill_null("").n_unique(),
        with_names=(pl.col("variant").fill_null("") != "").any(),
        repeats=pl.col("repeat").n_unique(),
        orders=pl.col("order").n_unique(),
        ask=pl.col("ask").unique(maintain_order=True).str.join(", "),
        served=pl.col("served_model").filter(pl.col("served_model") != "").unique(maintain_order=True),
        answers=pl.len(),
        refused=(pl.col("outcome") == "refused").sum(),
        unparsed=(pl.col("outcome") == "unparsed").sum(),
        failed=(pl.col("error").fill_null("") != "").sum(),
    )


def _one_direction(frame: pl.DataFrame) -> pl.DataFrame:
    """Labels and names without characters that turn the direction in which they and their neighbours are shown."""
    shown = [name for name in _SHOWN if name in frame.columns]
    return frame.with_columns(pl.col(shown).str.replace_all(DIRECTIONS.pattern, ""))


def _with_lines(frame: pl.DataFrame, names: Mapping[str, ModelName]) -> pl.DataFrame:
    labels = {model: name.label for model, name in names.items()}
    label = pl.col("model").replace_strict(labels, return_dtype=pl.String)
    baseline = pl.col("protocol") == BASELINE
    return frame.with_columns(
        label=label, line=pl.when(baseline).then(label).otherwise(pl.format("{} · {}", label, "protocol"))
    )


def _in_order(frame: pl.DataFrame, data: Sequence[str], models: Sequence[str]) -> pl.DataFrame:
    orders = {"model": models, "protocol": PROTOCOLS, "data": data, "context_condition": CONDITIONS}
    keys = [
        pl.col(name).replace_strict(order, list(range(len(order))), return_dtype=pl.Int64)
        for name, order in orders.items()
        if name in frame.columns
    ]
    return frame.sort(keys, maintain_order=True) if frame.height else frame
