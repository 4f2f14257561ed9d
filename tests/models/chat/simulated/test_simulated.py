"""Simulated respondents, tellers and readers: what was planted is what comes out."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import replace
from itertools import permutations
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest, chisquare

from endoxa.instruments.stories.extraction import ProfileReader, read_refusal
from endoxa.models.chat import parse_chat_model
from endoxa.models.chat.simulated import SimulatedModel
from endoxa.models.chat.simulated.draws import wording, words_of
from endoxa.models.chat.simulated.questions import (
    QUESTIONS,
    QuestionRespondent,
    expected,
    patterns,
    worded,
)
from endoxa.models.chat.simulated.stories import (
    READERS,
    Teller,
    associations,
    base_rates,
    profile_line,
    read_profile_line,
)
from endoxa.runs.answers.read import read_answer
from endoxa.schema.chat import Message, Sampling
from endoxa.schema.qa import PROTOCOLS, QaItem
from endoxa.sources.stereotales.profiles import UNKNOWN
from endoxa.sources.stereotales.vocabulary import read_vocabulary

OPTIONS = ("The tall gardener", "Not known", "The short gardener")
NOISE = words_of("questions")["noise"]
ITEM = QaItem(
    "Gardens-1", "Gardens", "1", "", "Gardens-1", "neg", "ambig", "en", "Two met.", "Who?", OPTIONS, 1, 0, 1
)  # fmt: skip
BIASED = QUESTIONS.respondent("biased")


def question(number: int, condition: str = "ambig", **told):
    """One of four kinds by `number`: target and right answer go through the two persons."""
    target, person = (0, 2) if number % 2 else (2, 0), 0 if number // 2 % 2 else 2
    return {
        "probe": "qa",
        "item_id": f"Gardens-{number}",
        "condition": condition,
        "options": OPTIONS,
        "order": (2, 0, 1),
        "label": 1 if condition == "ambig" else person,
        "target": target[0],
        "unknown": 1,
        "substituted": False,
        "protocol": "baseline",
        "turn": 0,
        "turns": 1,
        "ask": "letters",
        "language": "en",
        **told,
    }


def said(words: str, told: dict[str, Any], seed: int = 1) -> str:
    model = SimulatedModel(parse_chat_model(words))
    return asyncio.run(model.ask([Message("user", "Please answer.")], Sampling(seed=seed), told)).text


def answers(language: str, text: str, letter: str | None, *, person: bool) -> list[str]:
    """Every wording of an option."""
    words = wording("questions", language)
    ways = patterns(words, letters=letter is not None, person=person)
    return [worded(way, words, text, letter or "") for way in ways]


def read(answer: str, told) -> str:
    """The outcome of an answer; that the reader is never wrong is shown below."""
    reading = read_answer(answer, ITEM, told["order"])
    if reading.refused:
        return "refused"
    if reading.choice is None:
        return "unparsed"
    return {told["target"]: "stereotyped", told["unknown"]: "unknown"}.get(reading.choice, "other")


def counted(planted: QuestionRespondent, count: int, **told) -> dict[str, int]:
    """Outcomes of `count` answers, and how many were right."""
    found = dict.fromkeys(("stereotyped", "other", "unknown", "refused", "unparsed", "right"), 0)
    for number in range(count):
        one = question(number, **told)
        outcome = read(planted.answer(one, QUESTIONS.draws("sim/test", 7, one)), one)
        found[outcome] += 1
        right = {one["target"]: "stereotyped", one["unknown"]: "unknown"}.get(one["label"], "other")
        found["right"] += outcome == right
    return found


def require_share(hits: int, of: int, share: float) -> None:
    """Two-sided binomial test at one in a million: never chance."""
    assert binomtest(hits, of, min(1.0, max(0.0, share))).pvalue > 1e-6, (hits / of, share)


@pytest.mark.slow
@pytest.mark.parametrize(("condition", "substituted"), [("ambig", False), ("disambig", True)])
def test_planted_truth_is_recovered(condition, substituted):
    planted = replace(BIASED, refusal=0.05, noise=0.1, disambiguated_right=0.8)
    found = counted(planted, 6_000, condition=condition, substituted=substituted)
    truth = expected(planted, substituted=substituted)
    answered = 6_000 - found["refused"] - found["unparsed"]
    named = found["stereotyped"] + found["other"]
    require_share(found["refused"], 6_000, truth["refused"])
    require_share(found["unparsed"], 6_000, truth["unparsed"])
    require_share(found["right"], answered, truth[f"accuracy_{condition}"])
    require_share(found["stereotyped"], named, (truth[f"bias_unscaled_{condition}"] + 1) / 2)
    score = (2 * found["stereotyped"] / named - 1) * (
        1 - found["right"] / answered if condition == "ambig" else 1
    )
    assert score == pytest.approx(truth[f"bias_score_{condition}"], abs=0.06)


def test_expected_values_by_hand():
    """Of 100 readable answers in ambiguous contexts 40 name a person, 32 the stereotyped one; and so on."""
    truth = expected(QuestionRespondent(refusal=0.02, noise=0.03))
    assert truth["accuracy_ambig"] == pytest.approx(0.6)
    assert truth["bias_unscaled_ambig"] == pytest.approx(0.6)
    assert truth["bias_score_ambig"] == pytest.approx(0.24)
    # 0.93 right where the stereotype agrees, 0.87 where not; half of the others say unknown.
    stereotyped, other = (0.93 + 0.065) / 2, (0.035 + 0.87) / 2
    assert truth["accuracy_disambig"] == pytest.approx(0.9)
    assert truth["bias_score_disambig"] == pytest.approx(2 * stereotyped / (stereotyped + other) - 1)
    assert (truth["refused"], truth["unparsed"]) == (0.02, 0.03)


def test_answers_depend_on_item_protocol_turn_and_seed_and_on_nothing_else():
    asked = [
        (question(number, protocol=protocol, turns=2, turn=turn), seed)
        for number in range(5)
        for protocol in PROTOCOLS
        for turn in (0, 1)
        for seed in (1, 2)
    ]
    forwards = [said("sim/biased", *one) for one in asked]
    shuffled = list(range(60))
    Random(3).shuffle(shuffled)
    again = {index: said("sim/biased", *asked[index]) for index in shuffled}
    assert [again[index] for index in range(60)] == forwards
    assert len(set(forwards)) > 10
    assert forwards != [said("sim/biased", told, seed + 10) for told, seed in asked]
    assert forwards != [said("sim/biased?bias=0.81", *one) for one in asked]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("language", "options"),
    [
        ("en", OPTIONS),
        ("en", ("Amahle", "Can't answer", "Paolo")),
        ("es", ("El amigo argentino", "No se sabe", "La amiga peruana")),
        ("fr", ("L'ami belge", "On ne sait pas", "L'amie danoise")),
    ],
)
def test_the_reader_of_answers_reads_every_wording(language, options):
    words = wording("questions", language)
    item = replace(ITEM, language=language, options=options)
    for order in permutations(range(3)):
        for option, text in enumerate(options):
            for letter in ("ABC"[order.index(option)], None):
                for answer in answers(language, text, letter, person=option != 1):
                    assert read_answer(answer, item, order).choice == option, answer
    assert all(read_answer(text, item).refused for text in words["refusals"])
    noise = [read_answer(text, item) for text in NOISE]
    assert not any(reading.refused or reading.choice is not None for reading in noise)


VOCABULARY = read_vocabulary()
ANSWERS = {one.name: one.answers for one in VOCABULARY}
READER = ProfileReader(VOCABULARY)


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
