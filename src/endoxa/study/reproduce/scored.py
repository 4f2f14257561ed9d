"""Sentence pairs and association tests scored with the models that were given; runs stay in `runs/` of the folder."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from endoxa.errors import UserError
from endoxa.models.spec import ModelOptions
from endoxa.report.words import slug
from endoxa.runs.folder import DifferentRunError
from endoxa.sources.read import read_pairs
from endoxa.sources.spreadsheets import read_csv
from endoxa.study.reproduce.declaration import Key, Ours, PublishedResult
from endoxa.study.reproduce.given import Given, Standing

if TYPE_CHECKING:
    import polars as pl


def require_models(result: PublishedResult, given: Given) -> None:
    """Raise where no model was given.

    Raises:
        UserError: there is none.
    """
    if not given.models:
        label, names = next(iter(result.models.items()))
        raise UserError(
            f"{result.name} needs weights: name at least one model, as in --model {names[0]}, or one that stands in "
            "for "
            f"a rehearsal, as in --model {label}=hf/FOLDER ({len(result.models)} published models: "
            f"{', '.join(result.models)})."
        )


def require_pairs(data: Path) -> None:
    """Raise where a file of pairs cannot be read: its faults are no fault of a model.

    Raises:
        UserError: see `endoxa.sources.read.read_pairs`.
    """
    for _ in read_pairs(data):
        pass


def of_every_model(
    given: Given,
    found: Mapping[Key, Ours],
    compute: Callable[[Standing], Mapping[Key, Ours]],
    *,
    one_model: bool = False,
) -> dict[Key, Ours]:
    """What is computed with each model that was given, over the cells of `found`.

    The cells of a model that cannot be scored are not computed, with the reason; the others go on.

    Args:
        given: what the user gave.
        found: the printed cells; the label of a model is one of the parts of the names of its cells.
        compute: ours of one model.
        one_model: all printed cells are of one model, which their names leave out.

    Raises:
        DifferentRunError: the folder holds a run of the model with other options.
    """
    cells = dict(found)
    for one in given.models:
        try:
            cells |= compute(one)
        except DifferentRunError:
            raise
        except (UserError, RuntimeError, MemoryError) as problem:
            failed = Ours(None, f"{one.model} cannot be scored: {str(problem).rstrip('.')}")
            printed = [key for key in found if one_model or one.label in key[1].split(", ")]
            cells |= dict.fromkeys(printed or [("models that were given", one.label)], failed)
    return cells


def scored(
    given: Given, one: Standing, data: Path, rules: Sequence[str], *, part: str = "", **options: Any
) -> pl.DataFrame:
    """Estimates of a run of sentence pairs with one model; rules that do not apply to it are left out.

    Args:
        given: what the user gave.
        one: the model.
        data: file of pairs.
        rules: scoring rules; those of the model's architecture are used.
        part: tells runs of one model apart ("hi").
        options: further settings of `endoxa probe pairs`.

    Raises:
        UserError: model or data cannot be used.
    """
    folder = run_pairs(given, one, data, rules, part=part, **options)
    # A folder of an earlier call may hold another model in the same place.
    return read_csv(folder / "estimates.csv", infer_schema_length=None).filter(model=one.model)


def run_pairs(
    given: Given, one: Standing, data: Path, rules: Sequence[str], *, part: str = "", **options: Any
) -> Path:
    """The folder of a finished run of sentence pairs; see `scored`."""
    from endoxa.instruments.pairs.instrument import PAIRS
    from endoxa.instruments.pairs.probe.settings import PairsSettings

    settings = PairsSettings(
        data=str(data),
        models=(one.model,),
        rules=_fitting(one.model, rules, given.options),
        calibrate=False,
        seed=given.seed,
        options=given.options,
        **options,
    )
    return _run(PAIRS, settings, given, one, part)


def _fitting(model: str, rules: Sequence[str], options: ModelOptions) -> tuple[str, ...]:
    """The rules that apply to the model's architecture.

    Raises:
        UserError: the model cannot be read, or none applies.
    """
    from endoxa.instruments.pairs.rules import RULES
    from endoxa.models.scoring import look_at, parse_model

    kind = look_at(parse_model(model), options).architecture
    fitting = tuple(name for name in rules if RULES.get(name).architecture == kind)
    if not fitting:
        raise UserError(
            f"{model} is {kind}, and the published rules ({', '.join(rules)}) do not apply to it."
        )
    return fitting


def encoded(
    given: Given, one: Standing, tests: Path, poolings: Sequence[str], part: str = ""
) -> pl.DataFrame:
    """Estimates of association tests with one encoder.

    Raises:
        UserError: model or tests cannot be used.
    """
    from endoxa.instruments.association_tests.instrument import EMBEDDINGS
    from endoxa.instruments.association_tests.probe.settings import EmbeddingsSettings

    settings = EmbeddingsSettings(
        tests=str(tests),
        models=(one.model,),
        poolings=tuple(poolings),
        seed=given.seed,
        draws=200,
        options=given.options,
    )
    found = read_csv(_run(EMBEDDINGS, settings, given, one, part) / "estimates.csv", infer_schema_length=None)
    return found.filter(model=one.model)


def _run(instrument: Any, settings: Any, given: Given, one: Standing, part: str) -> Path:
    from endoxa.runs.run import run

    folder = given.out / "runs" / slug(f"{one.label} {part}")
    run(instrument, settings, folder, progress=given.progress)
    return folder
