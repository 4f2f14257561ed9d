"""`endoxa curate associations` and `endoxa curate summary`: counts of respondents per association."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from endoxa.report.words import plural

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import polars as pl


class Apart(StrEnum):
    """Columns by which associations can be split."""

    COUNTRY = "country"
    AXIS = "axis"


Statements = Annotated[
    Path, typer.Argument(metavar="STATEMENTS", help="Table with columns identity and attribute.")
]
Groups = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Groups of attributes, from `endoxa curate group`."),
]
Source = Annotated[str, typer.Option(metavar="NAME", help="Name of the survey, if the table has none.")]
IncludeFlagged = Annotated[
    bool, typer.Option("--include-flagged", help="Also count statements flagged as written by a chatbot.")
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
        typer.Option("--by", metavar="WHAT", help="Split associations by 'country' or 'axis'; repeatable."),
    ] = None,
    min_support: Annotated[
        int, typer.Option(metavar="N", help="Minimum number of respondents per association.")
    ] = 1,
    include_flagged: IncludeFlagged = False,
) -> None:
    """Aggregate statements into associations: identity, canonical attribute, number of respondents.

    Statements proposed for omission, without identity or attribute, or flagged as written by a chatbot are left out and
    counted. An association reported under several axes gets the axis with the most respondents.

    \b
    Examples:
      endoxa curate associations statements.csv --groups groups.csv -o associations.csv
      endoxa curate associations statements.csv -o associations.csv --by country --min-support 2
    """  # noqa: D301
    from endoxa.curate.associations import associations as gather
    from endoxa.errors import UserError
    from endoxa.sources.files import require_apart
    from endoxa.sources.frames import require_table_name, write_table

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
        raise UserError(
            f"{statements}: no association with {min_support} or more respondents. Lower --min-support."
        )
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
            help="Split by this column; repeatable.  [default: all kept columns]",
        ),
    ] = None,
    source: Source = "",
    min_cell: Annotated[
        int, typer.Option(metavar="N", min=1, help="Minimum count shown for a subgroup.")
    ] = 5,
    top: Annotated[int, typer.Option(metavar="N", min=1, help="Number of bars per axis in the figure.")] = 8,
    include_flagged: IncludeFlagged = False,
) -> None:
    """Write frequency and composition tables that are safe to share, and a figure.

    Each respondent is counted once; statements flagged as written by a chatbot are not counted. Subgroups with counts
    below --min-cell are merged, so that small counts cannot be derived from other tables either.

    \b
    Examples:
      endoxa curate summary statements.csv --groups groups.csv -o summary
      endoxa curate summary statements.csv -o summary --by gender --by country
    """  # noqa: D301
    from endoxa.curate.associations import mentions
    from endoxa.curate.figures import save_frequencies
    from endoxa.curate.summary import summarise, write_summary

    found = mentions(*_tables(statements, groups, by or ()), source=source, include_flagged=include_flagged)
    made = summarise(found.table, by or (), min_cell)
    _tell(found.left_out, (*found.notes, *made.notes))
    written = [*write_summary(made, output), *save_frequencies(made.frequencies, output, top=top)]
    for path in written:
        typer.echo(f"{path}")
    typer.echo("Content notice: these are stereotypes reported by respondents, not facts.")


def _tables(
    statements: Path, groups: Path | None, by: Sequence[str] = ()
) -> tuple[pl.DataFrame, pl.DataFrame | None]:
    from endoxa.sources.frames import read_table

    grouping = read_table(groups, ("attribute", "group_id", "canonical")) if groups is not None else None
    return read_table(statements, ("identity", "attribute"), optional=by), grouping


def _tell(left_out: Mapping[str, int], notes: Sequence[str]) -> None:
    """Print statements left out, and notes, to stderr."""
    for reason, count in left_out.items():
        typer.echo(f"{plural(count, 'statement')} left out: {reason}.", err=True)
    for note in notes:
        typer.echo(note, err=True)
