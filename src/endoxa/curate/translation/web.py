"""Translators behind an HTTP interface of their own: LibreTranslate and DeepL."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from endoxa.errors import UserError
from endoxa.models.clients import server_client
from endoxa.models.keys import NO_KEY, key_in, server_key
from endoxa.models.retrying import (
    ATTEMPTS,
    PATIENCE,
    REFUSED_TEXTS,
    Retrier,
    TransientError,
    permanent_failure,
)

if TYPE_CHECKING:
    from openai import OpenAI

DEEPL_URL, DEEPL_FREE_URL = "https://api.deepl.com", "https://api-free.deepl.com"
DEEPL_KEY, LIBRE_KEY = "DEEPL_API_KEY", "LIBRETRANSLATE_API_KEY"
"""Environment variables with keys; LibreTranslate's servers mostly need none."""
TEXTS_AT_ONCE = 20
"""Texts of one request."""
_SILENCE = "does not answer as expected"


def patient(who: str, check: str) -> Retrier:
    """When and how often a translator is asked again; `check` is what its user is told to check."""
    return Retrier(who, ATTEMPTS, PATIENCE, silence=_SILENCE, advice=f"Check {check}.")


def require_answer(problem: Exception, key: str, who: str, check: str) -> None:
    """Nothing where a server refuses these texts only.

    Raises:
        TransientError: it may work another time.
        UserError: the server refuses the key or the model.
    """
    failure = permanent_failure(problem, key)
    if failure.status not in REFUSED_TEXTS:
        raise UserError(
            f"{who} does not answer (status {failure.status}: {failure.words}): check {check}. Finished translations "
            "are kept; run the same command again to continue."
        )


@dataclass(frozen=True, slots=True)
class WebTranslator:
    """Posts lists of texts as JSON, with retries.

    Attributes:
        name: the engine as written.
        client: posts anywhere below its address.
        retrier: when and how often to try again.
        deepl: whether the interface is DeepL's, not LibreTranslate's.
        remembered: see `Translator`.
    """

    name: str
    client: OpenAI
    retrier: Retrier
    deepl: bool
    remembered: bool = True

    def translate(self, texts: Sequence[str], source: str, target: str) -> Iterator[str | None]:
        """See `Translator.translate`; None for all texts of an answer that has another number of them."""
        for start in range(0, len(texts), TEXTS_AT_ONCE):
            chunk = list(texts[start : start + TEXTS_AT_ONCE])
            answer = self.retrier.call(partial(self._once, self._body(chunk, source, target)))
            made = answer.get("translations" if self.deepl else "translatedText", [])
            if not isinstance(made, list) or len(made) != len(chunk):
                made = [None] * len(chunk)
            for item in made:
                text = item.get("text") if isinstance(item, dict) else item
                yield " ".join(str(text or "").split()) or None

    def _body(self, texts: list[str], source: str, target: str) -> dict[str, Any]:
        if self.deepl:
            language = source.split("-", maxsplit=1)[0].upper()
            return {"text": texts, "source_lang": language, "target_lang": target.upper()}
        key = {} if self.client.api_key == NO_KEY else {"api_key": self.client.api_key}
        return {"q": texts, "source": source, "target": target, "format": "text", **key}

    def _once(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """The answer of one call; empty where the server refuses these texts."""
        import openai

        key = self.client.api_key
        header = f"DeepL-Auth-Key {key}" if self.deepl and key != NO_KEY else openai.Omit()
        options: Any = {"headers": {"Authorization": header}}
        path = "/v2/translate" if self.deepl else "/translate"
        try:
            answer = json.loads(self.client.post(path, cast_to=str, body=body, options=options))
        except openai.OpenAIError as problem:
            require_answer(problem, key, f"The engine '{self.name}'", "address and key")
            return {}
        except ValueError:
            raise TransientError("the answer cannot be read") from None
        return answer if isinstance(answer, dict) else {}


def open_libretranslate(url: str) -> WebTranslator:
    """The LibreTranslate server at `url`; its key, where it needs one, is in LIBRETRANSLATE_API_KEY.

    Raises:
        UserError: this is no address, or see `endoxa.models.keys.server_key`.
    """
    return _opened(f"libretranslate:{url}", url, None, deepl=False)


def open_deepl(url: str = "") -> WebTranslator:
    """DeepL with the key in DEEPL_API_KEY; keys that end in ':fx' go to the free interface.

    Args:
        url: another server with the same interface; DEEPL_API_KEY is not for it.

    Raises:
        UserError: there is no key, this is no address, or see `endoxa.models.keys.server_key`.
    """
    if url:
        return _opened(f"deepl:{url}", url, None, deepl=True)
    key = key_in(DEEPL_KEY)
    if key == NO_KEY:
        raise UserError(f"deepl needs a key in the environment variable {DEEPL_KEY}.")
    return _opened("deepl", DEEPL_FREE_URL if key.endswith(":fx") else DEEPL_URL, key, deepl=True)


def _opened(name: str, url: str, key: str | None, *, deepl: bool) -> WebTranslator:
    who = f"The engine '{name}'"
    if not url.startswith(("http://", "https://")):
        raise UserError(f"{who} has no address. Write it with https:// or http://.")
    if key is None:
        key = server_key(who, url, name) if deepl else server_key(who, url, name, variable=LIBRE_KEY)
    return WebTranslator(name, server_client(who, url, key), patient(who, "address and key"), deepl)
