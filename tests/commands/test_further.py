"""`--set` and `--settings`: settings that are no words of a command."""

from __future__ import annotations

import json
from typing import Any

import pytest
from typer.testing import CliRunner

from endoxa.commands import app
from endoxa.commands.options import Further, values_set
from endoxa.errors import UserError
from endoxa.instruments.questions.probe.settings import QaSettings
from endoxa.runs.instrument import INSTRUMENTS
from endoxa.schema.options import settings_from


def settings(further: Further, **typed: Any) -> QaSettings:
    return settings_from(QaSettings, {("data",): "q.jsonl", **values_set(QaSettings, further), **typed})


def test_values_are_read_as_their_setting_has_them() -> None:
    words = ("rpm=60", "max-tokens=32", "shuffle=no", 'extra={"top_k": 4}', "dtype=float32", "languages=en")
    made = settings(Further(words))
    assert made.options.requests_per_minute == 60
    assert (made.sampling.max_tokens, made.shuffle, made.sampling.extra) == (32, False, {"top_k": 4})
    assert (made.options.dtype, made.languages) == ("float32", ("en",))


def test_a_file_and_what_is_set_over_it(tmp_path: Any) -> None:
    path = tmp_path / "settings.toml"
    path.write_text('rpm = 60\nask = "text"\n[sampling]\ntemperature = 0.5\ntop_p = 0.9\n', encoding="utf-8")
    made = settings(Further(("rpm=5",), path))
    assert (made.options.requests_per_minute, made.ask) == (5, "text")
    assert (made.sampling.temperature, made.sampling.top_p) == (0.5, 0.9)


def test_settings_of_a_run_are_those_of_its_run_json(tmp_path: Any) -> None:
    first = settings(Further(("rpm=60", "system=Be brief.", "repeats=3")), **{})
    path = tmp_path / "run.json"
    path.write_text(json.dumps({"kind": "qa", "settings": first.model_dump(mode="json")}), encoding="utf-8")
    assert settings(Further((), path)) == first


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("rqm = 60", r"there is no setting 'rqm'\. Did you mean 'rpm'\?"),
        ("rpm = [", "is not valid TOML"),
    ],
)
def test_a_file_that_cannot_be_used_is_one_sentence(tmp_path: Any, text: str, problem: str) -> None:
    path = tmp_path / "settings.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=problem):
        settings(Further((), path))


def test_a_file_does_not_say_what_is_written(tmp_path: Any) -> None:
    path = tmp_path / "settings.toml"
    path.write_text('sheet = "elsewhere.xlsx"', encoding="utf-8")
    extract = INSTRUMENTS.get("extract").settings
    with pytest.raises(UserError, match="only the command may say"):
        values_set(extract, Further((), path))


@pytest.mark.parametrize("word", ["rpm", "rqm=3", "=3"])
def test_a_word_that_is_no_setting_is_refused(word: str) -> None:
    with pytest.raises(UserError, match=r"expected NAME=VALUE.*--help --all"):
        settings(Further((word,)))


@pytest.mark.parametrize("probe", ["pairs", "qa"])
def test_help_shows_few_options_and_all_where_asked(probe: str) -> None:
    short, full = (
        CliRunner().invoke(app, ["probe", probe, "--help", *more]).output for more in ((), ("--all",))
    )
    assert sum(line.startswith("  -") and "--help  " not in line for line in short.splitlines()) <= 24
    assert "dtype=" not in short
    assert "dtype=<auto|float32" in full
