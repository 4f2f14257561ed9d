"""`endoxa author approve` and `kappa`: what people said of drafts and labels."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from endoxa.schema.options import OUTPUT, Option


def approve(
    drafts: Annotated[Path, typer.Argument(metavar="DRAFTS", help="Table of drafts.")],
    judged: Annotated[
        Path,
        typer.Argument(
            metavar="JUDGED", help="Outcomes of a room (*_items.csv), or a sheet with draft_id, approved."
        ),
    ],
    *,
    out: Annotated[Path, Option("Drafts with their new status.", OUTPUT, short="-o")],
) -> None:
    """Give drafts the status that people decided on: approved, rejected, or still a draft.

    Words that people changed in a room are taken over.

    \b
    Examples:
      endoxa author approve tuples.csv votes_items.csv -o judged.csv
    """  # noqa: D301
    from endoxa.author.judged import approved
    from endoxa.author.tables import copy_companions, counted
    from endoxa.sources.files import require_apart
    from endoxa.sources.frames import require_table_name, write_table

    require_table_name(out)
    require_apart([out], [drafts, judged])
    table = approved(drafts, judged)
    write_table(table, out)
    copy_companions(drafts, out)
    counts = ", ".join(f"{n} {status}" for status, n in counted(table).items())
    typer.echo(f"{table.height} drafts written to {out}: {counts}")


def kappa(
    labels: Annotated[Path, typer.Argument(metavar="LABELS", help="Table of `endoxa author label`.")],
    sheet: Annotated[
        Path, typer.Argument(metavar="SHEET", help="The sheet of --sheet, filled in by a person.")
    ],
) -> None:
    """Compare labels of models with a person's: share of agreement and Cohen's kappa with an interval.

    \b
    Examples:
      endoxa author kappa topics.csv check.csv
    """  # noqa: D301
    from endoxa.author.judged import agreement_with
    from endoxa.report.words import decimal, decimal_interval, percent, plural

    found = agreement_with(labels, sheet)
    if found["kappa"] == found["kappa"]:
        interval = decimal_interval(found["low"], found["high"], 3)
        told = f"Cohen's kappa {decimal(found['kappa'], 3)} (95 % interval {interval})"
    else:
        told = "Cohen's kappa is not defined: all labels are the same"
    typer.echo(f"{plural(found['n'], 'row')} with both labels: {percent(found['agreement'])} agree; {told}.")
    if found["unlabelled"]:
        typer.echo(
            f"{plural(found['unlabelled'], 'row')} of the sheet have no label of the models (ties, or none)."
        )
