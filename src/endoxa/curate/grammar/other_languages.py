"""Predicates of plural groups in languages other than English: Spanish, French, Portuguese, Arabic, Hindi and Swahili.

An attribute is taken as it is given: in the form that agrees with the group. A verb phrase is known by its ending
(a third person plural) or by what the associations say of it. Languages that somebody brings a template for have the
copula only, and verbs where the template says how they are denied.

Predicates of masculine or mixed plural groups in Arabic. A first draft of ours that speakers should look through.

A sentence of the present has no copula. It is denied with "laysū", after which the predicate stands in the accusative,
and a verb with "lā" (Ryding 2005, ch. 37). Without vowel signs the accusative is seen in -ūn, which becomes -īn, and
not in -āʾ and -ā; other words get an ending by their pattern, which is not known here: they are left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from endoxa.curate.grammar.templates import Predicate, Template, UnclearError, cleaned
from endoxa.curate.opposites import Lexicon
from endoxa.curate.opposites.lexicon import forms, rules_of

_VERB = re.compile(r"ي\w+ون")
_NAMED_PEOPLE = re.compile(r"ي\w*يون")
_DEFINITE = re.compile(r"و?ال")
_PHRASE = re.compile(r"(?:في|من|مع|على|إلى|عن|حول) |بال|لل|جد(?:ا|ًا|اً)(?: |$)")
"""What may follow a predicate unchanged: phrases with a preposition, and "very"."""


def arabic(text: str, template: Template, evidence: str = "") -> Predicate:
    """The predicate that an attribute makes.

    Args:
        text: without a subject; verbs in the third person plural, other words in the nominative, without an article.
        template: of the language.
        evidence: 'copula' or 'verb' where it is known how people said it, else empty.

    Raises:
        UnclearError: no predicate can be made that is surely grammatical.
    """
    no_verb, no_copula = (pattern.partition("{")[0] for pattern in (template.verb_denied, template.denied))
    if no_verb and text.startswith(no_verb):
        verb = text[len(no_verb) :]
        if not _is_verb(verb, template, evidence):
            raise UnclearError(f"'{no_verb.strip()}' denies a verb in the plural of the present only")
        return Predicate(text, verb)
    if no_copula and text.startswith(no_copula):
        plain = text[len(no_copula) :]
        if _accusative(plain) != plain:
            raise UnclearError(f"what follows '{no_copula.strip()}' is no accusative")
        return Predicate(text, plain)
    if _is_verb(text, template, evidence):
        if not no_verb:
            raise UnclearError("the template of language 'ar' says nothing about verbs")
        return Predicate(text, template.verb_denied.format(verb=text))
    asserted = template.said.format(attribute=text)
    try:
        return Predicate(asserted, template.denied.format(attribute=_accusative(text)), text)
    except UnclearError as problem:
        return Predicate(asserted, "", text, no_denial=str(problem))


def _is_verb(text: str, template: Template, evidence: str) -> bool:
    first = text.partition(" ")[0]
    if evidence or not _VERB.fullmatch(first) or first in template.not_verbs:
        return evidence == "verb"
    if _NAMED_PEOPLE.fullmatch(first):
        raise UnclearError(f"'{first}' may be a verb or a name of people")
    return True


def _accusative(text: str) -> str:
    """The predicate as it stands after "laysū"."""
    if _DEFINITE.match(text):
        raise UnclearError("an attribute with an article may be a name or the subject itself")
    first, _, rest = text.partition(" ")
    words = [_ending(first)]
    while rest and not _PHRASE.match(rest):
        word, _, rest = rest.partition(" ")
        if not word.startswith("و"):
            raise UnclearError(f"it is not known how '{word}' depends on the words before it")
        words.append(_ending(word))
    return " ".join([*words, *rest.split()])


def _ending(word: str) -> str:
    if word.endswith("ون"):
        return f"{word[:-2]}ين"
    if word.endswith(("اء", "ى")):
        return word
    raise UnclearError(f"the accusative of '{word}' is not known: give a plural in -ون or -اء, or a verb")


_FRENCH_VOWEL = re.compile(r"^[aeiouyàâéèêëîïôöùûh]", re.IGNORECASE)
_FRENCH_ASPIRATED = re.compile(r"^(?:haïss|hurl|harcèl|harcel|heurt|hiss|hauss|hant|halèt)", re.IGNORECASE)
_FRENCH_PARTITIVE = re.compile(r"^(?:du |de la |des |une? )|^de l'", re.IGNORECASE)
_HINDI_COPULA = "हैं"
_HINDI_HABITUAL = re.compile(r"(?:ते|ती|ता)$")
_HINDI_PAST = re.compile(r"(?P<before>(?:(?!नहीं )\S+ )*?)(?P<verb>(?:\S+(?:ते|ती) )?(?:थे|थीं))")
_SWAHILI_PRESENT = re.compile(r"^wana(?P<stem>\w*)$")
_SWAHILI_HABITUAL = re.compile(r"^hu(?P<stem>\w{2,})$")
_SWAHILI_SHORT = {
    "kula": "hawali",
    "kunywa": "hawanywi",
    "kuja": "hawaji",
    "kufa": "hawafi",
    "kwenda": "hawaendi",
}


def predicate(
    attribute: str, template: Template, evidence: str = "", gender: str = "", lexicon: Lexicon | None = None
) -> Predicate:
    """The predicate that an attribute makes in a language with a template.

    Args:
        attribute: without a subject, in agreement with it; a singular adjective is put into the plural.
        template: of the language.
        evidence: 'copula' or 'verb' where it is known how people said it, else empty.
        gender: 'm' or 'f' of the group, where it is known.
        lexicon: by which more singular adjectives are known.

    Raises:
        UnclearError: no predicate can be made that is surely grammatical.
    """
    text = cleaned(attribute)
    if template.language == "ar":
        return arabic(text, template, evidence)
    copula = template.said.replace("{attribute}", "").strip()
    negated = _after(text, template.denied)
    if negated:
        return Predicate(template.denied.format(attribute=negated), template.said.format(attribute=negated))
    if template.language == "hi" and (statement := _hindi(text)):
        return statement
    plain = _after(text, template.said)
    text = plain if plain is not None else text
    if not text or text == copula:
        raise UnclearError("the attribute is only a copula")

    def is_known(word: str) -> bool:
        return lexicon is not None and bool(lexicon.senses(lexicon.split(word)))

    first, _, rest = text.partition(" ")
    if first.lower() in template.never:
        raise UnclearError(f"the denial of '{first}' is not known")
    verb = evidence == "verb" or (not evidence and plain is None and _looks_like_verb(text, template))
    if verb:
        return _with_verb(text, template)
    if first.lower() in template.negators and rest:
        rest = in_plural(rest, template, gender, is_known)
        return Predicate(template.denied.format(attribute=rest), template.said.format(attribute=rest))
    text = in_plural(text, template, gender, is_known)
    return Predicate(
        template.said.format(attribute=text),
        template.denied.format(attribute=text),
        text,
        template.said.format(attribute="{}"),
    )


_PLURAL = {"es": ("s",), "fr": ("s", "x"), "pt": ("s",)}
_BOTH_GENDERS = ("ista", "ota", "eta", "ita", "ida", "crata", "cola", "nauta")


def in_plural(text: str, template: Template, gender: str, is_known: Callable[[str], bool]) -> str:
    """An adjective or noun in the singular, alone or graded ("muy flojo"), in the plural of the group's gender.

    Args:
        text: an attribute.
        template: of the language; others than French, Spanish and Portuguese give the text back.
        gender: 'm' or 'f' of the group, or empty.
        is_known: whether a word is an adjective or noun of the lexicon; others are known by their endings.

    Raises:
        UnclearError: its plural depends on what is not known: the gender of the group, or of which word it is a form.
    """
    language = template.language
    *before, word = text.split()
    degree = rules_of(language).degree
    if (
        language not in _PLURAL
        or any(each.lower() not in degree for each in before)
        or word.lower() in degree
    ):
        return text
    low = word.lower()
    if low.endswith(_PLURAL[language]) or not low.isalpha():
        return text
    if not low.endswith(template.singular_endings) and not is_known(low):
        raise UnclearError(f"'{word}' is no plural that is known: write the plural")
    if low.endswith(("a", "ã")) or (language == "fr" and low.endswith("e")):
        if gender == "m" and language != "fr" and not low.endswith(_BOTH_GENDERS):
            raise UnclearError(f"'{word}' is singular and feminine, the group is not: write the plural")
        plural = f"{low}s"
    else:
        if not gender:
            raise UnclearError(
                f"'{word}' is singular, and the gender of the group is not known: write the plural"
            )
        known = forms(low, "adj", language)
        plural = known.get("fp" if gender == "f" else "p", "")
    if low.endswith("ão") or not plural:
        raise UnclearError(f"the plural of '{word}' is not known: write it")
    return " ".join([*before, plural])


def _after(text: str, pattern: str) -> str | None:
    """The attribute in a text that is written with the copula of `pattern` already; None where it is not."""
    before, _, behind = pattern.partition("{attribute}")
    low = text.lower()
    if before and not low.startswith(before):
        return None
    if behind and not low.endswith(behind):
        return None
    return text[len(before) : len(text) - len(behind)].strip()


def _looks_like_verb(text: str, template: Template) -> bool:
    words = text.lower().split()
    if template.language == "sw":
        habitual = _SWAHILI_HABITUAL.match(words[0]) and words[0] not in template.not_verbs
        return bool(_SWAHILI_PRESENT.match(words[0]) or habitual) or words[0].startswith("hawa")
    if template.language == "fr" and words[0].startswith(("n'", "s'")):
        return True
    first = next((word for word in words if word not in template.before_verbs), "")
    endings = tuple(word[1:] for word in template.not_verbs if word.startswith("-"))
    return (
        first.endswith(template.verb_endings)
        and first not in template.not_verbs
        and not first.endswith(endings)
    )


def _with_verb(text: str, template: Template) -> Predicate:
    if template.language == "fr":
        # Put "ne .
        verb, _, rest = text.partition(" ")
        if verb.lower() in ("se", "y"):
            verb, _, rest = rest.partition(" ")
            verb = f"{text.split(maxsplit=1)[0]} {verb}"
        if verb.lower() == "ne" or verb.lower().startswith("n'"):
            return _french_undone(text)
        elided = _FRENCH_VOWEL.match(verb) and not _FRENCH_ASPIRATED.match(verb)
        match = _FRENCH_PARTITIVE.match(rest)
        if match and not verb.lower().startswith(("se ", "s'")):
            thing = rest[match.end() :]
            rest = f"d'{thing}" if _FRENCH_VOWEL.match(thing) else f"de {thing}"
        denied = f"n'{verb} pas {rest}" if elided else f"ne {verb} pas {rest}"
        return Predicate(text, denied.strip(), text)
    if template.language == "sw":
        return _swahili(text)
    if not template.verb_denied:
        raise UnclearError(f"the template of language '{template.language}' says nothing about verbs")
    negation = template.verb_denied.partition("{verb}")[0]
    if negation and text.lower().startswith(negation):
        return Predicate(text, text[len(negation) :])
    return Predicate(text, template.verb_denied.format(verb=text), text)


def _french_undone(text: str) -> Predicate:
    """Undo "ne ... pas"; not before "de", where the article that it stands for is not known ("pas de patience")."""
    match = re.fullmatch(r"(?:ne |n')((?:se |s'|y )?[\w-]+) pas(?! d(?:e |'))( .+)?", text, re.IGNORECASE)
    if match is None:
        raise UnclearError("the attribute is negated with 'ne', which cannot be undone by rule")
    return Predicate(text, f"{match[1]}{match[2] or ''}")


def _hindi(text: str) -> Predicate | None:
    """Put "nahīñ" before the verb (otherwise it stands before the copula; Kachru 2006, ch. 6); None without a verb."""
    if past := _HINDI_PAST.fullmatch(text):
        return Predicate(text, f"{past['before']}नहीं {past['verb']}".strip())
    words = text.removesuffix(_HINDI_COPULA).split()
    if len(words) < 2 or not _HINDI_HABITUAL.search(words[-1]):
        return None
    if "नहीं" in words:
        plain = [word for word in words if word != "नहीं"]
        return Predicate(" ".join([*words, _HINDI_COPULA]), " ".join([*plain, _HINDI_COPULA]))
    assertion = " ".join([*words, _HINDI_COPULA])
    return Predicate(assertion, " ".join([*words[:-1], "नहीं", words[-1], _HINDI_COPULA]), assertion)


def _swahili(text: str) -> Predicate:
    """Deny the present "wana-" with "hawa-" and -i for a final -a, "wana" ("have") with "hawana" (Ashton 1947).

    The habitual "hu-" is denied as the present is; "huwa" ("are as a rule") is no more than a copula.
    """
    verb, _, rest = text.partition(" ")
    if verb.lower() == "huwa" and rest:
        having = rest.startswith("na ")
        return Predicate(text, f"hawana {rest[3:]}" if having else f"si {rest}")
    if habitual := _SWAHILI_HABITUAL.match(verb.lower()):
        verb = f"wana{habitual['stem']}"
    match = _SWAHILI_PRESENT.match(verb.lower())
    if not match:
        raise UnclearError(f"the verb form '{verb}' is not the present that is denied by rule")
    stem = match["stem"]
    if not stem:
        denied = "hawana"
    elif stem in _SWAHILI_SHORT:
        denied = _SWAHILI_SHORT[stem]
    else:
        denied = "hawa" + (stem[:-1] + "i" if stem.endswith("a") else stem)
    return Predicate(text, f"{denied} {rest}".strip(), text)
