"""A chat provider and a kind of encoder are one module and one entry each: no other module knows them."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from endoxa import registry
from endoxa.commands import app
from endoxa.errors import UserError
from endoxa.models.chat import PROVIDERS, open_chat, parse_chat_model
from endoxa.models.chat.spec import ChatOptions
from endoxa.models.encoders import ENCODERS, fit_poolings, look_at_encoder, open_encoders, parse_encoder
from endoxa.models.encoders.encoder import EncoderOptions
from endoxa.models.scoring import parse_model
from endoxa.models.spec import read_address
from support.qa_questions import questions, write

POINTS = (
    EntryPoint("toy", "support.toy_provider:TOY", "endoxa.providers"),
    EntryPoint("lacking", "support.toy_provider:LACKING", "endoxa.providers"),
    EntryPoint("toy", "support.toy_encoder:TOY", "endoxa.encoders"),
)


@pytest.fixture
def _installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The toys, as if a package with their entry points were installed."""

    def points(group: str) -> list[EntryPoint]:
        return [*entry_points(group=group), *(point for point in POINTS if point.group == group)]

    monkeypatch.setattr(registry, "entry_points", points)
    for plugins in (PROVIDERS, ENCODERS):
        monkeypatch.setattr(plugins, "_things", None)
        monkeypatch.setattr(plugins, "_points", None)


@pytest.mark.slow
@pytest.mark.usefixtures("_installed")
def test_a_provider_of_a_package_is_planned_and_asked_by_the_command(tmp_path: Path) -> None:
    data = write(tmp_path / "questions.jsonl", questions(8))
    words = ["probe", "qa", "--data", str(data), "--model", "toy/C"]
    plan = CliRunner().invoke(app, [*words, "--plan"])
    assert plan.exit_code == 0, plan.output
    assert "free (a toy)" in " ".join(plan.output.split())
    done = CliRunner().invoke(app, [*words, "--out", str(tmp_path / "run")])
    assert done.exit_code == 0, done.output
    records = pl.read_parquet(tmp_path / "run" / "records.parquet")
    assert len(records) == 8
    assert set(records["model"]) == {"toy/C"}
    assert set(records["answer"]) == {"C"}
    run = json.loads((tmp_path / "run" / "run.json").read_text(encoding="utf-8"))
    assert run["models"][0]["provider"] == "toy"
    for option, said in (("--batch", "has no batch interface"), ("--ask=loglik", "not return probabilities")):
        refused = CliRunner().invoke(app, [*words, option, "--plan"])
        assert said in " ".join(str(refused.exception or "").split() + refused.output.split())


@pytest.mark.usefixtures("_installed")
@pytest.mark.parametrize(
    ("read", "text", "message"),
    [
        (parse_chat_model, "unheard-of/x", r"Available providers: openai, anthropic, .*, toy, lacking\."),
        (parse_model, "toy/A", "toy/A' cannot score sentence pairs"),
        (parse_encoder, "unheard-of/x", r"static/FILE, .* or toy/NAME"),
    ],
)
def test_messages_list_what_packages_add(read: Callable[[str], object], text: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        read(text)


@pytest.mark.usefixtures("_installed")
def test_a_library_of_a_package_that_is_missing_is_one_sentence() -> None:
    with pytest.raises(UserError, match=r"'lacking/x' needs no-such-library: pip install lacking$"):
        open_chat(parse_chat_model("lacking/x", {}), ChatOptions())


def test_a_name_that_is_taken_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    twice = [EntryPoint("toy", "support.toy_provider:TOY", "endoxa.providers")] * 2
    monkeypatch.setattr(registry, "entry_points", lambda group: twice)
    monkeypatch.setattr(PROVIDERS, "_things", None)
    monkeypatch.setattr(PROVIDERS, "_points", None)
    with pytest.raises(UserError, match="Two providers have the name 'toy'"):
        parse_chat_model("toy/x", {})


@pytest.mark.usefixtures("_installed")
def test_an_encoder_of_a_package_gives_vectors() -> None:
    spec = parse_encoder("toy/any")
    facts = look_at_encoder(spec, EncoderOptions())
    assert (facts.fingerprint, facts.usual) == ("any", "letters")
    fitted = fit_poolings([spec], {spec.text: facts}, ())
    [encoder] = open_encoders(spec, EncoderOptions(), fitted.poolings[spec.text], ["abba"])
    [one] = encoder.encode(["abba"])
    np.testing.assert_array_equal(one.vectors["letters"][:3], [2, 2, 0])
    with pytest.raises(UserError, match=r"--layer is for encoders written hf/\.\.\."):
        look_at_encoder(spec, EncoderOptions(layer=1))


@pytest.mark.parametrize(
    ("text", "url", "name"),
    [
        ("http://a:8000/v1#org/x", "http://a:8000/v1", "org/x"),
        ("http://B/V1/#x,y#z", "http://b/V1", "x,y#z"),
    ],
)
def test_an_address_is_read_alike_for_every_kind_of_model(text: str, url: str, name: str) -> None:
    assert read_address(text) == (url, name)
    model, encoder, chat = parse_model(text), parse_encoder(text), parse_chat_model(text, {})
    assert (model.text, model.target, model.served_name) == (text, url, name)
    assert (encoder.text, encoder.target, encoder.served_name) == (text, url, name)
    assert (chat.text, chat.base_url, chat.served_name) == (text, url, name)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("http://a/v1,http://b/v1#x", "A model has one address. To spread its calls over several servers"),
        ("http://a/v1#x,http://b/v1#x", "A model has one address"),
        ("http://me:secret@b/v1#x", "no user name, password"),
    ],
)
def test_a_bad_spelling_is_one_sentence(text: str, message: str) -> None:
    for read in (parse_model, parse_encoder, parse_chat_model):
        with pytest.raises(UserError) as raised:
            read(text)
        assert message in str(raised.value)
        assert "secret" not in str(raised.value)
