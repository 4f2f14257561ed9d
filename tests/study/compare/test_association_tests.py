"""Changes of effect sizes, compared and gated: against a bootstrap, and with a planted truth."""

from __future__ import annotations

import numpy as np
import pytest

import endoxa as ex
from endoxa.errors import UserError
from endoxa.instruments.association_tests.estimates.effect_size import Targets, effect_size
from endoxa.stats.verdicts import holm
from endoxa.study.compare.association_tests import contrasts_of, largest, left_out
from endoxa.study.compare.changes import two_sided
from support.association_samples import planted, write_run

pytestmark = pytest.mark.slow


def sets(values: np.ndarray) -> tuple[Targets, ...]:
    return tuple(Targets(side, np.arange(len(side))) for side in values)


def test_the_interval_is_near_a_bootstrap_of_targets():
    """Two models with a common part; X lies 0.8 above Y under the second alone."""
    rng = np.random.default_rng(0)
    values = 0.7 * rng.standard_normal((2, 60)) + np.sqrt(0.51) * rng.standard_normal((2, 2, 60))
    values[1, 0] += 0.8
    first, other = sets(values[0]), sets(values[1])
    sizes = tuple(effect_size(*side) for side in values)
    contrasts = contrasts_of(sizes, left_out(first, other), largest(first))
    low, high, _ = two_sided(contrasts.by_signs[1, 1], 0.95)
    differences = []
    for _ in range(800):
        at = rng.integers(60, size=(2, 60))
        drawn = [effect_size(x[at[0]], y[at[1]]) for x, y in values]
        differences.append(drawn[1] - drawn[0])
    assert (high - low) / 2 == pytest.approx(1.98 * np.std(differences), rel=0.12)


def runs(folder, size=12):
    """One test that does not change and one whose X moves towards A in the second run."""
    rng = np.random.default_rng(1)
    x, y, calm = rng.uniform(-0.2, 0.2, (3, size))
    for name, shift in (("plain", 0.0), ("leaning", 0.5), ("copy", 0.0)):
        crafts, vectors = planted(x + shift, y, name="crafts")
        tools, more = planted(calm, y, name="tools")
        write_run(folder / name, [crafts, tools], vectors | more, f"hf/{name}")
    return effect_size(x, y), effect_size(x + 0.5, y)


def test_a_planted_change_is_found_in_its_test(tmp_path):
    before, after = runs(tmp_path)
    plain, leaning, copy = (tmp_path / name for name in ("plain", "leaning", "copy"))
    found = ex.compare(plain, leaning)
    crafts, tools = found.contrasts[0].changes
    assert (crafts.before, crafts.after) == pytest.approx((before, after), abs=1e-6)
    assert (crafts.verdict, crafts.n_units, crafts.identity) == ("above", 24, "crafts")
    assert tools.verdict == "unclear"
    assert found.sentence.startswith("leaning raises the effect size of crafts by ")
    three = ex.compare(plain, leaning, copy)
    changes = [change for each in three.contrasts for change in each.changes]
    expected = holm([change.p_value for change in changes])
    assert [change.p_adjusted for change in changes] == pytest.approx(expected)
    gated = ex.gate(plain, leaning, margin=0.3)
    crafts, tools = gated.tests
    assert (gated.verdict, crafts.verdict, tools.verdict) == ("worse", "worse", "pass")
    assert (crafts.axis, crafts.n_identities, crafts.unit) == ("crafts", 24, "targets")
    assert crafts.difference == pytest.approx(abs(after) - abs(before), abs=1e-6)
    assert crafts.low < crafts.difference < crafts.high
    assert ex.gate(leaning, plain, margin=0.3).verdict == "pass"
    assert ex.gate(plain, copy, margin=0.0).verdict == "pass"
    with pytest.raises(UserError, match="no such association test"):
        ex.gate(plain, leaning, margin=0.3, axis="all")


def test_too_few_targets_decide_nothing_and_let_nothing_pass_that_moved(tmp_path):
    runs(tmp_path, size=6)
    found = ex.gate(tmp_path / "plain", tmp_path / "leaning", margin=0.3)
    assert (found.verdict, found.exit_code) == ("undecided", 4)
    assert "axis crafts moved by" in found.sentence
    assert "at least 8 needed" in found.sentence
    for name, shift in (("first", 0.0), ("second", 0.9)):
        lone, vectors = planted([0.2 + shift, shift], [0.1, 0.3, 0.2], "lone", ("a", "a"), ("b", "c", "d"))
        write_run(tmp_path / name, [lone], vectors, "hf/model")
    alone = ex.gate(tmp_path / "first", tmp_path / "second", margin=2.0)
    assert (alone.verdict, "1 target, at least 8 needed" in alone.sentence) == ("undecided", True)
