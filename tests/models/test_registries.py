"""A chat provider and a kind of encoder are one module and one entry each: no other module knows them."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import endoxa.models
from endoxa import registry
from endoxa.commands import app
from endoxa.errors import UserError
from endoxa.instruments.association_tests.items import write_tests
from endoxa.models.chat import PROVIDERS, open_chat, parse_chat_model
from endoxa.models.chat.spec import ChatOptions
from endoxa.models.encoders import ENCODERS, fit_poolings, look_at_encoder, open_encoders, parse_encoder
from endoxa.models.encoders.encoder import EncoderOptions
from endoxa.models.scoring import parse_model
from endoxa.schema import AssociationTest, TermSet
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
    monkeypatch.setattr(PROVIDERS, "_things", None)
    monkeypatch.setattr(ENCODERS, "_things", None)


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
        (parse_chat_model, "toyy/x", r"Did you mean toy/x\?"),
        (parse_chat_model, "toy/", "write toy/NAME"),
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


@pytest.mark.slow
@pytest.mark.usefixtures("_installed")
def test_an_encoder_of_a_package_is_measured_by_the_command(tmp_path: Path) -> None:
    sets = (
        ("x", "rain snow hail"),
        ("y", "bread cake tart"),
        ("a", "cold grey wet"),
        ("b", "warm sweet dry"),
    )
    terms = [TermSet(name, tuple(words.split())) for name, words in sets]
    write_tests([AssociationTest("weather", *terms, language="en", source="ours")], tmp_path / "tests.json")
    words = ["--data", str(tmp_path / "tests.json"), "--model", "toy/any", "--out", str(tmp_path / "run")]
    done = CliRunner().invoke(app, ["probe", "embeddings", *words, "--pooling", "letters"])
    assert done.exit_code == 0, done.output
    run = json.loads((tmp_path / "run" / "run.json").read_text(encoding="utf-8"))
    assert [(one["model"], one["pooling"]) for one in run["vectors"]] == [("toy/any", "letters")]


@pytest.mark.slow
def test_no_module_outside_its_own_compares_the_name_of_a_provider_or_a_kind() -> None:
    home = Path(endoxa.models.__file__).parents[1]
    names = set(PROVIDERS.all()) | set(ENCODERS.all())
    found = []
    for room in ("runs", "instruments", "commands", "models", "study", "curate"):
        for path in sorted((home / room).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Compare) and _is_name_of_provider(node.left):
                    told = {one.value for one in ast.walk(node) if isinstance(one, ast.Constant)}
                    if told & names:
                        found.append(f"{path.relative_to(home)}:{node.lineno}")
    # Scoring models (`endoxa.models.ModelSpec`) are either loaded here or on a server; nobody adds a third.
    assert [one.partition(":")[0] for one in found] == ["models/scoring.py"] * 2


def _is_name_of_provider(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and node.attr in {"kind", "provider", "key_variable"}


@pytest.mark.slow
def test_reading_the_words_of_a_model_loads_none_of_the_heavy_libraries() -> None:
    code = (
        "import sys; from endoxa.models.scoring import parse_model; from endoxa.models.chat import parse_chat_model; "
        "from endoxa.models.encoders import parse_encoder; parse_chat_model('openai/x'); parse_model('hf/x'); "
        "parse_encoder('st/x'); heavy = {'torch', 'transformers', 'openai', 'anthropic', 'sentence_transformers'}; "
        "sys.exit(', '.join(heavy & set(sys.modules)) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
