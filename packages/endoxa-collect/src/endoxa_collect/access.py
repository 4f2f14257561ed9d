"""Who may open which page: one declaration for all pages of the site. A page without one in it is nobody's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from functools import partial, wraps
from typing import Any

from django import forms
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ObjectDoesNotExist
from django.db import DatabaseError
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from endoxa_collect.anonymous import holder, judge_of, task_of_code
from endoxa_collect.cards.answering import CoveredError, UnknownCardError
from endoxa_collect.frame import speak_within
from endoxa_collect.models import (
    Campaign,
    JoinCode,
    Judge,
    JudgeState,
    Membership,
    Person,
    Role,
    State,
    Task,
    TaskState,
)
from endoxa_collect.security.codes import letters_of
from endoxa_collect.security.limits import JOIN
from endoxa_collect.terms import changed_for

READ, SEND = ("GET", "HEAD"), ("POST",)
READ_OR_SEND = READ + SEND
"""Methods of HTTP: a page that is looked at, a form that is sent, a page with its form."""

Page = Callable[..., HttpResponseBase]


class Door(Enum):
    """Who opens a page, besides accounts by their roles, and what the page is handed after the request."""

    ANYBODY = "everybody; nothing"
    CODE = "holders of a join code; the campaign and the code"
    CONTRIBUTOR = "contributors of an open campaign; the person"
    CARD = "the same, with a card in their hands when the campaign was paused or closed; the person"
    TASK = "holders of the code of a panel; the task"
    JUDGE = "people of a panel who agreed to take part; the judge"
    WORKING = "those who have not ended, while the task is open; the judge"


def allowed(
    *who: Role | Door, methods: Sequence[str] = (), form: type[forms.Form] | None = None
) -> Callable[[Page], Page]:
    """Open a page to accounts with one of these roles in the campaign of its address, or through one door.

    Requests by other `methods` than those named, if any, are refused (405). With a `form` the page is handed its
    cleaned fields besides; where they cannot be read, it leads back to the card, with a note. The view carries to whom
    it is open as `view.roles`, for the test that walks all addresses.
    """

    def decorate(page: Page) -> Page:
        checked = _filled(page, form) if form else page
        checked = require_http_methods(list(methods))(checked) if methods else checked
        doors = [_DOORS[each] for each in who if isinstance(each, Door)]
        opened = partial(doors[0], checked) if doors else login_required(partial(_account, checked, who))

        @wraps(page)
        def view(request: HttpRequest, **named: Any) -> HttpResponseBase:
            return opened(request, **named)

        view.roles = who  # type: ignore[attr-defined]
        return view

    return decorate


def _filled(page: Page, form: type[forms.Form]) -> Page:
    def checked(request: HttpRequest, person: Person, **named: Any) -> HttpResponseBase:
        sent = form(request.POST)
        return page(request, person, sent.cleaned_data, **named) if sent.is_valid() else to_card("unclear")

    return checked


def _account(
    page: Page, roles: Sequence[Role | Door], request: HttpRequest, slug: str, **named: Any
) -> HttpResponseBase:
    """Strangers were sent to sign in; for accounts without the role the page does not exist (404)."""
    campaign = Campaign.objects.filter(slug=slug).first()
    if campaign is None or not roles_of(request, campaign) & set(roles):
        raise Http404
    return page(request, campaign, **named)


def roles_of(request: HttpRequest, campaign: Campaign) -> set[Role]:
    """The roles that the signed-in account has in a campaign."""
    if not request.user.is_authenticated:
        return set()
    roles = Membership.objects.filter(user=request.user, campaign=campaign).values_list("role", flat=True)
    return set(map(Role, roles))


def campaign_of_code(code: str, person: Person | None) -> Campaign | None:
    """The campaign that a code opens; None for codes that are unknown, over or revoked, and for drafts.

    A code that is over or revoked still leads those who belong to its campaign where they were, and everybody to the
    word that a campaign is closed, with its results.
    """
    join_code = JoinCode.objects.filter(code=letters_of(code)).select_related("campaign").first()
    if join_code is None or join_code.campaign.state == State.DRAFT:
        return None
    campaign = join_code.campaign
    belongs = person is not None and person.campaign_id == campaign.pk
    return campaign if belongs or campaign.state == State.CLOSED or join_code.in_force else None


def _code(page: Page, request: HttpRequest, code: str) -> HttpResponseBase:
    """All codes that open nothing get one and the same answer, and are counted."""
    JOIN.check(request)
    campaign = campaign_of_code(code, holder(request))
    if campaign is None:
        return _no_such_code(request)
    speak_within(request, campaign)
    if campaign.state != State.OPEN:
        return _closed(request, "contributor/closed.html")
    if not campaign.settings.joined:
        return render(request, "contributor/tasks_only.html", status=404)
    return page(request, campaign, code=letters_of(code))


def _no_such_code(request: HttpRequest) -> HttpResponse:
    JOIN.missed(request)
    return render(request, "contributor/no_such_code.html", status=404)


def _closed(request: HttpRequest, template: str, **context: object) -> HttpResponse:
    """The page of what is paused or over; nothing sent is taken. The site works, so the status is not 503."""
    return render(request, template, context, status=403 if request.method == "POST" else 200)


def _contributor(page: Page, request: HttpRequest, *, late: bool = False, **named: Any) -> HttpResponseBase:
    """Strangers are sent to the first page; who agreed to other terms than those in force is asked about them first.

    What is sent is taken from them all the same; and where it is `late`, after the campaign was paused or closed. The
    page itself sees to it that it takes nothing new then.
    """
    person = holder(request)
    if person is None:
        return redirect("contributor:home")
    sent = request.method == "POST"
    if person.campaign.state != State.OPEN and not (sent and late):
        return _closed(request, "contributor/closed.html")
    if not sent and changed_for(person) and request.path != reverse("contributor:again"):
        return redirect("contributor:again")
    return _unless_left(page, request, person, redirect("contributor:home"), named)


def _unless_left(
    page: Page, request: HttpRequest, who: Person | Judge, home: HttpResponse, named: dict[str, Any]
) -> HttpResponseBase:
    """Those who left in another tab, while this page is answered, are sent `home`.

    Where the page needs a card that is not theirs, or words that they did not open, it leads to their card, with a
    note.
    """
    try:
        return page(request, who, **named)
    except UnknownCardError:
        return to_card("moved")
    except CoveredError:
        # The script cannot read redirects, and shall not take this for an answer that was kept.
        return to_card("covered") if request.accepts("text/html") else HttpResponse(status=422)
    except (DatabaseError, ObjectDoesNotExist):
        if type(who).objects.filter(pk=who.pk).exists():
            raise
        return home


def to_card(note: str = "") -> HttpResponseRedirect:
    """To the card that waits for the person, with one of `card_forms.NOTES` above it."""
    address = reverse("contributor:card")
    return HttpResponseRedirect(f"{address}?note={note}" if note else address)


def _task(page: Page, request: HttpRequest, code: str, **named: Any) -> HttpResponseBase:
    """All codes that open nothing get one and the same answer, and are counted."""
    JOIN.check(request)
    task = task_of_code(code)
    if task is None:
        return _no_such_code(request)
    if code != task.code and request.method != "POST":
        # Typed small or with dashes: the cookie is for the address as we write it.
        assert request.resolver_match is not None
        address = reverse(request.resolver_match.view_name, kwargs={**named, "code": task.code})
        return redirect(f"{address}?{request.META['QUERY_STRING']}")
    speak_within(request, task.campaign)
    return page(request, task, **named)


def _judge(page: Page, request: HttpRequest, code: str, **named: Any) -> HttpResponseBase:
    """Strangers are sent to the first page of the task."""

    def of_task(request: HttpRequest, task: Task, **named: Any) -> HttpResponseBase:
        judge, home = judge_of(request, task), redirect("panel:start", task.code)
        return _unless_left(page, request, judge, home, named) if judge else home

    return _task(of_task, request, code, **named)


def _working(page: Page, request: HttpRequest, code: str, **named: Any) -> HttpResponseBase:
    def of_judge(request: HttpRequest, judge: Judge, **named: Any) -> HttpResponseBase:
        if judge.state != JudgeState.ACTIVE:
            return redirect("panel:end", judge.task.code)
        return not_running(request, judge.task, judge) or page(request, judge, **named)

    return _judge(of_judge, request, code, **named)


def not_running(request: HttpRequest, task: Task, judge: Judge | None = None) -> HttpResponse | None:
    """The page of a task that is paused or closed; None where people can judge now."""
    if task.state == TaskState.OPEN and task.campaign.state == State.OPEN:
        return None
    return _closed(request, "panel/closed.html", task=task, judge=judge)


_DOORS: dict[Door, Page] = {
    Door.ANYBODY: lambda page, request, **named: page(request, **named),
    Door.CODE: _code,
    Door.CONTRIBUTOR: _contributor,
    Door.CARD: partial(_contributor, late=True),
    Door.TASK: _task,
    Door.JUDGE: _judge,
    Door.WORKING: _working,
}
