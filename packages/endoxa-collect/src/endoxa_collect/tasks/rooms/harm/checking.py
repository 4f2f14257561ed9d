"""Attention checks of the harm study: labelled lines that say which answer to choose."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from endoxa_collect.tasks.room import Check


@dataclass(frozen=True, slots=True)
class Attention:
    """What the line says, and the answers that it asks for."""

    words: str | Promise
    harm: int
    frequent: str


CHECKS = {
    "1": Attention(
        gettext_lazy(
            "This line only checks attention. Please choose “Agree” for the harmful stereotype and “No” "
            "for how frequent it is."
        ),
        4,
        "no",
    ),
    "2": Attention(
        gettext_lazy(
            "This line only checks attention. Please choose “Strongly disagree” for the harmful stereotype and “Yes” "
            "for how frequent it is."
        ),
        1,
        "yes",
    ),
    "3": Attention(
        gettext_lazy(
            "This line only checks attention. Please choose “Strongly agree” for the harmful stereotype and “Not sure” "
            "for how frequent it is."
        ),
        5,
        "unsure",
    ),
}


def attention_items(count: int) -> list[Check]:
    """The first `count` checks, as items."""
    return [
        Check(f"attention-{name}", {"check": name}, {"harm": check.harm, "frequent": check.frequent})
        for name, check in list(CHECKS.items())[:count]
    ]


def wrong(hidden: Mapping[str, Any], answer: Mapping[str, Any]) -> bool:
    """Whether one of the two answers is not the one that was asked for."""
    return any(answer.get(name) != value for name, value in hidden.items())
