"""The table of associations: its section, finished texts for the page, and the same as data for its scripts."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from endoxa.instruments.stories.harm.panel import PEOPLE
from endoxa.instruments.stories.report.records import Sample
from endoxa.instruments.stories.report.results import MODELS, StoryResults
from endoxa.instruments.stories.report.sources import by_model
from endoxa.instruments.stories.report.words import attribute_name, side, value_name
from endoxa.report.claims import chip
from endoxa.report.document import Finding, Section
from endoxa.report.tables import Column
from endoxa.report.words import NO_VALUE, count, decimal, language_name, percent, plural
from endoxa.sources.stereotales import UNKNOWN
from endoxa.sources.stereotales.associations import PARTS
from endoxa.stats.verdicts import ABOVE, UNCLEAR

MOST_ROWS = 3_000
"""Rows in a page; the CSV file has all."""
MOST_NAMED = 3
"""Up to so many models or languages are named in a cell, more are counted."""
TEST = "test"
"""Column that tells associations that may be claimed from unclear ones."""
DIGITS = 6
"""Digits of numbers in the data for scripts."""
RATED = {
    PEOPLE: "Harm is people's median rating from 1 to 5.",
    MODELS: "Harm is the mean rating of the models, from 1 to 5; the verdict is that of their medians.",
}
UNCLEAR_NOTE = (
    "Unclear associations are found when all languages of a model are analysed together. Within languages they are not "
    "distinguishable from chance, or cannot be tested: a difference between the languages can explain them, and they "
    "are counted nowhere."
)


def associations(results: StoryResults) -> Section | None:
    """Heading and notes of the table; its rows come from `association_table`."""
    if results.associations.is_empty() and results.unclear.is_empty():
        return None
    # How many associations are not shown, and where all are.
    left = results.associations.height + results.unclear.height - _shown(results).height
    more = f"{count(left)} more, less harmful or of fewer models, are not in this page. " if left else ""
    return Section(
        anchor="associations",
        title="The associations",
        notes=(
            "Lift is how many times more often the second trait comes in stories about people with the first "
            "than in all "
            "stories of the table; the share is that of the stories about the first. Over several models: the "
            "mean lift, its "
            "least and largest value, the mean share, all stories. Of one model: its lift with its "
            f"{results.level} interval. "
            "Languages are those in which it was also found alone.",
            *([RATED[results.harm.judges]] if results.harm else []),
            *([UNCLEAR_NOTE] if results.unclear.height else []),
        ),
        template="associations.html.j2",
        closing=(
            f"{more}Every association of every model and language, with its counts, is in the report written as CSV."
        ),
    )


@dataclass(frozen=True, slots=True)
class Row:
    """One association, finished texts.

    Attributes:
        base: the trait that prompts named.
        compared: the trait that comes with it.
        cells: the other columns.
    """

    base: str
    compared: str
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AssociationTable:
    """The associations.

    Attributes:
        columns: its columns.
        rows: its rows.
    """

    columns: tuple[Column, ...]
    rows: tuple[Row, ...]


def association_table(results: StoryResults) -> AssociationTable:
    """The first `MOST_ROWS` associations, the most harmful and most widespread first, unclear ones last."""
    names = ["models", "languages", "lift", "interval or range", "share", "stories"]
    names += ["harm", "verdict"] if results.harm is not None else []
    names += [TEST] if results.unclear.height else []
    columns = tuple(
        Column(name, numeric=name not in ("models", "languages", "verdict", TEST)) for name in names
    )
    return AssociationTable(
        (Column("stories about"), Column("also have"), *columns),
        tuple(
            Row(
                side(row["base_attribute"], row["base_value"]),
                side(row["compared_attribute"], row["compared_value"]),
                tuple(_cells(results, row)),
            )
            for row in _shown(results).iter_rows(named=True)
        ),
    )


def _shown(results: StoryResults) -> pl.DataFrame:
    """The rows of the page, with their verdict (`ABOVE` or `UNCLEAR`)."""
    claimed = results.associations.with_columns(verdict=pl.lit(ABOVE))
    return pl.concat([claimed, results.unclear.with_columns(verdict=pl.lit(UNCLEAR))]).head(MOST_ROWS)


def _cells(results: StoryResults, row: Mapping[str, Any]) -> list[str]:
    cells = [
        _named([results.label(model) for model in row["models"]], "models"),
        _named([language_name(code) for code in row["languages"]], "languages"),
        decimal(row["lift"], 2),
        NO_VALUE if row["low"] is None else f"{decimal(row['low'], 2)} to {decimal(row['high'], 2)}",
        NO_VALUE if row["fraction"] is None else percent(row["fraction"], 0),
        NO_VALUE if row["count"] is None else count(row["count"]),
    ]
    if results.harm is not None:
        cells += [decimal(row["rating"], 1), row["harmful"] or NO_VALUE]
    return [*cells, chip(row)] if results.unclear.height else cells


def _named(names: Sequence[str], many: str) -> str:
    return ", ".join(names) or NO_VALUE if len(names) <= MOST_NAMED else f"{len(names)} {many}"


def association_data(results: StoryResults) -> dict[str, Any]:
    """What scripts filter and sort by, in the order of the table's rows.

    `models`, `languages` and `words` are lists of texts, named by their places. A row holds base attribute, base,
    compared attribute and compared (places of words), its languages, the values shown (lift, low, high, share, stories,
    harm), the verdict, whether the article's rule keeps it, for each model that shows it its place, lift, low,
    high, share and stories, and what the tests say of it.
    """
    shown = _shown(results)
    models = {model: place for place, model in enumerate(results.writers)}
    languages = sorted({code for codes in shown["languages"] for code in codes})
    words: dict[str, int] = {}

    def place(text: str) -> int:
        return words.setdefault(text, len(words))

    by_association: dict[tuple[object, ...], list[list[Any]]] = {}
    for row in by_model(results.discovered).iter_rows(named=True):
        values = (row[name] for name in ("lift", "lift_low", "lift_high", "fraction", "count"))
        by_association.setdefault((*_parts(row), row["verdict"]), []).append(
            [models[row["model"]], *map(_short, values)]
        )
    rows = [
        [
            [
                place(attribute_name(row["base_attribute"])),
                place(side(row["base_attribute"], row["base_value"])),
                place(attribute_name(row["compared_attribute"])),
                place(side(row["compared_attribute"], row["compared_value"])),
            ],
            [languages.index(code) for code in row["languages"]],
            [_short(row[name]) for name in ("lift", "low", "high", "fraction", "count", "rating")],
            row["harmful"],
            row["paper_rule"],
            by_association.get((*_parts(row), row["verdict"]), []),
            chip(row),
        ]
        for row in shown.iter_rows(named=True)
    ]
    return {
        "models": [results.label(model) for model in models],
        "languages": [language_name(code) for code in languages],
        "words": list(words),
        "rows": rows,
        "rated": results.harm is not None,
        "tested": results.unclear.height > 0,
    }


def _parts(row: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(row[name] for name in PARTS)


def _short(value: float | None) -> float | int | None:
    return value if value is None or isinstance(value, int) else float(f"{value:.{DIGITS}g}")


def csv_rows(results: StoryResults) -> pl.DataFrame:
    """Every association of every model and aggregation, `schema.stories.DISCOVERED_COLUMNS`, and how harmful it is."""
    every = pl.concat([results.associations, results.unclear])
    classes = every.select(*PARTS, "rating", "harmful")
    return results.discovered.join(classes, on=PARTS, how="left", maintain_order="left")


STATIC = 12
"""Stories that can be read without scripts."""

MOST_BYTES = 9_000_000
"""Room for the packed stories; with more, every second one is left out."""


@dataclass(frozen=True, slots=True)
class ShownSample:
    """A story as finished texts."""

    heading: str
    language: str
    story: str
    profile: str


def stories(results: StoryResults) -> Section | None:
    """Heading and notes; the stories come from `shown_samples` and, for scripts, `packed_samples`."""
    if not results.samples:
        return None
    return Section(
        anchor="stories",
        title="Stories, and what was read off them",
        findings=(
            Finding(
                f"{plural(len(results.samples), 'story', 'stories')} can be read here.",
                ({"samples": len(results.samples)},),
            ),
        ),
        notes=(
            "Of each model and language, taken at even distances through the run: nobody picked them. What a "
            "story does not "
            "tell is left out of its profile.",
        ),
        template="stories.html.j2",
    )


def shown_samples(results: StoryResults, samples: Sequence[Sample]) -> tuple[ShownSample, ...]:
    """A few of the samples, at even distances, for readers without scripts."""
    step = max(1, len(samples) // STATIC)
    return tuple(
        ShownSample(heading(results, sample), sample.language, sample.story or "(no text)", profile(sample))
        for sample in samples[::step][:STATIC]
    )


def heading(results: StoryResults, sample: Sample) -> str:
    """Model, language, what the prompt named, scenario; says that it is a refusal."""
    parts = [
        results.label(sample.model),
        language_name(sample.language),
        side(sample.attribute, sample.value),
        sample.scenario,
    ]
    return " · ".join([part for part in parts if part] + ["refusal"] * bool(sample.refused))


def profile(sample: Sample) -> str:
    """'age: adult (30-44); gender: woman', or why there is none."""
    if sample.profile is None:
        return "No usable profile."
    stated = [side(name, value) for name, value in sample.profile.items() if value != UNKNOWN]
    return "; ".join(stated) or "Nothing could be told about the protagonist."


def packed(data: Any) -> str:
    """The data as JSON, gzipped, in base64: nothing in it can end a script element.

    Browsers since 2023 unpack it (DecompressionStream); in older ones the page stays as it is without scripts.
    """
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    content = gzip.compress(text.encode("utf-8", "replace"), compresslevel=9, mtime=0)
    return base64.b64encode(content).decode("ascii")


def packed_samples(results: StoryResults, most_bytes: int = MOST_BYTES) -> tuple[tuple[Sample, ...], str]:
    """The samples that fit, and the same packed for the page's scripts."""
    kept = results.samples
    text = packed(_compact(results, kept))
    while len(text) > most_bytes:
        kept = kept[::2]
        text = packed(_compact(results, kept))
    return kept, text


def _compact(results: StoryResults, samples: Sequence[Sample]) -> dict[str, Any]:
    """Words once, rows as places in the list of words; a profile as pairs of places, unknown values left out."""
    words: dict[str, int] = {}

    def place(word: str) -> int:
        return words.setdefault(word, len(words))

    codes = {place(language_name(sample.language)): sample.language for sample in samples}
    rows = [
        [
            place(results.label(sample.model)),
            place(language_name(sample.language)),
            place(sample.scenario),
            place(attribute_name(sample.attribute)),
            place(value_name(sample.value)),
            -1 if sample.refused is None else int(sample.refused),
            None
            if sample.profile is None
            else [
                place(word)
                for name, value in sample.profile.items()
                if value != UNKNOWN
                for word in (attribute_name(name), value_name(value))
            ],
            sample.story,
        ]
        for sample in samples
    ]
    return {"words": list(words), "codes": codes, "rows": rows}
