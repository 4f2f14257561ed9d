"""`endoxa analyze agreement`: agreement between raters."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from annotated_types import Ge

from endoxa.engine.options import DEFAULT_CONFIDENCE, DEFAULT_RESAMPLES, Confidence, Seed
from endoxa.schema.options import ANALYSIS, DATA, OUTPUT, Option

if TYPE_CHECKING:
    import polars as pl

    from endoxa.curate.ballots import Ballots

Level = Literal["nominal", "ordinal", "interval", "ratio"]


def agreement(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE...", help="Review sheets of several reviewers, or tables of votes."),
    ],
    *,
    out: Annotated[Path, Option("Coefficients: .csv, .tsv, .jsonl or .parquet.", OUTPUT, short="-o")],
    value: Annotated[
        str | None,
        Option("Column of the votes.", DATA, metavar="COLUMN", default="decision in sheets, else value"),
    ] = None,
    item: Annotated[
        str | None,
        Option("Column of the items.", DATA, metavar="COLUMN", default="item, or the first"),
    ] = None,
    rater: Annotated[str, Option("Column of the rater, in a long table.", DATA, metavar="COLUMN")] = "rater",
    raters: Annotated[
        str | None,
        Option("Columns of votes, in a wide table.", DATA, metavar="A,B,...", default="all others"),
    ] = None,
    level: Annotated[Level, Option("Level of measurement, for Krippendorff's alpha.", ANALYSIS)] = "nominal",
    order: Annotated[
        str | None, Option("Ordered categories, for --level ordinal.", ANALYSIS, metavar="A,B,...")
    ] = None,
    confidence: Confidence = DEFAULT_CONFIDENCE,
    seed: Seed = 0,
    resamples: Annotated[int, Ge(1), Option("Bootstrap samples per interval.", ANALYSIS)] = DEFAULT_RESAMPLES,
) -> None:
    """Compute agreement between raters: percent, Cohen's and Fleiss' kappa, Krippendorff's alpha.

    \b
    Examples:
      endoxa analyze agreement ana.xlsx ben.xlsx -o agreement.csv
      endoxa analyze agreement ana.xlsx ben.xlsx -o agreement.csv --value attribute
      endoxa analyze agreement votes.csv -o agreement.csv --item statement_id --rater who --value vote
      endoxa analyze agreement ratings.csv -o agreement.csv --level ordinal --order never,sometimes,always
    """  # noqa: D301
    from endoxa.curate import agreement as room
    from endoxa.datasets.files import require_apart
    from endoxa.datasets.frames import require_table_name, write_table

    require_apart([out], files)
    require_table_name(out)
    ballots = _ballots(files, value=value, item=item, rater=rater, raters=_names(raters), order=_names(order))
    found = room.agreement(ballots, level=level, confidence=confidence, resamples=resamples, seed=seed)
    write_table(found, out)
    print_agreement(found)
    typer.echo(
        f"{len(ballots.items)} items, {len(ballots.raters)} raters, categories: {', '.join(ballots.categories[:12])}"
        + (", ..." if len(ballots.categories) > 12 else "")
    )
    typer.echo(f"{len(found)} coefficients written to {out}")


def print_agreement(found: pl.DataFrame) -> None:
    """Print the coefficients; an undefined one is a dash, and the reason is in the column `method`."""
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    table = Table(title="Agreement (0 = chance level, 1 = perfect; percent: share of agreeing pairs)")
    table.add_column("coefficient")
    table.add_column("raters", overflow="fold")
    for name in ("items", "value", "interval"):
        table.add_column(name, justify="right", no_wrap=True)
    for row in found.iter_rows(named=True):
        defined = row["value"] == row["value"]
        interval = f"{row['low']:.3f} to {row['high']:.3f}" if row["low"] <= row["high"] else "-"
        name = row["name"] if row["level"] == "nominal" else f"{row['name']} ({row['level']})"
        table.add_row(
            name, escape(row["raters"]), str(row["n"]), f"{row['value']:.3f}" if defined else "-", interval
        )
    Console().print(table)
    undefined = found.filter(found["value"].is_nan())
    for row in undefined.iter_rows(named=True):
        typer.echo(f"{row['name']} ({row['raters']}): {row['method']}")


def _names(text: str | None) -> list[str] | None:
    return None if text is None else [name.strip() for name in text.split(",") if name.strip()]


def _ballots(
    files: list[Path],
    *,
    value: str | None,
    item: str | None,
    rater: str,
    raters: list[str] | None,
    order: list[str] | None,
) -> Ballots:
    """Votes from review sheets or from tables, but not from both.

    Raises:
        UserError: review sheets and tables of votes are mixed.
    """
    from endoxa.curate.ballots import ballots_from_votes, read_votes
    from endoxa.curate.review import is_sheet, read_sheets, votes
    from endoxa.errors import UserError

    sheets = [path for path in files if is_sheet(path)]
    if sheets and len(sheets) < len(files):
        other = next(path for path in files if path not in sheets)
        raise UserError(
            f"{sheets[0]} is a review sheet, but {other} is not. Give either review sheets or tables of votes."
        )
    if sheets:
        return ballots_from_votes(votes(read_sheets(files), value or "decision"), order)
    cast = [
        vote
        for path in files
        for vote in read_votes(path, item=item, rater=rater, value=value or "value", raters=raters)
    ]
    return ballots_from_votes(cast, order)
