"""Many models side by side: letters and groups say which of them differ on the same pairs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import polars as pl

from endoxa.instruments.pairs.estimates.deciding import deciding
from endoxa.instruments.pairs.report.results import Results, overall, preference_cells
from endoxa.report.claims import clear
from endoxa.report.closer import LEAST_ROWS
from endoxa.report.document import Finding
from endoxa.report.words import count, listed, percent
from endoxa.schema import ALL
from endoxa.stats.letters import compact_letters, groups_apart
from endoxa.stats.verdicts import UNCLEAR, UNTESTED

Row = dict[str, Any]

COMPARED = ("model_a", "rule_a", "model_b", "rule_b", "language", "axis")
"""What a comparison is about."""

MANY = 6
"""Models from which letters say who differs from whom, in place of a sentence for every two."""


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


def letters(results: Results, cells: pl.DataFrame) -> pl.DataFrame:
    """Letters of every model under every rule, over all axes: who shares none differs on the same pairs.

    Args:
        results: of the page.
        cells: preference ratios, whose order letters follow: the first is that of the highest.

    Returns:
        `model`, `rule`, `language`, `axis` and `letters`.
    """
    compared = deciding(results.comparisons, COMPARED, value="difference").filter(
        pl.col("rule_a") == pl.col("rule_b")
    )
    rows = []
    for (rule, language), of_rule in compared.group_by(["rule_a", "language"], maintain_order=True):
        alone = language if len(results.languages) > 1 else results.languages[0]
        ordered = cells.filter(rule=rule, axis=ALL, language=alone).sort(
            "value", descending=True, nulls_last=True
        )
        apart = of_rule.filter(clear())
        different = {frozenset(ends) for ends in apart.select("model_a", "model_b").iter_rows()}
        given = compact_letters(ordered["model"].to_list(), different)
        rows += [(model, rule, alone, ALL, text) for model, text in given.items()]
    names = ("model", "rule", "language", "axis", "letters")
    return pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row").unique(
        names[:4], keep="first", maintain_order=True
    )


MOST_GROUPS = 4
"""Groups of models that a title tells apart; of more it says the ends."""


def groups(results: Results, rule: str) -> Finding:
    """Which groups of models differ from one another under a rule, over all axes and on the same pairs."""
    cells = overall(preference_cells(results.estimates)).filter(rule=rule).fill_nan(None).drop_nulls("value")
    rows = {
        row["model"]: row
        for row in cells.sort("value", descending=True, maintain_order=True).iter_rows(named=True)
    }
    compared = overall(deciding(results.comparisons, COMPARED, value="difference")).filter(
        "same_rule", rule_a=rule
    )
    differ = {frozenset(ends) for ends in compared.filter(clear()).select("model_a", "model_b").iter_rows()}
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
    pooled = overall(deciding(results.comparisons, COMPARED, value="difference")).filter("same_rule")
    rules = pooled.group_by(rule="rule_a", maintain_order=True).agg(
        n=pl.len(), differ=clear().sum(), untested=(pl.col("verdict") == UNTESTED).sum()
    )
    if rules.is_empty():
        return
    ordered = rules.sort("differ", maintain_order=True)
    least, most = ordered.row(0, named=True), ordered.row(-1, named=True)
    counts = f"{count(most['differ'])} of {count(most['n'])} comparisons of two models show a difference"
    if least["rule"] == most["rule"]:
        others = "; the others are not distinguishable" if UNCLEAR in pooled["verdict"] else ""
        text = f"{counts}{others}"
    else:
        text = f"{counts} under {most['rule']}, {count(least['differ'])} of {count(least['n'])} under {least['rule']}"
    untested = int(rules["untested"].sum())
    rest = f"; {count(untested)} cannot be tested" if untested else ""
    yield Finding(f"{text}{rest}.", (least, most, {"untested": untested}, *pooled.rows(named=True)))


def comparison_rows(results: Results, rows: pl.DataFrame) -> pl.DataFrame:
    """Comparisons as readers download them."""
    labels = dict(results.labels)
    return rows.select(
        pl.col("model_a").replace_strict(labels, return_dtype=pl.String),
        "rule_a",
        pl.col("model_b").replace_strict(labels, return_dtype=pl.String),
        "rule_b",
        pl.col("difference", "low", "high", "p_adjusted").round_sig_figs(4),
        *("n", "verdict"),
    )
