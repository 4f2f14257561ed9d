"""Where the vectors of association tests come from: a file of vectors, or the run folders of `probe embeddings`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from endoxa.errors import UserError
from endoxa.instruments.association_tests.items import distinct_texts, read_tests
from endoxa.models.encoders.static import NPZ_SUFFIX, read_vectors
from endoxa.runs.folder import RUN, TESTS
from endoxa.schema import AssociationTest


@dataclass(frozen=True, slots=True)
class Source:
    """Vectors of one model under one pooling, and the tests to be made on them.

    Attributes:
        tests: the tests.
        path: file of the vectors.
        model: the model as written on the command line, or the file.
        pooling: how a text became one vector, or empty.
    """

    tests: tuple[AssociationTest, ...]
    path: Path
    model: str
    pooling: str

    def vectors(self) -> Mapping[str, np.ndarray]:
        """Vectors of the texts of the tests, as far as the file has them.

        An `.npz` must hold the very texts. Word vectors (word2vec text) are looked up as
        `endoxa.models.encoders.static` does: the whole text, else the mean of its words.

        Raises:
            UserError: the file cannot be read, or word vectors lack too many words.
        """
        texts = distinct_texts(self.tests)
        if self.path.name.lower().endswith(NPZ_SUFFIX):
            return read_vectors(self.path, set(texts))
        from endoxa.models.encoders.static import WORDS, StaticEncoder

        encoder = StaticEncoder.open(self.model, self.path, texts)
        return {texts[encoded.index]: encoded.vectors[WORDS] for encoded in encoder.encode(texts)}


def vector_source(tests: Sequence[AssociationTest], path: Path, pooling: str = "") -> Source:
    """Tests on the vectors of a file, which stands for the model."""
    return Source(tuple(tests), path, str(path), pooling)


def run_sources(folder: Path, tests: Sequence[AssociationTest] | None = None) -> list[Source]:
    """What a run folder of `endoxa probe embeddings` holds: a source per model and pooling.

    Args:
        folder: the run folder, with `run.json`, `tests.json` and the files of vectors that `run.json` names.
        tests: other tests than those of the run; their texts must have been encoded.

    Raises:
        UserError: the folder is no such run.
    """
    path = folder / RUN
    problem = UserError(
        f"{folder} is not a finished run of `endoxa probe embeddings`: {path} lists no vectors. Give a run folder, or "
        "--tests with --vectors."
    )
    try:
        run: Any = json.loads(path.read_text(encoding="utf-8"))
        listed = [(entry["model"], entry["pooling"], folder / entry["file"]) for entry in run["vectors"]]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise problem from error
    if not listed:
        raise problem
    used = tuple(read_tests(folder / TESTS) if tests is None else tests)
    return [Source(used, file, str(model), str(pooling)) for model, pooling, file in listed]
