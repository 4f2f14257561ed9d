"""Opening a survey export: the kinds of file that are read."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from endoxa.datasets.files import require_file
from endoxa.datasets.frames import WORKBOOK_SUFFIXES, read_table
from endoxa.datasets.tables import TABLE_SUFFIXES
from endoxa.errors import UserError

_KINDS = (*TABLE_SUFFIXES, *WORKBOOK_SUFFIXES)


def read_export(path: Path, required: Sequence[str] = ()) -> pl.DataFrame:
    """The table at `path`, all columns as text; see `endoxa.datasets.frames.read_table`.

    Raises:
        UserError: the name ends in no kind of file that is read, or see `read_table`.
    """
    require_file(path)
    if path.suffix.lower() not in _KINDS:
        raise UserError(
            f"{path} is of a kind that is not read: save it as {', '.join(_KINDS[:-1])} or {_KINDS[-1]} "
            "(from a spreadsheet: .csv or .xlsx)."
        )
    return read_table(path, required)
