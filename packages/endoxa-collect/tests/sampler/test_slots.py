"""What a pair needs: its state, and whom its missing ratings are for."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from endoxa_collect.sampler.slots import (
    CANDIDATE,
    FULL,
    NEEDS,
    OPEN,
    TOPUP,
    SamplerSettings,
    Slot,
    is_candidate,
    need,
    open_slots,
    wanted,
)

OWN, NEAR, ANYONE = Slot


def rated(own=0, near=0, anyone=0):
    return Counter({OWN: own, NEAR: near, ANYONE: anyone})


@pytest.mark.parametrize(
    ("changes", "numbers"),
    [
        ({}, [1, 1, 1]),
        ({"k": 5, "own_slots": 2}, [2, 1, 2]),
        ({"k": 2}, [1, 1, 0]),
        ({"k": 1}, [1, 0, 0]),
        ({"own_slots": 0, "near_slots": 0}, [0, 0, 3]),
        ({"own_slots": 9, "near_slots": 9}, [3, 0, 0]),
        ({"own_slots": 2, "near_slots": 9}, [2, 1, 0]),
    ],
)
def test_ratings_are_for_people_from_the_country_then_near_it_then_for_anyone(changes, numbers):
    assert list(wanted(SamplerSettings(**changes)).values()) == numbers


@pytest.mark.parametrize(
    ("filled", "slots"),
    [
        (rated(), (OWN, NEAR, ANYONE)),
        (rated(own=1), (NEAR, ANYONE)),
        (rated(anyone=1), (OWN, NEAR)),
        # Two ratings for anyone: one of them stands for the near person.
        (rated(anyone=2), (OWN,)),
        (rated(own=2), (ANYONE,)),
        (rated(own=2, near=1), ()),
        (rated(1, 1, 1), ()),
        (rated(5, 5, 5), ()),
        (rated() + Counter({OWN: 1, ANYONE: 1}), (NEAR,)),
    ],
)
def test_open_slots_worked_by_hand(filled, slots):
    assert open_slots(filled, SamplerSettings()) == slots


COUNT = st.integers(0, 6)


@given(st.integers(1, 8), COUNT, COUNT, st.builds(rated, COUNT, COUNT, COUNT))
def test_as_many_slots_are_open_as_ratings_are_missing(k, own, near, filled):
    settings = SamplerSettings(k=k, k_max=9, own_slots=own, near_slots=near)
    found = open_slots(filled, settings)
    assert len(found) == max(0, k - filled[OWN] - filled[NEAR] - filled[ANYONE])
    assert all(found.count(slot) <= number for slot, number in wanted(settings).items())
    assert list(found) == sorted(found, key=list(Slot).index)


@pytest.mark.parametrize(
    ("ratings", "variance", "state"),
    [(0, None, NEEDS), (2, 4.0, NEEDS), (3, 1.4, OPEN), (3, 1.5, TOPUP), (6, 1.5, TOPUP), (7, 4.0, FULL)],
)
def test_the_state_of_a_pair(ratings, variance, state):
    assert need(ratings, variance, SamplerSettings()) == state
    # Stored by number, in the order in which they come.
    assert (NEEDS, TOPUP, OPEN, FULL, CANDIDATE) == (0, 1, 2, 3, 4)


@pytest.mark.parametrize(
    ("facts", "waits"),
    [
        ({}, True),
        ({"mentions": 2}, False),
        ({"ratings": 1}, False),
        ({"typed": True}, False),
        ({"reached": True}, False),
    ],
)
def test_candidates_wait_for_anything_that_says_more_than_one_tick(facts, waits):
    facts = {"ratings": 0, "mentions": 1, "typed": False, "reached": False, **facts}
    assert is_candidate(**facts, settings=SamplerSettings()) == waits
    assert not is_candidate(**facts, settings=SamplerSettings(second_mention=False))


def test_an_unknown_setting_is_refused_and_shares_are_shown_in_per_cent():
    with pytest.raises(ValidationError, match="neer"):
        SamplerSettings.model_validate({"neer": 1})
    fields = SamplerSettings.model_json_schema()["properties"]
    shares = {name for name, field in fields.items() if "in per cent" in field["title"]}
    assert {name for name, field in fields.items() if field.get("percent")} == shares
    assert {name for name, field in fields.items() if field.get("maximum", 2) <= 1} == shares
