"""Opposites and negations of attributes, from editable tables; used by the grouping and by `build pairs`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from endoxa.curate.english import base_form, doing, is_adjective, is_participle, lemmas
from endoxa.curate.opposites.lexicon import LONGEST, Lexicon, Sense, languages, load_lexicon, plain, rules_of

Concept = tuple[str, int]
"""A scale (a row of the lexicon, or a word) and the end of it that is asserted, 0 or 1."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A word or term of an attribute.

    Attributes:
        words: as it stands.
        base: its base form, without a negative prefix ("kind" for "unkind").
        negated: whether a negator turns it round ("not kind").
        turned: whether its own form does ("unkind").
    """

    words: tuple[str, ...]
    base: str
    negated: bool
    turned: bool

    @property
    def denied(self) -> bool:
        """Whether the base form is denied."""
        return self.negated != self.turned


@lru_cache(maxsize=1024)
def units(text: str, lexicon: Lexicon) -> tuple[Unit, ...]:
    """The words of an attribute that carry meaning, with what is denied marked as such.

    A negator at the end denies the word before it ("trust nobody"). The last texts are remembered, since several
    rules read the units of one attribute in turn.
    """
    rules = lexicon.rules
    result: list[Unit] = []
    pending = False
    for piece in _pieces(lexicon.split(text), lexicon):
        word = piece[0]
        plain = len(piece) == 1 and not lexicon.senses(piece)
        if plain and word in rules.negators:
            if rules.negator_follows and result:
                result.append(_negated(result.pop()))
            else:
                pending = not pending
        elif not (plain and (word in rules.degree or word in rules.function)):
            base, turned = _base(piece, lexicon)
            result.append(Unit(piece, base, pending, turned))
            pending = False
    if pending and result:
        result.append(_negated(result.pop()))
    return tuple(result)


def _negated(unit: Unit) -> Unit:
    return replace(unit, negated=not unit.negated)


def _pieces(tokens: Sequence[str], lexicon: Lexicon) -> Iterator[tuple[str, ...]]:
    """Cut into terms of the lexicon, longest first, and single words."""
    start = 0
    while start < len(tokens):
        ends = range(min(len(tokens), start + LONGEST), start + 1, -1)
        end = next((end for end in ends if _is_term(tokens[start:end], lexicon)), start + 1)
        yield tuple(tokens[start:end])
        start = end


def _is_term(tokens: Sequence[str], lexicon: Lexicon) -> bool:
    """Whether tokens are one term: of the table, or in English a prefix that stands apart ("under-educated")."""
    if lexicon.senses(tokens):
        return True
    graded = lexicon.language == "en" and len(tokens) == 2 and tokens[0] in GRADING_PREFIXES
    return graded and graded_base("".join(tokens)) is not None


def _base(piece: tuple[str, ...], lexicon: Lexicon) -> tuple[str, bool]:
    """Base form of a piece, and whether its own form denies that base."""
    joined = "".join(piece)
    if lexicon.language != "en":
        return joined, False
    graded = graded_base(joined)
    if graded or len(piece) > 1:
        return graded or (joined, False)
    word = base_form(joined)
    base = negative_base(word)
    return (base_form(base), True) if base else (word, False)


def concepts(text: str, lexicon: Lexicon) -> frozenset[Concept]:
    """What an attribute asserts. A scale of which it asserts both ends is left out ("good and bad").

    One who does something asserts that it is done: "not leaders" is opposed to "lead".
    """
    asserted: set[Concept] = set()
    for unit in units(text, lexicon):
        listed = lexicon.senses(unit.words)
        if listed:
            asserted |= _poles(listed, unit.negated)
        if not listed or not unit.turned:
            asserted |= _poles(lexicon.senses((unit.base,)), unit.denied)
        asserted.add((unit.base, int(unit.denied)))
        verb = doing(unit.base) if lexicon.language == "en" else None
        if verb:
            asserted |= {(verb, int(unit.denied))} | _poles(lexicon.senses((verb,)), unit.denied)
    return frozenset(asserted - flipped(asserted))


def _poles(senses: Iterable[Sense], turned: bool) -> set[Concept]:
    return {(f"#{sense.row}", sense.pole ^ turned) for sense in senses}


def flipped(asserted: Iterable[Concept]) -> frozenset[Concept]:
    """The concepts at the other ends."""
    return frozenset((scale, 1 - end) for scale, end in asserted)


def is_negation_of(left: str, right: str, language: str = "en", lexicon: Lexicon | None = None) -> bool:
    """Whether two attributes have the same words, of which one denies what the other asserts ("wise", "not wise")."""
    lexicon = lexicon or load_lexicon(language)
    first, second = units(left, lexicon), units(right, lexicon)
    if Counter(unit.base for unit in first) != Counter(unit.base for unit in second):
        return False
    denied, denied_too = ({unit.base for unit in units_of if unit.denied} for units_of in (first, second))
    return denied != denied_too


HAVE = {"lack": "have", "lacks": "has", "lacking": "having", "without": "with"}


def antonym(term: str, language: str = "en", lexicon: Lexicon | None = None) -> str | None:
    """The natural opposite of an attribute in the form of the attribute, or None where there is none.

    In this order: the table of opposites ("providers": "dependents"); the term without its negation ("not wise":
    "wise"); the one adjective, or verb before an object, that the table has an opposite for, in its phrase ("good
    cooks": "bad cooks", "very strong": "very weak", "love money": "hate money"); in English a word that a prefix or
    suffix makes, where the dictionary has it ("patient": "impatient", "harmless": "harmful"). A phrase with several
    candidates has no single opposite.

    Args:
        term: an attribute without its copula.
        language: ISO 639 code.
        lexicon: a lexicon with rows of the user's own, in place of ours.
    """
    lexicon = lexicon or load_lexicon(language)
    text = plain(term)
    tokens = lexicon.split(text)
    senses = lexicon.senses(tokens)
    return (
        (_opposite(_main(senses), lexicon) if senses else None)
        or _without_negation(tokens, text, lexicon)
        or _in_phrase(tokens, text, lexicon)
        or _by_form(tokens, lexicon)
    )


def _main(senses: Sequence[Sense]) -> Sense:
    """The first sense in which the term leads its pole, else the first one."""
    return next((sense for sense in senses if sense.leads), senses[0])


def _opposite(sense: Sense, lexicon: Lexicon) -> str:
    """First term of the other pole, in the form of `sense`."""
    row = lexicon.rows[sense.row]
    term = row.poles[1 - sense.pole][0]
    inflected = lexicon.forms(row, term)
    if sense.feature in inflected:
        return inflected[sense.feature]
    grade = {"JJR": "more ", "JJS": "most "}.get(sense.feature, "")
    return grade + inflected[""]


def _without_negation(tokens: tuple[str, ...], text: str, lexicon: Lexicon) -> str | None:
    """What a negated English attribute denies: "not wise", "don't work hard", "lack patience"."""
    if lexicon.language != "en" or len(tokens) < 2:
        return None
    first, rest = tokens[0], text.split()
    if first in ("do", "does") and tokens[1] == "not":
        after = rest[2:] if rest[0] == first else rest[1:]
        return " ".join(after) or None
    if first == "not":
        return " ".join(rest[1:])
    if first in HAVE:
        return " ".join([HAVE[first], *(rest[2:] if rest[1] == "of" else rest[1:])])
    if first in ("more", "less"):
        return " ".join(["less" if first == "more" else "more", *rest[1:]])
    return None


def _in_phrase(tokens: tuple[str, ...], text: str, lexicon: Lexicon) -> str | None:
    """Turn the only word or term of a longer phrase that can be turned; hyphens and marks elsewhere stay."""
    negated = any(word in lexicon.rules.negators and not lexicon.senses((word,)) for word in tokens)
    if len(tokens) < 2 or negated or set(tokens) & {"and", "or", "but"}:
        return None
    candidates: list[tuple[int, int, str]] = []
    start = 0
    while start < len(tokens):
        for end in range(min(len(tokens), start + LONGEST), start, -1):
            opposite = _turned(tokens, start, end, lexicon)
            if opposite:
                candidates.append((start, end, opposite))
                break
        start = end
    if len(candidates) != 1:
        return None
    start, end, opposite = candidates[0]
    turned = r"(?<!\w){}(?!\w)".format(r"[\W_]+".join(map(re.escape, tokens[start:end])))
    replaced, places = re.subn(turned, lambda _: opposite, text)
    return replaced if places == 1 else None


def _turned(tokens: tuple[str, ...], start: int, end: int, lexicon: Lexicon) -> str | None:
    """Opposite of tokens[start:end] where it is an adjective, or a transitive verb at the beginning.

    An adjective before a noun that is an adjective too only says of what kind ("religious fanatics").
    """
    sorts = lexicon.language == "en" and end < len(tokens) and _says_how(tokens[end], lexicon)
    turns = (set() if sorts else {"adj"}) | ({"transitive"} if start == 0 else set())
    senses = [sense for sense in lexicon.senses(tokens[start:end]) if lexicon.rows[sense.row].part in turns]
    if senses:
        return _opposite(_main(senses), lexicon)
    if end == len(tokens) and end - start == 1:
        return _by_form(tokens[start:end], lexicon)
    return None


def _says_how(word: str, lexicon: Lexicon) -> bool:
    """Whether an English noun of the table stands among its adjectives too: "fanatics", not "leaders"."""
    parts = {
        lexicon.rows[sense.row].part for form in (word, base_form(word)) for sense in lexicon.senses((form,))
    }
    return {"noun", "adj"} <= parts


def _by_form(tokens: tuple[str, ...], lexicon: Lexicon) -> str | None:
    """An English adjective with or without its negative prefix or suffix."""
    if lexicon.language != "en" or len(tokens) != 1:
        return None
    return negative_base(tokens[0]) or negative_of(tokens[0])


NEGATIVE_PREFIXES = ("un", "in", "im", "il", "ir", "dis", "non")
GRADING_PREFIXES = {"over": False, "under": True}
"""Prefixes of too much and too little, and whether they deny that it is enough."""


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
        adjectival = is_participle(rest) or (rest == base_form(rest) and is_adjective(rest))
        if rest != word and adjectival and word not in rules_of("en").indivisible:
            return base_form(rest), denies
    return None


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


__all__ = ["Lexicon", "languages", "load_lexicon"]
"""Taken from `lexicon`, and offered beside what is defined here."""
