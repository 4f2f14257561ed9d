"""One form for what is said of a group: lower case, no copula, base forms."""

from __future__ import annotations

import re
import string

import regex

from endoxa.curate.english import can_be, inflected, is_third_person, lemma, words
from endoxa.sources.typography import readable

_LINKING = re.compile(
    "^(?:" + "|".join(sorted(map(re.escape, words("linking")), key=len, reverse=True)) + r")\s+(?=\S)"
)
_COPULA = re.compile(r"^(?:are|is|were|was|am|be|being|been|'re)\s+(?=\S)")
_NOT_COPULA = re.compile(r"^(?:are|is|were|was)\s+not(?:\s+|$)")
_CONTRACTED_COPULA = re.compile(r"(?:is|was|ai)n't\b")
_DOUBLE_QUOTES = re.compile(r"[\"“”«»]")
_SINGLE_QUOTES = re.compile(r"(?<!\w)'([^']+)'(?!\w)")
_AND_SO_ON = re.compile(
    r"[\s,]+(?:etc\b\.?|et cetera|and so (?:on|forth)|and the likes?|and stuff(?: like that)?|lol|lmao|haha)[.!]*$"
)
_PEOPLE = re.compile(r"^(?:an? )?(?P<quality>(?:not )?[\w-]+) (?:people|persons?|beings|folks)$")
_EDGES = string.whitespace + string.punctuation.replace("&", "") + "“”‘’–—…•"
_PICTURES = regex.compile(r"\p{Extended_Pictographic}")


def normal_attribute(text: str, *, singular: bool = False) -> str:
    """What is said of a group, as the project writes it: lower case, no copula, comparatives in base form.

    "are more caring" -> "caring", "wiser" -> "wise", "are not that wise" -> "not wise" (the reviewers' rules of
    AfriStereo). "very", "too", "always" and the like say something and stay, and so does what is compared ("wiser than
    us", "not as wise") or graded in some respect ("better at sums"). "less wise" is not "not wise" and stays. A
    contraction stays ("aren't lazy"), as respondents and reviewers write it.

    Args:
        text: the predicate in the respondent's words.
        singular: whether its subject was singular ("a man loves money"): the verb becomes plural.

    Returns:
        the attribute, or an empty string where nothing is left.
    """
    low = re.sub(r"[‘’`´]", "'", _PICTURES.sub("", readable(text))).lower()
    low = _SINGLE_QUOTES.sub(r"\1", _DOUBLE_QUOTES.sub("", low))
    low = _AND_SO_ON.sub("", low.rstrip())
    low = re.sub(r"\s*\((?:especially|mostly|mainly|e\.?g|i\.?e|for example)\b[^)]*\)?$", "", _trimmed(low))
    low = _trimmed(re.split(r"\s[-–—]+\s", low)[0])
    low = re.sub(r"\s+", " ", low)
    nominal = False
    while True:
        low, negated, changed = _without_copula(low)
        nominal = nominal or changed
        if negated:
            rest = _trimmed(low)
            return _of_people(_graded(f"not {rest}")) if rest else ""
        if not changed:
            break
    low = _graded(_without_openers(low))
    low = _of_people(low) if nominal else low
    if singular and nominal:
        low = re.sub(r"^(?:a|an|the) (?=\S)", "", low)
    elif singular or _CONTRACTED_COPULA.match(low):
        low = plural_verb(low)
    return _trimmed(low)


def _of_people(low: str) -> str:
    """The quality alone where the noun only says that they are people: "violent people" -> "violent"."""
    match = _PEOPLE.match(low)
    return match["quality"] if match and can_be(match["quality"].split()[-1], "ADJ") else low


def _trimmed(low: str) -> str:
    """Without marks at the edges, but with the bracket that closes one inside."""
    start = low.lstrip(_EDGES.replace("'", ""))
    end = start.rstrip(_EDGES)
    for opening, closing in (("(", ")"), ("[", "]")):
        if end.count(opening) > end.count(closing) and start[len(end) :].startswith(closing):
            end += closing
    return end


def _without_copula(low: str) -> tuple[str, bool, bool]:
    """Rest of the predicate, whether the copula was negated, whether anything was taken away."""
    match = _NOT_COPULA.match(low)
    if match:
        return low[match.end() :], True, True
    for pattern in (_LINKING, _COPULA):
        match = pattern.match(low)
        if match:
            # "seem to love money" is said of those who love it
            return _without_like(low[match.end() :].removeprefix("to ")), False, True
    return low, False, False


def _without_like(rest: str) -> str:
    """Without the filler in front of what can only be an adjective: "like lazy", not "like gold"."""
    word = rest.removeprefix("like ")
    return word if can_be(word, "ADJ") and not can_be(word, "NOUN") else rest


def linked(text: str) -> str:
    """What is said behind "seen as" and the like, where the copula in front is gone ("seen as proud" -> "proud")."""
    return _LINKING.sub("", f"are {text}").removeprefix("are ")


def _without_openers(low: str) -> str:
    first, _, rest = low.partition(" ")
    return rest if rest and first in {"and", "but", "or", "also", "then"} else low


def _graded(low: str) -> str:
    """Base form of a graded attribute; what is compared with something ("smarter than women") stays."""
    first, _, rest = low.partition(" ")
    if " than " in low:
        return low
    if not rest:
        return lemma(first, "ADJ") if first.endswith("er") and can_be(first, "ADJ") else low
    if first == "not":  # "not that wise" is "not wise", but "not just wise" and "not as wise" are not
        hedge, _, others = rest.partition(" ")
        return f"not {others}" if hedge in words("denied_gradations") and _adjectival(others) else low
    complement = bool(words("prepositions") & set(rest.split()))
    if not _adjectival(rest) or (first in {"more", "most"} and complement):
        return low
    return _graded(rest) if first in words("gradations") else low


def _adjectival(rest: str) -> bool:
    """Whether the words begin with an adjective (perhaps behind an adverb), so that grading them was idle."""
    first, _, others = rest.partition(" ")
    if first.endswith("ly") and others:
        return _adjectival(others)
    if first in {"much", "many"}:
        return False
    is_adjective = can_be(first, "ADJ")
    if is_adjective or first.endswith(("ed", "ive", "ous", "ful", "less", "able", "ible", "al", "ic", "ing")):
        return " as " not in f" {rest} " or first == "as"
    return False


def plural_verb(low: str) -> str:
    """The words with their first verb in the plural ("loves money" -> "love money", "is" -> "are")."""
    first, _, rest = low.partition(" ")
    verb = first.removesuffix("n't")
    if verb in _PLURAL_FORMS and first != "ai":
        first = first.replace(verb, _PLURAL_FORMS[verb], 1)
    elif is_third_person(first) and not can_be(first, "ADJ"):
        first = inflected(lemma(first, "VERB"), "VBP")
    return f"{first} {rest}".strip()


_PLURAL_FORMS = {"is": "are", "was": "were", "has": "have", "does": "do", "ai": "are"}
