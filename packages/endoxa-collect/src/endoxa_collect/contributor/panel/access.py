"""Who may open which page of a panel: holders of its code, people who agreed to take part, those who have not ended."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate

from django.core.exceptions import ObjectDoesNotExist
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import resolve, reverse

from endoxa_collect.contributor.frame import speak_within
from endoxa_collect.contributor.panel.services import judge_of, next_page, running, task_of_code
from endoxa_collect.models import Judge, JudgeState, Task
from endoxa_collect.security.limits import JOIN_BROWSER, JOIN_SITE, may_guess, missed, refuse
from endoxa_collect.tasks.handing import settings_of
from endoxa_collect.tasks.rooms import room

TaskPage = Callable[Concatenate[HttpRequest, Task, ...], HttpResponse]
"""A view that is handed the task."""
JudgePage = Callable[Concatenate[HttpRequest, Judge, ...], HttpResponse]
"""A view that is handed the judge."""


def with_task(view: TaskPage) -> Callable[..., HttpResponse]:
    """Open a page `/t/<code>/...` to holders of a code; all others get one and the same answer, and are counted."""

    @wraps(view)
    def guarded(request: HttpRequest, code: str, **named: Any) -> HttpResponse:
        if not may_guess(request, JOIN_BROWSER):
            return refuse(request, JOIN_BROWSER)
        task = task_of_code(code)
        if task is None:
            if full := missed(request, JOIN_BROWSER, JOIN_SITE):
                return refuse(request, full)
            return render(request, "contributor/no_such_code.html", status=404)
        if code != task.code and request.method != "POST":
            # Typed small or with dashes: the cookie is for the address as we write it.
            address = reverse(resolve(request.path).view_name, kwargs={**named, "code": task.code})
            return redirect(f"{address}?{request.META['QUERY_STRING']}")
        speak_within(request, task.campaign)
        return view(request, task, **named)

    return guarded


def judging(view: JudgePage) -> Callable[..., HttpResponse]:
    """Open a page to people who agreed to take part; strangers are sent to the first page.

    Those who deleted everything in another tab, while this one is being answered, are sent there, too.
    """

    @wraps(view)
    def guarded(request: HttpRequest, task: Task, **named: Any) -> HttpResponse:
        judge = judge_of(request, task)
        if judge is None:
            return redirect("panel:start", task.code)
        try:
            return view(request, judge, **named)
        except (DatabaseError, ObjectDoesNotExist):
            if Judge.objects.filter(pk=judge.pk).exists():
                raise
            return redirect("panel:start", task.code)

    return with_task(guarded)


def active(view: JudgePage) -> Callable[..., HttpResponse]:
    """Open a page to people who have not ended, while the task is open."""

    @wraps(view)
    def guarded(request: HttpRequest, judge: Judge, **named: Any) -> HttpResponse:
        if judge.state != JudgeState.ACTIVE:
            return redirect(next_page(judge))
        if not running(judge.task):
            return not_running(request, judge.task, judge)
        return view(request, judge, **named)

    return judging(guarded)


def page(
    request: HttpRequest,
    template: str,
    task: Task,
    judge: Judge | None = None,
    *,
    status: int = 200,
    **more: Any,
) -> HttpResponse:
    """A page of a task, for a judge or a stranger; `more` is what its template needs besides."""
    context = {"task": task, "judge": judge, "room": room(task.kind), "settings": settings_of(task), **more}
    return render(request, f"panel/{template}.html", context, status=status)


def not_running(request: HttpRequest, task: Task, judge: Judge | None) -> HttpResponse:
    """The page of a task that is paused or closed; what was sent is refused."""
    return page(request, "closed", task, judge, status=403 if request.method == "POST" else 200)
