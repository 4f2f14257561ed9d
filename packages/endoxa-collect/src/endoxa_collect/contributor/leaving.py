"""The pages of a receipt code: to leave, and to go on from another phone.

Who leaves, with the cookie or a receipt code, is told what is deleted and what stays.
"""

from __future__ import annotations

from dataclasses import asdict
from secrets import token_urlsafe
from urllib.parse import urlencode

from django import forms
from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_safe

from endoxa_collect.contributor.access import forget, holder, next_step, remember, speak_within
from endoxa_collect.contributor.joining import code_field
from endoxa_collect.models import Person
from endoxa_collect.privacy import Withdrawn, withdraw
from endoxa_collect.security.codes import COOKIE, hash_receipt, hash_secret, sheet_of
from endoxa_collect.security.limits import RECEIPT_BROWSER, RECEIPT_SITE, may_guess, missed, refuse

_SALT = "endoxa.left"
_SHOWN_SECONDS = 3_600
_LEAVE = "contributor:leave"


class ReceiptForm(forms.Form):
    """A receipt code, typed as people type. `person` is set by a successful check."""

    person: Person

    code = code_field(
        label=gettext_lazy("Receipt code"),
        help_text=gettext_lazy(
            "Three groups of four, such as in a screenshot. Capitals, spaces and dashes do not matter."
        ),
        error_messages={"required": gettext_lazy("Please type your receipt code.")},
    )

    def clean_code(self) -> str:
        """The code, if it is somebody's."""
        code: str = self.cleaned_data["code"]
        person = Person.objects.select_related("campaign").filter(receipt_hash=hash_receipt(code)).first()
        if person is None:
            raise forms.ValidationError(
                gettext_lazy(
                    "We find no answers for this code. They may be deleted already, or a letter is wrong."
                ),
                code="unknown",
            )
        self.person = person
        return code


@require_http_methods(["GET", "HEAD", "POST"])
def leave(request: HttpRequest) -> HttpResponse:
    """Say what goes and what stays. POST with `phone` or a receipt code asks once more; with `sure` too, deletes."""
    here = holder(request)
    if request.method != "POST":
        return render(request, "contributor/leave.html", {"form": ReceiptForm()})
    if "phone" in request.POST:
        if here is not None:
            return _ask_or_delete(request, here, "")
        return _was_deleted() if _confirmed(request, request.COOKIES.get(COOKIE, "")) else redirect(_LEAVE)
    return _by_code(request)


def _by_code(request: HttpRequest) -> HttpResponse:
    if not may_guess(request, RECEIPT_BROWSER):
        return refuse(request, RECEIPT_BROWSER)
    form = ReceiptForm(request.POST)
    if not form.is_valid():
        wrong = form.has_error("code", "unknown")
        if wrong and (full := missed(request, RECEIPT_BROWSER, RECEIPT_SITE)):
            return refuse(request, full)
        if wrong and _confirmed(request, request.POST["code"]):
            return _was_deleted()
        return render(request, "contributor/leave.html", {"form": form})
    return _ask_or_delete(request, form.person, form.cleaned_data["code"])


class ResumeForm(ReceiptForm):
    """A receipt code of somebody who goes on; sheets of paper have no place to go on at."""

    def clean_code(self) -> str:
        """The code, if it is of somebody who joined on a phone."""
        code = super().clean_code()
        if sheet_of(self.person.secret_hash, self.person.receipt_hash):
            raise forms.ValidationError(
                gettext_lazy(
                    "This is the code of a sheet of paper. You can delete its answers, not go on with them."
                ),
                code="paper",
            )
        return code


@require_http_methods(["GET", "HEAD", "POST"])
def resume(request: HttpRequest) -> HttpResponse:
    """Let somebody whose phone forgot them go on: a new cookie for the holder of the receipt code.

    The old cookie opens nothing any more, so that a lost phone does not either. Guesses are counted as on the page to
    leave, and the answer to a wrong code is the same.
    """
    if request.method != "POST":
        return render(request, "contributor/resume.html", {"form": ResumeForm()})
    if not may_guess(request, RECEIPT_BROWSER):
        return refuse(request, RECEIPT_BROWSER)
    form = ResumeForm(request.POST)
    if not form.is_valid():
        wrong = form.has_error("code", "unknown")
        if wrong and (full := missed(request, RECEIPT_BROWSER, RECEIPT_SITE)):
            return refuse(request, full)
        return render(request, "contributor/resume.html", {"form": form})
    secret = token_urlsafe(16)
    same = Person.objects.filter(pk=form.person.pk, secret_hash=form.person.secret_hash)
    if not same.update(secret_hash=hash_secret(secret)):
        # They left, or went on elsewhere, in this moment.
        return redirect("contributor:resume")
    response = redirect(next_step(form.person))
    remember(request, response, secret)
    return response


def _ask_or_delete(request: HttpRequest, person: Person, code: str) -> HttpResponse:
    if "sure" not in request.POST:
        speak_within(request, person.campaign)
        token = signing.dumps("asked", salt=_salt_of(code or request.COOKIES[COOKIE]))
        context = {"leaving": person, "code": code, "asked": token}
        return render(request, "contributor/leave_sure.html", context)
    gone = withdraw(person)
    response = redirect(_noted(gone))
    if person == holder(request):
        forget(response)
    return response


def _salt_of(secret: str) -> str:
    return f"endoxa.leaving {hash_receipt(secret)}"


def _confirmed(request: HttpRequest, secret: str) -> bool:
    """Whether the page that asks once more was shown for this cookie or code, which is nobody's by now."""
    try:
        signing.loads(request.POST.get("asked", ""), salt=_salt_of(secret), max_age=_SHOWN_SECONDS)
    except signing.BadSignature:
        return False
    return "sure" in request.POST


def _was_deleted() -> HttpResponse:
    """Where the second of two quick taps ends: the first one deleted everything."""
    return redirect(_noted(None))


def _noted(gone: Withdrawn | None) -> str:
    """The page that says that it is deleted, with a note of ours: nobody else can make it say so."""
    done = signing.dumps(asdict(gone) if gone else {}, salt=_SALT)
    return f"{reverse('contributor:left')}?{urlencode({'done': done})}"


@require_safe
def left(request: HttpRequest) -> HttpResponse:
    """Say that everything is deleted and how much it was; without a note from `leave` nothing was."""
    try:
        note = signing.loads(request.GET.get("done", ""), salt=_SALT, max_age=_SHOWN_SECONDS)
    except signing.BadSignature:
        return redirect(_LEAVE)
    gone = Withdrawn(**note) if note else None
    answers = gone.answers if gone else None
    return render(request, "contributor/left.html", {"gone": gone, "answers": answers})


urlpatterns: list[URLPattern] = [
    path("leave/", leave, name="leave"),
    path("resume/", resume, name="resume"),
    path("left/", left, name="left"),
]
