"""`endoxa curate review`: a sheet for reviewers, and back."""

from __future__ import annotations

import typer

app = typer.Typer(
    rich_markup_mode=None,
    no_args_is_help=True,
    help="Hand rows to reviewers as a spreadsheet, and take their corrections back.",
)
