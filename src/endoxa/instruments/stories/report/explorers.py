"""What readers search by themselves: the table of associations and the stories, as texts and as data for scripts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from endoxa.instruments.stories.harm.panel import PEOPLE
from endoxa.instruments.stories.report.records import Sample
from endoxa.instruments.stories.report.results import (
    MODELS,
    SIDES,
    StoryResults,
    attribute_name,
    ends_field,
    side,
    value_field,
    value_name,
)
from endoxa.instruments.stories.report.sources import POOLED
from endoxa.report.claims import chip
from endoxa.report.document import Section
from endoxa.report.items import Items, items_section
from endoxa.report.tables import Table, table_of, text_field
from endoxa.report.words import NO_VALUE, count, decimal, language_name, percent
from endoxa.sources.stereotales import UNKNOWN
from endoxa.sources.stereotales.associations import PARTS
from endoxa.stats.verdicts import ABOVE, UNCLEAR

MOST_ROWS = 3_000
"""Rows in a page; the CSV file has all."""
MOST_NAMED = 3
"""Up to so many models or languages are named in a cell, more are counted."""
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


def association_table(results: StoryResults) -> Table:
    """The first `MOST_ROWS` associations, the most harmful and most widespread first, unclear ones last."""
    rated, tested = results.harm is not None, results.unclear.height > 0

    def models(row: Mapping[str, Any]) -> str:
        return _named([results.label(model) for model in row["models"]], "models")

    return table_of(
        "Associations",
        _shown(results),
        (
            *SIDES,
            text_field("models", models),
            text_field(
                "languages", lambda row: _named(list(map(language_name, row["languages"])), "languages")
            ),
            value_field("lift", "lift", decimal, 2),
            ends_field("interval or range"),
            value_field("share", "fraction", percent, 0),
            value_field("stories", "count"),
            value_field("harm", "rating", decimal, 1) if rated else None,
            text_field("verdict", "harmful") if rated else None,
            text_field("test", chip) if tested else None,
        ),
    )


def _named(names: Sequence[str], many: str) -> str:
    return ", ".join(names) or NO_VALUE if len(names) <= MOST_NAMED else f"{len(names)} {many}"


def _shown(results: StoryResults) -> pl.DataFrame:
    """The rows of the page, with their verdict (`ABOVE` or `UNCLEAR`)."""
    claimed = results.associations.with_columns(verdict=pl.lit(ABOVE))
    return pl.concat([claimed, results.unclear.with_columns(verdict=pl.lit(UNCLEAR))]).head(MOST_ROWS)


def _places() -> defaultdict[str, int]:
    """Words, each with its place in the order in which they were first asked for."""
    places: defaultdict[str, int] = defaultdict()
    places.default_factory = places.__len__
    return places


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
    words = _places()
    association = (*PARTS, "verdict")
    by_association = defaultdict[tuple[object, ...], list[list[Any]]](list)
    for row in results.discovered.filter(POOLED).iter_rows(named=True):
        values = (row[name] for name in ("lift", "lift_low", "lift_high", "fraction", "count"))
        by_association[tuple(row[name] for name in association)].append(
            [models[row["model"]], *map(_short, values)]
        )
    rows = [
        [
            [
                words[text]
                for end in ("base", "compared")
                for text in (
                    attribute_name(row[f"{end}_attribute"]),
                    side(row[f"{end}_attribute"], row[f"{end}_value"]),
                )
            ],
            [languages.index(code) for code in row["languages"]],
            [_short(row[name]) for name in ("lift", "low", "high", "fraction", "count", "rating")],
            row["harmful"],
            row["paper_rule"],
            by_association[tuple(row[name] for name in association)],
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


def _short(value: float | None) -> float | int | None:
    return value if value is None or isinstance(value, int) else float(f"{value:.{DIGITS}g}")


def csv_rows(results: StoryResults) -> pl.DataFrame:
    """Every association of every model and aggregation, `schema.stories.DISCOVERED_COLUMNS`, and how harmful it is."""
    every = pl.concat([results.associations, results.unclear])
    classes = every.select(*PARTS, "rating", "harmful")
    return results.discovered.join(classes, on=PARTS, how="left", maintain_order="left")


MOST_BYTES = 9_000_000
"""Room for the packed stories."""

FACETS = {
    "language": "language",
    "attribute": "prompt names",
    "value": "with the value",
    "scenario": "scenario",
}


def stories(results: StoryResults, most_bytes: int = MOST_BYTES) -> Section | None:
    """The stories and what was read off them: those that models wrote for the same prompt are one item."""
    if not results.samples:
        return None
    samples = pl.DataFrame(
        [
            (
                results.label(sample.model),
                sample.language,
                attribute_name(sample.attribute),
                value_name(sample.value),
                sample.scenario,
                _outcome(sample),
                _told(sample),
            )
            for sample in results.samples
        ],
        schema=dict.fromkeys(
            ("model", "language", "attribute", "value", "scenario", "outcome", "text"), pl.String
        ),
        orient="row",
    )
    prompt = ("language", "attribute", "value", "scenario")
    numbered = samples.with_columns(number=pl.int_range(1, pl.len() + 1).over("model", *prompt)).with_columns(
        id=pl.concat_str(*prompt, "number", separator=" / ")
    )
    answers = numbered.select(
        "id", "model", "outcome", "text", condition=pl.lit(""), value=pl.lit(None, dtype=pl.Float64)
    )
    return items_section(
        "stories",
        Items("prompt", "", numbered.unique("id", keep="first", maintain_order=True), answers, FACETS, {}),
        title="Stories, and what was read off them",
        lead="Of each model and language, taken at even distances through the run: nobody picked them. What a story "
        "does not tell is left out of its profile.",
        unveil="Show all stories and profiles (some are offensive)",
        most_bytes=most_bytes,
    )


def _outcome(sample: Sample) -> str:
    return "refusal" if sample.refused else "story" if sample.profile else "story without a usable profile"


def _told(sample: Sample) -> str:
    """The story, and what was read off it."""
    traits = [side(name, value) for name, value in (sample.profile or {}).items() if value != UNKNOWN]
    unread = (
        "No usable profile." if sample.profile is None else "Nothing could be told about the protagonist."
    )
    return f"{sample.story or '(no text)'}\n\n→ {'; '.join(traits) or unread}"
