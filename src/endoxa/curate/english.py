"""What the extractor knows about English words: closed classes from a table, open ones from a dictionary."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from endoxa.curate import library
from endoxa.words.packs import words_of

if TYPE_CHECKING:
    from collections.abc import Mapping

PartOfSpeech = Literal["NOUN", "VERB", "ADJ", "ADV"]

TOKEN = re.compile(r"\w+(?:[-'&./]\w+)*'?|[^\w\s]")
"""A word or a single mark; hyphens, apostrophes, slashes and full stops inside a word stay with it."""
_NOUN_ENDINGS = ("ers", "ors", "ists", "ians", "ans", "ese", "ishes", "ites")


_FILE = "closed_classes.toml"
_CONTRACTED_IS = re.compile(r"(?<=\w)'s (?=(\w+)\W*$)")


@cache
def words(name: str) -> frozenset[str]:
    """A closed class of `closed_classes.toml`."""
    return frozenset(words_of("en", _FILE)[name])


def spelt_out(text: str) -> str:
    """The text with hurried spellings and contracted verbs written out ("ppl're slow" -> "people are slow")."""
    table = words_of("en", _FILE)
    for written, meant in table["contracted"]:
        text = re.sub(written, meant, text, flags=re.IGNORECASE)
    text = _CONTRACTED_IS.sub(
        lambda match: " is " if can_be(match[1], "ADJ") and not can_be(match[1], "NOUN") else match[0], text
    )
    hurried: dict[str, str] = table["hurried"]
    return re.sub(r"[\w']+", lambda match: hurried.get(match.group().lower(), match.group()), text)


@cache
def reports() -> re.Pattern[str]:
    """Matches the front of a statement that is only reported ("they say that")."""
    return re.compile(
        "^(?:" + "|".join(sorted(words("reports"), key=len, reverse=True)) + r")\s+", re.IGNORECASE
    )


def tokens(text: str) -> list[str]:
    """Words and single marks; hyphens, apostrophes, slashes and full stops inside a word stay with it."""
    return TOKEN.findall(text)


def is_word(token: str) -> bool:
    """Whether a token is a word rather than a mark."""
    return bool(re.match(r"\w", token))


@cache
def _dictionary() -> Any:
    return library("lemminflect", "Word forms of English need the library lemminflect")


@cache
def _lemmas(word: str) -> Mapping[str, tuple[str, ...]]:
    all_lemmas: dict[str, tuple[str, ...]] = _dictionary().getAllLemmas(word)
    return all_lemmas


def in_dictionary(word: str) -> bool:
    """Whether the dictionary knows the word in any part of speech."""
    return bool(_lemmas(word.lower()))


def can_be(word: str, part: PartOfSpeech) -> bool:
    """Whether the dictionary lists the word, as it stands, under a part of speech."""
    return part in _lemmas(word.lower())


def lemma(word: str, part: PartOfSpeech) -> str:
    """Base form of the word under a part of speech; the word itself where the dictionary has none."""
    return _lemmas(word.lower()).get(part, (word.lower(),))[0]


def inflected(word: str, tag: str) -> str:
    """The word under a Penn Treebank tag ('NNS', 'VBP', ...); by rule where the dictionary has none."""
    forms: tuple[str, ...] = _dictionary().getInflection(word, tag)
    return forms[0] if forms else word


def is_plain_verb(word: str) -> bool:
    """Whether the word can be a finite verb after a plural ("love", "went"), not a third person ("loves")."""
    low, base = word.lower(), lemma(word, "VERB")
    if not can_be(low, "VERB") or low in words("never_verbs") or low in words("prepositions") - {"like"}:
        return False
    return low == base or (low != inflected(base, "VBZ") and not low.endswith("ing"))


def is_third_person(word: str) -> bool:
    """Whether the word can be a verb after a singular ("loves")."""
    low = word.lower()
    return can_be(low, "VERB") and low == inflected(lemma(low, "VERB"), "VBZ") != lemma(low, "VERB")


def is_plural(word: str) -> bool:
    """Whether the word can be the head of a plural subject: "doctors", "men", "French", "Igbos".

    Words the dictionary does not know count where they look like one ("skitmakers", "sereres").
    """
    low = word.lower().removesuffix("'s").removesuffix("'")
    if low in words("plurals") or low.endswith(("men", "women", "people", "folks", "youths")):
        return True
    if can_be(low, "NOUN"):
        return lemma(low, "NOUN") != low or low.endswith(("ese", "ish", "ists"))
    if not in_dictionary(low):
        return low.endswith("s") and not low.endswith("ss")
    return low.endswith(_NOUN_ENDINGS)


def is_adverb(word: str) -> bool:
    """Whether the word can stand between subject and verb ("often", "naturally")."""
    low = word.lower()
    return low in words("adverbs") or (low.endswith("ly") and can_be(low, "ADV"))


@cache
def lemmas(word: str) -> Mapping[str, str]:
    """First lemma of `word` by part of speech (NOUN, VERB, ADJ, ADV); empty where the dictionary lacks it."""
    return {part: forms[0] for part, forms in _lemmas(word).items() if part in ("NOUN", "VERB", "ADJ", "ADV")}


@cache
def base_form(word: str) -> str:
    """One lemma of `word`: an adjective stays what it is ("caring"), then plurals and verb forms are undone.

    A word that the dictionary lacks loses the -s of a plural.
    """
    candidates = lemmas(word)
    if (
        not candidates
        and len(word) > len("cats")
        and word.endswith("s")
        and not word.endswith(("ss", "us", "is"))
    ):
        return word[:-1]
    if candidates.get("ADJ") == word:
        return word
    return next((candidates[part] for part in ("ADJ", "NOUN", "VERB") if part in candidates), word)


def inflections(word: str, part: str) -> dict[str, str]:
    """Forms of a lemma by Penn tag (NNS, JJR, JJS, VBZ, VBG, VBD) that the dictionary lists.

    A noun that the dictionary lacks has its regular plural.
    """
    wanted = {"noun": ("NOUN", ("NNS",)), "adj": ("ADJ", ("JJR", "JJS")), "adv": ("ADV", ())}
    upos, tags = wanted.get(part, ("VERB", ("VBZ", "VBG", "VBD")))
    by_tag = _dictionary().getAllInflections(word, upos)
    if part == "noun" and word == "person":
        return {"NNS": "people"}
    if part == "noun" and not by_tag:
        by_tag = _dictionary().getAllInflectionsOOV(word, upos)
    return {tag: by_tag[tag][0] for tag in tags if tag in by_tag}


@cache
def is_participle(word: str) -> bool:
    """Whether `word` is the past participle of a verb of the dictionary, and not its base form too."""
    verb = lemmas(word).get("VERB", word)
    by_tag = _dictionary().getAllInflections(verb, "VERB")
    # The dictionary lists a participle that is like the past tense as past tense only.
    return verb != word and word in by_tag.get("VBN", by_tag.get("VBD", ()))


def is_adjective(word: str) -> bool:
    """Whether the dictionary has `word` as an adjective in its base form."""
    return lemmas(word).get("ADJ") == word


@cache
def doing(word: str) -> str | None:
    """The verb of one who does it: "lead" for "leader" and "leaders", "oppress" for "oppressor"; or None."""
    verbs = lemmas(word)
    name = verbs.get("NOUN", "") if verbs else word.removesuffix("s")
    if "ADJ" in verbs or not name.endswith(("er", "or")):
        return None
    stem = name[:-2]
    doubled = stem[:-1] if stem[-1:] == stem[-2:-1] else stem
    return next((verb for verb in (stem + "e", stem, doubled) if lemmas(verb).get("VERB") == verb), None)
