"""Distributions of score differences."""

from __future__ import annotations

import polars as pl

from endoxa.report.document import Figure, Section
from endoxa.report.figures.distribution import LEAST_PAIRS, distribution, robust_range
from endoxa.report.results import Results, rule_unit
from endoxa.report.words import language_name, percent, plural, signed, slug


def distributions(results: Results) -> Section:
    """Score differences per rule and language, models below one another (IndiBias, appendix C)."""
    records = results.records.sort("model", "rule", maintain_order=True)
    figures = []
    for rule in records["rule"].unique(maintain_order=True):
        own = records.filter(pl.col("rule") == rule)
        domain = robust_range(own["difference"].to_numpy())
        figures += [
            _panel(results, own.filter(pl.col("language") == language), rule, language, domain)
            for language in own["language"].unique(maintain_order=True)
        ]
    return Section(
        anchor=f"differences-{results.slug}",
        title="Score differences",
        figures=tuple(figures),
        notes=(
            "Kernel density (Gaussian, Scott's bandwidth) of the score of the stereotypical sentence minus "
            "that of the other one; blue, right of the dashed zero line, the stereotypical sentence scores "
            "higher. The range holds 99\u00a0% of the pairs or more. Curves in one panel share one scale, "
            "and panels of one rule share the horizontal range; panels of different rules do not compare, "
            f"because their units differ. With fewer than {LEAST_PAIRS} pairs each pair is a tick.",
        ),
    )


def _panel(
    results: Results, records: pl.DataFrame, rule: str, language: str, domain: tuple[float, float]
) -> Figure:
    summary = (
        records.group_by("model", maintain_order=True)
        .agg(
            right=(pl.col("difference") > 0).mean(),
            mean=pl.col("difference").mean(),
            deviation=pl.col("difference").std(),
            n=pl.len(),
        )
        .with_columns(
            label=pl.col("model").replace_strict(results.labels),
            note=pl.col("right").map_elements(
                lambda share: f"{percent(share)} above 0", return_dtype=pl.String
            ),
        )
    )
    frame = records.join(summary, on="model", maintain_order="left").select("label", "note", "difference")
    unit, name = rule_unit(rule), language_name(language)
    spoken = "; ".join(
        f"{row['label']}: {plural(row['n'], 'pair')}, mean {signed(row['mean'])}, standard deviation "
        f"{signed(row['deviation']).lstrip('+')}, {row['note']}"
        for row in summary.iter_rows(named=True)
    )
    return Figure(
        name=f"differences-{results.slug}-{slug(rule)}-{slug(language)}",
        title=f"{rule}, {name}",
        chart=distribution(frame, domain=domain, title=f"stereotypical − other sentence ({unit})"),
        alt=f"Distribution of score differences under {rule}, {name}, in {unit}. {spoken}.",
    )
