"""From one statement to pairs of identity and attribute."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from endoxa.curate.english import TOKEN, can_be, in_dictionary, is_plural, is_third_person, tokens, words
from endoxa.curate.extract.native import Reading, is_about_one, read
from endoxa.curate.extract.omission import (
    BY_HAND,
    LATIN,
    NOISE,
    NOT_PEOPLE,
    NOT_TRANSLATED,
    TOO_GENERAL,
    heading,
    needs_country,
    noise,
    question_or_aside,
    reason,
)
from endoxa.curate.extract.reader import clauses, plain, predicates, subjects, without_label
from endoxa.curate.extract.split import Split, find_split, has_subject
from endoxa.curate.normalise import Tables, is_group
from endoxa.curate.normalise.attribute import normal_attribute
from endoxa.curate.normalise.identity import foreign_identity, native_identity, normal_identity, own_name
from endoxa.sources.check.characters import scripts_of
from endoxa.sources.typography import readable
from endoxa.words.packs import pack_of
from endoxa.words.people import is_country


@dataclass(frozen=True, slots=True)
class Question:
    """A question of the survey.

    Attributes:
        name: short name, as in the column `question`.
        axis: social axis in lower case.
        identity: the group every answer is about ("women"), or None where the answer names it.
    """

    name: str
    axis: str
    identity: str | None = None


@dataclass(frozen=True, slots=True)
class Extraction:
    """One pair that was read out of a statement.

    Attributes:
        identity: the group, normalised; empty where none was found.
        attribute: what is said of it; empty where nothing was found.
        rule: name of the rule that fired.
        confidence: how sure the rule is, from 0 to 1.
        omit: whether omission is proposed.
        omit_reason: why, or empty.
        verb: "have" where the attribute is something the group has ("strong faith"), else empty (a copula, or
            the attribute brings its own verb).
        identity_key: English name of a group that was named in another language, where one is known.
        agreement: 'f' or 'm' where the words before the group show its gender, else empty.
    """

    identity: str
    attribute: str
    rule: str
    confidence: float
    omit: bool = False
    omit_reason: str = ""
    verb: str = ""
    identity_key: str = ""
    agreement: str = ""

    def cells(self) -> dict[str, str]:
        """What a table of statements has of the pair."""
        return {
            "identity": self.identity,
            "attribute": self.attribute,
            "verb": self.verb,
            "rule": self.rule,
            "confidence": f"{self.confidence:.2f}",
            "omit": "true" if self.omit else "false",
            "omit_reason": self.omit_reason,
        }


CONFIDENCE = {
    "geographic": 0.85,
    "demographic": 0.92,
    "copula": 0.87,
    "verb": 0.75,
    "dash": 0.78,
    "apposition": 0.6,
    "possessive": 0.5,
    "pronoun": 0.67,
    "question": 0.91,
    "inherited": 0.7,
    "foreign": 0.5,
    "annotated": 1.0,
    "none": 0.0,
}
"""Confidence of each rule: the share of its pairs that AfriStereo's reviewers left as they were, in the development
half of the data (rounded; `apposition`, `inherited`, `possessive` and `foreign` rest on too few rows and are
guesses)."""

_HAVING = re.compile(
    r"^(?:are\s+)?(?:have|has|had)\s+(?!(?:to|been|had|always|never|ever|already|long|also|just)\b)(?P<what>\S.*)$",
    re.IGNORECASE,
)
_NOBODY = re.compile(r"^(?:no|none of the|(?P<all>not (?:all|every|most)(?: of)?(?: the)?)) ", re.IGNORECASE)
_POSSESSIVE = re.compile(r"^(?P<owner>.+?(?:'s|s'))\s+(?P<owned>\w+(?:\s+\w+)?)$")


@dataclass(frozen=True, slots=True)
class _Context:
    """What stays the same for every clause of a statement."""

    question: Question
    country: str
    names: Tables | None


def extract(
    statement: str,
    question: Question,
    country: str = "",
    subject: str = "",
    *,
    names: Tables | None = None,
    language: str = "en",
) -> list[Extraction]:
    """Pairs of identity and attribute that a statement holds.

    Args:
        statement: one statement.
        question: the question it answers; a fixed identity is the subject of elliptical answers.
        country: country of the respondent, which makes "the north" explicit.
        subject: identity of the preceding piece of the same list, or empty.
        names: tables of names to normalise with; those of the package where None.
        language: language of the statement (ISO 639); in others than English groups keep the names that people gave
            them.

    Returns:
        one pair or more; where nothing was found, one with an empty part and omission proposed.
    """
    language = re.split("[-_]", language)[0].lower()
    text = plain(readable(statement))
    if noise(text, language) or heading(text) or question_or_aside(text):
        return [Extraction("", "", "none", CONFIDENCE["none"], omit=True, omit_reason=NOISE)]
    context = _Context(question, country, names)
    if language != "en":
        return _in_language(text, language, context, subject)
    extractions: list[Extraction] = []
    for clause in clauses(plain(without_label(text))):
        if extractions and (question_or_aside(clause) or _about_something_else(clause, question)):
            continue
        pairs = _clause(clause, context, subject)
        extractions += pairs
        subject = pairs[-1].identity or subject
    complete = [pair for pair in extractions if pair.identity and pair.attribute]
    of_people = [pair for pair in complete if pair.omit_reason != NOT_PEOPLE]
    return of_people or complete or extractions[:1]


def as_annotated(
    identity: str, attribute: str, question: Question, country: str, names: Tables | None, *, language: str
) -> Extraction:
    """The pair that a table holds already, in the forms that reading gives; in other languages in its own words."""
    context = _Context(question, country, names)
    if language == "en":
        return _pair(identity, attribute, "annotated", context)
    return _native(identity, readable(attribute).strip(" .,;"), "annotated", context, language)


def _native(who: str, attribute: str, rule: str, context: _Context, language: str) -> Extraction:
    """A pair in another language than English; the group stays as people named it."""
    identity = native_identity(who, language)
    english = foreign_identity(identity, context.names, language)
    why = reason(identity, attribute, context.question.axis)
    key = "" if english == identity else english
    if why == NOT_PEOPLE and not key:  # the dictionary is English
        why = ""
    return Extraction(identity, attribute, rule, CONFIDENCE[rule], bool(why), why, identity_key=key)


def begins_statement(piece: str) -> bool:
    """Whether a piece of an answer has a subject of its own, and so is no continuation of the last one."""
    text = plain(piece)
    if has_subject(text):
        return True
    parts = tokens(text)
    split = find_split(parts)
    if split is None or split.rule not in {"dash", "apposition"}:
        return False
    return is_plural(parts[split.end - 1]) or is_group(" ".join(parts[: split.end]))


def _about_something_else(text: str, question: Question) -> bool:
    """Whether a further sentence has a subject that is no group ("It is a pity", "If you go there, ...")."""
    parts = tokens(text)
    if parts and parts[0].lower() in {"it", "this", "that", "there", *words("subordinators")}:
        return True
    split = find_split(parts)
    predicate = (
        split is not None
        and split.rule in {"copula", "verb"}
        and parts[0].lower() not in words("auxiliaries")
    )
    return predicate and split is not None and not _is_subject(parts[: split.end], question)


def _clause(text: str, context: _Context, subject: str) -> list[Extraction]:
    parts = tokens(text)
    split = find_split(parts)
    named = split is not None and _is_subject(parts[: split.end], context.question)
    if (
        named and split and split.rule == "apposition" and context.question.identity
    ):  # "hands dirty" is of the group
        named = is_group(" ".join(parts[: split.end]).lower().removeprefix("the "))
    if split is None or not named:
        return _elliptical(text, context, subject, "")
    spans = [match.span() for match in TOKEN.finditer(text)]
    who, predicate = text[spans[0][0] : spans[split.end - 1][1]], text[spans[split.start][0] :]
    if _is_pronoun(parts[: split.end]):
        return _elliptical(_of_owner(parts[: split.end], predicate), context, subject, "pronoun")
    owned = _POSSESSIVE.match(who)
    if owned and not is_group(who) and not is_plural(owned["owned"].split()[-1]):
        return [_pair(owned["owner"], _owned(owned["owned"], predicate), "possessive", context)]
    if denied := _NOBODY.match(who):
        return [_denied(denied, who, predicate, context, verbal=split.rule == "verb")]
    first, _, rest = predicate.partition(" ")
    if split.rule == "dash" and rest and first.lower() in words("pronouns"):
        predicate = rest  # "Buddhism: they seem calm"
    singular, rule = _is_singular(parts, split), _rule(who, split)
    return [
        _pair(group, part, rule, context, singular=singular)
        for group in subjects(who)
        for part in predicates(predicate)
    ]


def _in_language(text: str, language: str, context: _Context, subject: str) -> list[Extraction]:
    """The pairs of a statement in another language; the group stays as people named it."""
    reading = read(text, language) or (Reading("", (text.lower(),)) if len(text.split()) == 1 else None)
    if reading is None:
        pair = replace(_pair("", text, "foreign", context), omit_reason=NOT_TRANSLATED)
        script = (pack := pack_of(language)) and pack.script
        latin = script != "Latn" and scripts_of(text) == {"Latn"}
        by_hand = LATIN if latin else BY_HAND if is_about_one(text, language) else ""
        return [replace(pair, omit=False, omit_reason=by_hand) if by_hand else pair]
    if is_country(reading.subject, language):
        return [Extraction("", "", "foreign", CONFIDENCE["foreign"], omit=True, omit_reason=NOT_PEOPLE)]
    who = reading.subject or subject or own_name(context.question.identity or "", language)
    pairs = (_native(who, part.strip(" .,;"), "foreign", context, language) for part in reading.attributes)
    return [replace(pair, agreement=reading.gender) for pair in pairs]


def _is_pronoun(parts: list[str]) -> bool:
    """Whether the subject only points back: "they", "their job", "some"; not "those who travel", "IT people"."""
    first = parts[0].lower()
    named = len(parts) > 1 and parts[1].lower() in words("relatives") | words("prepositions")
    of_them = [part.lower() for part in parts[1:]] in (["of", "them"], ["of", "these"], ["of", "those"])
    counted = first in words("quantities") and (len(parts) == 1 or of_them)
    return (
        counted
        or [part.lower() for part in parts] == ["a", "few"]
        or (first in words("pronouns") and not named and parts[0] != "IT")
    )


def _denied(match: re.Match[str], who: str, predicate: str, context: _Context, *, verbal: bool) -> Extraction:
    """Turn "no lawyer is honest" into "not honest" of lawyers; "not all lawyers lie" is about no particular group."""
    pair = _pair(who[match.end() :], predicate, "copula", context, singular=True)
    if match["all"]:
        return replace(pair, omit=True, omit_reason=TOO_GENERAL)
    turned = _opposite(pair.attribute, having=bool(pair.verb), verbal=verbal)
    return replace(pair, attribute=turned, confidence=CONFIDENCE["possessive"])


def _opposite(attribute: str, *, having: bool, verbal: bool) -> str:
    """Deny it: "honest" -> "not honest", "can cook" -> "cannot cook", "lie" -> "do not lie"; what they had -> "no"."""
    if attribute.startswith("not "):
        return attribute.removeprefix("not ")
    first, _, rest = attribute.partition(" ")
    if having:
        return f"no {attribute}"
    if first in words("modals") and rest:
        return f"cannot {rest}" if first == "can" else f"{first} not {rest}"
    return f"do not {attribute}" if verbal else f"not {attribute}"


def _of_owner(parts: list[str], predicate: str) -> str:
    """What is said of the owner: "their job" and "is to provide" -> "job is to provide"."""
    owned = parts[0].lower() in {"their", "his", "her", "its"} and len(parts) > 1
    return _owned(" ".join(parts[1:]), predicate) if owned else predicate


def _is_subject(parts: list[str], question: Question) -> bool:
    """Whether the words in front of the verb can name a group, or stand for one."""
    low = [part.lower() for part in parts]
    if _is_pronoun(parts):
        return True
    pointing = (words("pronouns") | words("first_persons")) - {"these", "those", "their", "his", "her"}
    opening = words("interrogatives") | words("prepositions") | words("subordinators") | {"being", "having"}
    if (
        pointing & {word for word, part in zip(low[1:], parts[1:], strict=True) if part != "IT"}
        or low[0] in opening
    ):
        return False
    named = (
        low[0] == "those" or any(is_plural(word) or is_group(word) for word in low) or is_group(" ".join(low))
    )
    open_noun = question.identity is None and (can_be(low[-1], "NOUN") or not in_dictionary(low[-1]))
    anybody = (
        len(low) > 1 and re.fullmatch(r"(?:every|any)(?:one|body)", low[0]) and low[1] in words("relatives")
    )
    return named or open_noun or bool(anybody) or low[0] in words("determiners")


def _elliptical(text: str, context: _Context, subject: str, rule: str) -> list[Extraction]:
    """What is said without a subject is said of the question's group, or of the last one named."""
    identity = subject or context.question.identity or ""
    named = rule or ("inherited" if subject else "question")
    if not identity:
        named = "none"
    return [_pair(identity, part, named, context) for part in predicates(text)]


def _is_singular(parts: list[str], split: Split) -> bool:
    """Whether the verb agrees with one: "a man loves", "the man is", also the slip "people likes"."""
    verb = parts[split.start].lower()
    if parts[0].lower() in words("singular_determiners"):
        return True
    if split.rule == "dash" or verb in {"are", "aren't", "were", "have", "do", "don't", "haven't"}:
        return False
    return verb in {"is", "isn't", "was"} or is_third_person(verb) or not is_plural(parts[split.end - 1])


def _rule(who: str, split: Split) -> str:
    low = who.lower()
    if re.match(r"^(?:the |all |most |some |many )*(?:people|those|folks?) (?:from|of|in) ", low):
        return "geographic"
    if low.endswith(" people"):
        return "demographic"
    return split.rule


def _owned(owned: str, predicate: str) -> str:
    """Say it of the owner: "women's place is at home" -> "belong at home"; any other thing stays in front."""
    place = re.match(
        r"^(?:is|are) (?P<where>(?:in|at|on|with|behind|under)\b.*)$", predicate.strip(), re.IGNORECASE
    )
    if place and owned.lower().split()[-1] in {"place", "role", "job", "space", "home"}:
        return f"belong {place['where']}"
    return f"{owned} {predicate}"


def _pair(who: str, predicate: str, rule: str, context: _Context, *, singular: bool = False) -> Extraction:
    identity = normal_identity(who, context.country, context.names) if who else ""
    having = _HAVING.match(predicate.strip())
    attribute = normal_attribute(having["what"] if having else predicate, singular=singular)
    why = reason(identity, attribute, context.question.axis)
    verb = "have" if having else ""
    sure = CONFIDENCE[rule]
    if needs_country(identity):
        sure = min(sure, CONFIDENCE["possessive"])
    return Extraction(identity, attribute, rule, sure, bool(why), why, verb)
