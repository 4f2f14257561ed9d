"""`endoxa datasets`: published files of sentence pairs, their formats and their problems."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from endoxa.datasets.check import Problem
    from endoxa.schema import ReadOptions

app = typer.Typer(
    rich_markup_mode=None,
    no_args_is_help=True,
    help="Find, check, convert and download files of sentence pairs.",
)

_NOTICE = "Content notice: files of stereotypes hold offensive sentences. They are for evaluation only."

Input = Annotated[Path, typer.Argument(metavar="FILE", help="A file of pairs in a known format.")]
Format = Annotated[
    str | None,
    typer.Option("--format", metavar="NAME", help="Format of FILE (see `list`); recognised if not given."),
]
Language = Annotated[
    str | None,
    typer.Option(metavar="CODE", help="Language of the sentences where the file does not say (ISO 639)."),
]
Prefix = Annotated[
    str | None, typer.Option(metavar="WORDS", help="s-as: words before every identity ('African').")
]
Template = Annotated[
    str | None,
    typer.Option(metavar="TEXT", help="s-as: sentence with {identity} and {attribute}."),
]


@app.command("list")
def list_all() -> None:
    """List the published data sets and the formats that can be read.

    For example: endoxa datasets list
    """
    from endoxa.datasets import READERS
    from endoxa.datasets.sources import sources

    _table(
        "Data sets",
        ("name", "what it holds", "format", "licence"),
        [(one.name, one.title, one.format or "(no pairs)", one.licence) for one in sources().values()],
    )
    _table(
        "Formats",
        ("name", "what it is", "a row becomes", "file endings", "written"),
        [
            (one.name, one.title, one.units, " ".join(one.suffixes), "yes" if one.write else "no")
            for one in READERS.all().values()
        ],
    )


@app.command()
def info(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A data set of `list`.")],
) -> None:
    """Show where a data set comes from, its licence, citation, warning and hash.

    For example: endoxa datasets info crows-pairs
    """
    from endoxa.datasets.sources import cached_file, source

    found = source(name)
    cached = cached_file(found)
    rows = [
        ("title", found.title),
        ("format", found.format or "holds no pairs"),
        ("licence", found.licence),
        ("citation", found.citation),
        ("warning", found.warning),
        ("note", found.note),
        ("address", found.url),
        ("SHA-256", found.sha256 or "none published: a download cannot be verified"),
        ("here", str(cached) if cached.is_file() else f"no; say: endoxa datasets download {name}"),
    ]
    for field, value in rows:
        if value:
            typer.echo(f"{field + ':':<10}{value}")


@app.command()
def check(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="A file of pairs in a known format, or of associations.")
    ],
    *,
    format: Annotated[  # noqa: A002
        str | None,
        typer.Option(
            "--format",
            metavar="NAME",
            help="Format of FILE (see `list`, or associations); recognised if not given.",
        ),
    ] = None,
    language: Language = None,
    prefix: Prefix = None,
    template: Template = None,
    output: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FILE", help="Also write the problems as CSV.")
    ] = None,
    show_text: Annotated[
        bool, typer.Option("--show-text", help="Show the words of the data each problem is about.")
    ] = False,
) -> None:
    """List every problem of a file, with row and column.

    A table with the columns association_id, identity and attribute, such as the pairs that a campaign collected, is
    checked as one of associations. Rows that people withdrew from the campaign are left out.

    Ends with exit code 1 where there is a problem of severity 'error', else with 0.

    For example:

    endoxa datasets check pairs.csv

    endoxa datasets check table.csv --prefix African --out problems.csv

    endoxa datasets check export/pairs.csv
    """
    from endoxa.datasets.check import check_file, write_problems

    problems = check_file(file, _options(language, prefix, template), format)
    _print_problems(problems, show_text)
    if output is not None:
        write_problems(problems, output, show_text)
        typer.echo(f"{len(problems)} problems written to {output}")
    if any(problem.severity == "error" for problem in problems):
        raise typer.Exit(1)


@app.command()
def convert(
    file: Input,
    *,
    output: Annotated[
        Path, typer.Option("--out", "-o", metavar="FILE", help="Target: .csv, .tsv, .jsonl or .parquet.")
    ],
    to: Annotated[str, typer.Option(metavar="NAME", help="Format of the target.")] = "native",
    format: Format = None,  # noqa: A002
    language: Language = None,
    prefix: Prefix = None,
    template: Template = None,
) -> None:
    """Write a file of pairs in our own columns, or in another format that can be written.

    For example:

    endoxa datasets convert published.csv -o pairs.parquet

    endoxa datasets convert table.csv --template "Most {identity} are {attribute}." -o pairs.jsonl
    """
    from endoxa.datasets.read import convert_pairs

    count = convert_pairs(file, output, _options(language, prefix, template), format, to)
    typer.echo(f"{count} pairs written to {output}")
    typer.echo(_NOTICE)


@app.command()
def download(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A data set of `list`.")],
    mirror: Annotated[
        str | None,
        typer.Option(metavar="PLACE", help="A folder, or an http address, that holds the file."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FOLDER", help="Where to put it, if not the cache."),
    ] = None,
) -> None:
    """Fetch the file of a data set and check its hash; a good copy that is there already is kept.

    For example:

    endoxa datasets download crows-pairs

    endoxa datasets download crows-pairs --mirror /media/stick/datasets
    """
    from endoxa.datasets.files import sha256
    from endoxa.datasets.sources import download as fetch
    from endoxa.datasets.sources import source

    found = source(name)
    typer.echo(f"{found.warning} Licence: {found.licence}. Please cite: {found.citation}.")
    path = fetch(name, mirror, output)
    typer.echo(f"{path}")
    verified = "as published" if found.sha256 else "not verified: no hash is published"
    typer.echo(f"SHA-256 {sha256(path)} ({verified})")


def _options(language: str | None, prefix: str | None, template: str | None) -> ReadOptions:
    from endoxa.schema import ReadOptions

    return ReadOptions(language=language, prefix=prefix, template=template)


def _table(title: str, columns: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    table = Table(title=title, title_justify="left")
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*map(escape, row))
    Console().print(table)


def _print_problems(problems: list[Problem], show_text: bool) -> None:
    """Counts per check, then every problem under its check; words of the data only on request."""
    from endoxa.datasets.check import group_problems

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
        for problem in found:
            typer.echo(_line(problem, show_text))


def _line(problem: Problem, show_text: bool) -> str:
    if not problem.row:
        place = "whole file"
    else:
        place = " ".join(
            part for part in (f"row {problem.row}", problem.column and f"column '{problem.column}'") if part
        )
        place += f" ({problem.item_id})" if problem.item_id else ""
    text = f" [{problem.text}]" if show_text and problem.text else ""
    return f"  {place}: {problem.message}{text}"
