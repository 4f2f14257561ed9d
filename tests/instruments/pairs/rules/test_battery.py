"""Every rule, ours and those of installed packages, passes the battery."""

from __future__ import annotations

import pytest

from endoxa.errors import UserError
from endoxa.instruments.pairs.rules import DEFAULT_RULES, RULES
from endoxa.schema import ARCHITECTURES, Score
from endoxa.testing.plugins import check_rule
from support.tiny import PAIRS


@pytest.mark.slow
@pytest.mark.parametrize("name", RULES.all())
def test_rule_keeps_its_promises(name, tiny_models):
    rule = RULES.get(name)
    check_rule(rule, tiny_models[rule.architecture], PAIRS)


def test_every_architecture_has_a_usual_rule():
    assert set(DEFAULT_RULES) == set(ARCHITECTURES)
    assert all(RULES.get(name).architecture == kind for kind, name in DEFAULT_RULES.items())


def test_battery_notices_a_rule_that_gives_zero_for_nothing(tiny_models):
    from dataclasses import replace

    broken = replace(RULES.get("sum"), value=lambda score: score.total)
    with pytest.raises(AssertionError, match="nothing scored"):
        check_rule(broken, tiny_models["causal"], PAIRS)


def test_battery_notices_a_rule_that_depends_on_order(tiny_models):
    from dataclasses import replace

    sum_rule = RULES.get("sum")

    def first_twice(pairs, model):
        return [sum_rule.requests(pairs, model)[0]] * len(pairs)

    with pytest.raises(AssertionError, match="order of the rows"):
        check_rule(replace(sum_rule, requests=first_twice), tiny_models["causal"], PAIRS)


def test_unknown_rule_names_the_nearest():
    with pytest.raises(UserError, match="crows-token"):
        RULES.get("crows-tokens")


def test_afristereo_counts_one_token_too_many():
    assert RULES.get("afristereo").value(Score(-12.0, 3)) == pytest.approx(-16.0)
