"""How far the models that read the stories agree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl

from endoxa.datasets.frames import read_table
from endoxa.report.document import Column, Table
from endoxa.report.inputs import EXTRACTED, Run
from endoxa.report.stories.words import attribute_name
from endoxa.report.words import NO_VALUE, count, decimal, decimal_interval, percent

AGREEMENT = "agreement.csv"


def extractor_tables(runs: Sequence[Run]) -> Iterator[Table]:
    """Krippendorff's alpha, nominal: 1 is full agreement, 0 is agreement by chance. Intervals draw stories anew "
            "and keep these extractors; fewer than five stories have none.",
        ),
    )
