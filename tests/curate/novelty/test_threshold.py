"""The threshold by labelled pairs: Youden's J, folds without shared texts, intervals, and labels that do not fit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import roc_curve

from endoxa.curate.novelty.labels import (
    Labels,
    _groups,
    best_cut,
    calibrate,
    cross_validated,
    cuts,
    read_labels,
    warnings,
)
from endoxa.errors import UserError
from support.toy_vectors import TableEncoder, ToyEncoder, cos

pytestmark = pytest.mark.slow


def planted(n, rng, noise=0.05, cut=0.6):
    """Related from `cut` on, but for a share of wrong answers."""
    cosine = np.round(rng.uniform(0.1, 1, n), 6)
    related = (cosine >= cut) ^ (rng.random(n) < noise)
    return cosine, related


def labels(related, pairs=None):
    """Labels of pairs that share no text, unless pairs are given."""
    pairs = pairs or [(f"a{k}", f"b{k}") for k in range(len(related))]
    return Labels(tuple(((one,), (other,)) for one, other in pairs), np.array(related, dtype=bool))


def test_youden_by_hand():
    """Related 0.4, 0.7, 0.8, 0.9; unrelated 0.1, 0.2, 0.3, 0.5, 0.6. At 0.65: 3/4 + 5/5 - 1 = 0.75."""
    cosine = np.array([0.4, 0.7, 0.8, 0.9, 0.1, 0.2, 0.3, 0.5, 0.6])
    related = np.array([True] * 4 + [False] * 5)
    found = calibrate(labels(related), cosine)
    assert (found["threshold"], found["youden_j"]) == pytest.approx((0.65, 0.75))
    assert (found["sensitivity"], found["specificity"]) == pytest.approx((0.75, 1.0))
    table = cuts(cosine, related)
    assert table.columns == ["threshold", "youden_j", "sensitivity", "specificity"]
    assert table["threshold"].to_list() == pytest.approx(
        [0.1, 0.15, 0.25, 0.35, 0.45, 0.55, 0.65, 0.75, 0.85]
    )
    assert table["youden_j"].to_list() == pytest.approx([0, 0.2, 0.4, 0.6, 0.35, 0.55, 0.75, 0.5, 0.25])


scores = st.lists(st.tuples(st.integers(0, 12), st.booleans()), min_size=2, max_size=40).filter(
    lambda pairs: len({answer for _, answer in pairs}) == 2
)


@settings(max_examples=40)
@given(scores)
def test_j_is_that_of_scikit_learn(pairs):
    cosine = np.array([score for score, _ in pairs]) / 12
    related = np.array([answer for _, answer in pairs])
    false_alarms, found, _ = roc_curve(related, cosine, drop_intermediate=False)
    table = cuts(cosine, related)
    assert table["youden_j"].max() == pytest.approx(max((found - false_alarms).max(), 0))
    cut = best_cut(cosine, related)["threshold"]
    decided = cosine >= cut
    assert decided[related].mean() - decided[~related].mean() == pytest.approx(table["youden_j"].max())


def test_reversed_labels_are_refused():
    cosine = np.linspace(0.1, 0.9, 20)
    with pytest.raises(UserError, match="not higher than those of unrelated"):
        calibrate(labels(cosine < 0.5), cosine)


def test_no_text_stands_on_both_sides():
    """A text is either always related or never, whatever its cosine: only who has seen it before can know."""
    rng = np.random.default_rng(4)
    first = np.repeat(np.arange(30), 8)
    second = 30 + np.arange(240)
    related = np.repeat(rng.random(30) < 0.5, 8)
    # The cosine names the text, not the answer: a rule that saw the text's other pairs could be right.
    cosine = np.repeat(rng.uniform(size=30), 8) + rng.uniform(0, 1e-4, 240)
    kept = cross_validated(cosine, related, first, second)
    assert np.isfinite(kept).all()
    assert kept.mean() < 0.75
    groups = _groups(first, second)
    assert groups.max() + 1 == 30
    assert all(len(np.unique(groups[first == text])) == 1 for text in range(30))


def test_texts_that_all_hang_together_are_still_tested():
    """Every pair of 24 texts: one group. Texts are put into folds, pairs between two folds are left out."""
    first, second = np.triu_indices(24, 1)
    rng = np.random.default_rng(5)
    cosine = rng.uniform(size=len(first))
    related = cosine > 0.5
    found = cross_validated(cosine, related, first.astype(np.int64), second.astype(np.int64))
    assert np.isfinite(found).mean() > 0.9
    assert np.nanmean(found) > 0.95
    pairs = [(f"t{a}", f"t{b}") for a, b in zip(first, second, strict=True)]
    whole = calibrate(labels(related, pairs), cosine)
    assert (whole["groups"], whole["texts"], whole["n"]) == (1, 24, 276)
    assert np.isnan(whole["accuracy_low"])
    assert any("share too many texts" in text for text in warnings(whole))


def test_few_labels_are_said():
    cosine = np.linspace(0.01, 0.4, 40)
    found = calibrate(labels(cosine > 0.325), cosine)
    assert any("Only 8 of 40 labelled pairs are related" in text for text in warnings(found))


def written(folder, text, name="labels.csv"):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_each_pair_counts_once(tmp_path):
    found = read_labels(
        written(
            tmp_path,
            "text_a,text_b,related\nLazy,idle,yes\nidle.,LAZY,1\nlazy,idle,TRUE\nkind,cruel,no\nkind,Kind,yes\nx,y,\n",
        )
    )
    assert found.pairs == ((("lazy",), ("idle",)), (("kind",), ("cruel",)))
    assert found.related.tolist() == [True, False]
    assert (found.repeated, found.equal, found.unlabelled) == (2, 1, 1)


def test_cosines_of_labels_are_those_of_the_comparison(tmp_path):
    head = "text_a,text_b,related,identity_a,attribute_a,identity_b,attribute_b\n"
    path = written(tmp_path, head + "x,y,yes,P,lazy,Q,idle\nx,z,no,P,lazy,P,kind\n")
    angles = {"p": 0, "q": 30, "lazy": 0, "idle": 10, "kind": 80}
    found = read_labels(path, "association")
    assert found.cosines(ToyEncoder(angles)) == pytest.approx([cos(30), cos(80)], abs=1e-6)
    plain = read_labels(written(tmp_path, "text_a,text_b,related\na,b,1\na,c,0\n", "p.csv"))
    table = {"a": [1, 0], "b": [0.6, 0.8], "c": [0, 1]}
    assert plain.cosines(TableEncoder(table)) == pytest.approx([0.6, 0])


def test_a_planted_cut_is_found():
    rng = np.random.default_rng(1)
    errors = []
    for seed in range(30):
        cosine, related = planted(256, rng)
        found = calibrate(labels(related), cosine, seed=seed)
        errors.append(found["threshold"] - 0.6)
        assert found["accuracy_low"] <= found["accuracy"] <= found["accuracy_high"]
    assert np.abs(np.mean(errors)) < 0.02
