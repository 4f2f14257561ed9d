"""Who does and who suffers what a verb says: "oppressors" and "oppressed", "beat their wives" and "beaten by them"."""

from __future__ import annotations

from endoxa.curate.opposites import Concept, Lexicon, english, units

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
    found: set[Concept] = set()
    for word, after in zip(words, (*words[1:], ""), strict=True):
        doer, verb = english.doing(word), english.lemmas(word).get("VERB")
        if doer:
            found |= {(f"{DOER} {doer}", 0), (f"{AGENT} {doer}", 0)}
        elif verb and not english.is_participle(word):
            found.add((f"{AGENT} {verb}", 0))
        elif verb and after == "by":
            found |= {(f"{DOER} {verb}", 1), (f"{AGENT} {verb}", 1)}
        elif verb and alone:
            found.add((f"{DOER} {verb}", 1))
    return frozenset(found)
