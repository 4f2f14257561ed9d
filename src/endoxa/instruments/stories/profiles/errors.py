"""Error rates of an extraction against a human coder, with Wilson intervals."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from endoxa.errors import UserError
from endoxa.instruments.stories.profiles.reading import REFUSAL
from endoxa.instruments.stories.profiles.sheet import Coding, story_key
from endoxa.runs.folder import RECORDS, RUN
from endoxa.schema import ALL
from endoxa.schema.stories import CONFUSION_COLUMNS, CORRECTED_COLUMNS, EXTRACTION_ERROR_COLUMNS
from endoxa.sources.files import require_file
from endoxa.sources.frames import column_types
from endoxa.sources.stereotales import NAMED_BY, OTHER, Attribute, Vocabulary, story_names
from endoxa.stats.agreement import cohen_kappa
from endoxa.stats.intervals import wilson
from endoxa.stats.resampling import times_drawn

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
    from scipy.optimize import nnls

    rates = classification(confusion)
    result = counts.reshape(-1, counts.shape[-1]).astype(float)
    for row, total in zip(result, result.sum(axis=1), strict=True):
        if total:
            true, _ = nnls(rates.T, row / total)
            true[true < NEGLIGIBLE] = 0.0
            row[:] = total * true / true.sum()
    return result.reshape(counts.shape)


def classification(confusion: np.ndarray) -> np.ndarray:
    """M[h, m]: the probability that extractors say m where a person says h; the identity where h was never coded."""
    coded = confusion.sum(axis=1, keepdims=True)
    return np.where(coded > 0, confusion / np.where(coded > 0, coded, 1), np.eye(len(confusion)))


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
    result = [Confusion(REFUSAL, ("yes", "no"), _pairs(refusals, ("yes", "no")))]
    stories = [key for key in coded if not coded[key].refusal and not extracted[key].refusal]
    for attribute in vocabulary:
        answers = [
            (coded[key].profile[attribute.name], extracted[key].profile[attribute.name])
            for key in stories
            if attribute.name in coded[key].profile
        ]
        result.append(Confusion(attribute.name, attribute.answers, _pairs(answers, attribute.answers)))
    return result


def _yes(coding: Coding) -> str:
    return "yes" if coding.refusal else "no"


def _pairs(answers: list[tuple[str, str]], allowed: tuple[str, ...]) -> np.ndarray:
    place = {answer: k for k, answer in enumerate(allowed)}
    return np.array([(place[first], place[other]) for first, other in answers], dtype=np.int64).reshape(-1, 2)


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
            stories = profiles if model == ALL else profiles.filter(generator_model=model)
            rows += [
                {"model": model, **row}
                for row in _rows(stories[confusion.attribute], confusion, confidence, seed)
            ]
    types = column_types(
        CORRECTED_COLUMNS,
        texts=("model", "attribute", "value"),
        counts=("count", "n", "n_coded", "few_coded"),
    )
    return pl.DataFrame(rows, schema=types, orient="row")


def _rows(
    extracted: pl.Series, confusion: Confusion, confidence: float, seed: int
) -> Iterator[dict[str, Any]]:
    tally = dict(extracted.value_counts().iter_rows())
    counts = np.array([tally.get(answer, 0) for answer in confusion.answers])
    total = counts.sum()
    if not total:
        return
    corrected = correct_counts(counts, confusion.counts) / total
    low, high = _interval(counts, confusion, confidence, seed)
    coded = confusion.counts.sum(axis=1)
    for k, answer in enumerate(confusion.answers):
        yield {
            "attribute": confusion.attribute,
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
    counts: np.ndarray, confusion: Confusion, confidence: float, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """Percentiles over samples of the stories and, apart from them, of the rows of the confusion.

    A row is drawn from its Dirichlet posterior under Perks' prior (weight 1 in all): few coded stories without an error
    do not prove that there is none. An answer that was never coded is taken to be read without error.
    """
    random = np.random.default_rng(seed)
    total, size = counts.sum(), len(confusion.answers)
    drawn_counts = times_drawn(counts, RESAMPLES, random)
    drawn_rates = np.stack(
        [
            random.dirichlet(row + 1 / size, size=RESAMPLES) if row.any() else np.tile(right, (RESAMPLES, 1))
            for row, right in zip(confusion.counts, np.eye(size), strict=True)
        ],
        axis=1,
    )
    draws = [
        correct_counts(drawn, rates) / total for drawn, rates in zip(drawn_counts, drawn_rates, strict=True)
    ]
    low, high = np.quantile(draws, [(1 - confidence) / 2, (1 + confidence) / 2], axis=0)
    return low, high


def error_table(confusions: Sequence[Confusion], confidence: float) -> pl.DataFrame:
    """One row per attribute (`EXTRACTION_ERROR_COLUMNS`)."""
    rows = [_row(confusion, confidence) for confusion in confusions]
    counts = ("n", "errors", "n_known", "n_unknown")
    types = column_types(EXTRACTION_ERROR_COLUMNS, texts=("attribute",), counts=counts)
    return pl.DataFrame(rows, schema=types, orient="row").fill_nan(None)


def confusion_table(confusions: Sequence[Confusion]) -> pl.DataFrame:
    """One row per pair of answers that occurs (`CONFUSION_COLUMNS`)."""
    rows = [
        (
            confusion.attribute,
            confusion.answers[human],
            confusion.answers[extracted],
            int(counts[human, extracted]),
        )
        for confusion in confusions
        for counts in (confusion.counts,)
        for human, extracted in np.argwhere(counts)
    ]
    types = dict.fromkeys(CONFUSION_COLUMNS, pl.String()) | {"count": pl.Int64()}
    return pl.DataFrame(rows, schema=types, orient="row")


def _row(confusion: Confusion, confidence: float) -> dict[str, Any]:
    counts = confusion.counts
    total, right = int(counts.sum()), int(counts.trace())
    row: dict[str, Any] = {
        "attribute": confusion.attribute,
        "n": total,
        "errors": total - right,
        "kappa": cohen_kappa(confusion.pairs),
        **_share("error_rate", "", total - right, total, confidence),
    }
    if confusion.attribute == REFUSAL:
        return row
    stated, unknown = counts[:-1], counts[-1]
    n_known, n_unknown = int(stated.sum()), int(unknown.sum())
    missed = int(stated[:, -1].sum())
    return {
        **row,
        "n_known": n_known,
        **_share("missed", "missed_", missed, n_known, confidence),
        **_share("swapped", "swapped_", n_known - missed - int(stated.trace()), n_known, confidence),
        "n_unknown": n_unknown,
        **_share("invented", "invented_", n_unknown - int(unknown[-1]), n_unknown, confidence),
    }


def _share(name: str, ends: str, count: int, total: int, confidence: float) -> dict[str, float | None]:
    interval = wilson(count, total, confidence)
    return {
        name: count / total if total else None,
        f"{ends}low": interval.low,
        f"{ends}high": interval.high,
    }


COLUMNS = (*NAMED_BY, "refusal", "extracted_attributes_json")


@dataclass(frozen=True, slots=True)
class RunFacts:
    """What `run.json` says of a finished run of `probe extract`.

    Attributes:
        vocabulary: what was asked.
        extractors: how many models read the stories.
        seed: its seed.
    """

    vocabulary: Vocabulary
    extractors: int
    seed: int


@dataclass(frozen=True, slots=True)
class Extraction:
    """A finished run of `probe extract`.

    Attributes:
        folder: the run folder.
        vocabulary: what was asked.
        records: `COLUMNS` of its records, with "story_key".
    """

    folder: Path
    vocabulary: Vocabulary
    records: pl.DataFrame


@dataclass(frozen=True, slots=True)
class ExtractionAnalysis:
    """What the comparison found.

    Attributes:
        errors: error rates (`EXTRACTION_ERROR_COLUMNS`).
        confusion: pairs of answers (`CONFUSION_COLUMNS`).
        counts: counts of values, corrected (`CORRECTED_COLUMNS`).
    """

    errors: pl.DataFrame
    confusion: pl.DataFrame
    counts: pl.DataFrame


def load_extraction(folder: Path) -> Extraction:
    """A run of `probe extract`.

    Raises:
        UserError: the folder holds none, or it is not finished.
    """
    facts = read_facts(folder)
    records = pl.read_parquet(folder / RECORDS, columns=list(COLUMNS))
    keys = pl.Series("story_key", map(story_key, story_names(records)), dtype=pl.String)
    return Extraction(folder, facts.vocabulary, records.with_columns(keys))


def read_facts(folder: Path) -> RunFacts:
    """What `run.json` says of a finished run of `probe extract`.

    Raises:
        UserError: the folder holds none, or it is not finished.
    """
    require_file(folder / RUN)
    try:
        run = json.loads((folder / RUN).read_text(encoding="utf-8"))
        usable = run["kind"] == "extract" and bool(run["finished"])
        stated = run["identity"]["vocabulary"] if usable else {}
        settings = run.get("settings", {})
    except (ValueError, KeyError, TypeError, AttributeError) as problem:
        raise UserError(f"{folder / RUN} is not readable as a run.") from problem
    if not usable:
        raise UserError(f"{folder} is not a finished run of `endoxa probe extract`.")
    return RunFacts(
        tuple(
            Attribute(name, tuple(answer for answer in answers[:-1] if answer != OTHER), OTHER in answers)
            for name, answers in stated.items()
        ),
        len(settings.get("models", ())),
        settings.get("seed", 0),
    )


def analyze_extraction(
    extraction: Extraction, coded: Mapping[str, Coding], *, confidence: float = 0.95, seed: int = 0
) -> ExtractionAnalysis:
    """Hold extractors against a person, and correct the counts of values by the errors found.

    Args:
        extraction: the run.
        coded: what a person read, by story key (`endoxa.instruments.stories.profiles.sheet.read_sheet`).
        confidence: confidence level of the intervals.
        seed: seed of the bootstrap.

    Raises:
        UserError: a story of the sheet is not in the run.
    """
    records = extraction.records
    profiles = [json.loads(text) for text in records["extracted_attributes_json"]]
    extracted = {
        key: Coding(bool(refusal), profile)
        for key, refusal, profile in zip(records["story_key"], records["refusal"], profiles, strict=True)
    }
    strange = next((key for key in coded if key not in extracted), None)
    if strange is not None:
        raise UserError(
            f"The sheet has a story '{strange}' that is not in {extraction.folder}. Give the sheet of this run."
        )
    compared = confusions(coded, extracted, extraction.vocabulary)
    names = [attribute.name for attribute in extraction.vocabulary]
    stories = (
        pl.DataFrame(profiles, schema=dict.fromkeys(names, pl.String))
        .with_columns(records["generator_model"], records["refusal"])
        .filter(refusal=0)
    )
    return ExtractionAnalysis(
        error_table(compared, confidence),
        confusion_table(compared),
        corrected_table(stories, compared[1:], confidence, seed),
    )
