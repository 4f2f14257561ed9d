"""Thoughts of reasoning models in the text of an answer, parted from what is said.

The formats are data: `thoughts.toml`, and a file of the user's own.

Every answer of a chat model passes through `spoken` where it leaves the journal, whichever instrument asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache

import regex
from pydantic import BaseModel, ConfigDict, field_validator

from endoxa.models.chat.presets import entries
from endoxa.schema.chat import ChatAnswer
from endoxa.schema.finish import STOP, THOUGHTS_ONLY, TOOL_CALL

USER_THOUGHTS = "ENDOXA_THOUGHTS"
"""Environment variable that names a TOML file with formats of the user's own, in the form of `thoughts.toml`."""
_NEVER = r"(?!)"


class Format(BaseModel):
    """One way of marking thoughts; the fields are explained in `thoughts.toml`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    opens: str
    closes: str
    begins: bool = False
    alone: bool = True
    around: str = _NEVER

    @field_validator("opens", "closes", "around")
    @classmethod
    def _is_expression(cls, pattern: str) -> str:
        try:
            expression = regex.compile(pattern)
        except regex.error as problem:
            raise ValueError(f"'{pattern}' is no regular expression: {problem}") from problem
        if expression.search(""):
            raise ValueError(f"'{pattern}' also matches where nothing stands")
        return pattern


@dataclass(frozen=True, slots=True)
class Spoken:
    """What a model wrote, parted.

    Attributes:
        text: what it said, unaltered where there were no thoughts.
        reasoning: its thoughts, or empty.
        unfinished: the thoughts do not end, so that nothing after them was said.
    """

    text: str
    reasoning: str
    unfinished: bool = False


_Mark = tuple[int, int, bool]
"""Where a mark begins and ends, and whether it opens a thought."""
_Part = tuple[str, bool]
"""A text between marks, and whether it is a thought."""


def part_thoughts(text: str, prompt: str = "") -> Spoken:
    """Part the thoughts of an answer from what is said.

    Thoughts may be nested and come several times. All before a closing that nothing opened is thought, because the
    opening may stand at the end of the prompt. Thoughts that do not end hold no answer.

    Args:
        text: what the model wrote.
        prompt: the text that it continued, where that is known.

    Raises:
        UserError: the user's own formats cannot be read.
    """
    begun = bool(all_formats().opened.search(prompt.rstrip()))
    marks = _marks(text)
    if not begun and not marks:
        return Spoken(text, "")
    parts, depth = _parts(text, marks, begun, nested=True)
    if depth and any(not opens for _, _, opens in marks):  # thoughts may quote an opening
        parts, depth = _parts(text, marks, begun, nested=False)
    around = all_formats().around
    spoken = [around.sub("", part) for part, thought in parts if not thought]
    thoughts = [around.sub("", part).strip() for part, thought in parts if thought]
    words = "\n".join(part for part in spoken if part.strip())
    return Spoken(words, "\n".join(filter(None, thoughts)), bool(depth) and not words)


def _parts(text: str, marks: Sequence[_Mark], begun: bool, *, nested: bool) -> tuple[list[_Part], int]:
    """What stands between the marks, and how many thoughts are open at the end."""
    parts: list[_Part] = []
    depth, place = int(begun), 0
    for start, end, opens in marks:
        parts.append((text[place:start], depth > 0))
        if opens:
            depth = depth + 1 if nested else 1
        elif depth:
            depth -= 1
        else:
            parts = [(part, True) for part, _ in parts]
        place = end
    return [*parts, (text[place:], depth > 0)], depth


def without_thoughts(text: str) -> str:
    """What a model says beside its thoughts; nothing where they do not end."""
    return part_thoughts(text).text


def spoken(answer: ChatAnswer) -> ChatAnswer:
    """An answer with the thoughts in its text moved to `reasoning`; where they do not end, `finish` says so."""
    parted = part_thoughts(answer.text)
    if parted.text == answer.text:
        return answer
    reasoning = "\n".join(filter(None, (answer.reasoning, parted.reasoning)))
    finish = THOUGHTS_ONLY if parted.unfinished and answer.finish == STOP else answer.finish
    return replace(answer, text=parted.text, reasoning=reasoning, finish=finish)


def no_text(answer: ChatAnswer) -> str:
    """Why an answer without a text has none: it calls a tool, or holds thoughts alone; empty otherwise."""
    if answer.text.strip():
        return ""
    return TOOL_CALL if answer.finish == TOOL_CALL else THOUGHTS_ONLY if answer.reasoning else ""


@dataclass(frozen=True, slots=True)
class Formats:
    """Every known format, compiled.

    Attributes:
        opens: openings that count anywhere.
        closes: closings that count anywhere.
        begins: openings at the beginning of an answer, each with its closing where that counts only after it.
        opened: an opening at the end of a prompt.
        around: marks of the answer.
    """

    opens: regex.Pattern[str]
    closes: regex.Pattern[str]
    begins: tuple[tuple[regex.Pattern[str], regex.Pattern[str]], ...]
    opened: regex.Pattern[str]
    around: regex.Pattern[str]


@cache
def all_formats() -> Formats:
    """The formats of `thoughts.toml` and of the user.

    Raises:
        UserError: the user's own cannot be read.
    """
    formats = entries("thoughts.toml", USER_THOUGHTS, "format of thoughts", Format).values()
    return Formats(
        _either(each.opens for each in formats if not each.begins),
        _either(each.closes for each in formats if each.alone),
        tuple(
            (_either([each.opens]), _either([_NEVER if each.alone else each.closes]))
            for each in formats
            if each.begins or not each.alone
        ),
        _either(rf"(?:{each.opens})$" for each in formats),
        _either(each.around for each in formats),
    )


def _either(patterns: Iterable[str]) -> regex.Pattern[str]:
    return regex.compile("|".join(f"(?:{pattern})" for pattern in patterns), regex.IGNORECASE)


def _marks(text: str) -> list[_Mark]:
    """Openings and closings in order."""
    formats = all_formats()
    marks = [(*match.span(), True) for match in formats.opens.finditer(text)]
    marks += [(*match.span(), False) for match in formats.closes.finditer(text)]
    first = len(text) - len(text.lstrip())
    for opens, closes in formats.begins:
        if match := opens.match(text, first):
            marks.append((*match.span(), True))
            marks += [(*closing.span(), False) for closing in closes.finditer(text, match.end())]
    return sorted(marks, key=lambda mark: mark[0])
