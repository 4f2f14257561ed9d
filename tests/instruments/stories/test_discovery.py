"""From simulated tellers through simulated readers to associations: what was planted is found, as strong as it is."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from endoxa.models.chat.simulated.stories import Teller, associations
from support.story_runs import FOUR, discovered

ASKED = ("age", "gender")


@pytest.mark.slow
def test_most_planted_associations_are_found_with_their_lift_and_hardly_another(tmp_path: Path) -> None:
    """Two runs with 36 prompts for each value: nine in ten are found on average."""
    runs = [discovered(tmp_path / str(seed), seed, attributes=ASKED) for seed in (0, 1)]
    table = pl.concat(runs)
    number = 0
    for row in Teller().expected():
        lifts = table.filter(**{name: row[name] for name in FOUR})["value"]
        number += len(lifts)
        if len(lifts) == len(runs):  # always found: no winner's curse
            assert lifts.mean() == pytest.approx(row["expected_lift"], rel=0.2)
    planted = {(each.base_attribute, each.compared_attribute) for each in associations()}
    possible = 2 * sum(each.base_attribute in ASKED for each in associations())
    assert number >= 0.7 * possible > 0
    assert len(set(table.select("base_attribute", "compared_attribute").rows()) - planted) <= 4
