"""Languages of short statements."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from endoxa.curate.language import Identified, identify

ENGLISH = ["Bakers are kind", "Cooks are loud", "Old people tell long stories", "Farmers get up early"]
FRENCH = ["Les boulangers sont gentils", "Les vieux racontent des histoires", "Les jeunes aiment la musique"]


def codes(found):
    return [one.code for one in found]


@pytest.mark.slow
def test_short_statement_follows_the_others_of_its_respondent():
    # "Important" is a word of both languages.
    texts = [*ENGLISH, "Important", *FRENCH, "Important"]
    people = ["1"] * 5 + ["2"] * 4
    assert codes(identify(texts, people, ["en", "fr"])) == ["en"] * 5 + ["fr"] * 4


def test_confidence_is_a_probability_and_one_candidate_is_certain():
    assert all(0.5 < one.confidence <= 1 for one in identify(ENGLISH, ["1"] * 4, ["en", "fr"]))
    assert identify(["Bakers are kind"], ["1"], ["wo"]) == [Identified("wo", 1.0)]
    assert identify([], [], ["en", "fr"]) == []


@pytest.mark.slow
@pytest.mark.parametrize(("candidates", "floor"), [(["en", "fr"], 0.995), ([], 0.98)])
def test_published_survey(shared, candidates, floor):
    """Reference: function-word counts, the respondent's majority as tie-break (README of the data)."""
    gold = pl.read_csv(shared / "data/afristereo/gold_dev.csv", infer_schema=False).head(600)
    found = identify(gold["original_statement"].to_list(), gold["respondent"].to_list(), candidates)
    right = np.mean([a == b for a, b in zip(codes(found), gold["language"], strict=True)])
    assert right >= floor
    alone = np.mean(gold["authors_langdetect"].to_numpy() == gold["language"].to_numpy())
    assert right > alone
