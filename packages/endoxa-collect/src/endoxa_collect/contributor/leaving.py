"""The pages of a receipt code: to leave, and to go on from another phone.

Who leaves, with the cookie or a receipt code, is told what is deleted and what stays.
"""

from __future__ import annotations

from dataclasses import asdict
from secrets import token_urlsafe

from django import forms
from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext_lazy

from endoxa_collect.access import READ, READ_OR_SEND, Door, allowed
from endoxa_collect.anonymous import forget, holder, remember
from endoxa_collect.contributor.joining import CodeForm, code_field
from endoxa_collect.contributor.survey import next_step
from endoxa_collect.frame import speak_within
from endoxa_collect.models import Person
from endoxa_collect.privacy import Withdrawn, withdraw
from endoxa_collect.security.codes import COOKIE, hash_receipt, hash_secret, sheet_of
from endoxa_collect.security.limits import RECEIPT

_SALT = "endoxa.left"
_SHOWN_SECONDS = 3_600


class ReceiptForm(CodeForm):
    """A receipt code, which opens what one person gave."""

    guesses = RECEIPT
    unknown = gettext_lazy(
        "We find no answers for this code. They may be deleted already, or a letter is wrong."
    )
    code = code_field(
        label=gettext_lazy("Receipt code"),
        help_text=gettext_lazy(
            "Three groups of four, such as in a screenshot. Capitals, spaces and dashes do not matter."
        ),
        error_messages={"required": gettext_lazy("Please type your receipt code.")},
    )

    def look_up(self, code: str) -> Person | None:
        """The person, if it is somebody's."""
        return Person.objects.select_related("campaign").filter(receipt_hash=hash_receipt(code)).first()


@allowed(Door.ANYBODY, methods=READ_OR_SEND)
def leave(request: HttpRequest) -> HttpResponse:
    """Say what goes and what stays. POST with `phone` or a receipt code asks once more; with `sure` too, deletes."""
    here, form = holder(request), ReceiptForm(request)
    by_phone = "phone" in request.POST
    secret = request.COOKIES.get(COOKIE, "") if by_phone else request.POST.get("code", "")
    person = here if by_phone else form.found if form.is_valid() else None
    if person is None:
        if _confirmed(request, secret):
            # The first of two quick taps deleted everything.
            return _left(None)
        if by_phone:
            return redirect("contributor:leave")
        return render(request, "contributor/leave.html", {"form": form})
    if "sure" not in request.POST:
        speak_within(request, person.campaign)
        asked = signing.dumps("asked", salt=_salt_of(secret))
        context = {"leaving": person, "code": "" if by_phone else secret, "asked": asked}
        return render(request, "contributor/leave_sure.html", context)
    response = _left(withdraw(person))
    if person == here:
        forget(response)
    return response


class ResumeForm(ReceiptForm):
    """A receipt code of somebody who goes on; sheets of paper have no place to go on at."""

    def clean_code(self) -> str:
        """The code, if it is of somebody who joined on a phone."""
        code = super().clean_code()
        if sheet_of(self.found.secret_hash, self.found.receipt_hash):
            raise forms.ValidationError(
                gettext_lazy(
                    "This is the code of a sheet of paper. You can delete its answers, not go on with them."
                )
            )
        return code


@allowed(Door.ANYBODY, methods=READ_OR_SEND)
def resume(request: HttpRequest) -> HttpResponse:
    """Let somebody whose phone forgot them go on: a new cookie for the holder of the receipt code.

    The old cookie opens nothing any more, so that a lost phone does not either. Guesses are counted as on the page to
    leave, and the answer to a wrong code is the same.
    """
    form = ResumeForm(request)
    if not form.is_valid():
        return render(request, "contributor/resume.html", {"form": form})
    secret = token_urlsafe(16)
    person: Person = form.found
    same = Person.objects.filter(pk=person.pk, secret_hash=person.secret_hash)
    if not same.update(secret_hash=hash_secret(secret)):
        # They left, or went on elsewhere, in this moment.
        return redirect("contributor:resume")
    response = redirect(next_step(person))
    remember(request, response, secret)
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


def _left(gone: Withdrawn | None) -> HttpResponse:
    """To the page that says that it is deleted, with a note of ours: nobody else can make it say so."""
    done = signing.dumps(asdict(gone) if gone else {}, salt=_SALT)
    return redirect(f"{reverse('contributor:left')}?{urlencode({'done': done})}")


@allowed(Door.ANYBODY, methods=READ)
def left(request: HttpRequest) -> HttpResponse:
    """Say that everything is deleted and how much it was; without a note from `leave` nothing was."""
    try:
        note = signing.loads(request.GET.get("done", ""), salt=_SALT, max_age=_SHOWN_SECONDS)
    except signing.BadSignature:
        return redirect("contributor:leave")
    gone = Withdrawn(**note) if note else None
    return render(request, "contributor/left.html", {"gone": gone, "answers": gone.answers if gone else None})
