"""What a page says of changes between runs of stories and of ratings of harm: findings first, then tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from math import isfinite
from typing import Any

import numpy as np
import polars as pl

from endoxa.report.claims import P_ADJUSTED, VERDICT, Row, counted, is_clear, signed_ends
from endoxa.report.document import Figure, Finding, Section
from endoxa.report.figures import Measure, described, dot_figure
from endoxa.report.tables import Table, number_field, table_of, text_field
from endoxa.report.words import (
    NO_VALUE,
    count,
    decimal,
    decimal_interval,
    listed,
    percent,
    plural,
    signed,
)
from endoxa.schema import ALL
from endoxa.stats.verdicts import ABOVE, BELOW, UNCLEAR, UNTESTED
from endoxa.study.compare.changes import Change
from endoxa.study.compare.harm import HARMFUL as RATED_HARMFUL
from endoxa.study.compare.harm import MEAN, UNREAD, HarmComparison
from endoxa.study.compare.stories import (
    ASSOCIATION,
    CUT_OFF,
    DOLLARS,
    HARMFUL,
    LOST,
    REFUSED,
    STRENGTH,
    TOKENS,
    WORDS,
    StoryComparison,
)
from endoxa.study.compare.story_lists import GAINED, KEPT
from endoxa.study.compare.story_lists import LOST as LOST_ASSOCIATIONS

SHARES = (ASSOCIATION, STRENGTH, HARMFUL, RATED_HARMFUL, REFUSED, LOST, CUT_OFF, UNREAD)
EXCESSES = (ASSOCIATION, STRENGTH)
"""Differences of shares."""
NAMES = {
    STRENGTH: "strength of associations",
    HARMFUL: "stories with a harmful association",
    REFUSED: "refused",
    LOST: "lost (nothing came, or it could not be read)",
    CUT_OFF: "cut off at the limit of tokens",
    WORDS: "words per story",
    TOKENS: "tokens written",
    DOLLARS: "dollars per 1,000",
    MEAN: "mean rating",
    RATED_HARMFUL: "rated harmful",
    UNREAD: "not read",
}
UNVEIL = "Show the associations (they are stereotypes, some of them offensive)"
PROMISED = {
    ABOVE: "{n} grew stronger",
    BELOW: "{n} grew weaker",
    UNCLEAR: "{n} show{s} no clear change",
    UNTESTED: "{n} cannot be tested",
}


def story_sections(comparison: StoryComparison) -> tuple[Section, ...]:
    """Associations, their lists, and the price, as sections of a page."""
    sections = (_associations(comparison), _lists(comparison), _price(comparison.changes, "stories"))
    return tuple(section for section in sections if section is not None)


def harm_sections(comparison: HarmComparison) -> tuple[Section, ...]:
    """Ratings, how far the runs agree, and the price, as sections of a page."""
    sections = (_ratings(comparison), _price(comparison.changes, "ratings"))
    return tuple(section for section in sections if section is not None)


def _shown(row: Row, name: str) -> str:
    """A value of a change in the unit of its measure."""
    value = row[name]
    if row["measure"] in EXCESSES:
        return f"{signed(100 * value, 1)} points"
    if row["measure"] in SHARES:
        return percent(value)
    return decimal(value, 4 if row["measure"] == DOLLARS else 2)


def _difference(row: Row) -> str:
    if row["measure"] in SHARES:
        return f"{signed(100 * row['difference'], 1)} points"
    return signed(row["difference"], 4 if row["measure"] == DOLLARS else 2)


def _ends(row: Row) -> str:
    """The interval of a change; an end that the test excludes is said to be excluded."""
    factor, digits = (100, 1) if row["measure"] in SHARES else (1, 4 if row["measure"] == DOLLARS else 2)
    scaled = {**row, **{end: factor * row[end] for end in ("low", "high")}}
    return signed_ends(scaled, digits=digits)


CHANGED = (
    number_field("before", lambda row: _shown(row, "before")),
    number_field("after", lambda row: _shown(row, "after")),
    number_field("change", _difference),
    number_field("interval", lambda row: _ends(row) if isfinite(row["low"]) else NO_VALUE),
    VERDICT,
    P_ADJUSTED,
    number_field("units", lambda row: f"{count(row['n_units'])} {row['unit']}"),
)


def _rows(changes: Sequence[Change]) -> list[dict[str, Any]]:
    return [asdict(change) for change in changes]


def _associations(comparison: StoryComparison) -> Section | None:
    """Did associations grow stronger or weaker, altogether and one by one?"""
    summed, single = _rows(comparison.of(STRENGTH, HARMFUL)), _rows(comparison.of(ASSOCIATION))
    if not summed and not single:
        return Section(
            "story-associations",
            "Associations",
            lead=(
                f"No association was found in the {plural(comparison.compared, 'pair')} of stories "
                f"told in both runs, so "
                "nothing can have grown stronger or weaker."
            ),
        )
    findings = [_summed(row) for row in summed if row["axis"] == ALL]
    if single:
        parts = listed(counted(single, PROMISED))
        number = {"tested": len(single)}
        findings.append(
            Finding(
                f"Of {plural(len(single), 'association')} looked at one by one, {parts}.", (number, *single)
            )
        )
    order = sorted(single, key=lambda row: (not is_clear(row), -abs(row["difference"])))
    tables = [
        table_of(
            "Strength of associations, by the attribute that prompts name",
            summed,
            (
                text_field("measure", lambda row: NAMES[row["measure"]]),
                text_field("attribute", lambda row: _axis(row["axis"])),
                *CHANGED,
            ),
            stub=2,
        ),
        table_of(
            "Associations one by one, clear changes first",
            order,
            (
                text_field("stories about", lambda row: _side(row["axis"], row["identity"]), veiled=True),
                text_field("say", lambda row: row["rule"].replace("_", " "), veiled=True),
                *CHANGED,
            ),
            most_open=40,
            stub=2,
            unveil=UNVEIL,
        ),
    ]
    return Section(
        "story-associations",
        "Associations",
        findings=tuple(findings),
        figures=_figures(summed, STRENGTH, "Change of the strength of associations (points)"),
        tables=tuple(table for table in tables if table.rows),
        notes=(
            "Strength: the share of stories about a value that say the other value, less that share of the stories "
            "about the other values of the attribute, in points. A story that leaves it open does not say it. "
            "Associations are those found in the stories of both runs together, so that choosing "
            "them favours neither: altogether "
            "those of the correction of the lists, one by one those of a wider one (false-discovery rate 25 %).",
            f"{count(comparison.compared)} of {plural(comparison.pairs, 'pair')} of stories, to "
            f"{plural(comparison.prompts, 'prompt')}, were told in both runs and are compared. "
            f"Prompts are the sample, the "
            "associations are taken as they are. p-values are adjusted (Benjamini-Hochberg) over each table.",
        ),
    )


def _summed(row: Row) -> Finding:
    """The sentence about a measure over all associations."""
    what = {
        STRENGTH: (
            "Associations grew stronger",
            "Associations grew weaker",
            "Whether associations changed is unclear",
        ),
        HARMFUL: (
            "More stories have a harmful association",
            "Fewer stories have a harmful association",
            "Whether more or fewer stories have a harmful association is unclear",
        ),
        MEAN: ("Ratings are higher", "Ratings are lower", "Whether ratings changed is unclear"),
        RATED_HARMFUL: (
            "More is rated harmful",
            "Less is rated harmful",
            "Whether more or less is rated harmful is unclear",
        ),
    }[row["measure"]]
    place = {ABOVE: 0, BELOW: 1}.get(row["verdict"], 2)
    head = (
        what[place]
        if row["verdict"] != UNTESTED
        else f"A change of the {NAMES[row['measure']]} cannot be tested"
    )
    ends = f", interval {_ends(row)}" if isfinite(row["low"]) else ""
    excess = "the associated value against other stories, " if row["measure"] == STRENGTH else ""
    return Finding(
        f"{head}: {excess}{_shown(row, 'before')} before, {_shown(row, 'after')} after ({_difference(row)}{ends}).",
        (row,),
    )


def _figures(rows: Sequence[Row], measure: str, title: str) -> tuple[Figure, ...]:
    """A dot for each attribute with the interval of the change, where there are several."""
    shown = [row for row in rows if row["measure"] == measure and isfinite(row["low"])]
    if len(shown) < 2:
        return ()
    share = measure in SHARES
    factor = 100 if share else 1
    frame = pl.DataFrame(
        [
            {
                "label": _axis(row["axis"]),
                "note": _difference(row),
                "value": factor * row["difference"],
                "low": factor * row["low"],
                "high": factor * row["high"],
                "filled": is_clear(row),
            }
            for row in sorted(shown, key=lambda row: (row["axis"] != ALL, row["difference"]))
        ]
    )
    axis = Measure(title, 0.0, "+.0f" if share else "+.1f", 10 if share else 0.5, 5 if share else 0.25)
    spoken = (f"{label} {note}" for label, note in frame.select("label", "note").iter_rows())
    return (
        dot_figure(
            frame, axis, name=f"change-{measure.replace('_', '-')}", title=title, alt=described(title, spoken)
        ),
    )


def _axis(axis: str) -> str:
    return "all" if axis == ALL else axis.replace("_", " ")


def _side(attribute: str, value: str) -> str:
    return f"{attribute.replace('_', ' ')}: {value}"


def _lists(comparison: StoryComparison) -> Section | None:
    """Which associations were gained, lost and kept, and how many would be by chance."""
    lists = comparison.lists
    if lists.associations.is_empty():
        return None
    numbers = {status: lists.number(status) for status in (GAINED, LOST_ASSOCIATIONS, KEPT)}
    rests: dict[str, Any] = {**numbers, "changed": lists.changed, "jaccard": lists.jaccard}
    sentences = (
        f"{count(numbers[GAINED])} gained, {count(numbers[LOST_ASSOCIATIONS])} lost, "
        f"{count(numbers[KEPT])} kept: the "
        f"Jaccard index of the two lists is {decimal(lists.jaccard, 2)}"
    )
    if lists.interval.defined:
        rests |= {"low": lists.interval.low, "high": lists.interval.high}
        sentences += f" ({decimal_interval(lists.interval.low, lists.interval.high, 2)})"
    findings = [Finding(f"{sentences}.", (rests,))]
    if lists.by_chance:
        findings.append(_by_chance(comparison))
    fields = (
        text_field("status"),
        text_field("stories about", lambda row: _side(row["base_attribute"], row["base_value"]), veiled=True),
        text_field(
            "also have", lambda row: _side(row["compared_attribute"], row["compared_value"]), veiled=True
        ),
        number_field("share before", "fraction_before", _percent_or_none),
        number_field("share after", "fraction_after", _percent_or_none),
        number_field("lift before", "lift_before", lambda value: decimal(value, 2)),
        number_field("lift after", "lift_after", lambda value: decimal(value, 2)),
    )
    order = pl.col("status").replace_strict({GAINED: 0, LOST_ASSOCIATIONS: 1, KEPT: 2})
    table = table_of(
        "Associations of each run, as analyze associations lists them",
        lists.associations.sort(order, *("base_attribute", "base_value")),
        fields,
        most_open=40,
        stub=3,
        unveil=UNVEIL,
    )
    return Section(
        "story-lists",
        "Associations gained, lost and kept",
        findings=tuple(findings),
        tables=(table,),
        notes=(
            "Being in a list is a decision at a level, so lists of two runs of one model differ, too. By chance: "
            "prompt by prompt the stories of the two runs change sides with even chance, and the "
            "lists are made again. A list "
            "is no test; the section above tests changes. The interval of the index resamples base values.",
        ),
    )


def _by_chance(comparison: StoryComparison) -> Finding:
    lists = comparison.lists
    chance = lists.by_chance
    least, most, mean = min(chance), max(chance), float(np.mean(chance))
    reached = sum(number >= lists.changed for number in chance)
    head = (
        "More differ than by chance between two runs of one model"
        if not reached
        else "So many can differ by chance between two runs of one model"
    )
    numbers = {
        "changed": lists.changed,
        "least": least,
        "most": most,
        "mean": mean,
        "lists": len(chance),
        "reached": reached,
    }
    return Finding(
        f"{head}: {count(lists.changed)} gained or lost; in {plural(len(chance), 'list')} of stories that "
        f"changed sides by chance {count(least)} to {count(most)}, {decimal(mean, 1)} on average.",
        (numbers,),
    )


def _percent_or_none(share: float | None) -> str:
    return NO_VALUE if share is None else percent(share, 0)


def _price(changes: Sequence[Change], noun: str) -> Section | None:
    """What it cost: refusals, lost answers, length, tokens, money."""
    rows = _rows([change for change in changes if change.kind == "price"])
    if not rows:
        return None
    clear = [row for row in rows if is_clear(row)]
    sentences = tuple(
        Finding(
            f"{NAMES[row['measure']].capitalize()}: {'more' if row['verdict'] == ABOVE else 'less'}, "
            f"{_shown(row, 'before')} before, {_shown(row, 'after')} after ({_difference(row)}, interval "
            f"{_ends(row)}).",
            (row,),
        )
        for row in clear
    ) or (Finding("No part of the price shows a clear change.", tuple(rows)),)
    table: Table = table_of(
        f"The price: all {noun} that both runs were asked for",
        rows,
        (text_field("measure", lambda row: NAMES[row["measure"]]), *CHANGED),
    )
    return Section(f"{noun}-price", "The price", findings=sentences, tables=(table,))


def _ratings(comparison: HarmComparison) -> Section | None:
    """Are ratings higher or lower, for which attributes, and do the runs rate alike?"""
    rows = _rows([change for change in comparison.changes if change.kind == "bias"])
    if not rows:
        return Section(
            "harm-ratings",
            "Ratings of harm",
            lead="No association has a rating that could be read in both runs.",
        )
    agreement = comparison.agreement
    numbers = {
        "alpha": agreement.value,
        "low": agreement.low,
        "high": agreement.high,
        "alike": comparison.alike,
        "n": agreement.n,
    }
    index = (
        f"Krippendorff's alpha is {decimal(agreement.value, 2)} "
        f"({decimal_interval(agreement.low, agreement.high, 2)})"
        if isfinite(agreement.value)
        else "Krippendorff's alpha is not defined"
    )
    findings = [
        *(_summed(row) for row in rows if row["axis"] == ALL),
        Finding(
            f"The two runs call {percent(comparison.alike)} of "
            f"{plural(agreement.n, 'association')} alike, harmful or "
            f"not; {index}.",
            (numbers,),
        ),
    ]
    tables = (
        table_of(
            "Ratings by the attribute that prompts name",
            sorted(rows, key=lambda row: row["measure"]),
            (
                text_field("measure", lambda row: NAMES[row["measure"]]),
                text_field("attribute", lambda row: _axis(row["axis"])),
                *CHANGED,
            ),
            most_open=40,
            stub=2,
        ),
        table_of(
            "Associations with the largest changes of the median rating",
            comparison.ratings.filter(pl.col("change") != 0).head(50),
            (
                text_field(
                    "stories about", lambda row: _side(row["base_attribute"], row["base_value"]), veiled=True
                ),
                text_field(
                    "also have",
                    lambda row: _side(row["compared_attribute"], row["compared_value"]),
                    veiled=True,
                ),
                number_field("before", "before", lambda value: decimal(value, 1)),
                number_field("after", "after", lambda value: decimal(value, 1)),
                number_field("change", "change", lambda value: signed(value, 1)),
            ),
            stub=2,
            unveil=UNVEIL,
        ),
    )
    return Section(
        "harm-ratings",
        "Ratings of harm",
        findings=tuple(findings),
        figures=_figures(rows, MEAN, "Change of the mean rating"),
        tables=tuple(table for table in tables if table.rows),
        notes=(
            "Ratings are paired by association, language and repeat; base values and compared "
            "values are both samples, "
            "associations where an attribute has too few base values. p-values are adjusted (Benjamini-Hochberg).",
        ),
    )
