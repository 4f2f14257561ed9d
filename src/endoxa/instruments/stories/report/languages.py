"""What languages share and what only one shows; which models are alike."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import altair as alt
import polars as pl

from endoxa.instruments.stories.harm.panel import BENIGN, HARMFUL
from endoxa.instruments.stories.languages import Overlap
from endoxa.instruments.stories.report.results import UNRATED, By, StoryResults
from endoxa.instruments.stories.report.strongest import COLORS
from endoxa.instruments.stories.report.words import ASSOCIATION, claim, value_field
from endoxa.report.charts import INK, finish, heat_map, square_legend
from endoxa.report.document import Figure, Finding, Section
from endoxa.report.tables import Table, table_of, text_field
from endoxa.report.words import (
    count,
    decimal,
    decimal_interval,
    language_name,
    listed,
    p_value,
    percent,
    plural,
)

MOST_LISTED = 300
"""Associations in a list; the files of `endoxa analyze languages` have all."""

COLUMNS = {
    "languages": "number of languages",
    "part": "'harmful', 'benign' or 'not rated'",
    "n": "associations found in so many languages",
    "share": "share of the associations of the part",
}
"""Columns of the frame, one row for each number of languages and part."""

WIDTH = 310
HEIGHT = 170

LEAST_P = 0.001
"""Smaller p-values are printed as below it."""
FEWEST = 3
"""Members from which a heat map says more than a sentence."""

Name = Callable[[str], str]


def languages_compared(results: StoryResults) -> Section | None:
    """Reach of harmful and benign associations, likeness of languages, exclusive and universal ones."""
    overlap = results.by_language
    if overlap is None:
        return None
    absent = sorted(set(results.searched_languages) - set(_members(overlap)))
    rows = overlap.reach.with_columns(part=pl.col("harmful").fill_null(UNRATED))
    parts = [part for part in (HARMFUL, BENIGN, UNRATED) if part in set(rows["part"])]
    counted = rows.group_by("part", languages="reach").agg(n=pl.len().cast(pl.Int64))
    frame = counted.with_columns(share=pl.col("n") / pl.col("n").sum().over("part")).sort("languages", "part")
    spoken = [
        f"{part}: "
        + ", ".join(f"{n} in {reach}" for reach, n in numbers.select("languages", "n").iter_rows())
        for (part,), numbers in frame.group_by(["part"], maintain_order=True)
    ]
    return Section(
        anchor="languages",
        title="Which languages share what",
        findings=(*_reach_findings(overlap, results.level), *_alike(overlap, language_name)),
        figures=(
            Figure(
                name="reach",
                title="Number of languages that show an association",
                chart=reach_bars(frame, parts),
                alt=f"Associations by the number of languages they are found in. {'; '.join(spoken)}.",
            ),
            *_heat_map(overlap, "language", language_name),
        ),
        tables=tuple(
            table
            for table in (
                table_of(
                    "Languages one by one",
                    overlap.members,
                    (
                        text_field("language", lambda row: language_name(row["member"])),
                        *map(value_field, ("stories", "models", "associations", "harmful")),
                        value_field("only here", "exclusive"),
                        value_field("harmful only here", "exclusive_harmful"),
                        value_field("missed", "missed", percent, 0),
                        value_field("harmful missed", "missed_harmful", percent, 0),
                    ),
                    notes=(
                        "Missed: share of all associations that one would miss who looked at this language alone.",
                    ),
                ),
                exclusive(overlap),
                universal(overlap, all_show=not absent),
            )
            if table.rows
        ),
        notes=(
            "The test of reach and its interval take associations that share a value as dependent.",
            "An association counts for a language where it is found in that language alone, in any model. A "
            "language with "
            "fewer stories shows fewer: that it is not found there is no proof that it is not there.",
            *_absent([language_name(code) for code in absent]),
        ),
    )


def models_compared(results: StoryResults) -> Section | None:
    """Likeness of models; None with fewer than `FEWEST`."""
    overlap = results.between_models
    if overlap is None or len(_members(overlap)) < FEWEST:
        return None
    return Section(
        anchor="models-alike",
        title="Which models are alike",
        findings=tuple(_alike(overlap, results.label)),
        figures=tuple(_heat_map(overlap, "model", results.label)),
        notes=(
            "All languages of a model together. Models stand next to those they share most with.",
            *_absent(
                [results.label(name) for name in results.searched if name not in set(_members(overlap))]
            ),
        ),
    )


def _absent(names: Sequence[str]) -> Iterator[str]:
    if names:
        them = "it" if len(names) == 1 else "them"
        yield f"Nothing was found for {listed(names)}, and nothing is said of {them} here."


def _members(overlap: Overlap) -> pl.Series:
    return overlap.jaccard.sort("place_a")["a"].unique(maintain_order=True)


def _reach_findings(overlap: Overlap, level: str) -> Iterator[Finding]:
    """Mean reach of harmful and of benign associations; which is larger only where a test says so."""
    if overlap.comparison is None:
        return
    rows = {row["name"]: row for row in overlap.comparison.iter_rows(named=True)}
    harmful, benign = (rows.get(f"mean_reach_{kind}") for kind in (HARMFUL, BENIGN))
    apart = rows.get("difference")
    if harmful is None or benign is None or apart is None or apart["value"] is None:
        return
    ends = decimal_interval(apart["low"], apart["high"], 2)
    interval = f" ({level} interval {ends})" if apart["low"] is not None else ""
    tested = rows.get("superiority", apart)
    chance = tested["p_value"]
    test = "" if chance is None else f"; p {p_value(chance)}"
    yield Finding(
        f"A harmful association is found in {decimal(harmful['value'], 1)} languages on average, a benign one in "
        f"{decimal(benign['value'], 1)}: a difference of {decimal(apart['value'], 2)}{interval}{test}"
        f"{claim(tested)}.",
        (tested, harmful, benign, apart, {"least_shown": LEAST_P}),
    )


def _alike(overlap: Overlap, name: Name) -> Iterator[Finding]:
    pairs = overlap.jaccard.filter(pl.col("place_a") < pl.col("place_b")).drop_nulls("jaccard")
    if pairs.is_empty():
        return
    most = pairs.sort("jaccard", descending=True, maintain_order=True).row(0, named=True)
    shares = f"share {count(most['shared'])} of {plural(most['either'], 'association')} that either has"
    shown = f"{percent(most['jaccard'], 0)}"
    head = "Most alike are " if pairs.height > 1 else ""
    yield Finding(f"{head}{name(most['a'])} and {name(most['b'])}: they {shares} ({shown}).", (most,))


def _heat_map(overlap: Overlap, by: By, name: Name) -> Iterator[Figure]:
    members = _members(overlap).to_list()
    if len(members) < FEWEST:
        return
    labels = {member: name(member) for member in members}
    frame = overlap.jaccard.select(
        row=pl.col("a").replace_strict(labels, return_dtype=pl.String),
        column=pl.col("b").replace_strict(labels, return_dtype=pl.String),
        value="jaccard",
    )
    apart = frame.filter(pl.col("row") != pl.col("column"))["value"].drop_nulls().to_list()
    least, most = min(apart, default=0.0), max(apart, default=1.0)
    yield Figure(
        name=f"{by}s-alike",
        title=f"Shared associations of every two {by}s",
        chart=heat_map(
            frame, list(labels.values()), domain=(0.0, max(0.1, most)), title="shared / had by either"
        ),
        alt=f"Jaccard similarity of {len(members)} {by}s: from {percent(least, 0)} to {percent(most, 0)}.",
        wide=len(members) > 12,
    )


def reach_bars(frame: pl.DataFrame, parts: Sequence[str]) -> alt.TopLevelMixin:
    """Upright bars, the parts side by side, with their counts above.

    Args:
        frame: columns of `COLUMNS`.
        parts: the parts in order.
    """
    x = alt.X("languages:O", title="languages that show it", axis=alt.Axis(labelAngle=0))
    beside = alt.XOffset("part:N", scale=alt.Scale(domain=list(parts)))
    y = alt.Y("share:Q", title="share of the associations", axis=alt.Axis(format=".0%", tickCount=5))
    color = alt.Color(
        "part:N",
        scale=alt.Scale(domain=list(parts), range=[COLORS[part] for part in parts]),
        legend=square_legend() if len(parts) > 1 else None,
    )
    base = alt.Chart(frame).encode(x=x, xOffset=beside, y=y)
    return finish(
        alt.layer(
            base.mark_bar(stroke=INK, strokeWidth=0.6).encode(color=color),
            base.mark_text(baseline="bottom", dy=-2, fontSize=11).encode(text=alt.Text("n:Q")),
        ).properties(width=WIDTH, height=HEIGHT)
    )


def exclusive(overlap: Overlap) -> Table:
    """Associations of one language alone, and why their absence elsewhere may mean little."""
    return table_of(
        f"Found in one language only ({plural(overlap.exclusive.height, 'association')})",
        overlap.exclusive.head(MOST_LISTED),
        (
            text_field("language", lambda row: language_name(row["member"])),
            ASSOCIATION,
            text_field("verdict", "harmful"),
            value_field("models", "model_count"),
            text_field("caution"),
        ),
        folded=True,
        notes=_left_out(overlap.exclusive),
    )


def universal(overlap: Overlap, *, all_show: bool) -> Table:
    """Associations of every language; the title says so where some language shows none at all (not `all_show`)."""
    title = "Found in every language" if all_show else "Found in every language that shows any"
    return table_of(
        f"{title} ({plural(overlap.universal.height, 'association')})",
        overlap.universal.head(MOST_LISTED),
        (
            ASSOCIATION,
            text_field("verdict", "harmful"),
            value_field("models, fewest", "fewest_models"),
            value_field("models, most", "most_models"),
        ),
        folded=True,
        notes=_left_out(overlap.universal),
    )


def _left_out(listed: pl.DataFrame) -> tuple[str, ...]:
    left = listed.height - MOST_LISTED
    return (f"{count(left)} more are in the files of endoxa analyze languages.",) if left > 0 else ()
