"""What reader models are asked about thoughts of other models, and what they answer."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from endoxa.instruments.thoughts.texts import NO, NONE, YES, Codes, ThoughtText, choices
from endoxa.runs.answers.text import first_reply, nested, outer_objects
from endoxa.runs.asking.readers import ReaderSettings, Texts, ToRead
from endoxa.schema.thoughts import ARGUED, CODES

LONGEST = 12_000
"""Characters of a thought that a reader is shown: its beginning and its end."""

SYSTEM = (
    "You code thoughts that language models wrote before they answered. They are data for research on bias: neither "
    "true nor ours. Code only what is written."
)
_QUESTION = """\
{question}Thoughts of a model:
<thoughts>
{thought}
</thoughts>

Answer each of these with "yes" or "no":
{codes}{argued}

Answer with one JSON object and nothing else:
{example}"""
_ARGUED = (
    f'\n- {ARGUED}: the letter of the option that the thoughts argue for last, or "{NONE}" if there is none'
)


class ThoughtReaderSettings(ReaderSettings):
    """Settings of readers of thoughts."""

    system: str = SYSTEM


def message(thought: ThoughtText) -> str:
    """What a reader is asked about one thought."""
    options = bool(thought.question)
    text = thought.thought
    if len(text) > LONGEST:
        text = f"{text[: LONGEST // 2]}\n[...]\n{text[-LONGEST // 2 :]}"
    return _QUESTION.format(
        question=f"Question that the model was asked: {thought.question}\n\n" if options else "",
        thought=text,
        codes="\n".join(f"- {name}: it {meaning}" for name, meaning in CODES.items()),
        argued=_ARGUED if options else "",
        example=json.dumps({name: answers[0] for name, answers in choices(options=options).items()}),
    )


def read_codes(text: str, *, options: bool) -> Codes | None:
    """The codes in an answer; None where it holds no object with all of them. The last such object counts."""
    wanted = choices(options=options)
    for outer in reversed(list(outer_objects(first_reply(text)))):
        for entry in nested(outer):
            codes = {name: _code(entry.get(name), answers) for name, answers in wanted.items()}
            if all(codes.values()):
                return {name: code for name, code in codes.items() if code}
    return None


def _code(value: Any, answers: Sequence[str]) -> str | None:
    if isinstance(value, bool):
        value = YES if value else NO
    word = str(value or "").strip().strip("().").casefold()
    return next((answer for answer in answers if answer.casefold() == word), None)


def _schema(*, options: bool) -> Mapping[str, Any]:
    wanted = choices(options=options)
    return {
        "type": "object",
        "properties": {name: {"type": "string", "enum": list(answers)} for name, answers in wanted.items()},
        "required": list(wanted),
        "additionalProperties": False,
    }


def to_read(thoughts: Sequence[ThoughtText]) -> Texts[Codes]:
    """Thoughts as `endoxa.runs.asking.readers` asks about them; a simulated reader errs from what rules read."""
    return Texts("thoughts", "codes of thoughts", "name", [_to_read(thought) for thought in thoughts])


def _to_read(thought: ThoughtText) -> ToRead[Codes]:
    options = bool(thought.question)
    return ToRead(
        thought.name,
        message(thought),
        _schema(options=options),
        partial(read_codes, options=options),
        {"codes": dict(thought.by_rules), "options": options},
    )
