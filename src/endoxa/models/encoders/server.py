"""Vectors from an OpenAI-compatible embeddings endpoint (OpenAI, vLLM, Ollama, llama.cpp, a gateway).

Texts go out in batches; what comes back is checked: one finite vector for each text, all of one width, in the order of
the index the server gives. Failed calls are tried again as `endoxa.models.retrying` says.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from endoxa.errors import UserError
from endoxa.models.addresses import addresses_fact, read_addresses
from endoxa.models.clients import NO_KEY, key_in, shown
from endoxa.models.encoders.encoder import (
    Encoded,
    Encoder,
    EncoderFacts,
    EncoderKind,
    EncoderOptions,
    EncoderSpec,
    Vector,
)
from endoxa.models.encoders.poolings import MODEL
from endoxa.models.keys import server_key
from endoxa.models.retrying import REFUSED_TEXTS, Failure, permanent_failure
from endoxa.models.servers import Servers

if TYPE_CHECKING:
    from openai import OpenAI

TEXTS = 64
"""Texts in one call; the server batches them as it likes."""
OPENAI_KEY = "OPENAI_API_KEY"
"""Environment variable with OpenAI's key, which is never sent to another server."""
OPENAI_URL = "https://api.openai.com/v1"
SHOWN = 60
"""Characters of a text that a message quotes."""


class ServerEncoder:
    """Asks a server for vectors; the pooling is the server's."""

    def __init__(self, spec: EncoderSpec, keys: Sequence[str]) -> None:
        """Make a client for each address, with its key; nothing is sent yet.

        Raises:
            UserError: a package is missing.
        """
        self.name = spec.text
        self.poolings = (MODEL,)
        self._spec = spec
        self._width: int | None = None
        is_openai = spec.kind == OPENAI.name
        self._servers = Servers(f"The encoder '{spec.text}'", spec.addresses, keys, is_openai=is_openai)

    @classmethod
    def open(cls, spec: EncoderSpec, texts: Sequence[str]) -> ServerEncoder:
        """Take the key from the environment and ask for the first text, to learn that the server has the model.

        Raises:
            UserError: no key where one is needed, nobody answers, or the model is not served there.
        """
        encoder = cls(spec, [_key(spec, url) for url in spec.addresses])
        first = texts[:1]
        if first:
            answers = encoder._servers.each(lambda client, url: encoder._once(client, url, first))
            for url, answer in answers.items():
                encoder._vectors(answer, first, url)
        return encoder

    def describe(self) -> Mapping[str, Any]:
        """Facts for `run.json`; what the server does with the texts is not known here. The key is not among them."""
        return {
            "name": self.name,
            "kind": self._spec.kind,
            "server": self._servers.where,
            "served_name": self._spec.served_name,
            "revision": None,
            "dtype": "not told by the server",
            "device": "server",
            "width": self._width,
            **addresses_fact(self._servers.counts()),
        }

    def unknown_share(self, _texts: Sequence[str]) -> float | None:
        """None: the server keeps its tokenizer to itself."""
        return None

    def encode(self, texts: Sequence[str]) -> Iterator[Encoded]:
        """See `endoxa.models.encoders.encoder.Encoder.encode`; equal texts are sent once."""
        places: dict[str, list[int]] = {}
        for index, text in enumerate(texts):
            places.setdefault(text, []).append(index)
        distinct = list(places)
        batches = [distinct[start : start + TEXTS] for start in range(0, len(distinct), TEXTS)]
        for batch, vectors in zip(batches, self._servers.map(self._ask, batches), strict=True):
            for text, vector in zip(batch, vectors, strict=True):
                for index in places[text]:
                    yield Encoded(index, {MODEL: vector})

    def _ask(self, texts: Sequence[str]) -> list[Vector]:
        """Vectors of `texts`; a call that the server finds too large or wrong is cut in two, to find the text."""
        answer, url = self._servers.call(lambda client, url: (self._once(client, url, texts), url))
        if isinstance(answer, Failure) and len(texts) > 1:
            middle = len(texts) // 2
            return [*self._ask(texts[:middle]), *self._ask(texts[middle:])]
        return self._vectors(answer, texts, url)

    def _vectors(self, answer: Any, texts: Sequence[str], url: str) -> list[Vector]:
        """What an answer holds.

        Raises:
            UserError: the only text was refused, or see `_checked`.
        """
        if isinstance(answer, Failure):
            raise UserError(
                f"The server {url} refused the text '{texts[0][:SHOWN]}' ({answer.words}): mend it or take it out of "
                "the tests."
            )
        return self._checked(answer, texts, url)

    def _once(self, client: OpenAI, url: str, texts: Sequence[str]) -> Any:
        """What comes of one call: an answer, or the failure that says that a text is to blame.

        Raises:
            TransientError: it did not work this time.
            UserError: the server has no such model, or refuses.
        """
        import openai

        try:
            return client.embeddings.create(
                model=self._spec.served_name, input=list(texts), encoding_format="float"
            )
        except openai.OpenAIError as problem:
            failure = permanent_failure(problem, client.api_key)
        except ValueError as problem:
            failure = Failure(0, shown(str(problem), client.api_key))
        if failure.status in REFUSED_TEXTS:
            return failure
        if failure.status == 404:
            raise UserError(
                f"The server {url} has no embeddings of '{self._spec.served_name}' ({failure.words}): check the name, "
                "and that the model is an embedding model."
            )
        raise UserError(
            f"The server {url} does not answer as expected ({failure.words}): check that it runs and that its address "
            "ends in /v1. What was done is kept; the same command continues."
        )

    def _checked(self, answer: Any, texts: Sequence[str], url: str) -> list[Vector]:
        """The vectors in the order of the texts.

        Raises:
            UserError: there are not as many as texts, or they are no finite vectors of one width.
        """
        data = sorted(getattr(answer, "data", None) or [], key=lambda entry: entry.index)
        if [entry.index for entry in data] != list(range(len(texts))):
            raise UserError(
                f"The server {url} returned {len(data)} vectors for {len(texts)} texts: it cannot be used."
            )
        vectors = []
        for text, entry in zip(texts, data, strict=True):
            try:
                vector: Vector = np.asarray(entry.embedding, dtype=np.float32)
            except (TypeError, ValueError):
                vector = np.empty(0, np.float32)
            self._width = self._width or vector.size
            if vector.shape != (self._width,) or not vector.size or not np.isfinite(vector).all():
                raise UserError(
                    f"The server {url} returned for '{text[:SHOWN]}' no vector of {self._width} finite "
                    "numbers: it cannot be used."
                )
            vectors.append(vector)
        return vectors


def _key(spec: EncoderSpec, url: str) -> str:
    """The key for the encoder at an address.

    Raises:
        UserError: OpenAI's is not set, or see `endoxa.models.keys.server_key`.
    """
    what = f"The encoder '{spec.text}'"
    if spec.kind != OPENAI.name:
        return server_key(what, url, spec.text)
    key = key_in(OPENAI_KEY)
    if key == NO_KEY:
        raise UserError(f"{what} needs a key: set the environment variable {OPENAI_KEY}.")
    return key


def _look(_spec: EncoderSpec, _options: EncoderOptions) -> EncoderFacts:
    return EncoderFacts(None, MODEL)


def _open(
    spec: EncoderSpec, _options: EncoderOptions, _poolings: Sequence[str], texts: Sequence[str]
) -> list[Encoder]:
    return [ServerEncoder.open(spec, texts)]


def _offered(_spec: EncoderSpec) -> tuple[str, ...]:
    return (MODEL,)


def _read_openai(text: str, kind: EncoderKind) -> EncoderSpec:
    name = text.partition("/")[2]
    if not name:
        raise UserError(f"Cannot read the encoder '{text}': write {kind.form}.")
    return EncoderSpec(text, kind.name, OPENAI_URL, name)


def _read_address(text: str, kind: EncoderKind) -> EncoderSpec:
    (first, *others), name = read_addresses(text)
    return EncoderSpec(text, kind.name, first, name, tuple(others))


OPENAI = EncoderKind(
    name="openai", form="openai/NAME", look=_look, open=_open, poolings=_offered, read=_read_openai
)
SERVER = EncoderKind(
    name="server",
    form="http://HOST:PORT/v1#NAME",
    look=_look,
    open=_open,
    poolings=_offered,
    read=_read_address,
    prefixes=("http://", "https://"),
)
