"""What the association tests show, in sentences made from their numbers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import polars as pl

from endoxa.report.association_table import blocks
from endoxa.report.associations import SIGNIFICANT, Associations
from endoxa.report.document import Column, Section, Table
from endoxa.report.words import count, language_name, p_value, plural, signed, signed_interval

SMALL = 20
"""Words per group below which the sets are called small."""


def findings(results: Associations) -> Section:
    """How many tests are significant after correction, the largest of every encoder, what could not be tested."""
    return Section(
        anchor="findings",
        title="What the tests show",
        findings=(
            _overall(results),
            *_encoders(results.estimates),
            *_other_direction(results.estimates),
            *_hopeless(results.estimates),
            *_small(results.estimates),
        ),
        tables=tuple(_paper_tables(results)),
        notes=(
            "Effect size: how much nearer the first group lies to the first attribute than the second group "
            f"does, in standard deviations over the words of both (ddof {results.ddof}). Stars: adjusted "
            f"{results.sides} p-value at most 0.05 (*) or 0.01 (**).",
        ),
    )


def spoken(row: dict[str, Any]) -> str:
    """What the sign of an effect size says, in the names of the sets: 'X lies nearer to A, Y to B'."""
    if row["effect_size"] == 0:
        return f"{row['x']} and {row['y']} lie as near to {row['a']} as to {row['b']}"
    near, far = ("a", "b") if row["effect_size"] > 0 else ("b", "a")
    return f"{row['x']} lies nearer to {row[near]}, {row['y']} to {row[far]}"


def _overall(results: Associations) -> str:
    estimates = results.estimates
    tests, models, poolings = (estimates[name].n_unique() for name in ("test", "model", "pooling"))
    scope = plural(models, "model") + (f" under {plural(poolings, 'pooling')}" if poolings > 1 else "")
    known = estimates["p_adjusted"].drop_nulls().len()
    significant = int(estimates["significant"].sum())
    defined = "" if known == estimates.height else f", {known:,} of them with a defined p-value"
    if estimates.height == known == 1:
        return f"One test was made; its p-value is {'' if significant else 'not '}at most {SIGNIFICANT}."
    return (
        f"{plural(estimates.height, 'result')}: {plural(tests, 'test')} in "
        f"{scope}{defined}. After correction for the number of tests of each model and pooling, "
        f"{significant or 'none'} of {known:,} {'is' if significant == 1 else 'are'} significant (adjusted "
        f"{results.sides} p at most {SIGNIFICANT})."
    )


def _encoders(estimates: pl.DataFrame) -> Iterator[str]:
    """One sentence for each encoder: how many, and the largest effect, significant ones before others."""
    for (encoder,), own in estimates.group_by(["encoder"], maintain_order=True):
        known = own.drop_nulls("effect_size")
        if known.is_empty():
            yield f"{encoder}: every effect size is undefined."
            continue
        number = int(own["significant"].sum())
        largest = (
            known.sort(
                pl.col("significant"), pl.col("effect_size").abs(), descending=True, maintain_order=True
            )
        ).row(0, named=True)
        which = (
            "The largest of them"
            if number > 1
            else "That one"
            if number
            else "The largest effect, not significant"
        )
        language = f" ({language_name(largest['language'])})" if largest["language"] else ""
        interval = (
            f", {100 * largest['confidence']:g}\u00a0% interval {signed_interval(largest['low'], largest['high'], 2)}"
            if None not in (largest["low"], largest["high"], largest["confidence"])
            else ""
        )
        yield (
            f"{encoder}: {number or 'none'} of {plural(own.height, 'test')} "
            f"{'is' if number == 1 else 'are'} significant. {which}: {spoken(largest)}{language}, effect "
            f"size {signed(largest['effect_size'], 2)}{interval}, adjusted p {p_value(largest['p_adjusted'])}."
        )


def _other_direction(estimates: pl.DataFrame) -> Iterator[str]:
    greater, less = pl.col("alternative") == "greater", pl.col("alternative") == "less"
    other = estimates.filter((greater & (pl.col("effect_size") < 0)) | (less & (pl.col("effect_size") > 0)))
    if other.height:
        yield (
            f"{plural(other.height, 'effect size has', 'effect sizes have')} the sign against the direction the tests "
            "asked about. Their one-sided p-values are large for that reason and do not say that nothing is "
            "there; whoever expects that direction exchanges the two groups before looking."
        )


def _hopeless(estimates: pl.DataFrame) -> Iterator[str]:
    """Tests whose smallest possible p-value is above the bound, whatever the encoder."""
    partitions = estimates["n_partitions"].cast(pl.Float64, strict=False)
    exact = estimates.filter(
        (partitions > 0) & (partitions < 1 / SIGNIFICANT) & (estimates["p_kind"] == "exact")
    )
    if exact.height:
        yield (
            f"{plural(exact.height, 'result')} could not have been significant: the sets are so small that "
            f"the least possible p-value is above {SIGNIFICANT}."
        )


def _small(estimates: pl.DataFrame) -> Iterator[str]:
    least = estimates.select(pl.min_horizontal("n_x", "n_y")).to_series().drop_nulls()
    few, fewest = int((least < SMALL).sum()), int(float(str(least.min() or 0)))
    if few:
        yield (
            f"{plural(few, 'result rests', 'results rest')} on fewer than {SMALL} texts for a group, the least on "
            f"{count(fewest)}: other words for the same groups may give other values."
        )


def _paper_tables(results: Associations) -> Iterator[Table]:
    for block in blocks(results):
        yield Table(
            caption=f"Effect sizes{f', {block.axis}' if block.axis else ''}",
            columns=(
                Column("groups"),
                Column("attributes"),
                *(Column(head.line, numeric=True) for head in block.heads),
            ),
            rows=tuple(
                (line.groups, line.attributes, *(f"{cell.value}{cell.mark}" for cell in line.cells))
                for line in block.lines
            ),
        )
