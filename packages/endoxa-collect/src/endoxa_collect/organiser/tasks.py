"""The pages of tasks for accounts: list, upload, one item after the other, export."""

from __future__ import annotations

import tempfile
import zipfile
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import SpooledTemporaryFile, TemporaryDirectory
from typing import IO, Any

from django import forms
from django.contrib.auth.models import User
from django.core.files.uploadedfile import UploadedFile
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import URLPattern, path
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy

from endoxa.errors import UserError
from endoxa_collect.models import Campaign, Judge, Role, Task, TaskState, Turn, TurnState, record
from endoxa_collect.organiser.access import (
    EVERYBODY,
    JUDGES,
    READ,
    READ_OR_SEND,
    SEND,
    account,
    allowed,
    ask_first,
    roles_of,
)
from endoxa_collect.organiser.seeds import require_small
from endoxa_collect.tasks.adding import add_task, options_of
from endoxa_collect.tasks.handing import (
    TaskOverError,
    next_turn,
    settings_of,
    undo,
)
from endoxa_collect.tasks.judging import item_context, take_sent
from endoxa_collect.tasks.results import OpenTaskError, Progress, progress, write_results
from endoxa_collect.tasks.rooms import AnswerForm, Room, room, rooms

_IN_MEMORY = 8 * 2**20
BEGUN = "task_begun_{}"
"""Session key: the account has seen the content warning of a task."""


@dataclass(frozen=True, slots=True)
class TaskRow:
    """A task as the list shows it."""

    task: Task
    room: Room
    progress: Progress


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
        OpenTaskError: what is hidden from judges would be shown while they still judge.
        UserError: a table cannot be written.
    """
    with TemporaryDirectory() as folder:
        paths = list(write_results(task, Path(folder) / f"{task.name}.csv", user))
        archive = SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115  (the answer closes it)
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packing:
            for path in paths:
                packing.write(path, path.name)
    archive.seek(0)
    return archive


SUFFIXES = (".csv", ".tsv", ".jsonl", ".ndjson")


def kinds() -> list[tuple[str, Any]]:
    """Kinds of tasks with their titles."""
    return [(kind, room.title) for kind, room in sorted(rooms().items())]


class TaskForm(forms.Form):
    """Kind, file and settings of a task."""

    kind = forms.ChoiceField(label=gettext_lazy("Kind of the task"), choices=kinds)
    file = forms.FileField(
        label=gettext_lazy("File with the items"),
        widget=forms.FileInput(attrs={"accept": ",".join(SUFFIXES)}),
        help_text=gettext_lazy("CSV (UTF-8), TSV or JSONL with a row for each item; at most 2 MB."),
    )
    name = forms.CharField(label=gettext_lazy("Name (may be left out)"), required=False, max_length=40)
    settings = forms.CharField(
        label=gettext_lazy("Settings (may be left out)"),
        required=False,
        max_length=4_000,
        widget=forms.Textarea(attrs={"rows": 3, "dir": "ltr", "placeholder": "needed=3"}),
        help_text=gettext_lazy("One in each line, such as needed=3. They are listed below."),
    )
    panel = forms.BooleanField(
        label=gettext_lazy("People of a panel may judge, by an address with a code"), required=False
    )

    def clean_file(self) -> UploadedFile[bytes]:
        """A table that is not too large."""
        file = require_small(self.cleaned_data["file"])
        if Path(file.name or "").suffix.lower() not in SUFFIXES:
            raise forms.ValidationError(gettext("Expected a file that ends in .csv, .tsv or .jsonl."))
        return file


@allowed(Role.ORGANISER, methods=READ_OR_SEND)
def add(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Make a task from an uploaded file; every row is checked before anything is kept."""
    form = TaskForm(request.POST, request.FILES) if request.method == "POST" else TaskForm()
    if request.method == "POST" and form.is_valid():
        try:
            _add(request, campaign, form.cleaned_data)
        except UserError as problem:
            form.add_error("file", str(problem))
        else:
            return redirect("organiser:tasks", campaign.slug)
    kinds = [
        {
            "kind": kind.kind,
            "title": kind.title,
            "columns": {**kind.columns, **kind.optional},
            "needed": set(kind.columns),
            "settings": [
                f"{name}={_text(field.default)}" for name, field in kind.settings.model_fields.items()
            ],
        }
        for kind in rooms().values()
    ]
    context = {"campaign": campaign, "form": form, "rooms": kinds}
    return render(request, "tasks/add.html", context, status=422 if form.is_bound else 200)


def _add(request: HttpRequest, campaign: Campaign, cleaned: dict[str, Any]) -> Task:
    """The task; messages name the file as it was called, not where it lay here.

    Raises:
        UserError: the file or a setting cannot be used.
    """
    file = cleaned["file"]
    named = Path(file.name or "items").name
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"items{Path(named).suffix.lower()}"
        path.write_bytes(file.read())
        lines = [line for line in cleaned["settings"].splitlines() if line.strip()]
        try:
            return add_task(
                campaign,
                cleaned["kind"],
                path,
                name=cleaned["name"] or None,
                options=options_of(lines),
                panel=cleaned["panel"],
                user=request.user,
            ).task
        except UserError as problem:
            raise UserError(str(problem).replace(str(path), named).replace(f"{folder}/", "")) from None


def _text(value: object) -> str:
    return "[" + ",".join(map(str, value)) + "]" if isinstance(value, tuple) else str(value)


CHANGES = {
    TaskState.OPEN: "task opened",
    TaskState.PAUSED: "task paused",
    TaskState.CLOSED: "task closed",
}
"""What the log says of a task that an organiser opened, paused or closed."""


@allowed(*EVERYBODY, methods=READ)
def tasks(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """All tasks with their progress."""
    return _list(request, campaign)


def _list(request: HttpRequest, campaign: Campaign, fault: str = "", status: int = 200) -> HttpResponse:
    roles = roles_of(request, campaign)
    rows = []
    for task in Task.objects.filter(campaign=campaign).order_by("name"):
        kind = room(task.kind)
        rows.append(TaskRow(task, kind, progress(task)))
    context = {
        "campaign": campaign,
        "tasks": rows,
        "judges": bool(roles & set(JUDGES)),
        "organiser": Role.ORGANISER in roles,
        "exports": bool(roles & {Role.ORGANISER, Role.RESEARCHER}),
        "fault": fault,
    }
    return render(request, "tasks/list.html", context, status=status)


@allowed(*JUDGES, methods=READ)
def work(request: HttpRequest, campaign: Campaign, name: str) -> HttpResponse:
    """The item in hand, or the next one; before the first a word of warning."""
    task, who = _judging(request, campaign, name)
    groups = settings_of(task).groups
    if who is None or not request.session.get(BEGUN.format(task.pk)) or (groups and not who.group):
        return render(request, "tasks/begin.html", _frame(task))
    return _item_page(request, who)


@allowed(*JUDGES, methods=SEND)
def judge(request: HttpRequest, campaign: Campaign, name: str) -> HttpResponse:
    """Take a judgement, or let the item go (`action` = skip)."""
    _, who = _judging(request, campaign, name)
    if who is None:
        return redirect("organiser:task", campaign.slug, name)
    return take_sent(
        request,
        who,
        partial(_item_page, request, who),
        lambda: redirect("organiser:task", campaign.slug, name),
    )


@allowed(*JUDGES, methods=SEND)
def undo_last(request: HttpRequest, campaign: Campaign, name: str) -> HttpResponse:
    """Take the last judgement back, as often as there are some."""
    _, who = _judging(request, campaign, name)
    with suppress(TaskOverError):
        if who is not None:
            undo(who)
    return redirect("organiser:task", campaign.slug, name)


@allowed(*JUDGES, methods=SEND)
def begin(request: HttpRequest, campaign: Campaign, name: str) -> HttpResponse:
    """Show the words from now on, until the account signs out; and note the judge's group, where the task has some."""
    task, _ = _judging(request, campaign, name)
    who = judge_of(task, account(request))
    chosen = request.POST.get("group", "")
    if chosen in settings_of(task).groups:
        Judge.objects.filter(pk=who.pk).update(group=chosen)
    request.session[BEGUN.format(task.pk)] = True
    return redirect("organiser:task", campaign.slug, name)


@allowed(Role.ORGANISER, methods=SEND)
def change_state(request: HttpRequest, campaign: Campaign, name: str) -> HttpResponse:
    """Open, pause or close a task."""
    task = get_object_or_404(Task, campaign=campaign, name=name)
    state = request.POST.get("state", "")
    if state not in TaskState.values:
        raise Http404
    if task.revealed_at is not None and state != TaskState.CLOSED:
        fault = gettext("This task cannot be opened again: what judges must not know was shown to somebody.")
        return _list(request, campaign, fault, status=409)
    if state == TaskState.CLOSED:
        consequence = gettext(
            "Nobody can judge in this task any more, and once what judges must not know was downloaded, it cannot be "
            "opened again."
        )
        question = ask_first(
            request, campaign, action=gettext("Close"), consequence=consequence, back="organiser:tasks"
        )
        if question is not None:
            return question
    Task.objects.filter(pk=task.pk).update(state=state)
    record(campaign, account(request), CHANGES[TaskState(state)], task=task.name)
    return redirect("organiser:tasks", campaign.slug)


@allowed(Role.ORGANISER, Role.RESEARCHER, methods=SEND)
def export(request: HttpRequest, campaign: Campaign, name: str) -> HttpResponseBase:
    """The judgements as tables in an archive."""
    task = get_object_or_404(Task.objects.select_related("campaign"), campaign=campaign, name=name)
    try:
        archive = packed(task, account(request))
    except OpenTaskError:
        fault = gettext("Close this task first: the file would show what judges must not know.")
        return _list(request, campaign, fault, status=409)
    record(campaign, account(request), "task exported", task=task.name)
    file = f"{campaign.slug}-{task.name}-{timezone.now():%Y-%m-%d}.zip"
    return FileResponse(archive, as_attachment=True, filename=file, content_type="application/zip")


def _judging(request: HttpRequest, campaign: Campaign, name: str) -> tuple[Task, Judge | None]:
    """The task, and the judge that the account is in it; None before it has begun."""
    task = get_object_or_404(Task.objects.select_related("campaign"), campaign=campaign, name=name)
    if room(task.kind).study:
        raise Http404
    return task, Judge.objects.filter(task=task, user=account(request)).select_related(
        "task__campaign"
    ).first()


def _frame(task: Task) -> dict[str, Any]:
    return {"campaign": task.campaign, "task": task, "room": room(task.kind), "settings": settings_of(task)}


def _item_page(
    request: HttpRequest,
    judge: Judge,
    turn: Turn | None = None,
    form: AnswerForm | None = None,
    note: str = "",
) -> HttpResponse:
    """The page of one item, or that there is nothing more to do."""
    done = judge.turns.filter(state=TurnState.JUDGED).count()
    context = {**_frame(judge.task), "note": note, "done": done, "last": undoable(judge)}
    try:
        turn = turn or next_turn(judge)
    except TaskOverError:
        return render(request, "tasks/over.html", context)
    if turn is None:
        return render(request, "tasks/nothing.html", context)
    context |= item_context(judge, turn, form)
    return render(request, context["room"].template, context, status=422 if form else 200)


urlpatterns: list[URLPattern] = [
    path("<slug:slug>/tasks/", tasks, name="tasks"),
    path("<slug:slug>/new-task/", add, name="task_add"),
    path("<slug:slug>/tasks/<slug:name>/", work, name="task"),
    path("<slug:slug>/tasks/<slug:name>/judge/", judge, name="task_judge"),
    path("<slug:slug>/tasks/<slug:name>/undo/", undo_last, name="task_undo"),
    path("<slug:slug>/tasks/<slug:name>/begin/", begin, name="task_begin"),
    path("<slug:slug>/tasks/<slug:name>/state/", change_state, name="task_state"),
    path("<slug:slug>/tasks/<slug:name>/export/", export, name="task_export"),
]
