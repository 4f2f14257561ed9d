"""Roles that may open a page of a campaign. A page without named roles is closed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, Concatenate

from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponseBase
from django.views.decorators.http import require_http_methods

from endoxa_collect.models import Campaign, Membership, Role

DECIDERS = (Role.ORGANISER, Role.MODERATOR)
JUDGES = (*DECIDERS, Role.REVIEWER)
EVERYBODY = (*JUDGES, Role.RESEARCHER)

READ, SEND = ("GET", "HEAD"), ("POST",)
READ_OR_SEND = READ + SEND
"""Methods of HTTP: a page that is looked at, a form that is sent, a page with its form."""

Page = Callable[Concatenate[HttpRequest, Campaign, ...], HttpResponseBase]
"""A view that is handed the campaign in the place of its slug."""


def allowed(*roles: Role, methods: Sequence[str] = ()) -> Callable[[Page], Callable[..., HttpResponseBase]]:
    """Open a page `.../<slug:slug>/...` to accounts with one of these roles in that campaign.

    Strangers are sent to sign in; for accounts without the role the page does not exist (404); requests by other
    `methods` than those named, if any, are refused (405). The view carries its roles as `view.roles` for the test
    that walks all addresses.
    """

    def decorate(page: Page) -> Callable[..., HttpResponseBase]:
        checked = require_http_methods(list(methods))(page) if methods else page

        @login_required
        @wraps(page)
        def view(request: HttpRequest, slug: str, *args: Any, **named: Any) -> HttpResponseBase:
            campaign = Campaign.objects.filter(slug=slug).first()
            if campaign is None or not roles_of(request, campaign) & set(roles):
                raise Http404
            return checked(request, campaign, *args, **named)

        view.roles = roles  # type: ignore[attr-defined]
        return view

    return decorate


def roles_of(request: HttpRequest, campaign: Campaign) -> set[Role]:
    """The roles that the signed-in account has in a campaign."""
    if not request.user.is_authenticated:
        return set()
    roles = Membership.objects.filter(user=request.user, campaign=campaign).values_list("role", flat=True)
    return set(map(Role, roles))


def account(request: HttpRequest) -> User:
    """Who is signed in; `allowed` has checked that somebody is."""
    assert isinstance(request.user, User)
    return request.user
