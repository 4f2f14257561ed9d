"""How far a person is in the survey, and what comes next."""

from __future__ import annotations

from dataclasses import dataclass

from endoxa.collect.campaign.settings import SurveyQuestion
from endoxa.collect.models import Person, Statement


@dataclass(frozen=True)
class Step:
    """One question of the survey and what the person answered; an empty answer says that nothing came to mind."""

    number: int
    question: SurveyQuestion
    answer: Statement | None

    @property
    def lines(self) -> tuple[str, ...]:
        """What the person wrote, one statement each."""
        return tuple(self.answer.text.splitlines()) if self.answer else ()

    @property
    def passed(self) -> bool:
        """Whether the person said that nothing comes to mind."""
        return self.answer is not None and not self.lines


@dataclass(frozen=True)
class Progress:
    """All questions in the order of the campaign."""

    steps: tuple[Step, ...]

    @property
    def done(self) -> int:
        """How many questions have an answer, an empty one included."""
        return sum(step.answer is not None for step in self.steps)

    @property
    def next(self) -> Step | None:
        """The first question without an answer."""
        return next((step for step in self.steps if step.answer is None), None)

    def step(self, name: str) -> Step | None:
        """The question with this name."""
        return next((step for step in self.steps if step.question.name == name), None)


def progress_of(person: Person) -> Progress:
    """Read how far somebody is; questions that the campaign took out since do not count."""
    answers = {answer.question: answer for answer in person.statements.all()}
    questions = person.campaign.settings.questions
    return Progress(
        tuple(Step(number, one, answers.get(one.name)) for number, one in enumerate(questions, start=1))
    )
