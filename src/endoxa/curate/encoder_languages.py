"""Whether an encoder knows a language, measured with the language's own table of opposites.

An encoder gives vectors to words that it never saw, and groups made of them look like any others. Words of one scale
(synonyms and opposites alike: "kind", "gentle", "cruel") are nearer to each other than to unrelated words where an
encoder knows what they mean. How often is measured, the unrelated word having the same last letter, so that a shared
ending is no likeness. 0.5 is chance.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from endoxa.curate.encoders import DEFAULT_ENCODER, SAME_WORDS, Encoder, load_encoder
from endoxa.curate.opposites.lexicon import Lexicon
from endoxa.words.packs import language_name

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


@dataclass(frozen=True, slots=True)
class Nearness:
    """How often words of one scale are nearer to each other than to unrelated words.

    Attributes:
        share: of the comparisons; 0.5 by chance.
        pairs: pairs of words of one scale that were compared.
    """

    share: float
    pairs: int


def nearness(encoder: Encoder, lexicon: Lexicon) -> Nearness | None:
    """Measure an encoder with the words of a language; None where the table has too few.

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
    return Nearness(float(np.mean(shares)), len(shares)) if len(shares) >= FEWEST_PAIRS else None


def doubt(name: str, encoder: Encoder, lexicon: Lexicon) -> str:
    """A sentence about an encoder that does not seem to know a language; empty where it does.

    Args:
        name: as the user wrote it.
        encoder: the encoder of that name.
        lexicon: opposites of the language.
    """
    language = language_name(lexicon.language)
    measured = nearness(encoder, lexicon)
    if measured is None:
        return f"Whether the encoder {name} knows {language} was not measured: its table of opposites is too short."
    if measured.share >= LEAST:
        return ""
    return (
        f"The encoder {name} does not seem to know {language}: words of one scale are nearer to each other than to "
        f"unrelated words in {measured.share:.0%} of the comparisons (50% is chance, {LEAST:.0%} or more is "
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
