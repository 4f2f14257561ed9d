"""Translators: a table, a chat server over HTTP, local chat weights; and what is remembered."""

from __future__ import annotations

import json

import pytest

from endoxa.curate.translation import open_translator, translate_all
from endoxa.errors import UserError
from endoxa.models.chat import ChatOptions, open_chat, parse_chat_model
from support.http_server import serving

pytestmark = pytest.mark.slow

LEXICON = {"Les chats dorment": "Cats sleep", "Les vieux sont sages": "Old people are wise", "Na": "Na"}


class Counting:
    """A translator that counts what it is asked, and stops after some."""

    name = "counting"
    remembered = True

    def __init__(self, stop_after=None):
        self.asked = []
        self.stop_after = stop_after

    def translate(self, texts, source, target):
        for text in texts:
            if self.stop_after is not None and len(self.asked) >= self.stop_after:
                raise KeyboardInterrupt
            self.asked.append((source, text))
            yield LEXICON.get(text)


def test_only_other_languages_are_translated_each_text_once(tmp_path):
    translator = Counting()
    texts = ["Cooks are loud", "Les chats dorment", "Les chats dorment", "Pas connu"]
    done = translate_all(
        texts, ["en", "fr", "fr", "fr"], translator, target="en", memory=tmp_path / "m.jsonl"
    )
    assert done == ["Cooks are loud", "Cats sleep", "Cats sleep", None]
    assert translator.asked == [("fr", "Les chats dorment"), ("fr", "Pas connu")]


def test_killed_run_goes_on_and_pays_nothing_twice(tmp_path):
    memory = tmp_path / "m.jsonl"
    texts = list(LEXICON)
    with pytest.raises(KeyboardInterrupt):
        translate_all(texts, ["fr"] * 3, Counting(stop_after=2), target="en", memory=memory)
    with memory.open("a") as stream:
        stream.write('{"translator": "counting", "lang')  # killed in the middle of a line
    again = Counting()
    done = translate_all(texts, ["fr"] * 3, again, target="en", memory=memory)
    assert done == list(LEXICON.values())
    assert again.asked == [("fr", "Na")]
    assert len([json.loads(line) for line in memory.read_text().splitlines()]) == 3


def test_damaged_memory_is_said(tmp_path):
    memory = tmp_path / "m.jsonl"
    memory.write_text("no json\n{}\n")
    with pytest.raises(UserError, match="line 1: not a stored translation"):
        translate_all(["Na"], ["fr"], Counting(), target="en", memory=memory)


def test_table_of_translations(tmp_path):
    path = tmp_path / "t.csv"
    rows = (
        "original,translation,language",
        "les  CHATS dorment.,Cats sleep,fr",
        "chat,talk,en",
        "chat,cat,fr",
        "x,,fr",
    )
    path.write_text("\n".join(rows) + "\n")
    translator = open_translator(str(path))
    assert list(translator.translate(["Les chats dorment", "chat", "x", "y"], "fr", "en")) == [
        "Cats sleep",
        "cat",
        None,
        None,
    ]
    memory = tmp_path / "m.jsonl"
    translate_all(["chat"], ["fr"], translator, target="en", memory=memory)
    assert not memory.exists()


@pytest.fixture
def chat_server():
    """Answers from the lexicon; refuses, rambles or says nothing for some texts."""
    bodies = []
    odd = {"refused": 400, "rambling": "I would rather not. " * 30, "silent": '""', "quoted": '"Cats  sleep"'}

    def answer(body, key):
        bodies.append((body, key))
        text = body["messages"][-1]["content"]
        said = odd.get(text, LEXICON.get(text, "?"))
        if isinstance(said, int):
            return said, {"error": {"message": "no"}}
        choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": said}}
        return 200, {"id": "x", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice]}

    with serving(answer) as url:
        yield url, bodies


def test_chat_model_translates_and_odd_answers_are_no_translation(chat_server, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    url, bodies = chat_server
    translator = open_translator(f"{url}#m")
    texts = [*LEXICON, "refused", "rambling", "silent", "quoted"]
    found = list(translator.translate(texts, "fr", "en"))
    assert found == [*LEXICON.values(), None, None, None, "Cats sleep"]
    body, key = bodies[0]
    assert body["model"] == "m"
    assert body["temperature"] == 0
    assert "from French into English" in body["messages"][0]["content"]
    assert key == "Bearer none"  # the key of another service never leaves


def test_no_key_is_shown_and_no_organization_is_sent(monkeypatch):
    monkeypatch.setenv("ENDOXA_SERVER_KEY", "topsecretkey")
    monkeypatch.setenv("OPENAI_ORG_ID", "org-ours")
    told = "Incorrect API key provided: topsecretkey, or sk-proj-****wxyz."
    with serving(lambda *_: (401, {"error": {"message": told}})) as url:
        translator = open_translator(f"{url}#m")
        with pytest.raises(UserError) as caught:
            list(translator.translate(["Na"], "fr", "en"))
    assert open_chat(parse_chat_model(f"{url}#m"), ChatOptions())._client.organization is None
    assert "refuses the key in the environment variable ENDOXA_SERVER_KEY" in str(caught.value)
    assert not any(part in str(caught.value) for part in ("topsecret", "wxyz"))


def test_what_was_answered_beside_a_failure_is_kept(tmp_path):
    def answer(body, _key):
        text = body["messages"][-1]["content"]
        if text == "stop":
            return 401, {"error": {"message": "no"}}
        choice = {
            "index": 0,
            "finish_reason": "stop",
            "message": {"role": "assistant", "content": LEXICON[text]},
        }
        return 200, {"id": "x", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice]}

    memory = tmp_path / "memory.jsonl"
    with serving(answer) as url, pytest.raises(UserError):
        translate_all(["stop", *LEXICON], ["fr"] * 4, open_translator(f"{url}#m"), target="en", memory=memory)
    lines = map(json.loads, memory.read_text(encoding="utf-8").splitlines())
    assert {line["original"]: line["translation"] for line in lines} == LEXICON


def test_dead_server_and_missing_key_are_one_sentence(monkeypatch):
    monkeypatch.setattr("endoxa.curate.translation.PATIENCE", 0.1)
    with pytest.raises(UserError, match=r"does not answer: .*the same command continues"):
        list(open_translator("http://127.0.0.1:9/v1#m").translate(["Na"], "fr", "en"))
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(UserError, match="OPENAI_API_KEY"):
        open_translator("openai/some-model")
