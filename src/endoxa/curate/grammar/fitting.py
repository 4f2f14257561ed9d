"""Whether an English attribute in which a word was turned still says the opposite of the whole attribute.

A turned word is the opposite of the whole where it is all that is said, the verb, the adjective of the predicate
("very strong", "bad at maths", "believed to be lazy"), or what a head noun is judged by ("good cooks").
An adjective inside an object or a complement ("curse with black magic", "advise young people") and one that only
says of what kind something is ("religious leaders") are not: Huddleston and Pullum 2002, ch. 6, on attributive and
predicative adjectives, and on those that classify.
"""

from __future__ import annotations

from endoxa.curate.english import can_be, in_dictionary, is_adverb, is_participle, is_plural, lemma
from endoxa.curate.grammar.english import Kind, names_people
from endoxa.curate.grammar.english import kind as english_kind
from endoxa.curate.grammar.subject import listed
from endoxa.curate.grammar.templates import UnclearError
from endoxa.curate.opposites import GRADING_PREFIXES
from endoxa.sources.typography import differing_spans, words

_GRADES = {"more", "less"}
_COMPLEMENTS = ("for", "of")
"""Behind a word that may be a verb these say that it is a noun ("love of money")."""


def natural(core: str, opposed: str, kind: Kind, *, listed_whole: bool) -> bool:
    """Whether an English opposite can stand where the attribute stood.

    It must be of the same kind and number, and where only a word of a phrase was turned, it must turn the whole.

    Args:
        core: the attribute, in small letters.
        opposed: the attribute with its opposite, or with a word turned.
        kind: whether the attribute has a copula or its own verb.
        listed_whole: whether the table of opposites has the whole attribute.
    """
    before, after = core.split(), opposed.split()
    try:
        if before[0] == "being" or english_kind(after) != kind:
            return False
    except UnclearError:
        return False
    adjective = can_be(after[-1], "ADJ") and lemma(after[-1], "ADJ") == after[-1]
    singular = can_be(after[-1], "NOUN") and not adjective and not is_plural(after[-1])
    word = before[-1]
    if (can_be(word, "NOUN") and lemma(word, "NOUN") != word) and singular:
        return False
    spans = differing_spans(words(core), words(opposed))
    if listed_whole or len(spans) != 1:
        return True
    said, instead = ([word.folded for word in words(text)] for text in (core, opposed))
    start, end = spans[0].start_more, spans[0].end_more
    turned = " ".join(said[start:end]), " ".join(instead[start : spans[0].end_less])
    if "-" in turned[0] and len({word.partition("-")[0] for word in turned}) == 1:
        return False  # "freedom-loving"
    turns = _turns_verb if kind == "verb" else _turns_adjective
    return end - start == len(said) or turns(said[:start], turned, said[end:])


def _turns_verb(before: list[str], turned: tuple[str, str], behind: list[str]) -> bool:
    """In a verb phrase: the verb, what its object is judged by, an adverb, or the adjective of a linking verb."""
    if not before:
        return behind[0] not in _COMPLEMENTS and not (
            behind[0] == "to" and turned[1] in listed("no_infinitive")
        )
    if listed("judging").issuperset(turned):
        return "better" in turned or (len(before) == 1 and bool(behind) and is_plural(behind[-1]))
    if _links(before):
        return _turns_adjective([], turned, behind)
    if before == ["have"] and len(behind) == 1:
        return is_plural(behind[0]) and turned[0] not in listed("classifying")
    return not behind and all(can_be(word, "ADV") for word in turned)


def _turns_adjective(before: list[str], turned: tuple[str, str], behind: list[str]) -> bool:
    """After a copula: the adjective of the predicate, graded or not, or what the head noun is judged by."""
    if before == ["from"]:
        return bool(behind) and is_plural(behind[-1]) and turned[0] not in listed("classifying")
    return _is_head(before, turned) and (not behind or _goes_with(turned, behind, first=not before))


def _is_head(before: list[str], turned: tuple[str, str]) -> bool:
    """Whether the words before an adjective leave it the head of the predicate."""
    old, new = turned
    if {*before} & (listed("singling") | GRADING_PREFIXES.keys()):
        return False
    if _links(before) or listed("degrees").issuperset(before):
        return True
    graded = all(is_adverb(word) or word in listed("degrees") for word in before)
    negated_participle = is_participle(old) and new == f"un{old}"
    return graded and old not in listed("classifying") and not negated_participle


def _goes_with(turned: tuple[str, str], behind: list[str], *, first: bool) -> bool:
    """Whether what stands behind an adjective goes with its opposite as well."""
    old, new = turned
    judged = listed("judging").issuperset(turned)
    if old in _GRADES:
        return can_be(behind[0], "ADJ") or behind[0].endswith("ing") or not _is_noun(behind[:1])
    if first and old.endswith("ing") and new.endswith("ing"):
        return True
    if behind[0] in listed("prepositions") | {"to", "than"}:
        akin = (old.endswith(new) or new.endswith(old)) and behind[0] != "for"
        return judged or akin or behind[0] == "than"
    phrase = next((at for at, word in enumerate(behind) if word in listed("prepositions")), len(behind))
    if judged:
        return _is_noun(behind[:phrase])
    return phrase == 1 and names_people(behind[0]) and old not in listed("classifying")


def _links(before: list[str]) -> bool:
    """Whether an adjective of the predicate follows: "perceived as", "believed to be", not "want to be"."""
    if not before or {*before} & listed("pronouns") or before == ["as"]:
        return False
    reported = before[-2:] != ["to", "be"] or before[-3:-2] == [] or before[-3] in listed("reporting")
    return before[-1] in listed("before_adjectives") and reported


def _is_noun(phrase: list[str]) -> bool:
    """Whether a phrase ends with a noun, which a word is that looks like a plural or that no dictionary has."""
    return bool(phrase) and (
        can_be(phrase[-1], "NOUN") or is_plural(phrase[-1]) or not in_dictionary(phrase[-1])
    )
