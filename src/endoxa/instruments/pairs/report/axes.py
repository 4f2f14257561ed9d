"""By axis and language: forest plots of few models and rules, maps of models and axes of many."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import polars as pl

from endoxa.instruments.pairs.report.league import many
from endoxa.instruments.pairs.report.results import (
    PREFERENCE,
    Results,
    limits,
    raw_fields,
    reference_fields,
    rounding_notes,
    some_calibrated,
    unit_fields,
)
from endoxa.instruments.pairs.report.sample import by_language, reading, rows_once
from endoxa.report.claims import (
    P_ADJUSTED,
    VERDICT,
    agreed,
    chip,
    counted,
    hollow,
    marked,
    percent_ends,
    verdict_counts,
)
from endoxa.report.document import Figure, Finding, Section
from endoxa.report.figures import claim_map, described, dot_figure
from endoxa.report.tables import Table, number_field, table_of, text_field
from endoxa.report.words import (
    axis_name,
    count,
    language_name,
    listed,
    percent,
    percent_interval,
    plural,
    slug,
)
from endoxa.schema import ALL
from endoxa.stats.intervals import FEWEST_CLUSTERS
from endoxa.stats.verdicts import ABOVE, BELOW, NO_QUESTION, UNCLAIMED, UNCLEAR, UNTESTED

WORDS = {
    ABOVE: "more often than chance",
    BELOW: "less often than chance",
    UNCLEAR: "not distinguishable from chance",
    UNTESTED: "cannot be tested",
    NO_QUESTION: UNCLAIMED,
}
"""What a verdict says of a preference."""

MOST_NAMED = 8
"""Axes that are named in a sentence; more are counted."""


MOST_DRAWN = 30
"""Axes of a figure; of more, those that can be tested are drawn and the table has all."""


FEW = 3
"""Up to so many models and rules there is a forest plot for each; more share one map of models and axes per rule."""


MAP_TITLE = "Pairs with the stereotypical sentence preferred"

MOST_LISTED = 300
"""Rows of the table; with more a page has the figures and the rows to download."""


def axes(results: Results) -> Section:
    """Preference ratio for every axis and language: a forest plot per model and rule, or a map per rule."""
    cells = by_language(results)
    few = len(results.combinations) <= FEW
    domain = PREFERENCE.domain(cells)
    rules = list(dict.fromkeys(rule for _, rule in results.combinations))
    if few:
        figures = tuple(
            figure
            for model, rule in results.combinations
            for figure in _panels(results, cells, model, rule, domain)
        )
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
            f"Bands are {results.level} intervals that take identities and attributes as samples; an axis with "
            f"fewer than {FEWEST_CLUSTERS} identities has none{listed_groups}. The line is an unbiased model. "
            "A filled dot is significant after Benjamini-Hochberg correction over the axes, languages and models of "
            "the rule. Small axes have wide bands: a dot far from the line with few identities is weak evidence."
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
        title=_title(results, cells),
        findings=tuple(findings),
        figures=figures,
        pick_by=MAP_TITLE if many(results) else "",
        tables=(_table(results, cells),) if cells.height <= MOST_LISTED else (),
        notes=(
            reading
            + (" Ratios are compared with others where the table says so." if some_calibrated(cells) else ""),
            *agreed(cells.rows(named=True), "50\u00a0%"),
            *_rounded(results, cells),
        ),
    )


def _title(results: Results, cells: pl.DataFrame) -> str:
    """The highest and the lowest axis that can be tested and how many are decided, of one model in one language."""
    every = cells.filter(pl.col("axis") != ALL, pl.col("value").is_not_nan()).sort("value")
    rows = every.filter(pl.col("verdict") != UNTESTED).rows(named=True)
    if len(results.combinations) > 1 or len(results.languages) > 1 or len(rows) < 2:
        return "By axis and language" if len(results.languages) > 1 else "By axis"
    decided = sum(row["verdict"] in (ABOVE, BELOW) for row in rows)
    alike = sum(bool(row["references"]) for row in rows)
    alone = f", {alike} of them as word frequency or length alone" if alike else ""
    return (
        f"Highest on {axis_name(rows[-1]['axis'])} ({percent(rows[-1]['value'], 0)}), lowest on "
        f"{axis_name(rows[0]['axis'])} ({percent(rows[0]['value'], 0)}); {decided or 'none'} of {len(rows)} axes "
        f"{'that can be tested ' * (every.height > len(rows))}"
        f"{'differs' if decided == 1 else 'differ' if decided else 'is distinguishable'} from chance{alone}"
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
    if beside := sum(row["verdict"] == NO_QUESTION for row in rows):
        parts.append(f"{UNCLAIMED} in {beside}")
    return Finding(
        f"{text}: {listed(parts)}.{limits(rows)}",
        ({"cells": len(rows), **verdict_counts(rows)}, *rows),
    )


def _map(results: Results, cells: pl.DataFrame, rule: str) -> Figure:
    """Models and axes of one rule as a map; the models in the order of their overall ratio."""
    every = cells.filter(rule=rule, axis=ALL).sort("value", descending=True, maintain_order=True)
    models = [results.labels[model] for model in every["model"].unique(maintain_order=True)]
    cells = _pooled(results, cells, rule)
    frame = cells.select(
        row=pl.col("model").replace_strict(dict(results.labels), return_dtype=pl.String),
        column=pl.col("axis").map_elements(axis_name, return_dtype=pl.String),
        value=pl.col("value").fill_nan(None),
        verdict="verdict",
        tip=pl.Series(
            [
                f"{results.labels[row['model']]}, {axis_name(row['axis'])}: {reading(row)}, n {count(row['n'])}, "
                f"{chip(row)}"
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
        title=f"Models by axis, {rule}" if many(results) else f"{MAP_TITLE}, {rule}",
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


def _panels(
    results: Results, cells: pl.DataFrame, model: str, rule: str, domain: tuple[float, float]
) -> Iterator[Figure]:
    """A figure for each language: the axes of a model under a rule, the highest share first, all on one scale."""
    label = results.label(model, rule)
    of_model = _cells_of(cells, results, model, rule)
    for (language,), group in of_model.group_by(["language"], maintain_order=True):
        shown = group.drop_nulls("value").sort(
            "pooled", "value", descending=True, nulls_last=True, maintain_order=True
        )
        tested = shown.filter((pl.col("verdict") != UNTESTED) | pl.col("pooled"))
        left_out = shown.height - tested.height if shown.height > MOST_DRAWN and tested.height > 1 else 0
        shown = tested if left_out else shown
        where = {"language": language_name(str(language))} if len(results.languages) > 1 else {}
        rows = shown.rows(named=True)
        tips = [
            f"{axis_name(row['axis'])}: {percent(row['value'])} ({percent_ends(row)}), n {row['n']}, {chip(row)}"
            for row in rows
        ]
        frame = shown.select(
            value=pl.col("value").fill_nan(None),
            low=pl.col("low").fill_nan(None),
            high=pl.col("high").fill_nan(None),
            outer_low=pl.lit(None, dtype=pl.Float64),
            outer_high=pl.lit(None, dtype=pl.Float64),
            filled=marked(),
            label=pl.Series([axis_name(row["axis"]) for row in rows], dtype=pl.String),
            note=pl.Series([_counts(row) for row in rows], dtype=pl.String),
            tip=pl.Series(tips, dtype=pl.String),
        )
        yield dot_figure(
            frame,
            PREFERENCE,
            name=f"axes-{results.slug}-{slug(label)}" + (f"-{slug(str(language))}" if where else ""),
            title=": ".join((label, *where.values())),
            alt=described(
                f"Preference ratio of {label} by axis{''.join(f', {name}' for name in where.values())}, neutral 50 %",
                tips,
            ),
            domain=domain,
            reading=" ".join(
                filter(
                    None,
                    (
                        f"Left out: {plural(left_out, 'axis', 'axes')} that cannot be tested."
                        if left_out
                        else "",
                        hollow(rows, lambda row: axis_name(row["axis"])),
                    ),
                )
            ),
            **rows_once(results, shown, {"model": results.labels[model], "rule": rule, **where}),
        )


def _counts(row: dict[str, Any]) -> str:
    """'74 % 62 of 84': pairs with the stereotypical sentence preferred, a tie counting one half."""
    preferred = round(row["value"] * row["n"], 1)
    return f"{percent(row['value'], 0)} {preferred:,.{0 if preferred == int(preferred) else 1}f} of {count(row['n'])}"


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
                "cell": axis_name(row["axis"])
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
        names = [
            axis_name(row[name])
            for row in rows
            if row["verdict"] == verdict and reason in ("", row["reason"])
        ]
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
            *reference_fields(rows),
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
