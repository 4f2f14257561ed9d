"""Rules that say who belongs to a group: conditions on what people answered about themselves.

`gender=woman & age=18_25|26_35; ethnicity=yoruba` holds for women of two ages, and for Yoruba: `;` is "or", `&` is
"and", `|` stands between answers to one question.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from functools import lru_cache

COUNTRY, CLOSE_TO, LANGUAGE = "country", "close_to", "language"
"""Questions that every campaign can ask: countries of origin, countries felt close to (ISO 3166), languages read."""

Condition = tuple[str, frozenset[str]]
Rule = tuple[tuple[Condition, ...], ...]
"""Alternatives, each of conditions that must all hold; none: holds for nobody."""

_CONDITION = re.compile(r"\s*([a-z][a-z0-9_]*)\s*=\s*([^=;&|]+(?:\|[^=;&|]+)*)\s*")


@lru_cache(maxsize=1_024)
def parse(text: str) -> Rule:
    """The rule that a text states; "" holds for nobody.

    Raises:
        ValueError: it is no rule.
    """
    if not text.strip():
        return ()
    return tuple(tuple(map(_condition, part.split("&"))) for part in text.split(";"))


def _condition(text: str) -> Condition:
    match = _CONDITION.fullmatch(text)
    if match is None:
        raise ValueError(
            f"found '{text.strip()}', expected question=answer, such as gender=woman & age_range=18_25|26_35"
        )
    answers = frozenset(answer.strip() for answer in match[2].split("|"))
    return match[1], answers


def holds(rule: Rule, answers: Mapping[str, Collection[str]]) -> bool:
    """Whether a rule holds for somebody with these answers by question."""
    return any(
        all(not wanted.isdisjoint(answers.get(question, ())) for question, wanted in alternative)
        for alternative in rule
    )
