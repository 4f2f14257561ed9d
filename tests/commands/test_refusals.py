"""What commands refuse: the table `refusals.toml` beside this file."""

from __future__ import annotations

import pytest

from support.refusals import Refusal, assert_refused, refusals

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("row", refusals(__file__))
def test_a_refusal_is_one_sentence_and_loses_nothing(row: Refusal, request: pytest.FixtureRequest) -> None:
    assert_refused(row, request)
