"""The two sentences of an association: with its attribute, and with the opposite.

Also here: the opposite of an attribute that fits the same sentence, flags for reviewers of a pair, and duplicate
pairs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from endoxa.curate.english import can_be, is_plural, lemma
from endoxa.curate.grammar import english, other_languages
from endoxa.curate.grammar.english import Kind
from endoxa.curate.grammar.english import kind as english_kind
from endoxa.curate.grammar.subject import gender_of, people_meant, subject, with_capitals
from endoxa.curate.grammar.templates import Predicate, Template, UnclearError
from endoxa.curate.opposites import Lexicon, antonym
from endoxa.curate.opposites.lexicon import forms
from endoxa.sources.check.characters import scripts_of
from endoxa.sources.check.wording import LENGTH_DIFFERENCE, negates
from endoxa.sources.typography import differing_spans, words

_GENDERED = ("fr", "es", "pt", "hi")
_EXCESS = ("too", "overly", "trop", "demasiado", "demais")
_ANYWHERE = {"good", "bad", "better", "worse", "best", "worst", "kind", "rude", "friendly", "hostile"}
LONGEST = 5
"""Words of the longest attribute that one turned word is the opposite of."""
_GRADES = ("more", "less", "always", "never")
PLURAL = {"m": ("p",), "f": ("fp", "f")}
"""Features of `forms` that a plural of each gender has, the first that there is."""


def opposite(predicate: Predicate, lexicon: Lexicon, gender: str = "") -> str | None:
    """A predicate with the natural opposite of the attribute in its place, or None where there is none.

    None also where the opposite would not agree (another number or part of speech in English, a gender that is not
    known elsewhere), for long attributes and those with marks in them, and for excess ("too emotional").
    """
    core = predicate.core
    if not core or core.split()[0].lower() in _EXCESS:
        return None
    noun = lexicon.language == "en" and " kind of " in f" {core.lower()} "
    if noun or len(core.split()) > LONGEST or any(mark in core for mark in "()&%+'"):
        return None
    opposed = antonym(core.lower(), lexicon.language, lexicon)
    if not opposed or opposed.lower() == core.lower():
        return None
    if lexicon.language == "en":
        kind: Kind = "verb" if predicate.frame == "{}" else "copula"
        return (
            predicate.frame.format(with_capitals(opposed)) if _natural(core.lower(), opposed, kind) else None
        )
    if not lexicon.senses(lexicon.split(core.lower())):
        return None  # one adjective of a phrase: whether its opposite fits there is only known for English
    agreeing = _agreeing(opposed, lexicon, gender) if lexicon.language in _GENDERED else opposed
    return predicate.frame.format(agreeing) if agreeing else None


def _natural(core: str, opposed: str, kind: Kind) -> bool:
    """Whether an English opposite can stand where the attribute stood.

    It must be of the same kind and number, and where only a word of a phrase was turned, what follows must go with
    it: a plural noun ("poor families"), or anything after "good" and "bad" or a prefix ("unable to", not "full of").
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
    return _fits(before, after, kind)


def _fits(before: list[str], after: list[str], kind: Kind) -> bool:
    """Whether what follows the turned word goes with its opposite, and an adverb was turned into an adverb."""
    spans = differing_spans(words(" ".join(before)), words(" ".join(after)))
    if len(spans) != 1:
        return True
    end = spans[0].end_more
    old, new = (
        " ".join(before[spans[0].start_more : end]),
        " ".join(after[spans[0].start_less : spans[0].end_less]),
    )
    if kind == "verb":
        return not (spans[0].start_more and can_be(old, "ADV") and not can_be(new, "ADV"))
    if "-" in old and " " in new and new.split()[0] in old.split("-"):
        return False
    if end == len(before) or is_plural(before[end]) or old in _GRADES:
        return True
    return {old, new} <= _ANYWHERE or old.endswith(new) or new.endswith(old)


def _agreeing(opposed: str, lexicon: Lexicon, gender: str) -> str | None:
    """The opposite in the plural of the gender; None where its gender matters and is not known."""
    key = lexicon.split(opposed)
    for sense in lexicon.senses(key):
        row = lexicon.rows[sense.row]
        for term in row.poles[sense.pole]:
            inflected = forms(term, row.part, lexicon.language)
            if opposed in inflected.values():
                masculine, feminine = (_plural(inflected, sex) for sex in ("m", "f"))
                return feminine if gender == "f" or masculine == feminine else (masculine if gender else None)
    return opposed if gender else None


def _plural(inflected: dict[str, str], gender: str) -> str:
    return next((inflected[feature] for feature in PLURAL[gender] if feature in inflected), inflected[""])


def gender_shown(attribute: str, lexicon: Lexicon | None) -> str:
    """'f' or 'm' where only one gender has the attribute in this form ("fuertes" has both); empty otherwise."""
    if lexicon is None or not attribute:
        return ""
    shown = set()
    for sense in lexicon.senses(lexicon.split(attribute.lower())):
        row = lexicon.rows[sense.row]
        for term in row.poles[sense.pole]:
            inflected = forms(term, row.part, lexicon.language)
            if attribute.lower() in inflected.values():
                shown |= {gender for gender in PLURAL if _plural(inflected, gender) == attribute.lower()}
    return shown.pop() if len(shown) == 1 else ""


How = Literal["antonym", "negation"]


@dataclass(frozen=True, slots=True)
class Sentences:
    """The stereotype and its opposite.

    Attributes:
        more: the sentence that says what respondents said.
        less: the one with the antonym, or the denial.
        identity: the group as it stands in both.
        attribute_more: what `more` says of the group.
        attribute_less: what `less` says.
        gender: agreement of the predicate where it inflects, else empty.
        how: what `less` was made with.
    """

    more: str
    less: str
    identity: str
    attribute_more: str
    attribute_less: str
    gender: str
    how: How


def sentence_pair(
    identity: str,
    attribute: str,
    template: Template,
    lexicon: Lexicon | None,
    *,
    evidence: str = "",
    agreement: str = "",
    prefix: str = "",
) -> Sentences:
    """Both sentences of an association.

    Args:
        identity: the group, plural.
        attribute: what is said of it, without its copula, in agreement with it.
        template: of the language.
        lexicon: opposites of the language; without it every attribute is denied.
        evidence: 'copula' or 'verb' where it is known how people said it.
        agreement: 'm' or 'f' where it is known.
        prefix: word(s) before the identity.

    Raises:
        UnclearError: no sentence can be made that is surely grammatical.
    """
    identity = people_meant(identity, template.language)
    _require_script(f"{identity} {attribute}", template)
    if template.language == "en":
        statement = english.predicate(attribute, evidence)
    else:
        named = agreement or gender_of(identity, template) or gender_shown(attribute, lexicon)
        statement = other_languages.predicate(attribute, template, evidence, named, lexicon)
    gender = ""
    if template.gendered:
        gender = agreement or gender_of(identity, template) or gender_shown(statement.core, lexicon)
    who = subject(identity, template, gender, prefix)
    instead = opposite(statement, lexicon, gender) if lexicon else None
    if instead and identity.lower() in instead.lower():  # "advise young people", said of old people
        instead = None
    if (
        instead and attribute[:1].isupper() and instead == instead.lower()
    ):  # the capital of a cell, in no dictionary
        return sentence_pair(
            identity,
            attribute.lower(),
            template,
            lexicon,
            evidence=evidence,
            agreement=agreement,
            prefix=prefix,
        )
    less = instead or statement.denied
    if not less:
        raise UnclearError(statement.no_denial)
    more_sentence, less_sentence = (_sentence(who, text, template) for text in (statement.asserted, less))
    if more_sentence == less_sentence:
        raise UnclearError("both sentences would be the same")
    return Sentences(
        more_sentence,
        less_sentence,
        who,
        _shown(statement.asserted, template),
        _shown(less, template),
        gender,
        "antonym" if instead and not negates(more_sentence, less_sentence, template.language) else "negation",
    )


def _require_script(text: str, template: Template) -> None:
    """Identity and attribute of another script than the sentence are of another language than is said."""
    # Not by `said`: Arabic says it without a copula.
    expected_scripts = scripts_of(template.denied.replace("{attribute}", ""))
    scripts = scripts_of(text)
    if expected_scripts and scripts and not expected_scripts & scripts:
        raise UnclearError(
            f"it is not written in the script of language '{template.language}': name its language"
        )


def _sentence(who: str, predicate: str, template: Template) -> str:
    text = f"{who} {predicate}{template.stop}"
    return text[:1].upper() + text[1:]


def framed(made: Sentences, framing: str) -> Sentences:
    """The pair inside another text, which holds {sentence} once ("People often say: {sentence}")."""
    more, less = (framing.replace("{sentence}", text) for text in (made.more, made.less))
    return replace(made, more=more, less=less)


def _shown(predicate: str, template: Template) -> str:
    """A predicate without its copula, where it has one ("not strong" for "are not strong")."""
    before, _, behind = template.said.partition("{attribute}")
    if predicate.startswith(before) and predicate.endswith(behind):
        return predicate[len(before) : len(predicate) - len(behind)]
    return predicate


def remarks(made: Sentences, template: Template) -> Iterator[str]:
    """Reasons to look at a pair that is kept: differences in several places, or a difference in length.

    One place is right, or as many as the language's own negation has ("ne ... pas"). A summed log-probability prefers
    the shorter sentence whatever it says, so a pair that differs by three words or more measures length too.
    """
    expected_spans = len(differing_spans(words(template.said), words(template.denied)))
    spans = len(differing_spans(words(made.more), words(made.less)))
    if spans > max(1, expected_spans) and not negates(made.more, made.less, template.language):
        yield f"the sentences differ in {spans} places"
    difference = words_difference(made)
    if abs(difference) >= LENGTH_DIFFERENCE:
        yield f"one sentence is {abs(difference)} words longer than the other"


def words_difference(made: Sentences) -> int:
    """Words of the first sentence minus words of the second; a word is what stands between blanks."""
    return len(made.more.split()) - len(made.less.split())


def same_words(made: Sentences) -> tuple[str, str]:
    """What two pairs share that are the same but for capitals and punctuation."""
    more, less = (" ".join(word.folded for word in words(text)) for text in (made.more, made.less))
    return more, less
