"""`endoxa build`: from associations to items that models are probed with."""

from __future__ import annotations

import typer

app = typer.Typer(
    rich_markup_mode=None,
    no_args_is_help=True,
    help="Make items from associations: sentence pairs.",
)


@app.callback()
def _build() -> None:
    """Keep the commands of this group as commands, even while there is only one."""
