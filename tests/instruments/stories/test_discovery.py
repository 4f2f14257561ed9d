"""From simulated tellers through simulated readers to associations: what was planted is found, as strong as it is."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from endoxa.models.chat.simulated.stories import Teller, associations
from support.story_runs import FOUR, discovered

ALWAYS = ("child (0-12)", "senior (65+)")
"""Base values whose associations 100 of 100 runs found with 36 prompts for each value."""


@pytest.mark.slow
def test_planted_associations_are_found_with_their_lift_and_hardly_another(tmp_path: Path) -> None:
    found = pl.concat(
        [discovered(tmp_path / str(seed), seed, attributes=("age", "gender")) for seed in (0, 1)]
    )
    planted = [row for row in Teller().expected() if row["base_value"] in ALWAYS]
    assert len(planted) >= 2
    for row in planted:
        lifts = found.filter(**{name: row[name] for name in FOUR})["value"]
        assert len(lifts) == 2, row
        assert lifts.mean() == pytest.approx(row["expected_lift"], rel=0.2)
    tables = {(row.base_attribute, row.compared_attribute) for row in associations()}
    assert len(set(found.select("base_attribute", "compared_attribute").rows()) - tables) <= 4
