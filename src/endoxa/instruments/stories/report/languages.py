"""What languages share and what only one shows, whom harm is about in each language, and which models are alike."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import polars as pl

from endoxa.instruments.stories.harm.ratings import BENIGN, HARMFUL
from endoxa.instruments.stories.languages import Overlap
from endoxa.instruments.stories.languages.marked import MARKED, RESOLUTION, UNMARKED, scope
from endoxa.instruments.stories.languages.presence import By
from endoxa.instruments.stories.report.results import (
    CLAIMS,
    COLORS,
    UNRATED,
    StoryResults,
    side,
    value_field,
    value_fields,
)
from endoxa.report.claims import Row, signed_ends
from endoxa.report.document import Figure, Finding, Section
from endoxa.report.estimates import Kind, dots, numbers, sentence
from endoxa.report.figures import FEWEST_ALIKE, Measure, block_figure, described, likeness_map
from endoxa.report.overview import Used
from endoxa.report.plots import Axis
from endoxa.report.tables import table_of, text_field
from endoxa.report.words import (
    count,
    decimal,
    decimal_interval,
    language_name,
    p_value,
    percent,
    plural,
    signed,
)
from endoxa.runs.estimates import GROUPS_MOVED, REACH
from endoxa.schema import ALL
from endoxa.stats.verdicts import ABOVE, BELOW

LEAST_P = 0.001
"""Smaller p-values are printed as below it."""
FILES = "endoxa analyze associations"
KINDS = (MARKED, UNMARKED)
SPOKEN = {
    MARKED: "groups set apart where a language is spoken (marked)",
    UNMARKED: "groups that are usual where a language is spoken (unmarked)",
}
MOVED = Measure("harmful associations", 0.0, "+.2~f", 1.0, 1.0)


def moved_kind(level: str) -> Kind:
    """How the difference of a language from the others is spoken of, drawn and written."""
    others = "in the other languages"
    return Kind(
        head="difference",
        measure=MOVED,
        level=level,
        neutral="0",
        unbiased="no difference: 0",
        who=lambda row: f"The number of harmful associations with {SPOKEN[row['group']]}",
        name=lambda row: f"{language_name(row['language'])}, {row['group']}",
        says=lambda row: (
            f"{signed(row['value'], 1)} on average"
            if row["n"]
            else "these stories have no harmful association with them in any language"
        ),
        clear={ABOVE: f"is higher than {others}", BELOW: f"is lower than {others}"},
        unclear=f"not distinguishable from that {others}",
        value=partial(signed, digits=1),
        ends=partial(signed_ends, digits=1),
    )


def languages_compared(results: StoryResults) -> Section | None:
    """Reach of harmful and benign associations, likeness of languages, and each language by itself."""
    overlap = results.by_language
    if overlap is None:
        return None
    return Section(
        anchor="languages",
        title="Which languages share what",
        findings=(*_reach_findings(overlap, results.level), *_alike(overlap, language_name)),
        figures=(_reach_figure(overlap.reach), *_likeness(overlap, "language", language_name)),
        tables=(
            table_of(
                "Languages one by one",
                overlap.members,
                (
                    text_field("language", "member", language_name),
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
        ),
        notes=(
            "The test of reach and its interval take associations that share a value as dependent.",
            "An association counts for a language where it is found in that language alone, in any model. A language "
            "with fewer stories shows fewer: that it is not found there is no proof that it is not there. Each "
            f"association with its languages: {FILES}.",
        ),
    )


def models_compared(results: StoryResults) -> Section | None:
    """Likeness of models; None with fewer than `FEWEST_ALIKE`."""
    overlap = results.between_models
    if overlap is None or overlap.jaccard["a"].n_unique() < FEWEST_ALIKE:
        return None
    return Section(
        anchor="models-alike",
        title="Which models are alike",
        findings=tuple(_alike(overlap, results.label)),
        figures=_likeness(overlap, "model", results.label),
        notes=("All languages of a model together. Models stand next to those they share most with.",),
    )


def shared_findings(overlap: Overlap, level: str, by: By) -> Iterator[Finding]:
    """Everything that is said of languages or models by what they share."""
    yield from _reach_findings(overlap, level)
    yield from _alike(overlap, language_name if by == "language" else str)
    if overlap.shift is not None:
        overall = _moved(overlap.shift).filter(
            pl.col("group").is_in(list(KINDS)), attribute=ALL, language=ALL
        )
        overall = overall.drop_nulls("value")
        yield from (sentence(moved_kind(level), row) for row in overall.iter_rows(named=True))


def _moved(shift: pl.DataFrame) -> pl.DataFrame:
    return shift.rename({"value": "member", "difference": "value"}).with_columns(resolution=RESOLUTION)


def _reach_findings(overlap: Overlap, level: str) -> Iterator[Finding]:
    """Mean reach of harmful and of benign associations; which is larger only where a test says so."""
    if overlap.comparison is None:
        return
    rows = {row["name"]: row for row in overlap.comparison.iter_rows(named=True)}
    harmful, benign = (rows[f"mean_reach_{kind}"] for kind in (HARMFUL, BENIGN))
    apart, tested = rows["difference"], rows["superiority"]
    if apart["value"] is None:
        return
    ends = decimal_interval(apart["low"], apart["high"], 2)
    interval = f" ({level} interval {ends})" if apart["low"] is not None else ""
    test = "" if tested["p_value"] is None else f"; p {p_value(tested['p_value'])}"
    yield Finding(
        f"A harmful association is found in {decimal(harmful['value'], 1)} languages on average, a benign one in "
        f"{decimal(benign['value'], 1)}: a difference of {decimal(apart['value'], 2)}{interval}{test}"
        f"{CLAIMS[tested['verdict']].format(reason=tested['reason'])}.",
        (tested, harmful, benign, apart, {"least_shown": LEAST_P}),
    )


def _alike(overlap: Overlap, name: Callable[[str], str]) -> Iterator[Finding]:
    pairs = overlap.jaccard.filter(pl.col("place_a") < pl.col("place_b")).drop_nulls("jaccard")
    if pairs.is_empty():
        return
    most = pairs.sort("jaccard", descending=True, maintain_order=True).row(0, named=True)
    shares = f"share {count(most['shared'])} of {plural(most['either'], 'association')} that either has"
    head = f"Of {pairs.height} pairs the most alike are " if pairs.height > 1 else ""
    yield Finding(
        f"{head}{name(most['a'])} and {name(most['b'])}: they {shares} ({percent(most['jaccard'], 0)}).",
        (most, {"pairs": pairs.height}),
    )


def _likeness(overlap: Overlap, by: By, name: Callable[[str], str]) -> tuple[Figure, ...]:
    return likeness_map(
        overlap.jaccard.select("a", "b", "place_a", value="jaccard"),
        name,
        lambda _, most: (0.0, max(0.1, most)),
        name=f"{by}s-alike",
        title=f"Shared associations of every two {by}s",
        legend="shared / had by either",
        alt=f"Jaccard similarity of {{n}} {by}s: {{range}}.",
        widest=12,
    )


def _reach_figure(reach: pl.DataFrame) -> Figure:
    """In how many languages associations are found, harmful ones above benign ones."""
    counted = reach.group_by(part=pl.col("harmful").fill_null(UNRATED), languages="reach").agg(n=pl.len())
    parts = [part for part in (HARMFUL, BENIGN, UNRATED) if part in counted["part"]]
    each = counted.sort("languages").with_columns(
        share=pl.col("n") / pl.col("n").sum().over("part"),
        label="in " + pl.col("languages").map_elements(lambda n: plural(n, "language"), pl.String),
        note=pl.col("n").cast(pl.String),
        start=pl.lit(0.0),
    )
    bars = pl.concat(each.filter(part=part) for part in parts)
    spoken = (f"{part}, {label}: {n}" for part, label, n in bars.select("part", "label", "n").iter_rows())
    return block_figure(
        bars.select("label", "part", "start", "note", block="part", end="share"),
        {part: COLORS[part] for part in parts},
        Axis((0.0, float(max(bars["share"]))), "share of the associations", ".0%"),
        legend=False,
        name="reach",
        title="Number of languages that show an association",
        alt=described("Associations by the number of languages they are found in", spoken),
        rows=bars.select("part", "languages", "share", "n"),
    )


def groups_moved(results: StoryResults) -> Section | None:
    """Marked and unmarked groups in each language against the others; None where it cannot be said."""
    shift = None if results.by_language is None else results.by_language.shift
    if shift is None or shift.is_empty():
        return None
    kind = moved_kind(results.level)
    estimates = _moved(shift)
    kinds = estimates.filter(pl.col("attribute") == ALL, pl.col("group").is_in(list(KINDS)))
    overall = kinds.filter(language=ALL).drop_nulls("value")
    return Section(
        anchor="groups",
        title="Whom harmful associations are about, by language",
        findings=tuple(sentence(kind, row) for row in overall.iter_rows(named=True)),
        figures=(dots(kind, kinds, kind.name, name="groups-moved", title="In the language minus elsewhere"),),
        tables=(
            numbers(
                kind,
                "Harmful associations with every group",
                estimates,
                (
                    text_field("language", "language", language_name),
                    text_field("kind", "group"),
                    text_field("group", _group),
                    *value_fields({"here": "here", "elsewhere": "elsewhere"}, decimal, 1),
                ),
                (value_field("associations", "n"),),
                folded=True,
            ),
        ),
        notes=(
            "Which groups are usual and which are set apart where a language is spoken is a judgement, kept in a file "
            "that can be changed (endoxa analyze associations --groups). Above 0, the language has more harmful "
            "associations with these groups than the other languages have on average; a language with more stories "
            "has more of all.",
            f"{results.level} intervals draw associations anew. Verdicts come from exchanging the languages of each "
            "association at random; a filled mark is a claim. Tests over all languages, of single languages and of "
            "single groups are corrected apart.",
        ),
    )


def _group(row: Row) -> str:
    return "all" if row["attribute"] == ALL else side(row["attribute"], row["member"])


def overlap_families(overlap: Overlap | None) -> tuple[Used, ...]:
    """The families of tests of what languages share, for the table of families on the page."""
    used: list[Used] = []
    if overlap is not None and overlap.comparison is not None:
        used.append((REACH, overlap.comparison.filter(pl.col("neutral").is_not_null()), ""))
    if overlap is not None and overlap.shift is not None:
        scopes = overlap.shift.with_columns(scope=scope()).group_by(["scope"], maintain_order=True)
        used += [(GROUPS_MOVED, claims, str(name)) for (name,), claims in scopes]
    return tuple(used)
