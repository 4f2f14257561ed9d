"""Lists of withdrawals: whose a list is, whether it is new enough, and that nobody comes back by a wrong one."""

from __future__ import annotations

import json
from pathlib import Path
from uuid import uuid4

import pytest

from endoxa.errors import UserError
from endoxa_collect import withdrawals
from endoxa_collect.files import head_for
from endoxa_collect.models import Tombstone
from endoxa_collect.privacy import withdraw
from endoxa_collect.project.folder import Folder
from endoxa_collect.project.replay import replay_folder, require_list

pytestmark = pytest.mark.slow

SECRET = "the secret of this folder"


@pytest.fixture
def folder(settings, tmp_path):
    """The folder of a campaign whose list says whose it is, and holds nothing else."""
    settings.FOLDER, settings.SECRET_KEY = tmp_path, SECRET
    made = Folder(tmp_path)
    made.secret.write_text(SECRET)
    made.finish()
    return made


def lines_of(folder):
    return withdrawals.read(folder.withdrawals)


def without_heads(path):
    kept = [line for line in path.read_text().splitlines(keepends=True) if '"list_of"' not in line]
    path.write_text("".join(kept))


def test_a_new_list_says_whose_it_is_and_names_nobody(folder):
    (line,) = folder.withdrawals.read_text().splitlines()
    assert list(json.loads(line)) == ["list_of"]
    assert SECRET not in line
    assert lines_of(folder) == []
    assert withdrawals.heads(folder.withdrawals) == {head_for(SECRET + "\n"), line}
    assert withdrawals.heads(folder.path / "nothing.jsonl") == set()


def emptied(path):
    path.write_text("")


@pytest.mark.parametrize(
    ("secret", "withdrawn", "spoil", "sentence"),
    [
        ("another secret", 0, None, "is the list of another campaign"),
        (SECRET, 2, None, "is older than the {}: 2 of the withdrawals"),
        (SECRET, 0, without_heads, "missing or empty, or lacks its first line.*--no-withdrawals"),
        (SECRET, 0, emptied, "missing or empty, or lacks its first line.*--no-withdrawals"),
        (SECRET, 1, Path.unlink, "missing or empty.*--no-withdrawals"),
    ],
)
def test_a_wrong_list_is_refused_by_restoring_and_replaying(
    folder, campaign, make_person, settings, secret, withdrawn, spoil, sentence
):
    require_list(folder.withdrawals, SECRET, 0, "backup")
    withdraw(make_person(campaign, "ana"))
    require_list(folder.withdrawals, SECRET, 0, "backup")
    assert replay_folder(folder, no_withdrawals=False).people == 0
    if spoil:
        spoil(folder.withdrawals)
    with pytest.raises(UserError, match=sentence.format("backup")):
        require_list(folder.withdrawals, secret, withdrawn, "backup")
    for _ in range(withdrawn):
        Tombstone.objects.create(
            campaign=campaign, table="ratings", row=uuid4(), withdrawn_hour="2026-11-03T14:00Z"
        )
    settings.SECRET_KEY = secret
    with pytest.raises(UserError, match=sentence.format("database")):
        replay_folder(folder, no_withdrawals=False)
    assert replay_folder(folder, no_withdrawals=True).people == 0
