"""The runs of a study folder, as convergence takes them."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from endoxa.sources.frames import read_table
from endoxa.study.convergence.run import StudyRuns
from endoxa.study.file import Study
from endoxa.study.items import map_of, read_associations
from endoxa.study.parts import PAIRS, QUESTIONS, STORIES, TESTS, Part
from endoxa.study.simulated import is_simulated
from endoxa.study.steps import PROFILES
from endoxa.study.verbs import RUNS

LIVE = "live/"
"""How runs name a simulated model that scores sentences or encodes texts."""


def study_runs(study: Study) -> StudyRuns:
    """The runs of a study that `endoxa study run` has made, with its names of models.

    Raises:
        UserError: the associations or the story map cannot be read.
    """
    parts = list(study.parts())
    aliases: dict[str, str] = {}
    for part in parts:
        for model, name in study.names(part).items():
            aliases[model] = name
            if is_simulated(model) and part in (PAIRS, TESTS):
                aliases[LIVE + model] = name

    def folder(part: Part, run: str = "") -> Path | None:
        return study.folder / RUNS / (run or part.name) if part in parts else None

    story_map: pl.DataFrame | None = None
    if STORIES in parts:
        story_map = read_table(map_of(study, study.sections[STORIES.name]))
    return StudyRuns(
        read_associations(study),
        folder(PAIRS),
        folder(QUESTIONS),
        folder(TESTS),
        folder(STORIES, PROFILES),
        story_map,
        aliases,
    )
