"""The two sentences of an association: with its attribute, and with the opposite.

Also here: the opposite of an attribute that fits the same sentence, flags for reviewers of a pair, and duplicate
pairs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import regex

from endoxa.curate.grammar import english, templates
from endoxa.curate.grammar.english import Kind, natural
from endoxa.curate.grammar.subject import gender_of, people_meant, subject, with_capitals
from endoxa.curate.grammar.templates import Predicate, Template, UnclearError, in_singular
from endoxa.curate.opposites import Lexicon, antonym
from endoxa.curate.opposites.lexicon import Forms, forms_of_term, is_masculine_plural, rules_of
from endoxa.sources.check.characters import scripts_of
from endoxa.sources.check.wording import LENGTH_DIFFERENCE, negates
from endoxa.sources.typography import differing_spans, words
from endoxa.words.packs import words_of
from endoxa.words.patterns import grammar
from endoxa.words.people import is_governed, may_be_women, oblique_of

_EXCESS = ("too", "overly", "trop", "demasiado", "demais")
LONGEST = 5
"""Words of the longest attribute that one turned word is the opposite of."""
PLURAL = {"m": ("p",), "f": ("fp", "f", "p")}
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
    if "-" in core and " " not in core:  # "dark-skinned", "light skinned"
        opposed = opposed.replace(" ", "-")
    senses = lexicon.senses(lexicon.split(core.lower()))
    if lexicon.language == "en":
        kind: Kind = "verb" if predicate.frame == "{}" else "copula"
        fits = natural(core.lower(), opposed, kind, listed_whole=bool(senses))
        return predicate.frame.format(with_capitals(opposed)) if fits else None
    if not any(sense.leads for sense in senses):
        # One adjective of a phrase, or a synonym further down its list: what leads the other list need not be what
        # people say instead ("machistas": "sumisos").
        return None
    agreeing = _agreeing(opposed, lexicon, gender)
    return predicate.frame.format(agreeing) if agreeing else None


def _agreeing(opposed: str, lexicon: Lexicon, gender: str) -> str | None:
    """The opposite in the plural of the gender; None where its gender matters and is not known."""
    for inflected in forms_of_term(opposed, lexicon):
        masculine, feminine = (_plural(inflected, sex) for sex in ("m", "f"))
        return feminine if gender == "f" or masculine == feminine else (masculine if gender else None)
    return opposed if gender else None


def _plural(inflected: Forms, gender: str) -> str:
    there = (inflected[feature] for feature in PLURAL[gender] if feature in inflected)
    return next(there, next(iter(inflected.values())))


def in_agreement(attribute: str, lexicon: Lexicon, gender: str) -> str:
    """An attribute of the table of opposites in the plural of the gender; other attributes as they are.

    Args:
        attribute: as it was given.
        lexicon: opposites of the language, whose forms are looked up.
        gender: 'm' or 'f' of the group; empty where it is not known, so that both plurals agree.

    Raises:
        UnclearError: it has the other gender, or its plural is not known.
    """
    key = lexicon.split(attribute.lower())
    features: set[str] = set()
    plurals: set[str] = set()
    for sense in lexicon.senses(key):
        row = lexicon.rows[sense.row]
        places = PLURAL | ({"f": ("fp",)} if row.form is not None else {})
        for term in row.poles[sense.pole]:
            inflected = lexicon.forms(row, term)
            here = {feature for feature, form in inflected.items() if lexicon.split(form) == key}
            if here and (row.form is not None or len(inflected) > 1):
                features |= here
                plurals |= {
                    next((inflected[feature] for feature in places[sex] if feature in inflected), "")
                    for sex in gender or PLURAL
                } - {""}
    if not features or key in {lexicon.split(plural) for plural in plurals}:
        return attribute
    if gender == "m" and features == {"f"}:
        raise UnclearError(f"'{attribute}' is singular and feminine, the group is not: write the plural")
    if gender and not features & ({"", "f"} if gender == "f" else {""}):
        raise UnclearError(f"'{attribute}' and the group differ in gender")
    if len(plurals) != 1:
        raise UnclearError(f"'{attribute}' is no plural that is known: write the plural")
    return plurals.pop()


def _head_in_agreement(attribute: str, template: Template, lexicon: Lexicon, gender: str) -> str:
    """An attribute whose head agrees: all of it, or the adjective before a complement ("bueno en matemáticas")."""
    copula = template.said.partition("{attribute}")[0]
    if copula and attribute.lower().startswith(copula):
        return f"{copula}{_head_in_agreement(attribute[len(copula) :], template, lexicon, gender)}"
    if template.said.startswith("{attribute} "):
        before, blank, head = attribute.rpartition(" ")
        return f"{before}{blank}{in_agreement(head, lexicon, gender)}"
    agreeing = in_agreement(attribute, lexicon, gender)
    head, blank, rest = attribute.partition(" ")
    first, *behind = rest.lower().split() or [""]
    if (
        agreeing == attribute
        and first in lexicon.rules.function
        and behind
        and not lexicon.senses(behind[:1])
    ):
        return f"{in_agreement(head, lexicon, gender)}{blank}{rest}"
    return agreeing


def gender_shown(attribute: str, lexicon: Lexicon | None) -> str:
    """'f' or 'm' where only one gender has the attribute in this form ("fuertes" has both); empty otherwise."""
    low = attribute.lower()
    shown = {
        gender
        for inflected in forms_of_term(low, lexicon)
        for gender in PLURAL
        if _plural(inflected, gender) == low
    }
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
        evidence: 'copula' or 'verb' where it is known how people said it; 'noun' where the attribute names a thing.
        agreement: 'm' or 'f' where it is known.
        prefix: word(s) before the identity.

    Raises:
        UnclearError: no sentence can be made that is surely grammatical.
    """
    identity = people_meant(identity.strip(" ،,;؛"), template.language)
    _require_script(f"{identity} {attribute}", template)
    if evidence == "noun":
        raise UnclearError(
            f"'{attribute}' seems to name a thing, not what people are: write it with a verb, and empty the cell "
            "'predicate'"
        )
    if template.language == "en":
        statement = english.predicate(attribute, evidence)
    else:
        if (head := identity.lower().split()[:1]) and head[0] in _collectives(template.language):
            template, lexicon = _collective(identity, template, evidence), None
            attribute = in_singular(attribute, template.language, gender_of(identity, template))
        if _of_women(identity, attribute, template):
            agreement = agreement or "f"
        _require_agreement(identity, attribute, template, agreement)
        named = agreement or gender_of(identity, template) or gender_shown(attribute, lexicon)
        if lexicon is not None and lexicon.language == template.language:
            attribute = _head_in_agreement(attribute, template, lexicon, named)
        statement = templates.predicate(attribute, template, evidence, named, lexicon)
    gender = ""
    if template.gendered:
        gender = agreement or gender_of(identity, template) or gender_shown(statement.core, lexicon)
    who = subject(identity, template, gender, prefix, reported=bool(evidence))
    if is_governed(statement.asserted, template.language):
        who = oblique_of(who, template.language)
    instead = opposite(statement, lexicon, gender if template.gendered else "m") if lexicon else None
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


def _class(name: str, template: Template) -> str:
    """The regular expression of a slot of the sentence patterns; empty where there is none."""
    return grammar(template.rows, f"grammar.csv of '{template.language}'").classes.get(name, "")


def _of_women(identity: str, attribute: str, template: Template) -> bool:
    """Whether a plural of men or women is said of women here ("العجائز ثرثارات")."""
    feminine, word = _class("feminine", template), next(iter(attribute.split()), "")
    return bool(feminine and regex.fullmatch(feminine, word)) and may_be_women(identity, template.language)


def _require_agreement(identity: str, attribute: str, template: Template, agreement: str) -> None:
    """Raise UnclearError where the attribute shows another gender than the group."""
    article = next(iter(identity.lower().split()), "")
    degree = rules_of(template.language).degree
    word = next((each for each in attribute.lower().split() if each not in degree), "")
    masculine = _class("masculine", template)
    if masculine and "f" in (agreement, gender_of(identity, template)) and regex.fullmatch(masculine, word):
        raise UnclearError(
            f"the group '{identity}' is feminine and '{word}' is masculine: write it in the feminine"
        )
    feminine = _class("feminine", template)
    if feminine and (agreement or gender_of(identity, template)) == "m" and regex.fullmatch(feminine, word):
        raise UnclearError(
            f"the group '{identity}' is masculine or of both and '{word}' is feminine: write it in the masculine"
        )
    if agreement or article in template.articles or identity.lower() in template.feminine:
        return
    if gender_of(identity, template) == "f" and is_masculine_plural(word, template.language):
        raise UnclearError(
            f"'{identity}' looks feminine and '{word}' is masculine: write the identity with its article"
        )


def _collectives(language: str) -> Sequence[str]:
    return tuple(words_of(language, "extract.toml").get("collectives", ()))


def _collective(identity: str, template: Template, evidence: str) -> Template:
    """The template for a group that is a singular ("la gente de la costa")."""
    if template.collective is None:
        raise UnclearError(f"the identity '{identity}' is a singular: name the people in the plural")
    if not evidence:
        raise UnclearError(
            f"the identity '{identity}' is a singular, and it is not known how people said it: name the people in the "
            "plural, or add a column 'predicate'"
        )
    return template.collective


def _sentence(who: str, predicate: str, template: Template) -> str:
    text = f"{who} {predicate}{template.stop}"
    return text[:1].upper() + text[1:]


def framed(made: Sentences, framing: str) -> Sentences:
    """The pair inside another text, which holds {sentence} once ("People often say: {sentence}")."""
    more, less = (framing.replace("{sentence}", text) for text in (made.more, made.less))
    return replace(made, more=more, less=less)


def _shown(predicate: str, template: Template) -> str:
    """A predicate without its copula, where it has one ("not strong" for "are not strong")."""
    for copula in (template.said, template.of_women(template.said)):
        before, _, behind = copula.partition("{attribute}")
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
