"""Translators behind an HTTP interface of their own: LibreTranslate and DeepL."""

from __future__ import annotations

import json
import os
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from endoxa.errors import UserError
from endoxa.models.retrying import (
    ATTEMPTS,
    PATIENCE,
    Failure,
    Retrier,
    asked_wait,
    error_words,
    raise_if_passing,
)

DEEPL_URL, DEEPL_FREE_URL = "https://api.deepl.com", "https://api-free.deepl.com"
DEEPL_KEY, LIBRE_KEY = "DEEPL_API_KEY", "LIBRETRANSLATE_API_KEY"
"""Environment variables with keys; LibreTranslate's servers mostly need none."""
TEXTS_AT_ONCE = 20
"""Texts of one request."""
SECONDS = 60
REFUSED = (400, 413, 422)
"""Statuses that mean this text, not the whole interface."""


@dataclass(frozen=True, slots=True)
class Interface:
    """An address that takes JSON and gives JSON, with retries.

    Attributes:
        name: the engine as written, for messages.
        url: the address.
        headers: sent with every request; a key among them is never shown.
        key: the key, or empty.
        retrier: when and how often to try again.
    """

    name: str
    url: str
    headers: Mapping[str, str]
    key: str
    retrier: Retrier

    @classmethod
    def at(cls, name: str, url: str, key: str, headers: Mapping[str, str]) -> Interface:
        """An interface; nothing is sent yet.

        Raises:
            UserError: this is no address.
        """
        if not url.startswith(("http://", "https://")):
            raise UserError(f"The engine '{name}' has no address. Write it with https:// or http://.")
        silence, advice = "does not answer as expected", "Check address and key."
        retrier = Retrier(f"The engine '{name}'", ATTEMPTS, PATIENCE, silence=silence, advice=advice)
        return cls(name, url, {"Content-Type": "application/json", **headers}, key, retrier)

    def send(self, body: Mapping[str, Any]) -> Any:
        """What comes back; None where the server refuses these texts.

        Raises:
            UserError: it does not answer, or refuses the key.
        """
        return self.retrier.call(lambda: self._once(json.dumps(body).encode()))

    def _once(self, body: bytes) -> Any:
        request = urllib.request.Request(self.url, body, dict(self.headers))  # noqa: S310  (http(s) only, see `at`)
        try:
            with urllib.request.urlopen(request, timeout=SECONDS) as answer:  # noqa: S310
                return json.load(answer)
        except urllib.error.HTTPError as problem:
            failure = _failure(problem)
            raise_if_passing(failure)
            if problem.code in REFUSED:
                return None
            raise UserError(
                f"The engine '{self.name}' does not answer (status {problem.code}: "
                f"{self._without_key(failure.words)}): check address and key. Finished "
                "translations are kept; run the same command again to continue."
            ) from problem
        except (OSError, ValueError) as problem:
            raise_if_passing(Failure(0, self._without_key(str(problem))))
            raise

    def _without_key(self, text: str) -> str:
        return text.replace(self.key, "***") if self.key else text


def _failure(problem: urllib.error.HTTPError) -> Failure:
    from datetime import UTC, datetime

    with problem:
        text = problem.read(2000).decode("utf-8", "replace")
    try:
        words, code = error_words(json.loads(text))
    except ValueError:
        words, code = " ".join(text.split())[:200], ""
    return Failure(
        problem.code, words or problem.reason, code, asked_wait(dict(problem.headers), datetime.now(UTC))
    )


@dataclass(frozen=True, slots=True)
class LibreTranslator:
    """A LibreTranslate server: `POST /translate` with q, source, target and format."""

    name: str
    interface: Interface
    remembered: bool = True

    @classmethod
    def connect(cls, url: str) -> LibreTranslator:
        """A client for the server at `url`; a key is taken from LIBRETRANSLATE_API_KEY where there is one.

        Raises:
            UserError: this is no address.
        """
        name, key = f"libretranslate:{url}", os.environ.get(LIBRE_KEY, "")
        return cls(name, Interface.at(name, f"{url.rstrip('/')}/translate", key, {}))

    def translate(self, texts: Sequence[str], source: str, target: str) -> Iterator[str | None]:
        """See `Translator.translate`."""
        for start in range(0, len(texts), TEXTS_AT_ONCE):
            chunk = list(texts[start : start + TEXTS_AT_ONCE])
            body = {"q": chunk, "source": source, "target": target, "format": "text"}
            found = self.interface.send(
                body | ({"api_key": self.interface.key} if self.interface.key else {})
            )
            made = found.get("translatedText") if isinstance(found, dict) else None
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
            url: another server with the same interface; it needs no key.

        Raises:
            UserError: there is no key.
        """
        key = os.environ.get(DEEPL_KEY, "")
        if not key and not url:
            raise UserError(f"deepl needs a key in the environment variable {DEEPL_KEY}.")
        address = url or (DEEPL_FREE_URL if key.endswith(":fx") else DEEPL_URL)
        name = f"deepl:{url}" if url else "deepl"
        headers = {"Authorization": f"DeepL-Auth-Key {key}"} if key else {}
        return cls(name, Interface.at(name, f"{address.rstrip('/')}/v2/translate", key, headers))

    def translate(self, texts: Sequence[str], source: str, target: str) -> Iterator[str | None]:
        """See `Translator.translate`."""
        for start in range(0, len(texts), TEXTS_AT_ONCE):
            chunk = list(texts[start : start + TEXTS_AT_ONCE])
            found = self.interface.send(
                {
                    "text": chunk,
                    "source_lang": source.split("-", maxsplit=1)[0].upper(),
                    "target_lang": target.upper(),
                }
            )
            made = found.get("translations") if isinstance(found, dict) else None
            texts_made = (
                [one.get("text") for one in made if isinstance(one, dict)] if isinstance(made, list) else None
            )
            yield from _texts(texts_made, len(chunk))


def _texts(made: list[Any] | None, wanted: int) -> Iterator[str | None]:
    """One translation for each text; None for all where their number is not that of the texts."""
    if made is None or len(made) != wanted:
        yield from [None] * wanted
        return
    for one in made:
        yield " ".join(str(one or "").split()) or None
