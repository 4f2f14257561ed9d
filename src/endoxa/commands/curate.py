"""`endoxa curate`: turn free-text answers into associations of identities and attributes."""

from __future__ import annotations

import typer

from endoxa.commands import (
    curate_evaluate,
    curate_extract,
    curate_group,
    curate_learn,
    curate_review,
    curate_summary,
)
from endoxa.commands.settings_command import GroupedCommand, add_command

app = typer.Typer(
    rich_markup_mode=None,
    no_args_is_help=True,
    help="Turn survey answers into associations: extract, group, review, summarise.",
)
app.command(cls=GroupedCommand)(curate_extract.extract)
add_command(app, curate_evaluate.evaluate)
add_command(app, curate_learn.learn)
app.command(cls=GroupedCommand)(curate_group.group)
app.command(cls=GroupedCommand)(curate_group.thresholds)
app.add_typer(curate_review.app, name="review")
app.command(cls=GroupedCommand)(curate_summary.associations)
app.command(cls=GroupedCommand)(curate_summary.summary)
