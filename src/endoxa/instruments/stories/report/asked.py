"""What was asked and what came back: nothing is dropped silently."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import polars as pl

from endoxa.instruments.stories.outcomes import run_counts
from endoxa.instruments.stories.report.headline import prompt_findings, rate, tested_table
from endoxa.instruments.stories.report.results import StoryResults
from endoxa.instruments.stories.report.sources import FILE, RUN, TABLE
from endoxa.instruments.stories.report.words import attribute_name
from endoxa.instruments.stories.settings import PAPER_LIFT, PAPER_RULE
from endoxa.report import inputs
from endoxa.report.document import Finding, Section
from endoxa.report.inputs import EXTRACTED, HARM, RATINGS, Run, holds
from endoxa.report.outcomes import outcome_table
from endoxa.report.tables import Column, Table
from endoxa.report.words import (
    NO_VALUE,
    count,
    decimal,
    decimal_interval,
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


def asked(runs: Sequence[Run], results: StoryResults) -> Section:
    """Stories of each model and language, refusals, unusable rows, attributes that could not be told, the runs."""
    tables = [_stories(results), *_answers(runs, results), _unknown(results), *_extractors(runs)]
    tables += [tested_table(results)]
    tables += [_models(results), _runs(runs)]
    return Section(
        anchor="what-was-asked",
        folded=True,
        title="What was asked, and what came back",
        findings=(*_told(results), *_analysed(results), *prompt_findings(results), *_rated(runs)),
        tables=tuple(table for table in tables if table.rows),
        notes=_notes(results),
    )


def _told(results: StoryResults) -> Iterator[Finding]:
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
            said = run.facts.get("data")
            path = said.get("path") if isinstance(said, dict) else None
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


def _notes(results: StoryResults) -> tuple[str, ...]:
    if results.stories.is_empty():
        return ()
    return (
        "An attribute that the story does not tell is unknown. Unknown values are in no table that is tested, so an "
        "association speaks of the stories that tell both; a model that tells less has fewer stories behind its "
        "numbers.",
    )


def _stories(results: StoryResults) -> Table:
    nothing = dict(
        results.unknown.select(
            pl.concat_str("model", "language", separator="\n"), "nothing_known"
        ).iter_rows()
        if results.unknown.height
        else ()
    )
    rows = tuple(
        (
            results.label(row["model"]),
            language_name(row["language"]),
            count(row["stories"]),
            *(
                NO_VALUE if row[name] is None else count(row[name])
                for name in ("refused", "failed", "unread")
            ),
            count(row["stories"] - row["usable"]),
            count(nothing.get(f"{row['model']}\n{row['language']}", 0)),
        )
        for row in results.stories.iter_rows(named=True)
    )
    names = (
        "stories",
        "refusals",
        "refused by the provider",
        "no extractor read",
        "unusable",
        "nothing known",
    )
    return Table(
        "Stories of each model and language",
        (Column("model"), Column("language"), *(Column(name, numeric=True) for name in names)),
        rows,
        folded=len(rows) > 12,
        notes=(f"{NO_VALUE}: the file does not say.",) if any(NO_VALUE in row for row in rows) else (),
    )


def _answers(runs: Sequence[Run], results: StoryResults) -> Iterator[Table]:
    """What became of stories, of the answers of extractors, and of ratings, a table for each run."""
    for what, _, counts in run_counts(runs):
        yield outcome_table(counts, results.label, what)


def _unknown(results: StoryResults) -> Table:
    frame = results.unknown
    names = [name for name in frame.columns if name.startswith(UNKNOWN_COLUMN)]
    told = pl.col("stories") - pl.col("nothing_known")
    mean = [((pl.col(name).fill_null(0) * told).sum() / told.sum()).alias(name) for name in names]
    by_model = frame.group_by("model", maintain_order=True).agg(mean) if names else frame
    rows = tuple(
        (attribute_name(name.removeprefix(UNKNOWN_COLUMN)), *(percent(share) for share in by_model[name]))
        for name in names
    )
    columns = [Column(results.label(model), numeric=True) for model in (by_model["model"] if names else ())]
    return Table(
        "Share of stories that do not tell an attribute (of those that tell any)",
        (Column("attribute"), *columns),
        rows,
        folded=True,
    )


def _models(results: StoryResults) -> Table:
    rows = tuple(
        (
            own.label,
            own.model,
            own.provider,
            "simulated: what it says was planted" if own.simulated else NO_VALUE,
        )
        for own in results.names.values()
    )
    names = ("model", "as named in the command", "provider", "kind")
    return Table("Models", tuple(Column(name) for name in names), rows, folded=len(rows) > 6, measured=False)


def _runs(runs: Sequence[Run]) -> Table:
    rows = []
    for run in runs:
        said = run.facts.get("data")
        data = said if isinstance(said, dict) else {}
        rows.append(
            (
                str(run.folder),
                holds(run.kind),
                inputs.text(data, "path"),
                inputs.text(data, "sha256")[: inputs.SHOWN_DIGITS],
                inputs.text(run.facts, "endoxa"),
                inputs.text(run.facts, "finished")[:19].replace("T", " "),
            )
        )
    names = ("source", "holds", "made from", "SHA-256 of that", "endoxa", "finished")
    return Table("Runs and tables", tuple(Column(name) for name in names), tuple(rows), measured=False)


def _extractors(runs: Sequence[Run]) -> Iterator[Table]:
    """Krippendorff's alpha of every attribute, for each extraction that holds it (`EXTRACTOR_AGREEMENT_COLUMNS`)."""
    for run in runs:
        path = run.folder / AGREEMENT
        if run.kind == EXTRACTED and path.is_file():
            yield _agreement(
                run, read_table(path, ("attribute", "n", "alpha", "ties", "unknown", "unparsed"))
            )


def _agreement(run: Run, agreement: pl.DataFrame) -> Table:
    def number(row: dict[str, str | None], name: str) -> float | None:
        return float(row[name] or 0) if row.get(name) else None

    def share(row: dict[str, str | None], name: str) -> str:
        value = number(row, name)
        return NO_VALUE if value is None else percent(value)

    rows = tuple(
        (
            attribute_name(row["attribute"] or ""),
            count(int(number(row, "n") or 0)),
            decimal(number(row, "alpha"), 2),
            decimal_interval(number(row, "alpha_low"), number(row, "alpha_high"), 2),
            *(share(row, name) for name in ("ties", "unknown", "unparsed")),
        )
        for row in agreement.iter_rows(named=True)
    )
    names = ("stories", "alpha", f"{AGREEMENT_LEVEL} interval", "ties", "unknown", "votes not read")
    return Table(
        f"How far those who read the stories agree ({run.folder.name})",
        (Column("attribute"), *(Column(name, numeric=True) for name in names)),
        rows,
        folded=True,
        notes=(
            "Krippendorff's alpha, nominal: 1 is full agreement, 0 is agreement by chance. Intervals draw stories anew "
            "and keep these extractors; fewer than five stories have none.",
        ),
    )
