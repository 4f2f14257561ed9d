"""Frequency of each value before and after correction for errors of extraction.

Counts are corrected for misclassification by the matrix method, from confusion matrices of coders against extractors
for each attribute.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from endoxa.instruments.stories.profiles.questions import REFUSAL
from endoxa.instruments.stories.profiles.sheet import Coding
from endoxa.schema import ALL
from endoxa.schema.stories import CORRECTED_COLUMNS
from endoxa.sources.stereotales import Vocabulary

NEGLIGIBLE = 1e-12
"""A share below this is what rounding leaves of 0."""


def correct_counts(counts: np.ndarray, confusion: np.ndarray) -> np.ndarray:
    """The counts that would have been found without errors of extraction.

    With M[h, m] the probability that extractors say m where a person says h, estimated by the rows of `confusion`, the
    expected counts are c = M' t for the true counts t (Buonaccorsi 2010, "Measurement Error", section 2.4: the matrix
    method). The t returned is the non-negative one with the same total that comes nearest in least squares; where
    M' is regular and its inverse gives no negative count, it is that inverse. A value that no person ever coded is
    taken to be extracted without error, and one that people coded but extractors never gave keeps its own row.

    Assumes that errors depend on the true value only: not on the model that wrote the story, and not on the other
    attributes.

    Args:
        counts: extracted counts, (..., values).
        confusion: stories that were coded, (values as people say, values as extractors say); only the shares in its
            rows matter.

    Returns:
        Of the shape of `counts`, as floats.
    """
    rates = classification(confusion)
    flat = counts.reshape(-1, counts.shape[-1]).astype(float)
    return np.array([_solved(rates, row) for row in flat]).reshape(counts.shape)


def classification(confusion: np.ndarray) -> np.ndarray:
    """M[h, m]: the probability that extractors say m where a person says h; the identity where h was never coded."""
    coded = confusion.sum(axis=1, keepdims=True)
    return np.where(coded > 0, confusion / np.where(coded > 0, coded, 1), np.eye(len(confusion)))


def _solved(rates: np.ndarray, counts: np.ndarray) -> np.ndarray:
    from scipy.optimize import nnls

    total = counts.sum()
    if not total:
        return counts
    true, _ = nnls(rates.T, counts / total)
    true[true < NEGLIGIBLE] = 0.0
    return np.asarray(total * true / true.sum())


@dataclass(frozen=True, slots=True)
class Confusion:
    """One attribute.

    Attributes:
        attribute: its name.
        answers: its answers, "unknown" last.
        pairs: (stories, 2): number of the person's answer and of the majority's; one row per coded story.
    """

    attribute: str
    answers: tuple[str, ...]
    pairs: np.ndarray

    @property
    def counts(self) -> np.ndarray:
        """Stories, (person's answers, majority's answers)."""
        size = len(self.answers)
        flat = np.bincount(self.pairs[:, 0] * size + self.pairs[:, 1], minlength=size * size)
        return flat.reshape(size, size)


def confusions(
    coded: Mapping[str, Coding], extracted: Mapping[str, Coding], vocabulary: Vocabulary
) -> list[Confusion]:
    """The question of refusal ("yes" and "no"), then every attribute.

    Profiles are compared where neither side takes the text for a refusal: the error of calling it one is the first
    row's.

    Args:
        coded: what a person read, by story.
        extracted: what the extractors' majority read; a superset of the stories.
        vocabulary: the attributes.
    """
    refusals = [(_yes(coded[key]), _yes(extracted[key])) for key in coded]
    found = [Confusion(REFUSAL, ("yes", "no"), _pairs(refusals, ("yes", "no")))]
    told = [key for key in coded if not coded[key].refusal and not extracted[key].refusal]
    for one in vocabulary:
        answers = [
            (coded[key].profile[one.name], extracted[key].profile[one.name])
            for key in told
            if one.name in coded[key].profile
        ]
        found.append(Confusion(one.name, one.answers, _pairs(answers, one.answers)))
    return found


def _yes(coding: Coding) -> str:
    return "yes" if coding.refusal else "no"


def _pairs(answers: list[tuple[str, str]], known: tuple[str, ...]) -> np.ndarray:
    place = {answer: k for k, answer in enumerate(known)}
    return np.array([(place[one], place[other]) for one, other in answers], dtype=np.int64).reshape(-1, 2)


RESAMPLES = 500
FEW = 20
"""With fewer coded stories an answer's error rates are hardly known, and its interval rests on the prior."""


def corrected_table(
    profiles: pl.DataFrame, confusions: Sequence[Confusion], confidence: float, seed: int
) -> pl.DataFrame:
    """Counts of every answer by model and over all (`CORRECTED_COLUMNS`).

    Args:
        profiles: "generator_model" and one column per attribute; stories that are no refusals.
        confusions: one for each of those columns.
        confidence: confidence level of the intervals.
        seed: seed of the draws.
    """
    models = profiles["generator_model"].unique().sort().to_list()
    rows = []
    for confusion in confusions:
        for model in [*models, *([ALL] if len(models) > 1 else [])]:
            own = profiles if model == ALL else profiles.filter(generator_model=model)
            rows += [
                {"model": model, **row}
                for row in _rows(own[confusion.attribute], confusion, confidence, seed)
            ]
    whole, text = ("count", "n", "n_coded", "few_coded"), ("model", "attribute", "value")
    types = {
        name: pl.Int64() if name in whole else pl.String() if name in text else pl.Float64()
        for name in CORRECTED_COLUMNS
    }
    return pl.DataFrame(rows, schema=types, orient="row")


def _rows(extracted: pl.Series, one: Confusion, confidence: float, seed: int) -> Iterator[dict[str, Any]]:
    tally = dict(extracted.value_counts().iter_rows())
    counts = np.array([tally.get(answer, 0) for answer in one.answers])
    total = counts.sum()
    if not total:
        return
    corrected = correct_counts(counts, one.counts) / total
    low, high = _interval(counts, one, confidence, seed)
    coded = one.counts.sum(axis=1)
    for k, answer in enumerate(one.answers):
        yield {
            "attribute": one.attribute,
            "value": answer,
            "count": int(counts[k]),
            "n": int(total),
            "fraction": counts[k] / total,
            "n_coded": int(coded[k]),
            "few_coded": int(coded[k] < FEW),
            "corrected": corrected[k],
            "low": low[k],
            "high": high[k],
        }


def _interval(
    counts: np.ndarray, one: Confusion, confidence: float, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """Percentiles over samples of the stories and, apart from them, of the rows of the confusion.

    A row is drawn from its Dirichlet posterior under Perks' prior (weight 1 in all): few coded stories without an error
    do not prove that there is none. An answer that was never coded is taken to be read without error.
    """
    random = np.random.default_rng(seed)
    total, size = counts.sum(), len(one.answers)
    drawn_counts = random.multinomial(total, counts / total, size=RESAMPLES)
    drawn_rates = np.stack(
        [
            random.dirichlet(row + 1 / size, size=RESAMPLES) if row.any() else np.tile(right, (RESAMPLES, 1))
            for row, right in zip(one.counts, np.eye(size), strict=True)
        ],
        axis=1,
    )
    draws = [
        correct_counts(drawn, rates) / total for drawn, rates in zip(drawn_counts, drawn_rates, strict=True)
    ]
    low, high = np.quantile(draws, [(1 - confidence) / 2, (1 + confidence) / 2], axis=0)
    return low, high
