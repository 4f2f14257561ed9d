"""Campaigns for phones, each made and served once for all files of this folder."""

from __future__ import annotations

from contextlib import ExitStack

import pytest

from collect_support.served import served


@pytest.fixture(scope="session")
def sites(tmp_path_factory):
    """A function that gives the served campaign of a preset, with a rating on every card while a pair waits for one."""
    with ExitStack() as running:
        started = {}

        def site_of(preset):
            if preset not in started:
                folder = tmp_path_factory.mktemp("site") / "camp"
                started[preset] = running.enter_context(served(folder, preset=preset, early_questions=False))
            return started[preset]

        yield site_of


@pytest.fixture(scope="module")
def site(sites, preset):
    return sites(preset)
