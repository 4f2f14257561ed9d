"""Respondents that rate how harmful associations are: planted opinions, biases by attribute, refusals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

from endoxa.errors import UserError
from endoxa.models.chat.simulated.draws import (
    Draws,
    Simulation,
    planted,
    require_chances,
)
from support.respondents import PACKAGE, wording, words_of

SOCIOECONOMIC = frozenset(
    {
        "age",
        "marital_status",
        "political_orientation",
        "education",
        "urbanicity",
        "employment_status",
        "income_level",
        "religion",
        "immigration_status",
    }
)
"""Attributes on which models rate harm lower than people do (Le Jeune et al. 2026)."""
GENDER = frozenset({"gender", "gender_alignment"})
"""Attributes on which they rate it higher."""
PARTS = ("base_attribute", "base_value", "compared_attribute", "compared_value")
POINTS = (1, 2, 3, 4, 5)
_NORMAL = NormalDist()


@dataclass(frozen=True, slots=True)
class RatingRespondent:
    """Rates associations.

    It is told of each: "association_id", the four parts, "order" (which question comes first) and "language".

    Every association has a harm that all respondents agree on: `level` + `variety` x a standard normal number drawn
    from its four parts. A respondent adds its biases, and a rating is that, plus `scatter` x another such number drawn
    anew each time, rounded into 1 to 5.

    Attributes:
        level: harm of the average association.
        variety: standard deviation of harm between associations.
        scatter: standard deviation between ratings of one association.
        socioeconomic: added to an association between two of the attributes `SOCIOECONOMIC`; half of it where only one
            of its two attributes is.
        gender: the same for `GENDER`.
        frequent: chance of calling a pattern frequent; the rest is 'no' and 'not sure', half each.
        refusal: chance of declining to answer.
        noise: chance of a text in which nothing can be read.
    """

    level: float = 2.8
    variety: float = 1.2
    scatter: float = 0.5
    socioeconomic: float = -0.6
    gender: float = 0.6
    frequent: float = 0.5
    refusal: float = 0.01
    noise: float = 0.01

    def __post_init__(self) -> None:
        """Refuse what cannot be.

        Raises:
            UserError: a chance is not between 0 and 1, or a standard deviation is not positive.
        """
        chances = [(name, getattr(self, name)) for name in ("frequent", "refusal", "noise")]
        require_chances("respondent", [*chances, ("refusal + noise", self.refusal + self.noise)])
        if self.variety < 0 or self.scatter <= 0:
            raise UserError("A simulated rater needs a variety of 0 or more and a scatter above 0.")

    def opinion(self, association: Mapping[str, str]) -> float:
        """What it thinks of an association, before scatter and rounding."""
        agreed = normal(Draws(("harm", *(association[part] for part in PARTS))), "association")
        return self.level + self.variety * agreed + self.bias(association)

    def bias(self, association: Mapping[str, str]) -> float:
        """What it adds to an association's harm because of its two attributes."""
        attributes = (association["base_attribute"], association["compared_attribute"])
        of_each = [
            self.socioeconomic * (name in SOCIOECONOMIC) + self.gender * (name in GENDER)
            for name in attributes
        ]
        return sum(of_each) / 2

    def chances(self, association: Mapping[str, str]) -> dict[int, float]:
        """The chance of each rating, among ratings that can be read."""
        around = NormalDist(self.opinion(association), self.scatter)
        below = [0.0, *(around.cdf(point + 0.5) for point in POINTS[:-1]), 1.0]
        return {point: below[k + 1] - below[k] for k, point in enumerate(POINTS)}

    def expected(self, association: Mapping[str, str]) -> Mapping[str, float]:
        """What a measure of one association should find: mean rating, chances of 4 or 5 and of 5, and the rates."""
        chance = self.chances(association)
        return {
            "mean": sum(point * share for point, share in chance.items()),
            "harmful": chance[4] + chance[5],
            "maximum": chance[5],
            "frequent": self.frequent,
            "refused": self.refusal,
            "unparsed": self.noise,
        }

    def answer(self, facts: Mapping[str, Any], draws: Draws) -> str:
        """A refusal, noise, or both ratings in one of several forms."""
        words, outcome = wording("ratings", facts["language"]), draws.uniform("outcome")
        if outcome < self.refusal:
            return str(draws.choose(words["refusals"], "wording"))
        if outcome < self.refusal + self.noise:
            return str(draws.choose(words_of("ratings")["noise"], "wording"))
        scattered = self.opinion(facts) + self.scatter * normal(draws, "scatter")
        harm = next((point for point in POINTS if scattered < point + 0.5), POINTS[-1])
        uniform, yes = draws.uniform("frequent"), self.frequent
        frequent = words["answers"][0 if uniform < yes else 1 if uniform < (1 + yes) / 2 else 2]
        form = draws.choose(FORMS, "wording")
        return worded(form, words, harm, frequent, harm_first=facts["order"] == "harm")

    def describe(self) -> Mapping[str, Any]:
        """The parameters; what is true of an association follows from them and its four parts (`expected`)."""
        return planted(self)


def normal(draws: Draws, what: str) -> float:
    """A standard normal number."""
    return _NORMAL.inv_cdf(min(max(draws.uniform(what), 1e-12), 1 - 1e-12))


LINES, JSON, SHORT = "lines", "json", "short"
FORMS = (LINES, LINES, JSON, SHORT)
"""Two lines most often, as asked for; JSON; two words."""


def worded(form: str, words: Mapping[str, Any], harm: int, frequent: str, *, harm_first: bool) -> str:
    """Both ratings in one of the `FORMS`, in the order in which they were asked for."""
    if form == JSON:
        parts = [f'"{words["harm"]}": {harm}', f'"{words["frequent"]}": "{frequent}"']
        return f"{{{', '.join(parts if harm_first else reversed(parts))}}}"
    if form == SHORT:
        return ", ".join([str(harm), frequent] if harm_first else [frequent, str(harm)])
    lines = [f"{words['harm']}: {harm}", f"{words['frequent']}: {frequent}"]
    return "\n".join(lines if harm_first else reversed(lines))


RATINGS = Simulation("harm", ("association_id", "language"), {"": RatingRespondent}, PACKAGE)
"""Respondents to the probe "harm"."""
