"""Error rates of an extraction, with Wilson intervals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import polars as pl

from endoxa.analyze.extraction.confusion import Confusion
from endoxa.curate.coefficients import cohen_kappa
from endoxa.probe.extract.questions import REFUSAL
from endoxa.schema.stories import CONFUSION_COLUMNS, EXTRACTION_ERROR_COLUMNS
from endoxa.stats.intervals import wilson


def error_table(confusions: Sequence[Confusion], confidence: float) -> pl.DataFrame:
    """One row per attribute (`EXTRACTION_ERROR_COLUMNS`)."""
    rows = [_row(one, confidence) for one in confusions]
    whole = ("n", "errors", "n_known", "n_unknown")
    types = {name: pl.Int64() if name in whole else pl.Float64() for name in EXTRACTION_ERROR_COLUMNS}
    return pl.DataFrame(rows, schema=types | {"attribute": pl.String()}, orient="row").fill_nan(None)


def confusion_table(confusions: Sequence[Confusion]) -> pl.DataFrame:
    """One row per pair of answers that occurs (`CONFUSION_COLUMNS`)."""
    return pl.DataFrame(
        list(_cells(confusions)),
        schema=dict.fromkeys(CONFUSION_COLUMNS, pl.String()) | {"count": pl.Int64()},
        orient="row",
    )


def _cells(confusions: Sequence[Confusion]) -> Iterator[tuple[str, str, str, int]]:
    for one in confusions:
        for (human, extracted), count in _entries(one):
            yield one.attribute, one.answers[human], one.answers[extracted], count


def _entries(one: Confusion) -> Iterator[tuple[tuple[int, int], int]]:
    counts = one.counts
    for human, extracted in zip(*counts.nonzero(), strict=True):
        yield (int(human), int(extracted)), int(counts[human, extracted])


def _row(one: Confusion, confidence: float) -> dict[str, Any]:
    counts = one.counts
    total, right = int(counts.sum()), int(counts.trace())
    row: dict[str, Any] = {
        "attribute": one.attribute,
        "n": total,
        "errors": total - right,
        "kappa": cohen_kappa(one.pairs),
        **_share("error_rate", "", total - right, total, confidence),
    }
    if one.attribute == REFUSAL:
        return row
    known, unknown = counts[:-1], counts[-1]
    n_known, n_unknown = int(known.sum()), int(unknown.sum())
    missed = int(known[:, -1].sum())
    return {
        **row,
        "n_known": n_known,
        **_share("missed", "missed_", missed, n_known, confidence),
        **_share("swapped", "swapped_", n_known - missed - int(known.trace()), n_known, confidence),
        "n_unknown": n_unknown,
        **_share("invented", "invented_", n_unknown - int(unknown[-1]), n_unknown, confidence),
    }


def _share(name: str, ends: str, count: int, total: int, confidence: float) -> dict[str, float | None]:
    interval = wilson(count, total, confidence)
    return {
        name: count / total if total else None,
        f"{ends}low": interval.low,
        f"{ends}high": interval.high,
    }
