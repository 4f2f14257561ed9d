"""Charts of disagreement and leniency; each is a tuple, empty where there is nothing to draw."""

from __future__ import annotations

import polars as pl

from endoxa.curate.ratings.leniency import ALL, DIFFERENCE, IN, OUT
from endoxa.report.charts import (
    series_colors,
    series_dots,
    sorted_dots,
    square_legend,
    stacked_shares,
)
from endoxa.report.claims import clear
from endoxa.report.document import Figure
from endoxa.report.words import decimal, percent, signed

SHADES = ("#8c3b00", "#e8a06b", "#e3e6ea", "#8fbce6", "#0b5cad")
"""Colours of ratings from the lowest to the highest of a scale of five points."""
MOST_RATINGS = 7
LEAST_WRITTEN = 0.08
"""Share from which on its percentage fits into the bar."""


def changes(topics: pl.DataFrame) -> tuple[Figure, ...]:
    """Relative change of every topic that has one, the greatest first."""
    rows = topics.drop_nulls("relative_change").sort("relative_change", descending=True, maintain_order=True)
    if rows.is_empty():
        return ()
    notes = pl.col("relative_change").map_elements(
        lambda change: f"{signed(change, 0)} %", return_dtype=pl.String
    )
    frame = rows.select(
        "low", "high", label="topic", note=notes, value="relative_change", filled=clear()
    ).with_columns(pl.col("low", "high").fill_nan(None))
    ends = [end for name in ("value", "low", "high") for end in frame[name].drop_nulls()]
    spoken = "; ".join(f"{row['label']} {row['note']}" for row in frame.iter_rows(named=True))
    chart = sorted_dots(
        frame,
        neutral=0.0,
        domain=(-100.0, max(50.0, *ends)),
        title="relative change, percent",
        axis_format="+.0f",
    )
    alt = f"Relative change of each topic, 0: as common among disputed as among other associations. {spoken}."
    return (Figure("relative-change", "Relative change by topic", chart, alt, wide=True),)


def means(cells: pl.DataFrame) -> tuple[Figure, ...]:
    """Mean rating of both perspectives for every sentiment."""
    rows = cells.filter(pl.col("perspective") != DIFFERENCE).drop_nulls("mean")
    if rows.is_empty():
        return ()
    spoken = {
        sentiment: " · ".join(decimal(value, 2) for value in part["mean"])
        for (sentiment,), part in rows.group_by("sentiment", maintain_order=True)
    }
    frame = rows.select(
        "low",
        "high",
        label="sentiment",
        series="perspective",
        value="mean",
        note=pl.col("sentiment").replace_strict(spoken, return_dtype=pl.String),
        filled=pl.lit(value=True),
    )
    ends = [end for name in ("value", "low", "high") for end in frame[name].drop_nulls()]
    chart = series_dots(
        frame,
        series_colors([IN, OUT]),
        neutral=None,
        domain=(min(ends) - 0.2, max(ends) + 0.2),
        title="mean rating",
        axis_format=".1f",
    )
    description = "; ".join(f"{sentiment}: {note}" for sentiment, note in spoken.items())
    alt = f"Mean rating by people of the group and by others, by sentiment. {description}."
    return (Figure("means", "Mean rating, by people of the group and by others", chart, alt, wide=True),)


def perspectives(shares: pl.DataFrame) -> tuple[Figure, ...]:
    """How often each rating was given, by sentiment and perspective; nothing for scales of many points."""
    ratings = sorted(shares["rating"].unique().to_list())
    if not ratings or len(ratings) > MOST_RATINGS:
        return ()
    names = [f"{rating:g}" for rating in ratings]
    shades = SHADES if len(names) == len(SHADES) else tuple(_grey(k, len(names)) for k in range(len(names)))
    label = pl.when(pl.col("sentiment") == ALL).then(pl.lit("all associations")).otherwise("sentiment")
    frame = shares.select(
        "share",
        label=pl.format("{}, {}", label, "perspective"),
        part=pl.col("rating").map_elements(lambda rating: f"{rating:g}", return_dtype=pl.String),
    ).with_columns(
        text=pl.when(pl.col("share") >= LEAST_WRITTEN)
        .then(pl.col("share").map_elements(lambda share: percent(share, 0), return_dtype=pl.String))
        .otherwise(pl.lit(""))
    )
    chart = stacked_shares(
        frame,
        dict(zip(names, shades, strict=True)),
        dark={names[0], names[-1]},
        title="of the ratings",
        legend=square_legend(columns=len(names)),
    )
    description = "; ".join(
        f"{bar}: "
        + ", ".join(
            f"{part} {percent(share, 0)}" for part, share in bar_rows.select("part", "share").iter_rows()
        )
        for (bar,), bar_rows in frame.group_by("label", maintain_order=True)
    )
    return (
        Figure(
            "ratings", "Ratings by sentiment and perspective", chart, f"Shares of ratings. {description}."
        ),
    )


def _grey(place: int, number: int) -> str:
    shade = 230 - round(170 * place / max(1, number - 1))
    return f"#{shade:02x}{shade:02x}{shade:02x}"


def topic_shares(topics: pl.DataFrame) -> tuple[Figure, ...]:
    """Share of the ratings of each topic that come from within."""
    if topics.is_empty():
        return ()
    frame = topics.select(
        label="topic",
        value="share_in",
        low=pl.lit(None, dtype=pl.Float64),
        high=pl.lit(None, dtype=pl.Float64),
        note=pl.col("share_in").map_elements(lambda share: percent(share, 0), return_dtype=pl.String),
        filled=pl.lit(value=True),
    )
    chart = sorted_dots(
        frame,
        neutral=0.5,
        domain=(0.0, 1.0),
        title="ratings by people of the group",
        axis_format=".0%",
    )
    description = "; ".join(f"{label} {note}" for label, note in frame.select("label", "note").iter_rows())
    return (
        Figure(
            "topics",
            "In-group share by topic",
            chart,
            f"Share of in-group ratings. {description}.",
            wide=True,
        ),
    )
