"""What a study file may hold: a section of options for each of the five instruments, and steps by verb.

A step that measures (`verb = "probe pairs"`) is a run like those of the study's own instruments. Any other command is
carried out once: again only where its settings or its inputs have changed, or where what it wrote is gone.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, Protocol

from endoxa.errors import UserError
from endoxa.instruments.association_tests.options import Contrast
from endoxa.instruments.choices.options import ChoiceOptions
from endoxa.instruments.pairs.options import PairOptions
from endoxa.instruments.questions.options import QaOptions
from endoxa.instruments.stories.options import Selection
from endoxa.runs.instrument import INSTRUMENTS, Instrument
from endoxa.runs.options import DEFAULT_CONFIDENCE, Confidence, Seed, keywords, nearest, values_by_path
from endoxa.runs.settings import RunSettings
from endoxa.schema.options import ANALYSIS, DATA, OUTPUT, Option, OptionField, options_of, settings_from
from endoxa.sources import files


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
        {word: option for word, option in keywords(owner).items() if word not in _OF_THE_STUDY}
        for owner in (part.build, settings)
    )
    for key in section:
        if key in _OF_THE_STUDY:
            raise UserError(f"{where}: '{key}' is set once for the whole study, above the sections.")
        if key not in {*build, *probe, *part.of_study}:
            raise UserError(
                f"{where}: there is no option '{key}'."
                f"{nearest(key, {**build, **probe, **dict.fromkeys(part.of_study)})}"
            )
    try:
        # An option of both, such as limit, is for the items: everything after them follows.
        items = {key: value for key, value in section.items() if key in build}
        settings_of_runs = {key: value for key, value in section.items() if key in probe and key not in build}
        return Chosen(
            settings_from(part.build, values_by_path(part.build, items)),
            values_by_path(settings, settings_of_runs),
            {key: value for key, value in section.items() if key in part.of_study},
        )
    except (UserError, TypeError, ValueError) as problem:
        raise UserError(f"{where}: {problem}") from problem


Values = Mapping[tuple[str, ...], Any]
"""Settings by path."""
RUNS, STEPS = "runs", "steps"
REFUSED = ("study", "collect", "demo", "datasets", "languages")
"""Groups of commands that are no step: they begin a study, serve people, or download."""
PROBE = "probe "


class Verb(Protocol):
    """A command, as its declaration gives it (`endoxa.commands.verbs.Verb`)."""

    @property
    def name(self) -> str:
        """Its words."""
        ...

    @property
    def settings(self) -> type[Any]:
        """The class of its arguments and options."""
        ...

    def done(self, settings: Any) -> Any:
        """Carry it out."""
        ...


FindVerb = Callable[[str], Verb]
"""The command of these words; TypeError where there is none."""


@dataclass(frozen=True, slots=True)
class Step:
    """The run of an instrument.

    Attributes:
        name: of its folder below `runs`.
        instrument: what it measures.
        settings: how.
        folder: where the run is.
        models: name in the study by the name of a model in the run.
    """

    name: str
    instrument: Instrument[Any]
    settings: RunSettings
    folder: Path
    models: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Command:
    """A step that measures nothing: any other verb.

    Attributes:
        name: of the file below `steps` that says what it was made from.
        verb: what it does.
        values: its settings, files as paths.
        study: folder of the study.
    """

    name: str
    verb: Verb
    values: Values
    study: Path

    @property
    def folder(self) -> Path:
        """What it writes first; the folder of the study where it writes nothing."""
        return next(iter(paths_of(self, outputs=True)), self.study)

    def changes(self) -> list[str]:
        """Why what it wrote is not that of today; empty where it is."""
        try:
            record = json.loads(self._record.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return ["it was not carried out"]
        today = self._identity()
        changed = [name for name in ("verb", "settings", "inputs") if record.get(name) != today[name]]
        changed += [f"{path} is gone" for path in paths_of(self, outputs=True) if not path.exists()]
        return [f"other {name}" if name in today else name for name in changed]

    def run(self, max_cost: float | None = None) -> list[str]:
        """Carry it out, and keep what it was made from.

        Args:
            max_cost: US dollars that a command that asks models may cost; None leaves that to its settings.

        Returns:
            What it says, in sentences.

        Raises:
            UserError: any user error, or its exit code says that something was found to be wrong.
        """
        entry = next(
            (entry for entry in options_of(self.verb.settings) if entry.path[-1] == "max_cost"), None
        )
        limit = {} if max_cost is None or entry is None else {entry.path: max_cost}
        for path in paths_of(self, outputs=True):
            path.parent.mkdir(parents=True, exist_ok=True)
        outcome = self.verb.done(settings_from(self.verb.settings, {**self.values, **limit}))
        if outcome.exit_code:
            raise UserError(f"The step '{self.name}' stopped the study: {outcome}")
        self._record.parent.mkdir(exist_ok=True)
        self._record.write_text(json.dumps(self._identity(), indent=1, ensure_ascii=False), encoding="utf-8")
        return str(outcome).splitlines()

    @property
    def _record(self) -> Path:
        return self.study / STEPS / f"{self.name}.json"

    def _identity(self) -> dict[str, Any]:
        settings = {".".join(path): value for path, value in sorted(self.values.items())}
        return {
            "verb": self.verb.name,
            "settings": json.loads(json.dumps(settings, default=str)),
            "inputs": {str(path): _digest(path) for path in paths_of(self)},
        }


def _digest(path: Path) -> str:
    """SHA-256 of a file, or of all files in a folder; empty where there is none."""
    if not path.is_dir():
        return files.sha256(path) if path.is_file() else ""
    inside = sorted(entry for entry in path.rglob("*") if entry.is_file())
    return sha256("".join(f"{entry.name}{files.sha256(entry)}" for entry in inside).encode()).hexdigest()


def stated(step: Step | Command) -> Iterator[tuple[OptionField, Any]]:
    """Options of a step with what it says, each of several values by itself."""
    for entry in options_of(step.verb.settings if isinstance(step, Command) else type(step.settings)):
        value = (
            step.values.get(entry.path)
            if isinstance(step, Command)
            else reduce(getattr, entry.path, step.settings)
        )
        yield from ((entry, single) for single in (value if isinstance(value, tuple) else (value,)) if single)


def paths_of(step: Step | Command, *, outputs: bool = False) -> list[Path]:
    """Files and folders that a step reads, or those that it writes."""
    return [
        Path(value)
        for entry, value in stated(step)
        if entry.is_path and (entry.option.group == OUTPUT) == outputs
    ]


def read_steps(
    entries: Sequence[Mapping[str, Any]], folder: Path, where: str, shared: Mapping[str, Any], verb: FindVerb
) -> tuple[Step | Command, ...]:
    """The steps that a study file names, checked as far as it can be without data.

    Args:
        entries: the tables of `[[steps]]`.
        folder: of the study; files are named from there.
        where: the study file, for messages.
        shared: options that the study says once for everything; a step may say another value.
        verb: finds a command.

    Raises:
        UserError: a verb or option is unknown, a value is not allowed, a name stands twice, or a step would write
            outside of the folder.
    """
    made: dict[str, Step | Command] = {}
    for number, entry in enumerate(entries, start=1):
        place = f"{where}, step {number}"
        options = dict(entry)
        words = str(options.pop("verb", ""))
        name = str(options.pop("name", words.replace(" ", "-")))
        if not words:
            raise UserError(
                f"{place}: the key 'verb' is missing. Name a command, as in verb = \"build pairs\"."
            )
        if words.split(" ", maxsplit=1)[0] in REFUSED:
            raise UserError(f"{place}: `endoxa {words}` cannot be a step of a study.")
        if name in made or not name.replace("-", "").replace("_", "").isalnum():
            raise UserError(
                f"{place}: the name '{name}' is taken or not of letters, digits, - and _. Give another."
            )
        try:
            if words.startswith(PROBE):
                made[name] = _measured(words.removeprefix(PROBE), name, options, folder, shared)
            else:
                made[name] = _carried_out(verb(words), name, options, folder, shared)
        except (UserError, TypeError, ValueError) as problem:
            raise UserError(f"{place}: {problem}") from problem
    return tuple(made.values())


def _measured(
    instrument: str, name: str, options: Mapping[str, Any], folder: Path, shared: Mapping[str, Any]
) -> Step:
    probed = INSTRUMENTS.get(instrument)
    values = _values(probed.settings, options, folder, shared)
    return Step(name, probed, settings_from(probed.settings, values), folder / RUNS / name)


def _carried_out(
    verb: Verb, name: str, options: Mapping[str, Any], folder: Path, shared: Mapping[str, Any]
) -> Command:
    command = Command(name, verb, _values(verb.settings, options, folder, shared), folder)
    settings_from(verb.settings, dict(command.values))
    for path in paths_of(command, outputs=True):
        if not path.resolve().is_relative_to(folder.resolve()):
            raise UserError(f"it writes {path}, which is not in the folder of the study.")
    return command


def _values(
    settings: type[Any], options: Mapping[str, Any], folder: Path, shared: Mapping[str, Any]
) -> dict[tuple[str, ...], Any]:
    """Settings by path: files from the folder of the study, and what the study says once where a step is silent."""
    values = values_by_path(settings, options)
    for entry in options_of(settings):
        if entry.path in values and entry.is_path:
            value = values[entry.path]
            several = (
                tuple(_in_folder(folder, entry, word) for word in value) if isinstance(value, tuple) else None
            )
            values[entry.path] = several if several is not None else _in_folder(folder, entry, value)
        elif entry.path[-1] in shared:
            values.setdefault(entry.path, shared[entry.path[-1]])
    return values


def _in_folder(folder: Path, entry: OptionField, word: Any) -> str:
    """A file of the folder; a name stays one where the option takes names, too, and no such file is there."""
    path = folder / str(word)
    return str(word) if "NAME" in (entry.option.metavar or "") and not path.exists() else str(path)


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
