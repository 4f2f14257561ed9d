"""Translators behind an HTTP interface of their own: LibreTranslate and DeepL."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class Interface:
    """An address that takes JSON and gives JSON, with retries.

    Attributes:
        name: the engine as written, for messages.
        path: where, below the client's address.
        authorization: the header of that name, or empty.
        retrier: when and how often to try again.
        client: posts JSON anywhere.
    """

    name: str
    path: str
    authorization: str
    retrier: Retrier
    client: OpenAI

    @classmethod
    def at(cls, name: str, url: str, path: str, key: str, authorization: str = "") -> Interface:
        """An interface; nothing is sent yet.

        Raises:
            UserError: a package is missing.
        """
        what = f"The engine '{name}'"
        silence, advice = "does not answer as expected", "Check address and key."
        retrier = Retrier(what, ATTEMPTS, PATIENCE, silence=silence, advice=advice)
        return cls(name, path, authorization, retrier, server_client(what, url, key))

    @property
    def key(self) -> str:
        """The key, or `NO_KEY`."""
        return self.client.api_key

    def send(self, body: Mapping[str, Any]) -> Any:
        """What comes back; None where the server refuses these texts.

        Raises:
            UserError: it does not answer, or refuses the key.
        """
        return self.retrier.call(lambda: self._once(body))

    def _once(self, body: Mapping[str, Any]) -> Any:
        import openai

        headers = {"Authorization": self.authorization or openai.Omit()}
        try:
            return json.loads(
                self.client.post(self.path, cast_to=str, body=body, options={"headers": headers})
            )
        except openai.OpenAIError as problem:
            failure = permanent_failure(problem, self.key)
        except ValueError:
            raise TransientError("the answer cannot be read") from None
        if failure.status in REFUSED_TEXTS:
            return None
        raise UserError(
            f"The engine '{self.name}' does not answer (status {failure.status}: {failure.words}): check address and "
            "key. Finished translations are kept; run the same command again to continue."
        )


def _require_address(name: str, url: str) -> None:
    """Refuse an engine whose address is none.

    Raises:
        UserError: it is none.
    """
    if not url.startswith(("http://", "https://")):
        raise UserError(f"The engine '{name}' has no address. Write it with https:// or http://.")


@dataclass(frozen=True, slots=True)
class LibreTranslator:
    """A LibreTranslate server: `POST /translate` with q, source, target and format."""

    name: str
    interface: Interface
    remembered: bool = True

    @classmethod
    def connect(cls, url: str) -> LibreTranslator:
        """A client for the server at `url`; its key, where it needs one, is in LIBRETRANSLATE_API_KEY.

        Raises:
            UserError: this is no address, or see `endoxa.models.keys.server_key`.
        """
        name = f"libretranslate:{url}"
        _require_address(name, url)
        key = server_key(f"The engine '{name}'", url, name, variable=LIBRE_KEY)
        return cls(name, Interface.at(name, url, "/translate", key))

    def translate(self, texts: Sequence[str], source: str, target: str) -> Iterator[str | None]:
        """See `Translator.translate`."""
        for start in range(0, len(texts), TEXTS_AT_ONCE):
            chunk = list(texts[start : start + TEXTS_AT_ONCE])
            body = {"q": chunk, "source": source, "target": target, "format": "text"}
            answers = self.interface.send(
                body | ({"api_key": self.interface.key} if self.interface.key != NO_KEY else {})
            )
            made = answers.get("translatedText") if isinstance(answers, dict) else None
            yield from _texts(made if isinstance(made, list) else None, len(chunk))


@dataclass(frozen=True, slots=True)
class DeepLTranslator:
    """DeepL: `POST /v2/translate` with text, source_lang and target_lang."""

    name: str
    interface: Interface
    remembered: bool = True

    @classmethod
    def connect(cls, url: str = "") -> DeepLTranslator:
        """A client with the key in DEEPL_API_KEY; keys that end in ':fx' go to the free interface.

        Args:
            url: another server with the same interface; DEEPL_API_KEY is not for it.

        Raises:
            UserError: there is no key, this is no address, or see `endoxa.models.keys.server_key`.
        """
        if url:
            name = f"deepl:{url}"
            _require_address(name, url)
            key = server_key(f"The engine '{name}'", url, name)
        else:
            name, key = "deepl", key_in(DEEPL_KEY)
            if key == NO_KEY:
                raise UserError(f"deepl needs a key in the environment variable {DEEPL_KEY}.")
        address = url or (DEEPL_FREE_URL if key.endswith(":fx") else DEEPL_URL)
        authorization = "" if key == NO_KEY else f"DeepL-Auth-Key {key}"
        return cls(name, Interface.at(name, address, "/v2/translate", key, authorization))

    def translate(self, texts: Sequence[str], source: str, target: str) -> Iterator[str | None]:
        """See `Translator.translate`."""
        for start in range(0, len(texts), TEXTS_AT_ONCE):
            chunk = list(texts[start : start + TEXTS_AT_ONCE])
            answers = self.interface.send(
                {
                    "text": chunk,
                    "source_lang": source.split("-", maxsplit=1)[0].upper(),
                    "target_lang": target.upper(),
                }
            )
            made = answers.get("translations") if isinstance(answers, dict) else None
            texts_made = (
                [item.get("text") for item in made if isinstance(item, dict)]
                if isinstance(made, list)
                else None
            )
            yield from _texts(texts_made, len(chunk))


def _texts(made: list[Any] | None, wanted: int) -> Iterator[str | None]:
    """One translation for each text; None for all where their number is not that of the texts."""
    if made is None or len(made) != wanted:
        yield from [None] * wanted
        return
    for item in made:
        yield " ".join(str(item or "").split()) or None
