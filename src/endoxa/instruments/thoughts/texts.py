"""Thoughts as readers see them, from runs of any kind, and codes as readers give them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from endoxa.errors import UserError
from endoxa.runs.asking.journal import AnswerJournal
from endoxa.runs.folder import JOURNAL, RUN
from endoxa.schema.finish import LENGTH, THOUGHTS_ONLY
from endoxa.schema.thoughts import ARGUED, CODES

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
        question: what the model was asked, with lettered options; empty where that is not known.
        thought: the thought.
        by_rules: what rules read in it; empty where there are none for its kind of run.
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


def choices(*, options: bool) -> dict[str, tuple[str, ...]]:
    """What is coded, with the answers that each code takes.

    Args:
        options: the thoughts are about questions with options.
    """
    argued = {ARGUED: (*LETTERS, NONE)} if options else {}
    return {**dict.fromkeys(CODES, (YES, NO)), **argued}


def letter_of(option: int | None, order: Sequence[int]) -> str:
    """The letter before an option as shown; 'none' for None."""
    return NONE if option is None else LETTERS[list(order).index(option)]


def thoughts_in_journal(folder: Path) -> list[ThoughtText]:
    """Every thought of a finished run that asked chat models, from its journal, where answers are kept as they came.

    Raises:
        UserError: it is no such run, or its journal was removed.
    """
    try:
        facts: Mapping[str, Any] = json.loads((folder / RUN).read_text(encoding="utf-8"))
    except (OSError, ValueError) as problem:
        raise UserError(f"'{folder}' is not a run folder: its run.json cannot be read.") from problem
    models: Sequence[str] = (facts.get("settings") or {}).get("models") or ()
    if not (folder / JOURNAL).is_file() or not models:
        raise UserError(
            f"'{folder}' holds no answers as they came ({JOURNAL}), in which thoughts are kept. Expected a folder "
            "written by a probe that asks chat models."
        )
    journal = AnswerJournal(folder / JOURNAL)
    try:
        return [
            ThoughtText(
                f"{model}|{job}|{turn}",
                model,
                "",
                answer.reasoning,
                cut_off=answer.finish in (LENGTH, THOUGHTS_ONLY) and not answer.text.strip(),
            )
            for number, model in enumerate(models)
            for job, answers in journal.answers(number, 0, 2**62).items()
            for turn, answer in enumerate(answers)
            if answer.reasoning.strip()
        ]
    finally:
        journal.close()
