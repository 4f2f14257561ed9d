"""What a study file may hold: a section of options for each of the five instruments, and how they are compared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import Annotated, Any

from endoxa.errors import UserError
from endoxa.instruments.association_tests.options import Contrast
from endoxa.instruments.choices.options import ChoiceOptions
from endoxa.instruments.pairs.options import PairOptions
from endoxa.instruments.questions.options import QaOptions
from endoxa.instruments.stories.options import Selection
from endoxa.runs import options
from endoxa.runs.instrument import INSTRUMENTS, Instrument
from endoxa.runs.options import DEFAULT_CONFIDENCE, Confidence, RunSettings, Seed
from endoxa.schema.options import ANALYSIS, DATA, Option, options_of, settings_from


@dataclass(frozen=True, slots=True)
class Part:
    """One instrument in a study.

    Attributes:
        name: its section in the study file, and its folder.
        instrument: its name among the instruments.
        build: options of the items.
        items: file of the items, below the folder of the study.
        of_study: keys of the section that only the study knows.
    """

    name: str
    instrument: str
    build: type
    items: str
    of_study: tuple[str, ...] = ()


PAIRS = Part("pairs", "pairs", PairOptions, "items/pairs.csv")
TESTS = Part("tests", "embeddings", Contrast, "items/tests.json")
QUESTIONS = Part("questions", "qa", QaOptions, "items/questions.jsonl")
STORIES = Part(
    "stories", "stories", Selection, "items/prompts.jsonl", of_study=("map", "extractors", "files")
)
CHOICES = Part("choices", "choices", ChoiceOptions, "items/choices.jsonl")
PARTS = (PAIRS, TESTS, QUESTIONS, STORIES, CHOICES)
"""In the order in which they are measured."""

_OF_THE_STUDY = frozenset(
    ("data", "models", "model", "languages", "language", "seed", "confidence", "max_cost", "notice")
)
"""Options that the study file says once for all instruments, or that the study fills in."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """What a section of the study file chooses.

    Attributes:
        build: options of the items, an instance of `Part.build`.
        probe: values of the instrument's settings by path.
        of_study: what only the study knows, by key.
    """

    build: Any
    probe: Mapping[tuple[str, ...], Any]
    of_study: Mapping[str, Any]


def files_named(part: Part, chosen: Chosen, folder: Path) -> Iterator[Path]:
    """Files that a section of the study file names.

    Args:
        part: the instrument.
        chosen: its section.
        folder: of the study, where the files of `Part.of_study` are.
    """
    for key in ("map", "files"):
        names = chosen.of_study.get(key, ())
        yield from (folder / str(name) for name in ([names] if isinstance(names, str) else names))
    for option in options_of(part.build):
        value = reduce(getattr, option.path, chosen.build)
        yield from (
            path for path in (value if isinstance(value, tuple) else (value,)) if isinstance(path, Path)
        )
    for option in options_of(INSTRUMENTS.get(part.instrument).settings):
        if option.is_file and (name := chosen.probe.get(option.path)) is not None:
            yield Path(str(name))


def chosen(part: Part, section: Mapping[str, Any], where: str) -> Chosen:
    """Sort the keys of a section: those of `endoxa build`, those of `endoxa probe`, and those of the study.

    Args:
        part: the instrument.
        section: the table of the study file.
        where: for messages.

    Raises:
        UserError: a key is not known or stands elsewhere in the study file, or a value is not allowed.
    """
    settings = INSTRUMENTS.get(part.instrument).settings
    build, probe = (
        {word: option for word, option in options.keywords(owner).items() if word not in _OF_THE_STUDY}
        for owner in (part.build, settings)
    )
    for key in section:
        if key in _OF_THE_STUDY:
            raise UserError(f"{where}: '{key}' is set once for the whole study, above the sections.")
        if key not in {*build, *probe, *part.of_study}:
            raise UserError(
                f"{where}: there is no option '{key}'."
                f"{options.nearest(key, {**build, **probe, **dict.fromkeys(part.of_study)})}"
            )
    try:
        # An option of both, such as limit, is for the items: everything after them follows.
        items = {key: value for key, value in section.items() if key in build}
        settings_of_runs = {key: value for key, value in section.items() if key in probe and key not in build}
        return Chosen(
            settings_from(part.build, options.values_by_path(part.build, items)),
            options.values_by_path(settings, settings_of_runs),
            {key: value for key, value in section.items() if key in part.of_study},
        )
    except (UserError, TypeError, ValueError) as problem:
        raise UserError(f"{where}: {problem}") from problem


Values = Mapping[tuple[str, ...], Any]
"""Settings by path."""
RUNS = "runs"


@dataclass(frozen=True, slots=True)
class Step:
    """The run of an instrument.

    Attributes:
        name: of its folder below `runs`.
        instrument: what it measures.
        settings: how.
        folder: where the run is.
    """

    name: str
    instrument: Instrument[Any]
    settings: RunSettings
    folder: Path


@dataclass(frozen=True, slots=True)
class ConvergenceOptions:
    """How instruments are compared.

    Attributes:
        rule: Scoring rule of sentence pairs; by default the first of each model.
        pooling: Pooling of association tests; by default the first of each model.
        protocol: Protocol of questions.
        traits: Column of the associations that holds the traits of the matrix.
        confidence: confidence level of intervals and verdicts.
        seed: seed of sign flips and exchanges.
    """

    rule: Annotated[str, Option(group=DATA, metavar="RULE")] = ""
    pooling: Annotated[str, Option(group=DATA, metavar="NAME")] = ""
    protocol: Annotated[str, Option(group=ANALYSIS, metavar="NAME")] = "baseline"
    traits: Annotated[str, Option(group=ANALYSIS, metavar="COLUMN")] = "axis"
    confidence: Confidence = DEFAULT_CONFIDENCE
    seed: Seed = 0


USUAL = ConvergenceOptions()
