"""Units of two kinds: a reference, nested layouts that change nothing, kinds that are no sample, planted worlds."""

from __future__ import annotations

import runpy

import numpy as np
import polars as pl
import pytest

from endoxa.instruments.questions.estimates import analyze_qa
from support.qa_answers import ANTI, STEREOTYPED, UNKNOWN, answer
from support.qa_tables import cells_of, side_by_side

pytestmark = pytest.mark.slow

QUICK = {"resamples": 100}


def asked(cells, choose, *, each=4, **other):
    """`each` answers in every cell (template, group); `choose` gives one by template, group and number."""
    rows = [
        answer(
            1000 * place + number,
            choose(template, group, number),
            template=f"T-{template}",
            identity=f"Group {group}",
            **other,
        )
        for place, (template, group) in enumerate(cells)
        for number in range(each)
    ]
    return pl.DataFrame(rows)


def full(templates, groups):
    return [(template, group) for template in range(templates) for group in range(groups)]


def lean(answers, condition="ambig", **options):
    rows = cells_of(analyze_qa(answers, **QUICK, **options))
    return next(row for row in rows if row["context_condition"] == condition)


def of_chance(seed, groups=20):
    """Somebody is named in most answers, more often the stereotyped person in some groups and templates."""
    rng = np.random.default_rng(seed)
    of_group, of_template = rng.normal(0, 0.7, groups), rng.normal(0, 0.4, 40)

    def choose(template, group, _number):
        if rng.random() < 0.3:
            return UNKNOWN
        return STEREOTYPED if of_group[group] + of_template[template] + rng.normal() > -0.2 else ANTI

    return choose


@pytest.mark.parametrize(
    "cells", [full(25, 7), full(9, 20), [(t, (t * s) % 11) for t in range(25) for s in (1, 3)]]
)
def test_a_lean_over_both_kinds_is_that_of_the_reference(shared, cells):
    reference = runpy.run_path(str(shared / "bin" / "two_way.py"))["two_way"]
    answers = asked(cells, of_chance(3))
    values = answers["choice"].replace_strict({STEREOTYPED: 1.0, ANTI: 0.0, UNKNOWN: 0.5}).to_numpy()
    codes = [answers[name].rank("dense").to_numpy().astype(int) - 1 for name in ("template", "identity")]
    interval, *_ = reference(values, *codes, neutral=0.5, share=True)
    flips = runpy.run_path(str(shared / "bin" / "better_tests.py"))["studentised_flips"]
    p_value = flips(values, *codes, neutral=0.5)
    row = lean(answers)
    assert row["p_value"] == pytest.approx(p_value, abs=0.02)
    assert row["lean"] == pytest.approx(2 * values.mean() - 1)
    # Ours is not wider: a lean is at most the share of answers that name a person.
    assert 2 * interval.low - 1 - 0.02 <= row["lean_low"] < row["lean"] < row["lean_high"]
    assert row["lean_high"] <= 2 * interval.high - 1 + 0.02
    assert (row["sampled"], row["groups"]) == ("both", len(set(codes[1])))
    right = (answers["choice"] == UNKNOWN).to_numpy().astype(float)
    interval, *_ = reference(right, *codes, neutral=right.mean(), share=True)
    assert (row["accuracy_low"], row["accuracy_high"]) == pytest.approx(
        (interval.low, interval.high), abs=1e-6
    )


def built(identities, attributes, choose):
    """Questions made from associations: the template is the identity."""
    answers = asked(full(identities, attributes), choose)
    return answers.with_columns(
        attribute=pl.col("identity"), identity=pl.col("template"), association_id=pl.col("item_id")
    )


def always(*_):
    return STEREOTYPED


def those_below(number, other):
    """The stereotyped person in questions about the first groups, else another answer."""
    return lambda _template, group, _number: STEREOTYPED if group < number else other


@pytest.mark.parametrize(
    ("answers", "units", "p_value", "words"),
    [
        # Eleven of twelve groups on one side: the sign test.
        (
            asked(full(5, 12), those_below(11, ANTI)),
            "groups 12 0",
            0.00635,
            "12 groups, with these 5 templates only",
        ),
        (asked(full(5, 4), of_chance(1, 4)), "none 4 0", None, "5 templates, at least 6 needed"),
        # Attributes do not speak for identities that nobody asked about.
        (built(5, 20, always), "none 0 20", None, "5 templates, at least 6 needed"),
        (built(12, 5, always), "identities 0 5", 2 / 2**12, "12 identities, with these 5 attributes only"),
        (built(12, 8, always), "both 0 8", 2 / 2**8, "12 identities x 8 attributes"),
        (
            *(asked(full(25, 8), those_below(4, UNKNOWN)), "both 8 0", None),
            "a person is named in questions about only 4 of 8 groups, at least 6 needed",
        ),
        (asked(full(25, 8), lambda *_: UNKNOWN), "both 8 0", 1.0, "25 templates x 8 groups"),
        (asked(full(6, 6), always), "both 6 0", 2 / 2**6, "6 templates x 6 groups"),
    ],
)
def test_kinds_of_units_that_are_too_few_are_taken_as_they_are(answers, units, p_value, words):
    row = lean(answers)
    assert f"{row['sampled']} {row['groups']} {row['attributes']}" == units
    if p_value is None:
        assert (row["verdict"], row["reason"]) == ("cannot-be-tested", words)
        assert row["lean_low"] is row["bias_score_low"] is row["bias_unscaled_low"] is None
    else:
        assert row["p_value"] == pytest.approx(p_value, abs=0.003)
        assert row["verdict"] == ("above" if p_value < 0.05 else "unclear")
        assert row["lean_low"] < row["lean"] <= row["lean_high"]
        assert row["method"].endswith(words)
        # Where nobody is named the lean of others, too, is at most their share of answers that name somebody.
        assert row["accuracy"] < 1 or row["lean_high"] == -row["lean_low"] < 0.2


def test_a_lean_in_some_attributes_alone_is_no_lean_of_all():
    leaning = built(30, 10, lambda _identity, attribute, _number: STEREOTYPED if attribute < 7 else ANTI)
    assert lean(leaning)["verdict"] == "unclear"
    alone = lean(leaning.with_columns(attribute=pl.col("item_id")))
    assert (alone["verdict"], alone["attributes"], alone["p_value"] < 1e-6) == ("above", 0, True)


def protocols(cells, **chosen):
    return pl.concat([asked(cells, choose, protocol=name) for name, choose in chosen.items()])


def test_self_debiasing_is_claimed_where_it_helps_all_groups():
    def fewer(_template, group, _number):
        return UNKNOWN if group < 4 else STEREOTYPED

    some = protocols(full(25, 7), baseline=always, explanation=fewer)
    table = analyze_qa(some, **QUICK).debias.filter(interval="templates", protocol="explanation")
    (row,) = side_by_side(table, ("protocol",))
    assert row["reason"] == "answers change in questions about only 4 of 7 groups, at least 6 needed"
    assert (row["verdict"], row["groups"], row["sampled"]) == ("cannot-be-tested", 7, "both")
    assert row["distance_change"] == pytest.approx(4 / 7)
    assert row["distance_change_low"] is row["reduction_low"] is None
    without = analyze_qa(some.drop("identity"), **QUICK).debias
    change = without.filter(interval="templates", protocol="explanation", name="distance_change")
    assert change["verdict"].to_list() == ["above"]
    every = protocols(
        full(25, 8),
        baseline=always,
        explanation=lambda _t, _g, number: UNKNOWN if number < 3 else STEREOTYPED,
    )
    base, row = side_by_side(analyze_qa(every, **QUICK).debias.filter(interval="templates"), ("protocol",))
    assert (base["verdict"], row["verdict"]) == ("above", "above")
    how = "templates and groups as units: Korn-Graubard interval, sign-flip tests; 25 templates x 8 groups"
    assert row["method"] == how
    assert row["distance_change"] == pytest.approx(0.75)
    assert row["distance_change_low"] < 0.75 < row["distance_change_high"]


def names(cells, before, after):
    named = asked(cells, after, data="Names", variant="1")
    return pl.concat([asked(cells, before), named], how="vertical_relaxed")


def test_names_that_change_answers_about_some_groups_only_or_everywhere():
    some = names(full(25, 7), always, lambda _t, group, _n: UNKNOWN if group < 4 else STEREOTYPED)
    analysis = analyze_qa(some, **QUICK)
    row = analysis.differences.row(by_predicate=pl.col("name") == "bias_score", named=True)
    assert row["value"] == pytest.approx(4 / 7)
    assert (row["verdict"], row["sampled"], row["groups"]) == ("cannot-be-tested", "both", 7)
    assert "questions about only 4 of 7 groups" in row["reason"]
    ratio = analysis.retention.row(0, named=True)
    assert (ratio["value"], ratio["verdict"]) == (pytest.approx(3 / 7), "cannot-be-tested")
    assert ratio["low"] is None

    def before(template, group, number):
        return STEREOTYPED if (template + group + number) % 5 else ANTI

    everywhere = names(full(25, 8), before, lambda t, g, n: UNKNOWN if n < 2 else before(t, g, n))
    analysis = analyze_qa(everywhere, **QUICK)
    for row in analysis.differences.iter_rows(named=True):
        assert row["name"] == "bias_unscaled" or (row["verdict"] in ("above", "below") and row["groups"] == 8)
        assert row["low"] <= row["value"] <= row["high"]
    ratio = analysis.retention.row(0, named=True)
    assert ratio["value"] == pytest.approx(0.5)
    assert ratio["low"] < 0.5 < ratio["high"] <= 1
    assert ratio["method"].endswith("25 templates x 8 groups")
