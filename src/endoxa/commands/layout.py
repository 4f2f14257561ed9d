"""Options that say where the table stands in a file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from annotated_types import Ge

from endoxa.schema.options import DATA, Option


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the table stands in a file.

    Attributes:
        sheet: sheet of a workbook.
        header_row: row of the names of columns.
    """

    sheet: Annotated[
        str | None,
        Option(
            "Sheet of a workbook, by name or number.",
            DATA,
            metavar="NAME",
            default="the one with the columns",
        ),
    ] = None
    header_row: Annotated[
        int | None,
        Ge(1),
        Option(
            "Row that names the columns, as a spreadsheet numbers it.", DATA, default="the first that does"
        ),
    ] = None
