"""Files of vectors: word2vec text (with or without its first line of counts, as GloVe has it) and `.npz`."""

from __future__ import annotations

import gzip
import zipfile
from collections.abc import Collection, Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path

import numpy as np

from endoxa.datasets.files import require_file
from endoxa.datasets.write import replacing
from endoxa.errors import UserError
from endoxa.models.encoders.encoder import Vector

TEXT_SUFFIXES = (".txt", ".vec", ".txt.gz", ".vec.gz")
NPZ_SUFFIX = ".npz"
NAMES = ("texts", "words")
"""Arrays of an `.npz` that may hold the texts; `vectors` holds one row for each."""


def read_vectors(path: Path, wanted: Collection[str] | None = None) -> dict[str, Vector]:
    """Vectors of a file by word or text; where one stands there twice, the first counts.

    Args:
        path: `.npz` with the arrays `texts` (or `words`) and `vectors`, or word2vec text by `TEXT_SUFFIXES`.
        wanted: only these; None takes all.

    Raises:
        UserError: the file is not there, of another kind, damaged, or has rows of different lengths or numbers that
            are not finite.
    """
    require_file(path)
    name = path.name.lower()
    if name.endswith(NPZ_SUFFIX):
        return _read_npz(path, wanted)
    if name.endswith(TEXT_SUFFIXES):
        return _read_text(path, wanted)
    raise UserError(
        f"{path} is not known as a file of vectors: its name must end in {', '.join((NPZ_SUFFIX, *TEXT_SUFFIXES))}."
    )


def write_npz(path: Path, texts: Collection[str], vectors: Vector) -> None:
    """Write `texts` and their `vectors` (texts x width), never half of the file.

    Raises:
        UserError: the place cannot be written.
    """
    with replacing(path) as draft, draft.open("wb") as file:
        np.savez_compressed(file, texts=np.array(list(texts)), vectors=np.asarray(vectors, dtype=np.float32))


def _read_npz(path: Path, wanted: Collection[str] | None) -> dict[str, Vector]:
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
            name = next((name for name in NAMES if name in arrays.files), None)
            if name is None or "vectors" not in arrays.files:
                raise UserError(
                    f"{path} holds the arrays {', '.join(arrays.files) or 'none'}; it must hold texts and vectors."
                )
            texts, vectors = arrays[name], arrays["vectors"]
    except (ValueError, OSError, EOFError, KeyError, zipfile.BadZipFile) as problem:
        raise UserError(
            f"{path} is not readable as .npz: write it again with numpy.savez(path, texts=..., vectors=...)."
        ) from problem
    if texts.ndim != 1 or vectors.ndim != 2 or len(texts) != len(vectors) or texts.dtype.kind != "U":
        raise UserError(
            f"{path} must hold as many texts as rows of vectors; found {name} of shape {texts.shape} and type "
            f"{texts.dtype}, and vectors of shape {vectors.shape}."
        )
    if vectors.dtype.kind not in "fiu":
        raise UserError(f"{path}: vectors must hold real numbers; found the type {vectors.dtype}.")
    found: dict[str, Vector] = {}
    for text, vector in zip(texts.tolist(), vectors.astype(np.float32), strict=True):
        if wanted is not None and text not in wanted:
            continue
        if not np.array_equal(found.setdefault(text, vector), vector, equal_nan=True):
            raise UserError(
                f"{path} holds the text {text!r} twice, with different vectors: keep one of them."
            )
    _refuse_infinite(path, found)
    return found


def _read_text(path: Path, wanted: Collection[str] | None) -> dict[str, Vector]:
    found: dict[str, Vector] = {}
    width: int | None = None
    for number, line in _lines(path):
        fields = line.rstrip().split(" ")
        if number == 1 and len(fields) == 2 and all(field.isdecimal() for field in fields):
            width = int(fields[1])
            continue
        if width is None:
            width = len(fields) - 1
        if width < 1 or len(fields) <= width:
            raise UserError(
                f"{path}, line {number}: found {len(fields) - 1} numbers after the word, expected "
                f"{width or 'at least 1'}: the file is no word2vec text, or it is cut."
            )
        word = " ".join(fields[:-width])  # some files have entries with spaces
        if (wanted is not None and word not in wanted) or word in found:
            continue
        try:
            found[word] = np.array(fields[-width:], dtype=np.float32)
        except ValueError as problem:
            raise UserError(f"{path}, line {number}: what follows '{word}' is not all numbers.") from problem
    if width is None:
        raise UserError(f"{path} is empty: it holds no vectors.")
    _refuse_infinite(path, found)
    return found


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    number = 0
    try:
        with ExitStack() as stack:
            file: Iterable[bytes] = stack.enter_context(path.open("rb"))
            if path.name.lower().endswith(".gz"):
                file = stack.enter_context(gzip.open(path, "rb"))
            for number, raw in enumerate(file, 1):
                line = raw.decode("utf-8-sig" if number == 1 else "utf-8")
                if line.strip():
                    yield number, line
    except UnicodeDecodeError as problem:
        raise UserError(
            f"{path}, line {number}: not UTF-8 text; convert a binary word2vec file with gensim first."
        ) from problem
    except (OSError, EOFError) as problem:
        raise UserError(f"{path} cannot be read after line {number}: {problem}.") from problem


def _refuse_infinite(path: Path, vectors: dict[str, Vector]) -> None:
    for text, vector in vectors.items():
        if not np.isfinite(vector).all():
            raise UserError(
                f"{path}: the vector of '{text}' holds a number that is not finite; mend or remove it."
            )
