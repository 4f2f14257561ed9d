"""`endoxa curate review`: a sheet for reviewers, and back."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

if TYPE_CHECKING:
    from endoxa.curate.review import Returned, Reviewed

Resolve = Literal["none", "first", "majority"]

app = typer.Typer(
    rich_markup_mode=None,
    no_args_is_help=True,
    help="Hand rows to reviewers as a spreadsheet, and take their corrections back.",
)

_NOTICE = (
    "Content notice: the sheet holds stereotypes as people reported them; reviewers may stop at any time."
)
_SHOWN_CONFLICTS = 10


@app.command("export")
def export_sheet(
    table: Annotated[
        Path,
        typer.Argument(
            metavar="TABLE", help="Statements, groups, associations or pairs (CSV, JSONL, Parquet)."
        ),
    ],
    *,
    output: Annotated[
        Path, typer.Option("--out", "-o", metavar="FILE", help="The sheet: .xlsx (with drop-downs) or .csv.")
    ],
    reviewer: Annotated[
        str, typer.Option(metavar="NAME", help="Whom it is for; else the name of the file that comes back.")
    ] = "",
    sample: Annotated[
        int | None, typer.Option(metavar="N", help="Draw this many ids, with all rows of each.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the draw: the same seed, the same ids.")] = 0,
    only_proposed: Annotated[
        bool, typer.Option("--only-proposed", help="Only rows whose omission is proposed.")
    ] = False,
    only_disputed: Annotated[
        bool, typer.Option("--only-disputed", help="Only rows that reviewers disagreed about.")
    ] = False,
    columns: Annotated[
        str | None, typer.Option(metavar="A,B,...", help="Columns to show instead of the usual ones.")
    ] = None,
    edit: Annotated[
        str | None,
        typer.Option(metavar="A,B,...", help="Columns that may be changed instead of the usual ones."),
    ] = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace a sheet of this name, answers and all.")
    ] = False,
) -> None:
    """Write the sheet that a reviewer fills in; nobody needs endoxa to do so.

    \b
    Examples:
      endoxa curate review export statements.csv -o ana.xlsx --reviewer Ana
      endoxa curate review export statements.csv -o both.xlsx --sample 200 --seed 1
      endoxa curate review export statements.csv -o proposals.xlsx --only-proposed
      endoxa curate review export pairs.csv -o pairs.xlsx --columns language,identity
    """  # noqa: D301
    from endoxa.curate.review import Choice, make_sheet, write_sheet
    from endoxa.datasets.files import require_apart
    from endoxa.errors import UserError

    require_apart([output], [table])
    if output.exists() and not overwrite:
        raise UserError(
            f"{output} is there already, and may hold a reviewer's answers: name another file, or say --overwrite."
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
    write_sheet(sheet, output)
    typer.echo(f"{len(sheet.rows)} rows of {sheet.kind.name} written to {output}")
    if sheet.disguised:
        typer.echo(
            f"{sheet.disguised} cells hold control characters, which a spreadsheet cannot: an .xlsx shows signs for "
            "them (such as ␁), and they are put back on return."
        )
    typer.echo(_NOTICE)


@app.command("apply")
def apply_sheets(
    table: Annotated[Path, typer.Argument(metavar="TABLE", help="The table that the sheets were made from.")],
    sheets: Annotated[list[Path], typer.Argument(metavar="SHEET...", help="Sheets that came back.")],
    *,
    output: Annotated[
        Path,
        typer.Option("--out", "-o", metavar="FILE", help="Reviewed table: .csv, .tsv, .jsonl or .parquet."),
    ],
    report: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also write what changed, and by whom.")
    ] = None,
    conflicts: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also write what reviewers disagree about.")
    ] = None,
    resolve: Annotated[
        Resolve,
        typer.Option(
            help="What stands where reviewers disagree: what stood before, what the first sheet says, or what more "
            "than half say. All disagreements are listed anyway."
        ),
    ] = "none",
    drop_omitted: Annotated[
        bool | None,
        typer.Option(
            "--drop-omitted/--keep-omitted",
            help="Take rows decided to be left out of the table, or keep them with omit=true.  "
            "[default: keep statements, drop the others]",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the intervals of agreement.")] = 0,
) -> None:
    """Take sheets back: merge them into the table, list changes and disagreements.

    \b
    Examples:
      endoxa curate review apply statements.csv ana.xlsx -o reviewed.csv --report changes.csv
      endoxa curate review apply statements.csv ana.xlsx ben.xlsx -o reviewed.csv --conflicts conflicts.csv
      endoxa curate review apply pairs.csv a.xlsx b.xlsx c.csv -o reviewed.csv --resolve majority
    """  # noqa: D301
    from endoxa.curate.review import apply_review, read_sheets
    from endoxa.datasets.files import require_apart
    from endoxa.datasets.frames import require_table_name, write_table

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
    typer.echo(f"{len(reviewed.table)} rows written to {output}")


def _names(text: str | None) -> tuple[str, ...] | None:
    return None if text is None else tuple(name.strip() for name in text.split(",") if name.strip())


def _print_outcome(reviewed: Reviewed, conflicts: Path | None) -> None:
    """Counts, then the places of the first conflicts; the words themselves are in the files only."""
    where = "are not in the reviewed table" if reviewed.dropped else "stay in the table with omit=true"
    typer.echo(f"{len(reviewed.changes)} changes; {reviewed.left_out} rows left out, which {where}")
    if reviewed.incomplete:
        typer.echo(f"{reviewed.incomplete} answers are incomplete and count as unsure: see review_note")
    open_ones = reviewed.conflicts.filter(settled=False)
    typer.echo(f"{len(reviewed.conflicts)} conflicts, {len(open_ones)} of them open")
    for one in reviewed.conflicts.head(_SHOWN_CONFLICTS).iter_rows(named=True):
        column = f", {one['column']}" if one["column"] else ""
        typer.echo(f"  {one['row']}{column}: {one['problem']} ({one['sheets']}): {one['outcome']}")
    if conflicts is None and len(reviewed.conflicts):
        typer.echo("  All of them, with the words: --conflicts FILE")


def _print_agreement(sheets: list[Returned], seed: int) -> None:
    from endoxa.cli.analyze_agreement import print_agreement
    from endoxa.curate.agreement import agreement
    from endoxa.curate.ballots import ballots_from_votes
    from endoxa.curate.review import votes

    cast = votes(sheets, "decision")
    if cast:
        print_agreement(agreement(ballots_from_votes(cast), seed=seed))
