"""`endoxa analyze agreement`: agreement between raters."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from annotated_types import Ge

from endoxa.runs.options import DEFAULT_CONFIDENCE, DEFAULT_RESAMPLES, Confidence, Seed
from endoxa.schema.options import ANALYSIS, DATA, OUTPUT, Option
from endoxa.schema.terminal import terminal_console, terminal_table

if TYPE_CHECKING:
    import polars as pl

    from endoxa.curate.agreement import Ballots

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
        Option(
            "Column of the votes.",
            DATA,
            metavar="COLUMN",
            default="decision in sheets, else value, vote, ...",
        ),
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
    group: Annotated[
        str | None,
        Option(
            "Column of the raters' groups, in a long table.", DATA, metavar="COLUMN", default="group, if any"
        ),
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
      endoxa analyze agreement votes.csv -o agreement.csv
      endoxa analyze agreement votes.csv -o agreement.csv --item statement_id --rater who --value vote
      endoxa analyze agreement ratings.csv -o agreement.csv --level ordinal --order never,sometimes,always
    """  # noqa: D301
    import polars as pl

    from endoxa.curate import agreement as room
    from endoxa.curate.agreement import ballots_from_votes
    from endoxa.sources.files import require_apart
    from endoxa.sources.frames import require_table_name, write_table

    require_apart([out], files)
    require_table_name(out)
    cast = _votes(files, value=value, item=item, rater=rater, raters=_names(raters))
    groups = _groups(files, rater, group)
    ballots = ballots_from_votes(cast, _names(order))
    tables = []
    for name in (None, *sorted(set(groups.values()))):
        own = ballots if name is None else _ballots_of(cast, groups, name, _names(order))
        if own is None:
            typer.echo(f"Group '{name}': fewer than two raters voted, so nothing can agree.")
            continue
        one = room.agreement(own, level=level, confidence=confidence, resamples=resamples, seed=seed)
        tables.append(one.with_columns(pl.lit(name or "all").alias("group")))
    found = pl.concat(tables)
    if not groups:
        found = found.drop("group")
    write_table(found, out)
    print_agreement(found)
    typer.echo(
        f"{len(ballots.items)} items, {len(ballots.raters)} raters, categories: {', '.join(ballots.categories[:12])}"
        + (", ..." if len(ballots.categories) > 12 else "")
    )
    typer.echo(f"{len(found)} coefficients written to {out}")


MOST_NAMED = 6
"""Raters whose names fit into a line of the terminal."""


def print_agreement(found: pl.DataFrame) -> None:
    """Print the coefficients; an undefined one is a dash, and the reason is in the column `method`."""
    from rich.markup import escape

    table = terminal_table("Agreement (0 = chance level, 1 = perfect; percent: share of agreeing pairs)")
    table.add_column("coefficient")
    grouped = "group" in found.columns
    if grouped:
        table.add_column("group", overflow="fold")
    table.add_column("raters", overflow="fold")
    for name in ("items", "value", "interval"):
        table.add_column(name, justify="right", no_wrap=True)
    for row in found.iter_rows(named=True):
        defined = row["value"] == row["value"]
        interval = f"{row['low']:.3f} to {row['high']:.3f}" if row["low"] <= row["high"] else "-"
        name = row["name"] if row["level"] == "nominal" else f"{row['name']} ({row['level']})"
        who = [escape(row["group"])] if grouped else []
        raters = row["raters"].split("; ")
        named = escape(row["raters"]) if len(raters) <= MOST_NAMED else f"{len(raters)} raters"
        table.add_row(name, *who, named, str(row["n"]), f"{row['value']:.3f}" if defined else "-", interval)
    terminal_console().print(table)
    undefined = found.filter(found["value"].is_nan())
    for row in undefined.iter_rows(named=True):
        typer.echo(f"{row['name']} ({row['raters']}): {row['method']}")


def _names(text: str | None) -> list[str] | None:
    return None if text is None else [name.strip() for name in text.split(",") if name.strip()]


def _votes(
    files: list[Path], *, value: str | None, item: str | None, rater: str, raters: list[str] | None
) -> list[tuple[str, str, str]]:
    """Votes from review sheets or from tables, but not from both.

    Raises:
        UserError: review sheets and tables of votes are mixed.
    """
    from endoxa.curate.agreement import read_votes
    from endoxa.curate.review import is_sheet, read_sheets, votes
    from endoxa.errors import UserError

    sheets = [path for path in files if is_sheet(path)]
    if sheets and len(sheets) < len(files):
        other = next(path for path in files if path not in sheets)
        raise UserError(
            f"{sheets[0]} is a review sheet, but {other} is not. Give either review sheets or tables of votes."
        )
    if sheets:
        return list(votes(read_sheets(files), value or "decision"))
    return [
        vote
        for path in files
        for vote in read_votes(path, item=item, rater=rater, value=value, raters=raters)
    ]


def _groups(files: list[Path], rater: str, group: str | None) -> dict[str, str]:
    """The group of each rater, of tables that name two groups or more."""
    from endoxa.curate.agreement import read_groups
    from endoxa.curate.review import is_sheet

    found: dict[str, str] = {}
    for path in files:
        if not is_sheet(path):
            found |= read_groups(path, rater, group)
    return found if group or len(set(found.values())) > 1 else {}


def _ballots_of(
    cast: list[tuple[str, str, str]], groups: dict[str, str], name: str, order: list[str] | None
) -> Ballots | None:
    """Ballots of the raters of one group; None where fewer than two of them voted."""
    from endoxa.curate.agreement import ballots_from_votes

    own = [vote for vote in cast if groups.get(vote[1]) == name]
    if len({rater for _, rater, vote in own if vote.strip()}) < 2:
        return None
    return ballots_from_votes(own, order)
