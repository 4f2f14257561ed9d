"""Associations of a run folder, kept there with their settings and numbers of tests.

`endoxa analyze associations RUN` writes the associations and the settings it was given; the report reads them, and
discovers with the default settings only where there are none. `found.analysis.json` stands beside `found.csv` and is
valid only as long as the table is unchanged.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from endoxa import __version__
from endoxa.instruments.stories.associations.discover import TALLY, Discovered, discover, types_of
from endoxa.instruments.stories.associations.permutations import TYPES, every_difference
from endoxa.instruments.stories.options import Discovery
from endoxa.runs import estimates
from endoxa.runs.folder import RECORDS, write_json
from endoxa.schema import Progress
from endoxa.schema.stories import ASSOCIATION_TEST_COLUMNS, DISCOVERED_COLUMNS
from endoxa.sources.files import sha256
from endoxa.sources.stereotales import Profiles

DISCOVERY = "discovery"
"""Key of the settings in `run.json`."""
RECORDS_KEY = "records_sha256"
FILES = {
    False: ("associations", "tables"),
    True: ("associations_by_language", "tables_by_language"),
}
"""Names of the tables of all languages together, and of each language."""
DIFFERENCES = "differences"


def settings_of(folder: Path) -> Discovery:
    """The settings with which associations of a run folder were discovered, else the default ones."""
    try:
        return Discovery.of(estimates.settings_of(folder, DISCOVERY) or {})
    except ValueError:
        return Discovery()


def discover_in(
    folder: Path, profiles: Profiles, settings: Discovery, progress: Progress = lambda *_: None
) -> Discovered:
    """The associations of a run folder: what it holds for these settings, else discovered now and left there.

    Args:
        folder: run folder of `endoxa probe extract`.
        profiles: its stories.
        settings: what is asked for.
        progress: told how far it is.
    """
    associations, tables = FILES[settings.by_language]
    schemas = {associations: types_of(DISCOVERED_COLUMNS), tables: types_of(ASSOCIATION_TEST_COLUMNS)}

    def analyze() -> estimates.Tables:
        discovered = discover(profiles, settings, progress)
        return {associations: discovered.associations, tables: discovered.tables}

    kept = _once(folder, settings, schemas, analyze)
    return Discovered(tables=kept[tables], associations=kept[associations])


def differences_in(folder: Path, stories: Callable[[], pl.DataFrame], settings: Discovery) -> pl.DataFrame:
    """The differences of protagonists of a run folder, in the same way.

    Args:
        folder: run folder of `endoxa probe extract`.
        stories: what `permutations.protagonists_by_story` gives.
        settings: confidence and seed.
    """

    def analyze() -> estimates.Tables:
        return {DIFFERENCES: every_difference(stories(), confidence=settings.confidence, seed=settings.seed)}

    return _once(folder, settings, {DIFFERENCES: TYPES}, analyze)[DIFFERENCES]


def _once(
    folder: Path,
    settings: Discovery,
    schemas: Mapping[str, Mapping[str, Any]],
    analyze: Callable[[], estimates.Tables],
) -> estimates.Tables:
    recorded = {**settings.recorded, RECORDS_KEY: sha256(folder / RECORDS)}
    if not os.access(folder, os.W_OK):
        tables = estimates.kept(folder, recorded, schemas, DISCOVERY) or analyze()
    else:
        if not estimates.holds(folder, recorded, DISCOVERY):
            # What was found with other settings, by another version, or in other records.
            for name in (*FILES[False], *FILES[True], DIFFERENCES):
                (folder / f"{name}.csv").unlink(missing_ok=True)
        tables = estimates.once(folder, recorded, schemas, analyze, DISCOVERY)
    # As they were before they were written: an empty reason is no missing one.
    return {name: table.with_columns(pl.col("reason").fill_null("")) for name, table in tables.items()}


def pooled_and_alone(settings: Discovery, profiles: Profiles) -> list[Discovery]:
    """All languages together and, where there are several, each alone."""
    return [replace(settings, by_language=alone) for alone in (False, True)[: len(profiles.languages)]]


SUFFIX = ".analysis.json"


@dataclass(frozen=True, slots=True)
class Companion:
    """How the associations of a table were discovered.

    Attributes:
        settings: with which settings.
        stories: the file or folder they were discovered in.
        duplicates: stories that have the prompt, model, language and repeat of another.
        tested: what was tested (`discover.TALLY`).
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
