"""Sign in and out, change the password, the campaigns of an account."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from django.contrib.auth import views as auth
from django.contrib.auth.decorators import login_required
from django.contrib.auth.forms import AuthenticationForm
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse_lazy
from django.views.decorators.http import require_safe

from endoxa.collect.models import Campaign, Membership
from endoxa.collect.organiser.accounts.forms import NewPasswordForm, SignInForm
from endoxa.collect.organiser.wording import ROLES, STATES
from endoxa.collect.security.known_browsers import known_as, remember


class SignIn(auth.LoginView):
    """Ask for name and password, and know the browser again."""

    authentication_form = SignInForm
    template_name = "organiser/sign_in.html"
    redirect_authenticated_user = True

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

    def get_form_kwargs(self) -> dict[str, Any]:
        """With what the browser is known as."""
        known = known_as(self.request, self.request.user.get_username())
        return {**super().get_form_kwargs(), "known": known}


sign_in = SignIn.as_view()
sign_out = auth.LogoutView.as_view(next_page="organiser:login")
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
    held = Membership.objects.filter(user=request.user.pk).select_related("campaign")
    for one in held.order_by("campaign__slug", "role"):
        roles[one.campaign].append(ROLES[one.role])
    campaigns = [(campaign, STATES[campaign.state], names) for campaign, names in roles.items()]
    return render(request, "organiser/home.html", {"campaigns": campaigns})
