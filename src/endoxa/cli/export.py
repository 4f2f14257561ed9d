"""`endoxa export`: a data set for others."""

from __future__ import annotations

import typer

app = typer.Typer(
    rich_markup_mode=None,
    no_args_is_help=True,
    help="Release a data set: a folder with a data card, or a task of another harness.",
)
