"""What can be known of an encoder before it is loaded, and which poolings it is read with."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from endoxa.errors import UserError
from endoxa.models import require_local
from endoxa.models.encoders.encoder import EncoderOptions, EncoderSpec
from endoxa.models.encoders.poolings import MODEL, POOLINGS, USUAL
from endoxa.models.encoders.static import WORDS


@dataclass(frozen=True, slots=True)
class EncoderFacts:
    """A fingerprint that changes with the files (None where it cannot be had), and the usual pooling."""

    fingerprint: str | None
    usual: str


@dataclass(frozen=True, slots=True)
class Fitted:
    """Poolings of each encoder by its words, and sentences about those that were asked for and left out."""

    poolings: Mapping[str, tuple[str, ...]]
    left_out: tuple[str, ...]


def look_at_encoder(spec: EncoderSpec, options: EncoderOptions) -> EncoderFacts:
    """Recognise an encoder from its files; no weights are read into memory.

    Raises:
        UserError: it is not there, or an option is not for it.
    """
    for word, given in (("--layer", options.layer), ("--tokenizer", options.model.tokenizer)):
        if spec.kind != "hf" and given is not None:
            raise UserError(
                f"{word} is for encoders written hf/..., not for '{spec.text}': give that one a run of its own."
            )
    if spec.kind in ("server", "openai"):
        return EncoderFacts(None, MODEL)
    if spec.kind == "static":
        from endoxa.datasets.files import require_file, sha256

        path = Path(spec.target)
        require_file(path)
        return EncoderFacts(sha256(path), WORDS)
    require_local(spec.as_model())
    if spec.has_own_pooling:
        assert spec.folder is not None
        return EncoderFacts(_fingerprint_tree(spec.folder), MODEL)
    if spec.kind == "st":
        return EncoderFacts(options.model.revision, MODEL)
    from endoxa.models import look_at
    from endoxa.models.local import fingerprint, local_folder, read_config

    try:
        facts = look_at(spec.as_model(), options.model)
        return EncoderFacts(facts.fingerprint, USUAL[facts.architecture])
    except UserError:
        # Not a language model; a network from tokens to states all the same, or refused on loading.
        folder = local_folder(spec.as_model())
        mark = fingerprint(folder) if folder else None
        config = read_config(spec.as_model(), options.model)
        return EncoderFacts(mark or getattr(config, "_commit_hash", None), "mean")


def fit_poolings(
    specs: Sequence[EncoderSpec], facts: Mapping[str, EncoderFacts], asked: Sequence[str]
) -> Fitted:
    """The poolings each encoder is read with.

    Weights loaded here offer a choice; word vectors, sentence-transformers and servers have one pooling of their own,
    which is used and recorded whatever was asked for other encoders.

    Args:
        specs: the encoders.
        facts: what `look_at_encoder` found, by the encoder's words.
        asked: poolings by name; none takes the usual one of each encoder.

    Raises:
        UserError: unknown pooling, one named twice, or one that is for none of the encoders.
    """
    twice = [name for k, name in enumerate(asked) if name in asked[:k]]
    if twice:
        raise UserError(f"The pooling '{twice[0]}' is given twice: name each pooling once.")
    for name in asked:
        if name not in (MODEL, WORDS):
            POOLINGS.get(name)
    offered = {spec.text: _offered(spec) for spec in specs}
    for name in asked:
        if not any(name in names for names in offered.values()):
            what = "; ".join(f"'{text}' has {', '.join(names)}" for text, names in offered.items())
            raise UserError(f"The pooling '{name}' is for none of the encoders ({what}).")
    poolings, left_out = {}, []
    for text, names in offered.items():
        fitting = tuple(name for name in asked if name in names)
        poolings[text] = fitting or (facts[text].usual,)
        missing = [name for name in asked if name not in names]
        if missing:
            left_out.append(
                f"{text}: read by {', '.join(poolings[text])}; it has no pooling {', '.join(missing)}"
            )
    return Fitted(poolings, tuple(left_out))


def _offered(spec: EncoderSpec) -> tuple[str, ...]:
    if spec.kind == "static":
        return (WORDS,)
    if spec.kind != "hf":
        return (MODEL,)
    return (*POOLINGS.all(), MODEL) if spec.has_own_pooling else tuple(POOLINGS.all())


def _fingerprint_tree(folder: Path) -> str:
    """SHA-256 over the files of a folder of sentence-transformers and of its modules."""
    from endoxa.models.local import fingerprint

    marks = [fingerprint(part) for part in (folder, *sorted(p for p in folder.iterdir() if p.is_dir()))]
    return hashlib.sha256("\n".join(marks).encode()).hexdigest()
