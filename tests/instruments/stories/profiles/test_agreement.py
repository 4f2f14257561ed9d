"""Agreement of extractors from the votes in records, with planted errors; alpha: tests/stats/test_agreement.py."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from endoxa.instruments.stories.coding import agreement_table
from endoxa.instruments.stories.extraction import Vote, decide
from endoxa.schema.stories import AGREEMENT_MEASURES, EXTRACTION_ESTIMATE_COLUMNS
from endoxa.sources.stereotales.profiles import UNKNOWN
from endoxa.sources.stereotales.vocabulary import Attribute
from endoxa.stats.agreement import alpha

COLOURS = (Attribute("colour", ("red", "blue"), other=True),)
RED, BLUE, LIME = (False, "red"), (False, "blue"), (False, "lime")


def record(story: dict[str, tuple[bool | None, str | None]]) -> dict[str, object]:
    """What `probe extract` writes of a story's votes; 'lime' is in no list."""
    votes = {
        name: Vote(refusal, None if colour is None else {"colour": UNKNOWN if colour == "lime" else colour})
        for name, (refusal, colour) in story.items()
    }
    return {
        "refusal": int(decide(votes, COLOURS).refusal),
        "votes_json": json.dumps({name: vote.profile for name, vote in votes.items()}),
        "refusal_votes_json": json.dumps({name: vote.refusal for name, vote in votes.items()}),
        "unlisted_json": json.dumps(
            {name: ["colour"] for name, (_, colour) in story.items() if colour == "lime"}
        ),
    }


def counted(*stories: dict[str, tuple[bool | None, str | None]]) -> dict[tuple[str, str], dict[str, float]]:
    """Rows by attribute and name."""
    table = agreement_table(COLOURS, 3, map(record, stories), 0)
    assert tuple(table.columns) == tuple(EXTRACTION_ESTIMATE_COLUMNS)
    rows = {(row["attribute"], row["name"]): row for row in table.iter_rows(named=True)}
    assert [name for attribute, name in rows if attribute == "colour"] == list(AGREEMENT_MEASURES)
    assert [name for attribute, name in rows if attribute == "refusal"] == list(AGREEMENT_MEASURES)[:3]
    return rows


def by_letter(*units: str) -> np.ndarray:
    values = sorted({vote for unit in units for vote in unit})
    return np.array([[unit.count(value) for value in values] for unit in units])


def test_everything_is_counted_and_nothing_left_out_silently() -> None:
    rows = counted(
        {"a": RED, "b": RED, "c": BLUE},
        {"a": RED, "b": BLUE, "c": (False, "other")},
        {"a": RED, "b": BLUE, "c": (None, None)},
        {"a": (False, UNKNOWN), "b": (False, UNKNOWN), "c": RED},
        {"a": (True, UNKNOWN), "b": (True, UNKNOWN), "c": RED},
        {},
    )
    assert rows["refusal", "alpha"]["n"] == 5  # nobody was asked about the last one
    expected = {
        ("refusal", "unparsed"): (1 / 15, 15),
        ("colour", "ties"): (2 / 4, 4),  # the refusal is not about colours
        ("colour", "unknown"): (3 / 4, 4),
        ("colour", "other"): (0, 4),
        ("colour", "unparsed"): (1 / 12, 12),
        ("colour", "alpha"): (alpha(by_letter("rrb", "rbo", "rb", "uur")), 4),
        ("colour", "alpha_known"): (alpha(by_letter("rrb", "rbo", "rb")), 3),
        ("colour", "agreement"): ((1 / 3 + 0 + 0 + 1 / 3) / 4, 4),
    }
    for name, values in expected.items():
        assert (rows[name]["value"], rows[name]["n"]) == pytest.approx(values), name
    assert rows["colour", "alpha"]["low"] is None  # four stories give no interval


def test_what_is_in_no_list_is_counted() -> None:
    rows = counted({"a": LIME, "b": RED, "c": RED}, {"a": LIME, "b": LIME, "c": RED})
    assert rows["colour", "unlisted"]["value"] == pytest.approx(3 / 6)


def test_no_story_and_one_story_give_empty_cells() -> None:
    empty = counted()
    assert empty["colour", "alpha"]["value"] is None
    assert empty["colour", "ties"]["value"] is None
    single = counted({"a": RED, "b": BLUE, "c": BLUE})
    assert single["colour", "alpha"]["n"] == 1
    assert single["colour", "alpha"]["low"] is None
    assert math.isclose(single["colour", "agreement"]["value"], 1 / 3)
    same = counted(*[{"a": RED, "b": RED, "c": RED}] * 9)
    assert same["colour", "alpha"]["value"] is None  # nothing varies
    assert same["colour", "agreement"]["value"] == 1
