"""The associations that most models share, those of each model, and the table of all, also as data for scripts.

A figure cannot be blurred, so its rows name attributes only; the values stand in the table below it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from endoxa.instruments.stories.harm.ratings import BENIGN, HARMFUL, PEOPLE
from endoxa.instruments.stories.report.results import (
    ARROW,
    COLORS,
    MODELS,
    SIDES,
    UNRATED,
    StoryResults,
    attribute_name,
    ends_field,
    side,
    value_field,
)
from endoxa.instruments.stories.report.sources import POOLED
from endoxa.report.claims import chip
from endoxa.report.document import Figure, Finding, Section
from endoxa.report.figures import Measure, block_figure, described, series_figure
from endoxa.report.plots import MOST_APART, Axis
from endoxa.report.tables import Cell, Table, number_field, table_of, text_field
from endoxa.report.words import NO_VALUE, count, decimal, decimal_interval, language_name, percent, plural
from endoxa.sources.stereotales.associations import PARTS
from endoxa.stats.verdicts import ABOVE, UNCLEAR

MOST_DRAWN = 15
"""Associations that are drawn; the table of associations below holds all."""

LEAST_DOMAIN = 4.0
"""The axis of lifts reaches at least this far."""
LIFT = Measure("lift (1: as often as in all stories)", 1.0, "~g", 0.0, 1.0)


def strongest(results: StoryResults) -> Section | None:
    """The associations of the most models, of these the greatest lift first; None without pooled associations."""
    rows, kind = _ranked(results)
    if rows.is_empty():
        return None
    shown = rows.head(MOST_DRAWN).with_row_index("number", offset=1)
    which = f"{kind}s" if shown.height > 1 else kind
    several = len(results.searched) > 1
    reading = "A dot is a model; intervals are in the CSV file."
    if len(results.writers) <= MOST_APART:
        reading = f"Bars are {results.level} intervals of the lift of a model."
    return Section(
        anchor="strongest",
        title=f"The {which} that most models share" if several else f"The strongest {which}",
        findings=(_strongest_finding(results, rows, kind),),
        figures=(_strongest_figure(results, shown, which),),
        tables=(
            table_of(
                "The same associations, numbered as in the figure",
                shown,
                (
                    text_field("number", lambda row: Cell(str(row["number"]), order=row["number"])),
                    *SIDES,
                    number_field("models", lambda row: count(len(row["models"]))),
                    value_field("mean lift" if several else "lift", "value", decimal, 2),
                    ends_field("least to greatest" if several else f"{results.level} interval"),
                    value_field("stories", "count"),
                    value_field("harm, 1 to 5", "rating", decimal, 1) if results.harm is not None else None,
                ),
                unveil="Show the associations (they are stereotypes, some of them offensive)",
            ),
        ),
        notes=(
            "Lift is how many times more often the second trait comes in stories about people with the first than in "
            f"all stories of the table; right of the line: more often. {reading} Rows name attributes only; "
            "the values stand in the table under the same number. All associations are in the table of the next "
            "section.",
        ),
    )


def _ranked(results: StoryResults) -> tuple[pl.DataFrame, str]:
    """Harmful associations, or all where none is harmful, in the order shown, and what they are called."""
    pooled = results.associations.filter(pl.col("models").list.len() > 0)
    harmful = pooled.filter(pl.col("harmful") == HARMFUL)
    rows = (harmful if harmful.height else pooled).sort(
        pl.col("models").list.len(), "value", descending=True, nulls_last=True, maintain_order=True
    )
    return rows, "harmful association" if harmful.height else "association"


def strongest_sentence(results: StoryResults) -> str:
    """The strongest association of the only model, as the lead of a page; empty where there are several or none."""
    rows, kind = _ranked(results)
    if len(results.searched) != 1 or rows.is_empty():
        return ""
    return f"{_strongest_finding(results, rows, kind).text} Lift 1: as often as in all stories."


def _strongest_finding(results: StoryResults, rows: pl.DataFrame, kind: str) -> Finding:
    """How many models share the first association, and how strong it is."""
    first, models = rows.row(0, named=True), len(results.searched)
    reach, low, high = len(first["models"]), first["low"], first["high"]
    alike = rows.filter(pl.col("models").list.len() == reach).height
    # What it was chosen from: cells that were tested, or rows where that is not recorded.
    cells = int(results.tested.filter(POOLED)["cells"].sum())
    chosen_from = max(cells, rows.height)
    numbers: dict[str, float] = {"alike": alike, "models": models, "reach": reach, "number": 1}
    numbers |= {"lift": first["value"], "of": chosen_from}
    lift, mean = decimal(first["value"], 2), "mean lift" if reach > 1 else "lift"
    regression = "expect less of it in new stories"
    if models == 1:
        text = f"The strongest {kind} (number 1 below) has a lift of {lift}"
        if low is not None and high is not None:
            least = _least_of(first["value"], low, results.confidence, chosen_from)
            text += f" ({results.level} interval {decimal_interval(low, high, 2)})"
            numbers |= {"low": low, "high": high, "least": least}
            regression = f"the interval that holds for all at once begins at {decimal(least, 2)}"
    else:
        shared = "each in one model only" if reach == 1 else f"in the most models, {reach} of {models}"
        text = f"{plural(alike, kind)} {'is' if alike == 1 else 'are'} found {shared}"
        text += f"; the strongest (number 1 below) has a {mean} of {lift}"
    many = f"{count(chosen_from)}{' cells tested' if cells else ''}"
    picked = f" It was picked as the largest of {many}: {regression}." if chosen_from > 1 else ""
    return Finding(f"{text}.{picked}", (numbers,))


def _least_of(lift: float, low: float, confidence: float, number: int) -> float:
    """Lower end of the lift's interval, wide enough for the largest of several (Bonferroni on the log scale)."""
    from scipy.special import ndtri

    tail = (1 - confidence) / 2
    return float(lift * (low / lift) ** (ndtri(tail / number) / ndtri(tail)))


def _strongest_figure(results: StoryResults, shown: pl.DataFrame, which: str) -> Figure:
    """The lift of every association in every model; rows as '1. urbanicity → pet', without values that could offend."""
    models = len(results.searched)
    names = (pl.col(f"{end}_attribute").str.replace_all("_", " ") for end in ("base", "compared"))
    lift = pl.col("value").map_elements(lambda value: decimal(value, 2), return_dtype=pl.String)
    reach = pl.format(f", {{}} of {models} models", pl.col("models").list.len()) if models > 1 else pl.lit("")
    labelled = shown.select(
        *PARTS,
        label=pl.format(f"{{}}. {{}} {ARROW} {{}}", "number", *names),
        note=pl.format("× {}{}", lift, reach),
    )
    lifts = results.claimed.filter(POOLED).select(*PARTS, "model", "value", "low", "high")
    frame = labelled.join(lifts, on=PARTS, maintain_order="left").select(
        *("label", "note", "value", "low", "high"),
        series=pl.col("model").map_elements(results.label, return_dtype=pl.String),
        filled=pl.lit(value=True),
    )
    ends = [end for name in ("value", "low", "high") for end in frame[name].drop_nulls() if end > 0] or [1.0]
    texts = (f"{label}: {note}" for label, note in labelled.select("label", "note").iter_rows())
    return series_figure(
        frame,
        LIFT,
        [results.label(model) for model in results.writers],
        name="strongest",
        title=f"Lift of the {which} that most models share"
        if models > 1
        else f"Lift of the strongest {which}",
        alt=described(
            f"Lift of numbered associations in the stories of {plural(models, 'model')}, 1: none", texts
        ),
        domain=(min(0.8, 0.9 * min(ends)), max(LEAST_DOMAIN, 1.1 * max(ends))),
        log=True,
    )


CLASSES = (HARMFUL, BENIGN, UNRATED)


def associations_by_model(results: StoryResults) -> Section | None:
    """Bars under the names of providers, most harmful first, and the counts; None without pooled associations."""
    counted = class_counts(results)
    parts = [name for name in CLASSES if counted[name].sum()]
    if not parts:
        return None
    note = pl.concat_str([pl.col(part).cast(pl.String) for part in parts], separator=" / ")
    ends = [pl.sum_horizontal(parts[: place + 1]) for place in range(len(parts))]
    # The parts of a model's bar, one behind the other.
    bars = pl.concat(
        counted.with_row_index("row").select(
            "row", "label", block="provider", note=note, part=pl.lit(part), end=end, start=end - pl.col(part)
        )
        for part, end in zip(parts, ends, strict=True)
    ).sort("row", maintain_order=True)
    spoken = (
        f"{row['label']}: " + ", ".join(f"{count(row[part])} {part}" for part in parts)
        for row in counted.iter_rows(named=True)
    )
    classified = HARMFUL in parts or BENIGN in parts
    return Section(
        anchor="by-model",
        title="Associations of each model",
        findings=tuple(_count_findings(counted)),
        figures=(
            block_figure(
                bars.drop("row"),
                {part: COLORS[part] for part in parts},
                Axis((0, int(max(bars["end"]))), "associations", "d"),
                legend=len(parts) > 1,
                name="associations-by-model",
                title="Harmful and benign associations" if classified else "Associations",
                alt=described("Associations of each model", spoken),
            ),
        ),
        notes=(
            "All languages of a model together. A model with more stories, or whose stories tell more of their "
            "protagonists, can show more associations: compare models with as many stories.",
        ),
    )


def class_counts(results: StoryResults) -> pl.DataFrame:
    """A row for each model that was tested or has associations: `provider`, `label`, how many are of each class.

    Providers stand together, the one with the most harmful associations of a model first.
    """
    classes = results.associations.select(*PARTS, "harmful")
    rows = results.claimed.filter(POOLED).join(classes, on=PARTS, how="left", maintain_order="left")
    kind = pl.col("harmful").fill_null(UNRATED)
    shown = rows.group_by("model", maintain_order=True).agg(
        (kind == name).sum().cast(pl.Int64).alias(name) for name in CLASSES
    )
    tested = results.tested.filter(POOLED, pl.col("tables") > 0).select("model")
    models = pl.concat([shown.select("model"), tested]).unique(maintain_order=True)
    counted = models.join(shown, on="model", how="left", maintain_order="left").fill_null(0)
    named = counted.with_columns(
        label=pl.col("model").map_elements(results.label, return_dtype=pl.String),
        provider=pl.col("model").map_elements(
            lambda model: results.names[model].provider, return_dtype=pl.String
        ),
    )
    total = pl.sum_horizontal(CLASSES)
    harmful = pl.col(HARMFUL)
    return named.sort(
        *(harmful.max().over("provider"), total.max().over("provider"), "provider", harmful, total),
        descending=True,
        maintain_order=True,
    )


def _count_findings(counted: pl.DataFrame) -> Iterator[Finding]:
    if not counted[HARMFUL].sum():
        return
    none, ordered = int((counted[HARMFUL] == 0).sum()), counted.sort(HARMFUL)
    least, most = ordered.row(0, named=True), ordered.row(-1, named=True)
    per_model = f"{count(most[HARMFUL])} ({most['label']})"
    if least[HARMFUL] != most[HARMFUL]:
        per_model = f"from {count(least[HARMFUL])} ({least['label']}) to {per_model}"
    elif counted.height > 1:
        per_model = f"{count(most[HARMFUL])} in each"
    ranking = " No test compares these numbers: they are not a ranking." if counted.height > 1 else ""
    without = f" Models that show none: {count(none)} of {count(counted.height)}." if none else ""
    yield Finding(
        f"Harmful associations per model: {per_model}.{ranking}{without}",
        ({"none": none, "models": counted.height}, least, most),
    )


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
            value_field("lift", "value", decimal, 2),
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
    words = dict[str, int]()
    association = (*PARTS, "verdict")
    by_association = defaultdict[tuple[object, ...], list[list[Any]]](list)
    for row in results.discovered.filter(POOLED).iter_rows(named=True):
        values = (row[name] for name in ("value", "low", "high", "fraction", "count"))
        by_association[tuple(row[name] for name in association)].append(
            [models[row["model"]], *map(_short, values)]
        )
    rows = [
        [
            [
                words.setdefault(text, len(words))
                for end in ("base", "compared")
                for text in (
                    attribute_name(row[f"{end}_attribute"]),
                    side(row[f"{end}_attribute"], row[f"{end}_value"]),
                )
            ],
            [languages.index(code) for code in row["languages"]],
            [_short(row[name]) for name in ("value", "low", "high", "fraction", "count", "rating")],
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
