"""The first answers of a run: where none of them can be read, the run stops before more is spent on it."""

from __future__ import annotations

from dataclasses import dataclass, field

from endoxa.errors import UserError
from endoxa.models.chat.thoughts import spoken
from endoxa.runs.asking.jobs import Job
from endoxa.schema import ChatAnswer

FIRST_ANSWERS = 5
"""Answers at the beginning of a run after which it stops where none of them can be read."""
SHOWN = 60
"""Characters of an answer that a message shows."""


@dataclass(slots=True)
class FirstAnswers:
    """The first answers of one model, as long as none of them could be read.

    Attributes:
        watched: they still matter: no answer could be read, failed or was refused.
        unread: what the model said in those that could not be read.
    """

    watched: bool
    unread: list[str] = field(default_factory=list)

    @property
    def hopeless(self) -> bool:
        """None of the first answers could be read."""
        return self.watched and len(self.unread) >= FIRST_ANSWERS

    def look(self, job: Job, turn: int, answer: ChatAnswer) -> None:
        """Look at the next answer; one to a turn whose answers are free does not count."""
        readable = job.readable[turn] if turn < len(job.readable) else None
        if readable is None or not self.watched or self.hopeless:
            return
        text = spoken(answer).text
        if answer.error or answer.refused or readable(text):
            self.watched = False
        else:
            self.unread.append(text)

    def require_readable(self, name: str) -> None:
        """Stop a run whose first answers cannot be read.

        Args:
            name: the model.

        Raises:
            UserError: none of them can.
        """
        if not self.hopeless:
            return
        shown = next((text.strip() for text in self.unread if text.strip()), "")
        example = f"one is '{shown[:SHOWN]}'" if shown else "they are empty"
        raise UserError(
            f"{name}: none of its first {len(self.unread)} answers can be read ({example}). Expected the format that "
            "the question asks for. Nothing is lost: repeat the command to go on and ask the rest all the same. Or try "
            "a model that follows instructions, a higher --max-tokens, another --chat-template, or --restart with "
            "other settings."
        )
