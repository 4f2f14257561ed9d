"""Signing in, and what the pages of accounts share; `allowed` says who may open one (`endoxa_collect.access`)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Any

from django import forms
from django.contrib.auth import views as auth
from django.contrib.auth.decorators import login_required
from django.contrib.auth.forms import AuthenticationForm, PasswordChangeForm
from django.contrib.auth.models import User
from django.contrib.messages.views import SuccessMessageMixin
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
from endoxa_collect.security.limits import LOGIN_ACCOUNT, LOGIN_SAME_BROWSER, LOGIN_SITE

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
    fields = [(name, values) for name, values in request.POST.lists() if name != "csrfmiddlewaretoken"]
    sent = [(name, value) for name, values in fields for value in values]
    context = {"campaign": campaign, "action": action, "consequence": consequence, "sent": sent}
    context["back"] = reverse(back, args=[campaign.slug])
    return render(request, "organiser/sure.html", context)


def account(request: HttpRequest) -> User:
    """Who is signed in; `allowed` has checked that somebody is."""
    assert isinstance(request.user, User)
    return request.user


_TOO_OFTEN = gettext_lazy("That was tried too often. Please wait ten minutes, then try again.")
_WRONG = gettext_lazy("This name and password do not go together. Please look at both again.")


def _looked_at(browser: str, name: str, look: Callable[[], Any]) -> Any:
    """What `look` says of a password. The try is counted before, so that many at once do not slip through.

    Browsers in which the account signed in before, known as `browser`, not "", are counted by themselves.
    """
    tries, key = (LOGIN_SAME_BROWSER, browser) if browser else (LOGIN_ACCOUNT, name)
    if not tries.count(key):
        raise forms.ValidationError(_TOO_OFTEN, code="too_often")
    right = look()
    tries.clear(key)
    return right


class SignInForm(AuthenticationForm):
    """Name and password. A name that was tried too often must wait, whether an account has it or not."""

    error_messages = {"invalid_login": _WRONG, "inactive": _WRONG}

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        self.fields["username"].label = gettext_lazy("Name")
        self.fields["password"].label = gettext_lazy("Password")

    def clean(self) -> dict[str, Any]:
        """Count the try; from browsers in which the account was not before, wrong ones of the whole site too."""
        name = self.cleaned_data.get("username", "")
        browser = browser_key(self.request, name) if self.request else ""
        if not browser and LOGIN_SITE.exhausted(limits.SITE):
            raise forms.ValidationError(_TOO_OFTEN, code="too_often")
        try:
            cleaned: dict[str, Any] = _looked_at(browser, name, super().clean)
        except forms.ValidationError as fault:
            if not browser and fault.code != "too_often":
                LOGIN_SITE.count(limits.SITE)
            raise
        return cleaned


class NewPasswordForm(PasswordChangeForm):
    """The old password and a new one; who does not know the old one is not let try without end.

    `browser` is what the browser is known as, if the account signed in there before.
    """

    def __init__(self, *args: Any, browser: str = "", **named: Any) -> None:
        super().__init__(*args, **named)
        self._browser = browser

    def clean_old_password(self) -> str:
        """Count the try, as signing in does."""
        return str(_looked_at(self._browser, self.user.get_username(), super().clean_old_password))


class _Throttled:
    """A view that looks at passwords: only some at a time, of browsers that the account used before and of others."""

    def post(self, request: HttpRequest, *args: Any, **named: Any) -> HttpResponse:
        """Look at them, unless this worker looks at others."""
        name = request.user.get_username() or request.POST.get("username", "")
        slots = limits.PASSWORDS_SAME_BROWSER if browser_key(request, name) else limits.PASSWORDS
        with slots.occupied() as free:
            return super().post(request, *args, **named) if free else limits.refuse(request, limits.BUSY)  # type: ignore[misc]


class SignIn(_Throttled, auth.LoginView):
    """Ask for name and password, and know the browser again."""

    authentication_form = SignInForm
    template_name = "organiser/sign_in.html"
    redirect_authenticated_user = True

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        """Start the session."""
        response = super().form_valid(form)
        remember(response, form.get_user().get_username())
        return response


class ChangePassword(_Throttled, SuccessMessageMixin, auth.PasswordChangeView):  # type: ignore[type-arg]
    """Ask for the old password and a new one."""

    form_class = NewPasswordForm
    template_name = "organiser/password.html"
    success_url = reverse_lazy("organiser:password")
    success_message = gettext_lazy("Your password is changed")

    def get_form_kwargs(self) -> dict[str, Any]:
        """With what the browser is known as."""
        browser = browser_key(self.request, self.request.user.get_username())
        return {**super().get_form_kwargs(), "browser": browser}


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
    path("login/", SignIn.as_view(), name="login"),
    path("logout/", auth.LogoutView.as_view(next_page="organiser:login"), name="logout"),
    path("password/", ChangePassword.as_view(), name="password"),
]
