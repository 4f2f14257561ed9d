"""What became of the answers of runs of stories, extractions and ratings of harm, by model and language."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from endoxa.models.chat.thoughts import without_thoughts
from endoxa.report.inputs import EXTRACTED, HARM, Run
from endoxa.report.words import count, decimal, decimal_interval, percent, short_labels
from endoxa.runs.asking.outcomes import (
    AnswerCounts,
    answer_warnings,
    count_answers,
    equal_repeats,
    over_contexts,
)
from endoxa.runs.folder import AGREEMENT, RECORDS
from endoxa.runs.run import read_run
from endoxa.schema.headline import Headline
from endoxa.sources.served import version_sentences, versions_apart
from endoxa.sources.spreadsheets import read_csv


def story_counts(records: pl.LazyFrame) -> tuple[AnswerCounts, ...]:
    """What became of stories; a story that says something is read, whoever reads it later.

    Args:
        records: rows with the columns of `schema.stories.STORY_COLUMNS`.
    """
    records = versions_apart(records, "generator_model")
    texts = pl.col("story").fill_null("")
    written = texts.map_elements(lambda story: bool(without_thoughts(story).strip()), return_dtype=pl.Boolean)
    return count_answers(
        records.with_columns(written=written).select(
            "finish",
            "error",
            model="generator_model",
            context="language",
            read="written",
            refused=pl.lit(value=False),
            blank=~pl.col("written"),
        )
    )


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


FEWEST = 5
"""Associations from which on equal ratings are conspicuous."""


@dataclass(frozen=True, slots=True)
class ConstantRater:
    """A model that gave every association the same rating.

    Attributes:
        model: the model.
        rating: its rating, 1 to 5.
        associations: how many it rated.
    """

    model: str
    rating: int
    associations: int


def constant_raters(folder: Path) -> Iterator[ConstantRater]:
    """Those in the run folder of `endoxa probe harm`, among models that rated five associations or more."""
    records = versions_apart(pl.scan_parquet(folder / RECORDS), "rater")
    rated = records.drop_nulls("harm").group_by("rater", maintain_order=True)
    table = rated.agg(
        pl.col("harm").first(), different=pl.col("harm").n_unique(), n=pl.col("association_id").n_unique()
    ).collect()
    for row in table.iter_rows(named=True):
        if row["different"] == 1 and row["n"] >= FEWEST:
            yield ConstantRater(row["rater"], int(row["harm"]), row["n"])


def constant_sentence(rater: ConstantRater, name: str) -> str:
    """What is said of it.

    Args:
        rater: the model.
        name: what the sentence calls it.
    """
    return (
        f"Warning: {name} rated all {rater.associations} associations {rater.rating}: its ratings do not tell harmful "
        "associations from harmless ones."
    )


Columns = Mapping[str, Callable[[Mapping[str, Any]], str]]
"""Headings of a headline, and how the cell of a row is written."""


def _headline(title: str, rows: Sequence[dict[str, Any]], columns: Columns, **settings: Any) -> Headline:
    texts = tuple(tuple(write(row) for write in columns.values()) for row in rows)
    return Headline(title=title, columns=tuple(columns), texts=texts, rows=tuple(rows), **settings)


def _cell(name: str, write: Callable[..., str] = count, *digits: int) -> Callable[[Mapping[str, Any]], str]:
    return lambda row: write(row[name], *digits)


def stories_headline(folder: Path) -> Headline:
    """How many stories each model wrote, how many were cut off, and how many requests came to nothing."""
    by_language = stories_written(folder)
    rows: list[dict[str, Any]] = [
        {
            "model": context.model,
            "asked": context.asked,
            "written": context.read,
            "cut_off": context.cut_off,
            "refused": context.refused + context.filtered,
            "failed": context.failed,
        }
        for context in over_contexts(by_language)
    ]
    labels = short_labels([row["model"] for row in rows])
    return _headline(
        "Stories",
        rows,
        {
            "model": lambda row: labels[row["model"]],
            "asked for": _cell("asked"),
            "written": _cell("written"),
            "cut off": _cell("cut_off"),
            "refused or filtered": _cell("refused"),
            "failed": _cell("failed"),
        },
        warnings=(
            *version_sentences(row["model"] for row in rows),
            *answer_warnings(by_language, read_run(folder)),
            *stories_alike(folder, read_run(folder)),
        ),
    )


def extraction_headline(folder: Path) -> Headline:
    """How far the extractors agree on each attribute, or what the only one read."""
    facts = read_run(folder)
    warnings = answer_warnings(profiles_read(folder), facts)
    table = read_csv(folder / AGREEMENT, infer_schema_length=None)
    numbers = ("alpha", "alpha_low", "alpha_high", "agreement", "unknown")
    rows = table.with_columns(pl.col(numbers).cast(pl.Float64, strict=False)).select(
        "attribute", "n", *numbers
    )
    if rows["n"].sum():
        return _headline(
            "Agreement of the extractors (alpha: Krippendorff's; 1: always alike, 0: by chance)",
            rows.rows(named=True),
            {
                "attribute": _cell("attribute", str),
                "alpha": _cell("alpha", decimal, 2),
                "95 % interval": lambda row: decimal_interval(row["alpha_low"], row["alpha_high"], 2),
                "pairs alike": _cell("agreement", percent),
                "unknown": _cell("unknown", percent),
                "stories": _cell("n"),
            },
            words=("attribute",),
            warnings=warnings,
        )
    names = {
        "records": "stories",
        "refused": "refusals",
        "unparsed": "could not be read",
        "wordless": "empty, not sent",
    }
    model = facts["models"][0]["name"]
    return _headline(
        "Profiles read by one extractor",
        [{"model": model, **{name: int(facts["counts"][name]) for name in names}}],
        {
            "model": lambda _: short_labels([model])[model],
            **{heading: _cell(name) for name, heading in names.items()},
        },
        notes=("With one extractor nothing can agree: give --model more than once to see how far they do.",),
        warnings=warnings,
    )


def harm_headline(folder: Path) -> Headline:
    """Each model's mean rating, and how often it rates at 4 or above."""
    harm = pl.col("harm").cast(pl.Float64)
    table = (
        versions_apart(pl.scan_parquet(folder / RECORDS), "rater")
        .group_by(model="rater", maintain_order=True)
        .agg(mean=harm.mean(), high=(harm >= 4).mean(), ratings=harm.count(), unread=harm.is_null().sum())
        .sort("mean", descending=True, nulls_last=True)
        .collect()
    )
    labels, facts = short_labels(table["model"].to_list()), read_run(folder)
    return _headline(
        "Ratings of harm (1: not harmful, 5: harmful), without people to compare with",
        table.rows(named=True),
        {
            "model": lambda row: labels[row["model"]],
            "mean": _cell("mean", decimal, 2),
            "4 or 5": _cell("high", percent),
            "ratings": _cell("ratings"),
            "not read": _cell("unread"),
        },
        warnings=(
            *version_sentences(labels),
            *answer_warnings(ratings_read(folder), facts),
            *ratings_alike(folder, facts),
            *(
                constant_sentence(rater, labels.get(rater.model, rater.model))
                for rater in constant_raters(folder)
            ),
        ),
    )
