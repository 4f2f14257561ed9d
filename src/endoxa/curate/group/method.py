"""endoxa's own grouping: surface forms first, then meaning under cannot-link constraints.

Attributes that differ in one word only look alike to an encoder whatever that word means: "eat dogs" and "eat beef",
"hate their husbands" and "kill their husbands", "unfaithful" and "unemotional". Here the words that replace each other
are compared on their own, and where they are not similar the attributes must not be linked. The attribute without the
word is its *frame*; a negation belongs to the frame. Each word belongs to a group of words, so an attribute asserts
for each of its frames which group fills it, and memory grows with the number of attributes, not of their pairs.

Agents and patients of a verb are kept apart as well: "oppressors" and "oppressed", "beat their wives" and "beaten by
them".

Average linkage under cannot-link constraints, on a sparse graph of neighbours.

Two clusters have the similarity s(A, B) = S_A . S_B / (n_A n_B), the exact mean of the cosines between their members,
where S is the sum of a cluster's unit vectors. Clusters whose concepts contradict each other are never merged. Merging
the most similar pair until none reaches the threshold is the usual agglomeration (Sokal and Michener 1958). A mean
reaches the threshold only where one of its terms does, so pairs without neighbours between them are skipped, and with
all neighbours given the result is exact. Pairs are merged in the order of the nearest-neighbour chain (Benzecri 1982;
Muellner 2011, section 3), which gives the same clusters because merging never brings two clusters nearer to a third
(the mean of two similarities is at most the larger one, and constraints only add up).

No library at hand does average linkage with cannot-link constraints without the full matrix of similarities.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from endoxa.curate import english
from endoxa.curate.encoders import Encoder, Rows, Vectors, neighbours
from endoxa.curate.group.terms import surface_of
from endoxa.curate.opposites import Concept, Lexicon, Unit, concepts, flipped, units
from endoxa.curate.opposites.lexicon import plain
from endoxa.curate.polarity import polarity

TIE = 1e-5
"""Similarities closer than this are equal; the earlier row wins."""


@dataclass(slots=True)
class _Clusters:
    """Clusters by the row of their first member; merged ones live on in the earlier row.

    Attributes:
        sums: sum of unit vectors, shape (n, d); rows of merged clusters are stale.
        sizes: members by row; 0 where merged into another one.
        near: rows that were neighbours of a member (may name merged rows: see `home`).
        home: the cluster that a row belongs to now.
        members: rows by cluster; empty where merged into another one.
        asserted: concepts of all members.
        forbidden: the concepts that these exclude.
    """

    sums: Vectors
    sizes: npt.NDArray[np.int64]
    near: list[Rows]
    home: Rows
    members: list[list[int]]
    asserted: list[frozenset[Concept]]
    forbidden: list[frozenset[Concept]]

    def candidates(self, row: int) -> Rows:
        """Living clusters near `row`, ascending, without itself."""
        rows: Rows = self.home[self.near[row]]
        rows.sort()
        kept = rows != row
        kept[1:] &= rows[1:] != rows[:-1]
        rows = rows[kept]
        self.near[row] = rows
        return rows

    def nearest(self, row: int, threshold: float) -> tuple[int, float]:
        """The most similar cluster that may join `row`, and its similarity; of equal ones the earliest row.

        (-1, -inf) where none reaches the threshold.
        """
        rows = self.candidates(row)
        if not rows.size:
            return -1, -np.inf
        similar = self.sums[rows] @ self.sums[row] / (self.sizes[rows] * self.sizes[row])
        places = np.flatnonzero(similar >= threshold - 2 * TIE)
        order = np.argsort(-np.round(similar[places] / TIE), kind="stable")
        forbidden = self.forbidden[row]
        for place in places[order].tolist():
            if similar[place] < threshold:
                break
            if forbidden.isdisjoint(self.asserted[rows[place]]):
                return int(rows[place]), float(similar[place])
        return -1, -np.inf

    def similarity(self, first: int, second: int) -> float:
        """Mean cosine between the members of two clusters."""
        return float(self.sums[first] @ self.sums[second] / (self.sizes[first] * self.sizes[second]))

    def merge(self, first: int, second: int) -> None:
        """Join two clusters under the earlier row."""
        into, gone = sorted((first, second))
        self.sums[into] += self.sums[gone]
        self.sizes[into] += self.sizes[gone]
        self.sizes[gone] = 0
        self.near[into] = np.concatenate([self.near[into], self.near[gone]])
        self.near[gone] = self.near[gone][:0]
        self.home[self.members[gone]] = into
        self.members[into] += self.members[gone]
        self.members[gone] = []
        self.asserted[into] |= self.asserted[gone]
        self.forbidden[into] |= self.forbidden[gone]


def link(
    vectors: Vectors,
    asserted: Sequence[frozenset[Concept]],
    near: Sequence[Rows],
    threshold: float,
    together: Iterable[Sequence[int]] = (),
) -> Rows:
    """Clusters of rows: for every row, the first row of its cluster.

    Args:
        vectors: unit vectors, shape (n, d).
        asserted: concepts that a row asserts; clusters that assert opposite ends are not merged.
        near: for each row the rows to compare it with (`neighbours`).
        threshold: mean cosine that two clusters must reach.
        together: rows that are one cluster from the start, whatever they assert.
    """
    from threadpoolctl import threadpool_limits  # of the extra [curate]

    count = len(vectors)
    clusters = _Clusters(
        sums=vectors.copy(),
        sizes=np.ones(count, dtype=np.int64),
        near=list(near),
        home=np.arange(count, dtype=np.int32),
        members=[[row] for row in range(count)],
        asserted=list(asserted),
        forbidden=[flipped(facts) for facts in asserted],
    )
    for group in together:
        first, *others = sorted(group)
        for other in others:
            clusters.merge(first, other)
    with threadpool_limits(
        1, user_api="blas"
    ):  # products of a hundred rows: threads would wait for each other
        for first in range(count):
            _follow_chain(clusters, first, threshold)
    return clusters.home


def _follow_chain(clusters: _Clusters, first: int, threshold: float) -> None:
    """Go from cluster to nearest cluster; where two are each other's nearest, merge them; until the chain is empty."""
    chain = [first] if clusters.sizes[first] else []
    while chain:
        last, before = chain[-1], chain[-2] if len(chain) > 1 else -1
        nearest, similar = clusters.nearest(last, threshold)
        # Rounding may let one way reach the threshold, or be nearer, and not the other.
        if before >= 0 and (nearest < 0 or clusters.similarity(last, before) >= similar - TIE):
            nearest = before
        if nearest < 0:
            chain.pop()
        elif nearest == before:
            del chain[-2:]
            clusters.merge(last, before)
            chain = chain or [min(last, before)]
        else:
            chain.append(nearest)


ALIKE = 0.65
"""Least mean cosine of words that may stand in each other's place. Above the threshold of whole attributes, since two
words of one field reach that too ("beef", "pork": 0.57; "great", "good": 0.73)."""
DENIED = "not"

Frame = tuple[str, ...]


def fillings(texts: Sequence[str], encoder: Encoder, lexicon: Lexicon) -> list[frozenset[Concept]]:
    """For each attribute the concepts by which it excludes others that differ in one word of another group.

    Nothing in languages of which no function words are known, where "is" and "are" would count as words that differ.

    Args:
        texts: attributes without copula.
        encoder: texts to unit vectors; is given single words.
        lexicon: words, opposites and function words of the language.
    """
    if not lexicon.rules.function:
        return [frozenset() for _ in texts]
    filled = [tuple(_frames(units(text, lexicon), lexicon)) for text in texts]
    by_frame: dict[Frame, set[str]] = {}
    for pairs in filled:
        for frame, word in pairs:
            by_frame.setdefault(frame, set()).add(word)
    contested = {frame: words for frame, words in by_frame.items() if len(words) > 1}
    groups = _word_groups(sorted(set().union(*contested.values())), encoder, lexicon)
    codes = {
        (frame, word): code
        for place, frame in enumerate(sorted(contested))
        for word, code in _codes(place, contested[frame], groups).items()
    }
    return [frozenset().union(*(codes.get(pair, ()) for pair in pairs)) for pairs in filled]


def _frames(text_units: Sequence[Unit], lexicon: Lexicon) -> Iterator[tuple[Frame, str]]:
    """Every word of an attribute with the frame it stands in; a word alone, and not denied, stands in none."""
    parts = list(_parts(text_units, lexicon))
    denials = [DENIED for unit in text_units if unit.negated]
    for place, (word, base, turned) in enumerate(parts):
        frame = sorted([other for other, _, _ in parts[:place] + parts[place + 1 :]] + denials)
        if frame:
            yield tuple(frame), word if turned else base
        if turned:
            yield tuple(sorted([*frame, DENIED])), base


def _parts(text_units: Sequence[Unit], lexicon: Lexicon) -> Iterator[tuple[str, str, bool]]:
    """What may be swapped: a word as it stands, its base form, and whether it denies that by its own form.

    A verb takes its particle along ("wake up"); a term of the table that begins with a verb ("marry late") is words.
    """
    particles = surface_of(lexicon.language).particles
    for place, unit in enumerate(text_units):
        after = text_units[place + 1].words[0] if place + 1 < len(text_units) else ""
        if len(unit.words) > 1 and all(
            lexicon.rows[sense.row].part in ("verb", "transitive") for sense in lexicon.senses(unit.words)
        ):
            skipped = lexicon.rules.function | lexicon.rules.degree
            for word in unit.words:
                if word not in skipped:
                    yield word, word, False
        elif after in particles:
            yield f"{unit.base} {after}", f"{unit.base} {after}", False
        elif not (place and unit.words[0] in particles):
            word = " ".join(unit.words)
            yield word, unit.base if unit.turned or len(unit.words) == 1 else word, unit.turned


def _word_groups(words: Sequence[str], encoder: Encoder, lexicon: Lexicon) -> dict[str, int]:
    """A number for each word: words at one pole of the table, or alike to the encoder, have the same."""
    if not words:
        return {}
    vectors = encoder(words)
    poles: dict[tuple[int, int], list[int]] = {}
    for row, word in enumerate(words):
        senses = sorted(
            lexicon.senses(word.split()), key=lambda sense: lexicon.rows[sense.row].part != "transitive"
        )
        for sense in senses[:1]:
            poles.setdefault((sense.row, sense.pole), []).append(row)
    nothing: list[frozenset[Concept]] = [frozenset()] * len(words)
    labels = link(vectors, nothing, neighbours(vectors, ALIKE), ALIKE, poles.values())
    return dict(zip(words, np.asarray(labels).tolist(), strict=True))


def _codes(place: int, words: set[str], groups: dict[str, int]) -> dict[str, frozenset[Concept]]:
    """For each word of a frame the binary digits of its group's number, so that two groups contradict each other."""
    numbers = {group: number for number, group in enumerate(sorted({groups[word] for word in words}))}
    digits = (len(numbers) - 1).bit_length()
    return {
        word: frozenset((f"@{place}.{bit}", numbers[groups[word]] >> bit & 1) for bit in range(digits))
        for word in words
    }


DOER, AGENT = "doer", "by"
"""Scales: a doer's name against a participle, and a verb in the active against a participle with "by"."""


def voices(text: str, lexicon: Lexicon) -> frozenset[Concept]:
    """The ends of the scales above that an English attribute asserts, for each of its verbs.

    A participle is passive where "by" follows it, or where it is all there is: "retired early" and "dressed well"
    are no more passive than "retire early" is.
    """
    if lexicon.language != "en":
        return frozenset()
    words = lexicon.split(text)
    alone = len(units(text, lexicon)) == 1
    concepts_out: set[Concept] = set()
    for word, after in zip(words, (*words[1:], ""), strict=True):
        doer, verb = english.doing(word), english.lemmas(word).get("VERB")
        if doer:
            concepts_out |= {(f"{DOER} {doer}", 0), (f"{AGENT} {doer}", 0)}
        elif verb and not english.is_participle(word):
            concepts_out.add((f"{AGENT} {verb}", 0))
        elif verb and after == "by":
            concepts_out |= {(f"{DOER} {verb}", 1), (f"{AGENT} {verb}", 1)}
        elif verb and alone:
            concepts_out.add((f"{DOER} {verb}", 1))
    return frozenset(concepts_out)


POLARITY = "%"
"""Scale of the concepts that polarity asserts."""
DENIAL = "not"
"""Scale of the concepts that a denial asserts."""

_DENIED_VERB = re.compile(r"\b(?:\w+n't|cannot|never|(?:do|does|did|can|could|will|would|should|must) not)\b")


def polarity_of(text: str, lexicon: Lexicon) -> str:
    """Polarity of an attribute; 'neutral' in languages that VADER has no word list for."""
    return polarity(text) if lexicon.language == "en" else "neutral"


def asserted(text: str, lexicon: Lexicon) -> frozenset[Concept]:
    """What an attribute asserts for the grouping: its concepts, who does it, and its polarity where it has one.

    Neutral asserts nothing: it mostly means that VADER's list lacks the word. A group may so hold neutral terms beside
    good or bad ones, but never good beside bad ones.
    """
    word = polarity_of(text, lexicon)
    concepts_out = concepts(text, lexicon) | _denial(text, lexicon) | voices(text, lexicon)
    return concepts_out if word == "neutral" else concepts_out | {(POLARITY, int(word == "positive"))}


def _denial(text: str, lexicon: Lexicon) -> frozenset[Concept]:
    """Whether the attribute denies something of which no opposite is known ("don't believe in hard work").

    Such a denial must not meet anything that denies nothing. Where the opposite is known ("not strong") or is
    the word's own ("untrustworthy"), the concepts decide.
    """
    text_units = units(text, lexicon)
    clause = len(text_units) > 1 and _DENIED_VERB.search(plain(text)) is not None
    if clause or any(unit.negated and not lexicon.senses(unit.words) for unit in text_units):
        return frozenset({(DENIAL, 1)})
    return frozenset() if any(unit.denied for unit in text_units) else frozenset({(DENIAL, 0)})


def group_texts(
    texts: Sequence[str],
    vectors: Vectors,
    encoder: Encoder,
    lexicon: Lexicon,
    threshold: float,
    *,
    fixed: Sequence[str | None] = (),
) -> list[int]:
    """The group of each text, named by its first row.

    Args:
        texts: terms, in an order that does not depend on the input's (the alphabet).
        vectors: their unit vectors.
        encoder: what made them; is given single words where attributes differ in one.
        lexicon: what are opposites and negations.
        threshold: mean cosine that groups must reach to be merged.
        fixed: for each text the group it is in already, or None. Such groups are kept whole, and apart.
    """
    facts = [
        asserted(text, lexicon) | filled
        for text, filled in zip(texts, fillings(texts, encoder, lexicon), strict=True)
    ]
    together: dict[str, list[int]] = {}
    for row, name in enumerate(fixed):
        if name is not None:
            together.setdefault(name, []).append(row)
    for number, rows in enumerate(together.values()):
        for row in rows:
            count = len(together)
            facts[row] |= frozenset((f"fixed {bit}", number >> bit & 1) for bit in range(count.bit_length()))
    near = neighbours(vectors, threshold)
    return [int(row) for row in link(vectors, facts, near, threshold, together.values())]
