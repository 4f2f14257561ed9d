"""Settings of the sampler. `simulate` tries other values."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

Share = Annotated[float, Field(ge=0, le=1)]


class Conflict(StrEnum):
    """Values that do not fit together, with the message of each."""

    K_MAX = "k_max must be at least k"
    CANDIDATES = "candidates must be at most whole"
    SHARES = "own, near, anywhere and topup must add up to 1"
    ONLY_TOPUP = "own, near and anywhere cannot all be 0"


class SamplerSettings(BaseModel):
    """How cards are drawn.

    Attributes:
        k: ratings each pair should get; below it a pair *needs* ratings.
        k_max: ratings after which a pair is shown no more.
        own, near, anywhere, topup: how often a card is about the person's own country, a near one, any other,
            or a pair that has k ratings and that people disagree about. The share of an empty tier goes to the next
            one. Every card of `topup` is taken from pairs that wait for their first k ratings.
        exploration: share of cards drawn with equal chances among all pairs that need ratings.
        calibration: share of cards from a fixed random set that all people go through in the same order.
        calibration_pairs: size of that set.
        floor: share of cards kept for countries that got less than `floor_below` of all draws while they need ratings.
        topic_cap: a topic of the seeds with more than this share of the recent draws is weighed at a quarter.
        disagreement: variance of ratings (1 to 5) from which a pair that has `k` ratings is topped up.
        prompt: share of cards that ask an open question instead of showing a pair, once no pair needs ratings.
        prompt_early: largest chance that a card asks an open question while few pairs wait for ratings
            (`Outlook.prompts`); never twice in a row.
        in_a_row: most cards in a row about one country.
        negative_in_a_row: most negative cards in a row about the person's own countries.
        evenness: power of the share of ratings that a pair still misses, in its weight: above 0 all pairs fill evenly,
            below 0 those are finished first that have some ratings.
        second_mention: a pair that one person ticked, about a country that nobody who took part is near, is shown to
            others only once a second person mentions it. Until then it counts as said (salience) and takes no ratings.
        tick_people: people who are asked of which other countries the same is said, for each attribute; the first few
            name most of what there is to be named.
        age_minutes: a pair that has waited this long weighs twice as much as a new one.
        whole: tiers up to this size are weighed whole, larger ones by a random window of `candidates` pairs.
        lease_workshop, lease_online: minutes that a drawn card is reserved.
        break_after: cards after which a pause is offered.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    k: Annotated[int, Field(ge=1, le=50)] = 3
    k_max: Annotated[int, Field(ge=1, le=200)] = 7
    own: Share = 0.75
    near: Share = 0.20
    anywhere: Share = 0.05
    topup: Share = 0.0
    exploration: Annotated[float, Field(ge=0, le=0.5)] = 0.05
    calibration: Annotated[float, Field(ge=0, le=0.3)] = 0.05
    calibration_pairs: Annotated[int, Field(ge=0, le=500)] = 10
    floor: Annotated[float, Field(ge=0, le=0.3)] = 0.03
    floor_below: Share = 0.01
    topic_cap: Share = 0.30
    disagreement: Annotated[float, Field(ge=0, le=4)] = 1.5
    prompt: Share = 0.5
    prompt_early: Annotated[float, Field(ge=0, le=0.6)] = 0.6
    in_a_row: Annotated[int, Field(ge=1, le=100)] = 3
    negative_in_a_row: Annotated[int, Field(ge=1, le=100)] = 2
    evenness: Annotated[int, Field(ge=-5, le=5)] = -3
    second_mention: bool = True
    tick_people: Annotated[int, Field(ge=0, le=1_000)] = 4
    age_minutes: Annotated[float, Field(gt=0)] = 60.0
    whole: Annotated[int, Field(ge=1, le=10_000)] = 2_000
    candidates: Annotated[int, Field(ge=1, le=2_000)] = 200
    lease_workshop: Annotated[int, Field(ge=1, le=240)] = 5
    lease_online: Annotated[int, Field(ge=1, le=1_440)] = 30
    break_after: Annotated[int, Field(ge=1, le=1_000)] = 8

    def conflicts(self) -> list[Conflict]:
        """Values that do not fit together; empty for settings that were validated."""
        broken = {
            Conflict.K_MAX: self.k_max < self.k,
            Conflict.CANDIDATES: self.candidates > self.whole,
            Conflict.SHARES: abs(self.own + self.near + self.anywhere + self.topup - 1) > 1e-6,
            Conflict.ONLY_TOPUP: self.own + self.near + self.anywhere <= 0,
        }
        return [conflict for conflict, found in broken.items() if found]

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if found := self.conflicts():
            raise ValueError("; ".join(found))
        return self
