"""A small finished run of stories and of the profiles read from them."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.story_runs import extracted, prompts, told


@pytest.fixture(scope="session")
def extraction(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of prompts.jsonl, stories, and profiles of which nothing but the gender was asked."""
    folder = tmp_path_factory.mktemp("extraction")
    (folder / "v.toml").write_text("[gender]\nvalues = ['man', 'woman', 'non-binary']\n", encoding="utf-8")
    told(folder, prompts(["gender"], 4), "sim/teller?refusal=0")
    extracted(folder, folder / "stories", vocabulary=str(folder / "v.toml"))
    return folder
