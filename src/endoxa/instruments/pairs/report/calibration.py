"""Raw preference against the same sentences about others, and how differences are spread."""

from __future__ import annotations

from typing import Any

import polars as pl

from endoxa.instruments.pairs.report.results import (
    Results,
    compared_with,
    identity_rows,
    overall,
    preference_cells,
    rule_unit,
)
from endoxa.report.claims import P_ADJUSTED, VERDICT, corrected, percent_ends
from endoxa.report.document import Figure, Finding, Section
from endoxa.report.plots import LEAST_PAIRS, Axis, ridge_plot, robust_range
from endoxa.report.tables import number_field, table_of, text_field
from endoxa.report.words import count, language_name, percent, percent_interval, plural, signed, slug
from endoxa.stats.verdicts import ABOVE, BELOW, NO_QUESTION, UNTESTED


def calibration(results: Results) -> Section | None:
    """How much of each preference is the attribute's frequency, length or negation; None where no pair can tell."""
    anchor, title = f"calibrated-{results.slug}", "Compared with the same sentences about others"
    pairs = results.records.filter(pl.col("neutral").is_not_null())
    if pairs.is_empty():
        return None
    rows = _rows(results, pairs)
    return Section(
        anchor,
        title,
        findings=tuple(Finding(_sentence(results, row), (row,)) for row in rows.iter_rows(named=True)),
        tables=(
            (
                table_of(
                    "Raw and compared with others, the same pairs",
                    rows,
                    (
                        text_field("model", lambda row: results.labels[row["model"]]),
                        text_field("rule"),
                        number_field("pairs", "n"),
                        number_field("raw ratio", "raw", percent),
                        number_field("to beat", "placebo", percent),
                        number_field("compared with others", "value", percent),
                        number_field(f"{results.level} interval", percent_ends),
                        VERDICT,
                        P_ADJUSTED,
                        number_field(
                            f"{results.level} Wilson, pairs",
                            lambda row: percent_interval(row["pair_low"], row["pair_high"]),
                        ),
                        number_field("mean difference, raw", "raw_mean", signed),
                        number_field("about the others", "neutral_mean", signed),
                        text_field("unit", "rule", rule_unit),
                    ),
                    folded=True,
                )
            ),
        ),
        notes=(
            "A sentence may score higher only because its attribute is the more frequent, shorter or not "
            "negated one. So each pair is scored again about up to five other groups of the table, of which it does "
            "not state the attribute (or, where it has fewer than six groups, about “people” and “they”), and the "
            "median of their differences is subtracted. Raw and compared ratios here rest on the same pairs: those "
            "into which others could be put.",
        ),
    )


def _rows(results: Results, pairs: pl.DataFrame) -> pl.DataFrame:
    """Per model and rule: raw ratio on the pairs with a neutral difference, calibrated estimate beside it."""
    raw = pairs.group_by("model", "rule", maintain_order=True).agg(
        raw=((pl.col("difference").sign() + 1) / 2).mean(),
        raw_mean=pl.col("difference").mean(),
        neutral_mean=pl.col("neutral").mean(),
    )
    every = results.records.group_by("model", "rule").agg(n_all=pl.len())
    calibrated = overall(identity_rows(results.estimates, "calibrated_preference_ratio"))
    cells = overall(preference_cells(results.estimates)).select("model", "rule", "placebo", "with_groups")
    calibrated = calibrated.join(cells, on=["model", "rule"], how="left", maintain_order="left")
    return raw.join(calibrated, on=["model", "rule"], maintain_order="left").join(
        every, on=["model", "rule"], maintain_order="left"
    )


def _sentence(results: Results, row: dict[str, Any]) -> str:
    model, rule = str(row["model"]), str(row["rule"])
    of = "" if row["n"] == row["n_all"] else f" of {count(int(row['n_all']))}"
    left = {
        ABOVE: "So the stereotypical sentence is preferred more often than chance.",
        BELOW: "So the stereotypical sentence is preferred less often than chance.",
        UNTESTED: f"The latter cannot be tested ({row['reason']}).",
        NO_QUESTION: f"It is {row['reason']}.",
    }.get(row["verdict"], "So the preference is not distinguishable from chance.")
    interval = "" if row["verdict"] == UNTESTED else f"{results.level} interval {percent_ends(row)}, "
    beat = "" if row["placebo"] is None else f", where the number to beat is {percent(row['placebo'])}"
    return (
        f"{results.labels[model]} under {rule}: {percent(row['raw'])} raw{beat}; compared with {compared_with(row)}: "
        f"{percent(row['value'])} ({interval}{plural(int(row['n']), 'pair')}{of}). {left}{corrected(row)}"
    )


QUANTILES = {"q05": 0.05, "q25": 0.25, "median": 0.5, "q75": 0.75, "q95": 0.95}
"""Columns of the rows to download."""


def distributions(results: Results) -> Section:
    """Score differences: a ridgeline of the models for each rule and language (IndiBias, appendix C)."""
    records = results.records.sort("model", "rule", maintain_order=True)
    figures = []
    for rule in records["rule"].unique(maintain_order=True):
        of_rule = records.filter(pl.col("rule") == rule)
        domain = robust_range(of_rule["difference"].to_numpy())
        figures += [
            _panel(results, of_rule.filter(pl.col("language") == language), rule, language, domain)
            for language in of_rule["language"].unique(maintain_order=True)
        ]
    return Section(
        anchor=f"differences-{results.slug}",
        title="Score differences",
        figures=tuple(figures),
        notes=(
            "Kernel density (Gaussian, Scott's bandwidth) of the score of the stereotypical sentence minus "
            "that of the other one; blue, right of the line at zero, the stereotypical sentence scores "
            "higher. Models are sorted by their share of pairs above 0. The range holds 99\u00a0% of the pairs or "
            "more. Curves in one panel share one scale, "
            "and panels of one rule share the horizontal range; panels of different rules do not compare, "
            f"because their units differ. With fewer than {LEAST_PAIRS} pairs each pair is a tick. The rows to "
            "download are means, standard deviations and quantiles of the differences.",
        ),
    )


def _panel(
    results: Results, records: pl.DataFrame, rule: str, language: str, domain: tuple[float, float]
) -> Figure:
    difference = pl.col("difference")
    summary = (
        records.group_by("model", maintain_order=True)
        .agg(
            pairs=pl.len(),
            share_above_0=(difference > 0).mean(),
            mean=difference.mean(),
            standard_deviation=difference.std(),
            **{name: difference.quantile(share, "linear") for name, share in QUANTILES.items()},
        )
        .sort("share_above_0", descending=True, maintain_order=True)
        .with_columns(label=pl.col("model").replace_strict(dict(results.labels), return_dtype=pl.String))
    )
    notes = [f"{percent(share)} above 0" for share in summary["share_above_0"]]
    tips = [
        f"{row['label']}: {plural(row['pairs'], 'pair')}, mean {signed(row['mean'])}, standard deviation "
        f"{signed(row['standard_deviation']).lstrip('+')}, {note}"
        for row, note in zip(summary.iter_rows(named=True), notes, strict=True)
    ]
    frame = (
        summary.select("model", "label", note=pl.Series(notes), tip=pl.Series(tips))
        .join(records.select("model", "difference"), on="model", maintain_order="left")
        .drop("model")
    )
    unit, name = rule_unit(rule), language_name(language)
    axis = Axis(domain, f"stereotypical − other sentence ({unit})", ".2~f", neutral=0.0)
    return Figure(
        name=f"differences-{results.slug}-{slug(rule)}-{slug(language)}",
        title=f"{rule}, {name}" if len(results.languages) > 1 else rule,
        plot=ridge_plot(frame, axis),
        alt=f"Distribution of score differences under {rule}, {name}, in {unit}. {'; '.join(tips)}.",
        rows=summary.select(
            pl.col("label").alias("model"),
            rule=pl.lit(rule),
            language=pl.lit(name),
            unit=pl.lit(unit),
            **{
                column: pl.col(column)
                for column in ("pairs", "share_above_0", "mean", "standard_deviation", *QUANTILES)
            },
        ),
    )
