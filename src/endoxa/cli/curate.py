"""`endoxa curate`: from free-text answers to associations of identities and attributes."""

from __future__ import annotations

import typer

from endoxa.cli import curate_extract, curate_review

app = typer.Typer(
    rich_markup_mode=None,
    no_args_is_help=True,
    help="Turn survey answers into associations: extract, group, review, summarise.",
)
app.command()(curate_extract.extract)
app.add_typer(curate_review.app, name="review")
