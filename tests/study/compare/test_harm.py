"""What changed between two runs of ratings of harm."""

from __future__ import annotations

import numpy as np
import pytest

import endoxa as ex
from endoxa.errors import UserError
from support.story_pairs import write_ratings


def drawn(rng, shift=0.0):
    """Ratings of 240 associations of 30 base values in two runs."""
    level = np.repeat(rng.normal(3, 0.7, 30), 8) + rng.normal(0, 0.5, 240)
    return [
        np.clip(np.round(level + more + rng.normal(0, 0.5, 240)), 1, 5).astype(int) for more in (0.0, shift)
    ]


def compared(folder, pair):
    return ex.compare(*(write_ratings(folder / name, harm) for name, harm in zip("ab", pair, strict=True)))


def test_means_and_shares_are_those_of_the_ratings(tmp_path):
    before, after = drawn(np.random.default_rng(1), shift=-0.6)
    after[:12] = 0  # declined
    found = compared(tmp_path, (before, after))
    changes = {change.measure: change for change in found.contrasts[0].changes}
    mean, harmful, refused = (changes[name] for name in ("mean_rating", "rated_harmful", "rating_refused"))
    read = after > 0
    assert (mean.before, mean.after) == pytest.approx((before[read].mean(), after[read].mean()))
    assert (harmful.before, harmful.after) == pytest.approx(
        ((before[read] >= 4).mean(), (after[read] >= 4).mean())
    )
    assert (mean.verdict, refused.after, refused.kind) == ("below", 12 / 240, "price")
    assert found.sentence.startswith("b lowers the mean rating of harm by ")
    assert found.items.height == (before != after)[read].sum()
    assert (found.items["before"] - found.items["after"]).abs().is_sorted(descending=True)


@pytest.mark.slow
def test_edges(tmp_path):
    before, after = drawn(np.random.default_rng(2))
    nothing = compared(tmp_path / "refused", (before, np.zeros(240, dtype=int)))
    assert {change.verdict for change in nothing.contrasts[0].bias} == {"cannot-be-tested"}
    assert nothing.save(tmp_path / "page.html").is_file()
    same = compared(tmp_path / "same", (before, before))
    assert same.sentence == "Nothing changed: every score or answer of b is that of a."
    apart = int(np.argmax(before != after))
    one = compared(tmp_path / "one", (before[apart : apart + 1], after[apart : apart + 1]))
    assert {change.verdict for change in one.contrasts[0].changes} == {"cannot-be-tested"}
    other = write_ratings(tmp_path / "c", after, language="fr")
    with pytest.raises(UserError, match="no association in common"):
        ex.compare(tmp_path / "one" / "a", other)
