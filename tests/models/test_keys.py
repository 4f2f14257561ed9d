"""Keys belong to hosts, and what only a file says switches nothing on."""

from __future__ import annotations

import json
import sys
from unittest.mock import Mock

import pytest

from endoxa.commands import main
from endoxa.commands.options import run_settings
from endoxa.errors import UserError
from endoxa.instruments.questions.instrument import QUESTIONS
from endoxa.instruments.stories.instrument import EXTRACT
from endoxa.models.chat import parse_chat_model
from endoxa.models.checkpoint import fingerprint
from endoxa.models.keys import server_key
from endoxa.models.scoring import look_at, parse_model
from endoxa.models.spec import ModelOptions
from endoxa.runs.cluster import connect
from endoxa.runs.run import measure
from endoxa.schema.options import settings_from
from endoxa.schema.typed import typed_words
from support.http_server import serving
from support.qa_questions import questions, write

HERE, THERE = "http://127.0.0.1:8000/v1", "http://gpu.example.org/v1"
KEY = "topsecretkey"


def key(url: str, *typed: str, **environment: str) -> str:
    with typed_words(typed):
        return server_key(f"The model '{url}#m'", url, f"{url}#m", environment=environment)


@pytest.mark.parametrize(
    ("url", "typed", "environment", "expected"),
    [
        (HERE, [], {}, "none"),
        (THERE, [f"{THERE}#m"], {}, "none"),
        (HERE, ["--model", f"{HERE}#m"], {"ENDOXA_SERVER_KEY": KEY}, KEY),
        (THERE, [f"--model={THERE}#m"], {"ENDOXA_SERVER_KEY": KEY}, KEY),
        (THERE, [], {"ENDOXA_SERVER_KEYS": "gpu.example.org=own"}, "own"),
        (HERE, [], {"ENDOXA_SERVER_KEYS": "127.0.0.1:8000=none", "ENDOXA_SERVER_KEY": KEY}, "none"),
    ],
)
def test_a_key_goes_to_the_host_it_is_for(url, typed, environment, expected):
    assert key(url, *typed, **environment) == expected


@pytest.mark.parametrize(
    ("url", "typed", "environment", "message"),
    [
        (HERE, [], {"ENDOXA_SERVER_KEY": KEY}, r"ENDOXA_SERVER_KEYS=127\.0\.0\.1:8000=KEY"),
        (THERE, [], {}, r"gpu\.example\.org is another machine"),
        ("http://127.0.0.1.example.org/v1", [], {}, "is another machine"),
        (THERE, ["http://gpu.example.org.evil/v1#m"], {}, "is another machine"),
        (HERE, [f"{HERE}#m", f"{THERE}#m"], {"ENDOXA_SERVER_KEY": KEY}, "the command names 2 hosts"),
        (HERE, [], {"ENDOXA_SERVER_KEYS": KEY}, "is not of the form HOST=KEY"),
    ],
)
def test_any_other_host_is_asked_for_by_name(url, typed, environment, message):
    with pytest.raises(UserError, match=message) as caught:
        key(url, *typed, **environment)
    assert KEY not in str(caught.value)


def test_a_provider_of_the_users_file_does_not_get_the_key_of_another(tmp_path):
    file = tmp_path / "own.toml"
    file.write_text(
        '[mine]\nbase_url = "https://mine.example/v1"\nkey = "OPENAI_API_KEY"\n', encoding="utf-8"
    )
    with pytest.raises(UserError, match=r"OPENAI_API_KEY holds the key of api\.openai\.com"):
        parse_chat_model("mine/m", {"ENDOXA_PROVIDERS": str(file)})


def run_main(monkeypatch, capsys, *words: str) -> str:
    """What the command says on stderr; it must stop with exit code 2."""
    monkeypatch.setattr(sys, "argv", ["endoxa", *words])
    with pytest.raises(SystemExit) as stopped:
        main()
    assert stopped.value.code == 2
    return capsys.readouterr().err


@pytest.mark.slow
def test_a_repeated_run_sends_no_key_to_a_server_that_only_it_names(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("ENDOXA_SERVER_KEY", KEY)
    sent = []
    with serving(lambda _, authorization: (sent.append(authorization), (400, {}))[1]) as url:
        data = write(tmp_path / "q.jsonl", questions(1))
        settings = QUESTIONS.settings(data=str(data), models=(f"{url}#small",))
        kept = {
            "settings": settings.model_dump(mode="json"),
            "identity": QUESTIONS.work(settings, tmp_path).identity,
        }
        (tmp_path / "run.json").write_text(json.dumps(kept), encoding="utf-8")
        repeat = ("probe", "qa", "--repeat", str(tmp_path), "-o", str(tmp_path / "out"))
        said = run_main(monkeypatch, capsys, *repeat)
        assert not sent
        assert f"add --model {url}#small to the command" in said
        assert "has other ones for --model" in run_main(monkeypatch, capsys, *repeat, "--model", "sim/biased")
        run_main(monkeypatch, capsys, *repeat, "--model", f"{url}#small")
    assert set(sent) == {f"Bearer {KEY}"}


def test_a_cluster_that_cannot_start_is_one_sentence(monkeypatch):
    monkeypatch.setattr("ray.init", Mock(side_effect=Exception("The current node timed out during startup.")))
    with pytest.raises(UserError, match="no Ray cluster on this machine: The current node timed out"):
        connect(None)


def test_a_repeated_run_writes_no_file_that_only_it_names(tmp_path):
    settings = EXTRACT.settings(
        data="stories.csv", models=("sim/reader-a",), sheet=str(tmp_path / "sheet.csv")
    )
    kept = {"settings": settings.model_dump(mode="json"), "identity": {"sample": None}}
    (tmp_path / "run.json").write_text(json.dumps(kept), encoding="utf-8")
    values, _ = run_settings(EXTRACT.settings, tmp_path / "run.json")
    assert settings_from(EXTRACT.settings, values) == settings.model_copy(update={"sheet": None})


@pytest.mark.slow
def test_only_the_command_switches_on_code_of_a_model_and_a_cluster(tmp_path):
    (tmp_path / "config.json").write_text(
        json.dumps({"model_type": "evil", "auto_map": {"AutoConfig": "evil.Config"}}), encoding="utf-8"
    )
    (tmp_path / "model.bin").touch()
    (tmp_path / "evil.py").write_text("raise RuntimeError('code was run')", encoding="utf-8")
    spec, trusting = parse_model(f"hf/{tmp_path}"), ModelOptions(trust_remote_code=True)
    with typed_words(["--repeat"]):
        with pytest.raises(UserError, match="add --set trust_remote_code=yes to the command"):
            look_at(spec, trusting)
        with pytest.raises(UserError, match=r"add --set ray_address=ray://h:1 to the command"):
            connect("ray://h:1")
    measured = {"models": [{"name": spec.text, "fingerprint": "0" * 64}]}
    settings = QUESTIONS.settings(data="q.jsonl", models=(spec.text,))
    with typed_words(["--set", "trust_remote_code=yes"]), pytest.raises(UserError, match="Look at the code"):
        measure(QUESTIONS, settings, tmp_path / "out", expected=measured)


def test_the_fingerprint_covers_what_can_change_an_answer_and_keeps_its_value_elsewhere(tmp_path):
    folder = tmp_path / "model"
    folder.mkdir()
    for name in ("config.json", "model.safetensors", "merges.txt"):
        (folder / name).write_text(name, encoding="utf-8")
    known = "985af6cf13bf95c96743a446e801874805183da6f0f4bd91577d7b3743b72997"
    assert fingerprint(folder) == known
    for inert in ("README.md", "LICENSE", "tf_model.h5", ".cache/x.json", "__pycache__/a.pyc"):
        path = folder / inert
        path.parent.mkdir(exist_ok=True)
        path.write_text("any", encoding="utf-8")
    assert fingerprint(folder) == known
    seen = {known}
    names = ("modeling.py", "additional_chat_templates/rag.jinja", "1_Pooling/config.json")
    for name in names:
        for content in ("one", "two"):
            path = folder / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(content, encoding="utf-8")
            seen.add(fingerprint(folder))
    assert len(seen) == 1 + 2 * len(names)
