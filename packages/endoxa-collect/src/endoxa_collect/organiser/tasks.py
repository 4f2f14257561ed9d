"""The pages of tasks for accounts: list, upload, one item after the other, export."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.admin import action, display
from django.contrib.auth.models import User
from django.core.files.uploadedfile import UploadedFile
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.template.loader import render_to_string
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
)
from endoxa_collect.organiser.desk import CampaignList, form_page, require_small, sent, zipped
from endoxa_collect.tasks.adding import add_task, options_of
from endoxa_collect.tasks.handing import (
    TaskOverError,
    next_turn,
    settings_of,
    undo,
)
from endoxa_collect.tasks.judging import item_context, take_sent
from endoxa_collect.tasks.results import OpenTaskError, progress, write_results
from endoxa_collect.tasks.rooms import AnswerForm, room, rooms

BEGUN = "task_begun_{}"
"""Session key: the account has seen the content warning of a task."""


def judge_of(task: Task, user: User) -> Judge:
    """The judge that an account is in a task."""
    return Judge.objects.get_or_create(task=task, user=user)[0]


def undoable(judge: Judge) -> Turn | None:
    """What the judge did last and can take back; None where there is nothing."""
    closed = judge.turns.filter(state__in=(TurnState.JUDGED, TurnState.SKIPPED))
    return closed.select_related("item").order_by("-closed_at", "-number").first()


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
    title, button = gettext("Add a task"), gettext("Add the task")
    return form_page(
        request,
        campaign,
        form,
        title=title,
        button=button,
        back="organiser:tasks",
        template="tasks/add.html",
        rooms=kinds,
    )


def _add(request: HttpRequest, campaign: Campaign, cleaned: dict[str, Any]) -> Task:
    """The task; messages name the file as it was called, not where it lay here.

    Raises:
        UserError: the file or a setting cannot be used.
    """
    file = cleaned["file"]
    named = Path(file.name or "items").name
    with TemporaryDirectory() as folder:
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
            )
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


class Tasks(CampaignList):
    """All tasks with their progress."""

    sees = EVERYBODY
    of = Task
    heading = gettext_lazy("Tasks")
    adds = (("organiser:task_add", gettext_lazy("Add a task")),)
    change_list_template = "tasks/list.html"
    list_display = ("task", "progress")
    ordering = ("name",)
    actions = ("reopen", "pause", "close", "export")

    def has_export_permission(self, _request: HttpRequest) -> bool:
        """Who may download judgements."""
        return self.organises or Role.RESEARCHER in self.roles

    @display(description=gettext_lazy("Name"))
    def task(self, task: Task) -> str:
        """Name, kind and state; the way to its items for who may judge; the address of a panel for organisers."""
        judges = task.state == TaskState.OPEN and not room(task.kind).study and bool(self.roles & set(JUDGES))
        context = {"task": task, "room": room(task.kind), "judges": judges, "organiser": self.organises}
        return render_to_string("tasks/named.html", {**context, "campaign": self.campaign})

    @display(description=gettext_lazy("Progress"))
    def progress(self, task: Task) -> str:
        """How many items have enough judgements."""
        return render_to_string("tasks/progress.html", {"progress": progress(task)})

    @action(description=gettext_lazy("Open again"), permissions=["organise"])
    def reopen(self, request: HttpRequest, tasks: QuerySet[Task]) -> None:
        """Let judges go on."""
        self._turn(request, tasks, TaskState.OPEN)

    @action(description=gettext_lazy("Pause"), permissions=["organise"])
    def pause(self, request: HttpRequest, tasks: QuerySet[Task]) -> None:
        """Take no judgements for a while."""
        self._turn(request, tasks, TaskState.PAUSED)

    @action(description=gettext_lazy("Close"), permissions=["organise"])
    def close(self, request: HttpRequest, tasks: QuerySet[Task]) -> HttpResponse | None:
        """Take no judgements any more."""
        consequence = gettext(
            "Nobody can judge in this task any more, and once what judges must not know was downloaded, it cannot be "
            "opened again."
        )
        question = ask_first(
            request, self.campaign, action=gettext("Close"), consequence=consequence, back="organiser:tasks"
        )
        if question is None:
            self._turn(request, tasks, TaskState.CLOSED)
        return question

    def _turn(self, request: HttpRequest, tasks: QuerySet[Task], state: TaskState) -> None:
        if state != TaskState.CLOSED and tasks.filter(revealed_at__isnull=False).exists():
            fault = gettext(
                "This task cannot be opened again: what judges must not know was shown to somebody."
            )
            self.message_user(request, fault, messages.ERROR)
            return
        for task in tasks.exclude(state=state):
            Task.objects.filter(pk=task.pk).update(state=state)
            record(self.campaign, request.user, CHANGES[state], task=task.name)

    @action(description=gettext_lazy("Download the judgements"), permissions=["export"])
    def export(self, request: HttpRequest, tasks: QuerySet[Task]) -> HttpResponseBase | None:
        """The judgements as tables in an archive."""
        try:
            with TemporaryDirectory() as folder:
                tables = [
                    table
                    for task in tasks
                    for table in write_results(task, Path(folder) / f"{task.name}.csv", account(request))
                ]
                archive = zipped(tables)
        except OpenTaskError:
            fault = gettext("Close this task first: the file would show what judges must not know.")
            self.message_user(request, fault, messages.ERROR)
            return None
        for task in tasks:
            record(self.campaign, request.user, "task exported", task=task.name)
        names = "-".join(task.name for task in tasks)
        return sent(archive, f"{self.campaign.slug}-{names}-{timezone.now():%Y-%m-%d}.zip")


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
    path("<slug:slug>/tasks/", Tasks.page(), name="tasks"),
    path("<slug:slug>/new-task/", add, name="task_add"),
    path("<slug:slug>/tasks/<slug:name>/", work, name="task"),
    path("<slug:slug>/tasks/<slug:name>/judge/", judge, name="task_judge"),
    path("<slug:slug>/tasks/<slug:name>/undo/", undo_last, name="task_undo"),
    path("<slug:slug>/tasks/<slug:name>/begin/", begin, name="task_begin"),
]
