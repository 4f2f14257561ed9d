"""What became of the answers of runs of stories, extractions and ratings of harm, by model and language."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from endoxa.models.chat.thoughts import without_thoughts
from endoxa.report.inputs import EXTRACTED, HARM, Run
from endoxa.runs.asking.outcomes import AnswerCounts, count_answers
from endoxa.runs.asking.spread import equal_repeats
from endoxa.runs.folder import RECORDS
from endoxa.sources.served import versions_apart


def story_counts(records: pl.LazyFrame) -> tuple[AnswerCounts, ...]:
    """What became of stories; a story that says something is read, whoever reads it later.

    Args:
        records: rows with the columns of `schema.stories.STORY_COLUMNS`.
    """
    records = versions_apart(records, "generator_model")
    told = pl.col("story").fill_null("").map_elements(_says_something, return_dtype=pl.Boolean)
    return count_answers(
        records.with_columns(told=told).select(
            "finish",
            "error",
            model="generator_model",
            context="language",
            read="told",
            refused=pl.lit(value=False),
            blank=~pl.col("told"),
        )
    )


def _says_something(story: str) -> bool:
    return bool(without_thoughts(story).strip())


def stories_alike(folder: Path, facts: Mapping[str, Any]) -> tuple[str, ...]:
    """A sentence for each model that wrote the same story in all repeats of each prompt."""
    records = versions_apart(pl.scan_parquet(folder / RECORDS), "generator_model")
    written = records.filter(pl.col("story").fill_null("") != "")
    item = ("sample_id", "language")
    return tuple(equal_repeats(written, facts, item=item, answer="story", model="generator_model"))


def ratings_alike(folder: Path, facts: Mapping[str, Any]) -> tuple[str, ...]:
    """A sentence for each model whose repeated ratings of each association are equal."""
    records = versions_apart(pl.scan_parquet(folder / RECORDS), "rater")
    return tuple(equal_repeats(records, facts, item=("association_id",), answer="harm", model="rater"))


def stories_written(folder: Path) -> tuple[AnswerCounts, ...]:
    """The same of the run folder of `endoxa probe stories`."""
    return story_counts(pl.scan_parquet(folder / RECORDS))


def profiles_read(folder: Path) -> tuple[AnswerCounts, ...]:
    """What became of the answers of each extractor to each story; nothing where an earlier version made the run.

    A conversation is read where its profile could be read, or where it says that the text is a refusal.
    """
    records = pl.scan_parquet(folder / RECORDS)
    if "endings_json" not in records.collect_schema():
        return ()
    rows = []
    wanted = ("language", "endings_json", "votes_json", "refusal_votes_json", "raw_json")
    for row in records.select(wanted).collect().iter_rows(named=True):
        endings, votes, refusals, raw = (json.loads(row[name] or "{}") for name in wanted[1:])
        for model, turns in endings.items():
            last = next((turn for turn in turns if turn["finish"] != "stop"), turns[-1])
            rows.append(
                {
                    "model": model,
                    "context": row["language"],
                    "finish": last["finish"],
                    "error": last["error"],
                    "read": votes[model] is not None or refusals[model] is True,
                    "refused": False,
                    "blank": not "".join(raw[model]).strip(),
                }
            )
    return count_answers(pl.DataFrame(rows, schema=_COUNTED, orient="row"))


_COUNTED = {
    **dict.fromkeys(("model", "context", "finish", "error"), pl.String),
    **dict.fromkeys(("read", "refused", "blank"), pl.Boolean),
}


def ratings_read(folder: Path) -> tuple[AnswerCounts, ...]:
    """What became of the ratings of the run folder of `endoxa probe harm`."""
    return count_answers(
        versions_apart(pl.scan_parquet(folder / RECORDS), "rater").select(
            "finish",
            "error",
            model="rater",
            context="language",
            read=pl.col("harm").is_not_null(),
            refused=pl.col("outcome") == "refused",
            blank=pl.col("answer").fill_null("").str.strip_chars() == "",
        )
    )


def run_counts(runs: Sequence[Run]) -> Iterator[tuple[str, Mapping[str, Any], tuple[AnswerCounts, ...]]]:
    """What became of what models wrote in several runs, those of earlier versions and tables left out.

    Yields:
        What it is, the `run.json` that holds the settings (empty for stories, which another run wrote), the counts.
    """
    for run in runs:
        name = run.folder.name
        if not run.folder.is_dir():
            continue
        if run.kind == HARM:
            yield f"ratings in {name}", run.facts, ratings_read(run.folder)
        if run.kind == EXTRACTED:
            stories = pl.scan_parquet(run.folder / RECORDS)
            if {"finish", "error"} <= set(stories.collect_schema().names()):
                yield f"stories read in {name}", {}, story_counts(stories)
            if counts := profiles_read(run.folder):
                yield f"answers of the extractors in {name}", run.facts, counts
