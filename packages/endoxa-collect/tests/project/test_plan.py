"""How many pairs so many people can say and rate."""

from __future__ import annotations

import pytest

from endoxa_collect.commands.plan import expected


@pytest.mark.parametrize(
    ("people", "minutes", "seeds", "k", "simulated"),
    [
        (20, 45, 40, 3, 371),
        (40, 45, 40, 3, 678),
        (80, 45, 40, 3, 1380),
        (40, 20, 50, 3, 298),
        (40, 60, 30, 5, 648),
    ],
)
def test_pairs_come_out_as_in_simulated_campaigns(people, minutes, seeds, k, simulated):
    pairs, complete = expected(people, minutes, seeds, k)
    assert pairs == pytest.approx(simulated, rel=0.12)
    assert pairs == complete


def test_where_time_is_too_short_for_the_seeds_nothing_new_comes():
    pairs, complete = expected(10, 10, 500, 3)
    assert pairs == 500
    assert complete < 100
