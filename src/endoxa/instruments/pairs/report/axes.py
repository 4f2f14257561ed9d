"""By axis and language: forest plots of few models and rules, maps of models and axes of many."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import altair as alt
import polars as pl

from endoxa.instruments.pairs.report.results import (
    PREFERENCE,
    Results,
    limits,
    raw_fields,
    rounding_notes,
    some_calibrated,
    unit_fields,
)
from endoxa.instruments.pairs.report.sample import by_language, reading, rows_once
from endoxa.report.charts import (
    BLUE,
    MUTED,
    PALE_BLUE,
    defined,
    either,
    finish,
    fixed,
    neutral_line,
    pointed,
)
from endoxa.report.claims import (
    P_ADJUSTED,
    VERDICT,
    agreed,
    chip,
    clear,
    counted,
    percent_ends,
    verdict_counts,
)
from endoxa.report.document import Figure, Finding, Section
from endoxa.report.figures import claim_map, described
from endoxa.report.tables import Table, number_field, table_of, text_field
from endoxa.report.words import (
    axis_name,
    count,
    language_name,
    listed,
    percent,
    percent_interval,
    slug,
)
from endoxa.schema import ALL
from endoxa.stats.intervals import FEWEST_CLUSTERS
from endoxa.stats.verdicts import ABOVE, BELOW, UNCLEAR, UNTESTED

COLUMNS = {
    "block": "heading of the block of rows (a language)",
    "axis": "the row's label",
    "pooled": "True for the row that pools all axes: a diamond",
    "value": "share of pairs in which the stereotypical sentence is preferred",
    "low": "lower end of its interval",
    "high": "upper end of its interval",
    "n": "pairs it rests on",
    "filled": "True where the adjusted p-value is significant",
}
"""Columns of the frame, rows and blocks drawn in the order given."""

PLOT_WIDTH = 150
ROW_HEIGHT = 17
LABEL_WIDTH = 135

WORDS = {
    ABOVE: "more often than chance",
    BELOW: "less often than chance",
    UNCLEAR: "not distinguishable from chance",
    UNTESTED: "cannot be tested",
}
"""What a verdict says of a preference."""

MOST_NAMED = 8
"""Axes that are named in a sentence; more are counted."""


FEW = 3
"""Up to so many models and rules there is a forest plot for each; more share one map of models and axes per rule."""


MOST_LISTED = 300
"""Rows of the table; with more a page has the figures and the rows to download."""


def axes(results: Results) -> Section:
    """Preference ratio for every axis and language: a forest plot per model and rule, or a map per rule."""
    cells = by_language(results)
    few = len(results.combinations) <= FEW
    domain = PREFERENCE.domain(cells)
    rules = list(dict.fromkeys(rule for _, rule in results.combinations))
    if few:
        figures = tuple(_panel(results, cells, model, rule, domain) for model, rule in results.combinations)
        findings = [
            finding
            for model, rule in results.combinations
            for finding in _findings(results, cells, model, rule)
        ]
        listed_groups = (
            ", unless they are groups of a table: then the bar is about these groups as they are"
            if "attributes" in cells["sampled"]
            else ""
        )
        reading = (
            f"Bars are {results.level} intervals that take identities and attributes as samples; an axis with "
            f"fewer than {FEWEST_CLUSTERS} identities has none{listed_groups}. The dashed line is an unbiased model. "
            "A filled mark is significant after Benjamini-Hochberg correction over the axes, languages and models of "
            "the rule. Small axes have wide bars: a mark far from the line with few identities is weak evidence."
        )
    else:
        figures = tuple(_map(results, cells, rule) for rule in rules)
        findings = [_counted(results, cells, rule) for rule in rules]
        reading = (
            "Blue cells prefer the stereotypical sentence more often than chance, orange ones less often (significant "
            "after Benjamini-Hochberg correction over the axes, languages and models of the rule, identities and "
            "attributes taken as samples); grey cells are not distinguishable or cannot be tested. Intervals and "
            "single languages are in the "
            + ("table." if cells.height <= MOST_LISTED else "rows to download.")
        )
    return Section(
        anchor=f"axes-{results.slug}",
        title="By axis and language",
        findings=tuple(findings),
        figures=figures,
        tables=(_table(results, cells),) if cells.height <= MOST_LISTED else (),
        notes=(
            reading + (" Ratios are calibrated where the table says so." if some_calibrated(cells) else ""),
            *agreed(cells.rows(named=True), "50\u00a0%"),
            *_rounded(results, cells),
        ),
    )


def _rounded(results: Results, cells: pl.DataFrame) -> tuple[str, ...]:
    """Rows whose verdict could be another one in full precision: a sentence for each, or of many their number."""
    rows = cells.filter(pl.col("axis") != ALL).rows(named=True)
    notes = rounding_notes(
        rows,
        lambda row: (
            f"{results.label(row['model'], row['rule'])}, {axis_name(row['axis'])}"
            + (f", {language_name(row['language'])}" if len(results.languages) > 1 else "")
        ),
    )
    if len(notes) <= MOST_NAMED:
        return notes
    return (
        f"In {count(len(notes))} of {count(len(rows))} rows by axis the rounding of half precision could change the "
        "verdict (column rounding_verdicts of the estimates). Use --dtype float32 for the last word.",
    )


def _pooled(results: Results, cells: pl.DataFrame, rule: str) -> pl.DataFrame:
    """Cells of one rule: all languages together, axis by axis."""
    language = ALL if len(results.languages) > 1 else results.languages[0]
    return cells.filter(pl.col("axis") != ALL, language=language, rule=rule)


def _counted(results: Results, cells: pl.DataFrame, rule: str) -> Finding:
    """How many models prefer what on how many axes."""
    rows = list(_pooled(results, cells, rule).iter_rows(named=True))
    text = (
        f"Preference for the stereotypical sentence under {rule}, in {len(rows)} cells (a model on an axis)"
    )
    parts = counted(rows, {verdict: f"{words} in {{n}}" for verdict, words in WORDS.items()})
    return Finding(
        f"{text}: {listed(parts)}.{limits(rows)}",
        ({"cells": len(rows), **verdict_counts(rows)}, *rows),
    )


def _map(results: Results, cells: pl.DataFrame, rule: str) -> Figure:
    """Models and axes of one rule as a map; the models in the order of their overall ratio."""
    every = cells.filter(rule=rule, axis=ALL).sort("value", descending=True)
    models = [results.labels[model] for model in every["model"].unique(maintain_order=True)]
    cells = _pooled(results, cells, rule)
    frame = cells.select(
        row=pl.col("model").replace_strict(dict(results.labels), return_dtype=pl.String),
        column="axis",
        value=pl.col("value").fill_nan(None),
        verdict="verdict",
        tip=pl.Series(
            [
                f"{results.labels[row['model']]}, {row['axis']}: {reading(row)}, n {count(row['n'])}, {chip(row)}"
                for row in cells.iter_rows(named=True)
            ],
            dtype=pl.String,
        ),
    )
    texts = (
        f"{row['row']}, {row['column']}: {percent(row['value'])}, {chip(row)}"
        for row in frame.iter_rows(named=True)
    )
    return claim_map(
        frame,
        models,
        sorted(frame["column"].unique()),
        name=f"axes-{results.slug}-{slug(rule)}",
        title=f"Pairs with the stereotypical sentence preferred, {rule}",
        alt=described(f"Preference ratio under {rule} by model and axis, neutral 50 %", texts),
        wide=frame["column"].n_unique() > 2,
        **rows_once(results, cells, {"rule": rule, "language": language_name(cells["language"][0])}),
    )


def _cells_of(cells: pl.DataFrame, results: Results, model: str, rule: str) -> pl.DataFrame:
    """Cells of one model and rule: languages in order of the records, all axes first, then by name."""
    order = {language: place for place, language in enumerate([ALL, *results.languages])}
    return (
        cells.filter((pl.col("model") == model) & (pl.col("rule") == rule))
        .with_columns(place=pl.col("language").replace_strict(order), pooled=pl.col("axis") == ALL)
        .sort("place", pl.col("pooled").not_(), "axis")
    )


def _panel(
    results: Results, cells: pl.DataFrame, model: str, rule: str, domain: tuple[float, float]
) -> Figure:
    shown = _cells_of(cells, results, model, rule)
    frame = shown.select(
        block=pl.col("language").map_elements(language_name, return_dtype=pl.String),
        axis=pl.col("axis").map_elements(axis_name, return_dtype=pl.String),
        pooled="pooled",
        value="value",
        low="low",
        high="high",
        n="n",
        filled=clear(),
        verdict="verdict",
    )
    tips = [
        f"{row['block']}, {row['axis']}: {percent(row['value'])} "
        f"({percent_ends(row)}), n {row['n']}, {chip(row)}"
        for row in frame.iter_rows(named=True)
    ]
    return Figure(
        name=f"axes-{results.slug}-{slug(results.label(model, rule))}",
        title=results.label(model, rule),
        chart=forest(frame.with_columns(tip=pl.Series(tips)), neutral=0.5, domain=domain),
        alt=f"Preference ratio of {results.label(model, rule)} by language and axis, neutral 50 %. {'; '.join(tips)}.",
        **rows_once(results, shown, {"model": results.labels[model], "rule": rule}),
    )


def forest(frame: pl.DataFrame, *, neutral: float, domain: tuple[float, float]) -> alt.TopLevelMixin:
    """A dot, its interval and its n for every axis; the dashed line is an unbiased model.

    Args:
        frame: columns of `COLUMNS`.
        neutral: value of an unbiased model.
        domain: range of the value axis, the same for all panels that are to be compared.
    """
    blocks = frame["block"].unique(maintain_order=True).to_list()
    charts = [
        _block(frame.filter(pl.col("block") == block), neutral, domain, block, last=block == blocks[-1])
        for block in blocks
    ]
    return finish(alt.vconcat(*charts, spacing=8))


def _block(
    rows: pl.DataFrame, neutral: float, domain: tuple[float, float], heading: str, *, last: bool
) -> alt.LayerChart | alt.FacetChart:
    order = rows["axis"].to_list()
    y = alt.Y("axis:N", sort=order, title=None, axis=alt.Axis(labelLimit=LABEL_WIDTH, minExtent=LABEL_WIDTH))
    axis = alt.Axis(
        format=".0%",
        values=[domain[0], neutral, domain[1]],
        labels=last,
        title="stereotypical preferred" if last else None,
    )

    def x(field: str) -> alt.X:
        return alt.X(f"{field}:Q", scale=alt.Scale(domain=domain, nice=False, clamp=True), axis=axis)

    base = alt.Chart(defined(rows.with_columns(n_text=pl.format("n {}", "n")), "value")).encode(y=y)
    bars = alt.Chart(defined(rows, "low", "high")).encode(y=y)
    return alt.layer(
        neutral_line(neutral).encode(x=x("neutral")),
        bars.mark_rule(strokeWidth=4, color=PALE_BLUE).encode(x=x("low"), x2=alt.X2("high:Q")),
        pointed(base.mark_point(size=42, strokeWidth=1.6, color=BLUE, opacity=1), rows).encode(
            x=x("value"),
            shape=either(alt.ShapeValue, "datum.pooled", "diamond", "circle"),
            fill=either(alt.FillValue, "datum.filled", BLUE, "white"),
        ),
        base.mark_text(align="left", color=MUTED, fontSize=10).encode(
            x=fixed(alt.XValue, PLOT_WIDTH + 9), text=alt.Text("n_text:N")
        ),
    ).properties(
        width=PLOT_WIDTH, height=ROW_HEIGHT * rows.height, title=alt.TitleParams(heading, frame="bounds")
    )


def _findings(results: Results, cells: pl.DataFrame, model: str, rule: str) -> Iterator[Finding]:
    """Which axes show a preference, which do not, and which cannot be tested: pooled, then in single languages."""
    single = _cells_of(cells, results, model, rule).filter(~pl.col("pooled"))
    label = f"{results.labels[model]} under {rule}"
    if len(results.languages) == 1:
        rows = single.rows(named=True)
        yield Finding(f"{label} by axis: {_by_verdict(rows, 'axis')}.{limits(rows)}", tuple(rows))
        return
    for where, part in (
        ("all languages", pl.col("language") == ALL),
        ("single languages", pl.col("language") != ALL),
    ):
        rows = [
            {
                **row,
                "cell": row["axis"]
                + ("" if row["language"] == ALL else f" ({language_name(row['language'])})"),
            }
            for row in single.filter(part).iter_rows(named=True)
        ]
        text = f"{label} by axis, {where}: {_by_verdict(rows, 'cell')}.{limits(rows)}"
        yield Finding(text, tuple(rows))


def _by_verdict(rows: Sequence[dict[str, Any]], name: str) -> str:
    """As in 'more often than chance on a; cannot be tested on b (4 identities, at least 6 needed)'."""
    groups = dict.fromkeys(
        (verdict, row["reason"] if verdict == UNTESTED else "")
        for verdict in WORDS
        for row in rows
        if row["verdict"] == verdict
    )
    parts = []
    for verdict, reason in groups:
        names = [row[name] for row in rows if row["verdict"] == verdict and reason in ("", row["reason"])]
        where = listed(names) if len(names) <= MOST_NAMED else f"{len(names)} of them"
        parts.append(f"{WORDS[verdict]} on {where}" + (f" ({reason})" if reason else ""))
    return "; ".join(parts)


def _table(results: Results, cells: pl.DataFrame) -> Table:
    rows = pl.concat([_cells_of(cells, results, model, rule) for model, rule in results.combinations])
    return table_of(
        "The numbers behind these figures",
        rows,
        (
            text_field("model and rule", lambda row: results.label(row["model"], row["rule"])),
            text_field("language", "language", language_name),
            text_field("axis", "axis", axis_name),
            number_field("preference ratio", "value", percent),
            number_field(f"{results.level} interval", percent_ends),
            VERDICT,
            P_ADJUSTED,
            *raw_fields(rows),
            number_field("pairs", "n"),
            *unit_fields(rows),
            number_field("least detectable ratio", "detectable", percent),
            number_field(
                f"{results.level} Wilson, pairs",
                lambda row: percent_interval(row["pair_low"], row["pair_high"]),
            ),
        ),
        folded=True,
    )
