"""Engines of translation with interfaces of their own: the documented requests and answers, faults, keys, resume."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import polars as pl
import pytest

from endoxa.author.drafting import draft, is_service
from endoxa.author.settings import TranslateSettings
from endoxa.curate.translation.web import open_deepl, open_libretranslate
from endoxa.errors import UserError


class Server(ThreadingHTTPServer):
    """Answers as LibreTranslate (/translate) and DeepL (/v2/translate) document it; keeps what was asked."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked, self.status = [], 200

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append((self.path, body, self.headers.get("Authorization", "")))
        if self.path == "/v2/translate":
            answer = {"translations": [{"text": text.upper()} for text in body["text"]]}
        else:
            answer = {"translatedText": [text.upper() for text in body["q"]]}
        status = self.server.status
        said = json.dumps(answer if status == 200 else {"error": "no such language"}).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(said)

    def log_message(self, *_):
        pass


@pytest.fixture
def server():
    own = Server()
    thread = threading.Thread(target=own.serve_forever, daemon=True)
    thread.start()
    yield own
    own.shutdown()
    own.server_close()
    thread.join()


def test_libretranslate(server, monkeypatch):
    monkeypatch.setenv("LIBRETRANSLATE_API_KEY", "k1")
    texts = [f"text {k}" for k in range(45)]
    found = list(open_libretranslate(server.url + "/").translate(texts, "en", "hi"))
    assert found == [text.upper() for text in texts]
    assert [len(body["q"]) for _, body, _ in server.asked] == [20, 20, 5]
    assert server.asked[0][1] | {"q": []} == {
        "q": [],
        "source": "en",
        "target": "hi",
        "format": "text",
        "api_key": "k1",
    }


def test_deepl(server, monkeypatch):
    monkeypatch.setenv("DEEPL_API_KEY", "secret:fx")
    assert str(open_deepl().client.base_url) == "https://api-free.deepl.com"
    found = list(open_deepl(server.url).translate(["a b"], "en-GB", "pt-br"))
    path, body, key = server.asked[0]
    assert (found, path, key) == (["A B"], "/v2/translate", "")  # DeepL's key is for DeepL
    monkeypatch.setenv("ENDOXA_SERVER_KEYS", f"{server.url}=own:fx")
    list(open_deepl(server.url).translate(["a b"], "en-GB", "pt-br"))
    assert server.asked[1][2] == "DeepL-Auth-Key own:fx"
    assert body == {"text": ["a b"], "source_lang": "EN", "target_lang": "PT-BR"}


def test_a_refused_key_is_one_sentence_without_the_key(server, monkeypatch):
    monkeypatch.setenv("ENDOXA_SERVER_KEY", "secret")
    server.status = 403
    with pytest.raises(UserError, match="status 403") as problem:
        list(open_deepl(server.url).translate(["a"], "en", "hi"))
    assert "secret" not in str(problem.value)
    monkeypatch.delenv("DEEPL_API_KEY", raising=False)
    with pytest.raises(UserError, match="needs a key in the environment variable DEEPL_API_KEY"):
        open_deepl()
    with pytest.raises(UserError, match="has no address"):
        open_libretranslate("localhost")


def test_refused_texts_are_none(server):
    server.status = 400
    assert list(open_libretranslate(server.url).translate(["a", "b"], "en", "xx")) == [None, None]


def test_words_that_name_a_service():
    named = ("libretranslate:http://x", "deepl", "seq2seq:org/name", "table:words.csv")
    assert all(map(is_service, named))
    assert not any(map(is_service, ("openai/gpt", "sim/translator-a", "deeplike/x", "hf/x")))


def test_services_and_chat_models_are_candidates_together(server, tmp_path):
    data = tmp_path / "pairs.csv"
    pl.DataFrame({"sent_more": ["Women are loud."], "sent_less": ["Women are quiet."]}).write_csv(data)
    words = tmp_path / "words.csv"
    words.write_text("original,translation\nWomen are loud.,same\nWomen are quiet.,same\n")
    engines = {"models": ("sim/author-faultless",)}
    services = (f"libretranslate:{server.url}", f"table:{words}")
    settings = TranslateSettings(data=str(data), to="hi", services=services, **engines)
    outcome = draft("translate", settings, tmp_path / "c.csv")
    row = pl.read_csv(tmp_path / "c.csv").row(0, named=True)
    assert row[f"candidate_{services[0]}_more"] == "WOMEN ARE LOUD."
    assert row[f"checks_{services[1]}"] == "identical-now"
    assert row["candidate_sim/author-faultless_more"] == "nemoW era .duol"
    assert outcome.made.yields["model"].to_list() == ["sim/author-faultless", *services]
    asked = len(server.asked)
    draft("translate", settings, tmp_path / "c.csv")
    assert len(server.asked) == asked


def test_what_an_engine_cannot_translate_is_counted(server, tmp_path):
    data = tmp_path / "pairs.csv"
    pl.DataFrame({"sent_more": ["a", "b"], "sent_less": ["c", "d"]}).write_csv(data)
    words = tmp_path / "words.csv"
    words.write_text("original,translation\na,x\nc,y\nb,z\n")
    settings = TranslateSettings(data=str(data), to="hi", services=(f"table:{words}",))
    made = draft("translate", settings, tmp_path / "c.csv").made
    assert made.yields.select("asked", "failed", "drafts").row(0) == (2, 1, 1)
    assert pl.read_csv(tmp_path / "c.csv")[f"candidate_table:{words}_more"].fill_null("").to_list() == [
        "x",
        "",
    ]
