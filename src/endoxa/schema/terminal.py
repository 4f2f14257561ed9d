"""The one look of tables in a terminal: a heading, a line below it, columns two blanks apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.table import Table


def terminal_table(title: str = "") -> Table:
    """An empty table for a terminal; columns and rows are added by `add_column` and `add_row`."""
    from rich import box
    from rich.table import Table

    return Table(
        title=title or None, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0)
    )
