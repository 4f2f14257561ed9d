"""Word frequency and length as respondents: what they prefer by hand, and what is claimed where a model agrees."""

from __future__ import annotations

from math import log

import numpy as np
import polars as pl
import pytest

from endoxa.instruments.pairs.estimates import analyze_pairs
from endoxa.instruments.pairs.estimates import records as references
from endoxa.instruments.pairs.estimates.records import (
    FREQUENCY,
    LENGTH,
    Frequencies,
    check_records,
    lacking,
    scores_of,
)
from endoxa.instruments.pairs.report.preference import headline_of
from endoxa.instruments.pairs.report.results import Results, with_differences
from endoxa.instruments.pairs.report.sections import axes, headline, title
from support.analyze_fixtures import make_records

pytestmark = pytest.mark.slow

KNOWN = Frequencies(
    {"kind": log(0.01), "cruel": log(0.001), "very": log(0.02), "men": log(0.03)}, log(0.0001)
)


@pytest.fixture(autouse=True)
def own_list(monkeypatch):
    monkeypatch.setattr(references, "frequencies", {"en": KNOWN}.get)


def records(sentences, differences, **how):
    """Pairs of 12 identities; `sentences` are both, the stereotypical one first."""
    more, less = zip(*sentences, strict=True)
    made = make_records(
        {("m", "sum"): differences}, identity=[f"i{k // 2 % 12}" for k in range(len(more))], **how
    )
    return made.with_columns(sent_more=pl.Series(more), sent_less=pl.Series(less))


def test_values_by_hand():
    kind = ("Kind men.", "Cruel men!")
    table = records(
        [kind, ("Very kind", "kind, very"), ("Zounds men", "men kind"), kind],
        np.ones(4),
        language=["en", "en", "en", "sw"],
        stereotypical=["less", "more", "more", "more"],
    )
    checked = check_records(table).sort("item_id")
    assert checked["by_frequency"].to_list() == [pytest.approx(log(10)), 0.0, pytest.approx(log(0.01)), None]
    assert checked["by_length"].to_list() == [1.0, 1.0, -2.0, 1.0]
    (scores,) = scores_of(checked, 0)
    assert sorted(scores.sample.by_length) == [-2.0, -1.0, 1.0, 1.0]
    rows = analyze_pairs(table, resamples=100).estimates.filter(
        interval="identities", axis="all", language="all"
    )
    shares = {name: (value, n) for name, value, n in rows.select("name", "value", "n").iter_rows()}
    assert shares[FREQUENCY] == (pytest.approx(0.5 / 3), 3)
    assert shares[LENGTH] == (0.5, 4)


FREQUENT = ("Kind men are.", "Cruel men are here.")


@pytest.mark.parametrize(
    ("differences", "sentences", "names"),
    [
        (1.0, FREQUENT, "word frequency and length"),
        (1.0, ("Cruel men.", "Kind men ... ..."), "length"),
        (1.0, ("Kind men ... ...", "Cruel men."), "word frequency"),
        (-1.0, FREQUENT, ""),
    ],
)
def test_where_a_reference_has_the_same_verdict_nothing_more_is_claimed(differences, sentences, names):
    table = records([sentences] * 120, np.full(120, differences), axis=["age", "race"] * 60)
    analysis = analyze_pairs(table, resamples=100)
    tables = (analysis.estimates, analysis.comparisons, analysis.flips)
    results = Results("t", "t", with_differences(table), *tables, {"m": "m"}, 0.95)
    shown = headline_of(analysis.estimates)
    (row,) = shown.rows
    assert (row["verdict"], row["references"]) == ("above" if differences > 0 else "below", names)
    for text in (" ".join(shown.notes), str(headline(results).findings[0]), str(axes(results).findings[0])):
        assert ("so no stereotype is claimed" in text) == bool(names)
    assert ("than chance" in title(results)) != bool(names)


def test_what_is_compared_with_other_groups_owes_nothing_to_words():
    table = records([FREQUENT] * 60, np.ones(60), neutral=np.zeros(60))
    (row,) = headline_of(analyze_pairs(table, resamples=100).estimates).rows
    assert (row["name"], row["verdict"], row["references"]) == ("calibrated_preference_ratio", "above", "")


def test_languages_without_frequencies_are_named_and_those_with_lists_have_them(monkeypatch):
    assert lacking(["en"]) == ""
    assert lacking(["en", "sw-KE"]) == "Not compared with word frequency, for want of a list: Swahili."
    with monkeypatch.context() as patched:
        patched.setattr(references, "find_spec", lambda _name: None)
        assert "pip install" in lacking(["en"])
    pytest.importorskip("wordfreq")
    monkeypatch.undo()
    assert references.frequencies("hi") is not None
    english = references.frequencies("en")
    assert references.frequencies("sw") is None
    assert english.of("the") > english.of("nurse") > english.of("nurse aardvark") > english.of("nurse zqxjkv")
