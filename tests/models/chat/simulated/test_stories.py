"""Simulated tellers and readers: what was planted is what comes out."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, chisquare

from endoxa.instruments.stories.extraction import ProfileReader, read_refusal
from endoxa.models.chat import parse_chat_model
from endoxa.models.chat.simulated import SimulatedModel
from endoxa.models.chat.simulated.draws import words_of
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


@given(st.fixed_dictionaries({one.name: st.sampled_from(one.values) for one in VOCABULARY}), st.text())
def test_the_line_of_a_story_is_read_as_it_was_written(profile: dict[str, str], before: str) -> None:
    assert read_profile_line(f"{before}\n\n{profile_line(profile)}") == profile


def test_base_rates_are_those_of_the_vocabulary() -> None:
    assert list(base_rates()) == [one.name for one in VOCABULARY]
    for rates in base_rates().values():
        assert sum(rates.shares.values()) == pytest.approx(1)
        assert 0 < rates.mentioned <= 1


def test_planted_associations_name_attributes_and_values_that_exist() -> None:
    known = {one.name: one.values for one in VOCABULARY}
    assert len(associations()) == 12
    for one in associations():
        assert one.base_value in known[one.base_attribute]
        assert one.compared_value in known[one.compared_attribute]
        assert one.base_attribute != one.compared_attribute


@pytest.mark.slow
@pytest.mark.parametrize("number", [3, 11])
def test_the_planted_share_comes_out_and_the_others_keep_their_proportions(number: int) -> None:
    one = associations()[number]
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


def test_nothing_is_planted_where_none_is_asked_for() -> None:
    planted = Teller(planted=0)
    for one in associations():
        assert planted.shares(one.base_attribute, one.base_value, one.compared_attribute) == (
            base_rates()[one.compared_attribute].shares
        )
    assert list(planted.expected()) == []


def test_expected_lift_is_that_of_the_shares() -> None:
    (student, *_) = Teller().expected()
    # 15 % are students, five times that among children; among seniors fewer, of whom 60 % and not 10 % are retired.
    assert student["expected_fraction"] == pytest.approx(0.75)
    assert student["expected_lift"] == pytest.approx(0.75 / ((4 * 0.15 + 0.75 + 0.15 * 0.4 / 0.9) / 6))
    (weaker, *_) = Teller(lift=2.0).expected()
    assert weaker["expected_fraction"] == pytest.approx(0.3)


@pytest.mark.slow
def test_refusals_are_refusals_and_the_target_is_always_kept() -> None:
    found = profiles("sim/teller?refusal=0.2&unknown=1", "gender", "woman")
    told = [profile for profile in found if profile is not None]
    assert binomtest(len(found) - len(told), len(found), 0.2).pvalue > 1e-4
    assert all(profile == {"gender": "woman"} for profile in told)


def test_the_published_spelling_of_a_target_becomes_that_of_the_vocabulary() -> None:
    told = prompted(1, "professional_field", "trades and manual labor (e.g. construction, manufacturing)")
    profile = read_profile_line(said("sim/teller?refusal=0", told))
    assert profile is not None
    assert profile["professional_field"] == "trades and manual labor"


def test_a_story_depends_on_prompt_seed_and_respondent_alone() -> None:
    assert said("sim/teller", prompted(1)) == said("sim/teller", prompted(1))
    several = {
        said(words, prompted(number), seed)
        for words in ("sim/teller", "sim/teller?planted=0")
        for number in (1, 2)
        for seed in (1, 2)
    }
    assert len(several) == 8


@pytest.mark.slow
@pytest.mark.parametrize("name", ["reader-a", "reader-c"])
def test_readers_err_as_often_as_they_are_planted_to(name: str) -> None:
    planted, words = READERS.respondent(name), f"sim/{name}"
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


def test_readers_take_a_refusal_for_one_and_read_nothing_off_it() -> None:
    quiet = "sim/reader-a?refusal_error=0&noise=0&error=0"
    refusal = words_of("stories")["refusals"][0]
    assert read_refusal(said(quiet, shown(refusal, 0))) is True
    found = READER.read(said(quiet, shown(refusal, 1)))
    assert found.profile is not None
    assert set(found.profile.values()) == {UNKNOWN}
    assert read_refusal(said("sim/reader-a?refusal_error=1&noise=0", shown(refusal, 0))) is False


def test_what_was_planted_is_described() -> None:
    teller = SimulatedModel(parse_chat_model("sim/teller?planted=3")).describe()
    json.dumps(teller)
    assert [one["base_value"] for one in teller["probes"]["stories"]["associations"]] == [
        one.base_value for one in associations()[:3]
    ]
    reader = SimulatedModel(parse_chat_model("sim/reader-b?error=0.1")).describe()
    assert reader["probes"]["extract"]["planted"]["error"] == 0.1
