"""What else may explain associations in stories: lost stories, who read them, repeats of a prompt, words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import polars as pl

from endoxa.instruments.stories import outcomes
from endoxa.instruments.stories.outcomes import run_counts, stories_written
from endoxa.report.inputs import EXTRACTED, Run, entries
from endoxa.report.quoting import Diagnostic, answers_lost, review, with_diagnostics
from endoxa.report.words import count, decimal, percent, plural, short_labels
from endoxa.runs.folder import AGREEMENT, RECORDS
from endoxa.runs.run import read_run
from endoxa.schema.headline import Headline
from endoxa.sources.served import versions_apart
from endoxa.sources.spreadsheets import read_csv

MANY_LOST = 0.05
LEAST_ALPHA = 2 / 3
"""Krippendorff (2004): below it, data are too unreliable even for tentative conclusions."""
MANY_EQUAL = 0.05
REFUSED = ("true", "1")
WHAT = {"stories": "stories", "answers": "answers of extractors", "ratings": "ratings"}


def diagnostics(runs: Sequence[Run], labels: Mapping[str, str]) -> Iterator[Diagnostic]:
    """Everything that is looked at in runs about stories; tables have no records and say nothing.

    Args:
        runs: extractions, ratings of harm and tables.
        labels: how models are called.
    """
    for what, _, counts in run_counts(runs):
        yield from answers_lost(counts, labels, WHAT[what.split()[0]])
    read = [run for run in runs if run.kind == EXTRACTED and run.folder.is_dir()]
    for run in read:
        yield from _profiles(run.folder, labels)
    for run in read:
        yield from _extractors(run)
    for run in read:
        yield from _repeats(run.folder, labels)
    for run in runs:
        yield from review(run.facts, int((run.facts.get("counts") or {}).get("items", 0)), "stories")


def stories_headline(folder: Path) -> Headline:
    """The headline of the run folder of `endoxa probe stories`, with what else may explain it."""
    facts, counts = read_run(folder), stories_written(folder)
    items = int((facts.get("counts") or {}).get("items", 0))
    labels = short_labels([row.model for row in counts])
    lost = answers_lost(counts, labels, "stories")
    return with_diagnostics(outcomes.stories_headline(folder), [*lost, *review(facts, items, "stories")])


def extraction_headline(folder: Path) -> Headline:
    """The headline of the run folder of `endoxa probe extract`, with what else may explain it."""
    facts = read_run(folder)
    names = [str(model.get("name")) for model in entries(facts.get("models"))]
    writers = pl.scan_parquet(folder / RECORDS).select(pl.col("generator_model").unique(maintain_order=True))
    labels = short_labels([*names, *writers.collect()["generator_model"].drop_nulls().to_list()])
    return with_diagnostics(outcomes.extraction_headline(folder), diagnostics([Run(folder, facts)], labels))


def _stories(folder: Path, *columns: str) -> pl.LazyFrame | None:
    """Stories with these columns; None where an earlier version made the run without them."""
    lazy = pl.scan_parquet(folder / RECORDS)
    present = set(lazy.collect_schema().names())
    return versions_apart(lazy, "generator_model") if {"generator_model", *columns} <= present else None


def _profiles(folder: Path, labels: Mapping[str, str]) -> Iterator[Diagnostic]:
    """Stories that count in nothing: refusals, and those without a profile."""
    stories = _stories(folder, "refusal")
    if stories is None:
        return
    table = stories.group_by(model="generator_model", maintain_order=True).agg(
        n=pl.len(), refused=pl.col("refusal").cast(pl.String).str.to_lowercase().is_in(REFUSED).sum()
    )
    for row in table.collect().iter_rows(named=True):
        share = row["refused"] / row["n"]
        sentence = (
            f"{labels.get(row['model'], row['model'])}: {count(row['refused'])} of "
            f"{plural(row['n'], 'story', 'stories')} ({percent(share)}) were read as refusals; associations speak of "
            "the others only."
        )
        yield Diagnostic(
            "refusals",
            sentence,
            share > MANY_LOST,
            row["n"],
            row["model"],
            value=share,
            numbers={"refused": row["refused"]},
        )


def _extractors(run: Run) -> Iterator[Diagnostic]:
    """How far those who read the stories agree; a single one may err as often as it likes."""
    name = "errors of extraction"
    path = run.folder / AGREEMENT
    readers = [str(model.get("name")) for model in entries(run.facts.get("models"))]
    n = int((run.facts.get("counts") or {}).get("records", 0))
    if len(readers) == 1:
        sentence = (
            "One model read all stories, so nothing in this run tells how often it errs: have a person code some of "
            "them (--sheet), or give several extractors."
        )
        yield Diagnostic(name, sentence, True, n)
        return
    if not path.is_file():
        return
    table = read_csv(path, infer_schema_length=None)
    if not {"attribute", "alpha"} <= set(table.columns):
        return
    alphas = (
        table.select("attribute", pl.col("alpha").cast(pl.Float64, strict=False))
        .drop_nulls()
        .drop_nans("alpha")
    )
    if alphas.is_empty():
        return
    below = alphas.filter(pl.col("alpha") < LEAST_ALPHA).height
    least = alphas.sort("alpha").row(0, named=True)
    sentence = (
        f"Krippendorff's alpha of {plural(len(readers), 'extractor')} is below 2/3 for {below} of "
        f"{plural(alphas.height, 'attribute')} (least: {decimal(least['alpha'], 2)}, {least['attribute']})."
    )
    numbers = {
        "extractors": len(readers),
        "low_attributes": below,
        "attributes": alphas.height,
        "two": 2,
        "three": 3,
    }
    yield Diagnostic(name, sentence, below > 0, n, value=least["alpha"], numbers=numbers)


def _repeats(folder: Path, labels: Mapping[str, str]) -> Iterator[Diagnostic]:
    """Stories told again word for word when a prompt was repeated; repeats of a prompt are one unit of the tests."""
    stories = _stories(folder, "sample_id", "language", "story")
    if stories is None:
        return
    told = stories.filter(pl.col("story").fill_null("") != "")
    prompts = told.group_by("generator_model", "sample_id", "language").agg(
        n=pl.len(), different=pl.col("story").hash().n_unique()
    )
    table = prompts.group_by(model="generator_model").agg(
        prompts=pl.len(), stories=pl.col("n").sum(), again=(pl.col("n") - pl.col("different")).sum()
    )
    for row in table.sort("model").collect().iter_rows(named=True):
        share = row["again"] / row["stories"]
        sentence = (
            f"{labels.get(row['model'], row['model'])}: {plural(row['stories'], 'story', 'stories')} to "
            f"{plural(row['prompts'], 'prompt')}; {count(row['again'])} ({percent(share)}) repeat another story of the "
            "same prompt word for word."
        )
        numbers = {"prompts": row["prompts"], "again": row["again"]}
        yield Diagnostic(
            "repeats of a prompt",
            sentence,
            share > MANY_EQUAL,
            row["stories"],
            row["model"],
            value=share,
            numbers=numbers,
        )
