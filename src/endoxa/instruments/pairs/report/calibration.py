"""Raw preference against what is left of it once the attribute's own weight is taken off."""

from __future__ import annotations

from typing import Any

import altair as alt
import numpy as np
import polars as pl

from endoxa.instruments.pairs.report.results import Results, identity_rows, overall, rule_unit
from endoxa.report.charts import BLUE, MUTED, ORANGE, DotRows, finish, neutral_line, pointed, symmetric_domain
from endoxa.report.claims import adjusted, chip, corrected, percent_ends
from endoxa.report.document import Figure, Finding, Section
from endoxa.report.tables import Column, Table
from endoxa.report.words import count, percent, percent_interval, plural, signed, slug
from endoxa.stats.verdicts import ABOVE, BELOW, UNTESTED

SCATTER_COLUMNS = {
    "neutral": "difference of the pair with neutral identities",
    "raw": "difference of the pair as published",
}

BINS = 22
SIDE = 250


def dumbbell(frame: pl.DataFrame, *, neutral: float, domain: tuple[float, float]) -> alt.TopLevelMixin:
    """A hollow square for the raw preference joined to a filled dot for the calibrated one."""
    rows = DotRows(frame, neutral, domain, "pairs with the stereotypical sentence preferred", ".0%")
    base, x, offset = rows.rows(), rows.x, rows.offset
    return rows.drawn(
        base.mark_rule(strokeWidth=2, color=MUTED, yOffset=offset).encode(
            x=x("raw"), x2=alt.X2("calibrated:Q")
        ),
        base.mark_point(
            shape="square", size=60, strokeWidth=2, color=ORANGE, fill="white", opacity=1, yOffset=offset
        ).encode(x=x("raw")),
        pointed(base.mark_point(size=60, color=BLUE, fill=BLUE, opacity=1, yOffset=offset), frame).encode(
            x=x("calibrated")
        ),
    )


def scatter(frame: pl.DataFrame, *, reach: float, unit: str) -> alt.TopLevelMixin:
    """Pairs by their difference with neutral identities (across) and as published (up), in square bins.

    Args:
        frame: columns of `SCATTER_COLUMNS`, one row per pair.
        reach: both axes run from -reach to reach; pairs outside are drawn at the edge.
        unit: unit of the differences.
    """
    edges = np.linspace(-reach, reach, BINS + 1)
    counts, _, _ = np.histogram2d(
        frame["neutral"].to_numpy().clip(-reach, reach),
        frame["raw"].to_numpy().clip(-reach, reach),
        bins=(edges, edges),
    )
    centres = (edges[:-1] + edges[1:]) / 2
    across, up = np.nonzero(counts)
    bins = pl.DataFrame({"neutral": centres[across], "raw": centres[up], "pairs": counts[across, up]})
    scale = alt.Scale(domain=(-reach, reach), nice=False)
    x = alt.X(
        "neutral:Q",
        scale=scale,
        axis=alt.Axis(title=f"with neutral identities ({unit})", tickCount=5, grid=False),
    )
    y = alt.Y("raw:Q", scale=scale, axis=alt.Axis(title=f"as published ({unit})", tickCount=5, grid=False))
    diagonal = pl.DataFrame({"neutral": [-reach, reach], "raw": [-reach, reach]})
    chart = alt.layer(
        neutral_line().encode(y=alt.Y("neutral:Q", scale=scale)),
        neutral_line().encode(x=alt.X("neutral:Q", scale=scale)),
        alt.Chart(diagonal).mark_line(color=ORANGE, strokeWidth=1.4).encode(x=x, y=y),
        alt.Chart(bins)
        .mark_circle(color=BLUE, opacity=0.8)
        .encode(
            x=x,
            y=y,
            size=alt.Size(
                "pairs:Q",
                scale=alt.Scale(domain=[0, float(counts.max())], range=[0, (SIDE / BINS) ** 2]),
                legend=None,
            ),
        ),
    )
    return finish(chart.properties(width=SIDE, height=SIDE))


def calibration(results: Results) -> Section | None:
    """How much of each preference is the attribute's frequency, length or negation; None where no pair can tell."""
    anchor, title = f"calibrated-{results.slug}", "Calibrated for word frequency"
    pairs = results.records.filter(pl.col("neutral").is_not_null())
    if pairs.is_empty():
        return None
    rows = _rows(results, pairs)
    figures = [_dumbbell(results, rows)]
    figures += [
        _scatter(results, pairs, model, rule) for model, rule in rows.select("model", "rule").iter_rows()
    ]
    return Section(
        anchor,
        title,
        findings=tuple(Finding(_sentence(results, row), (row,)) for row in rows.iter_rows(named=True)),
        figures=tuple(figures),
        tables=(_table(results, rows),),
        notes=(
            "A sentence may score higher only because its attribute is the more frequent, shorter or not "
            "negated one. So each pair is scored again with neutral identities (such as “people”), and "
            "that difference is subtracted. Raw and calibrated ratios here rest on the same pairs: those "
            "in which a neutral identity could be put in. In the scatter plots, pairs on the slanted line "
            "owe their whole difference to the attribute; pairs above it gain from the identity in the "
            "stereotypical direction. Dot area is the number of pairs.",
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
    return raw.join(calibrated, on=["model", "rule"], maintain_order="left").join(
        every, on=["model", "rule"], maintain_order="left"
    )


def _sentence(results: Results, row: dict[str, Any]) -> str:
    model, rule = str(row["model"]), str(row["rule"])
    of = "" if row["n"] == row["n_all"] else f" of {count(int(row['n_all']))}"
    left = {
        ABOVE: "After calibration the stereotypical sentence is preferred more often than chance.",
        BELOW: "After calibration the stereotypical sentence is preferred less often than chance.",
        UNTESTED: f"The calibrated ratio cannot be tested ({row['reason']}).",
    }.get(row["verdict"], "After calibration the preference is not distinguishable from chance.")
    interval = "" if row["verdict"] == UNTESTED else f"{results.level} interval {percent_ends(row)}, "
    return (
        f"{results.labels[model]} under {rule}: {percent(row['raw'])} raw, {percent(row['value'])} "
        f"calibrated ({interval}{plural(int(row['n']), 'pair')}{of}). {left}{corrected(row)}"
    )


def _dumbbell(results: Results, rows: pl.DataFrame) -> Figure:
    frame = pl.DataFrame(
        {
            "label": [results.label(model, rule) for model, rule in rows.select("model", "rule").iter_rows()],
            "raw": rows["raw"],
            "calibrated": rows["value"],
            "note": [
                f"{100 * raw:.1f} → {percent(value)}"
                for raw, value in rows.select("raw", "value").iter_rows()
            ],
        }
    )
    spoken = "; ".join(f"{label} {note}" for label, note in frame.select("label", "note").iter_rows())
    frame = frame.with_columns(
        tip=pl.Series(
            [
                f"{label}: {percent(row['raw'])} raw, {percent(row['value'])} calibrated ({percent_ends(row)}), "
                f"n {count(row['n'])}, {chip(row)}"
                for label, row in zip(frame["label"], rows.iter_rows(named=True), strict=True)
            ]
        )
    )
    return Figure(
        name=f"calibrated-{results.slug}",
        title="Raw (square) to calibrated (dot)",
        chart=dumbbell(
            frame, neutral=0.5, domain=symmetric_domain([*frame["raw"], *frame["calibrated"]], 0.5, 0.1, 0.1)
        ),
        alt=f"Preference ratio, raw and identity-calibrated, unbiased at 50 %. {spoken}.",
        wide=True,
        rows=rows.select(
            pl.col("model").replace_strict(dict(results.labels), return_dtype=pl.String),
            *(
                "rule",
                "raw",
                pl.col("value").alias("calibrated"),
                "low",
                "high",
                "n",
                "p_adjusted",
                "verdict",
            ),
        ),
    )


def _scatter(results: Results, pairs: pl.DataFrame, model: str, rule: str) -> Figure:
    own = pairs.filter((pl.col("model") == model) & (pl.col("rule") == rule)).select(
        "neutral", raw=pl.col("difference")
    )
    reach = float(np.quantile(np.abs(own.to_numpy()), 0.99)) or 1.0
    label, unit = results.label(model, rule), rule_unit(rule)
    above = (own["raw"] > own["neutral"]).sum()
    return Figure(
        name=f"calibrated-{results.slug}-{slug(label)}",
        title=label,
        chart=scatter(own, reach=reach, unit=unit),
        alt=(
            f"Differences of {plural(own.height, 'pair')} as published against neutral identities, {label}, "
            f"in {unit}: {above} lie above the line on which the attribute explains everything."
        ),
    )


def _table(results: Results, rows: pl.DataFrame) -> Table:
    columns = (
        Column("model"),
        Column("rule"),
        Column("pairs", numeric=True),
        Column("raw ratio", numeric=True),
        Column("calibrated ratio", numeric=True),
        Column(f"{results.level} interval, identities", numeric=True),
        Column("verdict"),
        Column("p adjusted", numeric=True),
        Column(f"{results.level} Wilson, pairs", numeric=True),
        Column("mean difference, raw", numeric=True),
        Column("with neutral identities", numeric=True),
        Column("unit"),
    )
    body = tuple(
        (
            results.labels[row["model"]],
            row["rule"],
            count(row["n"]),
            percent(row["raw"]),
            percent(row["value"]),
            percent_ends(row),
            chip(row),
            adjusted(row),
            percent_interval(row["pair_low"], row["pair_high"]),
            signed(row["raw_mean"]),
            signed(row["neutral_mean"]),
            rule_unit(row["rule"]),
        )
        for row in rows.iter_rows(named=True)
    )
    return Table("Raw and calibrated, pairs with a neutral identity", columns, body, folded=True)
