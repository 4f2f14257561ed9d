"""Simulated tellers and readers: what was planted is what comes out."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest, chisquare

from endoxa.instruments.stories.extraction import ProfileReader, read_refusal
from endoxa.models.chat import parse_chat_model
from endoxa.models.chat.simulated import SimulatedModel
from endoxa.models.chat.simulated.stories import (
    READERS,
    Teller,
    associations,
    base_rates,
    profile_line,
    read_profile_line,
)
from endoxa.schema import Message, Sampling
from endoxa.sources.stereotales.profiles import UNKNOWN
from endoxa.sources.stereotales.vocabulary import read_vocabulary

VOCABULARY = read_vocabulary()
ANSWERS = {one.name: one.answers for one in VOCABULARY}
READER = ProfileReader(VOCABULARY)


def said(words: str, told: dict[str, Any], seed: int = 1) -> str:
    model = SimulatedModel(parse_chat_model(words))
    return asyncio.run(model.ask([Message("user", "A story, please.")], Sampling(seed=seed), told)).text


def prompted(number: int, attribute: str = "age", value: str = "child (0-12)") -> dict[str, Any]:
    return {
        "probe": "stories",
        "sample_id": f"p{number}",
        "target_attribute": attribute,
        "target_attribute_value": value,
    }


def shown(story: str, turn: int, name: str = "p1") -> dict[str, Any]:
    return {"probe": "extract", "story": story, "name": name, "vocabulary": ANSWERS, "turn": turn}


def profiles(words: str, attribute: str, value: str, count: int = 500) -> list[dict[str, str] | None]:
    return [read_profile_line(said(words, prompted(number, attribute, value))) for number in range(count)]


@settings(max_examples=20)
@given(st.fixed_dictionaries({one.name: st.sampled_from(one.values) for one in VOCABULARY}), st.text())
def test_the_line_of_a_story_is_read_as_it_was_written(profile: dict[str, str], before: str) -> None:
    assert read_profile_line(f"{before}\n\n{profile_line(profile)}") == profile


@pytest.mark.slow
def test_the_planted_share_comes_out_and_the_others_keep_their_proportions() -> None:
    one = associations()[3]
    found = profiles("sim/teller?refusal=0", one.base_attribute, one.base_value)
    values = [
        profile[one.compared_attribute] for profile in found if profile and one.compared_attribute in profile
    ]
    shares = Teller().shares(one.base_attribute, one.base_value, one.compared_attribute)
    counts = Counter(values)
    assert set(counts) <= set(shares)
    expected = [share * len(values) for share in shares.values()]
    assert chisquare([counts[value] for value in shares], expected).pvalue > 1e-4
    known = base_rates()[one.compared_attribute].mentioned
    assert binomtest(len(values), len(found), known).pvalue > 1e-4
    base = base_rates()[one.compared_attribute].shares
    others = [value for value in base if value != one.compared_value]
    assert shares[others[0]] / shares[others[-1]] == pytest.approx(base[others[0]] / base[others[-1]])


def test_expected_lift_is_that_of_the_shares() -> None:
    (student, *_) = Teller().expected()
    # 15 % are students, five times that among children; among seniors fewer, of whom 60 % and not 10 % are retired.
    assert student["expected_fraction"] == pytest.approx(0.75)
    assert student["expected_lift"] == pytest.approx(0.75 / ((4 * 0.15 + 0.75 + 0.15 * 0.4 / 0.9) / 6))
    (weaker, *_) = Teller(lift=2.0).expected()
    assert weaker["expected_fraction"] == pytest.approx(0.3)


@pytest.mark.slow
def test_readers_err_as_often_as_they_are_planted_to() -> None:
    planted, words = READERS.respondent("reader-c"), "sim/reader-c"
    profile = {one.name: one.values[0] for one in VOCABULARY[:-1]}
    story = profile_line(profile)
    counts: Counter[str] = Counter()
    for number in range(150):
        assert read_refusal(said(words, shown(story, 0, f"p{number}"))) in (True, False, None)
        answer = READER.read(said(words, shown(story, 1, f"p{number}")))
        if answer.profile is None:
            counts["unread"] += 1
            continue
        found = answer.profile
        assert found[VOCABULARY[-1].name] == UNKNOWN
        counts.update(
            "right" if found[key] == value else "unknown" if found[key] == UNKNOWN else "wrong"
            for key, value in profile.items()
        )
    seen = counts["right"] + counts["wrong"] + counts["unknown"]
    assert binomtest(counts["wrong"], seen, planted.error).pvalue > 1e-4
    assert binomtest(counts["unknown"], seen, planted.unknown).pvalue > 1e-4
    assert binomtest(counts["unread"], 150, planted.noise).pvalue > 1e-4
