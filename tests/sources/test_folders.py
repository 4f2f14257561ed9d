"""Folders that are written whole: what killed processes leave is tidied."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from endoxa.sources.files import LEFT_SECONDS, draft_of, tidy


@pytest.fixture(scope="module")
def gone() -> int:
    """The number of a process that has ended."""
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()
    return process.pid


def folder(path: Path, age: float = 0.0) -> Path:
    path.mkdir()
    (path / "a.csv").write_text("a\n", encoding="utf-8")
    os.utime(path, (time.time() - age, time.time() - age))
    return path


def test_drafts_of_processes_that_are_gone_are_removed_once_they_are_old(tmp_path: Path, gone: int) -> None:
    place = folder(tmp_path / "release")
    old = folder(tmp_path / f".release.{gone}.part", LEFT_SECONDS + 60)
    older = folder(tmp_path / f".release.{gone}.part.old", LEFT_SECONDS + 60)
    kept = [
        folder(tmp_path / f".release.{gone}1.part"),
        folder(tmp_path / f".other.{gone}.part", LEFT_SECONDS + 60),
        folder(tmp_path / ".release.mine.part", LEFT_SECONDS + 60),
        folder(draft_of(place), LEFT_SECONDS + 60),
    ]
    tidy(place)
    assert not old.exists()
    assert not older.exists()
    assert place.exists()
    assert all(one.exists() for one in kept)


def test_an_old_folder_whose_successor_never_came_gets_its_name_back(tmp_path: Path, gone: int) -> None:
    folder(tmp_path / f".release.{gone}.part.old")
    tidy(tmp_path / "release")
    assert (tmp_path / "release" / "a.csv").read_text(encoding="utf-8") == "a\n"
