"""How long a study takes, by the speeds that are stated beside it."""

from __future__ import annotations

import pytest

from endoxa.runs.asking.cost import Expected, Planned
from endoxa.study.plan import seconds


@pytest.mark.parametrize(
    ("model", "taken"),
    [
        ("openai/gpt-4o-mini", 40 * 2.0 / 8),
        # 40 items of 0.1 s, and 6,000 tokens at 0.035 s, one after the other.
        ("hf/org/small-instruct", 40 * 0.1 + 6_000 * 0.035),
        ("sim/biased", 0.0),
    ],
)
def test_what_is_written_here_takes_its_time_by_token(model: str, taken: float) -> None:
    expected = Expected(40, 9_000, 6_000)
    planned = Planned(model, expected, expected, None, None, None, "")
    assert seconds(planned, concurrency=8) == pytest.approx(taken)
