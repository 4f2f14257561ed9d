"""Pairs of vectors above a cosine, found in tiles, so that the full matrix of similarities never exists.

A tile fits the processor's cache, and each pair of rows is computed once. Each thread multiplies tiles of its own:
threads that share one product wait for each other wherever the machine does something else as well. A row keeps its
nearest neighbours only, so memory grows with the number of rows, however many of them are near alike.

Surface forms: attributes that differ in spelling only are one term from the start.

"are very loud" and "loud", "cheat" and "cheats", "old-school" and "old school", "organised" and "organized" are united
before anything is compared by meaning, whatever an encoder makes of them. One term represents each group.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array, csr_array

from endoxa.curate import english
from endoxa.curate.encoders import Vectors
from endoxa.curate.opposites.lexicon import Lexicon, plain
from endoxa.words.packs import words_of

DIGITS = 4
"""Digits to which likeness is compared."""


@dataclass(frozen=True, slots=True)
class Surface:
    """The word lists of `surface.toml` of a language; `endoxa/words/en/surface.toml` says what each holds."""

    copulas: frozenset[str]
    articles: frozenset[str]
    passed: frozenset[str]
    denials: frozenset[str]
    particles: frozenset[str]
    hedges: tuple[tuple[str, ...], ...]
    spellings: tuple[tuple[str, str], ...]


@lru_cache
def surface_of(language: str) -> Surface:
    """The word lists of a language; empty ones where it has no `surface.toml`."""
    entry = words_of(language, "surface.toml")
    spellings = (pair.partition("/") for pair in entry.get("spellings", "").split())
    return Surface(
        copulas=frozenset(entry.get("copulas", "").split()),
        articles=frozenset(entry.get("articles", "").split()),
        passed=frozenset(entry.get("passed", "").split()),
        denials=frozenset(entry.get("denials", "").split()),
        particles=frozenset(entry.get("particles", "").split()),
        hedges=tuple(tuple(hedge.split()) for hedge in entry.get("hedges", ())),
        spellings=tuple((british, american) for british, _, american in spellings),
    )


def clean(text: str, lexicon: Lexicon) -> str:
    """The attribute as it reads best: no copula, hedge, article or word of degree in front, plain apostrophes.

    "are very loud" and "are seen as loud" give "loud"; a text of which nothing would be left stays as it is.
    """
    words = plain(text).strip(" .,;:!?\"'").split()
    return " ".join(words[_start(words, lexicon) :])


def _start(words: Sequence[str], lexicon: Lexicon) -> int:
    """How many words stand before what the attribute says; never all of them."""
    surface = surface_of(lexicon.language)
    passed = surface.copulas | lexicon.rules.degree | surface.articles
    start = 0
    while start < len(words) - 1:
        rest = tuple(words[start:])
        length = max((len(hedge) for hedge in surface.hedges if rest[: len(hedge)] == hedge), default=0)
        step = length or int(words[start] in passed)
        if not step or start + step >= len(words):
            return start
        start += step
    return start


def key(text: str, lexicon: Lexicon) -> str:
    """What an attribute and its surface variants have in common; equal keys are one term.

    Copula, hedges ("seen as"), articles, possessives, words of degree, number, person, comparison, hyphens, white space
    and British or American spelling do not count; negation does, however it is written. Forms of words are undone in
    English only.
    """
    surface = surface_of(lexicon.language)
    words = lexicon.split(text)
    words = words[_start(words, lexicon) :]
    dropped = surface.copulas | surface.articles | surface.passed | lexicon.rules.degree
    kept = [word for word in words if word not in dropped]
    if lexicon.language == "en":
        kept = [_english(word) for word in kept]
        if len(kept) == 2 and kept[1] in ("person", "people") and english.is_adjective(kept[0]):
            kept.pop()
    return "".join(kept or words) or text


@lru_cache(maxsize=65536)
def _english(word: str) -> str:
    surface = surface_of("en")
    if word in surface.denials:
        return "not"
    word = _uninflected(word)
    if len(word) > 4:
        for british, american in surface.spellings:
            other = word[: -len(british)] + american
            if word.endswith(british) and english.lemmas(other):
                return other
    return word


def _uninflected(word: str) -> str:
    """Without plural, comparison or the -s of verbs; a participle stays ("trusted" is not "trust")."""
    lemmas = english.lemmas(word)
    if lemmas.get("ADJ") == word:
        return word
    parts = ("ADJ", "NOUN", "VERB") if word.endswith("s") else ("ADJ", "NOUN")
    return next((lemmas[part] for part in parts if part in lemmas), word)


@dataclass(frozen=True, slots=True)
class Term:
    """Attributes that are the same but for their surface.

    Attributes:
        key: what they have in common.
        text: how the term reads best ("loud" for "are very loud").
        attributes: the attributes as they stand, in alphabetical order.
        count: respondents behind all of them.
    """

    key: str
    text: str
    attributes: tuple[str, ...]
    count: int


def make_terms(counts: Mapping[str, int], lexicon: Lexicon) -> list[Term]:
    """Terms of the attributes in `counts` (respondents by attribute), in the order of their keys."""
    by_key: dict[str, list[str]] = {}
    for attribute in sorted(counts):
        by_key.setdefault(key(attribute, lexicon), []).append(attribute)
    return [
        Term(name, _text(members, counts, lexicon), tuple(members), sum(counts[member] for member in members))
        for name, members in sorted(by_key.items())
    ]


def _text(members: list[str], counts: Mapping[str, int], lexicon: Lexicon) -> str:
    """The cleaned form of most respondents; then the shortest, then the first in the alphabet."""
    support: dict[str, int] = {}
    for member in members:
        form = clean(member, lexicon)
        support[form] = support.get(form, 0) + counts[member]
    return min(support, key=lambda form: (-support[form], len(form), form))


def canonical(terms: Sequence[Term], vectors: Vectors) -> str:
    """The term of most respondents; of several the most central (cosine to the mean), then the shortest.

    Args:
        terms: members of the group.
        vectors: their unit vectors, in the same order.
    """
    central = np.round(vectors @ vectors.mean(axis=0), DIGITS)
    order = sorted(
        range(len(terms)),
        key=lambda row: (-terms[row].count, -central[row], len(terms[row].text), terms[row].text),
    )
    return terms[order[0]].text


Rows = npt.NDArray[np.int32]
Pairs = tuple[Rows, Rows, Vectors]
"""Rows, columns and their similarities."""

TILE = (512, 2048)
"""Rows and columns compared at a time (float32: 4 MiB)."""
MOST_NEIGHBOURS = 96
"""Neighbours kept of one vector, the nearest; bounds memory where thousands of attributes are near alike."""
WAITING = 1 << 20
"""Least number of pairs that are collected before all but the nearest are dropped."""


def neighbours(vectors: Vectors, threshold: float, most: int = MOST_NEIGHBOURS) -> list[Rows]:
    """For every row the rows at cosine >= `threshold`, without itself, in ascending order.

    Args:
        vectors: unit vectors, shape (n, d).
        threshold: smallest cosine.
        most: how many a row may name. A row is a neighbour of another one if either names the other, so that the
            relation is symmetric.
    """
    nearest = _Nearest(len(vectors), most)
    for rows, columns, similar in _near(vectors, threshold):
        nearest.add(rows, columns, similar)
    return nearest.lists()


def _near(vectors: Vectors, threshold: float) -> Iterator[Pairs]:
    """The pairs of each tile on and above the diagonal, a row of tiles after the other."""
    from threadpoolctl import threadpool_limits  # of the extra [curate]

    height, width = TILE
    workers = os.cpu_count() or 1
    local = threading.local()

    def tile(top: int, left: int) -> Pairs:
        if not hasattr(local, "cells"):
            local.cells = np.empty(height * width, dtype=np.float32)
        rows, columns = vectors[top : top + height], vectors[left : left + width]
        cells = local.cells[: len(rows) * len(columns)]
        np.matmul(rows, columns.T, out=cells.reshape(len(rows), len(columns)))
        cells_above = np.flatnonzero(cells >= threshold)
        row, column = np.divmod(cells_above, len(columns))
        above = column + left > row + top
        row, column, cells_above = row[above] + top, column[above] + left, cells_above[above]
        return row.astype(np.int32), column.astype(np.int32), cells[cells_above]

    ahead: deque[Future[Pairs]] = deque()
    with threadpool_limits(1, user_api="blas"), ThreadPoolExecutor(workers) as pool:
        for top in range(0, len(vectors), height):
            for left in range(top, len(vectors), width):
                ahead.append(pool.submit(tile, top, left))
                if len(ahead) > 2 * workers:
                    yield ahead.popleft().result()
        while ahead:
            yield ahead.popleft().result()


class _Nearest:
    """The nearest neighbours of each row, of equally near ones the first, while pairs come in by tiles.

    The tiles come in such an order that a row meets its neighbours from the first to the last.
    """

    def __init__(self, count: int, most: int) -> None:
        self._count, self._most = count, most
        self._parts: list[Pairs] = []
        self._waiting = 0
        self._limit = max(WAITING, 2 * count * most)
        self._farthest = np.full(count, -np.inf, dtype=np.float32)
        """What a further neighbour of a row must surpass."""
        self._crowded = False

    def add(self, rows: Rows, columns: Rows, similar: Vectors) -> None:
        """Take pairs of rows and their similarities, each for both rows."""
        for source, target in ((rows, columns), (columns, rows)):
            nearer = similar > self._farthest[source]
            self._parts.append((source[nearer], target[nearer], similar[nearer]))
            self._waiting += len(self._parts[-1][0])
        if self._waiting > self._limit:
            kept = self._kept()
            source = np.repeat(np.arange(self._count, dtype=np.int32), np.diff(kept.indptr))
            self._parts = [(source, kept.indices, kept.data)]
            self._waiting = len(source)

    def _kept(self) -> csr_array:
        """The similarities of all rows to their nearest, in ascending order of the neighbours."""
        source, target, similar = (np.concatenate(part) for part in zip(*self._parts, strict=True))
        graph = coo_array((similar, (source, target)), shape=(self._count, self._count)).tocsr()
        crowded = np.flatnonzero(np.diff(graph.indptr) > self._most)
        if not len(crowded):
            return graph
        self._crowded = True
        kept = np.ones(graph.nnz, dtype=bool)
        for row in crowded.tolist():
            start, end = graph.indptr[row], graph.indptr[row + 1]
            order = np.argsort(-graph.data[start:end], kind="stable")
            kept[start + order[self._most :]] = False
        sizes = np.minimum(np.diff(graph.indptr), self._most)
        ends = np.concatenate([[0], np.cumsum(sizes)])
        chosen = csr_array((graph.data[kept], graph.indices[kept], ends), shape=graph.shape)
        full = np.flatnonzero(sizes == self._most)
        self._farthest[full] = np.minimum.reduceat(chosen.data, ends[:-1][full]) if len(full) else ()
        return chosen

    def lists(self) -> list[Rows]:
        """For each row its neighbours, and those that it is a neighbour of, in ascending order."""
        if not self._parts:
            return [np.empty(0, dtype=np.int32)] * self._count
        graph = self._kept()
        if self._crowded:
            graph.data = np.ones_like(graph.data)
            graph = (graph + graph.T).tocsr()
            graph.sort_indices()
        return np.split(graph.indices.astype(np.int32), graph.indptr[1:-1])
