"""What a pair needs: its state, and which kinds of people its k ratings are for (slots).

Of the k ratings of a pair some are for people from its country, some for people near it, and the others for people
drawn with equal chances among all who are present (`SamplerSettings`). So every complete pair says what people from the
country, people near it and people at large know, and none of these is left to chance.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container
from enum import StrEnum
from typing import Annotated, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from endoxa_collect.labels import _, labelled, refuse

RULE = BeforeValidator(lambda content: {"rule": content} if isinstance(content, str) else content)
"""Takes the name of a rule in place of settings."""

Share = Annotated[float, Field(ge=0, le=1)]


class SamplerSettings(BaseModel):
    """How pairs get their ratings.

    Attributes:
        rule: "slots": pairs pick raters by the slots below. "laces": that of LACES (section 3.2): any pair at random,
            of those with fewer than k ratings, about the person's own or a near country where there is one. It departs
            from the paper in one thing: an open card counts as a rating until it is answered or its time is over
            (the lease), so that people who draw at once do not give a pair more than k. Slots, the common set and
            open questions while there are pairs to rate belong to the other rule.
        k: ratings each pair should get; below it a pair *needs* ratings.
        k_max: ratings after which a pair is shown no more.
        own_slots, near_slots: how many of the k ratings are for people from the country of the pair, and for people
            near it, as far as k goes. The others are for people drawn with equal chances among all who are present.
        topup: share of cards about pairs that have k ratings and that people disagree about.
        calibration: share of cards from a fixed random set that all people go through in the same order.
        calibration_pairs: size of that set.
        disagreement: variance of ratings (1 to 5) from which a pair that has `k` ratings is topped up.
        prompt: share of cards that ask an open question once no pair needs ratings.
        prompt_early: largest chance that a card asks an open question while few pairs wait for ratings
            (`Outlook.prompts`); never twice in a row.
        in_a_row: maximum number of cards in a row about one country.
        negative_in_a_row: maximum number of negative cards in a row about the person's own countries.
        second_mention: a pair that one person ticked, about a country that nobody who took part is near, is shown to
            others only once a second person mentions it. Until then it counts as said (salience) and takes no ratings.
        candidate_share: share of all pairs that may be such candidates; while there are more, nobody is asked where
            else the same is said.
        tick_people: people who are asked of which other countries the same is said, for each attribute; the first few
            name most of what there is to be named.
        lease_workshop, lease_online: minutes that a drawn card is reserved.
        break_after: cards after which a pause is offered.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    rule: Literal["slots", "laces"] = labelled(
        "slots",
        _("How pairs are chosen"),
        words={
            "slots": _("So that people near and far rate each pair"),
            "laces": _("At random, near countries first (LACES)"),
        },
    )
    k: Annotated[int, Field(ge=1, le=50)] = labelled(
        3,
        _("Ratings each pair should get"),
        _("Pairs with fewer come first. 3 is usual; more needs more people."),
    )
    k_max: Annotated[int, Field(ge=1, le=200)] = labelled(
        7, _("Maximum ratings per pair"), _("After this number a pair is no longer shown.")
    )
    own_slots: Annotated[int, Field(ge=0, le=50)] = labelled(
        1,
        _("Of these, by people from the country"),
        _("People know best what is said where they come from."),
    )
    near_slots: Annotated[int, Field(ge=0, le=50)] = labelled(
        1,
        _("Of these, by people near it"),
        _(
            "Neighbours, and those who feel close to it. The others are drawn among all who are present, so that "
            "there is something to compare with."
        ),
    )
    topup: Annotated[float, Field(ge=0, le=0.5)] = labelled(
        0.0,
        _("Cards about pairs that people disagree about, in per cent"),
        _("Pairs that have enough ratings, but very different ones."),
        percent=True,
    )
    calibration: Annotated[float, Field(ge=0, le=0.3)] = labelled(
        0.01,
        _("Cards from the common set, in per cent"),
        _("Pairs that all people go through in one order, so that people can be compared."),
        percent=True,
    )
    calibration_pairs: Annotated[int, Field(ge=0, le=500)] = labelled(
        10, _("Pairs in the common set"), _("Chosen at random among the seeds when they are added.")
    )
    disagreement: Annotated[float, Field(ge=0, le=4)] = labelled(
        1.5,
        _("Disagreement that asks for more"),
        _("Variance of the answers (1 to 5) from which a pair gets further ratings; 1.5 is a clear split."),
    )
    prompt: Share = labelled(
        0.5,
        _("Open questions once everything is rated, in per cent"),
        _("Cards that show no pair and ask what people say."),
        percent=True,
    )
    prompt_early: Annotated[float, Field(ge=0, le=0.6)] = labelled(
        0.6,
        _("Open questions while few pairs wait for ratings, at most, in per cent"),
        _("Fewer as more pairs wait, and never two in a row."),
        percent=True,
    )
    in_a_row: Annotated[int, Field(ge=1, le=100)] = labelled(
        3,
        _("Cards in a row about one country"),
        _("After this number another country follows, if there is one."),
    )
    negative_in_a_row: Annotated[int, Field(ge=1, le=100)] = labelled(
        2,
        _("Unkind cards in a row about the person's own country"),
        _("After this number a kinder card follows, if there is one."),
    )
    second_mention: bool = labelled(
        True,
        _("Ticked pairs about countries far from everybody wait for a second mention"),
        _("Before that they take ratings only where little else waits. They are exported either way."),
    )
    candidate_share: Share = labelled(
        0.15,
        _("Maximum share of pairs that wait so, in per cent"),
        _("While there are more, nobody is asked where else the same is said."),
        percent=True,
    )
    tick_people: Annotated[int, Field(ge=0, le=1_000)] = labelled(
        4,
        _("People who are asked where else the same is said"),
        _("For each attribute. The first few name most countries; later ones repeat them."),
    )
    lease_workshop: Annotated[int, Field(ge=1, le=240)] = labelled(
        3, _("In a room"), _("Then somebody else may get the pair; a late answer still counts.")
    )
    lease_online: Annotated[int, Field(ge=1, le=1_440)] = labelled(
        30, _("Online"), _("People at home are interrupted more often.")
    )
    break_after: Annotated[int, Field(ge=1, le=1_000)] = labelled(
        8, _("Cards until a pause is offered"), _("People can go on or stop.")
    )

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.k_max < self.k:
            refuse(_("This cannot be less than the ratings each pair should get."), "k_max")
        return self


NEEDS, TOPUP, OPEN, FULL, CANDIDATE = 0, 1, 2, 3, 4
"""State of a pair: fewer than k ratings; k or more and people disagree; k or more; k_max or more; not rated yet, since
only one person ticked it and nobody is near its country (`is_candidate`)."""


class Slot(StrEnum):
    """Whom a rating is for; also how near a person is to a country (`place`). The nearest first."""

    OWN = "own"
    NEAR = "near"
    ANYONE = "anyone"


def place(country: str, origins: Container[str], near: Container[str]) -> Slot:
    """How near somebody is to a country, from their countries of origin and those near to them."""
    if country in origins:
        return Slot.OWN
    return Slot.NEAR if country in near else Slot.ANYONE


def wanted(settings: SamplerSettings) -> dict[Slot, int]:
    """Ratings of each kind that a pair should get; k together."""
    if settings.rule == "laces":
        return {Slot.OWN: 0, Slot.NEAR: 0, Slot.ANYONE: settings.k}
    own = min(settings.own_slots, settings.k)
    near = min(settings.near_slots, settings.k - own)
    return {Slot.OWN: own, Slot.NEAR: near, Slot.ANYONE: settings.k - own - near}


def open_slots(filled: Counter[Slot], settings: SamplerSettings) -> tuple[Slot, ...]:
    """Slots that are still to be filled, the nearest first; as many as ratings are missing to k.

    `filled`: ratings of each kind that a pair has, or has and will have.

    Where more ratings of one kind came than were meant (calibration, paper), the slot of near people goes first, that
    of people from the country last.
    """
    goal = wanted(settings)
    missing = max(0, settings.k - filled.total())
    left = {slot: max(0, goal[slot] - filled[slot]) for slot in Slot}
    for slot in (Slot.NEAR, Slot.ANYONE, Slot.OWN):
        left[slot] -= min(left[slot], max(0, sum(left.values()) - missing))
    return tuple(slot for slot in Slot for _ in range(left[slot]))


def need(ratings: int, variance: float | None, settings: SamplerSettings) -> int:
    """State of a pair: fewer than k ratings; k or more and people disagree; k or more; k_max or more."""
    if ratings < settings.k:
        return NEEDS
    if ratings >= settings.k_max:
        return FULL
    return TOPUP if variance is not None and variance >= settings.disagreement else OPEN


def is_candidate(
    *, ratings: int, mentions: int, typed: bool, reached: bool, settings: SamplerSettings
) -> bool:
    """Whether a pair waits for a second mention before it takes k ratings of people who know little about it.

    Args:
        ratings: that it has.
        mentions: people who said it.
        typed: somebody said it in words of their own, or it is a seed; else it was only ticked for a further country.
        reached: somebody who took part is from the country or near it.
        settings: `second_mention` turns this off.
    """
    return settings.second_mention and not (ratings or mentions > 1 or typed or reached)
