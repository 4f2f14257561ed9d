"""Word vectors that do not depend on the sentence, from files of word2vec text (`.txt`, `.vec`, also `.gz`) or `.npz`.

A text that stands in the file as a whole has that vector ("New York" also as `New_York`); any other text has the mean
of the vectors of its words, each looked up as it is written, then in lower case, then in its parts ("person's").
word2vec text is read with or without its first line of counts (GloVe has none).
"""

from __future__ import annotations

import gzip
import zipfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import regex

from endoxa.errors import UserError
from endoxa.models.encoders.encoder import (
    Encoded,
    Encoder,
    EncoderFacts,
    EncoderKind,
    EncoderOptions,
    EncoderSpec,
    Vector,
)
from endoxa.models.spec import DEFAULT_MAX_UNKNOWN
from endoxa.sources.files import replacing, require_file, sha256

TEXT_SUFFIXES = (".txt", ".vec", ".txt.gz", ".vec.gz")
NPZ_SUFFIX = ".npz"
NPZ_NAMES = ("texts", "words")
"""Arrays of an `.npz` that may hold the texts; `vectors` holds one row for each."""
WORDS = "words"
"""The one pooling of word vectors."""
SHOWN = 5
# Letters, marks, digits and the joiners that Indic and Persian spelling needs.
_PART = regex.compile(r"[\p{L}\p{M}\p{N}\u200c\u200d]+")
_WORD = regex.compile(rf"{_PART.pattern}(?:['’\-]{_PART.pattern})*")


def read_vectors(path: Path, wanted: Collection[str] | None = None) -> dict[str, Vector]:
    """Vectors of a file by word or text; where one stands there twice, the first counts.

    Args:
        path: `.npz` with the arrays `texts` (or `words`) and `vectors`, or word2vec text by `TEXT_SUFFIXES`.
        wanted: only these; None takes all.

    Raises:
        UserError: the file is not there, of another kind, damaged, or has rows of different lengths or numbers that
            are not finite.
    """
    require_file(path, compressed=path.suffix.lower() == ".gz")
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
            name = next((name for name in NPZ_NAMES if name in arrays.files), None)
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
    by_text: dict[str, Vector] = {}
    for text, vector in zip(texts.tolist(), vectors.astype(np.float32), strict=True):
        if wanted is not None and text not in wanted:
            continue
        if not np.array_equal(by_text.setdefault(text, vector), vector, equal_nan=True):
            raise UserError(
                f"{path} holds the text {text!r} twice, with different vectors: keep one of them."
            )
    _refuse_infinite(path, by_text)
    return by_text


def _read_text(path: Path, wanted: Collection[str] | None) -> dict[str, Vector]:
    by_word: dict[str, Vector] = {}
    width = number = 0
    opened: Any = gzip.open if path.name.lower().endswith(".gz") else open
    try:
        with opened(path, "rb") as file:
            for number, raw in enumerate(file, 1):
                line = raw.decode("utf-8-sig" if number == 1 else "utf-8").rstrip()
                fields = line.split(" ")
                if number == 1 and len(fields) == 2 and all(field.isdecimal() for field in fields):
                    width = int(fields[1])
                elif line:
                    width = width or len(fields) - 1
                    _add(by_word, fields, width, wanted, f"{path}, line {number}")
    except UnicodeDecodeError as problem:
        raise UserError(
            f"{path}, line {number}: not UTF-8 text; convert a binary word2vec file with gensim first."
        ) from problem
    except (OSError, EOFError) as problem:
        raise UserError(f"{path} cannot be read after line {number}: {problem}.") from problem
    if not width:
        raise UserError(f"{path} is empty: it holds no vectors.")
    _refuse_infinite(path, by_word)
    return by_word


def _add(
    by_word: dict[str, Vector], fields: list[str], width: int, wanted: Collection[str] | None, where: str
) -> None:
    """Take the vector of a line, unless its word is not wanted or there already."""
    if width < 1 or len(fields) <= width:
        raise UserError(
            f"{where}: found {len(fields) - 1} numbers after the word, expected {width or 'at least 1'}: the file is "
            "no word2vec text, or it is cut."
        )
    word = " ".join(fields[:-width])  # some files have entries with spaces
    if (wanted is None or word in wanted) and word not in by_word:
        try:
            by_word[word] = np.array(fields[-width:], dtype=np.float32)
        except ValueError as problem:
            raise UserError(f"{where}: what follows '{word}' is not all numbers.") from problem


def _refuse_infinite(path: Path, vectors: dict[str, Vector]) -> None:
    for text, vector in vectors.items():
        if not np.isfinite(vector).all():
            raise UserError(
                f"{path}: the vector of '{text}' holds a number that is not finite; mend or remove it."
            )


@dataclass(frozen=True, slots=True)
class StaticEncoder:
    """Mean of word vectors; holds the vectors of the words it was opened for.

    Attributes:
        name: the encoder as written on the command line.
        vectors: known words, in the spelling of the file.
        unknown: words of the texts that are not in the file, sorted.
    """

    name: str
    vectors: Mapping[str, Vector] = field(repr=False)
    unknown: tuple[str, ...]
    poolings: tuple[str, ...] = (WORDS,)

    @classmethod
    def open(
        cls, name: str, path: Path, texts: Sequence[str], max_unknown: float = DEFAULT_MAX_UNKNOWN
    ) -> StaticEncoder:
        """Read the vectors that `texts` need; memory grows with the texts, not with the file.

        Raises:
            UserError: the file cannot be read, lacks more than `max_unknown` of the different words, or lacks
                every word of a text.
        """
        distinct = list(dict.fromkeys(texts))
        vectors = read_vectors(path, {form for text in distinct for form in _forms(text)})
        looks = {text: _find(text, vectors) for text in distinct}
        unknown = sorted({word for _, lacking in looks.values() for word in lacking})
        covered = {word for entries, _ in looks.values() for word in entries}
        share = len(unknown) / max(1, len(unknown) + len(covered))
        if share > max_unknown:
            raise UserError(
                f"{path} has no vector for {len(unknown)} of {len(unknown) + len(covered)} words ({_some(unknown)}), "
                f"which is more than the share of {max_unknown:g} that may be missing: use vectors of the tests' "
                "language, or allow more with --set max_unknown=X."
            )
        empty = [text for text, (entries, _) in looks.items() if not entries]
        if empty:
            raise UserError(
                f"{path} knows no word of {len(empty)} of {len(looks)} texts ({_some(empty)}), which would have no "
                "vector: use other vectors, or take these texts out of the tests."
            )
        return cls(name, vectors, tuple(unknown))

    def describe(self) -> Mapping[str, Any]:
        """Facts for `run.json`."""
        return {
            "name": self.name,
            "kind": "static",
            "width": len(next(iter(self.vectors.values()))),
            "lookup": "whole text, else mean of its words: as written, lower case, parts",
            "unknown_words": list(self.unknown),
        }

    def unknown_share(self, texts: Sequence[str]) -> float:
        """Share (0 to 1) of the words of `texts` that have no vector."""
        looks = [_find(text, self.vectors) for text in texts]
        unknown = sum(len(lacking) for _, lacking in looks)
        return unknown / max(1, unknown + sum(len(entries) for entries, _ in looks))

    def encode(self, texts: Sequence[str]) -> Iterator[Encoded]:
        """See `endoxa.models.encoders.encoder.Encoder.encode`.

        Raises:
            UserError: no word of a text is known.
        """
        for index, text in enumerate(texts):
            entries, _ = _find(text, self.vectors)
            if not entries:
                raise UserError(f"{self.name} knows no word of '{text}', which has no vector there.")
            rows = np.stack([self.vectors[word] for word in entries])
            yield Encoded(index, {WORDS: rows.mean(axis=0, dtype=np.float64).astype(np.float32)})


def _find(text: str, vectors: Mapping[str, Vector]) -> tuple[list[str], list[str]]:
    """Entries of the file that make up a text, and words that have none."""

    def first(*forms: str) -> str | None:
        return next((form for form in forms if form in vectors), None)

    if (phrase := first(*_phrase_forms(text))) is not None:
        return [phrase], []
    entries: list[str] = []
    unknown: list[str] = []
    for word in _WORD.findall(text):
        entry = first(word, word.lower())
        for part in _PART.findall(word) if entry is None else (word,):
            entry = first(part, part.lower())
            (unknown if entry is None else entries).append(part if entry is None else entry)
    return entries, unknown


def _phrase_forms(text: str) -> tuple[str, str]:
    return text, text.replace(" ", "_")


def _forms(text: str) -> Iterator[str]:
    """Every spelling under which the vectors of `text` may stand."""
    yield from _phrase_forms(text)
    for word in (*_WORD.findall(text), *_PART.findall(text)):
        yield from (word, word.lower())


def _some(words: Sequence[str]) -> str:
    shown = ", ".join(f"'{word}'" for word in words[:SHOWN])
    return shown + (", ..." if len(words) > SHOWN else "")


def _look(spec: EncoderSpec, _options: EncoderOptions) -> EncoderFacts:
    path = Path(spec.target)
    require_file(path, compressed=path.suffix.lower() == ".gz")
    return EncoderFacts(sha256(path), WORDS)


def _open(
    spec: EncoderSpec, options: EncoderOptions, _poolings: Sequence[str], texts: Sequence[str]
) -> list[Encoder]:
    return [StaticEncoder.open(spec.text, Path(spec.target), texts, options.max_unknown)]


STATIC = EncoderKind(name="static", form="static/FILE", look=_look, open=_open, poolings=lambda _: (WORDS,))
