"""English predicates of plural groups: their verb, their number, and how each is negated.

Method after Huddleston and Pullum (2002), ch. 3 and 9. A dictionary and a few closed classes decide whether an
attribute needs "are" or has its own verb. After a plural subject a bare noun is a plural ("are cheats") or has an
article ("are a threat"), so a word that is both verb and noun and stands in its base form is the verb ("cheat"). A
singular noun for a person after a plural group ("are a thief") becomes plural ("are thieves"), because a predicate
about persons agrees with its subject in number (ch. 5, section 3.4). Nouns for things stay ("are a threat").

`natural` says whether an attribute in which a word was turned still says the opposite of the whole. It does where that
word is all that is said, the verb, the adjective of the predicate ("very strong", "bad at maths", "believed to be
lazy"), or what a head noun is judged by ("good cooks"); not where it is an adjective inside an object or a complement
("curse with black magic", "advise young people"), or only says of what kind something is ("religious leaders"): ch. 6.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Literal

from endoxa.curate.english import can_be, in_dictionary, inflected, is_adverb, is_participle, is_plural, lemma
from endoxa.curate.grammar.subject import listed, mapped, with_capitals, without_titles
from endoxa.curate.grammar.templates import Predicate, UnclearError, cleaned
from endoxa.curate.opposites import GRADING_PREFIXES
from endoxa.sources.typography import differing_spans, words

Kind = Literal["copula", "verb"]

_AGENTS = ("ers", "ors", "ists", "ians", "men", "women", "mates", "lords")
_BEHIND_NOUNS = ("of", "for", "and", "in", "at", "to")
"""Words after which a form in -s is rather a plural noun ("cheats in business", "cooks and cleaners")."""
_ADJECTIVES = ("ible", "able", "ful", "less", "ous", "ive", "centric", "-minded")
_LIGHT = ("have", "do", "go")


class SingularNounError(UnclearError):
    """A singular noun stands without its article ("threat")."""


def base_form(word: str) -> str | None:
    """The form of a verb that goes with a plural: "love" for "love" and "loves"; None for other forms."""
    if word in _LIGHT or not can_be(word, "VERB"):
        return word if word in _LIGHT else None
    base = lemma(word, "VERB")
    if word == base:
        return word
    return base if word == inflected(base, "VBZ") else None


def kind(words: list[str]) -> Kind:
    """Whether an attribute needs "are" in front of it, or has its own verb.

    Raises:
        UnclearError: the words can be read either way.
    """
    low = [word.lower() for word in words]
    head = next((at for at, word in enumerate(low) if not _is_adverb(word)), 0)
    word, after = low[head], low[head + 1 :]
    if set(low[:head]) & listed("degrees") or word in listed("determiners") | listed("prepositions"):
        return "copula"
    if word in _LIGHT or (word in listed("verbs") and (after or not can_be(word, "ADJ"))):
        return "verb"
    base = base_form(word)
    if base is not None and base != word:
        infinitive = after[:1] == ["to"] and base in listed("verbs") and after[1:] and base_form(after[1])
        if not after or (after[0] in _BEHIND_NOUNS and not infinitive):
            return "copula"
        usual = base in listed("verbs") or base in _LIGHT
        return "verb" if usual or after[0] in listed("followers") else "copula"
    if word.endswith("ing") or "-" in word:
        return "copula"
    return _by_dictionary(word, after, base)


def _is_adverb(word: str) -> bool:
    if word in listed("degrees") | listed("adverbs"):
        return True
    return is_adverb(word) and not can_be(word, "ADJ") and word not in ("well", "all", "both", "no", "not")


def _by_dictionary(word: str, after: list[str], base: str | None) -> Kind:
    """Decide an open-class word by the parts of speech that the dictionary lists, and by what follows."""
    if not in_dictionary(word):
        return _compound(word, after)
    adjective, noun = can_be(word, "ADJ"), can_be(word, "NOUN")
    if base is None:
        return _without_verb(word, after, noun=noun and not adjective)
    if adjective:
        compound = bool(after) and _ends_like_adjective(after[-1]) and not can_be(after[-1], "NOUN")
        if not after or after[0] in listed("followers") | {"enough"} or names_people(after[-1]) or compound:
            return "copula"
        raise UnclearError(f"'{word}' can be an adjective or a verb here")
    if not noun or not after or after[0] in listed("followers"):
        return "verb"
    if _ends_like_adjective(after[-1]) and not can_be(after[-1], "NOUN"):
        return "copula"
    if is_plural(after[-1]):
        raise UnclearError(f"'{word}' can be a verb or the first part of a noun here")
    return "verb"


def _without_verb(word: str, after: list[str], *, noun: bool) -> Kind:
    """Adjectives, participles, adverbs and nouns: "are", unless a singular noun would stand without its article."""
    past = can_be(word, "VERB") and not can_be(word, "ADJ") and not noun
    if past and (word != inflected(lemma(word, "VERB"), "VBN") or _has_object(word, after)):
        raise UnclearError(f"'{word}' is a past form")
    return _compound(word, after) if noun else "copula"


def _has_object(word: str, after: list[str]) -> bool:
    """Whether a form that is past and participle has a noun behind it ("had a hard life", not "called witches")."""
    base = lemma(word, "VERB")
    if not after or base in listed("naming") or word != inflected(base, "VBD"):
        return False
    return after[0] in listed("determiners") or (is_plural(after[0]) and not can_be(after[0], "ADJ"))


def _compound(word: str, after: list[str]) -> Kind:
    """A noun, or a word the dictionary lacks, is a predicate as a plural or as part of an adjective."""
    phrase = [word, *after]
    end = next((at for at, other in enumerate(phrase) if other in listed("prepositions")), len(phrase))
    last = phrase[end - 1]
    if is_plural(last) or last in listed("collectives") or _ends_like_adjective(last):
        return "copula"
    if in_dictionary(word):
        raise SingularNounError(f"'{last}' is a singular noun without an article")
    if after:
        raise UnclearError(f"'{word}' is not in the dictionary, so it may be a verb")
    return "copula"


def _ends_like_adjective(word: str) -> bool:
    """Adjectives and past participles; the dictionary lists a few adjectives as nouns only ("responsible")."""
    participle = can_be(word, "VERB") and word == inflected(lemma(word, "VERB"), "VBN") != lemma(word, "VERB")
    return can_be(word, "ADJ") or participle or word.endswith(_ADJECTIVES)


def names_people(word: str) -> bool:
    """Whether a plural noun is one of persons, by our list or by its ending."""
    return word in listed("people") or (is_plural(word) and word.endswith(_AGENTS))


_ARTICLES = ("a", "an")
_CONJUNCTIONS = ("and", "or", "but", "nor", "who", "that", "which", *_ARTICLES)
_AGENT_SUFFIXES = ("er", "or", "ist")
_PERSONS = ("man", "woman", "person", "mate", "lord")


def in_plural(words: list[str]) -> list[str]:
    """The words with their person in the plural, where one is in the singular ("a thief", "hard worker").

    Raises:
        UnclearError: another word would have to change with the person ("a man who lies").
    """
    low = [word.lower() for word in words]
    article = int(low[0] in _ARTICLES)
    if len(low) < 2 or not (article or can_be(low[0], "ADJ")):
        return words
    stops = listed("prepositions") | listed("complements") | {*_CONJUNCTIONS, "to"}
    head = next((at for at, word in enumerate(low) if at > article and word in stops), len(low)) - 1
    if not _is_person(low[head]) or (not article and (head == 0 or can_be(low[head], "ADJ"))):
        return words
    plural = "people" if low[head] == "person" else inflected(low[head], "NNS")
    if set(low[1:]) & set(_CONJUNCTIONS):
        raise UnclearError(f"'{low[head]}' is a singular behind a plural group: write '{plural}'")
    return [*words[article:head], plural, *words[head + 1 :]]


def _is_person(word: str) -> bool:
    """A noun of `people`, one with an ending of persons or in "-ist", or one of doers: a verb with "-er" or "-or"."""
    if not can_be(word, "NOUN"):
        return False
    if inflected(word, "NNS") in listed("people") or word.endswith(_PERSONS):
        return True
    if not word.endswith(_AGENT_SUFFIXES) or can_be(word, "VERB"):
        return False
    if word.endswith("ist"):
        return True
    stem = word[:-2]
    stems = {stem, f"{stem}e", stem[:-1] if stem[-1:] == stem[-2:-1] else stem}
    return any(can_be(base, "VERB") and lemma(base, "VERB") == base for base in stems if base)


def names_a_thing(attribute: str) -> bool:
    """Whether an attribute is a noun for things ("bribes", "dark skin"), of which nobody can say what people are.

    Nouns for persons are known by our list and by their endings; one that may be an adjective or a usual verb is none.
    """
    low = attribute.lower().split()
    phrase = low[: next((at for at, word in enumerate(low) if word in listed("prepositions")), len(low))]
    if not phrase or not all(can_be(word, "NOUN") or can_be(word, "ADJ") for word in phrase):
        return False
    first, last = phrase[0], phrase[-1]
    if first in _PRONOUNS or (len(low) > 1 and (first in mapped("modals") or _may_act(first))):
        return False
    usual = len(phrase) == 1 and last in listed("verbs")
    if usual or (last.endswith("ing") and can_be(last, "VERB")):
        return False
    singular = lemma(last, "NOUN")
    person = (
        names_people(inflected(singular, "NNS")) or _is_person(singular) or singular.endswith(_PERSON_ENDINGS)
    )
    return can_be(last, "NOUN") and not (
        person or last in listed("collectives") or _ends_like_adjective(last)
    )


def _may_act(word: str) -> bool:
    """Whether a word before a noun may be its verb ("practise witchcraft", "loves fish", not "sports activities")."""
    if word in _LIGHT or base_form(word) in listed("verbs"):
        return True
    return can_be(word, "VERB") and not can_be(word, "ADJ") and not is_plural(word)


_PRONOUNS = ("they", "he", "she", "it", "one")
_PERSON_ENDINGS = (
    "ian",
    "ist",
    "ee",
    "ster",
    "boy",
    "girl",
    "wife",
    "maker",
    "keeper",
    "smith",
    "crat",
    "eur",
    "nast",
)
_BE = ("are", "were", "be")
_BEGIN_PREDICATES = ("not", "never", *_BE, "is", "was", "do", "have", "can", "they")
_NEGATIONS = {"cannot": "can", "do not": "", "did not": "did", "have not": "have", "have no": "have"}
"""First words of a negated predicate, and what they are without the negation."""


def predicate(attribute: str, evidence: str = "") -> Predicate:
    """The predicate that an attribute makes after a plural subject.

    Args:
        attribute: without a subject; with or without its copula ("strong", "are strong", "talk too much").
        evidence: 'copula', 'verb' or 'have' where it is known how people said it, else empty. It decides where the
            words can be read either way.

    Raises:
        UnclearError: no predicate can be made that is surely grammatical.
    """
    words = _expanded(without_titles(cleaned(attribute)).split())
    if evidence == "have" and words[0].lower() != "have":
        words = ["have", *words]
    for before, word in pairwise(word.lower() for word in words):
        if word == "but" and before not in ("nothing", "all", "anything"):
            raise UnclearError("the attribute seems to hold two predicates ('but')")
        if before in ("and", "or") and word in _BEGIN_PREDICATES:
            raise UnclearError(f"the attribute seems to hold two predicates ('{before} {word}')")
        if word in ("are", "is") and before not in listed("before_verbs"):
            raise UnclearError(f"the attribute has a second verb ('{word}')")
    auxiliary = _used_to(words, evidence) or _with_auxiliary(words)
    if auxiliary is not None:
        return auxiliary
    return _with_be("are", words) if _kind(words, evidence) == "copula" else _with_verb(words)


def _expanded(words: list[str]) -> list[str]:
    """Contractions and forms of the singular written out: "doesn't care" -> "do not care"."""
    full = mapped("contractions").get(words[0].lower(), words[0]).split()
    return with_capitals(" ".join([*full, *words[1:]])).split()


def _with_auxiliary(words: list[str]) -> Predicate | None:
    """Predicates whose first words tell how they are denied; None for all others."""
    low = [word.lower() for word in words]
    for start, plain in _NEGATIONS.items():
        size = len(start.split())
        if low[:size] == start.split():
            return _negated(start, plain, words[size:])
    if low[0] == "not" and len(words) > 1 and _is_only_verb(words[1]):
        return _negated("do not", "", words[1:])
    if low[0] in _BE:
        return _with_be("are" if low[0] == "be" else low[0], words[1:])
    if low[0] in mapped("modals"):
        return _with_modal(low[0], words[1:])
    if low[0] == "have" and low[1:2] and low[1] in listed("perfect"):
        return Predicate(" ".join(words), " ".join(["have not", *words[1:]]))
    return None


def _used_to(words: list[str], evidence: str) -> Predicate | None:
    """What was once so ("used to be poor"); None for what people are used to ("used to hard work")."""
    low = [word.lower() for word in words]
    if low[:2] != ["used", "to"] or len(low) < 3 or evidence == "copula" or base_form(low[2]) != low[2]:
        return None
    if low[2] != "be" and not _is_only_verb(low[2]):
        raise UnclearError("'used to' can be a past habit or a custom here")
    return Predicate(" ".join(words), " ".join(["did not use", *words[1:]]))


def _kind(words: list[str], evidence: str) -> Kind:
    """The kind that the words have, or else that people gave them."""
    try:
        listed_kind = kind(words)
    except SingularNounError:
        raise
    except UnclearError:
        if evidence not in ("copula", "verb"):
            raise
        return "copula" if evidence == "copula" else "verb"
    bare = len(words) == 1 and listed_kind == "verb"
    return "copula" if evidence == "copula" and not bare else listed_kind


def _with_be(be: str, words: list[str]) -> Predicate:
    if not words:
        raise UnclearError("the attribute is only a copula")
    first, rest = words[0].lower(), words[1:]
    if first == "no":
        raise UnclearError("the denial of 'no' is not known")
    if first == "not":
        return _negated(f"{be} not", be, in_plural(rest))
    if first in mapped("swaps") and rest:
        return _swapped(be, first, rest)
    for before, word in pairwise(word.lower() for word in words):
        if before in ("and", "but", "or") and "to" not in words and _is_only_verb(word):
            raise UnclearError(f"the attribute seems to hold two predicates ('{before} {word}')")
    core = " ".join(in_plural(words))
    return Predicate(f"{be} {core}", f"{be} not {core}", core, f"{be} {{}}")


def _negated(assertion: str, denied: str, rest: list[str]) -> Predicate:
    """A predicate that is a negation already: its denial is the plain one."""
    if not rest:
        raise UnclearError("the attribute is only a negation")
    # The words without an end that goes with a negation ("anymore", "any more", "at all").
    low = [word.lower() for word in rest]
    size = 2 if low[-2:] in (["any", "more"], ["at", "all"]) else int(low[-1] in listed("tails"))
    kept = rest[: len(rest) - size] if len(rest) > size else rest
    bound = next((word for word in kept if word.lower() in listed("bound")), "")
    if bound:
        raise UnclearError(f"'{bound}' stands with a negation only, so the denial is not known")
    return Predicate(f"{assertion} {' '.join(rest)}", f"{denied} {' '.join(kept)}".strip())


def _with_modal(modal: str, rest: list[str]) -> Predicate:
    if not rest:
        raise UnclearError("the attribute is only a modal verb")
    after = " ".join(rest)
    if rest[0].lower() == "not":
        return _negated(f"{modal} not", modal, rest[1:])
    if rest[0].lower() in ("never", "always") and len(rest) > 1:
        return _swapped(modal, rest[0].lower(), rest[1:])
    return Predicate(f"{modal} {after}", f"{mapped('modals')[modal]} {after}")


def _swapped(before: str, adverb: str, rest: list[str]) -> Predicate:
    after = " ".join(rest)
    core = after if adverb != "never" else ""
    assertion = f"{before} {adverb} {after}".strip()
    denied = f"{before} {mapped('swaps')[adverb]} {after}".strip()
    return Predicate(assertion, denied, core, f"{before} {adverb} {{}}".strip())


def _with_verb(words: list[str]) -> Predicate:
    first, rest = words[0].lower(), words[1:]
    if first in mapped("swaps") and rest:
        return _swapped("", first, rest)
    if first in ("hardly", "barely", "no"):
        raise UnclearError(f"a denial of '{first}' is not known")
    base = base_form(first)
    phrase = " ".join([base or first, *rest])
    if base is None and not is_adverb(first):
        raise UnclearError(f"'{words[0]}' is no verb form that goes with a plural")
    return Predicate(phrase, f"do not {phrase}", phrase, "{}")


def _is_only_verb(word: str) -> bool:
    low = word.lower()
    if low in ("do", "have", "go"):
        return True
    parts = [part for part in ("NOUN", "ADJ", "ADV") if can_be(low, part)]
    return (
        base_form(low) == low and (not parts or low in listed("verbs") - {"like"}) and not can_be(low, "ADJ")
    )


_GRADES = {"more", "less"}
_COMPLEMENTS = ("for", "of")
"""Behind a word that may be a verb these say that it is a noun ("love of money")."""


def natural(core: str, opposed: str, expected: Kind, *, listed_whole: bool) -> bool:
    """Whether an English opposite can stand where the attribute stood.

    It must be of the same kind and number, and where only a word of a phrase was turned, it must turn the whole.

    Args:
        core: the attribute, in small letters.
        opposed: the attribute with its opposite, or with a word turned.
        expected: whether the attribute has a copula or its own verb.
        listed_whole: whether the table of opposites has the whole attribute.
    """
    before, after = core.split(), opposed.split()
    try:
        if before[0] == "being" or kind(after) != expected:
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
    turns = _turns_verb if expected == "verb" else _turns_adjective
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
