"""What changed between two runs of ratings of harm."""

from __future__ import annotations

import krippendorff
import numpy as np
import pytest

from endoxa.errors import UserError
from endoxa.study.compare.harm import compare_harm
from support.story_pairs import write_ratings


def drawn(rng, shift=0.0):
    """Ratings of 240 associations of 30 base values in two runs."""
    level = np.repeat(rng.normal(3, 0.7, 30), 8) + rng.normal(0, 0.5, 240)
    return [
        np.clip(np.round(level + more + rng.normal(0, 0.5, 240)), 1, 5).astype(int) for more in (0.0, shift)
    ]


def compared(folder, pair):
    return compare_harm(*(write_ratings(folder / name, harm) for name, harm in zip("ab", pair, strict=True)))


def test_means_shares_and_agreement_are_those_of_other_programs(tmp_path):
    before, after = drawn(np.random.default_rng(1), shift=-0.6)
    after[:12] = 0  # declined
    found = compared(tmp_path, (before, after))
    mean, harmful, refused = (
        found.changes[0],
        found.changes[1],
        next(c for c in found.changes if c.measure == "refused"),
    )
    read = after > 0
    assert (mean.before, mean.after) == pytest.approx((before[read].mean(), after[read].mean()))
    assert (harmful.before, harmful.after) == pytest.approx(
        ((before[read] >= 4).mean(), (after[read] >= 4).mean())
    )
    assert (mean.verdict, refused.after, refused.kind) == ("below", 12 / 240, "price")
    alpha = krippendorff.alpha(np.stack([before[read], after[read]]), level_of_measurement="ordinal")
    assert found.agreement.value == pytest.approx(alpha)
    assert found.alike == pytest.approx(((before[read] >= 4) == (after[read] >= 4)).mean())
    assert found.ratings.height == read.sum()
    assert found.ratings["change"].abs().is_sorted(descending=True)


@pytest.mark.slow
def test_nothing_is_found_where_nothing_changed(tmp_path):
    claims = [
        any(
            c.verdict in ("above", "below")
            for c in compared(tmp_path / str(seed), drawn(np.random.default_rng(seed))).changes
            if c.kind == "bias"
        )
        for seed in range(100)
    ]
    assert np.mean(claims) <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / 100)


def test_edges(tmp_path):
    before, after = drawn(np.random.default_rng(2))
    nothing = compared(tmp_path / "refused", (before, np.zeros(240, dtype=int)))
    assert {c.kind for c in nothing.changes} == {"price"}
    assert np.isnan(nothing.agreement.value)
    one = compared(tmp_path / "one", (before[:1], after[:1]))
    assert {c.verdict for c in one.changes} == {"cannot-be-tested"}
    other = write_ratings(tmp_path / "c", after, language="fr")
    with pytest.raises(UserError, match="no association in common"):
        compare_harm(tmp_path / "one" / "a", other)
    with pytest.raises(UserError, match="has no ratings of 'x'"):
        compare_harm(tmp_path / "one" / "a", tmp_path / "one" / "b", models=("x", None))
