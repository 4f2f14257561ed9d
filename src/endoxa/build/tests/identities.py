"""An identity of an association as a bare plural noun."""

from __future__ import annotations

from functools import cache

from endoxa.build.pairs.proper import with_capitals
from endoxa.build.pairs.subject import gender_of
from endoxa.build.pairs.templates import Template
from endoxa.build.pairs.templates import load_templates as load_pair_templates


def bare_plural(identity: str, language: str) -> tuple[str, str]:
    """The identity without its article, with English capitals, and its gender ('f', 'm', or empty where not known)."""
    text = " ".join(identity.split())
    template = _pair_templates().get(language)
    if template is None:
        return text, ""
    gender = gender_of(text, template)
    first, _, rest = text.partition(" ")
    if rest and first.lower() in template.articles:
        text = rest
    return (with_capitals(text) if language == "en" else text), gender


@cache
def _pair_templates() -> dict[str, Template]:
    return load_pair_templates()
