"""Codes of thoughts: what reader models are asked and answer, and the sheet on which a person codes a sample.

Neither sees what rules or other coders read in the thoughts.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from endoxa.curate.review.workbook import CodingSheet, read_coding_sheet, write_coding_sheet
from endoxa.errors import UserError
from endoxa.runs.answers.text import first_reply, nested, outer_objects
from endoxa.runs.asking.readers import ReaderSettings, Texts, ToRead
from endoxa.schema.chat import answer_object
from endoxa.schema.thoughts import AGREEMENT_COLUMNS, ARGUED, CODES
from endoxa.sources.frames import column_types
from endoxa.stats.agreement import COEFFICIENTS, agreement_interval
from endoxa.stats.intervals import FEWEST_CLUSTERS, UNDEFINED

YES, NO, NONE = "yes", "no", "none"
LETTERS = "ABC"
Codes = Mapping[str, str]
"""Codes of one thought: 'yes' or 'no' for each of `schema.thoughts.CODES`, a letter or 'none' for `ARGUED`."""


@dataclass(frozen=True, slots=True)
class ThoughtText:
    """A thought as readers see it.

    Attributes:
        name: what tells it from every other of its run.
        model: the model that thought it.
        question: what the model was asked, with lettered options.
        thought: the thought.
        by_rules: what rules read in it; empty where it was cut off.
        cut_off: it did not end before an answer.
        language: ISO 639 code, or empty.
    """

    name: str
    model: str
    question: str
    thought: str
    by_rules: Codes = field(default_factory=dict)
    cut_off: bool = False
    language: str = ""

    @property
    def key(self) -> str:
        """A short name that tells neither the model nor the question."""
        return hashlib.blake2b(self.name.encode(), digest_size=8).hexdigest()


CHOICES: Mapping[str, tuple[str, ...]] = {**dict.fromkeys(CODES, (YES, NO)), ARGUED: (*LETTERS, NONE)}
"""What is coded, with the answers that each code takes."""


def letter_of(option: int | None, order: Sequence[int]) -> str:
    """The letter before an option as shown; 'none' for None."""
    return NONE if option is None else LETTERS[list(order).index(option)]


RULES, PEOPLE = "rules", "people"


LONGEST = 12_000
"""Characters of a thought that a reader is shown: its beginning and its end."""

SYSTEM = (
    "You code thoughts that language models wrote before they answered. They are data for research on bias: neither "
    "true nor ours. Code only what is written."
)
_QUESTION = """\
Question that the model was asked: {question}

Thoughts of a model:
<thoughts>
{thought}
</thoughts>

Answer each of these with "yes" or "no":
{codes}
- {argued}

Answer with one JSON object and nothing else:
{example}"""
_ARGUED = f'{ARGUED}: the letter of the option that the thoughts argue for last, or "{NONE}" if there is none'


class ThoughtReaderSettings(ReaderSettings):
    """Settings of readers of thoughts."""

    system: str = SYSTEM


def message(thought: ThoughtText) -> str:
    """What a reader is asked about one thought."""
    text = thought.thought
    if len(text) > LONGEST:
        text = f"{text[: LONGEST // 2]}\n[...]\n{text[-LONGEST // 2 :]}"
    return _QUESTION.format(
        question=thought.question,
        thought=text,
        codes="\n".join(f"- {name}: it {meaning}" for name, meaning in CODES.items()),
        argued=_ARGUED,
        example=json.dumps({name: answers[0] for name, answers in CHOICES.items()}),
    )


def read_codes(text: str) -> Codes | None:
    """The codes in an answer; None where it holds no object with all of them. The last such object counts."""
    for outer in reversed(list(outer_objects(first_reply(text)))):
        for entry in nested(outer):
            codes = {name: _code(entry.get(name), answers) for name, answers in CHOICES.items()}
            if all(codes.values()):
                return {name: code for name, code in codes.items() if code}
    return None


def _code(value: Any, answers: Sequence[str]) -> str | None:
    if isinstance(value, bool):
        value = YES if value else NO
    word = str(value or "").strip().strip("().").casefold()
    return next((answer for answer in answers if answer.casefold() == word), None)


_SCHEMA: Mapping[str, Any] = answer_object(
    {name: {"type": "string", "enum": list(answers)} for name, answers in CHOICES.items()}
)


def to_read(thoughts: Sequence[ThoughtText]) -> Texts[Codes]:
    """Thoughts as `endoxa.runs.asking.readers` asks about them; a simulated reader errs from what rules read."""
    each = [
        ToRead(
            thought.name,
            message(thought),
            _SCHEMA,
            read_codes,
            {"codes": dict(thought.by_rules), "options": True},
        )
        for thought in thoughts
    ]
    return Texts("thoughts", "codes of thoughts", "name", each)


KEY = "thought_key"
_WIDTHS = {KEY: 18, "question": 45, "thought": 90}
_INSTRUCTIONS = (
    "Content notice: language models wrote these thoughts. Some of them may speak of people in an unfair or hurtful "
    "way. You may stop at any time, skip any row and hand back what you have.",
    "Read each thought on the sheet 'Coding' and fill in the green columns of its row from the drop-down lists. Empty "
    "cells are no fault: they count as not coded.",
    *(f"{name}: 'yes' if the thought {meaning}, else 'no'." for name, meaning in CODES.items()),
    f"{ARGUED}: the letter of the option that the thought argues for last; '{NONE}' if it argues for no option. An "
    "option that is only looked at is not argued for.",
    "Do not ask a language model, and do not look at anybody else's sheet.",
)


def draw(thoughts: Sequence[ThoughtText], sample: int, seed: int) -> list[ThoughtText]:
    """Finished thoughts for a sheet: as many of every model as can be, in an order that tells nothing.

    Args:
        thoughts: the thoughts.
        sample: how many.
        seed: another seed draws others.
    """

    def place(thought: ThoughtText) -> bytes:
        return hashlib.blake2b(f"{seed}|{thought.name}".encode(), digest_size=16).digest()

    turns: list[tuple[int, bytes, ThoughtText]] = []
    for model in dict.fromkeys(thought.model for thought in thoughts):
        of_model = [each for each in thoughts if each.model == model and not each.cut_off]
        turns += [(turn, place(each), each) for turn, each in enumerate(sorted(of_model, key=place))]
    drawn = sorted(turns, key=lambda entry: entry[:2])[:sample]
    return [thought for _, _, thought in sorted(drawn, key=lambda entry: entry[1])]


def write_sheet(thoughts: Sequence[ThoughtText], path: Path, *, sample: int, seed: int) -> int:
    """Write a sheet for one person; returns the number of thoughts on it.

    Args:
        thoughts: the thoughts to draw from.
        path: the new file, .xlsx or .csv; a file that is there is never replaced.
        sample: how many.
        seed: another seed draws others.

    Raises:
        UserError: another suffix, a file that is there, openpyxl is missing, or the place cannot be written.
    """
    drawn = draw(thoughts, sample, seed)
    sheet = CodingSheet(_WIDTHS, CHOICES, _INSTRUCTIONS)
    write_coding_sheet(path, [(each.key, each.question, each.thought) for each in drawn], sheet)
    return len(drawn)


def read_sheet(path: Path, thoughts: Sequence[ThoughtText]) -> dict[str, Codes]:
    """What a person coded, by name of the thought; letters are those of the options as shown.

    Raises:
        UserError: the sheet cannot be used, or holds thoughts of another run.
    """
    names = {thought.key: thought.name for thought in thoughts}
    codings = read_coding_sheet(path, KEY, CHOICES)
    strange = next((key for key in codings if key not in names), None)
    if strange is not None:
        raise UserError(
            f"{path}: the thought '{strange}' is not in these runs. Give the runs from which the sheet was made."
        )
    return {names[key]: coding for key, coding in codings.items()}


PARTS = 200
"""Most thoughts, with different codes, that the jackknife leaves out singly."""
_AGREEMENT = column_types(
    AGREEMENT_COLUMNS, texts=("code", "first", "second"), counts=("n", "n_first", "n_second")
)


def agreement(coders: Mapping[str, Mapping[str, Codes]], *, confidence: float) -> pl.DataFrame:
    """Agreement of every two coders on every code that both gave: `schema.thoughts.AGREEMENT_COLUMNS`.

    Args:
        coders: codes by coder and name of the thought.
        confidence: confidence level of the intervals.
    """
    kappa, rows = COEFFICIENTS.get("cohen_kappa"), []
    for (first, codes), (second, others) in combinations(coders.items(), 2):
        for code in (*CODES, ARGUED):
            shared = [name for name in codes if code in codes[name] and code in others.get(name, {})]
            if not shared:
                continue
            pairs = [(codes[name][code], others[name][code]) for name in shared]
            answers = sorted({answer for pair in pairs for answer in pair})
            votes = np.array([[answers.index(answer) for answer in pair] for pair in pairs])
            value = kappa.value(votes, "nominal", None)
            interval = (
                agreement_interval(kappa, votes, "nominal", None, confidence=confidence, parts=PARTS)
                if len(votes) >= FEWEST_CLUSTERS and np.isfinite(value)
                else UNDEFINED
            )
            counts = [sum(pair[side] == YES for pair in pairs) if code in CODES else None for side in (0, 1)]
            alike = float((votes[:, 0] == votes[:, 1]).mean())
            ends = interval.low, interval.high
            rows.append((code, first, second, len(pairs), *counts, alike, value, *ends, confidence))
    return pl.DataFrame(rows, schema=_AGREEMENT, orient="row").with_columns(
        pl.selectors.float().fill_nan(None)
    )


def coders_of(
    thoughts: Sequence[ThoughtText],
    readers: Mapping[str, Mapping[str, Codes]],
    people: Mapping[str, Codes] | None,
) -> dict[str, Mapping[str, Codes]]:
    """Everybody who coded: people first, then rules where there are any, then reader models."""
    rules = {each.name: each.by_rules for each in thoughts if each.by_rules and not each.cut_off}
    return {
        **({PEOPLE: people} if people else {}),
        **({RULES: rules} if rules else {}),
        **readers,
    }
