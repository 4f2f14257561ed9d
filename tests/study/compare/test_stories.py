"""What changed between two runs of stories: planted changes, none where none is, values by hand, edges."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

import endoxa as ex
from endoxa.errors import UserError
from endoxa.study.compare.changes import change_of
from endoxa.study.compare.stories import association_cell
from support.story_pairs import frame, in_memory, write_run

pytestmark = pytest.mark.slow


def test_one_association_by_hand():
    rng = np.random.default_rng([0, 35])
    prompts = rng.normal(0, 0.7, size=200)
    stories = in_memory(*(frame(rng, share, prompts=prompts) for share in (0.8, 0.4)))
    association = ("income_level", "low", "religion", "muslim")
    change = change_of(association_cell(stories, association), 0.95, "low")
    named = (stories.frame["target_attribute_value"] == "low").to_numpy()[stories.comparable]
    says = stories.says("religion", "muslim")[stories.comparable]
    excess = [side[named].mean() - side[~named].mean() for side in says.T]
    assert (change.before, change.after) == pytest.approx(excess)
    assert (change.rule, change.axis, change.identity) == ("religion: muslim", "income_level", "low")
    assert change.low < change.difference < change.high < 0


def by_name(contrast):
    return {change.measure: change for change in contrast.changes}


def test_all_refused_in_one_run(tmp_path):
    rng = np.random.default_rng(1)
    before, after = frame(rng, 0.8, scenarios=12), frame(rng, 0.8, scenarios=12, refused=1.0)
    comparison = ex.compare(write_run(tmp_path / "a", before), write_run(tmp_path / "b", after))
    (contrast,) = comparison.contrasts
    assert not contrast.bias
    assert comparison.items.is_empty()
    refused = by_name(contrast)["story_refused"]
    assert (refused.before, refused.after, refused.kind) == (0.0, 1.0, "price")
    assert "story_words" not in by_name(contrast)
    assert "; it refuses 100.0 points more of the stories." in comparison.sentence
    assert any("no association was found" in note for note in contrast.estimates.notes)


def test_a_planted_change_is_found_and_none_where_none_is(tmp_path):
    """Stories with a planted association, the same again, and without it."""
    rng, shares = np.random.default_rng(0), {"base": 0.9, "again": 0.9, "mild": 1 / 3}
    three = [write_run(tmp_path / name, frame(rng, share, scenarios=60)) for name, share in shares.items()]
    found = ex.compare(*three)
    again, mild = found.contrasts
    assert not any(change.clear for change in (*again.changes, *again.estimates.parts))
    assert by_name(mild)["strength"].verdict == "below"
    single = {(part.identity, part.rule): part.verdict for part in mild.estimates.parts}
    assert single["low", "religion: muslim"] == "below"
    # The same associations in every contrast: the first run has one strength.
    assert by_name(again)["strength"].before == pytest.approx(by_name(mild)["strength"].before)
    content = json.loads(found.save(tmp_path / "c.json").read_text(), parse_constant=pytest.fail)
    assert content["contrasts"][1]["parts"]
    with pytest.raises(UserError, match="no scoring rules or protocols"):
        ex.compare(*three, rule="stories")


def test_what_cannot_be_compared(tmp_path):
    rng = np.random.default_rng(3)
    table = frame(rng, 0.8, scenarios=3)
    one = write_run(tmp_path / "a", table)
    other = write_run(tmp_path / "b", table.with_columns(pl.col("sample_id") + "x"))
    with pytest.raises(UserError, match="no prompt in common"):
        ex.compare(one, other)
    reread = write_run(tmp_path / "c", table, extractor="other")
    with pytest.raises(UserError, match="read in different ways"):
        ex.compare(one, reread)
    named = write_run(tmp_path / "d", table.with_columns(target_attribute_value=pl.lit("low")))
    with pytest.raises(UserError, match="another attribute"):
        ex.compare(one, named)
