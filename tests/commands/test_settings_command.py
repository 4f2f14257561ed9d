"""Options of commands from what functions and settings classes declare."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import pytest
import typer
from annotated_types import Ge, Le
from pydantic import BaseModel, ConfigDict
from typer.testing import CliRunner

from endoxa.commands.verbs import add_command, argument
from endoxa.errors import UserError
from endoxa.schema.options import ANALYSIS, DATA, ITEMS, OUTPUT, Option, settings_from


def halves(text: str) -> tuple[str, ...]:
    if ":" not in text:
        raise ValueError(f"'{text}' is invalid. Expected A:B.")
    return tuple(text.split(":"))


Rate = Annotated[float, Ge(0), Le(1), Option("Share.", ANALYSIS)]


@dataclass(frozen=True, slots=True)
class Choice:
    rate: Rate = 0.5
    size: Annotated[int, Ge(1), Le(9), Option("Number of things.", ITEMS)] = 3
    kind: Annotated[Literal["one", "two"], Option("Kind.", ANALYSIS)] = "one"
    sides: Annotated[tuple[str, ...], Option("Sides.", ANALYSIS, metavar="A:B", parse=halves)] = ()
    paths: Annotated[tuple[Path, ...], Option("Files; repeatable.", DATA, name="--path")] = ()
    fast: Annotated[bool, Option("Be fast.", ANALYSIS)] = True
    inner: str = "not an option"


class Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    level: Annotated[Rate, Option("Level.", OUTPUT)] = 0.1


@pytest.fixture
def called():
    return []


@pytest.fixture
def app(called):
    def command(
        files: Annotated[tuple[Path, ...], argument("Files.", metavar="FILE...")],
        *,
        out: Annotated[Path, Option("Result.", OUTPUT, short="-o")],
        choice: Choice,
        model: Model,
        only: Annotated[bool, Option("Only this.", OUTPUT, only_on=True)] = False,
        words: Annotated[tuple[str, ...], Option("Word; repeatable.", DATA, name="--word")] = (),
    ) -> None:
        """Do it.

        More of it.
        """
        called.append((files, out, choice, model, only, words))

    made = typer.Typer(rich_markup_mode=None, add_completion=False)
    add_command(made, command)
    return made


def run(app, *words):
    return CliRunner().invoke(app, [str(word) for word in words])


def test_without_options_the_defaults_of_class_and_function_hold(app, called):
    assert run(app, "a.csv", "-o", "r.csv").exit_code == 0
    assert called == [((Path("a.csv"),), Path("r.csv"), Choice(), Model(), False, ())]


def test_what_is_typed_reaches_the_settings_and_the_function(app, called):
    words = ("--rate", 0.25, "--size", 9, "--kind", "two", "--sides", "x:y", "--path", "p", "--path", "q")
    done = run(
        app, "a", "--out", "r", *words, "--no-fast", "--level", 1, "--only", "--word", "v", "--word", "w"
    )
    assert done.exit_code == 0, done.output
    choice = Choice(0.25, 9, "two", ("x", "y"), (Path("p"), Path("q")), fast=False)
    assert called == [((Path("a"),), Path("r"), choice, Model(level=1.0), True, ("v", "w"))]


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (("--rate", 1.5), "--rate"),
        (("--size", 0), "--size"),
        (("--size", 10), "--size"),
        (("--level", 2), "--level"),
        (("--kind", "three"), "'one', 'two'"),
    ],
)
def test_values_out_of_range_are_refused_with_the_option(words, named, app, called):
    done = run(app, "a", "-o", "r", *words)
    assert (done.exit_code, called) == (2, [])
    assert named in done.output


def test_text_that_cannot_be_read_is_a_sentence(app, called):
    done = run(app, "a", "-o", "r", "--sides", "xy")
    assert isinstance(done.exception, UserError)
    assert str(done.exception) == "--sides: 'xy' is invalid. Expected A:B."
    assert called == []


def test_dataclass_is_validated_as_a_model_is():
    assert settings_from(Choice, {("size",): 4}) == Choice(size=4)
    with pytest.raises(UserError, match=r"^--size: .*9 \(found: 10\)"):
        settings_from(Choice, {("size",): 10})
    with pytest.raises(UserError, match=r"^--level: "):
        settings_from(Model, {("level",): -1})
