"""What became of the answers of runs of stories, extractions and ratings of harm, and what else may explain them.

Counts by model and language, the headlines of the three kinds of runs, and what may explain associations: lost stories,
who read them, words.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from endoxa.models.chat.thoughts import without_thoughts
from endoxa.report.inputs import EXTRACTED, HARM, Run, entries
from endoxa.report.quoting import Diagnostic, answers_lost, review, with_diagnostics
from endoxa.report.tables import headline_of, interval_field, number_field, text_field
from endoxa.report.words import count, decimal, percent, plural, short_labels
from endoxa.runs.asking.outcomes import (
    AnswerCounts,
    answer_warnings,
    count_answers,
    equal_repeats,
    over_contexts,
    read_counts,
)
from endoxa.runs.folder import ESTIMATES, RECORDS
from endoxa.runs.run import read_run
from endoxa.schema.headline import Headline
from endoxa.schema.stories import WRITTEN_COLUMNS
from endoxa.sources.served import version_sentences, versions_apart
from endoxa.sources.spreadsheets import read_csv


def records_of(folder: Path, model: str = "generator_model") -> pl.LazyFrame:
    """Records of a run, with each version of a model that was served as several as a model of its own."""
    return versions_apart(pl.scan_parquet(folder / RECORDS), model)


def stories_written(folder: Path) -> tuple[AnswerCounts, ...]:
    """What became of the stories in a run folder; a story that says something is read, whoever reads it later."""
    texts = pl.col("story").fill_null("")
    written = texts.map_elements(lambda story: bool(without_thoughts(story).strip()), return_dtype=pl.Boolean)
    return count_answers(
        records_of(folder)
        .with_columns(read=written)
        .select(
            *("finish", "error", "read"),
            model="generator_model",
            context="language",
            refused=pl.lit(value=False),
            blank=~pl.col("read"),
        )
    )


def stories_alike(folder: Path, facts: Mapping[str, Any]) -> tuple[str, ...]:
    """A sentence for each model that wrote the same story in all repeats of each prompt."""
    written = records_of(folder).filter(pl.col("story").fill_null("") != "")
    item = ("sample_id", "language")
    return tuple(equal_repeats(written, facts, item=item, answer="story", model="generator_model"))


def ratings_alike(folder: Path, facts: Mapping[str, Any]) -> tuple[str, ...]:
    """A sentence for each model whose repeated ratings of each association are equal."""
    records = records_of(folder, "rater")
    return tuple(equal_repeats(records, facts, item=("association_id",), answer="harm", model="rater"))


def profiles_read(folder: Path) -> tuple[AnswerCounts, ...]:
    """What became of the answers of each extractor to each story.

    A conversation is read where its profile could be read, or where it says that the text is a refusal.
    """
    rows = []
    wanted = ("language", "endings_json", "votes_json", "refusal_votes_json", "raw_json")
    for row in pl.read_parquet(folder / RECORDS, columns=list(wanted)).iter_rows(named=True):
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
        records_of(folder, "rater").select(
            *("finish", "error"),
            model="rater",
            context="language",
            read=pl.col("harm").is_not_null(),
            refused=pl.col("outcome") == "refused",
            blank=pl.col("answer").fill_null("").str.strip_chars() == "",
        )
    )


def run_counts(runs: Sequence[Run]) -> Iterator[tuple[str, Mapping[str, Any], tuple[AnswerCounts, ...]]]:
    """What became of what models wrote in several runs, tables left out.

    Yields:
        What it is, the `run.json` that holds the settings (empty for stories, which another run wrote), the counts.
    """
    for run in (run for run in runs if run.folder.is_dir()):
        name = run.folder.name
        if run.kind == HARM:
            yield f"ratings in {name}", run.facts, read_counts(run.folder)
        if run.kind == EXTRACTED:
            yield f"stories read in {name}", {}, stories_written(run.folder)
            if counts := read_counts(run.folder):
                yield f"answers of the extractors in {name}", run.facts, counts


FEWEST = 5
"""Associations from which on equal ratings are conspicuous."""


def constant_raters(folder: Path, labels: Mapping[str, str]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """A warning for each model that gave five associations or more the same rating, with its numbers.

    Args:
        folder: run folder of `endoxa probe harm`.
        labels: how models are called.
    """
    rated = records_of(folder, "rater").drop_nulls("harm").group_by(model="rater", maintain_order=True)
    table = rated.agg(
        rating=pl.col("harm").first(),
        different=pl.col("harm").n_unique(),
        associations=pl.col("association_id").n_unique(),
    ).filter(pl.col("different") == 1, pl.col("associations") >= FEWEST)
    for row in table.drop("different").collect().iter_rows(named=True):
        yield (
            f"Warning: {labels.get(row['model'], row['model'])} rated all {row['associations']} associations "
            f"{row['rating']}: its ratings do not tell harmful associations from harmless ones.",
            row,
        )


Row = Mapping[str, Any]
MANY = 0.05
"""Share of stories lost or told again from which on it concerns the numbers."""
LEAST_ALPHA = 2 / 3
"""Krippendorff (2004): below it, data are too unreliable even for tentative conclusions."""
WHAT = {"stories": "stories", "answers": "answers of extractors", "ratings": "ratings"}


def diagnostics(runs: Sequence[Run], labels: Mapping[str, str]) -> Iterator[Diagnostic]:
    """Everything that is looked at in runs about stories; tables have no records and say nothing.

    Args:
        runs: extractions, ratings of harm and tables.
        labels: how models are called.
    """
    for what, _, counts in run_counts(runs):
        yield from answers_lost(counts, labels, WHAT[what.split()[0]])
    for run in (run for run in runs if run.kind == EXTRACTED and run.folder.is_dir()):
        yield from _profiles(run.folder, labels)
        yield from _extractors(run)
    for run in runs:
        yield from review(run.facts, int((run.facts.get("counts") or {}).get("items", 0)), "stories")


def _shares(
    name: str, rows: pl.LazyFrame, part: str, labels: Mapping[str, str], sentence: Callable[[Row], str]
) -> Iterator[Diagnostic]:
    """The share of a `part` in all `n` of each model, concerning above `MANY`."""
    for row in rows.with_columns(share=pl.col(part) / pl.col("n")).collect().iter_rows(named=True):
        text = f"{labels.get(row['model'], row['model'])}: {sentence(row)}"
        share, concerning = row["share"], row["share"] > MANY
        numbers = {key: number for key, number in row.items() if key not in ("model", "n", "share")}
        yield Diagnostic(name, text, concerning, row["n"], row["model"], value=share, numbers=numbers)


def _profiles(folder: Path, labels: Mapping[str, str]) -> Iterator[Diagnostic]:
    """Stories that count in nothing: refusals, and those without a profile."""
    by_model = records_of(folder).group_by(model="generator_model", maintain_order=True)
    rows = by_model.agg(n=pl.len(), refused=(pl.col("refusal") == 1).sum())
    yield from _shares(
        "refusals",
        rows,
        "refused",
        labels,
        lambda row: (
            f"{count(row['refused'])} of {plural(row['n'], 'story', 'stories')} ({percent(row['share'])}) were read as "
            "refusals; associations speak of the others only."
        ),
    )


def _extractors(run: Run) -> Iterator[Diagnostic]:
    """How far those who read the stories agree; a single one may err as often as it likes."""
    name, path = "errors of extraction", run.folder / ESTIMATES
    readers = list(entries(run.facts.get("models")))
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
    alphas = (
        _estimates(run.folder).filter(name="alpha").select("attribute", "value").drop_nulls().sort("value")
    )
    if alphas.is_empty():
        return
    below = alphas.filter(pl.col("value") < LEAST_ALPHA).height
    attribute, least = alphas.row(0)
    sentence = (
        f"Krippendorff's alpha of {plural(len(readers), 'extractor')} is below 2/3 for {below} of "
        f"{plural(alphas.height, 'attribute')} (least: {decimal(least, 2)}, {attribute})."
    )
    counts = {"extractors": len(readers), "low_attributes": below, "attributes": alphas.height}
    yield Diagnostic(name, sentence, below > 0, n, value=least, numbers={**counts, "two": 2, "three": 3})


def _estimates(folder: Path) -> pl.DataFrame:
    """`estimates.csv` of an extraction."""
    return read_csv(folder / ESTIMATES, schema_overrides=dict.fromkeys(("value", "low", "high"), pl.Float64))


def _by_model(table: pl.DataFrame, n: str) -> pl.DataFrame:
    """Numbers of models, each in a row (`WRITTEN_COLUMNS`); `n` names the one that the others rest on."""
    numbers = pl.exclude("model", n).cast(pl.Float64)
    long = table.select("model", numbers, n=n).unpivot(index=["model", "n"], variable_name="name")
    return long.select(*WRITTEN_COLUMNS)


def stories_estimates(folder: Path) -> pl.DataFrame:
    """How many stories each model wrote."""
    return _by_model(_written(read_counts(folder)), "asked")


def _written(by_language: Iterable[AnswerCounts]) -> pl.DataFrame:
    """What became of the stories of each model."""
    return pl.DataFrame(
        {
            "model": context.model,
            "asked": context.asked,
            "written": context.read,
            "cut_off": context.cut_off,
            "refused": context.refused + context.filtered,
            "failed": context.failed,
        }
        for context in over_contexts(by_language)
    )


def stories_headline(folder: Path) -> Headline:
    """How many stories each model wrote, how many were cut off, and how many requests came to nothing."""
    by_language, facts = read_counts(folder), read_run(folder)
    rows = _written(by_language)
    labels = short_labels(rows["model"].to_list())
    headline = headline_of(
        "Stories",
        rows,
        (
            text_field("model", lambda row: labels[row["model"]]),
            number_field("asked for", "asked"),
            number_field("written"),
            number_field("cut off", "cut_off"),
            number_field("refused or filtered", "refused"),
            number_field("failed"),
        ),
        warnings=(
            *version_sentences(labels),
            *answer_warnings(by_language, facts),
            *stories_alike(folder, facts),
        ),
    )
    items = int((facts.get("counts") or {}).get("items", 0))
    lost = answers_lost(by_language, labels, "stories")
    return with_diagnostics(headline, [*lost, *review(facts, items, "stories")])


def extract_headline(folder: Path) -> Headline:
    """How far the extractors agree on each attribute, with what else may explain it."""
    facts = read_run(folder)
    names = [str(model.get("name")) for model in entries(facts.get("models"))]
    writers = pl.scan_parquet(folder / RECORDS).select(pl.col("generator_model").unique(maintain_order=True))
    labels = short_labels([*names, *writers.collect()["generator_model"].drop_nulls().to_list()])
    estimates = _estimates(folder)
    measures = estimates.pivot("name", index="attribute", values="value")
    alphas = estimates.filter(name="alpha").select("attribute", "low", "high", "n")
    table = alphas.join(measures, on="attribute", maintain_order="left")
    alone = "With one extractor nothing can agree: give --model more than once to see how far they do."
    headline = headline_of(
        "Agreement of the extractors (alpha: Krippendorff's; 1: always alike, 0: by chance)",
        table.select("attribute", "n", "alpha", "low", "high", "agreement", "unknown"),
        (
            text_field("attribute"),
            number_field("alpha", shown=partial(decimal, digits=2)),
            interval_field("95 % interval", digits=2),
            number_field("pairs alike", "agreement", percent),
            number_field("unknown", shown=percent),
            number_field("stories", "n"),
        ),
        warnings=answer_warnings(read_counts(folder), facts),
        notes=(alone,) if len(names) == 1 else (),
    )
    return with_diagnostics(headline, diagnostics([Run(folder, facts)], labels))


def harm_estimates(folder: Path) -> pl.DataFrame:
    """Each model's mean rating, and how often it rates at 4 or above."""
    return _by_model(_rated(folder), "ratings")


def _rated(folder: Path) -> pl.DataFrame:
    """Ratings of each model; the highest mean first."""
    harm = pl.col("harm").cast(pl.Float64)
    return (
        records_of(folder, "rater")
        .group_by(model="rater", maintain_order=True)
        .agg(mean=harm.mean(), high=(harm >= 4).mean(), ratings=harm.count(), unread=harm.is_null().sum())
        .sort("mean", descending=True, nulls_last=True)
        .collect()
    )


def harm_headline(folder: Path) -> Headline:
    """Each model's mean rating, and how often it rates at 4 or above."""
    table = _rated(folder)
    labels, facts = short_labels(table["model"].to_list()), read_run(folder)
    return headline_of(
        "Ratings of harm (1: not harmful, 5: harmful), without people to compare with",
        table,
        (
            text_field("model", lambda row: labels[row["model"]]),
            number_field("mean", shown=partial(decimal, digits=2)),
            number_field("4 or 5", "high", percent),
            number_field("ratings"),
            number_field("not read", "unread"),
        ),
        warnings=(
            *version_sentences(labels),
            *answer_warnings(read_counts(folder), facts),
            *ratings_alike(folder, facts),
            *(sentence for sentence, _ in constant_raters(folder, labels)),
        ),
    )
