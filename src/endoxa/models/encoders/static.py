"""Word vectors that do not depend on the sentence: word2vec text (`.txt`, `.vec`, also `.gz`) and `.npz`.

A text that stands in the file as a whole has that vector ("New York" also as `New_York`); any other text has the mean
of the vectors of its words, each looked up as it is written, then in lower case, then in its parts ("person's").
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import regex

from endoxa.errors import UserError
from endoxa.models.encoders.encoder import DEFAULT_MAX_UNKNOWN, Encoded, Vector
from endoxa.models.encoders.vector_files import read_vectors

WORDS = "words"
"""The one pooling of word vectors."""
SHOWN = 5
# Letters, marks, digits and the joiners that Indic and Persian spelling needs.
_PART = regex.compile(r"[\p{L}\p{M}\p{N}\u200c\u200d]+")
_WORD = regex.compile(rf"{_PART.pattern}(?:['’\-]{_PART.pattern})*")


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
        found = {text: _find(text, vectors) for text in distinct}
        unknown = sorted({word for look in found.values() for word in look.unknown})
        known = {word for look in found.values() for word in look.known}
        share = len(unknown) / max(1, len(unknown) + len(known))
        if share > max_unknown:
            raise UserError(
                f"{path} has no vector for {len(unknown)} of {len(unknown) + len(known)} words ({_some(unknown)}), "
                f"which is more than the share of {max_unknown:g} that may be missing: use vectors of the tests' "
                "language, or allow more with --max-unknown."
            )
        empty = [text for text, look in found.items() if not look.known]
        if empty:
            raise UserError(
                f"{path} knows no word of {len(empty)} of {len(found)} texts ({_some(empty)}), which would have no "
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
        unknown = sum(len(look.unknown) for look in looks)
        return unknown / max(1, unknown + sum(len(look.known) for look in looks))

    def encode(self, texts: Sequence[str]) -> Iterator[Encoded]:
        """See `endoxa.models.encoders.encoder.Encoder.encode`.

        Raises:
            UserError: no word of a text is known.
        """
        for index, text in enumerate(texts):
            known = _find(text, self.vectors).known
            if not known:
                raise UserError(f"{self.name} knows no word of '{text}', which has no vector there.")
            rows = np.stack([self.vectors[word] for word in known])
            yield Encoded(index, {WORDS: rows.mean(axis=0, dtype=np.float64).astype(np.float32)})


@dataclass(frozen=True, slots=True)
class _Look:
    """Entries of the file that make up a text, and words that have none."""

    known: tuple[str, ...]
    unknown: tuple[str, ...]


def _find(text: str, vectors: Mapping[str, Vector]) -> _Look:
    whole = _first(_whole(text), vectors)
    if whole is not None:
        return _Look((whole,), ())
    known: list[str] = []
    unknown: list[str] = []
    for word in _WORD.findall(text):
        entry = _first((word, word.lower()), vectors)
        if entry is not None:
            known.append(entry)
            continue
        for part in _PART.findall(word):
            entry = _first((part, part.lower()), vectors)
            (unknown if entry is None else known).append(part if entry is None else entry)
    return _Look(tuple(known), tuple(unknown))


def _first(forms: Sequence[str], vectors: Mapping[str, Vector]) -> str | None:
    return next((form for form in forms if form in vectors), None)


def _whole(text: str) -> tuple[str, str]:
    return text, text.replace(" ", "_")


def _forms(text: str) -> Iterator[str]:
    """Every spelling under which the vectors of `text` may stand."""
    yield from _whole(text)
    for word in (*_WORD.findall(text), *_PART.findall(text)):
        yield from (word, word.lower())


def _some(words: Sequence[str]) -> str:
    shown = ", ".join(f"'{word}'" for word in words[:SHOWN])
    return shown + (", ..." if len(words) > SHOWN else "")
