"""Encoders of texts: local networks, sentence-transformers, word vectors, servers; one module for each kind.

`open_encoders` turns the words of the command line (`hf/...`, `st/...`, `static/FILE`, `openai/NAME`) into something
with the interface of `encoder.Encoder`; no library is imported that the chosen kind does not need.

To add a kind: write one module that makes an `EncoderKind`, and name it in the entry-point group `endoxa.encoders`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from endoxa.errors import UserError
from endoxa.models.encoders.encoder import (
    MODEL,
    POOLINGS,
    Encoder,
    EncoderFacts,
    EncoderKind,
    EncoderOptions,
    EncoderSpec,
)
from endoxa.models.encoders.server import OPENAI, SERVER
from endoxa.models.encoders.static import STATIC, WORDS
from endoxa.models.encoders.weights import FUNCTION, HUGGING_FACE, SENTENCE_TRANSFORMERS
from endoxa.models.spec import require_libraries
from endoxa.registry import Registry


def _builtin() -> Iterable[EncoderKind]:
    return (HUGGING_FACE, SENTENCE_TRANSFORMERS, STATIC, FUNCTION, OPENAI, SERVER)


ENCODERS: Registry[EncoderKind] = Registry("kind of encoder", "endoxa.encoders", _builtin)
"""Kinds of encoders by name: ours, and those of installed packages (entry-point group `endoxa.encoders`)."""


def parse_encoder(text: str) -> EncoderSpec:
    """Read the words for an encoder.

    Raises:
        UserError: another form.
    """
    kinds = ENCODERS.all().values()
    kind = next((candidate for candidate in kinds if candidate.takes(text)), None)
    if kind is None:
        forms = [each.form for each in kinds if each.form]
        raise UserError(
            f"Cannot read the encoder '{text}': did you mean hf/{text}? Give {', '.join(forms[:-1])} or {forms[-1]}."
        )
    return kind.read(text, kind)


def look_at_encoder(spec: EncoderSpec, options: EncoderOptions) -> EncoderFacts:
    """Recognise an encoder from its files; no weights are read into memory.

    Raises:
        UserError: it is not there, a library is missing, or an option is not for it.
    """
    kind = _usable_kind(spec)
    for word, value in (("--layer", options.layer), ("--set tokenizer", options.model.tokenizer)):
        if value is not None and not kind.takes_layers:
            raise UserError(
                f"{word} is for encoders written hf/..., not for '{spec.text}': give that one a run of its own."
            )
    if options.model.adapter is not None:
        raise UserError(f"adapter is for language models, not for the encoder '{spec.text}'. Leave it out.")
    return kind.look(spec, options)


def open_encoders(
    spec: EncoderSpec, options: EncoderOptions, poolings: Sequence[str], texts: Sequence[str]
) -> list[Encoder]:
    """Load an encoder; two where a folder of sentence-transformers is read by its own pooling and by others.

    Args:
        spec: the encoder.
        options: how it is loaded.
        poolings: names that `fit_poolings` gave for it.
        texts: every text that will be encoded: what cannot be encoded is refused here, before the work.

    Raises:
        UserError: the encoder cannot be had, or a text cannot be given an honest vector.
    """
    return _usable_kind(spec).open(spec, options, poolings, texts)


def check_texts(
    spec: EncoderSpec, options: EncoderOptions, poolings: Sequence[str], texts: Sequence[str]
) -> None:
    """Refuse texts that an encoder cannot read before any encoder is loaded, where its tokenizer can tell.

    Args: see `open_encoders`.

    Raises:
        UserError: a text is too long, gives no token, or holds a special token.
    """
    kind = _usable_kind(spec)
    if kind.check is not None:
        kind.check(spec, options, poolings, texts)


def _usable_kind(spec: EncoderSpec) -> EncoderKind:
    """The kind of an encoder; its libraries are installed."""
    kind = ENCODERS.get(spec.kind)
    require_libraries(f"The encoder '{spec.text}'", kind.libraries, kind.install)
    return kind


@dataclass(frozen=True, slots=True)
class Fitted:
    """Poolings of each encoder by its words, and sentences about those that were asked for and left out."""

    poolings: Mapping[str, tuple[str, ...]]
    left_out: tuple[str, ...]


def fit_poolings(
    specs: Sequence[EncoderSpec], facts: Mapping[str, EncoderFacts], requested: Sequence[str]
) -> Fitted:
    """The poolings each encoder is read with.

    Weights loaded here offer a choice; word vectors, sentence-transformers and servers have one pooling of their own,
    which is used and recorded whatever was asked for other encoders.

    Args:
        specs: the encoders.
        facts: what `look_at_encoder` found, by the encoder's words.
        requested: poolings by name; none takes the usual one of each encoder.

    Raises:
        UserError: unknown pooling, one named twice, or one that is for none of the encoders.
    """
    twice = [name for k, name in enumerate(requested) if name in requested[:k]]
    if twice:
        raise UserError(f"The pooling '{twice[0]}' is given twice: name each pooling once.")
    offered = {spec.text: ENCODERS.get(spec.kind).poolings(spec) for spec in specs}
    for name in requested:
        if not any(name in names for names in offered.values()):
            if name not in (MODEL, WORDS):
                POOLINGS.get(name)  # an unknown one is answered with the nearest
            what = "; ".join(f"'{text}' has {', '.join(names)}" for text, names in offered.items())
            raise UserError(f"The pooling '{name}' is for none of the encoders ({what}).")
    poolings, left_out = {}, []
    for text, names in offered.items():
        fitting = tuple(name for name in requested if name in names)
        poolings[text] = fitting or (facts[text].usual,)
        missing = [name for name in requested if name not in names]
        if missing:
            left_out.append(
                f"{text}: read by {', '.join(poolings[text])}; it has no pooling {', '.join(missing)}"
            )
    return Fitted(poolings, tuple(left_out))
