"""BBQ's `additional_metadata.csv`: which option of a question agrees with the stereotype."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path

from endoxa.sources.bbq.rows import NO_NAMES, Columns, checked_rows
from endoxa.sources.tables import raise_fault, table_rows

NAME = "additional_metadata.csv"

Key = tuple[str, str]
"""Category and example_id."""

_LOOKED_AT = 1000
"""Questions from which the convention of a metadata file is told."""

log = logging.getLogger(__name__)


def find_metadata(path: Path) -> Path | None:
    """The metadata file in the folder of a file of questions, or None."""
    beside = path.with_name(NAME)
    return beside if beside.is_file() else None


def read_metadata(path: Path, category: str | None = None) -> dict[Key, int]:
    """`target_loc` of each question, 0 to 2, as the file has it.

    Left out are rows without a number (the published file has NA in 16 rows of Gender_identity) and questions
    with several rows that disagree.

    Args:
        path: the file.
        category: only questions of this category.

    Raises:
        UserError: the file cannot be read, or lacks category, example_id or target_loc.
    """
    found: dict[Key, int] = {}
    doubtful: set[Key] = set()
    for row in _cells(path, "target_loc"):
        place = _place(row["target_loc"])
        if place is None or (category is not None and row["category"] != category):
            continue
        key = (row["category"] or "", row["example_id"] or "")
        if found.setdefault(key, place) != place:
            doubtful.add(key)
    return {key: place for key, place in found.items() if key not in doubtful}


SOCIAL_VALUES = "Relevant_social_values"
"""Column that says what a question is about ("greed", "violence")."""


def read_social_values(path: Path) -> dict[Key, tuple[str, ...]]:
    """What each question is about, as the file has it; several values are separated by commas.

    Raises:
        UserError: the file cannot be read, or lacks category, example_id or Relevant_social_values.
    """
    return {
        (row["category"] or "", row["example_id"] or ""): tuple(
            value.strip()
            for value in (row[SOCIAL_VALUES] or "").split(",")
            if value.strip() not in ("", "NA")
        )
        for row in _cells(path, SOCIAL_VALUES)
    }


def _cells(path: Path, column: str) -> Iterator[Mapping[str, str | None]]:
    for row in table_rows(path, ("category", "example_id", column)):
        raise_fault(path, row)
        yield row.cells


def _place(cell: str | None) -> int | None:
    """A cell of `target_loc`; some copies write 1.0 for 1."""
    digits = (cell or "").strip().removesuffix(".0")
    return int(digits) if digits in ("0", "1", "2") else None


def names_group(
    questions: Path, metadata: Path, targets: Mapping[Key, int], columns: Columns = NO_NAMES
) -> bool:
    """True where `target_loc` is the stereotyped group's option for both polarities, as in files before July 2022.

    Since then the published file names the other person for `nonneg` questions. The two are told apart by
    questions of both polarities about the same context and options, of which older files name one option. A note is
    logged.

    Raises:
        UserError: a question cannot be read.
    """
    places: dict[tuple[str, ...], dict[str, int]] = {}
    for _, _, record in islice(checked_rows(questions, columns=columns), _LOOKED_AT):
        place = targets.get((record.category, record.example_id))
        if place is not None:
            both = places.setdefault((record.variant, record.context, *record.options), {})
            both[record.question_polarity] = place
    pairs = [both for both in places.values() if len(both) == 2]
    same = sum(pair["neg"] == pair["nonneg"] for pair in pairs)
    if 2 * same <= len(pairs):
        return False
    log.warning(
        "%s is of the form before July 2022: target_loc is the stereotyped group's option in every question; "
        "for 'nonneg' questions the other person is taken",
        metadata,
    )
    return True
