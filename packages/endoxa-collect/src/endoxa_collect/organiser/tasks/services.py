"""What the pages of tasks need besides the tasks themselves."""

from __future__ import annotations

import zipfile
from dataclasses import dataclass
from pathlib import Path
from tempfile import SpooledTemporaryFile, TemporaryDirectory
from typing import IO

from django.contrib.auth.models import User
from django.http import Http404, HttpRequest

from endoxa_collect.models import Judge, Role, Task, Turn, TurnState
from endoxa_collect.tasks.results import Progress, progress, write_results
from endoxa_collect.tasks.room import Room
from endoxa_collect.tasks.rooms import room

_IN_MEMORY = 8 * 2**20
JUDGES = (Role.ORGANISER, Role.MODERATOR, Role.REVIEWER)
BEGUN = "task_begun_{}"
"""Session key: the account has seen the content warning of a task."""


@dataclass(frozen=True, slots=True)
class Described:
    """A task as the list shows it."""

    task: Task
    room: Room
    progress: Progress
    told: str = ""


def described(task: Task) -> Described:
    """A task with its counts."""
    found = room(task.kind)
    return Described(task, found, progress(task), found.workspace.progress(task) if found.workspace else "")


def account(request: HttpRequest) -> User:
    """Who is signed in.

    Raises:
        Http404: nobody is.
    """
    if not isinstance(request.user, User):
        raise Http404
    return request.user


def judge_of(task: Task, user: User) -> Judge:
    """The judge that an account is in a task."""
    return Judge.objects.get_or_create(task=task, user=user)[0]


def undoable(judge: Judge) -> Turn | None:
    """What the judge did last and can take back; None where there is nothing."""
    closed = judge.turns.filter(state__in=(TurnState.JUDGED, TurnState.SKIPPED))
    return closed.select_related("item").order_by("-closed_at", "-number").first()


def packed(task: Task, user: User) -> IO[bytes]:
    """The judgements as CSV tables in a zip archive.

    Raises:
        UserError: what is hidden from judges would be shown while they still judge.
    """
    archive = SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115  (the answer closes it)
    with TemporaryDirectory() as folder, zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packing:
        for path in write_results(task, Path(folder) / f"{task.name}.csv", user):
            packing.write(path, path.name)
    archive.seek(0)
    return archive
