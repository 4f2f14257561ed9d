"""One value of a table of scores as text: its mean over seeds, its bounds, and why it is missing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from endoxa.instruments.questions.estimates.intervals import split_reason
from endoxa.report.claims import corrected, decimal_ends
from endoxa.report.words import NO_VALUE, NOT_DEFINED, decimal, decimal_interval, listed
from endoxa.stats.verdicts import TOO_SMALL

Row = Mapping[str, Any]
"""A row of the estimates or of the retention ratios."""

NOT_RECORDED = "no reason was recorded"
ALL_READ = "all read"
"""In place of bounds, where no answer is missing."""


SPOKEN_LEANS = {"bias_score": "bias score", "accuracy_gap": "accuracy gap"}


def value_with_sd(row: Row, column: str) -> str:
    """'0.950 ± 0.002' over seeds; the pooled value where there was one seed, '–' where it is undefined."""
    mean, sd = row[f"{column}_mean"], row[f"{column}_sd"]
    if mean is None or sd is None:
        return decimal(row[column])
    return f"{decimal(mean)} ± {decimal(sd)}"


def unread(row: Row) -> int:
    """Answers that were refused or could not be read."""
    return int(row["n_unparsed"] + row["n_refused"])


def bounds(row: Row, column: str) -> tuple[float, float] | None:
    """Least and largest value had the unread answers been read; None where all were, or no bounds are defined."""
    lost = unread(row)
    if not lost:
        return None
    if column == "accuracy":
        ends = (row["n_correct"] / row["n"], (row["n_correct"] + lost) / row["n"])
    else:
        ends = (row.get(f"{column}_if_none"), row.get(f"{column}_if_all"))
    return None if None in ends else (min(ends), max(ends))


def missing(rows: Iterable[tuple[str, Row, str]]) -> Iterator[str]:
    """One note for each reason why values are undefined, or have no interval.

    Args:
        rows: where the value stands ('gpt-4o, Name'), its row and its column.
    """
    undefined: dict[str, list[str]] = {}
    alone: dict[str, list[str]] = {}
    for where, row, column in rows:
        why, why_alone = split_reason(str(row["reason"] or "").rstrip("."), column)
        if row[column] is None:
            undefined.setdefault(why or NOT_RECORDED, []).append(where)
        elif row[f"{column}_low" if f"{column}_low" in row else "low"] is None:
            alone.setdefault(why_alone or NOT_RECORDED, []).append(where)
    for reason, places in undefined.items():
        yield f"{NO_VALUE} undefined: {reason} ({_once(places)})."
    for reason, places in alone.items():
        yield f"{NO_VALUE} beside a value: no interval, because {reason} ({_once(places)})."


def interval(row: Row, column: str) -> str:
    """'interval 0.020 to 0.050', or 'no interval, because ...'."""
    low, high = row[f"{column}_low"], row[f"{column}_high"]
    if low is None or high is None:
        return f"no interval, because {split_reason(str(row['reason'] or ''), column)[1] or NOT_RECORDED}"
    return f"interval {decimal_interval(low, high)}"


def _once(places: list[str]) -> str:
    return listed(list(dict.fromkeys(places)))


def evidence(row: Row, value: str, low: str = "low", high: str = "high") -> dict[str, Any]:
    """The row of a table with what its verdict is about under the names `value`, `low`, `high` and `reason`."""
    return {
        **row,
        "value": row[value],
        "low": row[low],
        "high": row[high],
        "reason": row["verdict_reason"],
    }


def lean_evidence(row: Row) -> dict[str, Any]:
    """A row of the estimates as evidence of its lean."""
    return evidence(row, "lean", "lean_low", "lean_high")


def spoken_interval(found: Row, level: str) -> str:
    """'95 % interval 0.236 to 0.266', or that there is none; of a row that `evidence` gives."""
    ends = shown_interval(found)
    return "no interval can be given" if ends == NO_VALUE else f"{level} interval {ends}"


def shown_interval(found: Row) -> str:
    """'0.236 to 0.266', or a dash; of a row that `evidence` gives."""
    ends = decimal_ends(found, neutral=found["neutral"] or 0.0)
    return NO_VALUE if ends == NOT_DEFINED else ends


def because(found: Row) -> str:
    """A sentence on why a row is unclear although its p-value is small, else empty."""
    if found["reason"] == TOO_SMALL:
        return f" The difference from {found['neutral']:g} is smaller than the digits shown."
    return corrected(found)
