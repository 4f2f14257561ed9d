"""Options that say where the table stands in a file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from endoxa.schema.options import DATA, Option


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the table stands in a file.

    Attributes:
        sheet: Sheet of a workbook, by name or number.
        header_row: Row that names the columns, as a spreadsheet numbers it; 1-2 joins names in two rows.
    """

    sheet: Annotated[str | None, Option(group=DATA, metavar="NAME", default="the one with the columns")] = (
        None
    )
    header_row: Annotated[str | None, Option(group=DATA, metavar="N|N-M", default="the first that does")] = (
        None
    )

    @property
    def reading(self) -> dict[str, Any]:
        """The same for `endoxa.sources.source.reading_files`.

        Raises:
            UserError: `header_row` names no rows.
        """
        from endoxa.sources.headers import name_rows

        return {"sheet": self.sheet, "header_rows": name_rows(self.header_row) if self.header_row else None}
