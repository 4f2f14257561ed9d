"""Campaigns for phones, each made and served once for all files of this folder that share it."""

from __future__ import annotations

from contextlib import ExitStack

import pytest

from collect_support.served import served


@pytest.fixture(scope="session")
def sites(tmp_path_factory):
    """A function that gives the served campaign of a preset, with a rating on every card while a pair waits for one.

    Those with another name are others.
    """
    with ExitStack() as running:
        started = {}

        def site_of(preset, name=""):
            if (preset, name) not in started:
                folder = tmp_path_factory.mktemp("site") / "camp"
                one_worker = ("--workers", "1")
                server = served(folder, preset=preset, early_questions=False, options=one_worker)
                started[preset, name] = running.enter_context(server)
            return started[preset, name]

        yield site_of


@pytest.fixture(scope="module")
def alone():
    """The name of a campaign that a file has for itself, if any."""
    return ""


@pytest.fixture(scope="module")
def site(sites, preset, alone):
    return sites(preset, alone)
