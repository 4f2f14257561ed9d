"""The analysis of questions: from answers to tables, and from run folders to tables.

Counts and unscaled bias by stereotyped identity are descriptive. Identities are not tested, because each
occurs in few templates only.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import polars as pl

from endoxa.instruments.questions.estimates.answers import check_answers, grouped, load_answers
from endoxa.instruments.questions.estimates.debias import DEBIAS_TYPES, debias
from endoxa.instruments.questions.estimates.estimates import COUNT_TYPES, ESTIMATE_TYPES, estimate
from endoxa.instruments.questions.estimates.inference import RESAMPLES, Settings, column_types
from endoxa.instruments.questions.estimates.names import COMPARISON_TYPES, differences, retention_of_names
from endoxa.runs import estimates
from endoxa.schema import OUTCOMES, QA_IDENTITY_COLUMNS, Progress
from endoxa.sources.identities import with_joined_names
from endoxa.stats.intervals import wilson

KEY = ("data", "model", "protocol", "identity")
IDENTITY_TYPES = column_types(QA_IDENTITY_COLUMNS)


def identity_bias(answers: pl.DataFrame, confidence: float) -> pl.DataFrame:
    """Unscaled bias in ambiguous contexts for each identity of each data set, model and protocol.

    Args:
        answers: checked answers; without a column `identity` there are no rows.
        confidence: confidence level of Wilson's interval, in which every question counts once, because repeats of a
            question are not independent.

    Returns:
        `schema.QA_IDENTITY_COLUMNS`, identities in the order of the answers; undefined values are null.
    """
    if "identity" not in answers.columns:
        return pl.DataFrame(schema=IDENTITY_TYPES)
    named = pl.col("outcome").is_in(OUTCOMES[:2])
    counted = grouped(
        with_joined_names(answers)
        .lazy()
        .select(*KEY, "outcome", "context_condition", "target", item=pl.col("item_id").hash())
        .filter(
            (pl.col("context_condition") == "ambig")
            & (pl.col("identity").fill_null("") != "")
            & pl.col("target").is_not_null()
        ),
        KEY,
        n=named.sum().cast(pl.Int64),
        questions=pl.col("item").filter(named).n_unique().cast(pl.Int64),
        n_biased=(pl.col("outcome") == OUTCOMES[0]).sum().cast(pl.Int64),
    )
    rows = []
    for row in counted.iter_rows(named=True):
        rows.append({**row, "confidence": confidence})
        if row["n"]:
            biased = row["n_biased"] / row["n"]
            interval = wilson(biased * row["questions"], row["questions"], confidence)
            rows[-1] |= {
                "value": 2 * biased - 1,
                "low": 2 * interval.low - 1,
                "high": 2 * interval.high - 1,
            }
    return pl.DataFrame(rows, schema=IDENTITY_TYPES)


@dataclass(frozen=True, slots=True)
class QaAnalysis:
    """What answers to questions say.

    Attributes:
        estimates: `schema.QA_ESTIMATE_COLUMNS`, a row per data set, category, model, protocol, context and measure.
        counts: `schema.QA_COUNT_COLUMNS`, a row per data set, category, model, protocol and context.
        retention: `schema.QA_COMPARISON_COLUMNS`, a row per model, protocol and context of every pair of a data set
            without names and one with names; no rows where there is no such pair.
        debias: `schema.DEBIAS_COLUMNS`, rows per data set, model and protocol; no rows where models were asked under
            one protocol only.
        differences: `schema.QA_COMPARISON_COLUMNS`, a row per model, protocol, context and measure of the same pairs
            as `retention`.
        identities: `schema.QA_IDENTITY_COLUMNS`, a row per stereotyped identity of each data set, model and protocol.
    """

    estimates: pl.DataFrame
    counts: pl.DataFrame
    retention: pl.DataFrame
    debias: pl.DataFrame
    differences: pl.DataFrame
    identities: pl.DataFrame


SCHEMAS: dict[str, dict[str, pl.DataType]] = {
    "estimates": ESTIMATE_TYPES,
    "counts": COUNT_TYPES,
    "retention": COMPARISON_TYPES,
    "debias": DEBIAS_TYPES,
    "differences": COMPARISON_TYPES,
    "identities": IDENTITY_TYPES,
}
"""Tables of an analysis and the types of their columns."""

KEPT = ("estimates", "counts", "debias", "identities")
"""Those that a run folder holds; the others compare one run with another."""


def analyze_qa(
    answers: pl.DataFrame,
    *,
    confidence: float = 0.95,
    seed: int = 0,
    resamples: int = RESAMPLES,
    progress: Progress = lambda *_: None,
) -> QaAnalysis:
    """Accuracy, bias scores, leans, error retention and self-debiasing of all models in the answers.

    Args:
        answers: what `load_answers` or `read_predictions` give, or any frame with the columns `answers.NEEDED`.
        confidence: confidence level of all intervals; 1 minus it is the level of all verdicts.
        seed: seed of everything that is drawn.
        resamples: bootstrap samples per interval.
        progress: told what is done.

    Raises:
        UserError: a setting is out of range, or the answers cannot be used (`answers.check_answers`).
    """
    settings, checked = Settings(confidence, seed, resamples), check_answers(answers)
    measures, counts = estimate(checked, settings, progress)
    return QaAnalysis(
        estimates=measures,
        counts=counts,
        retention=retention_of_names(checked, settings),
        debias=debias(checked, settings),
        differences=differences(checked, settings),
        identities=identity_bias(checked, confidence),
    )


def analyze_run(
    folder: Path,
    *,
    confidence: float = 0.95,
    seed: int = 0,
    resamples: int = RESAMPLES,
    keep: bool = False,
    progress: Progress = lambda *_: None,
) -> QaAnalysis:
    """The analysis of one finished run: what its folder holds for these settings, else made now.

    Args:
        folder: run folder of `endoxa probe qa`.
        confidence: see `analyze_qa`, as the others.
        seed: see there.
        resamples: see there.
        keep: leave it in the folder, for whoever asks next.
        progress: told what is done.

    Raises:
        UserError: see `load_answers` and `analyze_qa`.
    """
    settings = {"confidence": confidence, "seed": seed, "resamples": resamples}
    schemas = {name: SCHEMAS[name] for name in KEPT}

    def analyze() -> estimates.Tables:
        answers = load_answers([folder], ("identity", "attribute", "identity_key"))
        analysis = analyze_qa(
            answers, confidence=confidence, seed=seed, resamples=resamples, progress=progress
        )
        return {name: getattr(analysis, name) for name in KEPT}

    if keep:
        tables = estimates.once(folder, settings, schemas, analyze)
    else:
        tables = estimates.kept(folder, settings, schemas) or analyze()
    empty = {name: pl.DataFrame(schema=schema) for name, schema in SCHEMAS.items()}
    return QaAnalysis(**(empty | tables))
