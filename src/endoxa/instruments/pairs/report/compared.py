"""Models compared on the same pairs, many of them as groups with letters, and rules that disagree about a pair."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import polars as pl

from endoxa.instruments.pairs.estimates.deciding import deciding
from endoxa.instruments.pairs.report.preference import (
    CALIBRATED_NOTE,
    PREFERENCE,
    calibrated,
    limits,
    preference,
    raw_fields,
    some_calibrated,
    unit_fields,
    verdict_words,
)
from endoxa.instruments.pairs.report.results import CELL, Results, by_language, overall, preference_cells
from endoxa.report import estimates as say
from endoxa.report.claims import Row, agreed, cannot_be_tested, clear, is_clear, signed_ends
from endoxa.report.closer import EACH, LEAST_ROWS, Box, closer_section
from endoxa.report.document import Finding, Section
from endoxa.report.figures import Measure
from endoxa.report.tables import number_field, table_of, text_field
from endoxa.report.words import (
    axis_name,
    count,
    language_name,
    listed,
    p_value,
    percent,
    percent_interval,
    plural,
    signed,
)
from endoxa.schema import ALL
from endoxa.stats.letters import compact_letters, groups_apart
from endoxa.stats.verdicts import ABOVE, BELOW, UNCLEAR, UNTESTED, significance

COMPARED = ("model_a", "rule_a", "model_b", "rule_b", "language", "axis")
"""What a comparison is about."""
POINTS = Measure("difference of preference ratios", 0.0, "+.0%", 0.1, 0.1)
MANY = 6
"""Models from which letters say who differs from whom, in place of a sentence for every two."""
MOST_NAMED, MOST_ROWS, MOST_GROUPS = 5, 24, 4
"""Differences with a sentence of their own, dots of the figure, groups that a title tells apart."""


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
    """The comparisons that decide, their difference as `value`."""
    return deciding(results.comparisons, COMPARED, value="difference").with_columns(value="difference")


def _differing(rows: pl.DataFrame) -> set[frozenset[str]]:
    return {frozenset(ends) for ends in rows.filter(clear()).select("model_a", "model_b").iter_rows()}


def letters(results: Results, cells: pl.DataFrame) -> pl.DataFrame:
    """Letters of every model under every rule, over all axes: who shares none differs on the same pairs.

    Args:
        results: of the page.
        cells: preference ratios, whose order letters follow: the first is that of the highest.

    Returns:
        `model`, `rule`, `language`, `axis` and `letters`.
    """
    rows = []
    of_rules = comparisons(results).filter(pl.col("rule_a") == pl.col("rule_b"))
    for (rule, language), compared in of_rules.group_by(["rule_a", "language"], maintain_order=True):
        shown = language if len(results.languages) > 1 else results.languages[0]
        ordered = cells.filter(rule=rule, axis=ALL, language=shown).sort(
            "value", descending=True, nulls_last=True
        )
        lettered = compact_letters(ordered["model"].to_list(), _differing(compared))
        rows += [(model, rule, shown, ALL, text) for model, text in lettered.items()]
    names = ("model", "rule", "language", "axis", "letters")
    table = pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row")
    return table.unique(names[:4], keep="first", maintain_order=True)


def groups(results: Results, rule: str) -> Finding:
    """Which groups of models differ from one another under a rule, over all axes and on the same pairs."""
    cells = overall(preference_cells(results.estimates)).filter(rule=rule).fill_nan(None).drop_nulls("value")
    ordered = cells.sort("value", descending=True, maintain_order=True).rows(named=True)
    rows = {row["model"]: row for row in ordered}
    compared = overall(comparisons(results)).filter("same_rule", rule_a=rule)
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


def differences_counted(results: Results) -> Iterator[Finding]:
    """How many of the comparisons of two models show a difference: the rules with the fewest and with the most."""
    pooled = overall(comparisons(results)).filter("same_rule")
    rules = pooled.group_by(rule="rule_a", maintain_order=True).agg(
        n=pl.len(), differ=clear().sum(), untested=(pl.col("verdict") == UNTESTED).sum()
    )
    if rules.is_empty():
        return
    ordered = rules.sort("differ", maintain_order=True)
    least, most = ordered.row(0, named=True), ordered.row(-1, named=True)
    text = f"{count(most['differ'])} of {count(most['n'])} comparisons of two models show a difference"
    if least["rule"] != most["rule"]:
        text += (
            f" under {most['rule']}, {count(least['differ'])} of {count(least['n'])} under {least['rule']}"
        )
    elif UNCLEAR in pooled["verdict"]:
        text += "; the others are not distinguishable"
    untested = int(rules["untested"].sum())
    rest = f"; {count(untested)} cannot be tested" if untested else ""
    yield Finding(f"{text}{rest}.", (least, most, {"untested": untested}, *pooled.rows(named=True)))


LETTERS_NOTE = (
    "Letters beside the numbers: two models that share no letter differ on the same pairs, at {level} after "
    "Benjamini-Hochberg over all comparisons; two that share one are not distinguishable, or could not be tested. The "
    "first letter is that of the highest ratio. Letters are given over all axes, for one rule at a time."
)


def league(results: Results) -> Section | None:
    """Many models side by side, and who differs from whom; None where they are few."""
    section = _closer(results) if many(results) else None
    if section is None:
        return None
    compared = overall(comparisons(results))
    downloaded = compared.select(
        *(pl.col(name).replace_strict(dict(results.labels)) for name in ("model_a", "model_b")),
        *("rule_a", "rule_b", "difference", "low", "high", "p_adjusted", "n", "verdict"),
    )
    return replace(
        section,
        title="Models side by side",
        findings=(groups(results, first_rule(results)), *differences_counted(results)),
        notes=(LETTERS_NOTE.format(level=f"{significance(results.confidence):g}"), *section.notes),
        template="rows.html.j2",
        values={
            "name": f"comparisons-{results.slug}",
            "rows": downloaded.with_columns(pl.col(pl.Float64).round_sig_figs(4)),
            "what": "comparisons of two models",
        },
    )


def closer(results: Results) -> Section | None:
    """All estimates to choose from; None where the other figures show all of them, and where `league` has them."""
    return None if many(results) or single(results) else _closer(results)


def single(results: Results) -> bool:
    """One model, one rule, one language: the figure of axes shows every estimate."""
    return len(results.combinations) == len(results.languages) == 1


def _closer(results: Results) -> Section | None:
    cells, kind, side_by_side = by_language(results), preference(results), many(results)
    if side_by_side:
        cells = cells.join(letters(results, cells), on=list(CELL), how="left", maintain_order="left")
    rows = cells.select(
        results.labelled,
        "rule",
        pl.col("axis").map_elements(axis_name, return_dtype=pl.String),
        pl.col("language").map_elements(language_name, return_dtype=pl.String),
        *("value", "low", "high", "n"),
        pl.col("clusters").alias("identities"),
        *("p_adjusted", "verdict", *(["letters"] if side_by_side else [])),
        reading=pl.Series(map(kind.reading, cells.rows(named=True)), dtype=pl.String),
    )
    language = language_name(cells["language"][0])
    return closer_section(
        rows,
        (
            Box("model", "model"),
            Box("rule", "rule", first_rule(results)),
            Box("axis", "axis", axis_name(ALL) if side_by_side else EACH, together=axis_name(ALL)),
            Box("language", "language", language, together=language_name(ALL)),
        ),
        PREFERENCE,
        name=f"closer-{results.slug}",
        title="Preference ratio by model, the highest first"
        if side_by_side
        else "Preference ratio of every cell",
        reading=f"The preference ratio of every cell with its {results.level} interval, identities and attributes "
        "taken as samples.",
        line="an unbiased model",
    )


def _points(value: float) -> str:
    return signed(100 * value, 1)


def difference(results: Results) -> say.Kind:
    """How differences of two models are spoken of, drawn and written."""

    def names(row: Row) -> str:
        other = "" if row["same_rule"] else " (other rule)"
        first, second = (results.label(row[f"model_{end}"], row[f"rule_{end}"]) for end in "ab")
        return f"{first} minus {second}{other}"

    return say.Kind(
        head="difference, points",
        measure=POINTS,
        level=results.level,
        neutral="0",
        unbiased="no difference: 0",
        who=names,
        name=names,
        says=lambda row: plural(row["n"], "pair") + (" compared with others" if calibrated(row) else ""),
        clear={ABOVE: "more often than", BELOW: "less often than"},
        unclear="not distinguishable",
        limits=limits,
        value=_points,
        ends=lambda row: signed_ends({**row, "low": 100 * row["low"], "high": 100 * row["high"]}, digits=1),
    )


def comparison(results: Results) -> Section | None:
    """Which models differ on the same pairs; None with one model, and with many, which have letters."""
    if many(results):
        return None
    every, kind = comparisons(results), difference(results)
    pooled = overall(every).sort(pl.col("difference").abs(), descending=True, maintain_order=True)
    if pooled.is_empty():
        return None
    drawn = pooled.sort(pl.col("same_rule").not_(), maintain_order=True).head(MOST_ROWS)
    part = "" if drawn.height == pooled.height else f", the {drawn.height} largest of {pooled.height}"
    figure = say.dots(
        kind,
        drawn,
        kind.who,
        note=lambda row: f"{_points(row['value'])} points",
        name=f"models-{results.slug}",
        title=f"Difference of preference ratios{part}",
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
            number_field("McNemar p adjusted, pairs", "p_mcnemar_adjusted", p_value),
            number_field("scored by one only", "n_left_out"),
            text_field("rules", lambda row: "same" if row["same_rule"] else "different"),
        ),
        folded=True,
    )
    return Section(
        f"models-{results.slug}",
        "Models compared on the same pairs",
        findings=tuple(_findings(kind, pooled.rows(named=True))),
        figures=(figure,),
        tables=(table,),
        notes=(
            *([CALIBRATED_NOTE] if some_calibrated(every) else []),
            *agreed(every.rows(named=True), "0"),
            *_rounding_notes(kind, every),
            "The difference is the preference ratio of the first model minus that of the second, in "
            f"percentage points, over the pairs both have scored; its {results.level} interval takes identities and "
            "attributes as samples. McNemar's exact test takes every pair as independent and is only shown for "
            "comparison. p-values are Benjamini-Hochberg adjusted over all comparisons. Two models compared under two "
            "different rules are marked: there, model and rule differ at once.",
        ),
    )


def _rounding_notes(kind: say.Kind, compared: pl.DataFrame) -> Iterator[str]:
    """A sentence for each comparison whose verdict could be another one in full precision."""
    for row in compared.drop_nulls("rounding_verdicts").iter_rows(named=True):
        yield (
            f"{kind.who(row)}: {plural(row['within_rounding'], 'pair')} of the two together lie within the "
            "rounding of half precision. Had all of them gone one way or all the other, the difference would be "
            f"{_points(row['rounding_low'])} or {_points(row['rounding_high'])} points, and the verdict "
            f"{verdict_words(row['rounding_verdicts'])}. Use --set dtype=float32 for the last word."
        )


def _findings(kind: say.Kind, rows: Sequence[Row]) -> Iterator[Finding]:
    """The largest differences that are claimed, then how many are not, and how many could not be tested."""
    claimed = [row for row in rows if is_clear(row)]
    for row in claimed[:MOST_NAMED]:
        first, _, second = kind.who(row).partition(" minus ")
        left = f"; {plural(row['n_left_out'], 'pair')} scored by one of them only left out"
        yield Finding(
            f"{first} prefers the stereotypical sentence {kind.clear[row['verdict']]} {second}: by "
            f"{_points(abs(row['value'])).lstrip('+')} percentage points ({kind.level} interval of the difference "
            f"{kind.ends(row)}; {kind.says(row)}{left if row['n_left_out'] else ''})."
            + (f" All pairs as they are: {_points(row['raw'])} points." if calibrated(row) else "")
            + kind.limits([row]),
            (row,),
        )
    if rest := len(claimed[MOST_NAMED:]):
        more = plural(rest, "more comparison shows", "more comparisons show")
        yield Finding(f"{more} a difference.", ({"more": rest},))
    if unclear := [row for row in rows if row["verdict"] == UNCLEAR]:
        differ = "The two models are" if len(rows) == 1 else f"In {_which(kind, unclear)} the models are"
        yield Finding(f"{differ} not distinguishable ({kind.level} intervals in the table).", tuple(unclear))
    untested = [row for row in rows if cannot_be_tested(row)]
    for reason in dict.fromkeys(row["reason"] for row in untested):
        alike = [row for row in untested if row["reason"] == reason]
        yield Finding(f"{_which(kind, alike).capitalize()} cannot be tested: {reason}.", tuple(alike))


def _which(kind: say.Kind, rows: Sequence[Row]) -> str:
    """'1 comparison (a minus b)', or how many."""
    return plural(len(rows), "comparison") + (f" ({kind.who(rows[0])})" if len(rows) == 1 else "")


def flips(results: Results) -> Section | None:
    """How many pairs change sides between two rules of a model; None where no model has two."""
    rows = overall(results.flips)
    if rows.is_empty():
        return None
    findings = []
    for (first, second), of_rules in rows.sort("share").group_by(["rule_a", "rule_b"], maintain_order=True):
        ends = [of_rules.row(place, named=True) for place in ((0,) if of_rules.height == 1 else (0, -1))]
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
            number_field("kappa", lambda row: signed(row["kappa"], 2).lstrip("+")),
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
            "under one of them are no flips. Two verdicts drawn by lot would flip half of the pairs. "
            "Cohen's kappa is 1 where two rules always agree and 0 where they agree no more than by "
            "chance. A finding that holds under one rule only is a finding about that rule.",
        ),
    )
