"""The pages of tasks for accounts: list, upload, one item after the other, export."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.admin import action
from django.core.validators import FileExtensionValidator
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import path
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy

from endoxa.errors import UserError
from endoxa_collect.models import Campaign, Judge, Role, Task, TaskState, Turn, TurnState, record
from endoxa_collect.organiser.access import EVERYBODY, JUDGES, READ, SEND, account, allowed, ask_first
from endoxa_collect.organiser.desk import CampaignForm, CampaignList, require_small, sent, zipped
from endoxa_collect.organiser.wording import STATES
from endoxa_collect.tasks.adding import add_task, options_of
from endoxa_collect.tasks.handing import TaskOverError, item_context, next_turn, settings_of, take_sent, undo
from endoxa_collect.tasks.results import OpenTaskError, progress, write_results
from endoxa_collect.tasks.rooms import AnswerForm, Room, room, rooms

BEGUN = "task_begun_{}"
"""Session key: the account has seen the content warning of a task."""


SUFFIXES = ("csv", "tsv", "jsonl", "ndjson")


class TaskForm(CampaignForm):
    """Kind, file and settings of a task."""

    title, button = gettext_lazy("Add a task"), gettext_lazy("Add the task")
    back, template = "organiser:tasks", "tasks/add.html"
    kind = forms.ChoiceField(
        label=gettext_lazy("Kind of the task"),
        choices=lambda: [(kind, room.title) for kind, room in sorted(rooms().items())],
    )
    file = forms.FileField(
        label=gettext_lazy("File with the items"),
        widget=forms.FileInput(attrs={"accept": ".csv,.tsv,.jsonl,.ndjson"}),
        help_text=gettext_lazy("CSV (UTF-8), TSV or JSONL with a row for each item; at most 2 MB."),
        validators=[
            require_small,
            FileExtensionValidator(
                SUFFIXES, gettext_lazy("Expected a file that ends in .csv, .tsv or .jsonl.")
            ),
        ],
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

    def rooms(self) -> list[tuple[Room, dict[str, Any]]]:
        """What files of each kind need, with its settings and their defaults."""
        return [(room, room.settings().model_dump(mode="json")) for room in rooms().values()]

    def carry_out(self, request: HttpRequest) -> HttpResponse | None:
        """Make the task, once every row was checked; messages name the file as it was called, not where it lay here."""
        cleaned, file = self.cleaned_data, self.cleaned_data["file"]
        with TemporaryDirectory() as folder:
            items = Path(folder) / f"items{Path(file.name).suffix.lower()}"
            items.write_bytes(file.read())
            try:
                add_task(
                    self.campaign,
                    cleaned["kind"],
                    items,
                    name=cleaned["name"] or None,
                    options=options_of(filter(str.strip, cleaned["settings"].splitlines())),
                    panel=cleaned["panel"],
                    user=request.user,
                )
            except UserError as problem:
                self.add_error("file", str(problem).replace(str(items), file.name).replace(f"{folder}/", ""))
                return None
        return redirect(self.back, self.campaign.slug)


CHANGES = {TaskState.OPEN: "task opened", TaskState.PAUSED: "task paused", TaskState.CLOSED: "task closed"}
"""What the log says of a task that an organiser opened, paused or closed."""


def _turning(state: TaskState, label: Any) -> Any:
    """An action that opens, pauses or closes tasks."""

    @action(description=label, permissions=["organise"])
    def turned(rows: Tasks, request: HttpRequest, tasks: QuerySet[Task]) -> HttpResponse | None:
        if state == TaskState.CLOSED:
            consequence = gettext(
                "Nobody can judge in this task any more, and once what judges must not know was downloaded, it cannot "
                "be opened again."
            )
            question = ask_first(
                request, rows.campaign, action=str(label), consequence=consequence, back="organiser:tasks"
            )
            if question is not None:
                return question
        elif tasks.filter(revealed_at__isnull=False).exists():
            fault = gettext(
                "This task cannot be opened again: what judges must not know was shown to somebody."
            )
            rows.message_user(request, fault, messages.ERROR)
            return None
        for task in tasks.exclude(state=state):
            Task.objects.filter(pk=task.pk).update(state=state)
            record(rows.campaign, request.user, CHANGES[state], task=task.name)
        return None

    return turned


class Tasks(CampaignList):
    """All tasks with their progress."""

    sees = EVERYBODY
    of = Task
    heading = gettext_lazy("Tasks")
    adds = (("organiser:task_add", TaskForm.title),)
    change_list_template = "tasks/list.html"
    ordering = ("name",)
    actions = ("reopen", "pause", "close", "export")

    def context(self) -> dict[str, Any]:
        """Whether the account may judge."""
        return {"judges": bool(self.roles & set(JUDGES))}

    def shown(self, row: Task) -> dict[str, Any]:
        """What kind of task it is, and how many items have enough judgements."""
        return {"room": room(row.kind), "state": STATES[row.state], "progress": progress(row)}

    def has_export_permission(self, _request: HttpRequest) -> bool:
        """Who may download judgements."""
        return self.organises or Role.RESEARCHER in self.roles

    reopen = _turning(TaskState.OPEN, gettext_lazy("Open again"))
    pause = _turning(TaskState.PAUSED, gettext_lazy("Pause"))
    close = _turning(TaskState.CLOSED, gettext_lazy("Close"))

    @action(description=gettext_lazy("Download the judgements"), permissions=["export"])
    def export(self, request: HttpRequest, tasks: QuerySet[Task]) -> HttpResponseBase | None:
        """The judgements as tables in an archive; a task that is open refuses before another one is shown."""
        tasks = tasks.order_by("-state")
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
    task = _task(campaign, name)
    who = Judge.objects.filter(task=task, user=account(request)).select_related("task__campaign").first()
    asked = settings_of(task).groups and who and not who.group
    if who is None or asked or not request.session.get(BEGUN.format(task.pk)):
        return render(request, "tasks/begin.html", _frame(task))
    return _item_page(request, who)


@allowed(*JUDGES, methods=SEND)
def judge(request: HttpRequest, campaign: Campaign, name: str) -> HttpResponse:
    """Take a judgement, or let the item go (`action` = skip)."""
    who = _judge(request, campaign, name)
    onward = partial(redirect, "organiser:task", campaign.slug, name)
    return take_sent(request, who, partial(_item_page, request, who), onward)


@allowed(*JUDGES, methods=SEND)
def undo_last(request: HttpRequest, campaign: Campaign, name: str) -> HttpResponse:
    """Take the last judgement back, as often as there are some."""
    with suppress(TaskOverError):
        undo(_judge(request, campaign, name))
    return redirect("organiser:task", campaign.slug, name)


@allowed(*JUDGES, methods=SEND)
def begin(request: HttpRequest, campaign: Campaign, name: str) -> HttpResponse:
    """Show the words from now on, until the account signs out; and note the judge's group, where the task has some."""
    task = _task(campaign, name)
    who, _ = Judge.objects.get_or_create(task=task, user=account(request))
    if (chosen := request.POST.get("group", "")) in settings_of(task).groups:
        Judge.objects.filter(pk=who.pk).update(group=chosen)
    request.session[BEGUN.format(task.pk)] = True
    return redirect("organiser:task", campaign.slug, name)


def _task(campaign: Campaign, name: str) -> Task:
    """A task in which accounts judge."""
    task = get_object_or_404(Task.objects.select_related("campaign"), campaign=campaign, name=name)
    if room(task.kind).study:
        raise Http404
    return task


def _judge(request: HttpRequest, campaign: Campaign, name: str) -> Judge:
    """The judge that the account is in a task, once it has begun."""
    judges = Judge.objects.filter(task__campaign=campaign, task__name=name).select_related("task__campaign")
    return get_object_or_404(judges, user=account(request))


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
    closed = judge.turns.filter(state__in=(TurnState.JUDGED, TurnState.SKIPPED)).select_related("item")
    last = closed.order_by("-closed_at", "-number").first()
    context = {**_frame(judge.task), "note": note, "done": done, "last": last}
    try:
        turn = turn or next_turn(judge)
    except TaskOverError:
        return render(request, "tasks/over.html", context)
    if turn is None:
        return render(request, "tasks/nothing.html", context)
    context |= item_context(judge, turn, form)
    return render(request, context["room"].template, context, status=422 if form else 200)


urlpatterns = [
    path("<slug:slug>/tasks/", Tasks.page(), name="tasks"),
    path("<slug:slug>/new-task/", TaskForm.page(), name="task_add"),
    path("<slug:slug>/tasks/<slug:name>/", work, name="task"),
    path("<slug:slug>/tasks/<slug:name>/judge/", judge, name="task_judge"),
    path("<slug:slug>/tasks/<slug:name>/undo/", undo_last, name="task_undo"),
    path("<slug:slug>/tasks/<slug:name>/begin/", begin, name="task_begin"),
]
