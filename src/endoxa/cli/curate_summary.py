"""`endoxa curate associations` and `endoxa curate summary`: who said what, counted."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import polars as pl


class Apart(StrEnum):
    """What associations can be kept apart by."""

    COUNTRY = "country"
    AXIS = "axis"


Statements = Annotated[
    Path, typer.Argument(metavar="STATEMENTS", help="Table with columns identity and attribute.")
]
Groups = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Grouping of attributes, as `endoxa curate group` writes it."),
]
Source = Annotated[
    str, typer.Option(metavar="NAME", help="Name of the survey, where the table does not say it.")
]
IncludeFlagged = Annotated[
    bool, typer.Option("--include-flagged", help="Count statements flagged as a chatbot's too.")
]


def associations(
    statements: Statements,
    *,
    output: Annotated[
        Path,
        typer.Option("--out", "-o", metavar="FILE", help="Associations: .csv, .tsv, .jsonl or .parquet."),
    ],
    groups: Groups = None,
    source: Source = "",
    by: Annotated[
        list[Apart] | None,
        typer.Option(
            "--by", metavar="WHAT", help="One association per 'country' or 'axis'; may be repeated."
        ),
    ] = None,
    min_support: Annotated[
        int, typer.Option(metavar="N", help="Fewest respondents an association needs.")
    ] = 1,
    include_flagged: IncludeFlagged = False,
) -> None:
    """Gather statements into associations: identity, canonical attribute, and how many respondents said it.

    Statements proposed for omission, those without identity or attribute and those flagged as a chatbot's are left
    out and counted. What was said under several axes stands under the one of most respondents.

    \b
    Examples:
      endoxa curate associations statements.csv --groups groups.csv -o associations.csv
      endoxa curate associations statements.csv -o associations.csv --by country --min-support 2
    """  # noqa: D301
    from endoxa.curate.associations import associations as gather
    from endoxa.datasets.files import require_apart
    from endoxa.datasets.frames import require_table_name, write_table
    from endoxa.errors import UserError

    require_apart([output], [statements, groups])
    require_table_name(output)
    found = gather(
        *_tables(statements, groups),
        source=source,
        by_country=Apart.COUNTRY in (by or ()),
        by_axis=Apart.AXIS in (by or ()),
        min_support=min_support,
        include_flagged=include_flagged,
    )
    _tell(found.left_out, found.notes)
    if found.rare:
        typer.echo(f"{found.rare} associations left out: fewer than {min_support} respondents.", err=True)
    if found.table.is_empty():
        raise UserError(f"No association of {statements} was said by {min_support} respondents or more.")
    write_table(found.table, output)
    typer.echo(f"{found.table.height} associations written to {output}")


def summary(
    statements: Statements,
    *,
    output: Annotated[
        Path, typer.Option("--out", "-o", metavar="FOLDER", help="Folder for the tables and the figure.")
    ],
    groups: Groups = None,
    by: Annotated[
        list[str] | None,
        typer.Option(
            "--by",
            metavar="COLUMN",
            help="Split by this column; may be repeated. [default: all kept columns]",
        ),
    ] = None,
    source: Source = "",
    min_cell: Annotated[
        int, typer.Option(metavar="N", min=1, help="Smallest count of a subgroup that is shown.")
    ] = 5,
    top: Annotated[int, typer.Option(metavar="N", min=1, help="Bars per axis in the figure.")] = 8,
    include_flagged: IncludeFlagged = False,
) -> None:
    """Count who said what: frequency and composition tables, safe to hand on, and a figure.

    Every respondent counts once; statements flagged as a chatbot's do not count. Counts of subgroups below
    --min-cell are merged so that they cannot be computed from the other tables either.

    \b
    Examples:
      endoxa curate summary statements.csv --groups groups.csv -o summary
      endoxa curate summary statements.csv -o summary --by gender --by country
    """  # noqa: D301
    from endoxa.curate.figures import save_frequencies
    from endoxa.curate.mentions import mentions
    from endoxa.curate.summary import summarise, write_summary

    found = mentions(*_tables(statements, groups), source=source, include_flagged=include_flagged)
    made = summarise(found.table, by or (), min_cell)
    _tell(found.left_out, (*found.notes, *made.notes))
    written = [*write_summary(made, output), *save_frequencies(made.frequencies, output, top=top)]
    for path in written:
        typer.echo(f"{path}")
    typer.echo("Content notice: these are stereotypes that respondents reported, not facts.")


def _tables(statements: Path, groups: Path | None) -> tuple[pl.DataFrame, pl.DataFrame | None]:
    from endoxa.datasets.frames import read_table

    grouping = read_table(groups, ("attribute", "group_id", "canonical")) if groups is not None else None
    return read_table(statements, ("identity", "attribute")), grouping


def _tell(left_out: Mapping[str, int], notes: Sequence[str]) -> None:
    """What was left out and assumed, on stderr."""
    for reason, count in left_out.items():
        typer.echo(f"{count} statements left out: {reason}.", err=True)
    for note in notes:
        typer.echo(note, err=True)
