"""Check a list of withdrawals before a database is made to forget by it: whose it is, and whether it is the newest."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from django.conf import settings

from endoxa.errors import UserError
from endoxa_collect.heads import head_for
from endoxa_collect.models import (
    AuditEntry,
    HurtAnswer,
    Judge,
    Mention,
    MixedAnswer,
    Pair,
    Person,
    Rating,
    Skip,
    Statement,
    Tombstone,
)
from endoxa_collect.project.folder import Folder, has_list
from endoxa_collect.withdrawals import Line, append, hashed, heads

_NEWEST = "the newest copy of withdrawals.jsonl from the campaign's folder"


def require_same_campaign(path: Path, lines: Sequence[Line], secret: str, recorded: Sequence[Line]) -> None:
    """Refuse a list that cannot be shown to be of the campaign whose backup was made.

    It is if it says so (`heads`). One made before lists did is, if it holds a withdrawal that the backup knows, or
    somebody or something that is in the database.

    Args:
        path: of the list.
        lines: of the list.
        secret: of the campaign's folder.
        recorded: the withdrawals that the backup knows.

    Raises:
        UserError: the list is empty or another campaign's, or nothing tells whose it is.
    """
    list_heads = heads(path)
    if list_heads - {head_for(secret)}:
        raise UserError(f"{path} is the list of another campaign. Give {_NEWEST}.")
    if list_heads:
        return
    if not lines:
        raise UserError(f"{path} is empty. Give {_NEWEST}, or --no-withdrawals if nobody withdrew since.")
    if set(recorded).isdisjoint(lines) and not _meets(lines):
        raise UserError(
            f"{path} names nobody and nothing of this backup: it may be the list of another campaign. Give {_NEWEST}, "
            "or --no-withdrawals if nobody who is in the backup withdrew since."
        )


def require_newest(lines: Sequence[Line], path: Path, recorded: Sequence[Line]) -> None:
    """Refuse lists that lack a withdrawal which the backup knows; `path` is for the message.

    Raises:
        UserError: how many are missing.
    """
    missing = len(set(recorded) - set(lines))
    if missing:
        raise UserError(
            f"{path} is older than the backup: {missing} of the withdrawals that the backup knows are missing. "
            f"Give {_NEWEST}, or --no-withdrawals if there is none and nobody withdrew since the backup."
        )


def require_list(folder: Folder, lines: Sequence[Line]) -> None:
    """Refuse the list of a campaign's folder for a database that was restored by other means, as `restore` would.

    Raises:
        UserError: it is missing or empty, another campaign's, or lacks what the database knows.
    """
    path = folder.withdrawals
    otherwise = "or give --no-withdrawals if nobody withdrew since the database was copied"
    if not has_list(path):
        raise UserError(
            f"{path} is missing or empty, so nobody knows who withdrew. Put the newest copy there, {otherwise}."
        )
    list_heads = heads(path)
    stones = set(Tombstone.objects.values_list("row", flat=True))
    missing = len(stones - {row.row for line in lines for row in line.rows})
    if list_heads - {head_for(settings.SECRET_KEY)}:
        raise UserError(f"{path} is the list of another campaign. Put this campaign's there, {otherwise}.")
    if not list_heads and missing == len(stones) and not _meets(lines):
        raise UserError(
            f"{path} names nobody and nothing of this database: it may be the list of another campaign. Put this "
            f"campaign's there, {otherwise}."
        )
    if missing:
        raise UserError(
            f"{path} is older than the database: {missing} rows that the database knows as withdrawn are missing. "
            f"Put the newest copy there, {otherwise}."
        )


def say_whose(folder: Folder) -> None:
    """Let a list say whose it is that was made before lists did; not an empty one that may have been lost."""
    path = folder.withdrawals
    if not path.exists() or heads(path):
        return
    left = AuditEntry.objects.filter(action__in=("withdrawal", "judge withdrawn"))
    if path.stat().st_size or not (left.exists() or Tombstone.objects.exists()):
        append(path, [])


def _meets(lines: Sequence[Line]) -> bool:
    """Whether somebody or something that these lines name is in the database."""
    people = {line.person for line in lines if line.person}
    if any(
        hashed(pk) in people for model in (Person, Judge) for pk in model.objects.values_list("pk", flat=True)
    ):
        return True
    rows = {row.row for line in lines for row in line.rows}
    tables = (Pair, Rating, Mention, Skip, HurtAnswer, MixedAnswer, Statement)
    return any(not rows.isdisjoint(model.objects.values_list("public_id", flat=True)) for model in tables)
