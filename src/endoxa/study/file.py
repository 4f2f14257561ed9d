"""The study file: which associations, models, instruments and settings; read, checked, and written by `study init`."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from annotated_types import Ge, Gt, Le
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from endoxa.errors import UserError
from endoxa.runs.options import DEFAULT_CONFIDENCE, NOTHING_ALLOWED, Allowed, values_by_path
from endoxa.schema.options import settings_from
from endoxa.sources.files import require_file
from endoxa.study.parts import (
    PARTS,
    Chosen,
    ConvergenceOptions,
    Part,
    chosen,
    files_named,
)

FILE = "study.toml"
ASSOCIATIONS = "associations.csv"
MAP = "stories.csv"


class StudyModel(BaseModel):
    """A model of a study, and how each instrument reaches it.

    Attributes:
        name: its name in tables and figures of the study.
        pairs: the model as `endoxa probe pairs` takes it; None leaves it out there. Likewise the others.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: Annotated[str, Field(min_length=1)]
    pairs: str | None = None
    tests: str | None = None
    questions: str | None = None
    stories: str | None = None
    choices: str | None = None

    def reached(self, part: str) -> str | None:
        """The model as an instrument takes it."""
        reached: str | None = getattr(self, part)
        return reached


class _Content(BaseModel):
    """The study file as it is written."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    associations: str = ASSOCIATIONS
    languages: Annotated[tuple[str, ...], Field(min_length=1)] = ("en",)
    seed: Annotated[int, Ge(0), Le(2**31 - 1)] = 0
    confidence: Annotated[float, Ge(0.5), Le(0.999)] = DEFAULT_CONFIDENCE
    budget: Annotated[float, Gt(0)] | None = None
    models: tuple[StudyModel, ...] = ()
    pairs: dict[str, Any] | None = None
    tests: dict[str, Any] | None = None
    questions: dict[str, Any] | None = None
    stories: dict[str, Any] | None = None
    choices: dict[str, Any] | None = None
    convergence: dict[str, Any] = Field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Study:
    """A study.

    Attributes:
        folder: its folder.
        associations: table of associations.
        languages: languages of the items.
        seed: seed of everything that is drawn.
        confidence: confidence level of intervals.
        budget: US dollars for all models and instruments together; None sets no limit.
        models: the models.
        sections: what was chosen for each instrument in use, by name.
        comparison: how the instruments are compared.
    """

    folder: Path
    associations: Path
    languages: tuple[str, ...]
    seed: int
    confidence: float
    budget: float | None
    models: tuple[StudyModel, ...]
    sections: Mapping[str, Chosen]
    comparison: ConvergenceOptions

    def parts(self) -> Iterator[Part]:
        """The instruments in use that some model is measured with."""
        for part in PARTS:
            if part.name in self.sections and self.models_of(part):
                yield part

    def models_of(self, part: Part) -> tuple[StudyModel, ...]:
        """Models that an instrument measures."""
        return tuple(model for model in self.models if model.reached(part.name))

    def names(self, part: Part) -> dict[str, str]:
        """Name in the study by the name of a model in an instrument's run."""
        return {model.reached(part.name) or "": model.name for model in self.models_of(part)}


def read_study(folder: Path, allowed: Allowed = NOTHING_ALLOWED) -> Study:
    """The study of a folder, checked as far as it can be without data.

    Args:
        folder: of the study.
        allowed: what the command allows it.

    Raises:
        UserError: there is no study file, it is no TOML, or it holds what a study has not.
    """
    study = study_of(folder)
    _require_inside(folder / FILE, study, allowed)
    return study


def study_of(folder: Path) -> Study:
    """The study of a folder as its file has it, for commands that carry nothing of it out.

    Args:
        folder: of the study.

    Raises:
        UserError: there is no study file, it is no TOML, or it holds what a study has not.
    """
    path = folder / FILE
    if not path.is_file():
        raise UserError(
            f"{folder} contains no {FILE}. Make one: endoxa study init {folder} --from associations.csv"
        )
    require_file(path)
    try:
        content = _Content.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
        raise UserError(f"{path} is not valid TOML: {problem}.") from problem
    except ValidationError as problem:
        first = problem.errors()[0]
        place = ".".join(str(part + 1 if isinstance(part, int) else part) for part in first["loc"])
        raise UserError(f"{path}: {place}: {first['msg'].lower()}.") from problem
    _require_distinct(path, content.models)
    sections = {
        part.name: chosen(part, section, f"{path}, [{part.name}]")
        for part in PARTS
        if (section := getattr(content, part.name)) is not None
    }
    study = Study(
        folder,
        folder / content.associations,
        content.languages,
        content.seed,
        content.confidence,
        content.budget,
        content.models,
        sections,
        _comparison(path, content),
    )
    if not any(study.parts()):
        raise UserError(
            f"{path}: no instrument measures a model. Give a model pairs, tests, questions, stories or choices, and "
            "keep the section of that name."
        )
    return study


def _require_inside(path: Path, study: Study, allowed: Allowed) -> None:
    """Refuse a file outside of the folder, behind a link too, that the command does not name.

    Raises:
        UserError: the study file names one.
    """
    folder, named = study.folder.resolve(), {file.resolve() for file in allowed.files}
    sections = ((part, study.sections[part.name]) for part in PARTS if part.name in study.sections)
    files = (file for part, section in sections for file in files_named(part, section, study.folder))
    for file in (study.associations, *files):
        if not (file.resolve().is_relative_to(folder) or file.resolve() in named):
            raise UserError(
                f"{path} asks to read {file}, which is not in the folder of the study, and the command does not. If "
                f"that is meant, add --file {file} to the command, or copy the file into {study.folder}."
            )


def _comparison(path: Path, content: _Content) -> ConvergenceOptions:
    """How the instruments are compared.

    Raises:
        UserError: an option that there is not, or that the study says once for everything.
    """
    where = f"{path}, [convergence]"
    for key in content.convergence:
        if key in ("confidence", "seed"):
            raise UserError(f"{where}: '{key}' is set once for the whole study, above the sections.")
    try:
        values = values_by_path(ConvergenceOptions, content.convergence)
        values["confidence",], values["seed",] = content.confidence, content.seed
        return settings_from(ConvergenceOptions, values)
    except (UserError, TypeError) as problem:
        raise UserError(f"{where}: {problem}") from problem


def _require_distinct(path: Path, models: tuple[StudyModel, ...]) -> None:
    """Refuse a name, or a model of an instrument, that stands there twice."""
    for what in ("name", *(part.name for part in PARTS)):
        seen: set[str] = set()
        for model in models:
            value = getattr(model, what)
            if value is not None and value in seen:
                raise UserError(f"{path}: two models have {what} = '{value}'. Keep one of them.")
            seen.add(value)
