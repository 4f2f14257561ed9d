"""Habits of writing that campaigns differ in: each rewrites the pairs of a statement, and is used only if learned.

A convention changes the form, never what is said: what is graded stays graded, what is denied stays denied.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from endoxa.curate.english import can_be
from endoxa.curate.extract.cascade import Extraction
from endoxa.curate.normalise import tables

Convention = Callable[[str, Sequence[Extraction]], list[Extraction]]

_ADVERB = re.compile(
    r"^(?:always|often|usually|mostly|generally|naturally|typically|commonly|mainly)\s+(?=\S)"
)
_REPORT = re.compile(
    r"^(?:(?:often |usually |generally |mostly )?(?:considered|perceived|seen|viewed|regarded|known|believed|portrayed|"
    r"tagged)(?: as| to be)?)\s+(?=\S)"
)
_NOUN_OF_PEOPLE = re.compile(r"^(?P<quality>(?:very |too |so )?[\w-]+) (?:people|persons|beings|ones|folks)$")
_OBJECTS = re.compile(r"^(?P<verb>\w+) (?P<one>[\w-]+) and (?P<other>[\w-]+)$")


def _with_copula(*rules: str) -> Convention:
    def apply(statement: str, pairs: Sequence[Extraction]) -> list[Extraction]:
        low = " ".join(statement.lower().split())
        return [
            replace(pair, attribute=f"are {pair.attribute}")
            if pair.rule in rules and pair.attribute and f" are {pair.attribute}" in low
            else pair
            for pair in pairs
        ]

    return apply


def _each(change: Callable[[str, str], str]) -> Convention:
    """The convention that changes each attribute by itself, given the statement in lower case."""

    def apply(statement: str, pairs: Sequence[Extraction]) -> list[Extraction]:
        low = " ".join(statement.lower().split())
        return [replace(pair, attribute=change(pair.attribute, low)) for pair in pairs]

    return apply


def _comparative(attribute: str, statement: str) -> str:
    graded = re.search(rf"\b(?P<grade>more|most) {re.escape(attribute)}\b", statement) if attribute else None
    return f"{graded['grade']} {attribute}" if graded else attribute


def _without_noun(attribute: str, statement: str) -> str:
    del statement
    match = _NOUN_OF_PEOPLE.match(attribute)
    return match["quality"] if match and can_be(match["quality"].split()[-1], "ADJ") else attribute


def _joined_lists(statement: str, pairs: Sequence[Extraction]) -> list[Extraction]:
    """Attributes of one group that the rules took apart, as one again."""
    del statement
    together: dict[tuple[str, str], Extraction] = {}
    for pair in pairs:
        before = together.get((pair.identity, pair.verb))
        joined = (
            pair if before is None else replace(before, attribute=f"{before.attribute} and {pair.attribute}")
        )
        together[pair.identity, pair.verb] = joined
    return list(together.values())


def _split_objects(statement: str, pairs: Sequence[Extraction]) -> list[Extraction]:
    """Objects of one verb taken apart: "love beer and tea" -> "love beer", "love tea"."""
    del statement
    pairs_out: list[Extraction] = []
    for pair in pairs:
        several = _OBJECTS.match(pair.attribute)
        plain = (
            several
            and can_be(several["verb"], "VERB")
            and all(can_be(several[name], "NOUN") for name in ("one", "other"))
        )
        if several is None or not plain:
            pairs_out.append(pair)
            continue
        pairs_out += [
            replace(pair, attribute=f"{several['verb']} {several[name]}") for name in ("one", "other")
        ]
    return pairs_out


def _places(statement: str, pairs: Sequence[Extraction]) -> list[Extraction]:
    """Inhabitants named by their place where the respondent did: "people from peru", not "peruvians"."""
    low = statement.lower()
    places = {
        who: place
        for place, who in tables().demonyms.items()
        if re.search(rf"\bfrom (?:the )?{re.escape(place)}\b", low)
    }
    return [
        replace(pair, identity=f"people from {places[pair.identity]}") if pair.identity in places else pair
        for pair in pairs
    ]


CONVENTIONS: dict[str, Convention] = {
    "join lists": _joined_lists,
    "split objects": _split_objects,
    "leave out adverbs": _each(lambda attribute, _: _ADVERB.sub("", attribute)),
    "leave out reports": _each(lambda attribute, _: _REPORT.sub("", attribute)),
    "leave out 'people'": _each(_without_noun),
    "keep comparatives": _each(_comparative),
    "not for aren't": _each(lambda attribute, _: re.sub(r"^(?:are|were)n't (?=\S)", "not ", attribute)),
    "keep places": _places,
    "keep 'are' after places": _with_copula("geographic"),
    "keep 'are' after 'people'": _with_copula("demographic"),
    "keep 'are'": _with_copula("copula"),
}
"""Every convention by its name in a lexicon, in the order in which they are applied."""
