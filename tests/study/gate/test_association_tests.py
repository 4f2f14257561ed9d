"""Gates of association tests: planted changes, no change, and how often a gate at its margin is wrong."""

from __future__ import annotations

import numpy as np
import pytest

import endoxa as ex
from endoxa.errors import UserError
from endoxa.instruments.association_tests.estimates.effect_size import effect_size
from endoxa.study.compare.association_tests import contrasts_of
from support.association_samples import planted, write_run


def runs(folder, size=12):
    """One test that does not change and one whose X moves towards A."""
    rng = np.random.default_rng(1)
    x, y, calm = rng.uniform(-0.2, 0.2, (3, size))
    for name, shift in (("plain", 0.0), ("leaning", 0.5), ("copy", 0.0)):
        crafts, vectors = planted(x + shift, y, name="crafts")
        tools, more = planted(calm, y, name="tools")
        write_run(folder / name, [crafts, tools], vectors | more, f"hf/{name}")
    return folder, effect_size(x, y), effect_size(x + 0.5, y)


def test_a_planted_change_is_found_and_named(tmp_path):
    folder, before, after = runs(tmp_path)
    found = ex.gate(folder / "plain", folder / "leaning", margin=0.3)
    crafts, tools = found.tests
    assert (found.verdict, crafts.verdict, tools.verdict) == ("worse", "worse", "pass")
    assert (crafts.axis, crafts.n_identities, crafts.unit) == ("crafts", 24, "targets")
    assert crafts.difference == pytest.approx(abs(after) - abs(before), abs=1e-6)
    assert crafts.low < crafts.difference < crafts.high
    assert "effect_size" in found.save(tmp_path / "gate.html").read_text()
    assert ex.gate(folder / "leaning", folder / "plain", margin=0.3).verdict == "pass"
    assert ex.gate(folder / "plain", folder / "copy", margin=0.0).verdict == "pass"
    with pytest.raises(UserError, match="no such association test"):
        ex.gate(folder / "plain", folder / "leaning", margin=0.3, axis="all")


def test_too_few_targets_decide_nothing_and_let_nothing_pass_that_moved(tmp_path):
    folder, *_ = runs(tmp_path, size=6)
    found = ex.gate(folder / "plain", folder / "leaning", margin=0.3)
    assert (found.verdict, found.exit_code) == ("undecided", 4)
    assert "axis crafts moved by" in found.sentence
    assert "at least 8 needed" in found.sentence
    for name, shift in (("first", 0.0), ("second", 0.9)):
        lone, vectors = planted([0.2 + shift, shift], [0.1, 0.3, 0.2], "lone", ("a", "a"), ("b", "c", "d"))
        write_run(folder / name, [lone], vectors, "hf/model")
    for margin in (0.3, 2.0):
        alone = ex.gate(folder / "first", folder / "second", margin=margin)
        assert (alone.verdict, "1 target, at least 8 needed" in alone.sentence) == ("undecided", True)


def drawn(rng, size, before, after):
    """Effect sizes of one draw of targets under two models whose errors have most in common, whole and left out."""
    common, noise = rng.standard_normal((2, size)), rng.standard_normal((2, 2, size))
    values = 0.95 * common + np.sqrt(1 - 0.95**2) * noise
    for model, size_of_effect in enumerate((before, after)):
        values[model, 0] += size_of_effect / np.sqrt(1 - size_of_effect**2 / 4)
    whole = [effect_size(*value) for value in values]
    left_out = [
        tuple(
            np.array([effect_size(*(np.delete(part, i) if p == place else part for p, part in enumerate(value)))
                      for i in range(size)])
            for value in values
        )
        for place in (0, 1)
    ]  # fmt: skip
    return (*whole, left_out)


@pytest.mark.slow
@pytest.mark.parametrize(("before", "after"), [(0.0, 0.3), (1.0, 1.3), (0.3, -0.6), (1.4, 1.7)])
def test_at_the_margin_a_gate_is_hardly_ever_wrong(before, after):
    rng = np.random.default_rng(3)
    wrong = np.zeros(2)
    for _ in range(200):
        first, other, without = drawn(rng, 8, before, after)
        evidence = contrasts_of((first, other), without, 2.0).evidence(0.3, 0.05)
        wrong += [evidence.p_not_worse <= 0.05, evidence.p_worse <= 0.05]
    assert max(wrong) / 200 <= 0.08  # 0.05 and two standard errors
