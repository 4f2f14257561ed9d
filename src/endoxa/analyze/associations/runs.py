"""Discovered once: associations of a run folder are kept in it with their settings, and read by all who ask later.

`endoxa analyze associations RUN` leaves what it found, with the settings it was given; the report reads that, and
discovers with the default settings only where nobody did before.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from endoxa.analyze import stored
from endoxa.analyze.associations.protagonists import TYPES, every_difference
from endoxa.analyze.associations.run import Discovered, discover, types_of
from endoxa.analyze.associations.settings import Discovery
from endoxa.datasets.files import sha256
from endoxa.datasets.stereotales import Profiles
from endoxa.probe.folder import RECORDS
from endoxa.schema import Progress
from endoxa.schema.stories import ASSOCIATION_TEST_COLUMNS, DISCOVERED_COLUMNS

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
        return Discovery.of(stored.settings_of(folder, DISCOVERY) or {})
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
    found, tables = FILES[settings.by_language]
    schemas = {found: types_of(DISCOVERED_COLUMNS), tables: types_of(ASSOCIATION_TEST_COLUMNS)}

    def analyze() -> stored.Tables:
        discovered = discover(profiles, settings, progress)
        return {found: discovered.associations, tables: discovered.tables}

    kept = _once(folder, settings, schemas, analyze)
    return Discovered(tables=kept[tables], associations=kept[found])


def differences_in(folder: Path, stories: Callable[[], pl.DataFrame], settings: Discovery) -> pl.DataFrame:
    """The differences of protagonists of a run folder, in the same way.

    Args:
        folder: run folder of `endoxa probe extract`.
        stories: what `protagonists.told_by_story` gives.
        settings: confidence and seed.
    """

    def analyze() -> stored.Tables:
        return {DIFFERENCES: every_difference(stories(), confidence=settings.confidence, seed=settings.seed)}

    return _once(folder, settings, {DIFFERENCES: TYPES}, analyze)[DIFFERENCES]


def _once(
    folder: Path,
    settings: Discovery,
    schemas: Mapping[str, Mapping[str, Any]],
    analyze: Callable[[], stored.Tables],
) -> stored.Tables:
    recorded = {**settings.recorded, RECORDS_KEY: sha256(folder / RECORDS)}
    if not os.access(folder, os.W_OK):
        tables = stored.kept(folder, recorded, schemas, DISCOVERY) or analyze()
    else:
        if not stored.holds(folder, recorded, DISCOVERY):
            _forget(folder)
        tables = stored.once(folder, recorded, schemas, analyze, DISCOVERY)
    return {name: _filled(table) for name, table in tables.items()}


def _forget(folder: Path) -> None:
    """Remove what was found with other settings, by another version, or in other records."""
    for name in (*FILES[False], *FILES[True], DIFFERENCES):
        (folder / f"{name}.csv").unlink(missing_ok=True)


def _filled(table: pl.DataFrame) -> pl.DataFrame:
    """The table as it was before it was written: an empty reason is no missing one."""
    return table.with_columns(pl.col("reason").fill_null(""))


def both(settings: Discovery, profiles: Profiles) -> list[Discovery]:
    """All languages together and, where there are several, each alone."""
    return [replace(settings, by_language=alone) for alone in (False, True)[: len(profiles.languages)]]
