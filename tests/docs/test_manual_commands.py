"""The commands of the manual run, each form of one once, with tiny models and small files."""

from __future__ import annotations

import pytest

from support.golden import read_cases
from support.manual import NOT_RUN, PAGES, Workspace, documented, form, reason_not_to_run, write_files
from support.manual_files import sample_files
from support.pages import PAGES as FOLLOWED
from support.repository import ROOT
from support.tutorials import split


@pytest.fixture(scope="module")
def samples(tmp_path_factory, shared):
    made = sample_files(tmp_path_factory.mktemp("samples") / "files", shared)
    made.forms.update(forms_run_elsewhere())
    return made


def forms_run_elsewhere():
    """Forms of the commands of golden cases, and of pages that are followed to the letter."""
    cases = read_cases(ROOT / "tests/golden/cases.toml").values()
    lines = [line for case in cases for line in case.commands]
    for page in FOLLOWED:
        lines += page.read_text(encoding="utf-8").replace("\\\n", " ").splitlines()
    return {form(split(line)) for line in lines if line.startswith("endoxa ")}


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
