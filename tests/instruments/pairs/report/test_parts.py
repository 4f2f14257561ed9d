"""Words, figures and the choice of pairs, each by itself."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from endoxa.report import words
from endoxa.report.plots import Axis, density, dot_plot, ridge_plot, robust_range, symmetric_domain

NAN = float("nan")


def test_numbers_as_words() -> None:
    assert words.percent(0.6123) == "61.2\u00a0%"
    assert words.percent_interval(0.587, 0.6361) == "58.7 to 63.6"
    assert [words.signed(value) for value in (0.4123, -0.5, -0.0001, 0)] == [
        *("+0.412", "−0.500", "0.000", "0.000")
    ]
    assert words.signed_interval(-1, 2, 1) == "−1.0 to +2.0"
    assert [words.p_value(p) for p in (0.0344, 0.0004, 1.0)] == ["0.034", "<\u00a00.001", "1.000"]
    counts = (words.count(1508), words.plural(1, "pair"), words.plural(2, "axis", "axes"))
    assert counts == ("1,508", "1 pair", "2 axes")
    assert [words.listed(list("abc")[:k]) for k in range(4)] == ["", "a", "a and b", "a, b and c"]
    languages = [words.language_name(code) for code in ("hi", "sw", "all", "x-unknown")]
    assert languages == ["Hindi", "Swahili", "all languages", "x-unknown"]
    assert (words.axis_name("all"), words.axis_name("age")) == ("all axes", "age")


@pytest.mark.parametrize("missing", [None, NAN])
def test_what_is_not_defined_is_said_so(missing: float | None) -> None:
    texts = [words.percent(missing), words.percent_interval(missing, 1), words.signed(missing)]
    assert {*texts, words.signed_interval(0, missing), words.p_value(missing), words.count(None)} == {"n/a"}


@pytest.mark.parametrize(
    ("models", "labels"),
    [
        (
            ["hf/../shared/tiny-bert", "hf/a/gpt", "hf/b/gpt", "http://h:1/v1#org/m", "sim/m"],
            ["tiny-bert", "a/gpt", "b/gpt", "m", "sim/m"],
        ),
        (["hf/smollm2"], ["SmolLM2-135M-Instruct"]),
        (["hf/a/SmolLM2-135M-Instruct.Q4_1.gguf"], ["SmolLM2-135M-Instruct"]),
        (["hf/a/b.gguf", "hf/b-f16.GGUF", "hf/gguf"], ["a/b", "f16/b", "gguf"]),
        (["hf/a/x.Q4_K_M.gguf", "hf/a/x.IQ2_XS.gguf"], ["Q4_K_M/x", "IQ2_XS/x"]),
    ],
)
def test_labels_are_short_and_weights_in_one_file_are_called_like_their_model(models, labels) -> None:
    assert list(words.short_labels(models).values()) == labels


@given(st.lists(st.text(alphabet="ab/.#-é ", min_size=1, max_size=60), unique=True, max_size=6))
def test_no_two_labels_are_alike(models: list[str]) -> None:
    labels = words.short_labels([f"hf/{model}" for model in models])
    assert len(set(labels.values())) == len(models)
    assert all(
        len(label.partition(" #")[0]) <= words.LABEL_LIMIT or "#" in label for label in labels.values()
    )


def test_density_integrates_to_one_and_knows_its_limits() -> None:
    values = np.random.default_rng(0).normal(1, 2, 400)
    grid = np.linspace(-12, 14, 600)
    curve = density(values, grid)
    assert curve is not None
    assert math.isclose(float(np.trapezoid(curve, grid)), 1, abs_tol=1e-3)
    assert abs(grid[curve.argmax()] - 1) < 0.7
    assert density(values[:5], grid) is None
    assert density(np.full(50, 0.3), grid) is None


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=200))
def test_the_range_holds_zero_and_nearly_all_differences(values: list[float]) -> None:
    low, high = robust_range(values)
    assert low <= 0 <= high
    assert low < high
    inside = np.mean([low <= value <= high for value in values])
    assert inside >= 0.98 or len(values) < 200


@pytest.mark.parametrize(
    ("values", "domain"),
    [([0.41, 0.73], (0.2, 0.8)), ([], (0.4, 0.6)), ([NAN, 0.5], (0.4, 0.6)), ([0, 1], (0, 1))],
)
def test_domains_are_symmetric_and_hold_all_values(values, domain) -> None:
    assert symmetric_domain(values, 0.5, 0.1, 0.1) == pytest.approx(domain)


def test_rows_have_labels_notes_and_only_the_intervals_there_are() -> None:
    frame = pl.DataFrame(
        {
            **{"label": ["first · sum\nminus second · sum", "third"], "note": ["+5.0 points", "0.0 points"]},
            **{"value": [5.0, 0.0], "low": [2.0, -3.0], "high": [8.0, 3.0]},
            **{"outer_low": [1.0, None], "outer_high": [9.0, None], "filled": [True, False]},
        }
    )
    first, third = dot_plot(frame, Axis((-10.0, 10.0), "points", "+d", 0.0)).rows
    assert (first.label, first.value, first.rest) == ("first · sum\nminus second · sum", "+5.0", "points")
    assert first.dots[0].thin == (55.0, 40.0)
    assert third.dots[0].thin is None


def test_distribution_draws_curves_or_single_pairs() -> None:
    many, few = [*np.random.default_rng(1).normal(0, 1, 60)], [0.1, 0.2, -0.3, 99.0]
    frame = pl.DataFrame(
        {
            "label": ["many"] * 60 + ["few"] * 4,
            "note": ["about half"] * 64,
            "tip": ["many: 60 pairs"] * 60 + ["few: 4 pairs"] * 4,
            "difference": [*many, *few],
        }
    )
    first, second = ridge_plot(frame, Axis((-3.0, 3.0), "difference (nats)", ".2~f", 0.0)).rows
    assert all(path.startswith("M") and path.endswith("Z") for path in first.curve)
    assert (second.curve[0], second.curve[1].count("M")) == ("", 3)  # the pairs within the range
    assert second.tip == "few: 4 pairs"
