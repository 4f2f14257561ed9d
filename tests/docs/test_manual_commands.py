"""The commands of the manual run, each form of one once, with tiny models and small files."""

from __future__ import annotations

import pytest

from support.manual import NOT_RUN, PAGES, Workspace, documented, reason_not_to_run, write_files
from support.manual_files import sample_files
from support.repository import ROOT


@pytest.fixture(scope="module")
def samples(tmp_path_factory, shared):
    return sample_files(tmp_path_factory.mktemp("samples") / "files", shared)


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_documented_commands_run(page, samples, tmp_path):
    workspace = Workspace(tmp_path, samples)
    write_files(page, tmp_path)
    commands = documented(page)
    for place, command in enumerate(commands, 1):
        if not reason_not_to_run(command):
            workspace.run(command, commands[place:])


def test_every_exception_is_needed():
    commands = [command for page in PAGES for command in documented(page)]
    assert {reason_not_to_run(command) for command in commands} - {""} == set(NOT_RUN.values())
