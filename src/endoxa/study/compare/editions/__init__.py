"""Tables side by side: two editions of a survey, two versions of a set of pairs, or regions of one survey."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

    from endoxa.report.frame import Page


@dataclass(frozen=True, slots=True)
class TableComparison:
    """What differs between tables.

    Attributes:
        changes: the table of it.
        sentences: the finding, then what was compared.
        notes: what was assumed or left out, as sentences.
        page: the page about it; None where there is none.
    """

    changes: pl.DataFrame
    sentences: tuple[str, ...]
    notes: tuple[str, ...] = ()
    page: Page | None = None
