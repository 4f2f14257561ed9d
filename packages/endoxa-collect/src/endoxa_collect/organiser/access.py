"""Signing in, and what the pages of accounts share; `allowed` says who may open one (`endoxa_collect.access`)."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from django import forms
from django.contrib.auth import views as auth
from django.contrib.auth.decorators import login_required
from django.contrib.auth.forms import AuthenticationForm, PasswordChangeForm
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path, reverse, reverse_lazy
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from endoxa_collect.access import READ, READ_OR_SEND, SEND, allowed, roles_of
from endoxa_collect.models import Campaign, Membership, Role
from endoxa_collect.organiser.wording import ROLES, state_of, title_of
from endoxa_collect.security import limits
from endoxa_collect.security.codes import browser_key, remember
from endoxa_collect.security.limits import LOGIN_ACCOUNT, LOGIN_SAME_BROWSER, LOGIN_SITE, Limit

__all__ = ["READ", "READ_OR_SEND", "SEND", "allowed", "roles_of"]

DECIDERS = (Role.ORGANISER, Role.MODERATOR)
JUDGES = (*DECIDERS, Role.REVIEWER)
EVERYBODY = (*JUDGES, Role.RESEARCHER)


def ask_first(
    request: HttpRequest, campaign: Campaign, *, action: str, consequence: str, back: str
) -> HttpResponse | None:
    """A page that asks whether to do what was sent, and sends it once more; None once somebody said yes.

    Args:
        request: what was sent, a form.
        campaign: whose page it is.
        action: what the button says.
        consequence: what will be different, and whether it can be taken back.
        back: name of the page that leads away from it.
    """
    if "sure" in request.POST:
        return None
    sent = [(name, value) for name, value in request.POST.items() if name != "csrfmiddlewaretoken"]
    context = {"campaign": campaign, "action": action, "consequence": consequence, "sent": sent}
    context["back"] = reverse(back, args=[campaign.slug])
    return render(request, "organiser/sure.html", context)


def account(request: HttpRequest) -> User:
    """Who is signed in; `allowed` has checked that somebody is."""
    assert isinstance(request.user, User)
    return request.user


_TOO_OFTEN = gettext_lazy("That was tried too often. Please wait ten minutes, then try again.")
_WRONG = gettext_lazy("This name and password do not go together. Please look at both again.")

sign_out = auth.LogoutView.as_view(next_page="organiser:login")


class SignInForm(AuthenticationForm):
    """Name and password. A name that was tried too often must wait, whether an account has it or not.

    Browsers in which the account signed in before are counted by themselves.
    """

    error_messages = {
        "invalid_login": _WRONG,
        "inactive": _WRONG,
        "too_often": _TOO_OFTEN,
    }

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        self.fields["username"].label = gettext_lazy("Name")
        self.fields["password"].label = gettext_lazy("Password")

    def clean(self) -> dict[str, Any]:
        """Count the try before the password is looked at, so that many at once do not slip through."""
        name = self.cleaned_data.get("username", "")
        browser = browser_key(self.request, name) if self.request else ""
        mine, key = _counted(browser, name)
        flooded = not browser and LOGIN_SITE.exhausted(limits.SITE)
        if flooded or not mine.count(key):
            raise forms.ValidationError(self.error_messages["too_often"], code="too_often")
        try:
            cleaned = super().clean()
        except forms.ValidationError:
            if not browser:
                LOGIN_SITE.count(limits.SITE)
            raise
        mine.clear(key)
        return cleaned


class NewPasswordForm(PasswordChangeForm):
    """The old password and a new one; who does not know the old one is not let try without end.

    `browser` is what the browser is known as, if the account signed in there before.
    """

    error_messages = {**PasswordChangeForm.error_messages, "too_often": _TOO_OFTEN}

    def __init__(self, *args: Any, browser: str = "", **named: Any) -> None:
        super().__init__(*args, **named)
        self._browser = browser

    def clean_old_password(self) -> str:
        """Count the try, as signing in does, before the password is looked at."""
        mine, key = _counted(self._browser, self.user.get_username())
        if not mine.count(key):
            raise forms.ValidationError(self.error_messages["too_often"], code="too_often")
        old = super().clean_old_password()
        mine.clear(key)
        return old


def _counted(browser: str, name: str) -> tuple[Limit, str]:
    """Where tries of an account are counted: by themselves in a browser that is known as `browser`, not ""."""
    return (LOGIN_SAME_BROWSER, browser) if browser else (LOGIN_ACCOUNT, name)


def _slots(browser: str) -> limits.Slots:
    """Which bound on concurrent hashing holds: browsers known as `browser`, not "", have one of their own."""
    return limits.PASSWORDS_SAME_BROWSER if browser else limits.PASSWORDS


class SignIn(auth.LoginView):
    """Ask for name and password, and know the browser again."""

    authentication_form = SignInForm
    template_name = "organiser/sign_in.html"
    redirect_authenticated_user = True

    def post(self, request: HttpRequest, *args: Any, **named: Any) -> HttpResponse:
        """Look at name and password, unless this worker looks at another one."""
        with _slots(browser_key(request, request.POST.get("username", ""))).occupied() as free:
            return super().post(request, *args, **named) if free else limits.refuse(request, limits.BUSY)

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        """Start the session."""
        response = super().form_valid(form)
        remember(response, form.get_user().get_username())
        return response


class ChangePassword(auth.PasswordChangeView):
    """Ask for the old password and a new one."""

    form_class = NewPasswordForm
    template_name = "organiser/password.html"
    success_url = reverse_lazy("organiser:password_changed")

    def post(self, request: HttpRequest, *args: Any, **named: Any) -> HttpResponse:
        """Look at both passwords, unless this worker looks at another one."""
        with _slots(browser_key(request, request.user.get_username())).occupied() as free:
            return super().post(request, *args, **named) if free else limits.refuse(request, limits.BUSY)

    def get_form_kwargs(self) -> dict[str, Any]:
        """With what the browser is known as."""
        browser = browser_key(self.request, self.request.user.get_username())
        return {**super().get_form_kwargs(), "browser": browser}


sign_in = SignIn.as_view()
change_password = ChangePassword.as_view()


@login_required
@require_safe
def password_changed(request: HttpRequest) -> HttpResponse:
    """Say that the new password is in force."""
    return render(request, "organiser/password_changed.html")


@login_required
@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """The campaigns in which the account has a role."""
    roles: dict[Campaign, list[Any]] = defaultdict(list)
    memberships = Membership.objects.filter(user=request.user.pk).select_related("campaign")
    for membership in memberships.order_by("campaign__slug", "role"):
        roles[membership.campaign].append(ROLES[membership.role])
    campaigns = [
        (campaign, title_of(campaign), state_of(campaign), names) for campaign, names in roles.items()
    ]
    return render(request, "organiser/home.html", {"campaigns": campaigns})


urlpatterns = [
    path("", home, name="home"),
    path("login/", sign_in, name="login"),
    path("logout/", sign_out, name="logout"),
    path("password/", change_password, name="password"),
    path("password/changed/", password_changed, name="password_changed"),
]
