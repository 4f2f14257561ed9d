"""Rows behind a figure as a link that works without scripts and without a network."""

from __future__ import annotations

from urllib.parse import quote

import polars as pl
import polars.selectors as cs

DIGITS = 8
"""Significant digits of numbers."""

_PLAIN = ",/:;+()=*!@~"
"""Signs that an address may hold as they are, besides letters, digits and _.-"""


def csv_address(rows: pl.DataFrame) -> str:
    """The rows as CSV in a `data:` address: UTF-8, numbers with `DIGITS` significant digits, undefined values empty."""
    rounded = rows.with_columns(cs.float().fill_nan(None).round_sig_figs(DIGITS))
    return f"data:text/csv;charset=utf-8,{quote(rounded.write_csv(), safe=_PLAIN)}"
