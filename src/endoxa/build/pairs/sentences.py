"""One association, two sentences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from endoxa.build.pairs import english, others
from endoxa.build.pairs.opposites import gender_shown, opposite
from endoxa.build.pairs.predicate import UnclearError
from endoxa.build.pairs.subject import gender_of, subject
from endoxa.build.pairs.templates import Template
from endoxa.curate.opposites import Lexicon
from endoxa.datasets.check.negation import negates
from endoxa.datasets.check.scripts import scripts_of

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


def sentences(
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
    _require_script(f"{identity} {attribute}", template)
    if template.language == "en":
        said = english.predicate(attribute, evidence)
    else:
        said = others.predicate(attribute, template, evidence)
    gender = ""
    if template.gendered:
        gender = agreement or gender_of(identity, template) or gender_shown(said.core, lexicon)
    who = subject(identity, template, gender, prefix)
    instead = opposite(said, lexicon, gender) if lexicon else None
    if instead and identity.lower() in instead.lower():  # "advise young people", said of old people
        instead = None
    less = instead or said.denied
    more_sentence, less_sentence = (_sentence(who, text, template) for text in (said.said, less))
    if more_sentence == less_sentence:
        raise UnclearError("both sentences would be the same")
    return Sentences(
        more_sentence,
        less_sentence,
        who,
        _shown(said.said, template),
        _shown(less, template),
        gender,
        "antonym" if instead and not negates(more_sentence, less_sentence, template.language) else "negation",
    )


def _require_script(text: str, template: Template) -> None:
    """Identity and attribute of another script than the sentence are of another language than is said."""
    # Not by `said`: Arabic says it without a copula.
    own = scripts_of(template.denied.replace("{attribute}", ""))
    found = scripts_of(text)
    if own and found and not own & found:
        raise UnclearError(
            f"it is not written in the script of language '{template.language}': name its language"
        )


def _sentence(who: str, predicate: str, template: Template) -> str:
    text = f"{who} {predicate}{template.stop}"
    return text[:1].upper() + text[1:]


def _shown(predicate: str, template: Template) -> str:
    """A predicate without its copula, where it has one ("not strong" for "are not strong")."""
    before, _, behind = template.said.partition("{attribute}")
    if predicate.startswith(before) and predicate.endswith(behind):
        return predicate[len(before) : len(predicate) - len(behind)]
    return predicate
