"""The runs of a study in their order, each with the settings that its study file gives it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from endoxa.errors import UserError
from endoxa.runs.instrument import INSTRUMENTS
from endoxa.schema.options import settings_from
from endoxa.study import simulated
from endoxa.study.file import Study
from endoxa.study.items import ID, vocabulary_file
from endoxa.study.parts import PAIRS, STORIES, TESTS, Part
from endoxa.study.verbs import RUNS, Step, Values

EARLIER = "earlier"
PROFILES = "profiles"
"""Profiles read from stories; a run of `endoxa probe extract`."""
READERS = ("sim/reader-a", "sim/reader-b", "sim/reader-c")
"""Extractors of simulated stories, where the study file names none."""


def steps(study: Study) -> Iterator[Step]:
    """The runs of a study, each made when it is its turn: simulated models take their places then.

    Raises:
        UserError: settings that no run takes.
    """
    for part in study.parts():
        yield _step(study, part)
        if part == STORIES:
            yield _profiles(study)


def _step(study: Study, part: Part) -> Step:
    names = {_reached(study, part, model): name for model, name in study.names(part).items()}
    values: Values = {
        **study.sections[part.name].probe,
        (part.data,): str(study.folder / part.items),
        ("models",): tuple(names),
    }
    return _run(study, part.name, part.instrument, values, names)


def _reached(study: Study, part: Part, model: str) -> str:
    """The words by which the run names a model; a simulated one is offered as an object where it has to be."""
    if not simulated.is_simulated(model) or part not in (PAIRS, TESTS):
        return model
    if part == TESTS:
        from endoxa.instruments.association_tests.items import read_tests

        return simulated.encoder(model, read_tests(study.folder / part.items))
    from endoxa.sources.frames import read_table

    pairs = read_table(study.folder / part.items, ("item_id", ID, "sent_more", "sent_less"))
    return simulated.scorer(model, pairs.to_dicts())


def _profiles(study: Study) -> Step:
    """The reading of profiles from the stories."""
    vocabulary = vocabulary_file(study)
    values: Values = {
        ("data",): str(study.folder / RUNS / STORIES.name),
        ("models",): extractors(study),
        ("vocabulary",): None if vocabulary is None else str(vocabulary),
    }
    return _run(study, PROFILES, "extract", values, study.names(STORIES))


def extractors(study: Study) -> tuple[str, ...]:
    """Models that read profiles from stories: those of the study file, or the first model that writes stories.

    Raises:
        UserError: only simulated models write stories and a name that is no text was given.
    """
    named = study.sections[STORIES.name].of_study.get("extractors", ())
    several = (named,) if isinstance(named, str) else tuple(named)
    if not all(isinstance(name, str) for name in several):
        raise UserError(f"{study.folder}: extractors must be names of models in quotation marks.")
    written = list(study.names(STORIES))
    real = [model for model in written if not simulated.is_simulated(model)]
    return several or (tuple(real[:1]) if real else READERS)


def _run(study: Study, name: str, kind: str, values: Values, models: Mapping[str, str]) -> Step:
    """A run with what the study says of all, then what it says of this one."""
    instrument = INSTRUMENTS.get(kind)
    shared: dict[tuple[str, ...], Any] = {("seed",): study.seed}
    if "confidence" in instrument.settings.model_fields:
        shared["confidence",] = study.confidence
    if any(simulated.is_simulated(model.removeprefix("live/")) for model in models):
        shared["notice",] = simulated.NOTICE
    settings = settings_from(instrument.settings, {**shared, **values})
    return Step(name, instrument, settings, study.folder / RUNS / name, models)
