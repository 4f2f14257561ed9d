"""An identity of an association as a bare plural noun."""

from __future__ import annotations

from functools import cache

from endoxa.build.pairs.predicate import UnclearError
from endoxa.build.pairs.proper import with_capitals
from endoxa.build.pairs.subject import gender_of, subject
from endoxa.build.pairs.templates import Template
from endoxa.build.pairs.templates import load_templates as load_pair_templates


def gender(identity: str, language: str) -> str:
    """'f' or 'm' where article, noun or ending of the identity tell, else empty."""
    template = _pair_templates().get(language)
    return gender_of(identity, template) if template is not None else ""


def bare_plural(identity: str, language: str) -> str:
    """The identity without its article and with English capitals."""
    text = " ".join(identity.split())
    template = _pair_templates().get(language)
    first, _, rest = text.partition(" ")
    if rest and template is not None and first.lower() in template.articles:
        text = rest
    return with_capitals(text) if language == "en" else text


def unclear(identity: str, language: str, known_gender: str) -> str:
    """Why the identity can be no subject in that language (a singular, an English word in French), or nothing."""
    template = _pair_templates().get(language)
    if template is None:
        return ""
    try:
        subject(identity, template, known_gender)
    except UnclearError as problem:
        return str(problem)
    return ""


@cache
def _pair_templates() -> dict[str, Template]:
    return load_pair_templates()
