"""A folder is there whole, with its checksums, or not at all."""

from __future__ import annotations

import subprocess

import pytest

from endoxa.errors import UserError
from endoxa.export.folder import PROVENANCE, new_folder
from endoxa.sources.files import CHECKSUMS


def make(target, text="one", *, overwrite=False):
    with new_folder(target, {"made_by": "a test"}, overwrite=overwrite) as folder:
        (folder / "data").mkdir()
        (folder / "data" / "rows.txt").write_text(text)


def names(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def test_checksums_are_what_sha256sum_checks(tmp_path):
    make(tmp_path / "a" / "b")
    check = subprocess.run(
        ["sha256sum", "-c", CHECKSUMS], cwd=tmp_path / "a" / "b", capture_output=True, text=True
    )
    assert check.returncode == 0
    assert check.stdout.splitlines() == ["data/rows.txt: OK", f"{PROVENANCE}: OK"]


def test_a_failure_leaves_nothing_behind(tmp_path):
    def stopped():
        with new_folder(tmp_path / "out", {}, overwrite=False) as folder:
            (folder / "half").write_text("x")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        stopped()
    assert list(tmp_path.iterdir()) == []


def test_an_earlier_export_is_replaced_only_when_told_to(tmp_path):
    make(tmp_path / "out")
    with pytest.raises(UserError, match="Pass --overwrite"):
        make(tmp_path / "out", "two")
    make(tmp_path / "out", "two", overwrite=True)
    assert (tmp_path / "out" / "data" / "rows.txt").read_text() == "two"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def change(folder):
    (folder / "data" / "rows.txt").write_text("answers that took a day")


def add(folder):
    (folder / ".git").mkdir()
    (folder / ".git" / "HEAD").write_text("x")


def take_away(folder):
    (folder / "data" / "rows.txt").unlink()


@pytest.mark.parametrize("touch", [change, add, take_away])
def test_a_folder_that_somebody_touched_is_never_replaced(tmp_path, touch):
    make(tmp_path / "out")
    touch(tmp_path / "out")
    before = names(tmp_path / "out")
    with pytest.raises(UserError, match="was edited after the export"):
        make(tmp_path / "out", "two", overwrite=True)
    assert names(tmp_path / "out") == before


@pytest.mark.parametrize("overwrite", [False, True])
def test_a_folder_of_others_is_left_alone(tmp_path, overwrite):
    (tmp_path / "mine").write_text("x")
    with pytest.raises(UserError, match="contains other files"):
        make(tmp_path, overwrite=overwrite)
    with pytest.raises(UserError, match="is a file"):
        make(tmp_path / "mine", overwrite=overwrite)
    assert names(tmp_path) == ["mine"]
