"""Who the protagonists are, and the stories to read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from string import ascii_uppercase
from typing import Any

import polars as pl

from endoxa.instruments.stories.report.results import StoryResults, attribute_name, side, value_name
from endoxa.instruments.stories.report.sources import Sample, shares
from endoxa.report.document import Figure, Finding, Section
from endoxa.report.figures import described, share_figure
from endoxa.report.items import Items, items_section
from endoxa.report.tables import Table, number_field, table_of, text_field
from endoxa.report.words import count, language_name, p_value, percent, plural
from endoxa.sources.stereotales.profiles import OTHER, UNKNOWN
from endoxa.stats.verdicts import ABOVE, UNTESTED

COLORS = ("#0b5fa5", "#f2b489", "#00795a", "#c6dff3", "#7b3f98", "#e3d29b", "#1b1f24")
DARK = frozenset({"#0b5fa5", "#00795a", "#7b3f98", "#1b1f24"})
"""Dark and light take turns, so that prints without colour can be read."""
REST = "other values"
LAST = {REST: "#ffffff", OTHER: "#d5d9de", UNKNOWN: "#f4f6f8"}
"""Values that come last, drawn pale."""
LEAST_LABELLED, LEAST_LETTERED = 0.12, 0.035
"""Shares with room for letter and percentage, and for the letter alone."""


SIDES = {"model": "models", "language": "languages", "theme": "themes"}
MOST_PARTS = 7
"""Values with a part of their own in a bar; the rarer ones share one."""
LEAST_P = 0.001
"""Smaller p-values are printed as below it."""


def distributions(results: StoryResults) -> Section | None:
    """For models, languages and themes the attribute in which they surely differ most, and all shares by model."""
    if results.counts.is_empty():
        return None
    figures, findings = [], []
    for by, spoken in SIDES.items():
        apart = results.differences.filter(pl.col("by") == by)
        if apart.height:
            findings += list(_findings(apart, spoken))
        beyond = apart.filter(pl.col("verdict") == ABOVE)["attribute"]
        figures += [_figure(results, by, name) for name in beyond.head(1)]
    if not figures:
        figures.append(_figure(results, "model", str(results.counts["attribute"][0])))
    return Section(
        anchor="distributions",
        title="Who the protagonists are",
        findings=tuple(findings),
        figures=tuple(figures),
        tables=(_table(results),),
        notes=(
            "A story counts for every attribute but the one that its prompt named. Unknown means that the story "
            "does not tell it. Where few stories are behind a bar, bars differ by chance alone: a difference is stated "
            "only where a permutation test over all attributes rejects it as chance. Stories of one prompt keep "
            "together. Differences between languages also hold what translated prompts suggest, those between themes "
            "what their scenarios suggest.",
        ),
    )


def _findings(apart: pl.DataFrame, spoken: str) -> Iterator[Finding]:
    """The attribute of the largest difference that chance does not explain, or that none is seen or can be tested."""
    # Each as an estimate: its value, and the neutral one that chance makes.
    estimates = apart.with_columns(value="distance", neutral="by_chance").rows(named=True)
    tested = [row for row in estimates if row["verdict"] != UNTESTED]
    untested = [row for row in estimates if row["verdict"] == UNTESTED]
    beyond = [row for row in tested if row["verdict"] == ABOVE]
    if beyond:
        most = beyond[0]
        yield Finding(
            f"The largest difference between {spoken} beyond chance is in {attribute_name(most['attribute'])} "
            f"({count(most['n'])} stories; permutation test, p {p_value(most['p_adjusted'])}): "
            f"between the two {spoken} furthest apart, {percent(most['distance'], 0)} of the stories would need "
            f"another value to make them alike; with {spoken} exchanged at random it is "
            f"{percent(most['by_chance'], 0)} on average. "
            f"Differences beyond chance are seen in {count(len(beyond))} of {plural(len(tested), 'attribute')}.",
            (most, {"beyond": len(beyond), "tested": len(tested), "least_shown": LEAST_P}),
        )
    elif tested:
        least = min(tested, key=lambda row: float(row["p_adjusted"]))
        numbers = {"tested": len(tested), "n": max(row["n"] for row in tested), "least_shown": LEAST_P}
        yield Finding(
            f"Differences between {spoken} are not distinguishable from chance ({plural(len(tested), 'attribute')}, "
            f"up to {plural(numbers['n'], 'story', 'stories')}; permutation test, least p "
            f"{p_value(least['p_adjusted'])}).",
            (least, numbers),
        )
    if untested:
        which = f" in {plural(len(untested), 'attribute')}" if tested else ""
        yield Finding(
            f"Differences between {spoken}{which} cannot be tested: {untested[0]['reason']}.",
            (untested[0], {"untested": len(untested)}),
        )


def values_in_order(rows: pl.DataFrame) -> list[str]:
    """The values of one attribute, most frequent first, then 'other' and 'unknown'."""
    total = rows.group_by("value", maintain_order=True).agg(pl.col("n").sum())
    names: list[str] = total.sort("n", descending=True, maintain_order=True)["value"].to_list()
    last = list(LAST)
    return sorted(names, key=lambda name: last.index(name) if name in last else -1)


def group_label(results: StoryResults, by: str, name: str) -> str:
    """How a model, a language or a theme is called."""
    if by == "model":
        return results.label(name)
    return language_name(name) if by == "language" else name or "no theme recorded"


def _figure(results: StoryResults, by: str, attribute: str) -> Figure:
    rows = results.counts.filter(pl.col("attribute") == attribute)
    order = values_in_order(rows)
    drawn = [name for name in order if name not in LAST][:MOST_PARTS]
    shown = rows.with_columns(
        value=pl.when(pl.col("value").is_in([*drawn, OTHER, UNKNOWN])).then("value").otherwise(pl.lit(REST))
    )
    parts = [*drawn, *(name for name in LAST if name in set(shown["value"]))]
    groups = results.writers if by == "model" else sorted(set(rows[by]))
    place = pl.col(by).replace_strict(groups, list(range(len(groups))), return_dtype=pl.Int64)
    frame = (
        shares(shown, by)
        .sort(place)
        .select(
            "share",
            label=pl.col(by).map_elements(
                lambda name: group_label(results, by, name), return_dtype=pl.String
            ),
            part=pl.col("value").map_elements(value_name, return_dtype=pl.String),
        )
    )
    bars = (
        f"{label}: "
        + ", ".join(f"{part} {percent(share, 0)}" for part, share in rows.select("part", "share").rows())
        for (label,), rows in frame.group_by(["label"], maintain_order=True)
    )
    return stacked_bars(
        frame,
        [value_name(name) for name in parts],
        name=f"{by}s-{attribute.replace('_', '-')}",
        title=f"{attribute_name(attribute).capitalize()}, by {by}",
        alt=described(f"Share of each {attribute_name(attribute)} among protagonists", bars),
    )


def stacked_bars(frame: pl.DataFrame, parts: Sequence[str], **figure: Any) -> Figure:
    """One bar per label, parts always in the same order; wide ones carry their letter and percentage.

    The letters stand in the legend, too, so that bars can be read where colours cannot be told apart.

    Args:
        frame: `label` (what the bar is about), `part` (a value) and `share` (of the bar's stories); bars are drawn in
            the order of their first rows.
        parts: the values in order; those of `LAST` are drawn pale.
        figure: settings of `Figure`.
    """
    drawn = [part for part in parts if part not in LAST]
    colors = {part: COLORS[k % len(COLORS)] for k, part in enumerate(drawn)} | LAST
    letters = dict(zip(parts, ascii_uppercase, strict=False))
    named = {part: f"{letter}  {part}" for part, letter in letters.items()}
    letter = pl.col("part").replace_strict(letters, return_dtype=pl.String)
    percentage = pl.format(" {} %", (100 * pl.col("share")).round(0).cast(pl.Int64))
    text = letter + pl.when(pl.col("share") >= LEAST_LABELLED).then(percentage).otherwise(pl.lit(""))
    return share_figure(
        frame.select(
            "label",
            "share",
            part=pl.col("part").replace_strict(named, return_dtype=pl.String),
            text=pl.when(pl.col("share") >= LEAST_LETTERED).then(text).otherwise(pl.lit("")),
        ),
        {name: colors[part] for part, name in named.items()},
        dark=[named[part] for part in drawn if colors[part] in DARK],
        of="stories",
        **figure,
    )


def _table(results: StoryResults) -> Table:
    frame = shares(results.counts, "model")
    share_of = {
        (row["attribute"], row["value"], row["model"]): row["share"] for row in frame.rows(named=True)
    }
    writers = set(results.counts["model"])

    def shown(model: str, row: tuple[str, str]) -> str:
        return percent(share_of.get((*row, model), 0.0))

    return table_of(
        "Share of every value, by model",
        (
            (attribute, value)
            for (attribute,), values in frame.group_by(["attribute"], maintain_order=True)
            for value in values_in_order(values)
        ),
        (
            text_field("attribute", lambda row: attribute_name(row[0])),
            text_field("value", lambda row: value_name(row[1])),
            *(
                number_field(results.label(model), partial(shown, model))
                for model in results.writers
                if model in writers
            ),
        ),
        folded=True,
    )


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
                _with_traits(sample),
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


def _with_traits(sample: Sample) -> str:
    """The story, and what was read off it."""
    traits = [side(name, value) for name, value in (sample.profile or {}).items() if value != UNKNOWN]
    unread = (
        "No usable profile." if sample.profile is None else "Nothing could be told about the protagonist."
    )
    return f"{sample.story or '(no text)'}\n\n→ {'; '.join(traits) or unread}"
