"""BBQ's records as they pass through here: which options are people, which records belong together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

Row = Mapping[str, Any]

OPTIONS = ("ans0", "ans1", "ans2")
_UNKNOWN = "unknown"


def people_options(row: Row) -> tuple[str, ...]:
    """The fields of a record's options that are people: those that `answer_info` does not call unknown."""
    return tuple(field for field in OPTIONS if _answer_info(row, field)[-1:] != [_UNKNOWN])


def option_label(row: Row, field: str) -> str:
    """What `answer_info` calls an option ("Danish"), or empty."""
    return next(iter(_answer_info(row, field)), "")


def _answer_info(row: Row, field: str) -> list[str]:
    found: list[str] = row.get("answer_info", {}).get(field, [])
    return found


def bundles(rows: Iterable[Row]) -> Iterator[tuple[Row, ...]]:
    """Consecutive records that share question, people and options: in BBQ two contexts times two questions."""
    bundle: list[Row] = []
    shared: object = None
    seen: set[tuple[str, str]] = set()
    for row in rows:
        options = frozenset(row[field].strip().lower() for field in OPTIONS)
        key = (row["category"], row.get("question_index"), options)
        asked = (row["context_condition"], row["question_polarity"])
        if bundle and (key != shared or asked in seen):
            yield tuple(bundle)
            bundle, seen = [], set()
        bundle.append(row)
        seen.add(asked)
        shared = key
    if bundle:
        yield tuple(bundle)
