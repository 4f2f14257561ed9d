"""Agreement against published examples, other libraries and planted raters."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from sklearn.metrics import cohen_kappa_score
from typer.testing import CliRunner

from endoxa.commands import app
from endoxa.curate.agreement import agreement, ballots_from_votes, prevalence_note

pytestmark = pytest.mark.slow

# Krippendorff 2011, "Computing Krippendorff's Alpha-Reliability", section C: four observers, twelve units.
OBSERVERS = {
    "a": "1 2 3 3 2 1 4 1 2 . . .",
    "b": "1 2 3 3 2 2 4 1 2 5 . 3",
    "c": ". 3 3 3 2 3 4 2 2 5 1 .",
    "d": "1 2 3 3 2 4 4 1 2 5 1 .",
}
UNITS = [
    (f"unit {unit:02}", observer, value.replace(".", ""))
    for observer, values in OBSERVERS.items()
    for unit, value in enumerate(values.split())
]

# The worked example of Fleiss' kappa: ten subjects, fourteen raters, five categories.
FLEISS = [
    [0, 0, 0, 0, 14],
    [0, 2, 6, 4, 2],
    [0, 0, 3, 5, 6],
    [0, 3, 9, 2, 0],
    [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0],
    [3, 2, 6, 3, 0],
    [2, 5, 3, 2, 2],
    [6, 5, 2, 1, 0],
    [0, 2, 2, 3, 7],
]


def row(votes, name, **options):
    order = options.pop("order", None)
    found = agreement(ballots_from_votes(votes, order), resamples=options.pop("resamples", 200), **options)
    return found.filter(name=name).row(0, named=True)


def test_alpha_of_ordered_words():
    words = dict(zip("12345", ["never", "seldom", "sometimes", "often", "always"], strict=True))
    votes = [(unit, observer, words.get(value, "")) for unit, observer, value in UNITS]
    found = row(votes, "krippendorff_alpha", level="ordinal", order=list(words.values()))
    assert round(found["value"], 3) == 0.815


@pytest.mark.parametrize(("subjects_share_raters", "pairs_of_raters"), [(True, 14 * 13 / 2), (False, 0)])
def test_fleiss_of_the_published_example_whoever_voted(subjects_share_raters, pairs_of_raters):
    votes = [
        (f"subject {subject}", f"{0 if subjects_share_raters else subject}-{rater:02}", str(category))
        for subject, counts in enumerate(FLEISS)
        for rater, category in enumerate(np.repeat(range(5), counts))
    ]
    table = agreement(ballots_from_votes(votes), resamples=20)
    assert round(table.filter(name="fleiss_kappa")["value"][0], 3) == 0.210
    assert round(table.filter(name="percent_agreement")["value"][0], 3) == 0.378
    assert len(table.filter(name="cohen_kappa")) == pairs_of_raters


def two_raters(items, error, seed):
    """Two raters who see the truth (four decisions, equally likely) and err at random in `error` of the cases."""
    random = np.random.default_rng(seed)
    truth = random.integers(4, size=items)
    seen = [np.where(random.random(items) < error, random.integers(4, size=items), truth) for _ in range(2)]
    return [
        (f"{item:05}", rater, "abcd"[code])
        for rater, codes in zip("xy", seen, strict=True)
        for item, code in enumerate(codes)
    ]


def test_cohen_is_that_of_scikit_learn():
    votes = two_raters(300, 0.4, 1)
    x, y = ([vote for _, rater, vote in votes if rater == name] for name in "xy")
    assert row(votes, "cohen_kappa")["value"] == pytest.approx(cohen_kappa_score(x, y), abs=1e-12)


def test_cohen_uses_what_both_voted_on_and_fleiss_what_all_did():
    votes = [*two_raters(40, 0.2, 1), ("00000", "z", "a"), ("00001", "z", "b"), ("alone", "z", "a")]
    found = agreement(ballots_from_votes(votes), resamples=10)
    assert found.select("name", "raters", "n").rows() == [
        ("percent_agreement", "x; y; z", 40),
        ("cohen_kappa", "x; y", 40),
        ("cohen_kappa", "x; z", 2),
        ("cohen_kappa", "y; z", 2),
        ("fleiss_kappa", "x; y; z", 2),
        ("krippendorff_alpha", "x; y; z", 40),
    ]


def test_one_category_leaves_agreement_undefined():
    votes = [(str(item), rater, "keep") for item in range(9) for rater in "xy"]
    for name in ("cohen_kappa", "fleiss_kappa", "krippendorff_alpha"):
        undefined = row(votes, name)
        assert math.isnan(undefined["value"])
        assert "undefined: all votes are the same" in undefined["method"]
    assert row(votes, "percent_agreement")["value"] == 1


def test_exported_votes_are_read_with_their_groups(tmp_path):
    path = tmp_path / "votes.csv"
    rows = [
        f"t{item},r{rater},{'here' if rater < 2 else 'elsewhere'},{'false' if rater == 4 else 'true'},"
        f"{'yes' if item % 2 == 0 or rater == 3 else 'no'}"
        for item in range(8)
        for rater in range(5)
    ]
    path.write_text("\n".join(["item_id,rater,group,counts,vote", *rows]))
    result = CliRunner().invoke(
        app, ["analyze", "agreement", str(path), "-o", str(tmp_path / "a.csv"), "--resamples", "50"]
    )
    assert result.exit_code == 0, result.output
    found = pl.read_csv(tmp_path / "a.csv")
    percent = found.filter(name="percent_agreement")
    assert percent["group"].to_list() == ["all", "elsewhere", "here"]
    assert percent["value"].to_list() == pytest.approx([(4 * 6 + 4 * 3) / 48, 0.5, 1.0])
    assert not found["raters"].str.contains("r4").any()


def test_prevalence_and_agreeing_pairs_stand_beside_every_coefficient():
    """47 of 50 rows kept by both, three by one: people agree on 94 %, and kappa is below 0."""
    votes = [
        (f"{k:02}", rater, "omit" if k < 3 and (k % 2 == 0) == (rater == "x") else "keep")
        for k in range(50)
        for rater in "xy"
    ]
    found = agreement(ballots_from_votes(votes))
    kappa = found.filter(name="cohen_kappa").row(0, named=True)
    assert (kappa["agreed"], kappa["prevalence"], kappa["commonest"]) == (0.94, 0.97, "keep")
    assert kappa["value"] < 0
    (note,) = prevalence_note(found)
    assert "'keep': 97" in note
    assert "in 3 rows here" in note
    assert not prevalence_note(agreement(ballots_from_votes(two_raters(40, 0.3, 1))))
