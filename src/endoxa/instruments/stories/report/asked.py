"""What was asked and what came back: nothing is dropped silently."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import polars as pl

from endoxa.instruments.stories.options import PAPER_LIFT, PAPER_RULE
from endoxa.instruments.stories.outcomes import run_counts
from endoxa.instruments.stories.report.headline import prompt_findings, rate, tested_table
from endoxa.instruments.stories.report.results import StoryResults
from endoxa.instruments.stories.report.sources import FILE, RUN, TABLE
from endoxa.instruments.stories.report.words import attribute_name, ends_field, value_field
from endoxa.report import inputs
from endoxa.report.document import Finding, Section
from endoxa.report.inputs import EXTRACTED, HARM, RATINGS, Run, holds
from endoxa.report.outcomes import outcome_table
from endoxa.report.tables import Table, number_field, table_of, text_field
from endoxa.report.words import (
    NO_VALUE,
    count,
    decimal,
    language_name,
    listed,
    percent,
    plural,
)
from endoxa.sources.frames import read_table

UNKNOWN_COLUMN = "unknown:"
AGREEMENT = "agreement.csv"
AGREEMENT_LEVEL = "95\u00a0%"
"""Confidence level of the intervals in `agreement.csv`."""


def what_came_back(runs: Sequence[Run], results: StoryResults) -> Section:
    """Stories of each model and language, refusals, unusable rows, attributes that could not be told, the runs."""
    tables = [
        _stories(results),
        *(outcome_table(counts, results.label, what) for what, _, counts in run_counts(runs)),
        _unknown(results),
        *_extractors(runs),
    ]
    tables += [tested_table(results)]
    tables += [
        table_of(
            "Models",
            results.names.values(),
            (
                text_field("model", lambda model: model.label),
                text_field("as named in the command", lambda model: model.model),
                text_field("provider", lambda model: model.provider),
                text_field(
                    "kind",
                    lambda model: "simulated: what it says was planted" if model.simulated else NO_VALUE,
                ),
            ),
            most_open=6,
            measured=False,
        ),
        _runs(runs),
    ]
    return Section(
        anchor="what-was-asked",
        folded=True,
        title="What was asked, and what came back",
        findings=(*_story_findings(results), *_analysed(results), *prompt_findings(results), *_rated(runs)),
        tables=tuple(table for table in tables if table.rows),
        notes=()
        if results.stories.is_empty()
        else (
            "An attribute that the story does not tell is unknown. Unknown values are in no table that is tested, so "
            "an association speaks of the stories that tell both; a model that tells less has fewer stories behind its "
            "numbers.",
        ),
    )


def _story_findings(results: StoryResults) -> Iterator[Finding]:
    """Stories, what was lost of them, and stories that stand twice."""
    if results.stories.height:
        rows, usable = int(results.stories["stories"].sum()), int(results.stories["usable"].sum())
        models = results.stories["model"].n_unique()
        spoken = listed([language_name(code) for code in results.languages])
        yield Finding(
            f"{plural(rows, 'story', 'stories')} by {plural(models, 'model')} in {spoken}.",
            ({"stories": rows, "models": models},),
        )
        yield from _became(results, rows, usable)
    for source in results.sources:
        if source.duplicates:
            yield Finding(
                f"Warning: {plural(source.duplicates, 'story', 'stories')} in {Path(source.name).name} "
                f"{'has' if source.duplicates == 1 else 'have'} the prompt, model, language and repeat of another, and "
                "all are counted: repeats without the column 'repeat', or rows that are in the file twice.",
                ({"duplicates": source.duplicates, "source": Path(source.name).name},),
            )


def _analysed(results: StoryResults) -> Iterator[Finding]:
    """With which settings associations were discovered, source by source."""
    for source in results.sources:
        name = Path(source.name).name
        if source.settings is None:
            yield Finding(
                f"Associations were taken as they are from {name}; its settings, and how much was tested, are not "
                "recorded.",
                ({"source": name},),
            )
            continue
        settings = source.settings
        how = {
            TABLE: f"Associations were taken from {name}, as they were discovered",
            FILE: f"Associations in {name} were discovered for this page with the default settings",
            RUN: f"Associations in {name} were discovered once, with the settings kept in its folder",
        }[source.kind]
        extra = "; only medium and large effects with a lift of at least 2 are kept"
        yield Finding(
            f"{how}: false-discovery rate {rate(settings.alpha)}, at most {count(settings.draws)} random tables per "
            f"test{extra if settings.rule == PAPER_RULE else ''}.",
            ({"alpha": settings.alpha, "draws": settings.draws, "lift": PAPER_LIFT, "source": name},),
        )


def _rated(runs: Sequence[Run]) -> Iterator[Finding]:
    for run in runs:
        if run.kind in (HARM, RATINGS):
            facts = run.facts.get("data")
            path = facts.get("path") if isinstance(facts, dict) else None
            source = f" the associations of {Path(str(path)).name}" if path else " harm"
            names = {"run": run.folder.name, "source": Path(str(path)).name if path else ""}
            yield Finding(f"{run.folder.name} ({holds(run.kind)}) rated{source}.", (names,))


def _became(results: StoryResults, rows: int, usable: int) -> Iterator[Finding]:
    """Rows without a profile, refusals and stories that tell nothing; nothing where there are none."""
    lost = rows - usable
    nothing = int(results.unknown["nothing_known"].sum()) if results.unknown.height else 0
    refused = int(results.stories["refused"].sum()) if results.stories["refused"].null_count() == 0 else 0
    numbers = {"lost": lost, "refused": refused, "nothing": nothing}
    parts = []
    if lost:
        counts = "counts" if lost == 1 else "count"
        parts.append(
            f"{plural(lost, 'row')} ({percent(lost / rows)}) had no usable profile and {counts} in nothing below"
        )
    if refused:
        were = "was a refusal (all its" if refused == 1 else "were refusals (all their"
        parts.append(f"{count(refused)} ({percent(refused / rows)}) {were} attributes are unknown)")
    if nothing:
        among = ", refusals among them" if refused else ""
        parts.append(
            f"in {count(nothing)} ({percent(nothing / rows)}) nothing could be told about the protagonist{among}"
        )
    if parts:
        shares = {f"{name}_share": n / rows for name, n in numbers.items()}
        yield Finding(f"Of these, {listed(parts)}.", (numbers | shares,))


def _stories(results: StoryResults) -> Table:
    keys = pl.concat_str("model", "language", separator="\n")
    nothing = (
        dict(results.unknown.select(keys, "nothing_known").iter_rows()) if results.unknown.height else {}
    )
    table = table_of(
        "Stories of each model and language",
        results.stories,
        (
            text_field("model", lambda row: results.label(row["model"])),
            text_field("language", lambda row: language_name(row["language"])),
            value_field("stories"),
            value_field("refusals", "refused"),
            value_field("refused by the provider", "failed"),
            value_field("no extractor read", "unread"),
            number_field("unusable", lambda row: count(row["stories"] - row["usable"])),
            number_field(
                "nothing known", lambda row: count(nothing.get(f"{row['model']}\n{row['language']}", 0))
            ),
        ),
        most_open=12,
    )
    gaps = any(NO_VALUE in row for row in table.rows)
    return replace(table, notes=(f"{NO_VALUE}: the file does not say.",) if gaps else ())


def _unknown(results: StoryResults) -> Table:
    frame = results.unknown
    names = [name for name in frame.columns if name.startswith(UNKNOWN_COLUMN)]
    telling = pl.col("stories") - pl.col("nothing_known")
    mean = [((pl.col(name).fill_null(0) * telling).sum() / telling.sum()).alias(name) for name in names]
    models = frame.group_by("model", maintain_order=True).agg(mean).rows(named=True) if names else []

    def share(model: Mapping[str, float], name: str) -> str:
        return percent(model[name])

    return table_of(
        "Share of stories that do not tell an attribute (of those that tell any)",
        names,
        (
            text_field("attribute", lambda name: attribute_name(name.removeprefix(UNKNOWN_COLUMN))),
            *(number_field(results.label(row["model"]), partial(share, row)) for row in models),
        ),
        folded=True,
    )


def _runs(runs: Sequence[Run]) -> Table:
    def data(run: Run, name: str) -> str:
        facts = run.facts.get("data")
        return inputs.text(facts if isinstance(facts, dict) else {}, name)

    return table_of(
        "Runs and tables",
        runs,
        (
            text_field("source", lambda run: str(run.folder)),
            text_field("holds", lambda run: holds(run.kind)),
            text_field("made from", lambda run: data(run, "path")),
            text_field("SHA-256 of that", lambda run: data(run, "sha256")[: inputs.SHOWN_DIGITS]),
            text_field("endoxa", lambda run: inputs.text(run.facts, "endoxa")),
            text_field("finished", lambda run: inputs.text(run.facts, "finished")[:19].replace("T", " ")),
        ),
        measured=False,
    )


def _extractors(runs: Sequence[Run]) -> Iterator[Table]:
    """Krippendorff's alpha of every attribute, for each extraction that holds it (`EXTRACTOR_AGREEMENT_COLUMNS`)."""
    numbers = ("n", "alpha", "alpha_low", "alpha_high", "ties", "unknown", "unparsed")
    for run in runs:
        path = run.folder / AGREEMENT
        if run.kind != EXTRACTED or not path.is_file():
            continue
        agreement = read_table(path, ("attribute", "n", "alpha", "ties", "unknown", "unparsed"))
        yield table_of(
            f"How far those who read the stories agree ({run.folder.name})",
            agreement.select(
                "attribute",
                *(
                    (pl.col(name) if name in agreement.columns else pl.lit(None, pl.String))
                    .replace("", None)
                    .cast(pl.Float64)
                    .alias(name)
                    for name in numbers
                ),
            ),
            (
                text_field("attribute", lambda row: attribute_name(row["attribute"] or "")),
                number_field("stories", lambda row: count(int(row["n"] or 0))),
                value_field("alpha", "alpha", decimal, 2),
                ends_field(f"{AGREEMENT_LEVEL} interval", "alpha_"),
                value_field("ties", "ties", percent),
                value_field("unknown", "unknown", percent),
                value_field("votes not read", "unparsed", percent),
            ),
            folded=True,
            notes=(
                "Krippendorff's alpha, nominal: 1 is full agreement, 0 is agreement by chance. Intervals draw stories "
                "anew and keep these extractors; fewer than five stories have none.",
            ),
        )
