"""`endoxa curate review`: export review sheets and apply them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from endoxa.commands.settings_command import GroupedCommand
from endoxa.report.words import plural

if TYPE_CHECKING:
    from endoxa.curate.review import Returned, Reviewed

Resolve = Literal["none", "first", "majority"]

app = typer.Typer(
    rich_markup_mode=None,
    no_args_is_help=True,
    help="Write review sheets, and apply the corrections of reviewers.",
)

_NOTICE = "Content notice: the sheet contains stereotypes as reported by respondents; reviewers may stop at any time."
_SHOWN_CONFLICTS = 10


@app.command("export", cls=GroupedCommand)
def export_sheet(
    table: Annotated[
        Path,
        typer.Argument(
            metavar="TABLE", help="Table of statements, groups, associations or pairs (CSV, JSONL, Parquet)."
        ),
    ],
    *,
    output: Annotated[
        Path,
        typer.Option(
            "--out", "-o", metavar="FILE", help="Review sheet: .xlsx (with drop-down lists) or .csv."
        ),
    ],
    reviewer: Annotated[
        str, typer.Option(metavar="NAME", help="Reviewer's name.  [default: name of the returned file]")
    ] = "",
    sample: Annotated[
        int | None, typer.Option(metavar="N", help="Number of ids to sample, with all rows of each.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Random seed of --sample.")] = 0,
    only_proposed: Annotated[
        bool, typer.Option("--only-proposed", help="Include only rows proposed for omission.")
    ] = False,
    only_disputed: Annotated[
        bool, typer.Option("--only-disputed", help="Include only rows with disagreement between reviewers.")
    ] = False,
    columns: Annotated[
        str | None, typer.Option(metavar="A,B,...", help="Columns to show instead of the default ones.")
    ] = None,
    edit: Annotated[
        str | None,
        typer.Option(metavar="A,B,...", help="Columns that may be edited instead of the default ones."),
    ] = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace an existing sheet, including its answers.")
    ] = False,
) -> None:
    """Write a spreadsheet for a reviewer, who does not need endoxa to fill it in.

    \b
    Examples:
      endoxa curate review export statements.csv -o ana.xlsx --reviewer Ana
      endoxa curate review export statements.csv -o both.xlsx --sample 200 --seed 1
      endoxa curate review export statements.csv -o proposals.xlsx --only-proposed
      endoxa curate review export pairs.csv -o pairs.xlsx --columns language,identity
    """  # noqa: D301
    from endoxa.curate.review import Choice, make_sheet, write_sheet
    from endoxa.errors import UserError
    from endoxa.runs.progress import shown
    from endoxa.sources.files import require_apart

    require_apart([output], [table])
    if output.exists() and not overwrite:
        raise UserError(
            f"{output} already exists and may contain a reviewer's answers. Name another file, or pass --overwrite."
        )
    choice = Choice(
        reviewer=reviewer,
        sample=sample,
        seed=seed,
        only_proposed=only_proposed,
        only_disputed=only_disputed,
        columns=_names(columns),
        edit=_names(edit),
    )
    sheet = make_sheet(table, choice)
    with shown("rows") as progress:
        write_sheet(sheet, output, progress)
    typer.echo(f"{plural(len(sheet.rows), 'row')} of {sheet.kind.name} written to {output}")
    if sheet.disguised:
        typer.echo(
            f"{sheet.disguised} cells contain control characters, which .xlsx files cannot store. The sheet shows "
            "symbols such as ␁ instead; `endoxa curate review apply` restores them."
        )
    typer.echo(_NOTICE)


@app.command("apply", cls=GroupedCommand)
def apply_sheets(
    table: Annotated[Path, typer.Argument(metavar="TABLE", help="Table that the sheets were made from.")],
    sheets: Annotated[list[Path], typer.Argument(metavar="SHEET...", help="Returned sheets.")],
    *,
    output: Annotated[
        Path,
        typer.Option("--out", "-o", metavar="FILE", help="Reviewed table: .csv, .tsv, .jsonl or .parquet."),
    ],
    report: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also write all changes, with the reviewer.")
    ] = None,
    conflicts: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also write all disagreements between reviewers.")
    ] = None,
    resolve: Annotated[
        Resolve,
        typer.Option(
            help="Value used where reviewers disagree: that of the table, of the first sheet, or of more than half of "
            "the reviewers. All disagreements are listed in any case."
        ),
    ] = "none",
    drop_omitted: Annotated[
        bool | None,
        typer.Option(
            "--drop-omitted/--keep-omitted",
            help="Remove rows that reviewers omit, or keep them with omit=true.  "
            "[default: keep statements, drop others]",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Random seed of the intervals of agreement.")] = 0,
) -> None:
    """Merge returned sheets into the table, and list changes and disagreements.

    \b
    Examples:
      endoxa curate review apply statements.csv ana.xlsx -o reviewed.csv --report changes.csv
      endoxa curate review apply statements.csv ana.xlsx ben.xlsx -o reviewed.csv --conflicts conflicts.csv
      endoxa curate review apply pairs.csv a.xlsx b.xlsx c.csv -o reviewed.csv --resolve majority
    """  # noqa: D301
    from endoxa.curate.review import apply_review, read_sheets
    from endoxa.sources.files import require_apart
    from endoxa.sources.frames import require_table_name, write_table

    require_apart([output, report, conflicts], [table, *sheets])
    for path in (output, report, conflicts):
        if path is not None:
            require_table_name(path)
    returned = read_sheets(sheets)
    reviewed = apply_review(table, returned, resolve=resolve, drop_omitted=drop_omitted)
    write_table(reviewed.table, output)
    for frame, path in ((reviewed.changes, report), (reviewed.conflicts, conflicts)):
        if path is not None:
            write_table(frame, path)
    _print_outcome(reviewed, conflicts)
    if len(returned) > 1:
        _print_agreement(returned, seed)
    typer.echo(f"{plural(len(reviewed.table), 'row')} written to {output}")


def _names(text: str | None) -> tuple[str, ...] | None:
    return None if text is None else tuple(name.strip() for name in text.split(",") if name.strip())


def _print_outcome(reviewed: Reviewed, conflicts: Path | None) -> None:
    """Print counts and the first conflicts, without the text of the data."""
    where = "removed from the table" if reviewed.dropped else "kept with omit=true"
    omitted = f"; {plural(reviewed.left_out, 'row')} omitted ({where})" if reviewed.left_out else ""
    typer.echo(f"{plural(len(reviewed.changes), 'change')}{omitted}")
    if reviewed.incomplete:
        typer.echo(f"{plural(reviewed.incomplete, 'incomplete answer')} counted as unsure (see review_note)")
    open_ones = reviewed.conflicts.filter(settled=False)
    if len(reviewed.conflicts):
        unresolved = f"{len(open_ones)} of them unresolved" if len(open_ones) else "all resolved"
        typer.echo(f"{plural(len(reviewed.conflicts), 'conflict')}, {unresolved}")
    for one in reviewed.conflicts.head(_SHOWN_CONFLICTS).iter_rows(named=True):
        column = f", {one['column']}" if one["column"] else ""
        typer.echo(f"  {one['row']}{column}: {one['problem']} ({one['sheets']}): {one['outcome']}")
    if conflicts is None and len(reviewed.conflicts):
        typer.echo("  Write all of them, with their text: --conflicts FILE")


def _print_agreement(sheets: list[Returned], seed: int) -> None:
    from endoxa.commands.analyze_agreement import print_agreement
    from endoxa.curate.agreement import agreement, ballots_from_votes
    from endoxa.curate.review import votes

    cast = votes(sheets, "decision")
    if cast:
        print_agreement(agreement(ballots_from_votes(cast), seed=seed))
