"""`endoxa analyze intersections`: are crossed groups more than their parts?"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from endoxa.commands.verbs import Outcome, argument, table
from endoxa.runs.options import DEFAULT_CONFIDENCE, Confidence, Seed
from endoxa.schema.options import DATA, OUTPUT, Option

if TYPE_CHECKING:
    import polars as pl
    from rich.table import Table

SHOWN = 10
"""Crossed groups printed for each model and rule."""


def intersections(
    run: Annotated[
        Path, argument("Finished run of `endoxa probe pairs` or `endoxa probe qa`.", metavar="RUN")
    ],
    *,
    out: Annotated[
        Path, Option("Interactions: .csv, .tsv, .jsonl or .parquet.", OUTPUT, table=True, short="-o")
    ],
    parts: Annotated[
        Path | None, Option("Parts of your own crossed identities (columns identity, parts).", DATA)
    ] = None,
    confidence: Confidence = DEFAULT_CONFIDENCE,
    seed: Seed = 0,
) -> Outcome:
    """Estimate whether crossed groups are stereotyped more than their parts predict.

    Compared are the score differences of pairs about a crossed group ("igbo women") with those of its parts ("igbo
    people", "women") in the same words, added up, less those of others. Make the pairs with `endoxa build
    pairs --cross`; the run must be calibrated, which is the default. Of questions made with `endoxa build qa --cross`,
    the leans of the answers are compared.

    \b
    Examples:
      endoxa analyze intersections out/crossed -o interactions.csv
      endoxa analyze intersections out/crossed --parts parts.csv -o interactions.csv
    """  # noqa: D301
    import polars as pl

    from endoxa.curate.crossed import read_parts
    from endoxa.errors import UserError
    from endoxa.instruments.intersections import intersections as estimate
    from endoxa.instruments.intersections import of_answers, of_pairs
    from endoxa.instruments.questions.estimates.answers import load_answers

    records = run / "records.parquet" if run.is_dir() else run
    if not records.is_file():
        raise UserError(f"'{run}' is no finished run of `endoxa probe pairs` or `endoxa probe qa`.")
    asked = "outcome" in pl.read_parquet_schema(records)
    scored = (
        of_answers(load_answers([records.parent], ("identity", "attribute", "language")))
        if asked
        else of_pairs(pl.read_parquet(records))
    )
    estimates = estimate(scored, read_parts(parts), confidence=confidence, seed=seed)
    return Outcome(_lines(estimates, "question" if asked else "pair"), {"out": estimates})


def _lines(estimates: pl.DataFrame, item: str) -> Iterator[str | Table]:
    from endoxa.instruments.intersections import ALL_CROSSED
    from endoxa.report.claims import chip
    from endoxa.report.words import plural, signed, signed_interval

    words = {
        "above": "are stereotyped more than their parts predict",
        "below": "are stereotyped less than their parts predict",
        "unclear": "are not clearly stereotyped more or less than their parts predict",
    }
    for row in estimates.filter(identity=ALL_CROSSED).iter_rows(named=True):
        verdict = words.get(row["verdict"], f"cannot be tested ({row['reason']})")
        interval = signed_interval(row["low"], row["high"])
        yield (
            f"{row['model']} ({row['rule']}): {plural(row['clusters'], 'crossed group')} {verdict}: "
            f"interaction {signed(row['value'])} ({interval}), crossed {signed(row['crossed'])}, parts together "
            f"{signed(row['predicted'])}, {plural(row['n'], item)}."
        )
        each = estimates.filter(
            (estimates["model"] == row["model"])
            & (estimates["rule"] == row["rule"])
            & (estimates["identity"] != ALL_CROSSED)
        ).sort("p_value", nulls_last=True)
        yield table(
            "",
            ("group", "parts", f"{item}s", "interaction", "interval", "verdict"),
            [
                (
                    part["identity"],
                    part["parts"],
                    str(part["n"]),
                    signed(part["value"]),
                    signed_interval(part["low"], part["high"]),
                    chip(part),
                )
                for part in each.head(SHOWN).iter_rows(named=True)
            ],
            texts=2,
            wrap=True,
        )
