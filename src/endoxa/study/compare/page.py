"""The page of a comparison: what changed, at what price, where most, and which items changed sides."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

import polars as pl

from endoxa.report.claims import VERDICT, chip, hollow, mark, marked
from endoxa.report.document import Figure, Finding, Section
from endoxa.report.figures import Measure, described, dot_figure
from endoxa.report.files import LARGEST, csv_address
from endoxa.report.frame import CITE, Page, filled
from endoxa.report.inputs import EXTRACTED, HARM, PAIRS
from endoxa.report.tables import Cell, Field, Table, number_field, table_of, text_field
from endoxa.report.words import NO_VALUE, count, decimal_interval, listed, p_value, plural, signed
from endoxa.schema import ALL
from endoxa.stats.verdicts import CLEAR, CORRECTED, UNTESTED, significance
from endoxa.study.compare.changes import Change
from endoxa.study.compare.dates import over_time
from endoxa.study.compare.results import Comparison, Contrasted, value
from endoxa.study.compare.sentences import name_of
from endoxa.study.gate.measures import ASSOCIATION, EFFECT_SIZE, catalog

MOST_PARTS = 10
"""Rises, and falls, that the figure of parts shows."""
MOST_SETTINGS = 4
"""Settings in which runs differ that the first lines of the page name."""
MOST_ITEMS = 100
"""Items in each direction that the page shows."""
UNVEIL = "Show the associations (they are stereotypes, some of them offensive)"
PLACES = {EXTRACTED: "attribute and association", HARM: "attribute"}
"""By what parts are told apart, where it is not axis and identity."""
DIRECTIONS = {
    "towards": "towards the stereotype",
    "gained": "gained",
    "higher": "rated higher",
    "away": "away from it",
    "lost": "lost",
    "lower": "rated lower",
    "neither": "in another way",
    "kept": "kept",
}
"""Where items can have gone, in the order in which they are shown."""
AXIS = Measure("change (after minus before)", 0.0, "+.2~f", 0.1, 0.1)

Row = tuple[Contrasted, Change]


def page_of(comparison: Comparison) -> Page:
    """The page; the run folders must still be there."""
    return Page(
        package=__package__,
        title=_title(comparison),
        subtitle=" ".join(_differ(comparison)),
        lead=_lead(comparison),
        entries=(*filled(SECTIONS, comparison), CITE),
        runs=[run.side.run for run in {run.side.run.folder: run for run in comparison.runs}.values()],
        models=dict.fromkeys(run.side.model for run in comparison.runs),
    )


def _title(comparison: Comparison) -> str:
    first, *others = comparison.runs
    if len(others) == 1 and len(comparison.shown) == 1 and (bias := comparison.shown[0].bias):
        moved = sum(change.verdict in CLEAR for change in bias)
        what = plural(len(bias), "measure of bias", "measures of bias")
        if not moved:
            return f"From {first.label} to {others[0].label}, no change of {what} is shown"
        return f"From {first.label} to {others[0].label}, {moved} of {what} changed"
    if len(others) == 1:
        return f"What changed from {first.label} to {others[0].label}"
    return f"What changed from {first.label} in {len(others)} other runs"


def _differ(comparison: Comparison) -> Iterator[str]:
    """In what the runs differ, for the first lines of the page."""
    if not any(each.settings for each in comparison.shown):
        yield "They differ in no setting that run.json holds."
        return
    for each in comparison.shown:
        more = len(each.settings) - MOST_SETTINGS
        shown = [str(setting) for setting in each.settings[:MOST_SETTINGS]]
        rest = [plural(more, "more setting")] if more > 0 else []
        what = listed([*shown, *rest]) or "nothing that run.json holds"
        yield f"{each.before.label} and {each.after.label} differ in {what}."


def what_changed(comparison: Comparison) -> Section:
    """The finding of every contrast, with the measures of bias."""
    findings = tuple(
        Finding(sentence, tuple(change.row for change in each.changes))
        for sentence, each in zip(comparison.sentences, comparison.shown, strict=True)
    )
    rows = [(each, change) for each in comparison.shown for change in each.bias]
    level = f"{100 * comparison.confidence:g} %"
    figure = _figure(
        rows, comparison, "changes", f"Change of each measure of bias, with its {level} interval"
    )
    notes = dict.fromkeys(note for each in comparison.shown for note in each.notes)
    return Section(
        "changes",
        "What changed",
        findings=findings,
        figures=figure,
        tables=(*_matrix(comparison), table_of("Measures of bias", rows, _fields(rows, comparison), stub=2)),
        notes=(
            f"Filled dots are claims: the p-value is at most {1 - comparison.confidence:.2g} after Holm's correction "
            f"(changes tested here: {count(comparison.tests)}). A rise is no harm by itself: look where the value "
            "stands from its neutral one.",
            *notes,
        ),
        **_number(comparison),
    )


def _lead(comparison: Comparison) -> str:
    """The sentence on the only two runs; empty where there are more."""
    return comparison.sentences[0] if len(comparison.shown) == 1 else ""


def _number(comparison: Comparison) -> dict[str, Any]:
    """The change of the only measure of bias between the only two runs."""
    bias = comparison.shown[0].bias if len(comparison.shown) == 1 else ()
    if len(bias) != 1 or not isfinite(bias[0].difference):
        return {}
    (change,) = bias
    return {
        "number": signed(change.difference),
        "meaning": f"change of {name_of(change)}, from {value(change.before)} to {value(change.after)}, in "
        f"{plural(change.n_items, 'item')}. Without a change: 0.",
    }


def _matrix(comparison: Comparison) -> tuple[Table, ...]:
    """Runs against measures, where there are more than two runs."""
    if len(comparison.shown) < 2:
        return ()
    heads = dict.fromkeys(_place(change) for each in comparison.shown for change in each.bias)

    def cell(place: tuple[str, str, str]) -> Callable[[Contrasted], Cell | str]:
        def written(contrast: Contrasted) -> Cell | str:
            change = next((row for row in contrast.bias if _place(row) == place), None)
            if change is None:
                return NO_VALUE
            return Cell(
                signed(change.difference), mark(change.reasoned), decimal_interval(change.low, change.high)
            )

        return written

    fields = [
        number_field(
            f"{place[1] if place[1] != ALL else place[0]}{f' ({place[2]})' if place[2] != ALL else ''}",
            cell(place),
        )
        for place in heads
    ]
    return (
        table_of(
            f"Each run against {comparison.runs[0].label}",
            comparison.shown,
            (text_field("run", lambda contrast: contrast.after.label), *fields),
            notes=("* a change that can be claimed, † cannot be tested.",),
        ),
    )


def _place(change: Change) -> tuple[str, str, str]:
    return change.measure, change.identity, change.rule


def price(comparison: Comparison) -> Section | None:
    """Accuracy, refusals, lengths and money."""
    rows = [(each, change) for each in comparison.shown for change in each.price]
    claimed = [change for _, change in rows if change.clear]
    if not rows:
        return None
    text = (
        f"Of {plural(len(rows), 'figure')} beside the bias, {count(len(claimed))} "
        f"{'is' if len(claimed) == 1 else 'are'} shown to have changed."
        if claimed
        else f"Of {plural(len(rows), 'figure')} beside the bias, none is shown to have changed."
    )
    finding = Finding(text, ({"figures": len(rows), "claimed": len(claimed)},))
    table = table_of("What the change comes with", rows, _fields(rows, comparison), stub=2)
    return Section("price", "The price", findings=(finding,), tables=(table,))


def parts(comparison: Comparison) -> Section | None:
    """The largest changes by axis and identity, in both directions."""
    rows = sorted(
        ((each, change) for each in comparison.shown for change in each.parts),
        key=lambda row: -row[1].difference,
    )
    if not rows:
        return None
    # Four pairs can move from 0 to 1 by chance: what can be tested is drawn, unless nothing can.
    # Associations are veiled, so no figure or sentence names one.
    veiled = [row for row in rows if row[1].measure == ASSOCIATION.name]
    named = [row for row in rows if row not in veiled]
    drawn = [row for row in named if row[1].verdict != UNTESTED] or named
    rises = [row for row in drawn if row[1].difference > 0][:MOST_PARTS]
    falls = [row for row in drawn if row[1].difference < 0][-MOST_PARTS:]
    claimed = [change for _, change in rows if change.clear]
    ends = [end for end in (rises[:1], falls[-1:]) if end]
    where = PLACES.get(_kind(comparison), "axis and identity")
    drawn_by, among = ("attribute", " by attribute") if veiled else (where, "")
    text = f"Of {plural(len(rows), 'change')} by {where}, {count(len(claimed)) if claimed else 'none'} "
    text += f"{'is' if len(claimed) < 2 else 'are'} shown after correction over all of them."
    extremes = [
        f"The largest {'rise' if change.difference > 0 else 'fall'}{among} is {signed(change.difference)} "
        f"({_where(each, change, comparison)}, {value(change.before)} to {value(change.after)}, "
        f"{plural(change.n_items, 'item')}, {chip(change.reasoned)})."
        for end in ends
        for each, change in end
    ]
    finding = Finding(" ".join([text, *extremes]), tuple(change.row for _, change in rows))
    return Section(
        "parts",
        "Where it changed most",
        findings=(finding,),
        figures=_figure([*rises, *falls], comparison, "parts", f"Largest changes by {drawn_by}"),
        tables=(
            table_of(
                f"Changes by {where}, largest rise first",
                rows,
                _fields(rows, comparison, parts=True),
                stub=3,
                most_open=12,
                unveil=UNVEIL,
            ),
        ),
        notes=(
            f"Drawn are {count(len(drawn))} of {plural(len(rows), 'change')}: those that can be tested, if any; the "
            "table has all. They are corrected among themselves, and hollow dots are no claims.",
            *(("Single associations are in the table only, which is blurred.",) if veiled else ()),
        ),
    )


def _figure(rows: Sequence[Row], comparison: Comparison, name: str, title: str) -> tuple[Figure, ...]:
    drawn = [row for row in rows if isfinite(row[1].difference)]
    if not drawn:
        return ()
    table = pl.DataFrame(
        {
            "label": [_where(*row, comparison) for row in drawn],
            "value": [change.difference for _, change in drawn],
            "low": [change.low if isfinite(change.low) else None for _, change in drawn],
            "high": [change.high if isfinite(change.high) else None for _, change in drawn],
            "verdict": [change.verdict for _, change in drawn],
        },
        schema_overrides={"low": pl.Float64, "high": pl.Float64},
    ).with_columns(
        label=pl.when(pl.col("label").is_duplicated())
        .then(pl.format("{} ({})", "label", pl.int_range(pl.len()) + 1))
        .otherwise("label")
    )
    frame = table.select(
        "label",
        "value",
        # Without a bar of its own a row would lose its place.
        low=pl.coalesce("low", "value"),
        high=pl.coalesce("high", "value"),
        outer_low=pl.lit(None, pl.Float64),
        outer_high=pl.lit(None, pl.Float64),
        filled=marked(),
        note=pl.Series(f"{signed(change.difference)} {chip(change.reasoned)}" for _, change in drawn),
    )
    spoken = (
        f"{_where(each, change, comparison)}: {signed(change.difference)} "
        f"({decimal_interval(change.low, change.high)}), {chip(change.reasoned)}"
        for each, change in drawn
    )
    alt = described(f"{title}, no change: 0", spoken)
    level = significance(comparison.confidence)
    reading = hollow(
        [
            {**change.row, "neutral": 0.0, "reason": CORRECTED * (change.p_value <= level), "label": label}
            for label, (_, change) in zip(table["label"], drawn, strict=True)
            if not change.clear
        ],
        lambda row: str(row["label"]),
    )
    return (dot_figure(frame, AXIS, name=name, title=title, alt=alt, rows=table, reading=reading),)


def _where(contrast: Contrasted, change: Change, comparison: Comparison) -> str:
    """What a row is about, as far as rows of the page differ in it."""
    rows = [change for each in comparison.shown for change in each.bias]
    axes = {part.axis for each in comparison.shown for part in each.parts}
    alone = change.identity != ALL and len(axes) == 1
    words = [
        change.identity if change.identity != ALL else "",
        "" if alone or change.axis == ALL else change.axis,
    ]
    if len({row.measure for row in rows}) > 1 or not any(words):
        words.append(change.measure)
    if len({row.rule for row in rows}) > 1:
        words.append(change.rule)
    if len(comparison.shown) > 1:
        words.insert(0, contrast.after.label)
    return ", ".join(filter(None, words))


def _fields(rows: Sequence[Row], comparison: Comparison, *, parts: bool = False) -> list[Field | None]:
    several = len(comparison.shown) > 1
    rules = len({change.rule for _, change in rows if change.rule != ALL}) > 1
    tests = any(change.measure == EFFECT_SIZE.name for _, change in rows)
    veiled = any(change.measure == ASSOCIATION.name for _, change in rows)
    heads = ("attribute", "stories about", "say") if veiled else ("axis", "identity", "rule")

    def of(read: Callable[[Change], str]) -> Callable[[Any], str]:
        return lambda row: read(row[1])

    return [
        text_field("run", lambda row: row[0].after.label) if several else None,
        text_field(heads[0], of(lambda change: change.axis)) if parts else None,
        text_field(heads[1], of(lambda change: change.identity)) if parts else None,
        text_field("test", of(lambda change: change.identity)) if tests else None,
        text_field("measure", of(lambda change: change.measure)),
        text_field(heads[2], of(lambda change: "" if change.rule == ALL else change.rule), veiled=veiled)
        if rules or veiled
        else None,
        number_field("before", of(lambda change: value(change.before))),
        number_field("after", of(lambda change: value(change.after))),
        number_field("change", of(lambda change: signed(change.difference))),
        number_field("interval", of(lambda change: decimal_interval(change.low, change.high))),
        number_field("p adjusted", of(lambda change: p_value(change.p_adjusted))),
        text_field(VERDICT.column.name, of(lambda change: chip(change.reasoned))),
        number_field("items", of(lambda change: count(change.n_items) if change.n_items else NO_VALUE)),
        text_field("about", of(_about)),
    ]


def _about(change: Change) -> str:
    return f"{count(change.n_units)} {change.unit}" if change.unit else "the whole run"


@dataclass(frozen=True, slots=True)
class ItemWords:
    """How a page speaks of the items of an instrument."""

    title: str = "Items that changed sides"
    noun: str = "answer"
    moved: str = "changed sides"


ITEM_WORDS = {
    PAIRS: ItemWords(noun="pair"),
    EXTRACTED: ItemWords("Associations gained, lost and kept", "association", "in the lists of the runs"),
    HARM: ItemWords("Associations that are rated otherwise", "association", "with another median rating"),
}


def _kind(comparison: Comparison) -> str:
    return comparison.runs[0].side.run.kind


def items(comparison: Comparison) -> Section | None:
    """The items that changed sides, with an address each."""
    changed = comparison.items
    if changed.is_empty() and not comparison.about_items:
        return None
    several = len(comparison.shown) > 1
    words = ITEM_WORDS.get(_kind(comparison), ItemWords())
    numbers = {name: changed.filter(direction=name).height for name in DIRECTIONS}
    numbers = {name: number for name, number in numbers.items() if number}
    moved = [f"{count(number)} {DIRECTIONS[name]}" for name, number in numbers.items()]
    text = f"{plural(changed.height, words.noun)} {words.moved}{f': {listed(moved)}' if moved else ''}."
    address = csv_address(changed)
    rows = list(_item_rows(changed, several=several))
    return Section(
        "items",
        words.title,
        findings=(
            Finding(text, (numbers | {"changed": changed.height},)),
            *comparison.about_items,
        ),
        notes=(LISTS,) if _kind(comparison) == EXTRACTED else (),
        template="items.html.j2",
        values={
            "rows": rows,
            "total": changed.height,
            "changed": changed if len(address) <= 20 * LARGEST else None,
        },
    )


LISTS = (
    "Being in a list (analyze associations) is a decision at a level, so the lists of two runs of one model differ, "
    "too: they are no test. By chance: prompt by prompt the stories of the two runs change sides with even chance, and "
    "the lists are made again. The interval of the index resamples base values."
)
"""What lists of associations say, and what not."""


def _item_rows(changed: pl.DataFrame, *, several: bool) -> Iterator[Mapping[str, Any]]:
    """What the page shows of an item, as many in each direction."""
    swing = (
        (pl.col("difference_after") - pl.col("difference_before")).abs()
        if "difference_after" in changed.columns
        else pl.lit(0.0)
    )
    places = {name: place for place, name in enumerate(DIRECTIONS)}
    order = pl.col("direction").replace_strict(places, return_dtype=pl.Int64)
    chosen = (
        changed.with_columns(_order=order, _swing=swing)
        .sort("_order", "_swing", descending=[False, True], maintain_order=True)
        .filter(pl.int_range(pl.len()).over("_order") < MOST_ITEMS)
    )
    addresses: set[str] = set()
    for row in chosen.iter_rows(named=True):
        item = str(row["item_id"])
        if "compared_attribute" in row:
            item = item.rpartition("-")[2]  # the rest of its name says the association, which is veiled
        where = [
            row["after_run"] if several else "",
            row["axis"],
            row["identity"],
            row.get("context_condition"),
        ]
        yield {
            "item": item,
            "address": "" if item in addresses else item,
            "where": ", ".join(str(word).replace("_", " ") for word in where if word),
            "rule": row["rule"],
            "before": row["before"],
            "after": row["after"],
            "direction": row["direction"],
            "texts": list(_texts(row)),
        }
        addresses.add(item)


def _texts(row: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Names and texts of what can be offensive."""
    if "stereotypical_sentence" in row:
        yield "stereotypical", str(row["stereotypical_sentence"] or "")
        yield "other", str(row["other_sentence"] or "")
        return
    if "compared_attribute" in row:
        yield "stories about", f"{row['axis'].replace('_', ' ')}: {row['identity']}"
        yield "also have", f"{row['compared_attribute'].replace('_', ' ')}: {row['compared_value']}"
        return
    if row.get("context"):
        yield "question", f"{row['context']} {row['question']}"
    for name in ("before", "after"):
        choice = row.get(f"choice_{name}")
        option = row.get(f"option_{choice}") if choice is not None else None
        yield name, str(option or row[f"answer_{name}"] or "")


def differing(comparison: Comparison) -> Section | None:
    """In what the runs differ, setting by setting."""
    rows = [(each, setting) for each in comparison.shown for setting in each.settings]
    if not rows:
        return None
    table = table_of(
        "Settings that differ",
        rows,
        (
            text_field("run", lambda row: row[0].after.label) if len(comparison.shown) > 1 else None,
            text_field("setting", lambda row: row[1].name),
            text_field("before", lambda row: row[1].before),
            text_field("after", lambda row: row[1].after),
        ),
    )
    return Section("settings", "In what the runs differ", tables=(table,), folded=True)


def methods(comparison: Comparison) -> Section:
    """What is measured, and how it is decided."""
    used = {change.measure for each in comparison.shown for change in (*each.changes, *each.parts)}
    kind = _kind(comparison)
    measures = [each for each in catalog(kind) if each.use != "gate" and each.name in used]
    return Section(
        "methods",
        "Methods",
        template="methods.html.j2",
        folded=True,
        values={"measures": measures, "comparison": comparison, "kind": kind},
    )


SECTIONS: tuple[Callable[[Comparison], Section | None], ...] = (
    what_changed,
    over_time,
    price,
    parts,
    items,
    differing,
    methods,
)
"""What is directions about a comparison, in this order."""
