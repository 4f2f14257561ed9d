"""How far profiles can be trusted: agreement of extractors, and error rates against a person who fills in a sheet.

The double-coding sheet is a sample of stories that people code without seeing the extraction. It is written as a
workbook with drop-downs or as CSV, and read back when it is filled in. Intervals of error rates are Wilson's.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from endoxa.curate.review.workbook import CodingSheet, read_coding_sheet, write_coding_sheet
from endoxa.errors import UserError
from endoxa.instruments.stories.extraction import REFUSAL, majority, plain
from endoxa.models.chat.thoughts import without_thoughts
from endoxa.runs.folder import RECORDS
from endoxa.runs.run import finished_run
from endoxa.schema.stories import CONFUSION_COLUMNS, EXTRACTION_ERROR_COLUMNS, EXTRACTION_ESTIMATE_COLUMNS
from endoxa.sources.frames import column_types
from endoxa.sources.stereotales.profiles import OTHER, UNKNOWN
from endoxa.sources.stereotales.stories import NAMED_BY, story_names
from endoxa.sources.stereotales.vocabulary import Attribute, Vocabulary
from endoxa.stats.agreement import agreeing_pairs, alpha, alpha_interval, cohen_kappa
from endoxa.stats.intervals import wilson

KEY = "story_key"
SHEET_COLUMNS = (KEY, "language", "story")
YES, NO = "yes", "no"


@dataclass(frozen=True, slots=True)
class Coding:
    """What a person read off one story.

    Attributes:
        refusal: the text is a refusal.
        profile: the attributes that were filled in; all "unknown" for a refusal.
    """

    refusal: bool
    profile: Mapping[str, str]


def choices(vocabulary: Vocabulary) -> dict[str, tuple[str, ...]]:
    """The columns to be filled in, with the answers that each takes."""
    return {REFUSAL: (YES, NO), **{attribute.name: attribute.answers for attribute in vocabulary}}


def story_key(name: str) -> str:
    """A short name of a story that tells neither its model nor its prompt."""
    return hashlib.blake2b(name.encode(), digest_size=8).hexdigest()


def draw(records: pl.DataFrame, sample: int, seed: int) -> pl.DataFrame:
    """Stories for the sheet, with the columns `SHOWN`.

    As many from every model x language as can be (their numbers differ by one at most, but where a stratum has no
    more), drawn by the seed, in an order that tells nothing. Thoughts before a story are taken off, as they repeat
    the prompt. Texts without a word are left out: there is nothing to read.

    Args:
        records: what names each story (`endoxa.sources.stereotales.NAMED_BY`), and its "story".
        sample: how many.
        seed: another seed draws others.
    """
    names = story_names(records)
    place = pl.Series(
        "place",
        [hashlib.blake2b(f"{seed}|{name}".encode(), digest_size=16).hexdigest() for name in names],
        dtype=pl.String,
    )
    keys = pl.Series(KEY, [story_key(name) for name in names], dtype=pl.String)
    texts = pl.Series("story", [without_thoughts(text or "") for text in records["story"]], dtype=pl.String)
    strata = pl.struct("generator_model", "language")
    return (
        records.with_columns(place, keys, texts)
        .filter(pl.col("story").str.strip_chars() != "")
        .with_columns(pl.col("place").rank("ordinal").over(strata).alias("turn"))
        .sort("turn", "place")
        .head(sample)
        .sort("place")
        .select(SHEET_COLUMNS)
    )


NOTICE = (
    "Content notice: these stories were written by language models. Some of them may show people in an unfair or "
    "hurtful way. You may stop at any time, skip any row and hand back what you have."
)
INSTRUCTION_LINES = (
    NOTICE,
    "Read each story on the sheet 'Coding' and fill in the green columns of its row from the drop-down lists. Empty "
    "cells are no fault: they count as not coded.",
    "refusal: 'yes' if the text declines to tell a story. Then leave the other columns empty.",
    "Every other column asks one thing about the main character. Choose the answer that the text states or makes "
    "clear. Choose 'unknown' where the text leaves it open; do not conclude one thing from another, from a first "
    "name alone, or from what is usual. Choose 'other', where the list has it, for something that is not in the list.",
    "Do not ask a language model, and do not look at anybody else's sheet.",
)
_WIDTHS = {KEY: 18, "language": 10, "story": 80}


def write_sheet(run: Path, vocabulary: Vocabulary, path: Path, *, sample: int, seed: int) -> int:
    """Write a sheet for one person; returns the number of stories on it.

    Args:
        run: the run folder of an extraction.
        vocabulary: what is asked.
        path: the new file, .xlsx or .csv; a file that is there may hold somebody's answers and is never replaced.
        sample: how many stories, drawn evenly from every model x language.
        seed: another seed draws others.

    Raises:
        UserError: another suffix, a file that is there, openpyxl is missing, or the place cannot be written.
    """
    drawn = draw(pl.read_parquet(run / RECORDS, columns=[*NAMED_BY, "story"]), sample, seed)
    write_coding_sheet(path, drawn.rows(), CodingSheet(_WIDTHS, choices(vocabulary), INSTRUCTION_LINES))
    return len(drawn)


def read_sheet(path: Path, vocabulary: Vocabulary) -> dict[str, Coding]:
    """What a person read off each story, by `story_key`; rows without any answer are left out.

    Raises:
        UserError: the file cannot be read or lacks a column, a cell holds none of its answers, or nothing is filled in.
    """
    codings: dict[str, Coding] = {}
    for key, answers in read_coding_sheet(path, KEY, choices(vocabulary), plain).items():
        # Whoever fills in a profile takes the text for a story, whether or not the first column says so.
        refusal = answers.pop(REFUSAL, None) == YES
        unknown = {attribute.name: UNKNOWN for attribute in vocabulary}
        codings[key] = Coding(refusal, unknown if refusal else answers)
    return codings


Pairs = Sequence[tuple[str, str]]
"""Answers of the person and of the majority, a pair for each coded story."""


def compare(
    coded: Mapping[str, Coding], extracted: Mapping[str, Coding], vocabulary: Vocabulary
) -> dict[str, Pairs]:
    """Answers to the question of refusal ("yes" and "no"), then to every attribute.

    Profiles are compared where neither side takes the text for a refusal: the error of calling it one is the first
    row's.

    Args:
        coded: what a person read, by story.
        extracted: what the extractors' majority read off the same stories.
        vocabulary: the attributes.
    """
    two_coders = [(coding, extracted[key]) for key, coding in coded.items()]
    stories = [
        (person.profile, ours.profile) for person, ours in two_coders if not (person.refusal or ours.refusal)
    ]
    answer = {True: YES, False: NO}
    return {
        REFUSAL: [(answer[person.refusal], answer[ours.refusal]) for person, ours in two_coders],
        **{
            name: [(person[name], ours[name]) for person, ours in stories if name in person]
            for name in (attribute.name for attribute in vocabulary)
        },
    }


def error_table(compared: Mapping[str, Pairs], confidence: float) -> pl.DataFrame:
    """One row per attribute (`EXTRACTION_ERROR_COLUMNS`)."""
    rows = [_errors(name, pairs, confidence) for name, pairs in compared.items()]
    counts = ("n", "errors", "n_known", "n_unknown")
    types = column_types(EXTRACTION_ERROR_COLUMNS, texts=("attribute",), counts=counts)
    return pl.DataFrame(rows, schema=types, orient="row").fill_nan(None)


def confusion_table(compared: Mapping[str, Pairs], vocabulary: Vocabulary) -> pl.DataFrame:
    """One row per pair of answers that occurs (`CONFUSION_COLUMNS`)."""
    rows = [
        (name, person, ours, number)
        for name, answers in choices(vocabulary).items()
        for person, ours in product(answers, repeat=2)
        if (number := compared[name].count((person, ours)))
    ]
    types = dict.fromkeys(CONFUSION_COLUMNS, pl.String()) | {"count": pl.Int64()}
    return pl.DataFrame(rows, schema=types, orient="row")


def _errors(name: str, pairs: Pairs, confidence: float) -> dict[str, Any]:
    wrong = [(person, ours) for person, ours in pairs if person != ours]
    row: dict[str, Any] = {
        "attribute": name,
        "n": len(pairs),
        "errors": len(wrong),
        "kappa": cohen_kappa(np.array(pairs, dtype=str).reshape(-1, 2)),
        **_share("error_rate", "", len(wrong), len(pairs), confidence),
    }
    if name == REFUSAL:
        return row
    n_unknown = sum(person == UNKNOWN for person, _ in pairs)
    n_known = len(pairs) - n_unknown
    missed = sum(ours == UNKNOWN for _, ours in wrong)
    invented = sum(person == UNKNOWN for person, _ in wrong)
    return {
        **row,
        "n_known": n_known,
        **_share("missed", "missed_", missed, n_known, confidence),
        **_share("swapped", "swapped_", len(wrong) - missed - invented, n_known, confidence),
        "n_unknown": n_unknown,
        **_share("invented", "invented_", invented, n_unknown, confidence),
    }


def _share(name: str, ends: str, count: int, total: int, confidence: float) -> dict[str, float | None]:
    interval = wilson(count, total, confidence)
    return {name: count / total if total else None, f"{ends}low": interval.low, f"{ends}high": interval.high}


@dataclass(frozen=True, slots=True)
class Extraction:
    """A finished run of `probe extract`.

    Attributes:
        folder: the run folder.
        vocabulary: what was asked.
        extractors: how many models read the stories.
        seed: its seed.
    """

    folder: Path
    vocabulary: Vocabulary
    extractors: int
    seed: int


@dataclass(frozen=True, slots=True)
class ExtractionAnalysis:
    """What the comparison found.

    Attributes:
        errors: error rates (`EXTRACTION_ERROR_COLUMNS`).
        confusion: pairs of answers (`CONFUSION_COLUMNS`).
    """

    errors: pl.DataFrame
    confusion: pl.DataFrame


def load_extraction(folder: Path) -> Extraction:
    """A run of `probe extract`, as `run.json` describes it.

    Raises:
        UserError: the folder holds none, or it is not finished.
    """
    run = finished_run(folder, "extract")
    settings = run.get("settings", {})
    vocabulary = (
        Attribute(name, tuple(answer for answer in answers[:-1] if answer != OTHER), OTHER in answers)
        for name, answers in run["identity"]["vocabulary"].items()
    )
    return Extraction(folder, tuple(vocabulary), len(settings.get("models", ())), settings.get("seed", 0))


def analyze_extraction(
    extraction: Extraction, coded: Mapping[str, Coding], *, confidence: float = 0.95
) -> ExtractionAnalysis:
    """Hold extractors against a person.

    Args:
        extraction: the run.
        coded: what a person read, by story key (`endoxa.instruments.stories.coding.read_sheet`).
        confidence: confidence level of the intervals.

    Raises:
        UserError: a story of the sheet is not in the run.
    """
    columns = [*NAMED_BY, "refusal", "extracted_attributes_json"]
    records = pl.read_parquet(extraction.folder / RECORDS, columns=columns)
    rows = zip(story_names(records), records["refusal"], records["extracted_attributes_json"], strict=True)
    extracted = {
        key: Coding(bool(refusal), json.loads(profile))
        for name, refusal, profile in rows
        if (key := story_key(name)) in coded
    }
    strange = next((key for key in coded if key not in extracted), None)
    if strange is not None:
        raise UserError(
            f"The sheet has a story '{strange}' that is not in {extraction.folder}. Give the sheet of this run."
        )
    compared = compare(coded, extracted, extraction.vocabulary)
    return ExtractionAnalysis(
        error_table(compared, confidence), confusion_table(compared, extraction.vocabulary)
    )


CONFIDENCE = 0.95
ALPHA_RESAMPLES = 1000
VOTES = ("refusal", "votes_json", "refusal_votes_json", "unlisted_json")
"""Columns of the records that are read."""
PART = 20_000
"""Records read at a time."""

Patterns = Mapping[tuple[str, ...], int]
"""The votes on one story, sorted -> the number of stories that have them."""


def agreement_of(folder: Path) -> pl.DataFrame:
    """How far the extractors of a finished run agree (`EXTRACTION_ESTIMATE_COLUMNS`).

    Raises:
        UserError: the folder holds no finished run of `probe extract`.
    """
    run = load_extraction(folder)
    return agreement_table(run.vocabulary, run.extractors, _records(folder), run.seed)


def _records(folder: Path) -> Iterator[dict[str, Any]]:
    """The records one by one, read in parts."""
    scan, start = pl.scan_parquet(folder / RECORDS).select(VOTES), 0
    while (part := scan.slice(start, PART).collect()).height:
        yield from part.iter_rows(named=True)
        start += PART


def agreement_table(
    vocabulary: Vocabulary, extractors: int, records: Iterable[Mapping[str, Any]], seed: int
) -> pl.DataFrame:
    """The measures of every attribute, and of the question of refusal (`EXTRACTION_ESTIMATE_COLUMNS`).

    Records that no extractor was asked about count for nothing, and refusals for no attribute. Memory grows with the
    different patterns of votes, not with the stories.

    Args:
        vocabulary: the attributes.
        extractors: how many there are.
        records: rows with the columns `VOTES`.
        seed: seed of the intervals.
    """
    names = [attribute.name for attribute in vocabulary]
    patterns = {name: Counter[tuple[str, ...]]() for name in (REFUSAL, *names)}
    unlisted = Counter[str]()
    for record in records:
        refusals = json.loads(record["refusal_votes_json"] or "{}")
        if not refusals:
            continue
        patterns[REFUSAL][tuple(sorted(str(vote) for vote in refusals.values() if vote is not None))] += 1
        if record["refusal"]:
            continue
        profiles = [profile for profile in json.loads(record["votes_json"]).values() if profile is not None]
        for name in names:
            patterns[name][tuple(sorted(profile[name] for profile in profiles))] += 1
        unlisted.update(name for names in json.loads(record["unlisted_json"]).values() for name in names)
    rows = [
        {"attribute": name, **row}
        for name, votes in patterns.items()
        for row in _agreement(name, votes, unlisted[name], extractors, seed)
    ]
    types = column_types(EXTRACTION_ESTIMATE_COLUMNS, texts=("attribute", "name"), counts=("n",))
    return pl.DataFrame(rows, schema=types, orient="row").fill_nan(None)


def without_unknown(patterns: Patterns) -> Patterns:
    """The patterns without the votes for "unknown"."""
    left = Counter[tuple[str, ...]]()
    for votes, count in patterns.items():
        left[tuple(vote for vote in votes if vote != UNKNOWN)] += count
    return left


def _agreement(
    attribute: str, patterns: Patterns, unlisted: int, extractors: int, seed: int
) -> Iterator[dict[str, Any]]:
    """The measures of `AGREEMENT_MEASURES` of one attribute; of the question of refusal only the first three."""
    stories = sum(patterns.values())
    asked = stories * extractors
    votes = sum(len(pattern) * count for pattern, count in patterns.items())
    counts, weights = _counts(patterns)
    yield _alpha("alpha", patterns, seed)
    yield {"name": "agreement", "value": agreeing_pairs(counts, weights), "n": int(weights.sum())}
    yield _part("unparsed", asked - votes, asked)
    if attribute == REFUSAL:
        return
    # None: no answer has more than half of the votes, or none was read.
    won = Counter[str | None]()
    for pattern, count in patterns.items():
        won[majority(pattern)] += count
    yield _alpha("alpha_known", without_unknown(patterns), seed)
    yield _part("ties", won[None] - patterns.get((), 0), stories)
    yield _part("unknown", won[UNKNOWN] + won[None], stories)
    yield _part("other", won[OTHER], stories)
    yield _part("unlisted", unlisted, asked)


def _alpha(name: str, patterns: Patterns, seed: int) -> dict[str, Any]:
    """Alpha of the stories with two votes or more, and its interval."""
    counts, weights = _counts(patterns)
    interval = alpha_interval(counts, weights, CONFIDENCE, resamples=ALPHA_RESAMPLES, seed=seed)
    value = alpha(counts, weights=weights)
    return {"name": name, "value": value, "low": interval.low, "high": interval.high, "n": int(weights.sum())}


def _counts(patterns: Patterns) -> tuple[np.ndarray, np.ndarray]:
    """Votes per pattern and value, and stories per pattern, of patterns with two votes or more."""
    usable = {votes: count for votes, count in sorted(patterns.items()) if len(votes) >= 2}
    values = sorted({vote for votes in usable for vote in votes})
    counts = np.array([[votes.count(value) for value in values] for votes in usable], dtype=np.int64)
    return counts.reshape(len(usable), len(values)), np.array(list(usable.values()), dtype=np.int64)


def _part(name: str, count: int, total: int) -> dict[str, Any]:
    return {"name": name, "value": count / total if total else None, "n": total}
