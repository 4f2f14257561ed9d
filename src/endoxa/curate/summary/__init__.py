"""A summary of a survey that can be handed on: who said what how often, with small subgroups merged."""

from __future__ import annotations

import re
from pathlib import Path

from endoxa.curate.summary.tables import LEAST, Summary, summarise
from endoxa.datasets.frames import write_table
from endoxa.errors import UserError

__all__ = ["LEAST", "Summary", "summarise", "write_summary"]


def write_summary(summary: Summary, folder: Path) -> list[Path]:
    """Write the tables of a summary as CSV and return their paths.

    `frequencies.csv`, `composition.csv`, and for every column `frequencies_by_COLUMN.csv` and
    `composition_by_COLUMN.csv`, where characters of the name that are no letters become '_'.

    Raises:
        UserError: two columns would have the same file, or the folder cannot be written.
    """
    tables = {"frequencies": summary.frequencies, "composition": summary.composition}
    for kind, found in (("frequencies", summary.frequencies_by), ("composition", summary.composition_by)):
        for column, table in found.items():
            name = f"{kind}_by_{_stem(column)}"
            if name in tables:
                raise UserError(f"Two columns would be written to '{name}.csv': rename '{column}'.")
            tables[name] = table
    paths = {name: folder / f"{name}.csv" for name in tables}
    for name, table in tables.items():
        write_table(table, paths[name])
    return list(paths.values())


def _stem(column: str) -> str:
    return re.sub(r"\W+", "_", column.strip().lower()).strip("_") or "column"
