"""Words, figures and the choice of pairs, each by itself."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from endoxa.report import words
from endoxa.report.plots import robust_range

NAN = float("nan")


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


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=200))
def test_the_range_holds_zero_and_nearly_all_differences(values: list[float]) -> None:
    low, high = robust_range(values)
    assert low <= 0 <= high
    assert low < high
    inside = np.mean([low <= value <= high for value in values])
    assert inside >= 0.98 or len(values) < 200
