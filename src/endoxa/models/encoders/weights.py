"""Encoders whose weights are loaded here: any Hugging Face network (`hf/`), and sentence-transformers (`st/`).

A folder of sentence-transformers has a pooling of its own; written `hf/FOLDER` it is also read by the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from endoxa.errors import UserError
from endoxa.models.encoders.encoder import (
    MODEL,
    POOLINGS,
    USUAL,
    Encoded,
    Encoder,
    EncoderFacts,
    EncoderKind,
    EncoderOptions,
    EncoderSpec,
)
from endoxa.models.encoders.sentence import MODULES, SentenceEncoder, check_sentence_texts
from endoxa.models.live import LIVE, Function, Scorer, Weights, called, offered
from endoxa.models.spec import LOCAL_INSTALL, LOCAL_LIBRARIES, ModelSpec


def _sentence_folder(spec: EncoderSpec) -> Path | None:
    """The folder of sentence-transformers that is named, or None."""
    folder = Path(spec.target).expanduser()
    return folder if folder.is_dir() and (folder / MODULES).is_file() else None


def _look(spec: EncoderSpec, options: EncoderOptions) -> EncoderFacts:
    folder = _sentence_folder(spec)
    if folder is not None:
        from endoxa.models.checkpoint import fingerprint_of_parts

        return EncoderFacts(fingerprint_of_parts(folder), MODEL)
    if spec.kind == SENTENCE_TRANSFORMERS.name:
        return EncoderFacts(options.model.revision, MODEL)
    from endoxa.models.checkpoint import fingerprint, local_folder
    from endoxa.models.local import look_at_local, read_config

    model = ModelSpec(spec.text, "hf", spec.target)
    try:
        facts = look_at_local(model, options.model)
        return EncoderFacts(facts.fingerprint, USUAL[facts.architecture])
    except UserError:
        # Not a language model; a network from tokens to states all the same, or refused on loading.
        home = local_folder(model)
        mark = fingerprint(home) if home else None
        config = read_config(model, options.model)
        return EncoderFacts(mark or getattr(config, "_commit_hash", None), "mean")


def _open(
    spec: EncoderSpec, options: EncoderOptions, poolings: Sequence[str], texts: Sequence[str]
) -> list[Encoder]:
    opened: list[Encoder] = []
    picked = [POOLINGS.get(name) for name in poolings if name != MODEL]
    if picked:
        from endoxa.models.encoders.transformer import open_transformers

        opened += open_transformers(spec, options, picked, texts)
    if MODEL in poolings:
        opened.append(SentenceEncoder.open(spec, options, texts))
    return opened


def _check(spec: EncoderSpec, options: EncoderOptions, poolings: Sequence[str], texts: Sequence[str]) -> None:
    picked = [POOLINGS.get(name) for name in poolings if name != MODEL]
    if picked:
        from endoxa.models.encoders.transformer import check_texts

        check_texts(spec, options, picked, texts)
    if MODEL in poolings:
        check_sentence_texts(spec, options, texts)


def _offered(spec: EncoderSpec) -> tuple[str, ...]:
    of_model = () if _sentence_folder(spec) is None else (MODEL,)
    return (*POOLINGS.all(), *of_model)


HUGGING_FACE = EncoderKind(
    name="hf",
    form="hf/ORG/NAME, hf/FOLDER",
    look=_look,
    open=_open,
    check=_check,
    poolings=_offered,
    takes_layers=True,
    libraries=LOCAL_LIBRARIES,
    install=LOCAL_INSTALL,
)
SENTENCE_TRANSFORMERS = replace(
    HUGGING_FACE,
    name="st",
    form="st/NAME or st/FOLDER (sentence-transformers)",
    poolings=lambda _: (MODEL,),
    takes_layers=False,
)


POOLING = "function"
"""The one pooling of a function that encodes."""


def look_at_function(spec: EncoderSpec, _options: EncoderOptions) -> EncoderFacts:
    """Nothing is known of a function before it is called."""
    offered(spec.text)
    return EncoderFacts(None, POOLING)


def open_function(
    spec: EncoderSpec, _options: EncoderOptions, poolings: Sequence[str], texts: Sequence[str]
) -> list[Encoder]:
    """A function that encodes, as an encoder.

    Raises:
        UserError: the words name weights, which are given as a function that encodes (`model.encode`).
    """
    del poolings, texts
    model = offered(spec.text)
    if isinstance(model, Weights | Scorer):
        raise UserError(
            f"The encoder '{spec.text}' is not a function: give one that takes texts and returns their vectors, for "
            "example SentenceTransformer(...).encode."
        )
    return [FunctionEncoder(spec.text, model)]


class FunctionEncoder:
    """A function from texts to an array (texts x width) as an encoder."""

    poolings = (POOLING,)

    def __init__(self, name: str, function: Function) -> None:
        self.name, self._function = name, function

    def describe(self) -> Mapping[str, Any]:
        """Its name in the program."""
        return {"name": self.name, "function": called(self._function)}

    def unknown_share(self, texts: Sequence[str]) -> float | None:
        """A function does not tell."""
        del texts
        return None

    def encode(self, texts: Sequence[str]) -> Iterator[Encoded]:
        """See `endoxa.models.encoders.encoder.Encoder.encode`.

        Raises:
            UserError: the array has another shape, or numbers that are not finite.
        """
        vectors = np.asarray(self._function(list(texts)), dtype=np.float32)
        if vectors.ndim != 2 or len(vectors) != len(texts) or not np.isfinite(vectors).all():
            raise UserError(
                f"The function of '{self.name}' returned an array of shape {vectors.shape} for {len(texts)} texts: it "
                "must return a row of finite numbers for each text."
            )
        for index, vector in enumerate(vectors):
            yield Encoded(index, {POOLING: vector})


FUNCTION = EncoderKind(
    name=LIVE,
    form="",
    look=look_at_function,
    open=open_function,
    poolings=lambda _spec: (POOLING,),
)
