"""The page of one item: what it shows, and what is sent from it; the same for accounts and for people of a panel."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext

from endoxa_collect.models import Judge, Turn
from endoxa_collect.tasks.handing import TaskOverError, UnknownTurnError, settings_of, skip, take
from endoxa_collect.tasks.rooms import AnswerForm, room


def item_context(judge: Judge, turn: Turn, form: AnswerForm | None) -> dict[str, Any]:
    """What the template of an item needs."""
    task, kind = judge.task, room(judge.task.kind)
    content = turn.item.content
    return {
        "task": task,
        "campaign": task.campaign,
        "room": kind,
        "settings": settings_of(task),
        "turn": turn,
        "content": content,
        "form": form or kind.form(content, turn.shown),
        **kind.context(content),
    }


def take_sent(
    request: HttpRequest, judge: Judge, page: Callable[..., HttpResponse], onward: Callable[[], HttpResponse]
) -> HttpResponse:
    """Take a judgement, or let the item go (`action` = skip); then what comes next (`onward`).

    `page` shows the next item; with a turn and its form, what was wrong there; with `note`, that somebody else has it.
    """
    try:
        token = UUID(request.POST.get("token", ""))
        turn = Turn.objects.select_related("item").get(judge=judge, token=token)
    except (ValueError, Turn.DoesNotExist):
        return onward()
    kind = room(judge.task.kind)
    form = kind.form(turn.item.content, turn.shown, request.POST)
    skipped = not kind.study and request.POST.get("action") == "skip"
    if not skipped and not form.is_valid():
        return page(turn, form)
    with suppress(TaskOverError):
        try:
            if skipped:
                skip(judge, token)
            else:
                take(judge, token, form.answer())
        except UnknownTurnError:
            return page(note=gettext("Somebody else has that one now. Here is another."))
    return onward()
