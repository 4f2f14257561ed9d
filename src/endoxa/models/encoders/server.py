"""Vectors from an OpenAI-compatible embeddings endpoint (OpenAI, vLLM, Ollama, llama.cpp, a gateway).

Texts go out in batches; what comes back is checked: one finite vector for each text, all of one width, in the order of
the index the server gives. Failed calls are tried again a bounded number of times by the openai client.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from endoxa.errors import UserError
from endoxa.models.chat.clients import shown, without_organization
from endoxa.models.encoders.encoder import Encoded, EncoderSpec, Vector
from endoxa.models.encoders.poolings import MODEL

TEXTS = 64
"""Texts in one call; the server batches them as it likes."""
RETRIES = 5
SECONDS = 120.0
KEY_VARIABLES = {"server": "ENDOXA_SERVER_KEY", "openai": "OPENAI_API_KEY"}
"""Environment variables with the key. OPENAI_API_KEY is never sent to another server than OpenAI's."""
SHOWN = 60


class ServerEncoder:
    """Asks a server for vectors; the pooling is the server's."""

    def __init__(self, spec: EncoderSpec, key: str, retries: int = RETRIES) -> None:
        """Make a client; nothing is sent yet. `key` may be anything where the server wants none.

        Raises:
            UserError: the openai package is missing.
        """
        try:
            import openai
        except ImportError as problem:
            raise UserError(
                'Encoders on a server need the openai package: pip install "endoxa[server]".'
            ) from problem
        self.name = spec.text
        self.poolings = (MODEL,)
        self._spec = spec
        self._key = key
        self._width: int | None = None
        client = openai.OpenAI(base_url=spec.target, api_key=key, max_retries=retries, timeout=SECONDS)
        self._client = client if spec.kind == "openai" else without_organization(client)

    @classmethod
    def open(cls, spec: EncoderSpec, texts: Sequence[str]) -> ServerEncoder:
        """Take the key from the environment and ask for the first text, to learn that the server has the model.

        Raises:
            UserError: no key where one is needed, nobody answers, or the model is not served there.
        """
        variable = KEY_VARIABLES[spec.kind]
        key = os.environ.get(variable)
        if spec.kind == "openai" and not key:
            raise UserError(
                f"The encoder '{spec.text}' needs a key: set the environment variable {variable}."
            )
        encoder = cls(spec, key or "none")
        encoder._ask(list(texts[:1]))
        return encoder

    def describe(self) -> Mapping[str, Any]:
        """Facts for `run.json`; what the server does with the texts is not known here. The key is not among them."""
        return {
            "name": self.name,
            "kind": self._spec.kind,
            "server": self._spec.target,
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
        for start in range(0, len(distinct), TEXTS):
            batch = distinct[start : start + TEXTS]
            for text, vector in zip(batch, self._ask(batch), strict=True):
                for index in places[text]:
                    yield Encoded(index, {MODEL: vector})

    def _ask(self, texts: list[str]) -> list[Vector]:
        """Vectors of `texts`; a call that the server finds too large or wrong is cut in two, to find the text."""
        import openai

        if not texts:
            return []
        try:
            answer = self._client.embeddings.create(
                model=self._spec.served_name, input=texts, encoding_format="float"
            )
        except (openai.BadRequestError, openai.UnprocessableEntityError) as problem:
            if len(texts) > 1:
                middle = len(texts) // 2
                return [*self._ask(texts[:middle]), *self._ask(texts[middle:])]
            raise UserError(
                f"The server {self._spec.target} refused the text '{texts[0][:SHOWN]}' ({self._said(problem)}): "
                "mend it or take it out of the tests."
            ) from problem
        except openai.NotFoundError as problem:
            raise UserError(
                f"The server {self._spec.target} has no embeddings of '{self._spec.served_name}' "
                f"({self._said(problem)}): check the name, and that the model is an embedding model."
            ) from problem
        except (openai.OpenAIError, ValueError) as problem:
            raise UserError(
                f"The server {self._spec.target} does not answer as expected ({self._said(problem)}): check that it "
                "runs and that its address ends in /v1. What was done is kept; the same command continues."
            ) from problem
        return self._checked(answer, texts)

    def _checked(self, answer: Any, texts: Sequence[str]) -> list[Vector]:
        """The vectors in the order of the texts.

        Raises:
            UserError: there are not as many as texts, or they are no finite vectors of one width.
        """
        data = sorted(getattr(answer, "data", None) or [], key=lambda one: one.index)
        if [one.index for one in data] != list(range(len(texts))):
            raise UserError(
                f"The server {self._spec.target} returned {len(data)} vectors for {len(texts)} texts: it cannot be "
                "used."
            )
        vectors = []
        for text, one in zip(texts, data, strict=True):
            try:
                vector: Vector = np.asarray(one.embedding, dtype=np.float32)
            except (TypeError, ValueError):
                vector = np.empty(0, np.float32)
            self._width = self._width or vector.size
            if vector.shape != (self._width,) or not vector.size or not np.isfinite(vector).all():
                raise UserError(
                    f"The server {self._spec.target} returned for '{text[:SHOWN]}' no vector of {self._width} finite "
                    "numbers: it cannot be used."
                )
            vectors.append(vector)
        return vectors

    def _said(self, problem: Exception) -> str:
        return shown(str(problem), self._key) or type(problem).__name__
