"""Which preference decides, and kinds of pairs apart: planted models that only dislike negations."""

import numpy as np
import polars as pl
import pytest

from endoxa.instruments.pairs.estimates import analyze_pairs
from endoxa.instruments.pairs.estimates.inference import (
    calibration_decides,
    confounded,
    deciding,
    deciding_scores,
)
from endoxa.instruments.pairs.estimates.records import check_records, kinds_of, scores_of
from endoxa.instruments.pairs.report.preference import headline_of
from support.analyze_fixtures import make_records

CELL = ("model", "rule", "language", "axis")
PAIRS = 240
NEGATION = np.arange(PAIRS) % 2 == 0


def denying(calibrated=PAIRS, seed=1, lean=0.0):
    """A model that finds denied sentences improbable, whoever is meant: 2 nats for each negation, noise besides."""
    rng = np.random.default_rng(seed)
    neutral = np.where(NEGATION, 2.0, 0.0) + rng.normal(0, 0.5, PAIRS)
    difference = neutral + rng.normal(lean, 0.5, PAIRS)
    neutral[calibrated:] = np.nan
    return difference, neutral


def records(*models, **how):
    identity, frames = [f"people {k % 24}" for k in range(PAIRS)], []
    for name in models:
        difference, neutral = denying(seed=ord(name), **how)
        frames.append(make_records({(name, "sum"): difference}, identity=identity, neutral=neutral))
    kinds = np.where(NEGATION, "negation", "antonym").tolist()
    return pl.concat(frames).with_columns(kind=pl.Series(kinds * len(models)))


def test_a_dislike_of_negations_is_no_preference():
    analysis = analyze_pairs(records("m"), resamples=200)
    (row,) = deciding(analysis.estimates.filter(interval="identities", axis="all"), CELL).rows(named=True)
    assert row["name"] == "calibrated_preference_ratio"
    assert (row["verdict"], row["raw_verdict"]) == ("unclear", "above")
    assert row["raw"] > 0.65
    assert abs(row["value"] - 0.5) < 0.1
    by_kind = {
        name.removeprefix("preference_ratio_"): value
        for name, value in analysis.estimates.select("name", "value").rows()
        if name.startswith("preference_ratio_")
    }
    assert set(by_kind) == {"negation", "antonym"}
    assert by_kind["negation"] > 0.95
    assert abs(by_kind["antonym"] - 0.5) < 0.15
    # Both kinds together are all pairs, half each.
    assert sum(by_kind.values()) / 2 == pytest.approx(row["raw"])
    shown = headline_of(analysis.estimates)
    assert shown.rows[0]["verdict"] == "unclear"
    assert shown.rows[0]["raw"] == pytest.approx(row["raw"])
    assert "by kind of pair" in str(shown)


@pytest.mark.parametrize(("calibrated", "name"), [(120, "calibrated_"), (119, ""), (0, "")])
def test_half_of_the_pairs_must_be_calibrated(calibrated, name):
    analysis = analyze_pairs(records("a", "b", calibrated=calibrated), resamples=200)
    rows = deciding(analysis.estimates.filter(interval="identities", axis="all"), CELL)
    assert rows["name"].to_list() == [f"{name}preference_ratio"] * 2
    assert set(rows["n_all"]) == {PAIRS}
    assert set(rows["n"]) == {calibrated if name else PAIRS}
    compared = deciding(analysis.comparisons, ("model_a", "model_b", "language", "axis"))
    assert compared["name"].to_list() == [f"{name}preference_ratio"]
    assert calibration_decides(calibrated, PAIRS) == bool(name)


def test_kinds_are_those_that_builders_state_or_that_words_show():
    columns = ("language", "attribute_more", "attribute_less", "built_by", "words")
    cases = {
        ("en", "unkind", "kind", "endoxa build pairs", "pair templates:en;opposites:en"): "antonym",
        ("en", "always late", "never late", "endoxa build pairs", "pair templates:en"): "negation",
        ("en", "wise", "not wise", None, None): "negation",
        ("en", "unkind", "kind", None, None): "other",
        ("en", "wise", "foolish", None, None): "other",
        ("fr", "sages", "pas sages", "", ""): "negation",
        ("xx", "wise", "not wise", None, None): "other",
        ("en", None, None, None, None): "other",
    }
    table = pl.DataFrame(list(cases), schema=dict.fromkeys(columns, pl.String), orient="row")
    assert kinds_of(table).to_list() == list(cases.values())
    assert set(kinds_of(table.select("language"))) == {"other"}


@pytest.mark.parametrize(
    ("language", "more", "less", "denied"),
    [
        ("en", "late for work", "not late", 1.0),
        ("en", "not late", "late for work", -1.0),
        ("xx", "lata", "ne lata", 1.0),
    ],
)
def test_the_half_with_more_denials_denies_and_where_none_are_known_the_one_with_more_words(
    language, more, less, denied
):
    columns = {"language": language, "attribute_more": more, "attribute_less": less, "kind": "negation"}
    table = records("m").head(2).with_columns(**{name: pl.lit(text) for name, text in columns.items()})
    assert check_records(table)["denied"].to_list() == [denied] * 2


@pytest.mark.parametrize("calibrated", [PAIRS, 119])
def test_gate_and_study_take_what_decides(calibrated):
    """Scores of the calibrated pairs, the neutral difference taken off, or all scores as they are."""
    table = check_records(records("a", "b", calibrated=calibrated))
    scores = scores_of(table, 0)
    chosen, notes = deciding_scores(scores)
    decides = calibrated == PAIRS
    assert list(notes) == (["sum"] if decides else [])
    for before, after in zip(scores, chosen, strict=True):
        sample = before.sample
        expected = sample.difference - sample.neutral_difference if decides else sample.difference
        np.testing.assert_allclose(after.sample.difference, expected)
    if decides:
        share = (scores[0].sample.difference > 0).mean()
        assert f"a {100 * share:.1f} %" in notes["sum"]


@pytest.mark.parametrize(
    ("denied", "of_calibrated", "untested"),
    [
        *((1.0, False, True), (0.9, False, True), (0.7, False, False), (-1.0, False, True)),
        *((0.95, True, True), (-0.95, True, True), (0.5, True, False)),
    ],
)
def test_a_preference_of_denials_is_not_claimed(denied, of_calibrated, untested) -> None:
    """`denied`: share of pairs in which the other half is a denial, negative where the stereotypical one is."""
    halves = np.where(np.arange(PAIRS) < abs(denied) * PAIRS, np.sign(denied), 0.0)
    table = records("m", calibrated=PAIRS if of_calibrated else 0).with_columns(denied=pl.Series(halves))
    sample = scores_of(check_records(table), resamples=100)[0].sample
    why = confounded(sample, calibrated=of_calibrated)
    assert bool(why) == untested
    if of_calibrated:
        assert ("build pairs with opposites" in why) == untested
        assert not confounded(sample), "the raw preference is not what decides"
        estimates = analyze_pairs(table, resamples=200).estimates
        verdicts = estimates.filter(name="calibrated_preference_ratio")["verdict"]
        assert (set(verdicts) == {"cannot-be-tested"}) == untested
