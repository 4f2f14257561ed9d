"""Answers in, tables out; and the tables that a run folder holds."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import polars as pl

from endoxa.analyze import stored
from endoxa.analyze.qa.answers import check_answers, load_answers
from endoxa.analyze.qa.counts import IDENTITY_TYPES, OUTCOME_TYPES, identity_bias, outcome_counts
from endoxa.analyze.qa.debias import DEBIAS_TYPES, debias
from endoxa.analyze.qa.differences import DIFFERENCE_TYPES, differences
from endoxa.analyze.qa.estimates import ESTIMATE_TYPES, estimate
from endoxa.analyze.qa.intervals import RESAMPLES
from endoxa.analyze.qa.retention import RETENTION_TYPES, retention_of_names
from endoxa.analyze.qa.settings import check_settings
from endoxa.schema import Progress


@dataclass(frozen=True, slots=True)
class QaAnalysis:
    """What answers to questions say.

    Attributes:
        estimates: `schema.QA_ESTIMATE_COLUMNS`, a row per data set, category, model, protocol and context.
        retention: `schema.RETENTION_COLUMNS`, a row per model, protocol and context of every pair of a data set without
            names and one with names; no rows where there is no such pair.
        debias: `schema.DEBIAS_COLUMNS`, two rows per data set, model and protocol; no rows where models were asked
            under one protocol only.
        differences: `schema.QA_DIFFERENCE_COLUMNS`, a row per model, protocol, context and measure of the same pairs as
            `retention`.
        identities: `schema.QA_IDENTITY_COLUMNS`, a row per stereotyped identity of each data set, model and protocol.
        outcomes: `schema.OUTCOME_COLUMNS`, a row per data set, model, protocol, context and outcome.
    """

    estimates: pl.DataFrame
    retention: pl.DataFrame
    debias: pl.DataFrame
    differences: pl.DataFrame
    identities: pl.DataFrame
    outcomes: pl.DataFrame


SCHEMAS: dict[str, dict[str, type[pl.DataType]]] = {
    "estimates": ESTIMATE_TYPES,
    "retention": RETENTION_TYPES,
    "debias": DEBIAS_TYPES,
    "differences": DIFFERENCE_TYPES,
    "identities": IDENTITY_TYPES,
    "outcomes": OUTCOME_TYPES,
}
"""Tables of an analysis and the types of their columns."""

KEPT = ("estimates", "debias", "identities", "outcomes")
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
    check_settings(confidence, seed, resamples)
    checked = check_answers(answers)
    return QaAnalysis(
        estimate(checked, confidence=confidence, seed=seed, resamples=resamples, progress=progress),
        retention_of_names(checked, confidence=confidence, seed=seed, resamples=resamples),
        debias(checked, confidence=confidence, seed=seed, resamples=resamples),
        differences(checked, confidence=confidence, seed=seed, resamples=resamples),
        identity_bias(checked, confidence),
        outcome_counts(checked),
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

    def analyze() -> stored.Tables:
        analysis = analyze_qa(
            load_answers([folder]), confidence=confidence, seed=seed, resamples=resamples, progress=progress
        )
        return {name: getattr(analysis, name) for name in KEPT}

    if keep:
        tables = stored.once(folder, settings, schemas, analyze)
    else:
        tables = stored.kept(folder, settings, schemas) or analyze()
    empty = {name: pl.DataFrame(schema=schema) for name, schema in SCHEMAS.items()}
    return QaAnalysis(**(empty | tables))
