"""The battery that every instrument must pass, ours and others'."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import is_dataclass, replace
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import numpy as np
import polars as pl

from endoxa.errors import UserError
from endoxa.runs.folder import RECORDS, VECTORS, DifferentRunError
from endoxa.runs.instrument import INSTRUMENTS, Instrument
from endoxa.runs.run import measure, read_run, run
from endoxa.schema import Progress
from endoxa.schema.options import GROUPS, MODELS, OptionField, options_of
from endoxa.testing.plugins import refusal


def check_instrument(
    instrument: Instrument[Any], settings: Any, other: Any, added: str, folder: Path
) -> None:
    """Raise AssertionError where an instrument breaks a promise that commands, reports and users rely on.

    Args:
        instrument: the instrument under test.
        settings: settings of a run of a few seconds, with one model.
        other: settings that decide other records, with the same model.
        added: a second model.
        folder: an empty folder to work in.
    """
    assert INSTRUMENTS.get(instrument.name) is instrument, "register it in the group endoxa.instruments"
    assert instrument.holds, "say what its runs hold"
    assert instrument.unit, "say what progress counts"
    assert instrument.help.partition("\n")[0].endswith("."), "the first line of the help must be a sentence"
    assert "Examples:" in instrument.help, "the help must have examples"
    names = [option.name for option in options_of(instrument.settings)]
    assert len(names) == len(set(names)), "two options have one name"
    for option in options_of(instrument.settings):
        assert option.option.group in GROUPS, f"{option.name}: unknown group"
        assert option.option.help.endswith((".", "...", ")")), f"{option.name}: its help must be a sentence"
    _check_identity(instrument, settings, folder)
    out = folder / "run"
    first = run(instrument, settings, out)
    assert not first.was_complete
    facts = read_run(first.folder)
    assert facts["kind"] == instrument.name
    assert facts["finished"]
    assert facts["counts"]["items"] > 0
    assert [model["name"] for model in facts["identity"]["models"]] == list(settings.models)
    assert type(settings).model_validate(facts["settings"]) == settings, (
        "settings must come back from run.json"
    )
    if instrument.estimate is not None:
        assert all((first.folder / name).exists() for name in instrument.outputs)
    assert all(isinstance(line, str) and line for line in instrument.summary(settings, first))
    before = records(out)
    assert run(instrument, settings, out).was_complete, "a finished run must be left as it is"
    different = refusal(lambda: run(instrument, other, out), DifferentRunError)
    assert "holds a different run" in (different or ""), f"other settings must be refused: {different}"
    assert records(out) == before, "a refused run must not touch the records"
    measure(instrument, settings, folder / "again")
    assert records(folder / "again") == before, "the same settings must give the same records"
    half = folder / "half"
    _stop_writing(lambda progress: measure(instrument, settings, half, progress=progress))
    measure(instrument, settings, half)
    assert records(half) == before, "a run that was stopped must end like one that was not"
    _check_added_model(instrument, settings, added, out, folder)
    modelless = settings.model_copy(update={"models": ()})
    refused = refusal(lambda: measure(instrument, modelless, folder / "none"), UserError)
    assert refused, "a run without a model must be refused"
    assert not (folder / "none").exists(), "a start that failed must leave nothing behind"


def records(folder: Path) -> dict[str, list[Any]]:
    """Records of a run folder by file name; runs of encoders have vectors instead."""
    if (folder / RECORDS).exists():
        return {RECORDS: pl.read_parquet(folder / RECORDS).rows()}
    by_file: dict[str, list[Any]] = {}
    for path in sorted((folder / VECTORS).iterdir()):
        with np.load(path) as arrays:
            by_file |= {f"{path.name} {name}": arrays[name].tolist() for name in arrays}
    return by_file


def _check_identity(instrument: Instrument[Any], settings: Any, folder: Path) -> None:
    """Every option is part of the identity of a run, unless it is marked where it is declared (`Option.decides`)."""
    work = instrument.work(settings, folder / "identity")
    assert work.settings == settings, "the work must have the settings of the run"
    for option in options_of(type(settings)):
        when, field = option.option.decides, option.path[0]
        if field in (*work.contents, MODELS) or when in (False, MODELS):
            continue
        beside = settings if when is True else settings.model_copy(update={str(when): 1})
        varied = replace(work, settings=with_option(beside, option.path, another_value(option)))
        assert varied.identity != replace(work, settings=beside).identity, (
            f"{option.name} changes nothing in the identity of a run: if it decides no result, mark it (decides=False)"
        )


def another_value(option: OptionField) -> Any:
    """A value of an option's type other than its default."""
    kind = next((part for part in get_args(option.type) if part is not type(None)), option.type)
    if get_origin(option.type) is Literal:
        return next(word for word in get_args(option.type) if word != option.default)
    if option.type is bool:
        return not option.default
    if kind in (int, float):
        return (option.default or option.limits.get("ge", 0)) / 2 + 1
    if kind in (str, Path):
        return kind("another value")
    return {"another": "value"} if get_origin(option.type) is Mapping else ("another value",)


def with_option(settings: Any, path: Sequence[str], value: Any) -> Any:
    """The settings with one option replaced, without a look at whether they may be so."""
    if len(path) > 1:
        value = with_option(getattr(settings, path[0]), path[1:], value)
    if is_dataclass(settings):
        return replace(settings, **{path[0]: value})  # type: ignore[type-var]
    return settings.model_copy(update={path[0]: value})


def _check_added_model(
    instrument: Instrument[Any], settings: Any, added: str, out: Path, folder: Path
) -> None:
    extended = settings.model_copy(update={"models": (*settings.models, added)})
    before = records(out)
    _stop_writing(lambda progress: run(instrument, extended, out, progress=progress))
    assert run(instrument, settings, out).was_complete, "a run to which a model is being added stays finished"
    kept = records(out)
    assert {name: kept[name] for name in before} == before, "its records stay until the new model is through"
    phases: list[str] = []
    done = run(instrument, extended, out, progress=lambda what, *_: phases.append(what))
    assert not done.was_complete
    assert not [what for what in phases if what.endswith(settings.models[0])], (
        "only the new model is measured"
    )
    measure(instrument, extended, folder / "both")
    assert records(out) == records(folder / "both"), "adding a model must give the records of one run of both"
    names = [model["name"] for model in read_run(out)["models"]]
    assert len(names) == 2, "run.json must name both models"
    assert run(instrument, settings, out).was_complete, "the first command must find its run complete"


def _stop_writing(work: Callable[[Progress], Any]) -> None:
    """Ctrl-C when a run begins to write its records."""

    def stop(what: str, *_: object) -> None:
        if what == "writing records":
            raise KeyboardInterrupt

    assert refusal(lambda: work(stop), KeyboardInterrupt) is not None, "Ctrl-C must end a run"
