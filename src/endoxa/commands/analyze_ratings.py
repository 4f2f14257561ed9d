"""`endoxa analyze disagreement` and `leniency`: what people's ratings of associations say."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer
from annotated_types import Ge, Le

from endoxa.report.words import decimal, decimal_interval, percent, plural, signed
from endoxa.runs.options import DEFAULT_CONFIDENCE, DEFAULT_RESAMPLES, Confidence, Seed
from endoxa.schema.headline import Headline
from endoxa.schema.options import ANALYSIS, DATA, OUTPUT, Option

Ratings = Annotated[
    Path,
    typer.Argument(
        metavar="RATINGS", help="Export of a campaign (folder), or a table with identity, attribute, rating."
    ),
]
Topics = Annotated[
    Path | None,
    Option(
        "Table with attribute (or identity and attribute), topic, perhaps sentiment.", DATA, metavar="FILE"
    ),
]
Resamples = Annotated[int, Ge(100), Option("Bootstrap samples per interval.", ANALYSIS)]


def disagreement(
    ratings: Ratings,
    *,
    out: Annotated[Path, Option("Topics: .csv, .tsv, .jsonl or .parquet.", OUTPUT, short="-o")],
    topics: Topics = None,
    quantile: Annotated[
        float, Ge(0.5), Le(0.99), Option("Share of associations in the low-variance group.", ANALYSIS)
    ] = 0.8,
    ties: Annotated[
        Literal["low", "split"], Option("Where equal variances go: low, or split at random.", ANALYSIS)
    ] = "low",
    confidence: Confidence = DEFAULT_CONFIDENCE,
    seed: Seed = 0,
    resamples: Resamples = DEFAULT_RESAMPLES,
) -> Headline:
    """Find the topics that people disagree about, by the variance of the ratings of each association.

    Associations with at least two ratings are split at a quantile of their variance; each topic's share of the disputed
    ones is compared with its share of the others. FILE_pairs beside FILE holds every association with its variance.

    \b
    Examples:
      endoxa analyze disagreement export -o disagreement.csv
      endoxa analyze disagreement ratings.csv --topics topics.csv -o disagreement.csv
    """  # noqa: D301
    from endoxa.curate import ratings as room
    from endoxa.sources.files import require_apart
    from endoxa.sources.frames import require_table_name, write_table

    require_table_name(out)
    beside = out.with_name(f"{out.stem}_pairs{out.suffix}")
    require_apart([out, beside], [ratings, topics])
    found = room.analyze_disagreement(
        room.read_ratings(ratings, topics),
        quantile=quantile,
        ties=ties,
        confidence=confidence,
        resamples=resamples,
        seed=seed,
    )
    write_table(found.topics, out)
    write_table(found.pairs, beside)
    headline = Headline(
        title="Relative change: how much more common a topic is among the disputed associations",
        columns=("topic", "low group", "high group", "change", "interval", "verdict"),
        texts=tuple(
            (
                row["topic"],
                f"{row['n_low']} ({percent(row['share_low'], 0)})",
                f"{row['n_high']} ({percent(row['share_high'], 0)})",
                "–" if row["relative_change"] is None else f"{signed(row['relative_change'], 0)} %",
                decimal_interval(row["low"], row["high"], 0),
                row["verdict"].replace("-", " "),
            )
            for row in found.topics.iter_rows(named=True)
        ),
        rows=tuple(found.topics.iter_rows(named=True)),
        words=("topic", "verdict"),
        notes=(
            f"{plural(found.pairs.height, 'association')} with two ratings or more ({found.left_out} with one left "
            f"out); {found.high} above the quantile {found.quantile:g} (variance {found.threshold:.2f}; {found.ties} "
            f"exactly there, {'in the low group' if ties == 'low' else 'split at random'}).",
            f"Variances: skewness {decimal(found.skewness, 2)} (adjusted {decimal(found.skewness_adjusted, 2)}), "
            f"{percent(found.zero)} are zero, three quarters lie at or below {found.third_quartile:.2f}.",
        ),
    )
    typer.echo(str(headline))
    typer.echo(f"Written: {out} and {beside}")
    return headline


def leniency(
    ratings: Ratings,
    *,
    out: Annotated[Path, Option("Means: .csv, .tsv, .jsonl or .parquet.", OUTPUT, short="-o")],
    topics: Topics = None,
    confidence: Confidence = DEFAULT_CONFIDENCE,
    seed: Seed = 0,
    resamples: Resamples = DEFAULT_RESAMPLES,
) -> Headline:
    """Compare ratings by people of the group with ratings by others, for each sentiment.

    Intervals resample raters. Beside the raw difference stands that of a mixed model with raters and associations as
    crossed effects. FILE_shares and FILE_topics beside FILE hold how often each rating was given, and how many ratings
    of each topic come from within.

    \b
    Examples:
      endoxa analyze leniency export -o leniency.csv
      endoxa analyze leniency ratings.csv --topics topics.csv -o leniency.csv
    """  # noqa: D301
    from endoxa.curate import ratings as room
    from endoxa.sources.files import require_apart
    from endoxa.sources.frames import require_table_name, write_table

    require_table_name(out)
    besides = {name: out.with_name(f"{out.stem}_{name}{out.suffix}") for name in ("shares", "topics")}
    require_apart([out, *besides.values()], [ratings, topics])
    found = room.analyze_leniency(
        room.read_ratings(ratings, topics), confidence=confidence, resamples=resamples, seed=seed
    )
    write_table(found.cells, out)
    write_table(found.shares, besides["shares"])
    if found.topics.height:
        write_table(found.topics, besides["topics"])
    rows = list(found.cells.iter_rows(named=True))
    headline = Headline(
        title="Mean rating by people of the group and by others (model: raters and pairs crossed)",
        columns=(
            "sentiment",
            "perspective",
            "ratings",
            "mean",
            "interval",
            "model",
            "verdict",
        ),
        texts=tuple(
            (
                row["sentiment"],
                row["perspective"],
                str(row["n"]),
                decimal(row["mean"], 2),
                decimal_interval(row["low"], row["high"], 2),
                decimal(row["model"], 2) if row["perspective"] == "difference" else "",
                (row["verdict"] or "").replace("-", " "),
            )
            for row in rows
        ),
        rows=tuple(rows),
        words=("sentiment", "perspective", "verdict"),
        notes=tuple(
            f"{plural(found.left_out, 'rating')} without in_group left out."
            for _ in range(found.left_out > 0)
        ),
    )
    typer.echo(str(headline))
    typer.echo(f"Written: {out}")
    return headline
