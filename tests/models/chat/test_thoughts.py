"""Thoughts that stand in an answer."""

from __future__ import annotations

import pytest

from endoxa.errors import UserError
from endoxa.models.chat.thoughts import (
    USER_THOUGHTS,
    Spoken,
    all_formats,
    part_thoughts,
    spoken,
    without_thoughts,
)
from endoxa.schema.chat import ChatAnswer
from endoxa.schema.finish import THOUGHTS_ONLY


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Asha waters the garden.", "Asha waters the garden."),
        ("<think>A baker. Who?</think>Asha bakes.", "Asha bakes."),
        ("A baker. Who?</think>Asha bakes.", "Asha bakes."),
        ("<THINKING>One.</THINKING> <think>Two.</think>Asha bakes.", "Asha bakes."),
        ("<think>A baker. Who", ""),
        ("<think>İİİ</think>Asha", "Asha"),
        ("I think so.", "I think so."),
        ("<think>A <think>baker</think>?</think>Asha", "Asha"),
        ("<think>One.</think>Asha<think>Two.</think>bakes.", "Asha\nbakes."),
        ("[THINK]A baker.[/THINK]Asha", "Asha"),
        ("<analysis>A baker.</analysis><think >Who?</think >Asha", "Asha"),
        ("analysisA baker.assistantanalysisWho?assistantfinalAsha", "Asha"),
        ("analysisA baker", ""),
        ("analysis of the text", "analysis of the text"),
        ("<|channel|>final <|constrain|>json<|message|>{}", "{}"),
        ("◁think▷A baker.◁/think▷Asha", "Asha"),
        ("<|START_THINKING|>A baker.<|END_THINKING|><|START_RESPONSE|>Asha<|END_RESPONSE|>", "Asha"),
        ("<seed:think>A baker.</seed:think>Asha", "Asha"),
        ("<|channel>thought\nA baker.<channel|>Asha", "Asha"),
        ("Here is my thought process: A baker.\nHere is my response:Asha", "Asha"),
    ],
)
def test_only_what_stands_beside_thoughts_is_said(text: str, said: str) -> None:
    assert without_thoughts(text) == said


def test_thoughts_are_kept_and_those_without_an_end_are_marked() -> None:
    found = spoken(ChatAnswer("[THINK]A baker.[/THINK]Asha", reasoning="Who?"))
    assert (found.text, found.reasoning, found.finish) == ("Asha", "Who?\nA baker.", "stop")
    assert spoken(ChatAnswer("<think>A baker")).finish == THOUGHTS_ONLY
    assert spoken(ChatAnswer("<think>A baker", finish="length")).finish == "length"
    assert part_thoughts("A baker", "<user>[THINK]\n") == Spoken("", "A baker", unfinished=True)
    assert part_thoughts("Well.\n</think>B", "<user><think>\n") == Spoken("B", "Well.")
    assert part_thoughts("B", "<user><think>\n\n</think>\n\n") == Spoken("B", "")
    assert part_thoughts("<think>\nWell.\n</think>\n\nB", "<user>") == Spoken("\n\nB", "Well.")


def test_formats_of_ones_own(tmp_path, monkeypatch) -> None:
    own = tmp_path / "thoughts.toml"
    monkeypatch.setenv(USER_THOUGHTS, str(own))
    own.write_text("[mine]\nopens = '«'\ncloses = '»'\n", encoding="utf-8")
    all_formats.cache_clear()
    assert part_thoughts("«A baker.»Asha") == Spoken("Asha", "A baker.")
    own.write_text("[mine]\nopens = '('\ncloses = '»'\n", encoding="utf-8")
    all_formats.cache_clear()
    with pytest.raises(
        UserError,
        match=r"thoughts.toml, \[mine\]: opens: .*no regular expression.* Expected of a format of thoughts",
    ):
        part_thoughts("«A baker.»Asha")
    monkeypatch.undo()
    all_formats.cache_clear()
