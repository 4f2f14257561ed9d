"""What belongs to a table of associations and does not fit into it: its settings, and how much was tested.

Beside `found.csv` stands `found.analysis.json`. It counts only as long as the table is the one that was written.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from endoxa import __version__
from endoxa.analyze.associations.settings import Discovery
from endoxa.analyze.associations.tally import TALLY
from endoxa.datasets.files import sha256
from endoxa.probe.folder import write_json

SUFFIX = ".analysis.json"


@dataclass(frozen=True, slots=True)
class Companion:
    """How the associations of a table were discovered.

    Attributes:
        settings: with which settings.
        stories: the file or folder they were discovered in.
        duplicates: stories that have the prompt, model, language and repeat of another.
        tested: what was tested (`tally.TALLY`).
    """

    settings: Discovery
    stories: str
    duplicates: int
    tested: pl.DataFrame


def companion_of(table: Path) -> Path:
    """The file beside a table of associations."""
    return table.with_name(table.stem + SUFFIX)


def write_companion(table: Path, companion: Companion) -> None:
    """Write it beside a table that has just been written.

    Raises:
        UserError: it cannot be written.
    """
    content = {
        "endoxa": __version__,
        "table": table.name,
        "sha256": sha256(table),
        "stories": companion.stories,
        "settings": {**companion.settings.recorded, "by_language": companion.settings.by_language},
        "duplicates": companion.duplicates,
        "tested": companion.tested.to_dicts(),
    }
    write_json(companion_of(table), content)


def read_companion(table: Path) -> Companion | None:
    """What stands beside a table; None where there is nothing, or where the table is another one by now."""
    try:
        content: dict[str, Any] = json.loads(companion_of(table).read_text(encoding="utf-8"))
        if content["sha256"] != sha256(table):
            return None
        settings = Discovery.of(content["settings"], by_language=bool(content["settings"]["by_language"]))
        return Companion(
            settings,
            str(content["stories"]),
            int(content["duplicates"]),
            pl.DataFrame(content["tested"], schema=TALLY, orient="row"),
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError, pl.exceptions.PolarsError):
        return None
