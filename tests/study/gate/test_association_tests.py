"""Gates of association tests: planted changes, no change, and how often a gate at its margin is wrong."""

from __future__ import annotations

import numpy as np
import pytest

import endoxa as ex
from endoxa.errors import UserError
from endoxa.instruments.association_tests.estimates.effect_size import effect_size
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
