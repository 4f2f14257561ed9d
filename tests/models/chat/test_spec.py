from __future__ import annotations

import contextlib
import re
import sys
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from endoxa.errors import UserError
from endoxa.models.chat import open_chat, parse_chat_model
from endoxa.models.chat.presets import USER_PROVIDERS, price_of
from endoxa.models.chat.spec import ChatOptions, Price, read_key
from endoxa.models.chat.thoughts import (
    USER_THOUGHTS,
    Spoken,
    all_formats,
    part_thoughts,
    spoken,
    without_thoughts,
)
from endoxa.models.keys import SHOWN, refuse_secrets, scrub, shown
from endoxa.models.retrying import requested_wait
from endoxa.schema.chat import ChatAnswer
from endoxa.schema.finish import THOUGHTS_ONLY

NOW = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "kind", "provider", "served_name", "url", "key"),
    [
        ("anthropic/x", "anthropic", "anthropic", "x", "https://api.anthropic.com", "ANTHROPIC_API_KEY"),
        ("groq/org/x", "server", "groq", "org/x", "https://api.groq.com/openai/v1", "GROQ_API_KEY"),
        ("ollama/x:1b", "server", "ollama", "x:1b", "http://localhost:11434/v1", "ENDOXA_SERVER_KEY"),
        ("http://h:8000/v1/#org/x", "server", "server", "org/x", "http://h:8000/v1", "ENDOXA_SERVER_KEY"),
        ("sim/biased?bias=0.7", "sim", "sim", "biased?bias=0.7", "", ""),
    ],
)
def test_words_that_name_a_model(
    text: str, kind: str, provider: str, served_name: str, url: str, key: str
) -> None:
    spec = parse_chat_model(text, {})
    assert (spec.text, spec.host.kind, spec.host.name, spec.served_name) == (
        text,
        kind,
        provider,
        served_name,
    )
    assert (spec.base_url, spec.host.key) == (url, key)


@given(st.text(max_size=40))
def test_any_words_give_a_spec_or_a_sentence(text: str) -> None:
    with contextlib.suppress(UserError):
        assert parse_chat_model(text, {}).text == text


def test_own_providers(tmp_path: Path) -> None:
    path = tmp_path / "providers.toml"
    environment = {USER_PROVIDERS: str(path)}
    path.write_text('[lab]\nbase_url = "http://lab:1/v1/"\nkey = "LAB_KEY"\nbatches = true\n')
    spec = parse_chat_model("lab/x", environment)
    assert (spec.base_url, spec.host.key, spec.host.open_batch is not None) == (
        "http://lab:1/v1",
        "LAB_KEY",
        True,
    )
    for secret in ("http://me:secret@lab/v1", "http://lab/v1?api-key=secret"):
        path.write_text(f'[lab]\nbase_url = "{secret}"\n')
        with pytest.raises(UserError, match="no user name, password") as raised:
            parse_chat_model("lab/x", environment)
        assert "secret" not in str(raised.value)
    path.write_text('[lab]\nurl = "http://lab:1/v1"\n')
    with pytest.raises(
        UserError, match=r"providers.toml, \[lab\]: url: it is not known\. Expected of a provider"
    ):
        parse_chat_model("lab/x", environment)
    path.write_text("[lab")
    with pytest.raises(UserError, match="is not valid TOML"):
        parse_chat_model("lab/x", environment)


def test_keys_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    spec = parse_chat_model("openai/x", {})
    assert read_key(spec, {"OPENAI_API_KEY": " abc\n"}) == "abc"
    with pytest.raises(UserError, match="set the environment variable OPENAI_API_KEY"):
        read_key(spec, {})
    monkeypatch.delenv("GROQ_API_KEY", raising=False)
    with pytest.raises(UserError, match="GROQ_API_KEY"):  # before anything is sent
        open_chat(parse_chat_model("groq/x", {}), ChatOptions())
    with pytest.raises(UserError, match="copy the key again") as raised:
        read_key(spec, {"OPENAI_API_KEY": "abc\ndef"})
    assert "abc" not in str(raised.value)
    assert read_key(parse_chat_model("ollama/x", {}), {"OPENAI_API_KEY": "abc"}) == "none"


@pytest.mark.parametrize(
    "text",
    [
        "key s3cr3t-key-0 here",
        "a sk-proj-ab12*****yz99 b",
        "SEKR****0zzz is wrong",
        "s3cr…y-0 is wrong",
    ],
)
def test_scrubbed_text_holds_no_key(text: str) -> None:
    assert "(key)" in scrub(text, "s3cr3t-key-0")
    assert not re.search("s3cr|y-0|SEKR|0zzz", scrub(text, "s3cr3t-key-0"))
    assert not {"s3cr3t", "ab12"} & set(scrub(text, "s3cr3t-key-0").split("-"))


def test_a_key_is_never_cut_in_half() -> None:
    assert "s3cr" not in shown("x" * (SHOWN - 4) + " s3cr3t-key-0", "s3cr3t-key-0")


@pytest.mark.parametrize(
    "extra", [{"api_key": 1}, {"extra_headers": {"X-Api-Key": 1}}, {"a": [{"Authorization": 1}]}]
)
def test_no_secret_among_the_further_fields(extra: dict[str, Any]) -> None:
    with pytest.raises(UserError, match="looks like a secret"):
        refuse_secrets(extra)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "0.5"}, 0.5),
        ({"Retry-After-Ms": "250", "Retry-After": "9"}, 0.25),
        ({"Retry-After": format_datetime(NOW + timedelta(seconds=90), usegmt=True)}, 90),
        ({"Retry-After": format_datetime(NOW - timedelta(seconds=90), usegmt=True)}, 0),
        ({"Retry-After": "-3"}, None),
        ({"Retry-After": "inf"}, None),
        ({"Retry-After": "soon"}, None),
    ],
)
def test_waiting_times_as_providers_write_them(headers: dict[str, str], seconds: float | None) -> None:
    assert requested_wait(headers, NOW) == seconds


def test_prices() -> None:
    # OpenAI's published price of gpt-4o-mini: 0.15 and 0.60 US dollars per million tokens.
    known = price_of(parse_chat_model("openai/gpt-4o-mini", {}))
    assert known is not None
    assert (known.input_per_million, known.output_per_million) == pytest.approx((0.15, 0.60))
    assert "openai gpt-4o-mini" in known.source
    assert price_of(parse_chat_model("openai/gpt-4o-mini", {}), "1,2.5") == Price(1.0, 2.5, "given")
    for text in ("http://127.0.0.1:8000/v1#x", "ollama/x", "hf/x", "sim/biased", "openai/no-such-model"):
        assert price_of(parse_chat_model(text, {})) is None


def test_a_missing_package_is_named_with_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "aiolimiter", None)
    with pytest.raises(UserError, match=r'pip install -c constraints.txt -e ".\[chat\]" in a copy'):
        open_chat(parse_chat_model("ollama/x", {}), ChatOptions())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Asha waters the garden.", "Asha waters the garden."),
        ("<think>A baker. Who?</think>Asha bakes.", "Asha bakes."),
        ("A baker. Who?</think>Asha bakes.", "Asha bakes."),
        ("<THINKING>One.</THINKING> <think>Two.</think>Asha bakes.", "Asha bakes."),
        ("<think>A baker. Who", ""),
        ("<think>İİİ</think>Asha", "Asha"),
        ("I think so.", "I think so."),
        ("<think>A <think>baker</think>?</think>Asha", "Asha"),
        ("<think>One.</think>Asha<think>Two.</think>bakes.", "Asha\nbakes."),
        ("[THINK]A baker.[/THINK]Asha", "Asha"),
        ("<analysis>A baker.</analysis><think >Who?</think >Asha", "Asha"),
        ("analysisA baker.assistantanalysisWho?assistantfinalAsha", "Asha"),
        ("analysisA baker", ""),
        ("analysis of the text", "analysis of the text"),
        ("<|channel|>final <|constrain|>json<|message|>{}", "{}"),
        ("◁think▷A baker.◁/think▷Asha", "Asha"),
        ("<|START_THINKING|>A baker.<|END_THINKING|><|START_RESPONSE|>Asha<|END_RESPONSE|>", "Asha"),
        ("<seed:think>A baker.</seed:think>Asha", "Asha"),
        ("<|channel>thought\nA baker.<channel|>Asha", "Asha"),
        ("Here is my thought process: A baker.\nHere is my response:Asha", "Asha"),
    ],
)
def test_only_what_stands_beside_thoughts_is_said(text: str, said: str) -> None:
    assert without_thoughts(text) == said


def test_thoughts_are_kept_and_those_without_an_end_are_marked() -> None:
    found = spoken(ChatAnswer("[THINK]A baker.[/THINK]Asha", reasoning="Who?"))
    assert (found.text, found.reasoning, found.finish) == ("Asha", "Who?\nA baker.", "stop")
    assert spoken(ChatAnswer("<think>A baker")).finish == THOUGHTS_ONLY
    assert spoken(ChatAnswer("<think>A baker", finish="length")).finish == "length"
    assert part_thoughts("A baker", "<user>[THINK]\n") == Spoken("", "A baker", unfinished=True)
    assert part_thoughts("Well.\n</think>B", "<user><think>\n") == Spoken("B", "Well.")
    assert part_thoughts("B", "<user><think>\n\n</think>\n\n") == Spoken("B", "")
    assert part_thoughts("<think>\nWell.\n</think>\n\nB", "<user>") == Spoken("\n\nB", "Well.")


def test_formats_of_ones_own(tmp_path, monkeypatch) -> None:
    own = tmp_path / "thoughts.toml"
    monkeypatch.setenv(USER_THOUGHTS, str(own))
    own.write_text("[mine]\nopens = '«'\ncloses = '»'\n", encoding="utf-8")
    all_formats.cache_clear()
    assert part_thoughts("«A baker.»Asha") == Spoken("Asha", "A baker.")
    own.write_text("[mine]\nopens = '('\ncloses = '»'\n", encoding="utf-8")
    all_formats.cache_clear()
    with pytest.raises(
        UserError,
        match=r"thoughts.toml, \[mine\]: opens: .*no regular expression.* Expected of a format of thoughts",
    ):
        part_thoughts("«A baker.»Asha")
    monkeypatch.undo()
    all_formats.cache_clear()
