"""BBQ's `additional_metadata.csv`: which option of a question agrees with the stereotype."""

from __future__ import annotations

import csv
import logging
from collections.abc import Mapping
from itertools import islice
from pathlib import Path

from endoxa.datasets.bbq.rows import NO_NAMES, Columns, checked_rows
from endoxa.datasets.files import open_text, require_file
from endoxa.datasets.frames import require_columns
from endoxa.errors import UserError

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
    require_file(path)
    found: dict[Key, int] = {}
    doubtful: set[Key] = set()
    with open_text(path, newline="") as stream:
        reader = csv.DictReader(stream)
        try:
            require_columns(path, list(reader.fieldnames or []), ("category", "example_id", "target_loc"))
            for row in reader:
                place = _place(row["target_loc"])
                if place is None or (category is not None and row["category"] != category):
                    continue
                key = (row["category"], row["example_id"])
                if found.setdefault(key, place) != place:
                    doubtful.add(key)
        except csv.Error as error:
            raise UserError(f"{path}, line {reader.line_num} is not readable as CSV ({error}).") from error
    return {key: place for key, place in found.items() if key not in doubtful}


SOCIAL_VALUES = "Relevant_social_values"
"""Column that says what a question is about ("greed", "violence")."""


def read_social_values(path: Path) -> dict[Key, tuple[str, ...]]:
    """What each question is about, as the file has it; several values are separated by commas.

    Raises:
        UserError: the file cannot be read, or lacks category, example_id or Relevant_social_values.
    """
    require_file(path)
    with open_text(path, newline="") as stream:
        reader = csv.DictReader(stream)
        try:
            require_columns(path, list(reader.fieldnames or []), ("category", "example_id", SOCIAL_VALUES))
            return {
                (row["category"], row["example_id"]): tuple(
                    value.strip()
                    for value in (row[SOCIAL_VALUES] or "").split(",")
                    if value.strip() not in ("", "NA")
                )
                for row in reader
            }
        except csv.Error as error:
            raise UserError(f"{path}, line {reader.line_num} is not readable as CSV ({error}).") from error


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
    same = sum(both["neg"] == both["nonneg"] for both in pairs)
    if 2 * same <= len(pairs):
        return False
    log.warning(
        "%s is of the form before July 2022: target_loc is the stereotyped group's option in every question; "
        "for 'nonneg' questions the other person is taken",
        metadata,
    )
    return True
