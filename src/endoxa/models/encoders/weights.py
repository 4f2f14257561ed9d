"""Encoders whose weights are loaded here: any Hugging Face network (`hf/`), and sentence-transformers (`st/`).

A folder of sentence-transformers has a pooling of its own; written `hf/FOLDER` it is also read by the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from endoxa.errors import UserError
from endoxa.models.encoders.encoder import Encoder, EncoderFacts, EncoderKind, EncoderOptions, EncoderSpec
from endoxa.models.encoders.poolings import MODEL, POOLINGS, USUAL
from endoxa.models.encoders.sentence import MODULES, SentenceEncoder, check_sentence_texts
from endoxa.models.libraries import LOCAL, LOCAL_INSTALL
from endoxa.models.spec import ModelSpec


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
        from endoxa.models.encoders.transformer import TransformerEncoder

        opened.append(TransformerEncoder.open(spec, options, picked, texts))
    if MODEL in poolings:
        opened.append(SentenceEncoder.open(spec, options, texts))
    return opened


def _check(spec: EncoderSpec, options: EncoderOptions, poolings: Sequence[str], texts: Sequence[str]) -> None:
    picked = [POOLINGS.get(name) for name in poolings if name != MODEL]
    if picked:
        from endoxa.models.encoders.transformer import TransformerEncoder

        TransformerEncoder.check_texts(spec, options, picked, texts)
    folder = _sentence_folder(spec)
    if MODEL in poolings and folder is not None:
        check_sentence_texts(spec, folder, options, texts)


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
    libraries=LOCAL,
    install=LOCAL_INSTALL,
)
SENTENCE_TRANSFORMERS = EncoderKind(
    name="st",
    form="st/NAME or st/FOLDER (sentence-transformers)",
    look=_look,
    open=_open,
    check=_check,
    poolings=lambda _: (MODEL,),
    libraries=LOCAL,
    install=LOCAL_INSTALL,
)
