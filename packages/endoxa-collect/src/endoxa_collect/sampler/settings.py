"""Settings of the sampler. `simulate` tries other values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

Share = Annotated[float, Field(ge=0, le=1)]

_RETIRED = frozenset(
    {
        "own",
        "near",
        "anywhere",
        "exploration",
        "floor",
        "floor_below",
        "topic_cap",
        "evenness",
        "age_minutes",
        "whole",
        "candidates",
    }
)
"""Settings of earlier versions, which stored campaigns and exports still have. They are ignored."""


class SamplerSettings(BaseModel):
    """How pairs get their ratings.

    Attributes:
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

    k: Annotated[int, Field(ge=1, le=50)] = 3
    k_max: Annotated[int, Field(ge=1, le=200)] = 7
    own_slots: Annotated[int, Field(ge=0, le=50)] = 1
    near_slots: Annotated[int, Field(ge=0, le=50)] = 1
    topup: Annotated[float, Field(ge=0, le=0.5)] = 0.0
    calibration: Annotated[float, Field(ge=0, le=0.3)] = 0.01
    calibration_pairs: Annotated[int, Field(ge=0, le=500)] = 10
    disagreement: Annotated[float, Field(ge=0, le=4)] = 1.5
    prompt: Share = 0.5
    prompt_early: Annotated[float, Field(ge=0, le=0.6)] = 0.6
    in_a_row: Annotated[int, Field(ge=1, le=100)] = 3
    negative_in_a_row: Annotated[int, Field(ge=1, le=100)] = 2
    second_mention: bool = True
    candidate_share: Share = 0.15
    tick_people: Annotated[int, Field(ge=0, le=1_000)] = 4
    lease_workshop: Annotated[int, Field(ge=1, le=240)] = 3
    lease_online: Annotated[int, Field(ge=1, le=1_440)] = 30
    break_after: Annotated[int, Field(ge=1, le=1_000)] = 8

    @model_validator(mode="before")
    @classmethod
    def _without_retired(cls, given: Any) -> Any:
        if not isinstance(given, Mapping):
            return given
        return {name: value for name, value in given.items() if name not in _RETIRED}

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.k_max < self.k:
            raise ValueError("k_max must be at least k")
        return self
