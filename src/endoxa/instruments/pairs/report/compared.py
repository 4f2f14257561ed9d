"""Models compared on the same pairs, many of them as groups with letters, and rules that disagree about a pair."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from endoxa.instruments.pairs.estimates.comparisons import COMPARED
from endoxa.instruments.pairs.estimates.inference import deciding
from endoxa.instruments.pairs.report.preference import (
    CALIBRATED_NOTE,
    PREFERENCE,
    calibrated,
    limits,
    preference,
    raw_fields,
    some_calibrated,
    unit_fields,
)
from endoxa.instruments.pairs.report.results import CELL, Results, by_language, overall, preference_cells
from endoxa.report import estimates as say
from endoxa.report.claims import Row, agreed, clear, signed_ends
from endoxa.report.closer import LEAST_ROWS, Box, closer_section
from endoxa.report.document import Finding, Section
from endoxa.report.figures import Measure
from endoxa.report.tables import number_field, table_of, text_field
from endoxa.report.words import (
    axis_name,
    count,
    language_name,
    listed,
    percent,
    percent_interval,
    plural,
    signed,
)
from endoxa.schema import ALL
from endoxa.stats.letters import compact_letters, groups_apart
from endoxa.stats.verdicts import ABOVE, BELOW, significance

POINTS = Measure("difference of preference ratios", 0.0, "+.0%", 0.1, 0.1)
MANY = 6
"""Models from which letters say who differs from whom, in place of a sentence for every two."""
MOST_NAMED, MOST_GROUPS = 6, 4
"""Comparisons with a sentence each, groups that a title tells apart."""


def first_rule(results: Results) -> str:
    """The rule that stands for the others in a title: the first that was run, whatever came of it."""
    return str(results.records["rule"][0])


def many(results: Results) -> bool:
    """Whether letters say which models differ."""
    return (
        results.estimates["model"].n_unique() >= MANY
        and preference_cells(results.estimates).height >= LEAST_ROWS
        and not results.comparisons.is_empty()
    )


def comparisons(results: Results) -> pl.DataFrame:
    """The comparisons that decide."""
    return deciding(results.comparisons, COMPARED)


def _differing(rows: pl.DataFrame) -> set[frozenset[str]]:
    return {frozenset(ends) for ends in rows.filter(clear()).select("model_a", "model_b").iter_rows()}


def letters(results: Results, cells: pl.DataFrame) -> pl.DataFrame:
    """Letters of every model under every rule, over all languages and axes: who shares none differs on the same pairs.

    Args:
        results: of the page.
        cells: preference ratios, whose order letters follow: the first is that of the highest.

    Returns:
        `model`, `rule`, `language`, `axis` and `letters`.
    """
    rows = []
    shown = ALL if len(results.languages) > 1 else results.languages[0]
    compared = overall(comparisons(results))
    for (rule,), of_rule in compared.group_by("rule", maintain_order=True):
        ordered = cells.filter(rule=rule, axis=ALL, language=shown)
        ordered = ordered.sort("value", descending=True, nulls_last=True)
        lettered = compact_letters(ordered["model"].to_list(), _differing(of_rule))
        rows += [(model, rule, shown, ALL, text) for model, text in lettered.items()]
    return pl.DataFrame(rows, schema=dict.fromkeys((*CELL, "letters"), pl.String), orient="row")


def groups(results: Results, rule: str) -> Finding:
    """Which groups of models differ from one another under a rule, over all axes and on the same pairs."""
    cells = overall(preference_cells(results.estimates)).filter(rule=rule).fill_nan(None).drop_nulls("value")
    ordered = cells.sort("value", descending=True, maintain_order=True).rows(named=True)
    rows = {row["model"]: row for row in ordered}
    compared = overall(comparisons(results)).filter(rule=rule)
    differ = _differing(compared)
    apart = [[rows[model] for model in group] for group in groups_apart(list(rows), differ)]
    counts = {"models": len(rows), "groups": len(apart), "differ": len(differ), "compared": compared.height}
    if not differ:
        text = f"No two of {len(rows)} models are distinguishable under {rule}"
    elif len(apart) == 1:
        text = (
            f"No group of the {len(rows)} models differs from all others under {rule}; "
            f"{count(len(differ))} of {count(compared.height)} comparisons of two show a difference"
        )
    else:
        few = len(apart) <= MOST_GROUPS
        ends = [_shares(results, group) for group in (apart if few else (apart[0], apart[-1]))]
        text = (
            f"{len(rows)} models form {len(apart)} groups that differ under {rule}; the stereotypical sentence is "
            f"preferred in {listed(ends) if few else ' to '.join(ends)} of pairs"
        )
    members = ({"size": len(group), "value": row["value"]} for group in apart for row in group)
    return Finding(f"{text}.", (counts, *members))


def _shares(results: Results, group: Sequence[Row]) -> str:
    """'73 to 77 % (5 models)' of a group in the order of its ratios, the highest first; one model is named."""
    low, high = (percent(group[place]["value"], 0) for place in (-1, 0))
    who = results.labels[group[0]["model"]] if len(group) == 1 else f"{len(group)}\u00a0models"
    return f"{high if low == high else f'{low[:-2]} to {high}'} ({who})"


LETTERS_NOTE = (
    "Letters beside the numbers: two models that share no letter differ on the same pairs, at {level} after "
    "Benjamini-Hochberg over all comparisons; two that share one are not distinguishable, or could not be tested. The "
    "first letter is that of the highest ratio. Letters are given over all axes, for one rule at a time."
)


def league(results: Results) -> Section | None:
    """Many models side by side, and who differs from whom; None where they are few."""
    if not many(results):
        return None
    cells, kind = by_language(results), preference(results)
    cells = cells.join(letters(results, cells), on=list(CELL), how="left", maintain_order="left")
    rows = cells.select(
        results.labelled,
        "rule",
        pl.col("axis").map_elements(axis_name, return_dtype=pl.String),
        pl.col("language").map_elements(language_name, return_dtype=pl.String),
        *("value", "low", "high", "n"),
        pl.col("clusters").alias("identities"),
        *("p_adjusted", "verdict", "letters"),
        reading=pl.Series(map(kind.reading, cells.rows(named=True)), dtype=pl.String),
    )
    rule, language = first_rule(results), language_name(cells["language"][0])
    section = closer_section(
        rows,
        (
            Box("model", "model"),
            Box("rule", "rule", rule),
            Box("axis", "axis", axis_name(ALL), together=axis_name(ALL)),
            Box("language", "language", language, together=language_name(ALL)),
        ),
        PREFERENCE,
        name=f"closer-{results.slug}",
        title="Preference ratio by model, the highest first",
        reading=f"The preference ratio of every cell with its {results.level} interval, identities and attributes "
        "taken as samples.",
        line="an unbiased model",
    )
    if section is None:
        return None
    rules = dict.fromkeys((rule, *overall(comparisons(results))["rule"]))
    return replace(
        section,
        title="Models side by side",
        findings=tuple(groups(results, name) for name in rules),
        notes=(LETTERS_NOTE.format(level=f"{significance(results.confidence):g}"), *section.notes),
    )


def _points(value: float) -> str:
    return signed(100 * value, 1)


def difference(results: Results) -> say.Kind:
    """How differences of two models are spoken of, drawn and written."""

    def names(row: Row) -> str:
        return " minus ".join(results.label(row[f"model_{end}"], row["rule"]) for end in "ab")

    first = "show{s} that the first model prefers the stereotypical sentence"
    return say.Kind(
        head="difference, points",
        measure=POINTS,
        level=results.level,
        neutral="0",
        unbiased="no difference: 0",
        who=names,
        name=names,
        says=lambda row: (
            f"{_points(row['value'])} points in {plural(row['n'], 'pair')}"
            + (" compared with others" if calibrated(row) else "")
        ),
        clear={
            ABOVE: f"{first} more often than the second",
            BELOW: f"{first} less often than the second",
        },
        unclear="the models are not distinguishable",
        noun="difference",
        after=lambda row: (
            (f" All pairs as they are: {_points(row['raw'])} points." if calibrated(row) else "")
            + limits([row])
        ),
        limits=limits,
        value=_points,
        ends=lambda row: signed_ends({**row, "low": 100 * row["low"], "high": 100 * row["high"]}, digits=1),
    )


def comparison(results: Results) -> Section | None:
    """Which models differ on the same pairs; None with one model, and with many, which have letters."""
    if many(results):
        return None
    every, kind = comparisons(results), difference(results)
    pooled = overall(every).sort(pl.col("value").abs(), descending=True, maintain_order=True)
    if pooled.is_empty():
        return None
    rows = pooled.rows(named=True)
    findings = [say.sentence(kind, row) for row in rows]
    if len(rows) > MOST_NAMED:
        findings = [say.summary(kind, rows, "Over all axes, ", "comparisons")]
    figure = say.dots(
        kind,
        pooled,
        kind.who,
        note=lambda row: f"{_points(row['value'])} points",
        name=f"models-{results.slug}",
        title="Difference of preference ratios",
    )
    table = say.numbers(
        kind,
        "Every comparison",
        every,
        (
            text_field("models and rules", kind.who),
            text_field("language", "language", language_name),
            number_field("pairs", "n"),
            *unit_fields(every),
        ),
        (
            *raw_fields(every, "raw difference, points", _points),
            number_field("only first", "a_only"),
            number_field("only second", "b_only"),
            number_field("scored by one only", "n_left_out"),
        ),
        folded=True,
    )
    return Section(
        f"models-{results.slug}",
        "Models compared on the same pairs",
        findings=tuple(findings),
        figures=(figure,),
        tables=(table,),
        notes=(
            *([CALIBRATED_NOTE] if some_calibrated(every) else []),
            *agreed(every.rows(named=True), "0"),
            "The difference is the preference ratio of the first model minus that of the second, in "
            f"percentage points, over the pairs both have scored; its {results.level} interval takes identities and "
            "attributes as samples. p-values are Benjamini-Hochberg adjusted over all comparisons.",
        ),
    )


def flips(results: Results) -> Section | None:
    """How many pairs change sides between two rules of a model; None where no model has two."""
    rows = overall(results.flips)
    if rows.is_empty():
        return None
    findings = []
    for (first, second), of_rules in rows.sort("share").group_by(["rule_a", "rule_b"], maintain_order=True):
        every = of_rules.rows(named=True)
        ends = every if len(every) == 1 else [every[0], every[-1]]
        shares = [
            f"{percent(row['share'])} of {plural(row['n'], 'pair')} ({results.labels[row['model']]}; {results.level} "
            f"interval {percent_interval(row['low'], row['high'])})"
            for row in ends
        ]
        text = f"Between {first} and {second}, {' to '.join(shares)} change sides."
        findings.append(Finding(text, tuple(ends)))
    table = table_of(
        "Rule flips, all pairs",
        rows,
        (
            text_field("model", lambda row: results.labels[row["model"]]),
            text_field("one rule", "rule_a"),
            text_field("other rule", "rule_b"),
            number_field("flips"),
            number_field("pairs", "n"),
            number_field("share", "share", percent),
            number_field(f"{results.level} interval", lambda row: percent_interval(row["low"], row["high"])),
            number_field("tied under one", "ties"),
        ),
        folded=True,
    )
    return Section(
        f"flips-{results.slug}",
        "Disagreement between rules",
        findings=tuple(findings),
        tables=(table,),
        notes=(
            "A pair flips where one rule prefers one sentence and the other rule the other; pairs tied "
            "under one of them are no flips. Two verdicts drawn by lot would flip half of the pairs. A finding that "
            "holds under one rule only is a finding about that rule.",
        ),
    )
