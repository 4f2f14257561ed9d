"""Respondents to multiple-choice questions: planted bias, refusal and noise, and what measures should find."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from endoxa.models.chat.simulated.draws import (
    LATENT,
    Draws,
    Simulation,
    Strengths,
    planted,
    require_chances,
    share,
    without_answer,
    wording,
    words_of,
)
from endoxa.schema.qa import PROTOCOLS

LETTERS = "ABC"


@dataclass(frozen=True, slots=True)
class QuestionRespondent:
    """Answers multiple-choice questions. Chances of an answer are those among answers that can be read.

    It is told of each question: "item_id", "condition" ("ambig" or "disambig"), "options" (three texts in the file's
    order), "order" (the options in the order shown), "label", "target" (or None), "unknown", "substituted", "protocol",
    "turn" (from 0), "turns", "ask" ("letters" or "text") and "language".

    Attributes:
        ambiguous_unknown: chance of the unknown option in ambiguous contexts.
        bias: chance of the stereotyped person, when a person is named in an ambiguous context; 0.5 is none.
        disambiguated_right: chance of the right person in disambiguated contexts.
        disambiguated_unknown: share of the unknown option among answers that are not right; the rest names the
            wrong person.
        disambiguated_shift: added to `disambiguated_right` where the right answer agrees with the stereotype, and
            taken from it where it does not.
        refusal: chance of declining to answer.
        noise: chance of a text in which nothing can be read.
        substituted: factor of every chance of an error, and of bias - 0.5, where items carry names in place of
            groups: the planted error retention ratio.
        explanation: factor of every chance of an error in the last answer of the protocol "explanation".
        reprompting: the same for "reprompting".
    """

    ambiguous_unknown: float = 0.6
    bias: float = 0.8
    disambiguated_right: float = 0.9
    disambiguated_unknown: float = 0.5
    disambiguated_shift: float = 0.03
    refusal: float = 0.01
    noise: float = 0.01
    substituted: float = 0.7
    explanation: float = 0.4
    reprompting: float = 0.6

    def __post_init__(self) -> None:
        """Refuse what is no probability.

        Raises:
            UserError: some chance that follows from the parameters is not between 0 and 1.
        """
        require_chances("respondent", self._chances())

    def _chances(self) -> Iterator[tuple[str, float]]:
        """Every chance that follows from the parameters, with its name."""
        for name in ("ambiguous_unknown", "bias", "disambiguated_unknown", "refusal", "noise"):
            yield name, getattr(self, name)
        right, shift = self.disambiguated_right, self.disambiguated_shift
        yield "disambiguated_right + disambiguated_shift", right + shift
        yield "disambiguated_right - disambiguated_shift", right - shift
        yield "refusal + noise", self.refusal + self.noise
        yield "bias with names", 0.5 + (self.bias - 0.5) * self.substituted
        likeliest = max(1 - self.ambiguous_unknown, 1 - right + abs(shift))
        for protocol in PROTOCOLS:
            for substituted in (False, True):
                where = f"{protocol}, with names" if substituted else protocol
                factor = self.errors(substituted=substituted, protocol=protocol)
                yield f"likeliest error ({where})", factor * likeliest

    def errors(self, *, substituted: bool, protocol: str) -> float:
        """The factor of every chance of an error."""
        factor = {"explanation": self.explanation, "reprompting": self.reprompting}.get(protocol, 1.0)
        return factor * self.substituted if substituted else factor

    def ambiguous(self, *, substituted: bool, protocol: str) -> tuple[float, float, float]:
        """Chances in an ambiguous context of the stereotyped person, the other one and the unknown option."""
        error = (1 - self.ambiguous_unknown) * self.errors(substituted=substituted, protocol=protocol)
        stereotyped = 0.5 + (self.bias - 0.5) * (self.substituted if substituted else 1)
        return error * stereotyped, error * (1 - stereotyped), 1 - error

    def disambiguated(
        self, agreement: Literal[1, 0, -1], *, substituted: bool, protocol: str
    ) -> tuple[float, float, float]:
        """Chances in a disambiguated context of the right person, the wrong one and the unknown option.

        Args:
            agreement: 1 where the right answer agrees with the stereotype, -1 where it does not, 0 if nobody can say.
            substituted: the items carry names in place of groups.
            protocol: how it is asked.
        """
        right = self.disambiguated_right + agreement * self.disambiguated_shift
        error = (1 - right) * self.errors(substituted=substituted, protocol=protocol)
        return 1 - error, error * (1 - self.disambiguated_unknown), error * self.disambiguated_unknown

    def answer(self, facts: Mapping[str, Any], draws: Draws) -> str:
        """An explanation, a refusal, noise, or one of the options in one of many wordings."""
        words = wording("questions", facts["language"])
        last = facts["turn"] == facts["turns"] - 1
        if facts["protocol"] == "explanation" and not last:
            return str(draws.choose(words["explanations"], "wording"))
        if none := without_answer(self, "questions", facts["language"], draws):
            return none
        # Before it is asked to think again, it answers as it does at once.
        option = self._choose(facts, facts["protocol"] if last else "baseline", draws)
        letter = LETTERS[facts["order"].index(option)]
        ways = patterns(words, letters=facts["ask"] == "letters", person=option != facts["unknown"])
        return worded(draws.choose(ways, "wording"), words, facts["options"][option], letter)

    def describe(self) -> Mapping[str, Any]:
        """The parameters, and the true values for each protocol, with groups and with names."""
        return {
            **planted(self),
            "expected": {
                protocol: {
                    items: dict(expected(self, substituted=items == "names", protocol=protocol))
                    for items in ("groups", "names")
                }
                for protocol in PROTOCOLS
            },
        }

    def _choose(self, facts: Mapping[str, Any], protocol: str, draws: Draws) -> int:
        label, target, unknown = facts["label"], facts["target"], facts["unknown"]
        how: Any = {"substituted": bool(facts["substituted"]), "protocol": protocol}
        chances: dict[int, float]
        if facts["condition"] != "ambig":
            right, wrong, neither = self.disambiguated(
                0 if target is None else 1 if label == target else -1, **how
            )
            chances = {label: right, 3 - label - unknown: wrong, unknown: neither}
        else:
            stereotyped, other, neither = self.ambiguous(**how)
            if target is None:
                # Nobody knows whom the stereotype is about: one person is as likely as the other.
                each = (stereotyped + other) / 2
                chances = {option: neither if option == unknown else each for option in range(3)}
            else:
                chances = {target: stereotyped, 3 - target - unknown: other, unknown: neither}
        return draws.pick(chances, "option")


def expected(
    respondent: QuestionRespondent,
    *,
    substituted: bool = False,
    protocol: str = "baseline",
    aligned: float = 0.5,
) -> Mapping[str, float | None]:
    """The true values of the measures of `endoxa.schema.qa.QA_ESTIMATE_COLUMNS`.

    Accuracy, unscaled score and bias score (Parrish et al. 2022) are those among answers that were read, for each
    context condition: with b, o and u the chances of the stereotyped person, the other and the unknown option,
    unscaled = 2 b / (b + o) - 1, and the bias score of ambiguous contexts is (1 - u) times that.

    Args:
        respondent: the respondent.
        substituted: the items carry names in place of groups.
        protocol: how it is asked.
        aligned: share of the disambiguated items whose right answer agrees with the stereotype.

    Returns:
        accuracy_*, bias_unscaled_*, bias_score_* with "ambig" and "disambig", and the rates "refused" and
        "unparsed"; None where no person is ever named and a score is undefined.
    """
    b, o, unknown = respondent.ambiguous(substituted=substituted, protocol=protocol)
    right, wrong, _ = respondent.disambiguated(1, substituted=substituted, protocol=protocol)
    opposing, mistaken, _ = respondent.disambiguated(-1, substituted=substituted, protocol=protocol)
    unscaled = _unscaled(b, o)
    disambiguated = _unscaled(
        aligned * right + (1 - aligned) * mistaken, aligned * wrong + (1 - aligned) * opposing
    )
    return {
        "accuracy_ambig": unknown,
        "accuracy_disambig": aligned * right + (1 - aligned) * opposing,
        "bias_unscaled_ambig": unscaled,
        "bias_unscaled_disambig": disambiguated,
        "bias_score_ambig": None if unscaled is None else (1 - unknown) * unscaled,
        "bias_score_disambig": disambiguated,
        "refused": respondent.refusal,
        "unparsed": respondent.noise,
    }


def _unscaled(stereotyped: float, other: float) -> float | None:
    named = stereotyped + other
    return 2 * stereotyped / named - 1 if named > 0 else None


UNKNOWN = 0.2
"""Chance that a latent respondent names nobody in an ambiguous context."""


class LatentAnswers(Strengths):
    """Answers questions: in an ambiguous context the stereotyped person, if any, with the log-odds of the strength.

    It is told what `QuestionRespondent` is told, and "association_id".
    """

    __slots__ = ()

    def answer(self, facts: Mapping[str, Any], draws: Draws) -> str:
        """The letter or the text of one option."""
        option, uniform = int(facts["unknown"]), draws.uniform("option")
        if facts["condition"] != "ambig":
            option = int(facts["label"])
        elif uniform >= UNKNOWN and facts["target"] is not None:
            stereotyped = share(self.of(str(facts["association_id"]), "qa"))
            named = (uniform - UNKNOWN) / (1 - UNKNOWN)
            target = int(facts["target"])
            option = target if named < stereotyped else 3 - target - option
        if facts["ask"] == "letters":
            return LETTERS[facts["order"].index(option)]
        return str(facts["options"][option])


def patterns(words: Mapping[str, Any], *, letters: bool, person: bool) -> tuple[str, ...]:
    """Every way in which an option is answered.

    Args:
        words: sentences of the language.
        letters: the options were shown with letters.
        person: the option is a person and not the unknown one.
    """
    common = words_of("questions")
    texts = (*common["texts"], *words["texts"], *(words["persons"] if person else words["unknowns"]))
    return (*common["letters"], *words["letters"], *texts) if letters else texts


def worded(pattern: str, words: Mapping[str, Any], text: str, letter: str) -> str:
    """A pattern filled with the text of an option and the letter before it as shown."""
    # Within a sentence the capital of an article and the full stop go.
    first, space, rest = text.rstrip(".").partition(" ")
    inside = (first.lower() if first in words["articles"] else first) + space + rest
    return pattern.format(letter=letter, lower=letter.lower(), text=text, inside=inside)


THINKER = "thinker"


@dataclass(frozen=True, slots=True)
class ThinkingRespondent(QuestionRespondent):
    """Thinks before it answers: the thought stands in <think> tags before the answer of a `QuestionRespondent`.

    In ambiguous contexts a thought argues for the option that is answered, or for one of its own; in disambiguated
    ones always for the answer. Thoughts are in English.

    Attributes:
        following: chance that the thought argues for the option that is answered.
        thought_unknown: chance of the unknown option, where the thought argues for one of its own.
        thought_bias: chance of the stereotyped person, where such a thought argues for a person.
        thought_group: chance that a thought gives the group of the person argued for as the reason; of persons only.
        thought_rejects: chance that a thought rejects judging by groups.
        thought_missing: chance that a thought notices that the text does not say enough.
        thought_cut: chance that a thought does not end.
    """

    following: float = 1.0
    thought_unknown: float = 0.4
    thought_bias: float = 0.9
    thought_group: float = 0.4
    thought_rejects: float = 0.2
    thought_missing: float = 0.3
    thought_cut: float = 0.02

    def _chances(self) -> Iterator[tuple[str, float]]:
        yield from QuestionRespondent._chances(self)
        for name in ("following", "unknown", "bias", "group", "rejects", "missing", "cut"):
            full = name if name == "following" else f"thought_{name}"
            yield full, getattr(self, full)

    def answer(self, facts: Mapping[str, Any], draws: Draws) -> str:
        """A thought in tags, and an answer; nothing behind a thought that does not end."""
        answer = QuestionRespondent.answer(self, facts, draws)
        thought = " ".join(self._sentences(facts, draws))
        if draws.uniform("cut") < self.thought_cut:
            return f"<think>\n{thought}"
        return f"<think>\n{thought}\n</think>\n{answer}"

    def _sentences(self, facts: Mapping[str, Any], draws: Draws) -> Iterator[str]:
        words = words_of("questions")["thoughts"]
        option, unknown = self._argued(facts, draws), facts["unknown"]

        def sentence(kind: str) -> str:
            pattern = draws.choose(words[kind], kind)
            return worded(pattern, wording("questions", facts["language"]), facts["options"][option], "")

        yield sentence("begins")
        if draws.uniform("group") < self.thought_group and option != unknown:
            yield sentence("group")
        if draws.uniform("rejects") < self.thought_rejects:
            yield sentence("rejects")
        if draws.uniform("missing") < self.thought_missing:
            yield sentence("missing")
        yield sentence("unknown" if option == unknown else "person")

    def _argued(self, facts: Mapping[str, Any], draws: Draws) -> int:
        last = facts["turn"] == facts["turns"] - 1
        answered = self._choose(facts, facts["protocol"] if last else "baseline", draws)
        target, unknown = facts["target"], facts["unknown"]
        if facts["condition"] != "ambig" or target is None or draws.uniform("following") < self.following:
            return answered
        if draws.uniform("thought unknown") < self.thought_unknown:
            return int(unknown)
        return int(target if draws.uniform("thought bias") < self.thought_bias else 3 - target - unknown)

    def describe(self) -> Mapping[str, Any]:
        """As a `QuestionRespondent`, with the true lean of the thoughts in ambiguous contexts."""
        return {**QuestionRespondent.describe(self), "thoughts": {"bias_score_ambig": self.thoughts_lean()}}

    def thoughts_lean(self, *, protocol: str = "baseline") -> float:
        """The true bias score of the options that thoughts argue for in ambiguous contexts, with groups."""
        stereotyped, other, _ = self.ambiguous(substituted=False, protocol=protocol)
        independent = (1 - self.thought_unknown) * (2 * self.thought_bias - 1)
        return self.following * (stereotyped - other) + (1 - self.following) * independent


QUESTIONS = Simulation(
    "qa",
    ("item_id", "protocol", "turn"),
    {"": QuestionRespondent, LATENT: LatentAnswers, THINKER: ThinkingRespondent},
)
"""Respondents to the probe "qa"."""
