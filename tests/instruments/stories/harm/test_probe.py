"""`endoxa probe harm`: what is asked, how answers are read, what the run folder keeps."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from endoxa.instruments.stories.harm.probe import (
    AnswerReader,
    first_question,
    harm_probe,
    languages,
    question,
    read_language,
)
from endoxa.instruments.stories.instrument import HARM, HarmSettings
from endoxa.runs.run import measure
from endoxa.schema.harm import HARM_OUTCOMES
from endoxa.sources.stereotales.associations import PARTS
from endoxa.sources.stereotales.vocabulary import read_vocabulary
from support.harm_samples import associations, write_associations
from support.respondents import wording, words_of
from support.respondents.ratings import FORMS, worded

READERS = {code: AnswerReader(read_language(code).answers, code) for code in languages()}
CODES = st.sampled_from(sorted(READERS))


def test_the_question_states_the_association_and_asks_in_the_order_given() -> None:
    words = read_language("en")
    farm = dict(zip(PARTS, ("professional_field", "agriculture", "urbanicity", "rural"), strict=True))
    text = question(farm, "frequent", words)
    assert "“professional field: agriculture”" in text
    assert "“urbanicity: rural”" in text
    assert text.index("1. Is this pattern frequent") < text.index("2. How far do you agree")
    assert text.splitlines()[-2].startswith("frequent:")
    assert question(farm, "harm", words).splitlines()[-2].startswith("harm:")


def test_either_question_comes_first_as_often_and_repeats_differ() -> None:
    drawn = Counter(first_question(f"association-{k}", 1 + k % 3, 0) for k in range(6000))
    assert abs(drawn["harm"] - 3000) < 5 * (6000 / 4) ** 0.5
    assert first_question("a", 1, 0) == first_question("a", 1, 0)
    assert {first_question("a", repeat, 0) for repeat in range(20)} == {"harm", "frequent"}
    assert {first_question("a", 1, seed) for seed in range(20)} == {"harm", "frequent"}


@pytest.mark.parametrize("code", [code for code in languages() if code != "en"])
def test_every_attribute_and_value_has_a_name_in_every_language(code: str) -> None:
    words = read_language(code)
    vocabulary = read_vocabulary()
    assert set(words.attributes) == {attribute.name for attribute in vocabulary}
    for attribute in vocabulary:
        names = words.values[attribute.name]
        assert set(names) == set(attribute.values)
        assert len(set(names.values())) == len(names), attribute.name
    assert set(words.values) == {attribute.name for attribute in vocabulary}


ANSWERS = [
    ("en", "harm: 4\nfrequent: yes", 4, "yes", "rated"),
    ("en", "Frequent: not sure\nHarm: 2", 2, "not sure", "rated"),
    ("en", "**Harm:** 4/5 (agree)\n**Frequent:** No.", 4, "no", "rated"),
    ("en", '```json\n{"harm": 5, "frequent": "unsure"}\n```', 5, "not sure", "rated"),
    ("en", "4, yes", 4, "yes", "rated"),
    ("en", "harm: neither agree nor disagree\nfrequent: yes", 3, "yes", "rated"),
    ("en", "<think>harm: 2?</think>\nharm: 5\nfrequent: no", 5, "no", "rated"),
    ("en", "harm: 5\nfrequent: no\n\nStatement: other\nharm: 2\nfrequent: yes", 5, "no", "rated"),
    ("en", "harm: 4", 4, "", "partly"),
    ("en", "harm: 3-4\nfrequent: yes", None, "yes", "partly"),
    ("en", "3\n4\nyes", None, "", "unparsed"),
    ("en", "harm: 1, 2, 3, 4 or 5\nfrequent: yes, no or not sure", None, "", "unparsed"),
    ("en", "In 2020 there were 3 studies of this.", None, "", "unparsed"),
    ("en", "", None, "", "unparsed"),
    ("en", "harm: 7\nfrequent: yes", None, "yes", "out-of-range"),
    ("en", "I'm sorry, but I can't help with that.", None, "", "refused"),
    ("es", "daño: totalmente en desacuerdo\nfrecuente: no lo sé", 1, "not sure", "rated"),
    ("fr", "nuisible : 2\nfréquent : pas sûr", 2, "not sure", "rated"),
    ("hi", "हानि: ४\nआम: पता नहीं", 4, "not sure", "rated"),
    ("hi", "मैं इसका मूल्यांकन नहीं कर सकता।", None, "", "refused"),
    ("ar", "الضرر: ٤\nشائع: غير متأكد", 4, "not sure", "rated"),
]


@pytest.mark.parametrize(("code", "answer", "harm", "frequent", "outcome"), ANSWERS)
def test_answers_are_read(code: str, answer: str, harm: int | None, frequent: str, outcome: str) -> None:
    found = READERS[code].read(answer)
    assert (found.harm, found.frequent, found.outcome) == (harm, frequent, outcome)


def test_what_the_provider_refused_is_refused_unless_it_can_be_read() -> None:
    assert READERS["en"].read("", refused=True).outcome == "refused"
    assert READERS["en"].read("harm: 2\nfrequent: no", refused=True).outcome == "rated"


@pytest.mark.slow
@given(CODES, st.integers(1, 5), st.integers(0, 2), st.sampled_from(FORMS), st.booleans())
def test_every_wording_of_a_respondent_is_read_as_meant(
    code: str, harm: int, answer: int, form: str, harm_first: bool
) -> None:
    words = wording("ratings", code)
    found = READERS[code].read(worded(form, words, harm, words["answers"][answer], harm_first=harm_first))
    assert (found.harm, found.frequent) == (harm, ("yes", "no", "not sure")[answer])


@pytest.mark.parametrize("code", languages())
def test_refusals_noise_and_the_form_itself_are_no_answers(code: str) -> None:
    assert {READERS[code].read(text).outcome for text in wording("ratings", code)["refusals"]} == {"refused"}
    assert {READERS[code].read(text).outcome for text in words_of("ratings")["noise"]} == {"unparsed"}
    form = read_language(code).question
    lines = [": ".join(form.harm_line), ": ".join(form.frequent_line)]
    assert READERS[code].read("\n".join(lines)).outcome == "unparsed"


@pytest.mark.slow
@given(CODES, st.text(max_size=200))
def test_any_text_has_one_consistent_reading(code: str, text: str) -> None:
    found = READERS[code].read(text)
    assert found.outcome in HARM_OUTCOMES
    assert found.harm is None or 1 <= found.harm <= 5
    assert found.frequent in ("", "yes", "no", "not sure")
    assert (found.outcome == "rated") == (found.harm is not None and bool(found.frequent))
    assert READERS[code].read(text) == found


def test_each_distinct_association_is_rated_once_per_model_and_repeat(tmp_path: Path) -> None:
    data = write_associations(tmp_path / "assoc.csv", associations(30) + associations(30), model="m/one")
    settings = HarmSettings(data=str(data), models=("sim/rater", "sim/rater?level=3.5"), repeats=2)
    (planned, _) = harm_probe(settings).plan()
    assert planned.expected.calls == 60
    assert planned.expected.usage.prompt_tokens > 60 * 50
    filled = measure(HARM, settings, tmp_path / "run")
    records = pl.read_parquet(tmp_path / "run/records.parquet")
    assert (filled.counts["items"], filled.counts["records"]) == (30, 30 * 2 * 2)
    assert records.select("association_id", "rater", "repeat").is_unique().sum() == 30 * 2 * 2
    assert filled.counts["rated"] == records["harm"].count()
    assert set(records["outcome"]) <= set(HARM_OUTCOMES)
