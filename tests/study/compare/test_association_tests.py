"""Changes of effect sizes: against a bootstrap, with a planted truth, and of run folders."""

from __future__ import annotations

import numpy as np
import pytest

import endoxa as ex
from endoxa.instruments.association_tests.estimates.effect_size import Targets, effect_size
from endoxa.stats.verdicts import holm
from endoxa.study.compare.association_tests import contrasts_of, largest, left_out
from endoxa.study.compare.changes import two_sided
from support.association_samples import planted, write_run


def sets(x: np.ndarray, y: np.ndarray) -> tuple[Targets, Targets]:
    return Targets(x, np.arange(len(x))), Targets(y, np.arange(len(y)))


def drawn(rng, size, shift, shared=0.7):
    """Associations of X and Y under two models with a common part; X lies `shift` above Y under the second alone."""
    common = rng.standard_normal((2, size))
    noise = rng.standard_normal((2, 2, size))
    values = shared * common + np.sqrt(1 - shared**2) * noise
    values[1, 0] += shift
    return sets(*values[0]), sets(*values[1])


def changed(first, other):
    values = [effect_size(*(side.values for side in sides)) for sides in (first, other)]
    contrasts = contrasts_of(tuple(values), left_out(first, other), largest(first))
    return two_sided(contrasts.by_signs[1, 1], 0.95)


def test_the_interval_is_near_a_bootstrap_of_targets():
    rng = np.random.default_rng(0)
    first, other = drawn(rng, 60, 0.8)
    low, high, _ = changed(first, other)
    differences = []
    for _ in range(800):
        at = rng.integers(60, size=(2, 60))
        differences.append(
            effect_size(other[0].values[at[0]], other[1].values[at[1]])
            - effect_size(first[0].values[at[0]], first[1].values[at[1]])
        )
    assert (high - low) / 2 == pytest.approx(1.98 * np.std(differences), rel=0.12)


def test_runs_are_compared_test_by_test(tmp_path):
    rng = np.random.default_rng(1)
    x, y = rng.uniform(-0.2, 0.2, (2, 12))
    for name, shift in (("plain", 0.0), ("leaning", 0.5), ("copy", 0.0)):
        test, vectors = planted(x + shift, y, name="crafts")
        write_run(tmp_path / name, [test], vectors, f"hf/{name}")
    found = ex.compare(tmp_path / "plain", tmp_path / "leaning")
    (change,) = found.contrasts[0].changes
    assert change.before == pytest.approx(effect_size(x, y), abs=1e-6)
    assert change.after == pytest.approx(effect_size(x + 0.5, y), abs=1e-6)
    assert (change.verdict, change.n_units, change.identity) == ("above", 24, "crafts")
    assert found.sentence.startswith("leaning raises the effect size of crafts by ")
    assert "crafts" in found.save(tmp_path / "page.html").read_text()
    same = ex.compare(tmp_path / "plain", tmp_path / "copy")
    assert same.sentence.startswith("Nothing changed")
    three = ex.compare(*(tmp_path / name for name in ("plain", "leaning", "copy")))
    changes = [each.changes[0] for each in three.contrasts]
    p_values = [change.p_value for change in changes]
    expected = holm(p_values)
    assert [change.p_adjusted for change in changes] == pytest.approx(expected)
