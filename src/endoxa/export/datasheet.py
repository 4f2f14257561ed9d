"""The data sheet: questions, answers from what is known, and open marks for the rest."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

OPEN = re.compile(r"\[open: ([^\]]+)\]")
"""How a place that somebody must fill in is marked; the group is the key of the fact that is missing."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A question and its answer, or its open mark."""

    question: str
    text: str


@dataclass(frozen=True, slots=True)
class Section:
    """A section of the data sheet."""

    title: str
    answers: tuple[Answer, ...]


def open_mark(key: str) -> str:
    """The mark of a missing fact."""
    return f"[open: {key}]"


@cache
def _questions() -> dict[str, dict[str, str]]:
    return tomllib.loads(files("endoxa.export").joinpath("datasheet.toml").read_text(encoding="utf-8"))


def question_keys() -> list[str]:
    """Keys of all questions, 'section.question', in order."""
    return [f"{section}.{key}" for section, texts in _questions().items() for key in texts if key != "title"]


def datasheet(known: Mapping[str, str], told: Mapping[str, str]) -> list[Section]:
    """Every question with its answer.

    Args:
        known: what the data and their making say, by key; stands before what is told.
        told: what the makers say, by key.
    """
    return [
        Section(
            texts["title"],
            tuple(
                Answer(question, _answer(f"{section}.{key}", known, told))
                for key, question in texts.items()
                if key != "title"
            ),
        )
        for section, texts in _questions().items()
    ]


def _answer(key: str, known: Mapping[str, str], told: Mapping[str, str]) -> str:
    """What is known and what is told; where nobody has told, what is known may itself hold an open mark."""
    facts = known.get(key, "")
    if key in told:
        return " ".join([OPEN.sub("", facts).strip(), told[key]]).strip()
    return facts or open_mark(key)
