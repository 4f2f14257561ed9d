"""Vectors from an OpenAI-compatible embeddings endpoint (OpenAI, vLLM, Ollama, llama.cpp, a gateway).

Texts go out in batches; what comes back is checked: one finite vector for each text, all of one width, in the order of
the index the server gives. Failed calls are tried again as `endoxa.models.retrying` says.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from endoxa.errors import UserError
from endoxa.models.encoders.encoder import (
    MODEL,
    SHOWN,
    Encoded,
    EncoderFacts,
    EncoderKind,
    EncoderSpec,
    Vector,
    after_slash,
)
from endoxa.models.keys import required_key, server_key, shown
from endoxa.models.retrying import REFUSED_TEXTS, Failure, Retrier, for_server, permanent_failure, unreachable
from endoxa.models.spec import read_address
from endoxa.models.transport import server_client

TEXTS = 64
"""Texts in one call; the server batches them as it likes."""
OPENAI_KEY = "OPENAI_API_KEY"
"""Environment variable with OpenAI's key, which is never sent to another server."""
OPENAI_URL = "https://api.openai.com/v1"


class ServerEncoder:
    """Asks a server for vectors; the pooling is the server's."""

    def __init__(self, spec: EncoderSpec, key: str) -> None:
        """Make a client with a key; nothing is sent yet.

        Raises:
            UserError: a package is missing.
        """
        self.name = spec.text
        self.poolings = (MODEL,)
        self._spec, self._url = spec, spec.target
        self._width: int | None = None
        self._client = server_client(
            f"The encoder '{spec.text}'", self._url, key, is_openai=spec.kind == OPENAI.name
        )

    @classmethod
    def open(cls, spec: EncoderSpec, texts: Sequence[str]) -> ServerEncoder:
        """Take the key from the environment and ask for the first text, to learn that the server has the model.

        Raises:
            UserError: no key where one is needed, nobody answers, or the model is not served there.
        """
        what = f"The encoder '{spec.text}'"
        is_openai = spec.kind == OPENAI.name
        key = required_key(what, OPENAI_KEY) if is_openai else server_key(what, spec.target, spec.text)
        encoder = cls(spec, key)
        if texts:
            encoder._ask(texts[:1], for_server(spec.target, checking=True))
        return encoder

    def describe(self) -> Mapping[str, Any]:
        """Facts for `run.json`; what the server does with the texts is not known here. The key is not among them."""
        return {
            "name": self.name,
            "kind": self._spec.kind,
            "server": self._url,
            "served_name": self._spec.served_name,
            "revision": None,
            "dtype": "not told by the server",
            "device": "server",
            "width": self._width,
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
        retrier = for_server(self._url)
        for batch in batches:
            for text, vector in zip(batch, self._ask(batch, retrier), strict=True):
                for index in places[text]:
                    yield Encoded(index, {MODEL: vector})

    def _ask(self, texts: Sequence[str], retrier: Retrier) -> list[Vector]:
        """Vectors of `texts`; a call that the server finds too large or wrong is cut in two, to find the text.

        Raises:
            UserError: a single text is refused, or see `_checked`.
        """
        answer = retrier.call(lambda: self._once(texts))
        if not isinstance(answer, Failure):
            return self._checked(answer, texts)
        if len(texts) == 1:
            raise UserError(
                f"The server {self._url} refused the text '{texts[0][:SHOWN]}' ({answer.words}): mend it or take it "
                "out of the tests."
            )
        middle = len(texts) // 2
        return [*self._ask(texts[:middle], retrier), *self._ask(texts[middle:], retrier)]

    def _once(self, texts: Sequence[str]) -> Any:
        """What comes of one call: an answer, or the failure that says that a text is to blame.

        Raises:
            TransientError: it did not work this time.
            UserError: the server has no such model, or refuses.
        """
        import openai

        try:
            return self._client.embeddings.create(
                model=self._spec.served_name, input=list(texts), encoding_format="float"
            )
        except openai.OpenAIError as problem:
            failure = permanent_failure(problem, self._client.api_key)
        except ValueError as problem:
            failure = Failure(0, shown(str(problem), self._client.api_key))
        if failure.status in REFUSED_TEXTS:
            return failure
        if failure.status == 404:
            raise UserError(
                f"The server {self._url} has no embeddings of '{self._spec.served_name}' ({failure.words}): check the "
                "name, and that the model is an embedding model."
            )
        raise unreachable(self._url, failure.words)

    def _checked(self, answer: Any, texts: Sequence[str]) -> list[Vector]:
        """The vectors in the order of the texts.

        Raises:
            UserError: there are not as many as texts, or they are no finite vectors of one width.
        """
        data = sorted(getattr(answer, "data", None) or [], key=lambda entry: entry.index)
        if [entry.index for entry in data] != list(range(len(texts))):
            raise UserError(
                f"The server {self._url} returned {len(data)} vectors for {len(texts)} texts: it cannot be used."
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
                    f"The server {self._url} returned for '{text[:SHOWN]}' no vector of {self._width} finite "
                    "numbers: it cannot be used."
                )
            vectors.append(vector)
        return vectors


def _read_openai(text: str, kind: EncoderKind) -> EncoderSpec:
    spec = after_slash(text, kind)
    return replace(spec, target=OPENAI_URL, served_name=spec.target)


def _read_address(text: str, kind: EncoderKind) -> EncoderSpec:
    return EncoderSpec(text, kind.name, *read_address(text))


OPENAI = EncoderKind(
    name="openai",
    form="openai/NAME",
    look=lambda _spec, _options: EncoderFacts(None, MODEL),
    open=lambda spec, _options, _poolings, texts: [ServerEncoder.open(spec, texts)],
    poolings=lambda _spec: (MODEL,),
    read=_read_openai,
)
SERVER = replace(
    OPENAI,
    name="server",
    form="http://HOST:PORT/v1#NAME",
    read=_read_address,
    prefixes=("http://", "https://"),
)
