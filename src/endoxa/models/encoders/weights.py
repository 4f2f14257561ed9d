"""Encoders whose weights are loaded here: any Hugging Face network (`hf/`), and sentence-transformers (`st/`).

A folder of sentence-transformers has a pooling of its own; written `hf/FOLDER` it is also read by the others.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from endoxa.errors import UserError, first_line, installation
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
        """Texts with their numbers of tokens; the library would cut a longer text without a word.

        Raises:
            UserError: a text is longer than the model reads, or holds a special token.
        """
        tokenizer = self.model.tokenizer
        if not texts or not hasattr(tokenizer, "unk_token_id"):  # a bag of words: no order, no limit
            return [(text, len(text.split())) for text in texts]
        from endoxa.models.special_tokens import SpecialTokens

        special = SpecialTokens.of(tokenizer)
        encoded = tokenizer(list(texts))["input_ids"]
        for text, ids in zip(texts, encoded, strict=True):
            problem = special.problem(ids, around=True)
            refuse_unreadable(self.name, text, ids, self.model.max_seq_length, problem)
        return [(text, len(ids)) for text, ids in zip(texts, encoded, strict=True)]

    def _shape(self, each: tuple[str, int]) -> tuple[int, ...]:
        return (each[1],)

    def _vectors(self, batch: Sequence[tuple[str, int]]) -> list[dict[str, Vector]]:
        encoded = self.model.encode(
            [text for text, _ in batch], batch_size=len(batch), show_progress_bar=False
        )
        return [{MODEL: vector} for vector in np.asarray(encoded, dtype=np.float32)]


def load_sentence_transformer(target: str, *, may_guess: bool = False, **how: Any) -> Any:
    """The `SentenceTransformer` in a folder or of a hub id.

    Args:
        target: folder or hub id.
        may_guess: take a network that was not made with the library too, which then pools by the mean and warns.
        how: further arguments of `SentenceTransformer`.

    Raises:
        UserError: the library is not installed, or weights are missing or cannot be read.
        NoSentenceModelError: there is no such model, or it was not made with the library.
    """
    if find_spec(LIBRARY) is None:
        raise UserError(
            f"The encoder '{target}' needs the library sentence-transformers: {installation('curate')}"
        )
    import transformers
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.util import is_sentence_transformer_model

    from endoxa.models.local import LOADING_PROBLEMS, refuse_incomplete

    transformers.utils.logging.disable_progress_bar()
    transformers.utils.logging.set_verbosity(logging.CRITICAL)
    folder = Path(target).expanduser()
    source = str(folder) if folder.is_dir() else target
    cause: Exception | None = None
    try:
        if may_guess or is_sentence_transformer_model(
            source, revision=how.get("revision"), local_files_only=how.get("local_files_only", False)
        ):
            with _loading_infos() as infos:
                model = SentenceTransformer(source, **how)
            for info in infos:
                refuse_incomplete(ModelSpec(target, "hf", target), info, ("pooler.",))
            return model
    except (OSError, ValueError) as problem:
        cause = problem
    except LOADING_PROBLEMS as problem:
        raise UserError(f"Cannot load the weights of '{target}': {first_line(problem)}.") from problem
    raise NoSentenceModelError(
        f"The encoder '{target}' cannot be loaded: it is neither a folder of a sentence-transformers model nor one "
        "that can be fetched by that name. A plain network is written hf/... with a --pooling."
    ) from cause


@contextmanager
def _loading_infos() -> Iterator[list[Mapping[str, Any]]]:
    """What transformers says of each network that it loads in this block: which weights are missing, say.

    sentence-transformers does not ask, and missing weights would be random numbers.
    """
    from transformers import PreTrainedModel

    infos: list[Mapping[str, Any]] = []
    networks: Any = PreTrainedModel
    load = vars(networks)["from_pretrained"]

    def load_and_note(cls: Any, *names: Any, **how: Any) -> Any:
        network, info = load.__func__(cls, *names, **how, output_loading_info=True)
        infos.append(info)
        return network

    networks.from_pretrained = classmethod(load_and_note)
    try:
        yield infos
    finally:
        networks.from_pretrained = load


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


def _encoders(
    spec: EncoderSpec,
    options: EncoderOptions,
    poolings: Sequence[str],
    texts: Sequence[str],
    *,
    weights: bool,
) -> list[Encoder]:
    """The encoders of local weights, which have looked at `texts`; without the weights they do no more than that."""
    encoders: list[Encoder] = []
    if picked := [POOLINGS.get(name) for name in poolings if name != MODEL]:
        from endoxa.models.encoders.transformer import encoders_of, load_network, read_network

        network = load_network(spec, options) if weights else read_network(spec, options)
        encoders += encoders_of(network, picked, texts)
    if MODEL in poolings and (weights or _sentence_folder(spec)):  # what is on the hub is fetched in its turn
        on_meta = replace(options, model=replace(options.model, device="meta"))
        encoders.append(SentenceEncoder.open(spec, options if weights else on_meta, texts))
    return encoders


def _offered(spec: EncoderSpec) -> tuple[str, ...]:
    of_model = () if _sentence_folder(spec) is None else (MODEL,)
    return (*POOLINGS.all(), *of_model)


HUGGING_FACE = EncoderKind(
    name="hf",
    form="hf/ORG/NAME, hf/FOLDER",
    look=_look,
    open=partial(_encoders, weights=True),
    check=partial(_encoders, weights=False),
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
