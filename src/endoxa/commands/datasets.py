"""`endoxa datasets`: find, check, convert and download files of sentence pairs."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from endoxa.commands.settings_command import GroupedCommand, add_command
from endoxa.report.words import plural
from endoxa.runs.options import IncludeDrafts
from endoxa.schema.options import DATA
from endoxa.schema.terminal import terminal_console, terminal_table

if TYPE_CHECKING:
    from endoxa.schema import ReadOptions
    from endoxa.sources.check import Problem

app = typer.Typer(
    rich_markup_mode=None,
    no_args_is_help=True,
    help="Find, check, convert and download files of sentence pairs.",
)

_NOTICE = "Content notice: files of stereotypes contain offensive sentences. They are for evaluation only."

Input = Annotated[Path, typer.Argument(metavar="FILE", help="File of pairs in a known format.")]
Format = Annotated[
    str | None,
    typer.Option(
        "--format",
        metavar="NAME",
        help="Format of FILE (see `endoxa datasets list`).  [default: detected]",
        rich_help_panel=DATA,
    ),
]
Language = Annotated[
    str | None,
    typer.Option(metavar="CODE", help="Language of sentences without one (ISO 639).", rich_help_panel=DATA),
]
Prefix = Annotated[
    str | None,
    typer.Option(
        metavar="WORDS",
        help="Format s-as: words to put before every identity ('African').",
        rich_help_panel=DATA,
    ),
]
Template = Annotated[
    str | None,
    typer.Option(
        metavar="TEXT", help="Format s-as: sentence with {identity} and {attribute}.", rich_help_panel=DATA
    ),
]

Columns = Annotated[
    str | None,
    typer.Option(
        metavar="OURS=THEIRS,...",
        help="Your names of our columns (sent_more=stereotype).",
        rich_help_panel=DATA,
    ),
]


@app.command("list", cls=GroupedCommand)
def list_all() -> None:
    """List the published data sets and the formats that can be read.

    \b
    Example:
      endoxa datasets list
    """  # noqa: D301
    from endoxa.sources import READERS
    from endoxa.sources.sources import sources

    _table(
        "Data sets",
        ("name", "content", "format", "licence"),
        [(one.name, one.title, one.format or "(no pairs)", one.licence) for one in sources().values()],
    )
    _table(
        "Formats",
        ("name", "description", "unit per row", "file suffixes", "can be written"),
        [
            (one.name, one.title, one.units, " ".join(one.suffixes), "yes" if one.write else "no")
            for one in READERS.all().values()
        ],
    )


@app.command(cls=GroupedCommand)
def info(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Data set, as in `endoxa datasets list`.")],
) -> None:
    """Show where a data set comes from, its licence, citation, warning and hash.

    \b
    Example:
      endoxa datasets info crows-pairs
    """  # noqa: D301
    from endoxa.sources.sources import cached_file, source

    found = source(name)
    cached = cached_file(found)
    rows = [
        ("title", found.title),
        ("format", found.format or "no pairs"),
        ("licence", found.licence),
        ("citation", found.citation),
        ("warning", found.warning),
        ("note", found.note),
        ("address", found.url),
        ("SHA-256", found.sha256 or "not published; downloads cannot be verified"),
        (
            "file",
            str(cached) if cached.is_file() else f"Not downloaded. Run: endoxa datasets download {name}",
        ),
    ]
    for field, value in rows:
        if value:
            typer.echo(f"{field + ':':<10}{value}")


def check(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="File of pairs in a known format, or of associations.")
    ],
    *,
    format: Annotated[  # noqa: A002
        str | None,
        typer.Option(
            "--format",
            metavar="NAME",
            help="Format of FILE (see `endoxa datasets list`), or associations.  [default: detected]",
            rich_help_panel=DATA,
        ),
    ] = None,
    language: Language = None,
    prefix: Prefix = None,
    template: Template = None,
    columns: Columns = None,
    include_drafts: IncludeDrafts = False,
    output: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FILE", help="Also write the problems as CSV.")
    ] = None,
    show_text: Annotated[
        bool, typer.Option("--show-text", help="Also print the text of the data that causes each problem.")
    ] = False,
    every: Annotated[
        bool, typer.Option("--all", help="List every row of every problem, not the first few.")
    ] = False,
) -> None:
    """Check a file: each problem with its number and the first rows that have it.

    A table with the columns association_id, identity and attribute, for example the pairs exported from a campaign, is
    checked as associations. Rows withdrawn from the campaign are skipped.

    The exit code is 1 if there is a problem of severity 'error', else 0.

    \b
    Examples:
      endoxa datasets check pairs.csv
      endoxa datasets check table.csv --prefix African --out problems.csv
      endoxa datasets check mine.csv --columns sent_more=stereotype,sent_less=other
      endoxa datasets check export/pairs.csv
    """  # noqa: D301
    from endoxa.sources.check import check_file, write_problems
    from endoxa.sources.statuses import reading_drafts

    with reading_drafts(include=include_drafts):
        problems = check_file(file, _options(language, prefix, template, columns), format)
    _print_problems(problems, show_text, every)
    if output is not None:
        write_problems(problems, output, show_text)
        typer.echo(f"{plural(len(problems), 'problem')} written to {output}")
    if any(problem.severity == "error" for problem in problems):
        raise typer.Exit(1)


add_command(app, check)


def convert(
    file: Input,
    *,
    output: Annotated[
        Path,
        typer.Option("--out", "-o", metavar="FILE", help="File to write: .csv, .tsv, .jsonl or .parquet."),
    ],
    to: Annotated[str, typer.Option(metavar="NAME", help="Format to write.")] = "native",
    format: Format = None,  # noqa: A002
    language: Language = None,
    prefix: Prefix = None,
    template: Template = None,
    columns: Columns = None,
    normalise: Annotated[
        bool,
        typer.Option(
            "--normalise",
            help="Write both sentences of a pair with the same quotes, dashes, blanks, joiners and composed letters.",
        ),
    ] = False,
    include_drafts: IncludeDrafts = False,
) -> None:
    """Convert a file of pairs to endoxa's own format, or to another format.

    \b
    Examples:
      endoxa datasets convert pairs.csv --normalise -o alike.csv
      endoxa datasets convert published.csv -o pairs.parquet
      endoxa datasets convert table.csv --template "Most {identity} are {attribute}." -o pairs.jsonl
    """  # noqa: D301
    from endoxa.sources.read import convert_pairs
    from endoxa.sources.statuses import reading_drafts

    options = _options(language, prefix, template, columns)
    with reading_drafts(include=include_drafts):
        written = convert_pairs(file, output, options, format, to, normalise=normalise)
    typer.echo(f"{plural(written.pairs, 'pair')} written to {output}")
    if written.made_alike:
        typer.echo(
            f"{plural(written.made_alike, 'pair')} normalised: both sentences now have the same quotes, dashes, blanks "
            "and letters"
        )
    typer.echo(_NOTICE)


add_command(app, convert)


@app.command(cls=GroupedCommand)
def download(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Data set, as in `endoxa datasets list`.")],
    mirror: Annotated[
        str | None,
        typer.Option(metavar="PLACE", help="Folder or http address with a copy of the file."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FOLDER", help="Folder to download to.  [default: the cache]"),
    ] = None,
) -> None:
    """Download the file of a data set and verify its hash; keep a valid copy from an earlier download.

    \b
    Examples:
      endoxa datasets download crows-pairs
      endoxa datasets download crows-pairs --mirror /media/stick/datasets
    """  # noqa: D301
    from endoxa.sources.files import sha256
    from endoxa.sources.sources import download as fetch
    from endoxa.sources.sources import source

    found = source(name)
    typer.echo(f"{found.warning} Licence: {found.licence}. Please cite: {found.citation}.")
    path = fetch(name, mirror, output)
    typer.echo(f"{path}")
    verified = "as published" if found.sha256 else "not verified: no published hash"
    typer.echo(f"SHA-256 {sha256(path)} ({verified})")


def _options(
    language: str | None, prefix: str | None, template: str | None, columns: str | None
) -> ReadOptions:
    from endoxa.errors import UserError
    from endoxa.schema import ReadOptions
    from endoxa.schema.options import column_names

    try:
        named = column_names(columns or "")
    except ValueError as problem:
        raise UserError(f"--columns: {problem}") from problem
    return ReadOptions(language=language, prefix=prefix, template=template, columns=named)


def _table(title: str, columns: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> None:
    from rich.markup import escape

    table = terminal_table(title)
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*map(escape, row))
    terminal_console().print(table)


FIRST_ROWS = 5
"""Rows shown of problems that are alike."""


def _print_problems(problems: list[Problem], show_text: bool, every: bool) -> None:
    """Print counts per check, then what was found, alike ones together; text of the data only on request."""
    from endoxa.sources.check import group_problems

    if not problems:
        typer.echo("No problems found.")
        return
    groups = group_problems(problems)
    _table(
        "Problems by check",
        ("severity", "check", "problems"),
        [(str(found[0].severity), name, str(len(found))) for name, found in groups.items()],
    )
    if show_text:
        typer.echo(_NOTICE)
    for name, found in groups.items():
        typer.echo(f"\n{name}")
        alike: dict[tuple[str, str], list[Problem]] = {}
        for problem in found:
            alike.setdefault((problem.column, problem.message), []).append(problem)
        for (column, message), own in alike.items():
            where = f"column '{column}': " if column else ""
            number = f" ({plural(len(own), 'row')})" if len(own) > 1 else ""
            typer.echo(f"  {where}{message}{number}")
            shown = own if every else own[:FIRST_ROWS]
            typer.echo(f"    {_rows(shown, show_text)}{_left_out(len(own) - len(shown))}")


def _rows(problems: list[Problem], show_text: bool) -> str:
    """'row 3 (p3), row 9 (p9)'; with the words of the data each in a line of its own."""
    places = []
    for problem in problems:
        place = f"row {problem.row}" if problem.row else "whole file"
        place += f" ({problem.item_id})" if problem.item_id else ""
        places.append(place + (f" [{problem.text}]" if show_text and problem.text else ""))
    return ("\n    " if show_text else ", ").join(places)


def _left_out(number: int) -> str:
    return f" and {number} more (--all lists them)" if number else ""
