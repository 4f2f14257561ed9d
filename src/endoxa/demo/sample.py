"""The sample data set: 150 pairs in five languages, written for endoxa (data card: `SAMPLE.md`)."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from endoxa.schema import PAIR_COLUMNS

SAMPLE = Path(__file__).with_name("sample.csv")
"""The file itself, in the columns of `endoxa.schema.PAIR_COLUMNS`."""


def load_sample() -> pl.DataFrame:
    """The sample as a table: the columns of `PAIR_COLUMNS`, all strings, none null, in file order."""
    return pl.read_csv(SAMPLE, schema=dict.fromkeys(PAIR_COLUMNS, pl.String), empty_string_is_null=False)
