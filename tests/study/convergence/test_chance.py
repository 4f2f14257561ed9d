"""Identities exchanged: what is seen by all against chance, and correlations where attributes recur."""

from __future__ import annotations

from itertools import product

import numpy as np
import polars as pl
import pytest
from scipy import stats

from endoxa.schema.study import CHANCE_COLUMNS
from endoxa.stats.attenuation import corrected_correlation, rest_p_values
from endoxa.stats.reliability import part_scores
from endoxa.study.convergence.chance import attribute_levels, exchanged, seen_together
from endoxa.study.convergence.estimates import effects, joined_parts, measured
from support.convergence_samples import attributes, planted_parts

THREE = {"pairs": 0.8, "tests": 0.8, "stories": 0.8}


def seen(parts: pl.DataFrame, names: dict[str, str]) -> dict:
    found = seen_together(effects(measured(joined_parts(parts))), names, exchanges=199)
    return found.filter(together="all").row(0, named=True)


def test_levels_are_means_over_identities():
    levels = attribute_levels(np.array([1.0, 2.0, 6.0, 5.0, 9.0]), np.array([0, 0, 0, 1, 2]))
    assert levels.tolist() == [3, 3, 3, 5, 9]  # the last two attributes have one identity each


@pytest.mark.parametrize("filled", [1.0, 0.4])
def test_whole_identities_are_exchanged_and_keep_attributes_where_they_can(filled):
    rng = np.random.default_rng(0)
    identity, attribute = np.repeat(np.arange(8), 5), np.tile(np.arange(5), 8)
    kept = rng.random(40) < filled
    kept[::5] = True
    identity, attribute = identity[kept], attribute[kept]
    source = exchanged(identity, attribute, rng)
    partners = [set(identity[source[identity == code]]) for code in range(8)]
    assert all(len(partner) == 1 for partner in partners)
    assert set.union(*partners) == set(range(8))
    has = set(zip(identity.tolist(), attribute.tolist(), strict=True))
    for k, other in enumerate(source):
        possible = (identity[other], attribute[k]) in has
        assert (attribute[other] == attribute[k]) == possible
    if filled == 1:
        assert sorted(source) == list(range(40))


def test_what_is_left_of_levels_is_tested_by_jackknife_and_sign_flips():
    rng = np.random.default_rng(1)
    identity, attribute = np.repeat(np.arange(6), 3), np.tile(np.arange(3), 6)
    x, y = rng.standard_normal((2, 18))

    def rest(kept: np.ndarray) -> list[np.ndarray]:
        tables = [values[kept].reshape(-1, 3) for values in (x, y)]
        return [(table - table.mean(axis=0)).ravel() for table in tables]

    left = [np.arctanh(np.corrcoef(*rest(identity != code))[0, 1]) for code in range(6)]
    whole = rest(np.ones(18, dtype=bool))
    statistic = np.arctanh(np.corrcoef(*whole)[0, 1]) / np.sqrt(5 * np.var(left))
    totals = (whole[0] * whole[1]).reshape(6, 3).sum(axis=1)
    flips = [abs(totals @ signs) >= abs(totals.sum()) - 1e-9 for signs in product([1, -1], repeat=6)]
    jackknifed, flipped = rest_p_values(x, y, identity, attribute)
    assert jackknifed == pytest.approx(2 * stats.t.sf(abs(statistic), 5))
    assert flipped == pytest.approx(np.mean(flips))


def test_what_instruments_share_is_more_than_by_chance():
    parts = planted_parts(2, correlation=0.9, mean=0.0, tools=THREE)
    row = seen(parts, attributes(parts))
    assert list(row) == list(CHANCE_COLUMNS)
    numbers = {"instruments": 3, "associations": 100, "identities": 20, "attributes": 5}
    assert {name: row[f"n_{name}"] for name in numbers} == numbers
    assert row["observed"] > 3 * row["expected"]
    assert row["verdict"] == "above"


def test_words_that_all_instruments_react_to_are_chance():
    parts = planted_parts(3, correlation=0.0, mean=0.5, common_attribute=0.8, tools=THREE)
    row = seen(parts, attributes(parts))
    assert row["observed"] > 5
    assert row["expected"] == pytest.approx(row["observed"], rel=0.5)
    assert row["verdict"] == "unclear"


ALIKE = planted_parts(2, correlation=0.9, mean=0.0, tools=THREE)
EVERY = attributes(ALIKE)
LATE, OF_TESTS = pl.col("association_id") >= "a050", pl.col("instrument") == "tests"


@pytest.mark.parametrize(
    ("parts", "names", "reason"),
    [
        (planted_parts(identities=4, each=5, tools=THREE), EVERY, "4 identities, at least 6 needed"),
        (ALIKE.filter(OF_TESTS == LATE), EVERY, "no association was tested with all instruments"),
        (
            ALIKE,
            {name: name for name in EVERY},
            "every attribute belongs to one identity: association or word",
        ),
    ],
)
def test_what_cannot_be_tested_says_why(parts, names, reason):
    row = seen(parts, names)
    assert (row["verdict"], row["p_value"]) == ("cannot-be-tested", None)
    assert reason in row["reason"]
    assert not reason.startswith("every") or (row["expected"] is None and row["observed"] > 5)


def scores(rng: np.random.Generator, count: int) -> tuple:
    unit, part = np.repeat(np.arange(count), 4), np.tile(np.arange(4), count)
    strength = rng.standard_normal(count)
    return tuple(
        part_scores(
            unit, part, (strength + 0.3 * rng.standard_normal(count))[unit] + rng.standard_normal(4 * count)
        )
        for _ in range(2)
    )


def test_the_two_way_interval_has_the_jackknife_variance_of_both_kinds():
    rng = np.random.default_rng(4)
    identity, attribute = np.repeat(np.arange(12), 10), np.tile(np.arange(10), 12)
    first, second = scores(rng, 120)
    found = corrected_correlation(first, second, identity, crossed=attribute)
    alone = corrected_correlation(first, second, identity)
    assert (found.raw, found.value) == (alone.raw, alone.value)

    def variance(codes: np.ndarray) -> float:
        left = [
            np.arctanh(np.corrcoef(first.mean[codes != code], second.mean[codes != code])[0, 1])
            for code in np.unique(codes)
        ]
        return (len(left) - 1) * float(np.var(left))

    parts = [variance(codes) for codes in (identity, attribute, np.arange(120))]
    error = np.sqrt(max(parts[0] + parts[1] - parts[2], *parts[:2]))
    half = (np.arctanh(found.raw_interval.high) - np.arctanh(found.raw_interval.low)) / 2
    assert 1.96 < half / error < 2.3  # Student's t with 9 degrees of freedom or more
