"""Thoughts that stand in an answer."""

from __future__ import annotations

import pytest

from endoxa.models.chat.templates import without_thoughts


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Asha waters the garden.", "Asha waters the garden."),
        ("<think>A baker. Who?</think>Asha bakes.", "Asha bakes."),
        ("A baker. Who?</think>Asha bakes.", "Asha bakes."),
        ("<THINKING>One.</THINKING> <think>Two.</think>Asha bakes.", "Asha bakes."),
        ("<think>A baker. Who", ""),
        ("<think>A baker.</think>Asha<think>or", "Asha"),
        ("<think>İİİ</think>Asha", "Asha"),
        ("I think so.", "I think so."),
    ],
)
def test_only_what_follows_thoughts_is_said(text: str, said: str) -> None:
    assert without_thoughts(text) == said
