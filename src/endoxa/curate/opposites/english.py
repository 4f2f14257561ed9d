"""English word forms from the dictionary of lemminflect, and the closed word classes of `rules.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from types import ModuleType

from endoxa.errors import UserError


@dataclass(frozen=True, slots=True)
class Rules:
    """How a language negates and grades.

    Attributes:
        negators: words that turn a neighbouring word round ("not", "without").
        degree: words that only grade ("very").
        function: words without a meaning of their own ("the", "are").
        indivisible: adjectives that only seem to deny another one by a prefix or suffix ("infamous").
        negator_follows: whether the negator stands behind what it negates (Hindi).
        splits_at_apostrophe: whether an apostrophe ends a word (French).
    """

    negators: frozenset[str] = frozenset()
    degree: frozenset[str] = frozenset()
    function: frozenset[str] = frozenset()
    indivisible: frozenset[str] = frozenset()
    negator_follows: bool = False
    splits_at_apostrophe: bool = False


@lru_cache
def rules_of(language: str) -> Rules:
    """The rules of a language; empty ones where `rules.toml` has none."""
    table = tomllib.loads(files(__package__).joinpath("rules.toml").read_text(encoding="utf-8"))
    entry = table.get(language, {})
    return Rules(
        negators=frozenset(entry.get("negators", "").split()),
        degree=frozenset(entry.get("degree", "").split()),
        function=frozenset(entry.get("function", "").split()),
        indivisible=frozenset(entry.get("whole", "").split()),
        negator_follows=entry.get("negator_follows", False),
        splits_at_apostrophe=entry.get("splits_at_apostrophe", False),
    )


NEGATIVE_PREFIXES = ("un", "in", "im", "il", "ir", "dis", "non")
GRADING_PREFIXES = {"over": False, "under": True}
"""Prefixes of too much and too little, and whether they deny that it is enough."""


@lru_cache
def _dictionary() -> ModuleType:
    try:
        import lemminflect
    except ImportError as error:
        raise UserError(
            "Word forms of English need the library lemminflect. Install it with: pip install 'endoxa[curate]'"
        ) from error
    module: ModuleType = lemminflect
    return module


@lru_cache(maxsize=65536)
def lemmas(word: str) -> Mapping[str, str]:
    """First lemma of `word` by part of speech (NOUN, VERB, ADJ, ADV); empty where the dictionary lacks it."""
    by_part = _dictionary().getAllLemmas(word)
    return {part: forms[0] for part, forms in by_part.items() if part in ("NOUN", "VERB", "ADJ", "ADV")}


@lru_cache(maxsize=65536)
def lemma(word: str) -> str:
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


@lru_cache(maxsize=65536)
def is_participle(word: str) -> bool:
    """Whether `word` is the past participle of a verb of the dictionary, and not its base form too."""
    verb = lemmas(word).get("VERB", word)
    by_tag = _dictionary().getAllInflections(verb, "VERB")
    # The dictionary lists a participle that is like the past tense as past tense only.
    return verb != word and word in by_tag.get("VBN", by_tag.get("VBD", ()))


def is_adjective(word: str) -> bool:
    """Whether the dictionary has `word` as an adjective in its base form."""
    return lemmas(word).get("ADJ") == word


@lru_cache(maxsize=65536)
def negative_base(word: str) -> str | None:
    """What a negative adjective denies: "kind" for "unkind", "harmful" for "harmless"; None for other words.

    Both must be adjectives of the dictionary. A participle is only taken with "un-" ("unmarried"), since other
    prefixes too often make a new word ("impressed"); with "un-" any participle is, unless that makes a verb
    ("uncircumcised", not "undressed"), and any adjective, where the dictionary lacks the whole ("unmusical").
    """
    if word in rules_of("en").indivisible:
        return None
    rest = word.removeprefix("un")
    if (
        rest != word
        and "VERB" not in lemmas(word)
        and (is_participle(rest) or (not lemmas(word) and is_adjective(rest)))
    ):
        return rest
    if not is_adjective(word):
        return None
    for prefix in NEGATIVE_PREFIXES:
        base = word.removeprefix(prefix)
        participle = base.endswith(("ed", "ing")) and prefix != "un"
        if base != word and len(base) > 2 and not participle and is_adjective(base):
            return base
    stem = word.removesuffix("less")
    if stem != word and is_adjective(stem + "ful"):
        return stem + "ful"
    return None


@lru_cache(maxsize=65536)
def graded_base(word: str) -> tuple[str, bool] | None:
    """What "over-" or "under-" grades, and whether it is denied: ("pay", True) for "underpaid"; or None."""
    for prefix, denies in GRADING_PREFIXES.items():
        rest = word.removeprefix(prefix)
        adjectival = is_participle(rest) or (rest == lemma(rest) and is_adjective(rest))
        if rest != word and adjectival and word not in rules_of("en").indivisible:
            return lemma(rest), denies
    return None


@lru_cache(maxsize=65536)
def doing(word: str) -> str | None:
    """The verb of one who does it: "lead" for "leader" and "leaders", "oppress" for "oppressor"; or None."""
    verbs = lemmas(word)
    name = verbs.get("NOUN", "") if verbs else word.removesuffix("s")
    if "ADJ" in verbs or not name.endswith(("er", "or")):
        return None
    stem = name[:-2]
    doubled = stem[:-1] if stem[-1:] == stem[-2:-1] else stem
    return next((verb for verb in (stem + "e", stem, doubled) if lemmas(verb).get("VERB") == verb), None)


@lru_cache(maxsize=65536)
def negative_of(word: str) -> str | None:
    """The adjective of the dictionary that denies `word` by its form: "unkind" for "kind", "harmless" for "harmful".

    None where the dictionary has none: "unentitled" is understood, but nobody says it.
    """
    stem = word.removesuffix("ful")
    forms = [prefix + word for prefix in NEGATIVE_PREFIXES if prefix != "non"]
    if stem != word:
        forms.insert(0, stem + "less")
    return next((form for form in forms if is_adjective(form) and negative_base(form) == word), None)
