"""What the command line says before it starts anything."""

from __future__ import annotations

import pytest

from collect_support.campaign_folders import endoxa, refused

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("words", [["--help"], ["serve", "--help"]])
def test_help_needs_no_library(words):
    done = endoxa(*words, before="import sys; sys.modules['django'] = None")
    assert done.returncode == 0
    assert "Usage" in done.stdout


@pytest.mark.parametrize(
    "words", [["--remove"], ["--role", "moderator"], ["--new-password"], ["--password-stdin"]]
)
def test_options_of_an_account_without_its_name(tmp_path, words):
    assert "NAME is missing" in refused("account", tmp_path, *words)
