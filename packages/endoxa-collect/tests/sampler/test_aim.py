"""Open questions go where most is unsaid: Good and Turing's estimate, and the order that follows from it."""

from __future__ import annotations

import numpy as np
import pytest

from endoxa_collect.sampler.controller import (
    MentionCounts,
    fields,
    least_mentioned,
    question_share,
    unseen_mass,
)
from endoxa_collect.sampler.slots import SamplerSettings


@pytest.mark.parametrize(
    ("said", "mass"),
    [
        (MentionCounts(0, 0), 1.0),
        (MentionCounts(1, 1), 1.0),
        (MentionCounts(4, 2), 0.5),  # a a b c
        (MentionCounts(10, 0), 0.0),
        (MentionCounts(7, 7), 1.0),
    ],
)
def test_the_share_of_mentions_that_are_alone(said, mass):
    assert unseen_mass(said) == mass
    for once in (said.mentions + 1, -1):
        with pytest.raises(ValueError, match="cannot be the only ones"):
            unseen_mass(MentionCounts(said.mentions, once))


def test_the_estimate_is_the_chance_of_something_new_on_average():
    """Planted: 60 pairs with Zipf's chances, 40 mentions. The exact mean chance that the 40th is new is known."""
    chances = 1 / np.arange(1, 61)
    chances /= chances.sum()
    exact = float((chances * (1 - chances) ** 39).sum())
    rng = np.random.default_rng(3)
    drawn = rng.multinomial(40, chances, size=2_000)
    found = [unseen_mass(MentionCounts(40, int((counts == 1).sum()))) for counts in drawn]
    error = np.std(found) / np.sqrt(len(found))
    assert abs(np.mean(found) - exact) < 4 * error
    assert error < 0.003


def test_the_country_of_which_most_is_unsaid_comes_first_and_the_order_given_decides_between_equals():
    said = {"AR": MentionCounts(10, 1), "CL": MentionCounts(10, 6), "UY": MentionCounts(2, 2)}
    assert least_mentioned(["AR", "CL", "UY", "PE"], said) == ["UY", "PE", "CL", "AR"]
    assert least_mentioned(["PE", "UY"], said) == ["PE", "UY"]
    assert least_mentioned([], said) == []


@pytest.mark.parametrize(
    ("origins", "share"),
    [
        (["AR"], 0.1),  # 1 of 10 alone, 0.3 on average
        (["CL"], 0.5),  # 5 of 10
        (["UY"], 0.3),
        (["AR", "CL"], 0.5),
        ([], 0.3),
        (["PE"], 0.6),  # never mentioned: as often as may be
    ],
)
def test_people_of_whose_country_most_is_unsaid_are_asked_most(origins, share):
    said = {"AR": MentionCounts(10, 1), "CL": MentionCounts(10, 5), "UY": MentionCounts(10, 3)}
    assert question_share(0.3, origins, ["AR", "CL", "UY"], said, 0.6) == pytest.approx(share)
    assert question_share(0.3, origins, [], said, 0.6) == 0.3
    assert question_share(0.3, origins, ["FR"], {"FR": MentionCounts(3, 0)}, 0.6) == 0.3


@pytest.mark.parametrize(
    ("adds", "own", "asked", "candidates", "shown"),
    [
        (True, True, 0, 0.0, (True, True)),
        (True, False, 3, 0.15, (False, True)),
        (True, True, 4, 0.0, (True, False)),
        (True, True, 0, 0.16, (True, False)),
        (True, False, 4, 0.0, (False, False)),
        (False, True, 0, 0.0, (False, False)),
    ],
)
def test_words_are_asked_for_at_home_and_ticks_of_the_first_four(adds, own, asked, candidates, shown):
    found = fields(adds=adds, home=own, tick_count=asked, candidates=candidates, settings=SamplerSettings())
    assert found == shown
