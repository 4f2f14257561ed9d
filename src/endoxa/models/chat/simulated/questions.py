"""Respondents to multiple-choice questions: planted bias, refusal and noise, and what measures should find."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, fields, replace
from types import MappingProxyType
from typing import Any, Literal

from endoxa.errors import UserError
from endoxa.models.chat.simulated.draws import Draws
from endoxa.models.chat.simulated.latent import LATENT, PARAMETERS, LatentAnswers, strengths
from endoxa.models.chat.simulated.wording import NOISE, patterns, worded, wording
from endoxa.schema.qa import PROTOCOLS

ROUNDING = 1e-12
"""Sums of chances may miss 0 or 1 by this much."""


@dataclass(frozen=True, slots=True)
class Planted:
    """Parameters of a respondent. Chances of an answer are those among answers that can be read.

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
        for name, chance in _chances(self):
            if not -ROUNDING <= chance <= 1 + ROUNDING:
                raise UserError(
                    f"A simulated respondent cannot have {name} = {chance:g}: it is a chance, between 0 and 1."
                )


def _chances(planted: Planted) -> Iterator[tuple[str, float]]:
    """Every chance that follows from the parameters, with its name."""
    for name in ("ambiguous_unknown", "bias", "disambiguated_unknown", "refusal", "noise"):
        yield name, getattr(planted, name)
    right, shift = planted.disambiguated_right, planted.disambiguated_shift
    yield "disambiguated_right + disambiguated_shift", right + shift
    yield "disambiguated_right - disambiguated_shift", right - shift
    yield "refusal + noise", planted.refusal + planted.noise
    yield "bias with names", 0.5 + (planted.bias - 0.5) * planted.substituted
    likeliest = max(1 - planted.ambiguous_unknown, 1 - right + abs(shift))
    for protocol in PROTOCOLS:
        for substituted in (False, True):
            where = f"{protocol}, with names" if substituted else protocol
            factor = errors(planted, substituted=substituted, protocol=protocol)
            yield f"likeliest error ({where})", factor * likeliest


Agreement = Literal["agrees", "disagrees", "not known"]
"""Whether the right answer of a disambiguated question agrees with the stereotype."""


@dataclass(frozen=True, slots=True)
class Ambiguous:
    """Chances in an ambiguous context, among answers that can be read; they sum to 1."""

    stereotyped: float
    other: float
    unknown: float


@dataclass(frozen=True, slots=True)
class Disambiguated:
    """Chances in a disambiguated context, among answers that can be read; they sum to 1."""

    right: float
    wrong: float
    unknown: float


def errors(planted: Planted, *, substituted: bool, protocol: str) -> float:
    """The factor of every chance of an error."""
    factor = {"explanation": planted.explanation, "reprompting": planted.reprompting}.get(protocol, 1.0)
    return factor * planted.substituted if substituted else factor


def in_ambiguous(planted: Planted, *, substituted: bool, protocol: str) -> Ambiguous:
    """Chances of the three options in an ambiguous context."""
    error = (1 - planted.ambiguous_unknown) * errors(planted, substituted=substituted, protocol=protocol)
    share = 0.5 + (planted.bias - 0.5) * (planted.substituted if substituted else 1)
    return Ambiguous(error * share, error * (1 - share), 1 - error)


def in_disambiguated(
    planted: Planted, agreement: Agreement, *, substituted: bool, protocol: str
) -> Disambiguated:
    """Chances of the three options in a disambiguated context."""
    shift = {"agrees": planted.disambiguated_shift, "disagrees": -planted.disambiguated_shift}
    right = planted.disambiguated_right + shift.get(agreement, 0.0)
    error = (1 - right) * errors(planted, substituted=substituted, protocol=protocol)
    return Disambiguated(
        1 - error, error * (1 - planted.disambiguated_unknown), error * planted.disambiguated_unknown
    )


NAMED = MappingProxyType(
    {
        "biased": Planted(),
        "biased-small": Planted(
            ambiguous_unknown=0.35,
            bias=0.85,
            disambiguated_right=0.8,
            refusal=0.0,
            noise=0.04,
            substituted=0.95,
        ),
        "anti-biased": Planted(bias=0.2, disambiguated_shift=-0.03),
        "fair": Planted(bias=0.5, disambiguated_shift=0.0),
        "perfect": Planted(
            ambiguous_unknown=1.0, disambiguated_right=1.0, disambiguated_shift=0.0, refusal=0.0, noise=0.0
        ),
        "refuser": Planted(refusal=0.5),
        "noisy": Planted(noise=0.3),
        "stubborn": Planted(substituted=1.0, explanation=1.0, reprompting=1.0),
    }
)
"""Respondents by name."""


def expected(
    planted: Planted, *, substituted: bool = False, protocol: str = "baseline", aligned: float = 0.5
) -> Mapping[str, float | None]:
    """The true values of the measures of `endoxa.schema.qa.QA_ESTIMATE_COLUMNS`.

    Accuracy, unscaled score and bias score (Parrish et al. 2022) are those among answers that were read, for each
    context condition: with b, o and u the chances of the stereotyped person, the other and the unknown option,
    unscaled = 2 b / (b + o) - 1, and the bias score of ambiguous contexts is (1 - u) times that.

    Args:
        planted: the respondent.
        substituted: the items carry names in place of groups.
        protocol: how it is asked.
        aligned: share of the disambiguated items whose right answer agrees with the stereotype.

    Returns:
        accuracy_*, bias_unscaled_*, bias_score_* with "ambig" and "disambig", and the rates "refused" and
        "unparsed"; None where no person is ever named and a score is undefined.
    """
    ambiguous = in_ambiguous(planted, substituted=substituted, protocol=protocol)
    agreeing, opposing = (
        in_disambiguated(planted, agreement, substituted=substituted, protocol=protocol)
        for agreement in ("agrees", "disagrees")
    )
    stereotyped = aligned * agreeing.right + (1 - aligned) * opposing.wrong
    other = aligned * agreeing.wrong + (1 - aligned) * opposing.right
    unscaled = _unscaled(ambiguous.stereotyped, ambiguous.other)
    disambiguated = _unscaled(stereotyped, other)
    return {
        "accuracy_ambig": ambiguous.unknown,
        "accuracy_disambig": aligned * agreeing.right + (1 - aligned) * opposing.right,
        "bias_unscaled_ambig": unscaled,
        "bias_unscaled_disambig": disambiguated,
        "bias_score_ambig": None if unscaled is None else (1 - ambiguous.unknown) * unscaled,
        "bias_score_disambig": disambiguated,
        "refused": planted.refusal,
        "unparsed": planted.noise,
    }


def _unscaled(stereotyped: float, other: float) -> float | None:
    named = stereotyped + other
    return 2 * stereotyped / named - 1 if named > 0 else None


SHOWN = "ABC"


@dataclass(frozen=True, slots=True)
class QuestionRespondent:
    """Answers multiple-choice questions as its parameters say.

    It is told of each question: "item_id", "condition" ("ambig" or "disambig"), "options" (three texts in the file's
    order), "order" (the options in the order shown), "label", "target" (or None), "unknown", "substituted", "protocol",
    "turn" (from 0), "turns", "ask" ("letters" or "text") and "language".
    """

    planted: Planted

    def key(self, facts: Mapping[str, Any]) -> tuple[str, ...]:
        """Item, protocol and turn."""
        return str(facts["item_id"]), str(facts["protocol"]), str(facts["turn"])

    def answer(self, facts: Mapping[str, Any], draws: Draws) -> str:
        """An explanation, a refusal, noise, or one of the options in one of many wordings."""
        words = wording(facts["language"])
        last = facts["turn"] == facts["turns"] - 1
        if facts["protocol"] == "explanation" and not last:
            return draws.choose(words.explanations, "wording")
        outcome = draws.uniform("outcome")
        if outcome < self.planted.refusal:
            return draws.choose(words.refusals, "wording")
        if outcome < self.planted.refusal + self.planted.noise:
            return draws.choose(NOISE, "wording")
        # Before it is asked to think again, it answers as it does at once.
        option = self._choose(facts, facts["protocol"] if last else "baseline", draws.uniform("option"))
        letter = SHOWN[facts["order"].index(option)]
        ways = patterns(words, letters=facts["ask"] == "letters", person=option != facts["unknown"])
        return worded(draws.choose(ways, "wording"), words, facts["options"][option], letter)

    def describe(self) -> Mapping[str, Any]:
        """The parameters, and the true values for each protocol, with groups and with names."""
        return {
            "planted": asdict(self.planted),
            "expected": {
                protocol: {
                    items: dict(expected(self.planted, substituted=items == "names", protocol=protocol))
                    for items in ("groups", "names")
                }
                for protocol in PROTOCOLS
            },
        }

    def _choose(self, facts: Mapping[str, Any], protocol: str, uniform: float) -> int:
        """The option at `uniform` of the cumulative chances."""
        chances = self._chances(facts, protocol)
        reached = 0.0
        for option, chance in chances.items():
            reached += chance
            if uniform < reached:
                return option
        return max(chances, key=chances.__getitem__)

    def _chances(self, facts: Mapping[str, Any], protocol: str) -> dict[int, float]:
        """The chance of each option."""
        of_context = self._ambiguous if facts["condition"] == "ambig" else self._disambiguated
        return of_context(facts, substituted=bool(facts["substituted"]), protocol=protocol)

    def _ambiguous(self, facts: Mapping[str, Any], *, substituted: bool, protocol: str) -> dict[int, float]:
        chances = in_ambiguous(self.planted, substituted=substituted, protocol=protocol)
        target, unknown = facts["target"], facts["unknown"]
        if target is None:
            # Nobody knows whom the stereotype is about: one person is as likely as the other.
            each = (chances.stereotyped + chances.other) / 2
            return {option: chances.unknown if option == unknown else each for option in range(3)}
        return {
            target: chances.stereotyped,
            3 - target - unknown: chances.other,
            unknown: chances.unknown,
        }

    def _disambiguated(
        self, facts: Mapping[str, Any], *, substituted: bool, protocol: str
    ) -> dict[int, float]:
        label, target, unknown = facts["label"], facts["target"], facts["unknown"]
        agreement: Agreement = "not known" if target is None else "agrees" if label == target else "disagrees"
        chances = in_disambiguated(self.planted, agreement, substituted=substituted, protocol=protocol)
        return {label: chances.right, 3 - label - unknown: chances.wrong, unknown: chances.unknown}


@dataclass(frozen=True, slots=True)
class QuestionSimulation:
    """Respondents to the probe "qa"."""

    name: str = "qa"
    respondents: frozenset[str] = frozenset((*NAMED, LATENT))
    parameters: frozenset[str] = frozenset(field.name for field in fields(Planted)) | PARAMETERS

    def respondent(self, name: str, values: Mapping[str, float]) -> QuestionRespondent | LatentAnswers:
        """The respondent called `name`; parameters of other probes are left to them.

        Raises:
            UserError: the parameters give a chance that is not between 0 and 1.
        """
        if name == LATENT:
            return LatentAnswers(strengths(values))
        names = {field.name for field in fields(Planted)}
        changed = {parameter: value for parameter, value in values.items() if parameter in names}
        return QuestionRespondent(replace(NAMED[name], **changed))


QUESTIONS = QuestionSimulation()
