"""Encoders whose weights are loaded here: any Hugging Face network (`hf/`), and sentence-transformers (`st/`).

A folder of sentence-transformers has a pooling of its own; written `hf/FOLDER` it is also read by the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from endoxa.errors import UserError, installation
from endoxa.models.encoders.encoder import (
    MODEL,
    POOLINGS,
    USUAL,
    BatchEncoder,
    Encoded,
    Encoder,
    EncoderFacts,
    EncoderKind,
    EncoderOptions,
    EncoderSpec,
    Vector,
    refuse_unreadable,
)
from endoxa.models.live import LIVE, Scorer, Weights, called, offered
from endoxa.models.spec import LOCAL_INSTALL, LOCAL_LIBRARIES, ModelSpec
from endoxa.schema.typed import require_typed_trust

LIBRARY = "sentence_transformers"
MODULES = "modules.json"
"""The file that makes a folder a model of sentence-transformers."""


class NoSentenceModelError(UserError):
    """There is no model of sentence-transformers under that name."""


class SentenceEncoder(BatchEncoder):
    """A loaded model, with its own pooling and, where it has one, its own default prompt."""

    def __init__(self, name: str, model: Any, batch_tokens: int | None = None) -> None:
        """Wrap `model`, a `SentenceTransformer`."""
        from endoxa.models.checkpoint import usual_batch

        self.model = model
        self._parameters = sum(p.numel() for p in model.parameters())
        super().__init__(name, (MODEL,), batch_tokens or usual_batch(self._parameters, model.device))

    @classmethod
    def open(cls, spec: EncoderSpec, options: EncoderOptions, texts: Sequence[str]) -> SentenceEncoder:
        """Load the model and look at `texts`, so that a refusal comes before hours of work.

        Raises:
            UserError: the library or model cannot be had, a layer was asked for, or a text is too long.
        """
        from endoxa.models.checkpoint import choose_device, choose_dtype

        if options.layer is not None:
            raise UserError(
                f"--layer is not for '{spec.text}' read by its own pooling: leave one of them out."
            )
        device = choose_device(options.model.device)
        dtype = choose_dtype(options.model.dtype, device)
        model = load_sentence_transformer(
            spec.target,
            device=str(device),
            revision=options.model.revision,
            trust_remote_code=require_typed_trust(spec.text, options.model.trust_remote_code),
            model_kwargs={"dtype": dtype},
        )
        if hasattr(model.tokenizer, "split_special_tokens"):
            model.tokenizer.split_special_tokens = True
        encoder = cls(spec.text, model, options.model.batch_tokens)
        encoder._inputs(texts)
        return encoder

    def describe(self) -> Mapping[str, Any]:
        """Facts for `run.json`."""
        import sentence_transformers

        model = self.model
        return {
            "name": self.name,
            "kind": "st",
            "modules": [type(module).__name__ for module in model],
            "prompt": (model.prompts or {}).get(model.default_prompt_name or ""),
            "device": str(model.device),
            "dtype": next((str(p.dtype).removeprefix("torch.") for p in model.parameters()), None),
            "parameters": self._parameters,
            "width": model.get_embedding_dimension(),
            "sentence_transformers": sentence_transformers.__version__,
        }

    def unknown_share(self, texts: Sequence[str]) -> float | None:
        """See `endoxa.models.encoders.encoder.Encoder.unknown_share`."""
        from endoxa.models.checkpoint import unknown_share

        tokenizer = self.model.tokenizer
        return unknown_share(tokenizer, texts) if hasattr(tokenizer, "unk_token_id") else None

    def _inputs(self, texts: Sequence[str]) -> list[tuple[str, int]]:
        """Texts with their numbers of tokens."""
        lengths = token_counts(self.name, self.model.tokenizer, self.model.max_seq_length, texts)
        return list(zip(texts, lengths, strict=True))

    def _shape(self, each: tuple[str, int]) -> tuple[int, ...]:
        return (each[1],)

    def _vectors(self, batch: Sequence[tuple[str, int]]) -> list[dict[str, Vector]]:
        encoded = self.model.encode(
            [text for text, _ in batch], batch_size=len(batch), show_progress_bar=False
        )
        return [{MODEL: vector} for vector in np.asarray(encoded, dtype=np.float32)]


def token_counts(name: str, tokenizer: Any, limit: int | None, texts: Sequence[str]) -> list[int]:
    """Tokens of each text, special ones included; the library would cut a longer text without a word.

    Args:
        name: the encoder, for messages.
        tokenizer: of it.
        limit: most tokens that it reads, or None.
        texts: to be encoded.

    Raises:
        UserError: a text is longer than the model reads, or holds a special token.
    """
    if not texts:
        return []
    if not hasattr(tokenizer, "unk_token_id"):  # a bag of words: no order, no limit
        return [len(text.split()) for text in texts]
    from endoxa.models.special_tokens import SpecialTokens

    special = SpecialTokens.of(tokenizer)
    encoded = tokenizer(list(texts))["input_ids"]
    for text, ids in zip(texts, encoded, strict=True):
        refuse_unreadable(name, text, ids, limit, special.problem(ids, around=True))
    return [len(ids) for ids in encoded]


def check_sentence_texts(spec: EncoderSpec, options: EncoderOptions, texts: Sequence[str]) -> None:
    """Count the tokens of `texts` as the model in a folder would; its weights are not kept in memory.

    Raises:
        UserError: see `SentenceEncoder.open`.
    """
    if _sentence_folder(spec) is not None:  # what lies on the hub is fetched when its turn comes
        on_meta = replace(options, model=replace(options.model, device="meta"))
        SentenceEncoder.open(spec, on_meta, texts)


def load_sentence_transformer(target: str, *, may_guess: bool = False, **how: Any) -> Any:
    """The `SentenceTransformer` in a folder or of a hub id.

    Args:
        target: folder or hub id.
        may_guess: take a network that was not made with the library too, which then pools by the mean and warns.
        how: further arguments of `SentenceTransformer`.

    Raises:
        UserError: the library is not installed.
        NoSentenceModelError: there is no such model, or it was not made with the library.
    """
    if find_spec(LIBRARY) is None:
        raise UserError(
            f"The encoder '{target}' needs the library sentence-transformers: {installation('curate')}"
        )
    import transformers
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.util import is_sentence_transformer_model

    transformers.utils.logging.disable_progress_bar()
    folder = Path(target).expanduser()
    source = str(folder) if folder.is_dir() else target
    try:
        usable = may_guess or is_sentence_transformer_model(
            source, revision=how.get("revision"), local_files_only=how.get("local_files_only", False)
        )
        if usable:
            return SentenceTransformer(source, **how)
        cause = None
    except (OSError, ValueError) as problem:
        cause = problem
    raise NoSentenceModelError(
        f"The encoder '{target}' cannot be loaded: it is neither a folder of a sentence-transformers model nor one "
        "that can be fetched by that name. A plain network is written hf/... with a --pooling."
    ) from cause


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


class FunctionEncoder:
    """A function from texts to an array (texts x width) as an encoder."""

    poolings = (POOLING,)

    def __init__(self, name: str) -> None:
        """Take the function that `live/NAME` names.

        Raises:
            UserError: the words name weights, which are given as a function that encodes (`model.encode`).
        """
        self.name, model = name, offered(name)
        if isinstance(model, Weights | Scorer):
            raise UserError(
                f"The encoder '{name}' is not a function: give one that takes texts and returns their vectors, for "
                "example SentenceTransformer(...).encode."
            )
        self._function = model

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


def _look_at_function(spec: EncoderSpec, _options: EncoderOptions) -> EncoderFacts:
    offered(spec.text)  # nothing else is known of a function before it is called
    return EncoderFacts(None, POOLING)


FUNCTION = EncoderKind(
    name=LIVE,
    form="",
    look=_look_at_function,
    open=lambda spec, *_: [FunctionEncoder(spec.text)],
    poolings=lambda _spec: (POOLING,),
)
