"""The group as the subject of a sentence: in the plural, with its article and its capitals."""

from __future__ import annotations

import regex

from endoxa.curate.english import can_be, in_dictionary, inflected, is_plural, lemma, words
from endoxa.curate.grammar.predicate import UnclearError
from endoxa.curate.grammar.proper import english_names, listed, with_capitals
from endoxa.curate.grammar.templates import Template

_LETTER = regex.compile(r"\p{L}")


def subject(identity: str, template: Template, gender: str = "", prefix: str = "") -> str:
    """The identity as it stands inside a sentence.

    Args:
        identity: a group in the plural, with or without its article.
        template: of the language.
        gender: 'm' or 'f', where the article or the predicate depends on it, else empty.
        prefix: word(s) before the identity ("African").

    Raises:
        UnclearError: the identity is empty or a singular, or its article is not known.
    """
    text = " ".join(identity.split())
    if not _LETTER.search(text):
        raise UnclearError("the identity holds no word" if text else "the identity is empty")
    if template.language == "en":
        # English:.
        first, *rest = text.lower().split()
        if first in listed("quantifiers") or first.removesuffix("s") in listed("quantifiers"):
            raise UnclearError(
                f"the identity '{text}' says how many are meant ('{first}'): name the group alone"
            )
        if not rest and first in listed("determiners"):
            raise UnclearError(f"the identity '{text}' names no group")
        _require_plural(text)
        text = with_capitals(text)
    if template.articles and text.split()[0].lower() in template.articles:
        return text
    if template.language != "en" and _is_english(text):
        raise UnclearError(
            f"the identity '{text}' is English and the language '{template.language}': translate it, or write it with "
            "its article"
        )
    pattern = template.subject.get("") or template.subject.get(gender)
    if pattern is None:
        raise UnclearError(
            f"the gender of '{text}' is not known: write the identity with its article, or add a column 'agreement'"
        )
    return pattern.format(identity=f"{prefix} {text}".strip())


def _is_english(text: str) -> bool:
    """An English plural, or the English name of a group that is written otherwise in other languages."""
    last = text.lower().split()[-1]
    return (is_plural(last) and in_dictionary(last)) or bool({text.lower(), last} & english_names())


def _require_plural(text: str) -> None:
    """English: "are" needs a plural, and the plural is what the sentence would be made with."""
    low = text.lower().split()
    stop = next((at for at, word in enumerate(low) if at and word in listed("complements")), len(low))
    head = low[stop - 1]
    plain = can_be(head, "NOUN") and not can_be(head, "ADJ") and not is_plural(head)
    if low[0] in listed("singulars") or (
        plain and lemma(head, "NOUN") == head and head not in words("plurals")
    ):
        plural = inflected(lemma(head, "NOUN"), "NNS")
        if low[0] not in listed("singulars") and plural == head:
            return
        raise UnclearError(f"the identity '{text}' is a singular: write '{plural}'")


def gender_of(identity: str, template: Template) -> str:
    """'f' or 'm' by the article, the table of nouns or the ending of the identity; empty where none tells."""
    text = " ".join(identity.lower().split())
    for gender, pattern in template.subject.items():
        article = pattern.partition("{identity}")[0]
        if gender and article and text.startswith(article):
            return gender
    bare = text.split()[1:] if text.split()[:1] and text.split()[0] in template.articles else text.split()
    phrase, head = " ".join(bare), bare[0] if bare else ""
    for name in (phrase, head, *bare[-1:]):
        for gender, nouns in (("f", template.feminine), ("m", template.masculine)):
            if name in nouns:
                return gender
    for gender, endings in (("m", template.masculine_endings), ("f", template.feminine_endings)):
        if head and endings and head.endswith(endings) and not (gender == "f" and head.endswith("istas")):
            return gender
    return ""
