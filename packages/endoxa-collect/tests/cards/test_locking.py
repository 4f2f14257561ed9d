"""Who waits for whom in a campaign, and what comes when the next in line has its turn."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from collect_support.databases import own_campaign


@pytest.mark.slow
def test_races(postgresql, tmp_path):
    """No deadlock, nothing twice, and no release that holds what was taken back and not remembered."""
    words = [sys.executable, "-m", "collect_support.races"]
    done = subprocess.run(
        words,
        env=own_campaign(tmp_path, postgresql),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {
        "two_cards": [False, True],
        "stand_ins": [True, True],
        "release": [0, 0],
    }
