"""English predicates of plural groups, and how each is denied (Huddleston and Pullum 2002, ch. 3 and 9)."""

from __future__ import annotations

from itertools import pairwise

from endoxa.build.pairs.english_kind import Kind, SingularNounError, base_form, kind
from endoxa.build.pairs.english_number import in_plural
from endoxa.build.pairs.lists import listed, mapped
from endoxa.build.pairs.predicate import Predicate, UnclearError, cleaned
from endoxa.build.pairs.proper import with_capitals
from endoxa.curate.english import can_be, is_adverb

_BE = ("are", "were", "be")
_NEGATIONS = {
    "cannot": "can",
    "do not": "",
    "did not": "did",
    "have not": "have",
    "have no": "have",
}
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
    words = _expanded(cleaned(attribute).split())
    if evidence == "have" and words[0].lower() != "have":
        words = ["have", *words]
    _refuse_second_clause(words)
    found = _used_to(words, evidence) or _with_auxiliary(words)
    if found is not None:
        return found
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
        known = kind(words)
    except SingularNounError:
        raise
    except UnclearError:
        if evidence not in ("copula", "verb"):
            raise
        return "copula" if evidence == "copula" else "verb"
    bare = len(words) == 1 and known == "verb"
    return "copula" if evidence == "copula" and not bare else known


def _refuse_second_clause(words: list[str]) -> None:
    """Two clauses in one attribute cannot be denied together."""
    for before, word in pairwise(word.lower() for word in words):
        if word == "but" and before not in ("nothing", "all", "anything"):
            raise UnclearError("the attribute seems to hold two predicates ('but')")
        if before in ("and", "or") and word in (
            "not",
            "never",
            *_BE,
            "is",
            "was",
            "do",
            "have",
            "can",
            "they",
        ):
            raise UnclearError(f"the attribute seems to hold two predicates ('{before} {word}')")
        if word in ("are", "is") and before not in listed("before_verbs"):
            raise UnclearError(f"the attribute has a second verb ('{word}')")


def _refuse_second_verb(words: list[str]) -> None:
    """Refuse "strong and love money": the denial of "are" would not reach the verb."""
    for before, word in pairwise(word.lower() for word in words):
        if before in ("and", "but", "or") and "to" not in words and _is_only_verb(word):
            raise UnclearError(f"the attribute seems to hold two predicates ('{before} {word}')")


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
    _refuse_second_verb(words)
    core = " ".join(in_plural(words))
    return Predicate(f"{be} {core}", f"{be} not {core}", core, f"{be} {{}}")


def _negated(said: str, denied: str, rest: list[str]) -> Predicate:
    """A predicate that is a negation already: its denial is the plain one."""
    if not rest:
        raise UnclearError("the attribute is only a negation")
    kept = _without_tail(rest)
    bound = next((word for word in kept if word.lower() in listed("bound")), "")
    if bound:
        raise UnclearError(f"'{bound}' stands with a negation only, so the denial is not known")
    return Predicate(f"{said} {' '.join(rest)}", f"{denied} {' '.join(kept)}".strip())


def _without_tail(words: list[str]) -> list[str]:
    """The words without an end that goes with a negation ("anymore", "any more", "at all")."""
    low = [word.lower() for word in words]
    size = 2 if low[-2:] in (["any", "more"], ["at", "all"]) else int(low[-1] in listed("tails"))
    return words[: len(words) - size] if len(words) > size else words


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
    said = f"{before} {adverb} {after}".strip()
    denied = f"{before} {mapped('swaps')[adverb]} {after}".strip()
    return Predicate(said, denied, core, f"{before} {adverb} {{}}".strip())


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
