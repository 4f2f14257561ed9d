"""Prompts for simulated tellers, and the way from them to associations."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

import polars as pl

from endoxa.instruments.stories.associations.discover import discover
from endoxa.instruments.stories.instrument import EXTRACT, STORIES, ExtractSettings, StoriesSettings
from endoxa.instruments.stories.options import Discovery
from endoxa.runs.run import measure, run
from endoxa.sources.stereotales.profiles import read_profiles
from endoxa.sources.stereotales.vocabulary import read_vocabulary

SCENARIOS = 36
READERS = ("sim/reader-a", "sim/reader-b", "sim/reader-c")
FOUR = ("base_attribute", "base_value", "compared_attribute", "compared_value")


def prompt(number: int, attribute: str = "age", value: str = "child (0-12)", **cells: str) -> dict[str, str]:
    """A line of a file of prompts."""
    return {
        "sample_id": f"p{number}",
        "language": "en",
        "theme": "hobby",
        "scenario": f"hobby {number % 4 + 1}",
        "target_attribute": attribute,
        "target_attribute_value": value,
        "prompt": f"Write a story about somebody and garden {number}.",
    } | cells


def prompts(attributes: Sequence[str] = (), scenarios: int = SCENARIOS) -> list[dict[str, str]]:
    """As many prompts for every value of the attributes (all of them, where none is named)."""
    named = [
        (attribute.name, value)
        for attribute in read_vocabulary()
        if not attributes or attribute.name in attributes
        for value in attribute.values
        for _ in range(scenarios)
    ]
    return [prompt(number, *one) for number, one in enumerate(named)]


def write(path: Path, rows: Iterable[dict[str, object]]) -> Path:
    """Rows as JSONL."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def told(
    folder: Path, rows: Iterable[dict[str, object]], teller: str = "sim/teller", **given: object
) -> Path:
    """The run folder of the stories that a teller writes to these prompts."""
    folder.mkdir(exist_ok=True)
    data = write(folder / "prompts.jsonl", rows)
    measure(STORIES, StoriesSettings(data=str(data), models=(teller,), **given), folder / "stories")
    return folder / "stories"


def extracted(folder: Path, stories: Path, readers: Sequence[str] = READERS, **given: object) -> Path:
    """The run folder of the profiles that readers take off stories."""
    run(EXTRACT, ExtractSettings(data=str(stories), models=tuple(readers), **given), folder / "profiles")
    return folder / "profiles"


def found(profiles: Path) -> pl.DataFrame:
    """The associations discovered in a run of profiles."""
    return discover(read_profiles(profiles), Discovery(jobs=1)).associations


def discovered(
    folder: Path, seed: int, teller: str = "sim/teller", attributes: Sequence[str] = (), repeats: int = 1
) -> pl.DataFrame:
    """Prompts, stories, profiles, associations."""
    stories = told(folder, prompts(attributes), teller, seed=seed * 1000, repeats=repeats)
    return found(extracted(folder, stories, seed=seed))
