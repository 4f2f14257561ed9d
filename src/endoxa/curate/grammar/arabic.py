"""Predicates of masculine or mixed plural groups in Arabic. A first draft of ours that speakers should look through.

A sentence of the present has no copula. It is denied with "laysū", after which the predicate stands in the accusative,
and a verb with "lā" (Ryding 2005, ch. 37). Without vowel signs the accusative is seen in -ūn, which becomes -īn, and
not in -āʾ and -ā; other words get an ending by their pattern, which is not known here: they are left out.
"""

from __future__ import annotations

import re

from endoxa.curate.grammar.predicate import Predicate, UnclearError
from endoxa.curate.grammar.templates import Template

_VERB = re.compile(r"ي\w+ون")
_NAMED_PEOPLE = re.compile(r"ي\w*يون")
_DEFINITE = re.compile(r"و?ال")
_PHRASE = re.compile(r"(?:في|من|مع|على|إلى|عن|حول) |بال|لل|جد(?:ا|ًا|اً)(?: |$)")
"""What may follow a predicate unchanged: phrases with a preposition, and "very"."""


def arabic(text: str, template: Template, evidence: str = "") -> Predicate:
    """The predicate that an attribute makes.

    Args:
        text: without a subject; verbs in the third person plural, other words in the nominative, without an article.
        template: of the language.
        evidence: 'copula' or 'verb' where it is known how people said it, else empty.

    Raises:
        UnclearError: no predicate can be made that is surely grammatical.
    """
    no_verb, no_copula = (pattern.partition("{")[0] for pattern in (template.verb_denied, template.denied))
    if no_verb and text.startswith(no_verb):
        verb = text[len(no_verb) :]
        if not _is_verb(verb, template, evidence):
            raise UnclearError(f"'{no_verb.strip()}' denies a verb in the plural of the present only")
        return Predicate(text, verb)
    if no_copula and text.startswith(no_copula):
        plain = text[len(no_copula) :]
        if _accusative(plain) != plain:
            raise UnclearError(f"what follows '{no_copula.strip()}' is no accusative")
        return Predicate(text, plain)
    if _is_verb(text, template, evidence):
        if not no_verb:
            raise UnclearError("the template of language 'ar' says nothing about verbs")
        return Predicate(text, template.verb_denied.format(verb=text))
    return Predicate(
        template.said.format(attribute=text), template.denied.format(attribute=_accusative(text))
    )


def _is_verb(text: str, template: Template, evidence: str) -> bool:
    first = text.partition(" ")[0]
    if evidence or not _VERB.fullmatch(first) or first in template.not_verbs:
        return evidence == "verb"
    if _NAMED_PEOPLE.fullmatch(first):
        raise UnclearError(f"'{first}' may be a verb or a name of people")
    return True


def _accusative(text: str) -> str:
    """The predicate as it stands after "laysū"."""
    if _DEFINITE.match(text):
        raise UnclearError("an attribute with an article may be a name or the subject itself")
    first, _, rest = text.partition(" ")
    words = [_ending(first)]
    while rest and not _PHRASE.match(rest):
        word, _, rest = rest.partition(" ")
        if not word.startswith("و"):
            raise UnclearError(f"it is not known how '{word}' depends on the words before it")
        words.append(_ending(word))
    return " ".join([*words, *rest.split()])


def _ending(word: str) -> str:
    if word.endswith("ون"):
        return f"{word[:-2]}ين"
    if word.endswith(("اء", "ى")):
        return word
    raise UnclearError(f"the accusative of '{word}' is not known: give a plural in -ون or -اء, or a verb")
