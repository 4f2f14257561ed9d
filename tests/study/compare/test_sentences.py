"""The sentence of a comparison: on which side a value lies, what could not be tested, and what it cost."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from endoxa.study.compare.changes import Change
from endoxa.study.compare.run import sentence_of


def change(measure="preference_ratio", before=0.6, after=0.6, verdict="unclear", **more):
    facts = {
        "difference": after - before,
        "low": -0.1,
        "high": 0.1,
        "p_value": 0.5,
        "n_items": 9,
        "n_units": 9,
    } | more
    return Change(measure, "sum", "all", "all", before, after, verdict=verdict, **facts)


def said(bias, price=()):
    sides = {"before": SimpleNamespace(label="a"), "after": SimpleNamespace(label="b")}
    estimates = SimpleNamespace(identical=False, parts=[])
    contrast = SimpleNamespace(
        **sides, instrument="", kind="pairs", bias=bias, price=price, estimates=estimates
    )
    return sentence_of(contrast, 1, 0.95)


@pytest.mark.parametrize(
    ("before", "after", "side"),
    [
        (0.5, 0.8, "further from 0.5"),
        (0.8, 0.5, "closer to 0.5"),
        (0.6, 0.3, "on the other side of 0.5"),
        (0.7, 0.43, "closer to 0.5"),  # beyond it by less than half
    ],
)
def test_the_side_of_neutral_is_said(before, after, side):
    verdict = "above" if after > before else "below"
    assert said([change(before=before, after=after, verdict=verdict)]).endswith(f", {side}.")


@pytest.mark.parametrize(("number", "more"), [(3, False), (4, True)])
def test_what_could_not_be_tested_is_listed_up_to_three(number, more):
    text = said([change(f"measure_{k}", verdict="cannot-be-tested") for k in range(number)])
    assert "measure 2 went from 0.600 to 0.600" in text
    assert ("more below" in text) == more


@pytest.mark.parametrize(
    ("verdicts", "kept"),
    [
        (("unclear", "unclear"), True),
        ((), False),
        (("unclear", "cannot-be-tested"), False),
        (("above", "unclear"), False),
    ],
)
def test_that_no_change_of_accuracy_is_shown_is_said_where_one_could_be(verdicts, kept):
    names = ("accuracy_ambig", "accuracy_disambig")
    price = [change(name, verdict=verdict) for name, verdict in zip(names, verdicts, strict=False)]
    assert ("No change of accuracy is shown" in said([change()], price)) == kept
