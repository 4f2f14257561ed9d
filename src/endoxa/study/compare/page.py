"""The page of a comparison: what changed, at what price, where most, and which items changed sides."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, replace
from math import isfinite
from operator import attrgetter, itemgetter
from pathlib import Path
from typing import Any

import polars as pl

from endoxa.report.claims import Row, chip, is_clear
from endoxa.report.document import Figure, Finding, Section
from endoxa.report.estimates import Kind, dots
from endoxa.report.figures import Measure, described, dot_figure
from endoxa.report.frame import CITE, Page, present
from endoxa.report.inputs import EXTRACTED, HARM, PAIRS, read_runs
from endoxa.report.items import Items, items_section
from endoxa.report.tables import Field, Table, number_field, table_of, text_field
from endoxa.report.words import NO_VALUE, count, decimal_interval, listed, p_value, plural, signed
from endoxa.schema import ALL
from endoxa.sources.served import NOT_STATED
from endoxa.stats.verdicts import UNTESTED
from endoxa.study.compare.measures import ASSOCIATION, catalog, measures_of
from endoxa.study.compare.results import (
    CHANGED,
    MEASURE,
    NUMBERS,
    VERDICT,
    Comparison,
    Gate,
    apart,
    bounds,
    counted,
    value,
    where_fields,
)
from endoxa.study.compare.run import name_of
from endoxa.study.compare.runs import SERVED_AS

MOST_PARTS = 10
"""Rises, and falls, that the figure of parts shows."""
UNVEIL_TEXTS = "Show the texts (they can be offensive)"
ITEMS_FILE = "The option --items FILE writes all of them as a table."
FACETS = {"direction": "direction", "axis": "axis", "identity": "identity", "after_run": "run"}
"""By what items can be chosen."""
TEXTS = {
    "stereotypical_sentence": "stereotypical",
    "other_sentence": "other",
    "context": "context",
    "question": "question",
    "about": "stories about",
    "also": "also have",
}
"""Texts of items, and what they are called."""
UNVEIL = "Show the associations (they are stereotypes, some of them offensive)"
PLACES = {EXTRACTED: "attribute and association", HARM: "attribute"}
"""By what parts are told apart, where it is not axis and identity."""
DIRECTIONS = {
    "towards": "towards the stereotype",
    "higher": "rated higher",
    "away": "away from it",
    "lower": "rated lower",
    "neither": "in another way",
}
"""Where items can have gone, in the order in which they are shown."""
AXIS = Measure("change (after minus before)", 0.0, "+.2~f", 0.1, 0.1)
KIND = Kind(
    head="Comparison",
    measure=AXIS,
    neutral="0",
    level="interval",
    name=itemgetter("label"),
    value=signed,
    ends=lambda row: decimal_interval(row["low"], row["high"]),
)
"""How changes are drawn."""
TOGETHER = (
    "Claims are corrected (Holm 1979) over all instruments: measures of bias among themselves, and what they cost "
    "among themselves; changes in parts of the items within their instrument. Measures of different instruments have "
    "different units: do not compare sizes."
)


def page_of(comparison: Comparison) -> Page:
    """The page; the run folders must still be there."""
    each = [comparison.of(name) for name in comparison.instruments]
    sections = [
        what_changed(comparison),
        *([over_time(comparison)] if len(each) == 1 else []),
        price(comparison),
        *(section(one) for one in each for section in (parts, items)),
        differing(comparison),
        *map(methods, each),
    ]
    studies = f"Whole studies, compared with {listed(comparison.instruments)}."
    return Page(
        package=__package__,
        title=_title(comparison),
        subtitle=studies if any(comparison.instruments) else " ".join(_differ(comparison)),
        lead=comparison.sentences[0] if len(comparison.contrasts) == 1 else "",
        entries=(*present(sections), CITE),
        runs=[run.run for run in {run.run.folder: run for run in comparison.runs}.values()],
        models=dict.fromkeys(run.model for run in comparison.runs),
        values={"gate": None},
    )


def _title(comparison: Comparison) -> str:
    first, *others = comparison.labels
    bias = comparison.rows("bias")
    if len(others) > 1:
        several = "studies" if any(comparison.instruments) else "runs"
        return f"What changed from {first} in {len(others)} other {several}"
    if not bias:
        return f"What changed from {first} to {others[0]}"
    moved, what = sum(map(is_clear, bias)), plural(len(bias), "measure of bias", "measures of bias")
    among = f" in {len(bias)} measures" if len(bias) > 1 else ""
    change = f"{moved} of {what} changed" if moved else f"no change of bias is shown{among}"
    return f"From {first} to {others[0]}, {change}"


def _of_instrument(comparison: Comparison, anchor: str, title: str) -> tuple[str, str]:
    """Anchor and title of a section, of studies with the instrument."""
    (name,) = comparison.instruments
    return (f"{anchor}-{name.replace(' ', '-')}", f"{title}: {name}") if name else (anchor, title)


def _differ(comparison: Comparison) -> Iterator[str]:
    """In what the runs differ, for the first lines of the page."""
    if not any(each.settings for each in comparison.contrasts):
        yield "They differ in no setting that run.json holds."
        return
    for each in comparison.contrasts:
        what = listed(list(map(str, each.settings))) or "nothing that run.json holds"
        yield f"{each.before.label} and {each.after.label} differ in {what}."


def what_changed(comparison: Comparison) -> Section:
    """The finding of every contrast, with the measures of bias."""
    findings = tuple(
        Finding(sentence, tuple(change.row for change in each.changes))
        for sentence, each in zip(comparison.sentences, comparison.contrasts, strict=True)
    )
    rows = comparison.rows("bias")
    level = f"{100 * comparison.confidence:g} %"
    where = where_fields(rows)
    # The change of the only measure of bias between the only two runs.
    only: dict[str, Any] = rows[0] if len(rows) == len(comparison.contrasts) == 1 else {"difference": None}
    number: dict[str, Any] = (
        {}
        if only["difference"] is None
        else {
            "number": signed(only["difference"]),
            "meaning": f"change of {name_of(comparison.contrasts[0].bias[0])}, from {value(only['before'])} to "
            f"{value(only['after'])}, in {plural(only['n_items'], 'item')}. Without a change: 0.",
        }
    )
    title = f"Change of each measure of bias, with its {level} interval"
    return Section(
        "changes",
        "What changed",
        findings=findings,
        figures=_figure(rows, where, "changes", title),
        tables=(_table("Measures of bias", rows, where),),
        notes=(
            f"Filled dots are claims: the p-value is at most {1 - comparison.confidence:.2g} after Holm's correction "
            f"(changes tested here: {count(comparison.tests)}). A rise is no harm by itself: look where the value "
            "stands from its neutral one.",
            *([TOGETHER] if any(comparison.instruments) else []),
            *comparison.notes,
        ),
        **number,
    )


VERSIONS = {"model", "fingerprint", "revision", SERVED_AS}
"""Settings in which dates of one model may differ."""


def over_time(comparison: Comparison) -> Section | None:
    """Each measure of bias at each date; None unless the runs are three dates or more of one model, asked alike."""
    runs, dates = comparison.runs, [run.date for run in comparison.runs]
    apart = {setting.name for each in comparison.contrasts for setting in each.settings} - VERSIONS
    if (
        len(runs) < 3
        or len({run.name for run in runs}) > 1
        or apart
        or not all(dates)
        or dates != sorted(dates)
    ):
        return None
    versions = [run.version or str(run.facts().get("fingerprint") or NOT_STATED) for run in runs]
    values: dict[str, dict[str, float]] = {}
    for each in comparison.contrasts:
        for change in each.bias:
            rule = "" if change.rule == ALL else f" ({change.rule})"
            head = f"{change.measure if change.identity == ALL else change.identity}{rule}"
            values.setdefault(head, {}).update({runs[0].label: change.before, each.after.label: change.after})
    complete = [head for head, numbers in values.items() if len(numbers) == len(runs)]
    rows = [
        run.dated_facts() | {"version": version} | {head: values[head][run.label] for head in complete}
        for run, version in zip(runs, versions, strict=True)
    ]
    columns = [number_field(head, head, value) for head in complete]
    first, last = dates[0][:10], dates[-1][:10]
    when = f"{len(runs)} dates, {first} to {last}" if first != last else f"{len(runs)} times on {first}"
    several = list(dict.fromkeys(versions))
    text = f"{runs[0].name} at {when}: {plural(len(several), 'version')} ({listed(several)})."
    finding = Finding(text, ({"runs": len(runs), "versions": len(several)}, *rows))
    fields = (text_field("run", "label"), text_field("date"), text_field("version"), *columns)
    return Section(
        "dates",
        "Over time",
        findings=(finding,),
        tables=(table_of("Runs in the order of time", rows, fields),),
    )


def price(comparison: Comparison) -> Section | None:
    """Accuracy, refusals, lengths and money."""
    rows = comparison.rows("price")
    if not rows:
        return None
    claimed = sum(map(is_clear, rows))
    shown = f"{claimed or 'none'} {'is' if claimed < 2 else 'are'} shown to have changed"
    finding = Finding(
        f"Of {plural(len(rows), 'figure')} beside the bias, {shown}.",
        ({"figures": len(rows), "claimed": claimed},),
    )
    table = _table("What the change comes with", rows, where_fields(rows))
    return Section("price", "The price", findings=(finding,), tables=(table,))


def parts(comparison: Comparison) -> Section | None:
    """The largest changes by axis and identity, in both directions."""
    every = [each.row_of(change) for each in comparison.contrasts for change in each.estimates.parts]
    rows = sorted(every, key=lambda row: -(row["difference"] or 0.0))
    if not rows:
        return None
    # Four pairs can move from 0 to 1 by chance: what can be tested is drawn, unless nothing can.
    # Associations are veiled, so no figure or sentence names one.
    named = [row for row in rows if row["measure"] != ASSOCIATION.name]
    veiled = len(named) < len(rows)
    drawn = [row for row in named if row["verdict"] != UNTESTED] or named
    rises = [row for row in drawn if row["difference"] > 0][:MOST_PARTS]
    falls = [row for row in drawn if row["difference"] < 0][-MOST_PARTS:]
    claimed = sum(map(is_clear, rows))
    where = PLACES.get(_kind(comparison), "axis and identity")
    drawn_by, among = ("attribute", " by attribute") if veiled else (where, "")
    heads = ("attribute", "stories about") if veiled else ("axis", "identity")
    places = [text_field(head, name) for head, name in zip(heads, ("axis", "identity"), strict=True)]
    text = f"Of {plural(len(rows), 'change')} by {where}, {claimed or 'none'} "
    text += f"{'is' if claimed < 2 else 'are'} shown after correction over all of them."
    label = _labels(where_fields(drawn, *places))
    extremes = [
        f"The largest {'rise' if row['difference'] > 0 else 'fall'}{among} is {signed(row['difference'])} "
        f"({label(row)}, {value(row['before'])} to {value(row['after'])}, {plural(row['n_items'], 'item')}, "
        f"{chip(row)})."
        for row in (*rises[:1], *falls[-1:])
    ]
    anchor, title = _of_instrument(comparison, "parts", "Where it changed most")
    fields = where_fields(rows, *places)
    if veiled:
        # What stories say stands behind what they are about, whatever rows have in common.
        of_run = [field for field in fields if field.column.name in ("instrument", "run")]
        say = text_field("say", lambda row: "" if row["rule"] == ALL else row["rule"], veiled=True)
        fields = [*of_run, *places, say]
    caption = f"Changes by {where}, largest rise first"
    return Section(
        anchor,
        title,
        findings=(Finding(" ".join([text, *extremes]), tuple(rows)),),
        figures=_figure(
            [*rises, *falls], where_fields(drawn, *places), anchor, f"Largest changes by {drawn_by}"
        ),
        tables=(_table(caption, rows, fields, most_open=12, unveil=UNVEIL),),
        notes=(
            f"Drawn are {count(len(drawn))} of {plural(len(rows), 'change')}: those that can be tested, if any; the "
            "table has all. They are corrected among themselves, and hollow dots are no claims.",
            *(("Single associations are in the table only, which is blurred.",) if veiled else ()),
        ),
    )


def _labels(where: Sequence[Field]) -> Callable[[Row], str]:
    """What names a row in figures and sentences: the columns by which rows are told apart."""
    return lambda row: (
        ", ".join(cell for field in where if (cell := str(field.cell(row))) not in ("", ALL, NO_VALUE))
        or str(MEASURE.cell(row))
    )


def _figure(rows: Sequence[Row], where: Sequence[Field], name: str, title: str) -> tuple[Figure, ...]:
    drawn = [row for row in rows if row["difference"] is not None]
    if not drawn:
        return ()
    labels = [*map(_labels(where), drawn)]
    numbers = dict.fromkeys(("low", "high", "p_value", "p_adjusted"), pl.Float64)
    frame = pl.DataFrame(drawn, schema_overrides=numbers, infer_schema_length=None).with_columns(
        pl.Series(
            "label",
            [
                label if labels.count(label) == 1 else f"{label} ({place})"
                for place, label in enumerate(labels, start=1)
            ],
        ),
        value="difference",
        n="n_items",
        neutral=pl.lit(0.0),
    )
    figure = dots(
        KIND,
        frame,
        KIND.name,
        title=title,
        name=name,
        note=lambda row: f"{signed(row['value'])} {chip(row)}",
    )
    return (figure,)


def _table(caption: str, rows: Sequence[Row], where: Sequence[Field], **settings: Any) -> Table:
    """A table of changes."""
    fields = (
        *where,
        number_field("before", shown=value),
        number_field("after", shown=value),
        *CHANGED[:2],
        number_field("p adjusted", "p_adjusted", p_value),
        CHANGED[2],
        number_field("items", lambda row: count(row["n_items"]) if row["n_items"] else NO_VALUE),
        text_field(
            "about", lambda row: f"{count(row['n_units'])} {row['unit']}" if row["unit"] else "the whole run"
        ),
    )
    return table_of(caption, rows, fields, stub=len(where), **settings)


ITEM_WORDS = {
    PAIRS: ("Items that changed sides", "pair", "changed sides"),
    HARM: ("Associations that are rated otherwise", "association", "with another median rating"),
}
"""Of an instrument the title of its items, what an item is called, and what it did."""


def _kind(comparison: Comparison) -> str:
    return comparison.contrasts[0].kind


def items(comparison: Comparison) -> Section | None:
    """The items that changed sides, to filter and to read."""
    changed = comparison.items
    if changed.is_empty():
        return None
    head, noun, did = ITEM_WORDS.get(
        _kind(comparison), ("Items that changed sides", "answer", "changed sides")
    )
    numbers = {name: changed.filter(direction=name).height for name in DIRECTIONS}
    numbers = {name: number for name, number in numbers.items() if number}
    moved = [f"{count(number)} {DIRECTIONS[name]}" for name, number in numbers.items()]
    text = f"{plural(changed.height, noun)} {did}{f': {listed(moved)}' if moved else ''}."
    anchor, title = _of_instrument(comparison, "items", head)
    section = items_section(
        anchor, _read(changed, noun), title=title, lead="", unveil=UNVEIL_TEXTS, closing=ITEMS_FILE
    )
    return replace(section, findings=(Finding(text, (numbers | {"changed": changed.height},)),))


def _read(changed: pl.DataFrame, noun: str) -> Items:
    """The items with what both runs made of them, by where they went and by how much."""
    columns = changed.columns
    swing = (
        [(pl.col("difference_before") - pl.col("difference_after")).abs()]
        if "difference_after" in columns
        else []
    )
    several = [
        name for name in ("rule", "repeat", "after_run") if name in columns and changed[name].n_unique() > 1
    ]
    ordered = changed.sort(
        pl.col("direction").replace_strict({name: place for place, name in enumerate(DIRECTIONS)}),
        *swing,
        descending=[False, *[True] * len(swing)],
        maintain_order=True,
    ).with_columns(id=pl.concat_str("item_id", *several, separator=", "), language=pl.lit(""))
    if "compared_attribute" in columns:  # the name of an association says what is veiled
        ordered = ordered.with_columns(
            id=pl.col("id").str.split("-").list.last(),
            about=pl.format("{}: {}", "axis", "identity"),
            also=pl.format("{}: {}", "compared_attribute", "compared_value"),
        )
    return Items(
        noun,
        "rule",
        ordered,
        pl.concat(_answers(ordered, side) for side in ("before", "after")),
        {name: word for name, word in FACETS.items() if name in columns},
        {name: word for name, word in TEXTS.items() if name in ordered.columns and ordered[name].count()},
    )


def _answers(ordered: pl.DataFrame, side: str) -> pl.DataFrame:
    """What one run made of the items: outcome, score and words."""
    nothing = pl.lit(None, pl.String)
    words = pl.col(f"answer_{side}") if f"answer_{side}" in ordered.columns else nothing
    if "option_0" in ordered.columns:
        chosen = [
            pl.when(pl.col(f"choice_{side}") == place).then(name)
            for place in range(10)
            if (name := f"option_{place}") in ordered.columns
        ]
        words = pl.coalesce(*chosen, words)
    score = (
        pl.col(f"difference_{side}") if f"difference_{side}" in ordered.columns else pl.lit(None, pl.Float64)
    )
    outcome = pl.col(side).cast(pl.String)
    return ordered.select(
        "id", model=f"{side}_run", condition="rule", outcome=outcome, value=score, text=words
    )


def differing(comparison: Comparison) -> Section | None:
    """In what the runs differ, setting by setting."""
    rows = [(each, setting) for each in comparison.contrasts for setting in each.settings]
    if not rows:
        return None
    fields = (
        *apart(
            (
                text_field("instrument", lambda row: row[0].instrument),
                text_field("run", lambda row: row[0].after.label),
            ),
            rows,
        ),
        text_field("setting", lambda row: row[1].name),
        text_field("before", lambda row: row[1].before),
        text_field("after", lambda row: row[1].after),
    )
    table = table_of("Settings that differ", rows, fields)
    return Section("settings", "In what the runs differ", tables=(table,), folded=True)


def methods(comparison: Comparison) -> Section:
    """What is measured, and how it is decided."""
    used = {
        change.measure for each in comparison.contrasts for change in (*each.changes, *each.estimates.parts)
    }
    kind = _kind(comparison)
    measures = [each for each in catalog(kind) if each.use != "gate" and each.name in used]
    anchor, title = _of_instrument(comparison, "methods", "Methods")
    values = {"measures": measures, "kind": kind, "gate": None}
    return Section(anchor, title, template="methods.html.j2", folded=True, values=values)


VERDICTS = {
    "pass": "The candidate is not worse than the baseline",
    "worse": "The candidate is worse than the baseline",
    "undecided": "Undecided whether the candidate is worse",
}


def difference_and_margin(gate: Gate) -> Section:
    """The verdict, with a row for each test: difference, bounds, margin."""
    frame = pl.DataFrame([asdict(test) for test in gate.tests]).select(
        pl.col("low", "high").fill_nan(None),
        value=pl.col("difference").fill_nan(None),
        outer_low=pl.lit(None, pl.Float64),
        outer_high=pl.lit(None, pl.Float64),
        filled=pl.col("verdict") != "undecided",
        label=pl.Series(
            f"{test.measure}\n{test.rule}, {'all items' if test.axis == 'all' else test.axis}"
            for test in gate.tests
        ),
        note=pl.Series(f"{signed(test.difference)} {test.verdict}" for test in gate.tests),
    )
    differences = [0.0, *(test.difference for test in gate.tests if isfinite(test.difference))]
    wide = max(abs(end - gate.margin) for end in differences) >= 0.025
    measure = Measure(
        f"worse by (grey mark: margin {gate.margin:g})",
        gate.margin,
        ".2f" if wide else ".3f",
        gate.margin + 0.005,
        0.01 if wide else 0.005,
    )
    spoken = (
        f"{test.name}: {signed(test.difference)} ({bounds(test)}), {test.verdict}" for test in gate.tests
    )
    figure = dot_figure(
        frame,
        measure,
        name="difference",
        title="By how much the candidate is worse",
        alt=described(
            f"Difference and one-sided bounds of each test against the margin of {gate.margin:g}", spoken
        ),
    )
    table = table_of(
        f"{gate.alike() or 'Every test'}; p worse is adjusted (Holm) over all tests",
        gate.tests,
        (
            *gate.fields,
            VERDICT,
            *NUMBERS,
            number_field("items", lambda test: count(test.n_items)),
            number_field("left out", lambda test: count(test.n_left_out)),
            text_field("about", attrgetter("about")),
            number_field("p worse", lambda test: p_value(test.p_worse_adjusted)),
        ),
        stub=len(gate.fields) + 1,
    )
    return Section(
        "verdict",
        "Difference and margin",
        number=signed(gate.tests[0].difference) if len(gate.tests) == 1 else "",
        meaning=f"worse by, in {gate.tests[0].measure}; no difference: 0, margin: {gate.margin:g}.",
        findings=(Finding(gate.sentence, tuple(gate.to_dict()["tests"])),),
        figures=(figure,),
        tables=(table,),
        notes=(
            "Right of 0 the candidate is worse. Bars are one-sided bounds, the grey mark is the margin. A bar "
            "left of the mark is a pass, one right of it is worse, if the correction for several tests allows it.",
            *gate.notes,
        ),
    )


def page_of_gate(gate: Gate) -> Page:
    """The page; both run folders must still be there."""
    runs = read_runs([Path(side["run"]) for side in (gate.baseline, gate.candidate)])
    each = tuple(
        Finding(test.sentence, (row,)) for test, row in zip(gate.tests, gate.to_dict()["tests"], strict=True)
    )
    used = {test.measure for test in gate.tests}
    measures = [measure for measure in measures_of(runs[0].kind, ()) if measure.name in used]
    values = {"measures": measures, "kind": runs[0].kind, "gate": gate}
    sections = [
        difference_and_margin(gate),
        Section("tests", "Each test", findings=each if len(each) > 1 else (), folded=True),
        Section("methods", "Methods", template="methods.html.j2", folded=True, values=values),
    ]
    return Page(
        package=__package__,
        title=f"{VERDICTS[gate.verdict]} by more than {gate.margin:g}",
        subtitle=f"Baseline {gate.baseline['model']}, candidate {gate.candidate['model']}. {counted(gate)}.",
        entries=(*present(sections), CITE),
        runs=runs,
        models=dict.fromkeys((gate.baseline["model"], gate.candidate["model"])),
        values={"gate": gate},
    )
