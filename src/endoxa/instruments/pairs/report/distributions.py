"""Distributions of score differences (kernel density), one row per model, after IndiBias Figures 4 and 5."""

from __future__ import annotations

import polars as pl

from endoxa.instruments.pairs.report.results import Results, rule_unit
from endoxa.report.charts import LEAST_PAIRS, ridgeline, robust_range
from endoxa.report.document import Figure, Section
from endoxa.report.words import language_name, percent, plural, signed, slug

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
        pick_by="Rule and language" if len(results.languages) > 1 else "Rule",
        notes=(
            "Kernel density (Gaussian, Scott's bandwidth) of the score of the stereotypical sentence minus "
            "that of the other one; blue, right of the dashed zero line, the stereotypical sentence scores "
            "higher. Models are sorted by their share of pairs above 0. The range holds 99\u00a0% of the pairs or "
            "more. Curves in one panel share one scale, "
            "and panels of one rule share the horizontal range; panels of different rules do not compare, "
            f"because their units differ. With fewer than {LEAST_PAIRS} pairs each pair is a tick. The rows to "
            "download are means, standard deviations and quantiles of the differences.",
        ),
    )


def _summary(results: Results, records: pl.DataFrame) -> pl.DataFrame:
    """One row per model, the highest share of pairs above 0 first."""
    difference = pl.col("difference")
    return (
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


def _panel(
    results: Results, records: pl.DataFrame, rule: str, language: str, domain: tuple[float, float]
) -> Figure:
    summary = _summary(results, records)
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
    return Figure(
        name=f"differences-{results.slug}-{slug(rule)}-{slug(language)}",
        title=f"{rule}, {name}" if len(results.languages) > 1 else rule,
        chart=ridgeline(frame, domain=domain, title=f"stereotypical − other sentence ({unit})"),
        alt=f"Distribution of score differences under {rule}, {name}, in {unit}. {'; '.join(tips)}.",
        wide=True,
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
