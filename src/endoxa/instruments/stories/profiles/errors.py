"""Error rates of an extraction against a human coder, with Wilson intervals."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from endoxa.curate.agreement import cohen_kappa
from endoxa.errors import UserError
from endoxa.instruments.stories.profiles.correction import Confusion, confusions, corrected_table
from endoxa.instruments.stories.profiles.questions import REFUSAL
from endoxa.instruments.stories.profiles.sheet import Coding, story_key
from endoxa.runs.folder import RECORDS, RUN
from endoxa.schema.stories import CONFUSION_COLUMNS, EXTRACTION_ERROR_COLUMNS
from endoxa.sources.files import require_file
from endoxa.sources.stereotales import NAMED_BY, OTHER, Attribute, Vocabulary, story_names
from endoxa.stats.intervals import wilson


def error_table(confusions: Sequence[Confusion], confidence: float) -> pl.DataFrame:
    """One row per attribute (`EXTRACTION_ERROR_COLUMNS`)."""
    rows = [_row(confusion, confidence) for confusion in confusions]
    whole = ("n", "errors", "n_known", "n_unknown")
    types = {name: pl.Int64() if name in whole else pl.Float64() for name in EXTRACTION_ERROR_COLUMNS}
    return pl.DataFrame(rows, schema=types | {"attribute": pl.String()}, orient="row").fill_nan(None)


def confusion_table(confusions: Sequence[Confusion]) -> pl.DataFrame:
    """One row per pair of answers that occurs (`CONFUSION_COLUMNS`)."""
    return pl.DataFrame(
        list(_cells(confusions)),
        schema=dict.fromkeys(CONFUSION_COLUMNS, pl.String()) | {"count": pl.Int64()},
        orient="row",
    )


def _cells(confusions: Sequence[Confusion]) -> Iterator[tuple[str, str, str, int]]:
    for confusion in confusions:
        for (human, extracted), count in _entries(confusion):
            yield confusion.attribute, confusion.answers[human], confusion.answers[extracted], count


def _entries(one: Confusion) -> Iterator[tuple[tuple[int, int], int]]:
    counts = one.counts
    for human, extracted in zip(*counts.nonzero(), strict=True):
        yield (int(human), int(extracted)), int(counts[human, extracted])


def _row(one: Confusion, confidence: float) -> dict[str, Any]:
    counts = one.counts
    total, right = int(counts.sum()), int(counts.trace())
    row: dict[str, Any] = {
        "attribute": one.attribute,
        "n": total,
        "errors": total - right,
        "kappa": cohen_kappa(one.pairs),
        **_share("error_rate", "", total - right, total, confidence),
    }
    if one.attribute == REFUSAL:
        return row
    known, unknown = counts[:-1], counts[-1]
    n_known, n_unknown = int(known.sum()), int(unknown.sum())
    missed = int(known[:, -1].sum())
    return {
        **row,
        "n_known": n_known,
        **_share("missed", "missed_", missed, n_known, confidence),
        **_share("swapped", "swapped_", n_known - missed - int(known.trace()), n_known, confidence),
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
        asked = run.get("settings", {})
    except (ValueError, KeyError, TypeError, AttributeError) as problem:
        raise UserError(f"{folder / RUN} is not readable as a run.") from problem
    if not usable:
        raise UserError(f"{folder} is not a finished run of `endoxa probe extract`.")
    return RunFacts(_vocabulary(stated), len(asked.get("models", ())), asked.get("seed", 0))


def _vocabulary(stated: Mapping[str, list[str]]) -> Vocabulary:
    """The vocabulary as the run's identity has it: for each attribute its answers, "unknown" last."""
    return tuple(
        Attribute(name, tuple(answer for answer in answers[:-1] if answer != OTHER), OTHER in answers)
        for name, answers in stated.items()
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
    found = confusions(coded, extracted, extraction.vocabulary)
    names = [one.name for one in extraction.vocabulary]
    told = (
        pl.DataFrame(profiles, schema=dict.fromkeys(names, pl.String))
        .with_columns(records["generator_model"], records["refusal"])
        .filter(refusal=0)
    )
    return ExtractionAnalysis(
        error_table(found, confidence),
        confusion_table(found),
        corrected_table(told, found[1:], confidence, seed),
    )
