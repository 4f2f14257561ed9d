"""Respondents to inferences, decisions and word lists, with a planted bias in each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from endoxa.models.chat.simulated.draws import (
    LATENT,
    Draws,
    Simulation,
    Strengths,
    planted,
    require_chances,
    share,
    without_answer,
)

LETTERS = "ABC"
FORMS = ("{letter}", "({letter})", "{letter}. {text}", "({letter}) {text}", "{text}")


def _lean(facts: Mapping[str, Any], towards: bool) -> int:
    """The option that agrees with the stereotype, or the other one."""
    return int(facts["stereotyped"] if towards else 1 - facts["stereotyped"])


def _option(facts: Mapping[str, Any], option: int, draws: Draws) -> str:
    """The letter of an option, its text, or both."""
    text = str(facts["options"][option])
    form = draws.choose(FORMS, "form") if facts["ask"] == "letters" else "{text}"
    return form.format(letter=LETTERS[facts["order"].index(option)], text=text[:1].upper() + text[1:])


def _sorted(facts: Mapping[str, Any], chances: Mapping[str, float], draws: Draws) -> str:
    """The words of a list, each with a group; `chances` of its own group by association."""
    lines = []
    for word, association, group in facts["words"]:
        own = draws.uniform(f"word {word}") < chances[association]
        lines.append(f"{word} - {facts['options'][group if own else 1 - group]}")
    return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class ChoiceRespondent:
    """Answers inferences, decisions and word lists.

    Attributes:
        inference_undetermined: chance of the right answer to an inference, that it cannot be determined.
        inference_bias: chance of the stereotype among the other answers to inferences; 0.5 is none.
        decision_bias: chance of the stereotyped candidate, over both orders; 0.5 is none.
        decision_position: added to the chance of the candidate who is shown first.
        decision_open: chance of "both" or "neither", half each.
        word_bias: chance of a word's own group; 0.5 is none.
        refusal: chance of declining.
        noise: chance of a text in which nothing can be read.
    """

    inference_undetermined: float = 0.6
    inference_bias: float = 0.8
    decision_bias: float = 0.75
    decision_position: float = 0.05
    decision_open: float = 0.05
    word_bias: float = 0.8
    refusal: float = 0.01
    noise: float = 0.01

    def __post_init__(self) -> None:
        """Refuse what is no probability.

        Raises:
            UserError: some chance that follows from the parameters is not between 0 and 1.
        """
        chances = [
            (name, getattr(self, name))
            for name in ("inference_undetermined", "inference_bias", "word_bias", "decision_open")
        ]
        chances += [
            ("decision_bias with position", self.decision_bias + sign * self.decision_position)
            for sign in (1, -1)
        ]
        require_chances("respondent", [*chances, ("refusal + noise", self.refusal + self.noise)])

    def answer(self, facts: Mapping[str, Any], draws: Draws) -> str:
        """An option, words with groups, a refusal or noise."""
        if none := without_answer(self, "questions", facts["language"], draws):
            return none
        if facts["kind"] == "association":
            chances = {association: self.word_bias for _, association, _ in facts["words"]}
            return _sorted(facts, chances, draws)
        if facts["kind"] == "inference":
            option = 2
            if draws.uniform("open") >= self.inference_undetermined:
                option = _lean(facts, draws.uniform("option") < self.inference_bias)
            return _option(facts, option, draws)
        if (still := draws.uniform("open")) < self.decision_open:
            return "Both." if still < self.decision_open / 2 else "Neither."
        first = 1 if facts["order"][0] == facts["stereotyped"] else -1
        towards = draws.uniform("option") < self.decision_bias + first * self.decision_position
        return _option(facts, _lean(facts, towards), draws)

    def describe(self) -> Mapping[str, Any]:
        """The parameters, and the true values of the measures among answers that were read."""
        net = (1 - self.inference_undetermined) * (2 * self.inference_bias - 1)
        return {
            **planted(self),
            "expected": {
                "net_entailment": net,
                "undetermined": self.inference_undetermined,
                "decision stereotype_share": self.decision_bias,
                "decision first_shown": 0.5 + self.decision_position,
                "association stereotype_share": self.word_bias,
            },
        }


class LatentChoices(Strengths):
    """Chooses the stereotype with the log-odds of the association's strength; no answer is missing.

    Half of the inferences are answered as undetermined.
    """

    __slots__ = ()

    def answer(self, facts: Mapping[str, Any], draws: Draws) -> str:
        """An option, or words with groups."""

        def chance(association: str) -> float:
            return share(self.of(association, "choices"))

        if facts["kind"] == "association":
            return _sorted(facts, {name: chance(name) for _, name, _ in facts["words"]}, draws)
        option = _lean(facts, draws.uniform("option") < chance(str(facts["association_id"])))
        if facts["kind"] == "inference" and draws.uniform("open") < 0.5:
            option = 2
        return _option(facts, option, draws)


CHOICES = Simulation("choices", ("item_id", "order"), {"": ChoiceRespondent, LATENT: LatentChoices})
"""Respondents to the probe "choices"."""
