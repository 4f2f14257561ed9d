"""The commands of the manual run, one page after the other, with tiny models and small files."""

from __future__ import annotations

import pytest

from support.manual import NOT_RUN, PAGES, TRIED, Kitchen, documented, reason_not_to_run, stock, write_files
from support.repository import ROOT

FOLLOWED = [ROOT / "docs" / f"{name}.md" for name in TRIED]


@pytest.fixture(scope="module")
def pantry(tmp_path_factory, shared):
    return stock(tmp_path_factory.mktemp("pantry") / "files", shared)


@pytest.mark.slow
@pytest.mark.parametrize("page", FOLLOWED, ids=TRIED)
def test_documented_commands_run(page, pantry, tmp_path):
    kitchen = Kitchen(tmp_path, pantry)
    write_files(page, tmp_path)
    commands = [one for one in documented(page) if not reason_not_to_run(one)]
    assert commands
    for command in commands:
        kitchen.run(command)


def test_every_exception_is_needed():
    commands = [one for page in PAGES for one in documented(page)]
    assert {reason_not_to_run(one) for one in commands} - {""} == set(NOT_RUN.values())
