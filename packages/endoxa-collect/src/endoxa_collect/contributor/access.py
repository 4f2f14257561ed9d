"""Access for contributors: the cookie that identifies them, and the pages they may open."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import wraps
from typing import Any, Concatenate
from uuid import UUID

from django import forms
from django.conf import settings
from django.core.exceptions import ObjectDoesNotExist
from django.db import DatabaseError
from django.db.models import CharField, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import translation
from django.utils.translation import get_language
from django.views.decorators.http import require_POST

from endoxa_collect import geography
from endoxa_collect.campaign import CampaignSettings, HelpLine, in_language
from endoxa_collect.cards.answering import CoveredError, UnknownCardError
from endoxa_collect.compiled import compiled, only
from endoxa_collect.models import Campaign, Person, State
from endoxa_collect.security.codes import COOKIE, COVERS_COOKIE, hash_secret
from endoxa_collect.terms import changed_for

Page = Callable[Concatenate[HttpRequest, Person, ...], HttpResponse]
"""A view that is handed the person."""
AnswerPage = Callable[[HttpRequest, Person, UUID, dict[str, Any]], HttpResponse]
"""A view that is handed the person, the token of their card, and the cleaned fields of a form."""


class ContributorMiddleware:
    """Sets `request.person` from the cookie: a `Person`, or None for strangers and on the pages of accounts."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Find the person, then answer."""
        secret = request.COOKIES.get(COOKIE, "")
        wanted = secret and not request.path.startswith("/organise/")
        request.person = person_of(secret) if wanted else None  # type: ignore[attr-defined]
        return self._get_response(request)


def holder(request: HttpRequest) -> Person | None:
    """The contributor whose browser asks; None for strangers."""
    person: Person | None = request.person  # type: ignore[attr-defined]
    return person


def person_of(secret: str) -> Person | None:
    """The person whose cookie this is."""
    return only(_of_cookie(hash_secret(secret)))


@compiled(CharField())
def _of_cookie(secret_hash: str) -> QuerySet[Person]:
    return Person.objects.select_related("campaign").filter(secret_hash=secret_hash)


def remember(request: HttpRequest, response: HttpResponse, secret: str) -> None:
    """Give the browser its cookie."""
    if COOKIE in request.COOKIES:
        _clear(response)
    set_cookie(response, COOKIE, secret, days=60)


def set_cookie(response: HttpResponse, name: str, value: str, *, days: int, path: str = "/") -> None:
    """Give the browser a cookie that no script reads and no other site sends."""
    response.set_cookie(
        name,
        value,
        max_age=days * 86_400,
        path=path,
        httponly=True,
        secure=settings.HTTPS,
        samesite="Lax",
    )


def forget(response: HttpResponse) -> None:
    """Take the cookies back, and what the phone kept."""
    _clear(response)
    response.delete_cookie(COOKIE, samesite="Lax")


def _clear(response: HttpResponse) -> None:
    """Leave nothing of a person on the phone for the next one: no pages, no answers, no uncovered pairs."""
    response["Clear-Site-Data"] = '"cache", "storage"'
    put_covers_back(response)


def put_covers_back(response: HttpResponse) -> None:
    """Cover pairs that may hurt again."""
    response.delete_cookie(COVERS_COOKIE, samesite="Lax", path="/card/")


def answers_last(page: Page) -> Page:
    """Let a page inside `contributor` take what is sent after the campaign was paused or closed.

    It is for people who had a card in their hands then; the page itself sees to it that it takes nothing new.
    """
    page.answers_last = True  # type: ignore[attr-defined]
    return page


def contributor(page: Page) -> Callable[..., HttpResponse]:
    """Open a page to contributors of an open campaign; strangers are sent to the first page.

    Who agreed to other terms than those in force is asked about them before any page; what they send is still taken.
    Outside of that nothing is shown and nothing sent is taken (403), but see `answers_last`. Those who left while the
    page was at work are sent to the first page, too.
    """

    @wraps(page)
    def view(request: HttpRequest, *args: Any, **named: Any) -> HttpResponse:
        person = holder(request)
        if person is None:
            return redirect("contributor:home")
        sent = request.method == "POST"
        if person.campaign.state != State.OPEN and not (sent and getattr(page, "answers_last", False)):
            return closed(request, status=403 if sent else 200)
        if not sent and changed_for(person):
            return redirect("contributor:again")
        try:
            return page(request, person, *args, **named)
        except (DatabaseError, ObjectDoesNotExist):
            # The person left in another tab while this page was answered.
            if Person.objects.filter(pk=person.pk).exists():
                raise
            return redirect("contributor:home")

    return view


def to_card(note: str = "") -> HttpResponseRedirect:
    """To the card that waits for the person, with one of `forms.NOTES` above it."""
    address = reverse("contributor:card")
    return HttpResponseRedirect(f"{address}?note={note}" if note else address)


def card_holder(page: Page) -> Callable[..., HttpResponse]:
    """Open a page about one card to the contributor who was given it; others are led to their own card.

    Where the page needs words that the person did not open, it leads back to the card, with a note.
    """

    @contributor
    @wraps(page)
    def view(request: HttpRequest, person: Person, *args: Any, **named: Any) -> HttpResponse:
        try:
            return page(request, person, *args, **named)
        except UnknownCardError:
            return to_card("moved")
        except CoveredError:
            # The script cannot read redirects, and shall not take this for an answer that was kept.
            return to_card("covered") if request.accepts("text/html") else HttpResponse(status=422)

    return view


def card_answer(form: type[forms.Form]) -> Callable[[AnswerPage], Callable[..., HttpResponse]]:
    """Take what a form sends about one card, also after the campaign was paused; the page gets its cleaned fields.

    Where they cannot be read, it leads back to the card, with a note.
    """

    def decorated(page: AnswerPage) -> Callable[..., HttpResponse]:
        @require_POST
        @card_holder
        @answers_last
        @wraps(page)
        def view(request: HttpRequest, person: Person, token: UUID) -> HttpResponse:
            filled = form(request.POST)
            return (
                page(request, person, token, filled.cleaned_data) if filled.is_valid() else to_card("unclear")
            )

        return view

    return decorated


def closed(request: HttpRequest, *, status: int = 200) -> HttpResponse:
    """The page of a campaign that is paused or over. The site works, so the status is not 503."""
    return render(request, "contributor/closed.html", status=status)


def next_step(person: Person) -> str:
    """Name of the page that comes next: profile, then the survey, then cards."""
    settings = person.campaign.settings
    if not person.profile_done:
        return "contributor:profile"
    answered = set(person.statements.values_list("question", flat=True))
    if settings.survey and any(question.name not in answered for question in settings.questions):
        return "contributor:survey"
    return "contributor:card" if settings.cards else "contributor:thanks"


_FALLBACK = "en"


@dataclass(frozen=True, slots=True)
class Frame:
    """The frame of one page.

    `language` is the own name of the one it is in, `languages` are those to choose from, as pairs (code, own name).
    `title` is "" where no campaign is known. `paused` tells a break from the end, on the page of a campaign that is
    not open.
    """

    title: str
    organisation: str
    contact: str
    language: str
    languages: tuple[tuple[str, str], ...]
    paused: bool = False


def frame(request: HttpRequest) -> dict[str, Frame]:
    """Context processor: gives templates `frame`, for the campaign of `request`."""
    campaign = campaign_of(request)
    spoken = get_language() or "en"
    name = dict(settings.LANGUAGES).get(spoken, spoken)
    if campaign is None:
        return {"frame": Frame("", "", "", name, tuple(settings.LANGUAGES))}
    written = campaign.settings
    offered = tuple((code, name) for code, name in settings.LANGUAGES if code in written.ui_languages)
    title = in_language(written.texts.title, spoken)
    paused = campaign.state == State.PAUSED
    return {"frame": Frame(title, written.organisation, written.contact, name, offered, paused)}


def campaign_of(request: HttpRequest) -> Campaign | None:
    """The campaign a page belongs to: the one its view set, else the one the person joined."""
    person = getattr(request, "person", None)
    shown: Campaign | None = getattr(request, "campaign", None)
    return shown or (person.campaign if person else None)


class LanguageMiddleware:
    """After Django's `LocaleMiddleware`: a person's own choice wins, within the languages of their campaign."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Speak the person's language, then answer."""
        person = getattr(request, "person", None)
        if person is not None:
            translation.activate(person.ui_language)
            speak_within(request, person.campaign)
        return self._get_response(request)


def speak_within(request: HttpRequest, campaign: Campaign) -> None:
    """Show a page as one of this campaign, in English (else its first language) where it lacks the one asked for."""
    request.campaign = campaign  # type: ignore[attr-defined]
    offered = campaign.settings.ui_languages
    language = translation.get_language()
    if language not in offered:
        language = _FALLBACK if _FALLBACK in offered else offered[0]
        translation.activate(language)
    request.LANGUAGE_CODE = language


def offered_language(request: HttpRequest) -> tuple[str, ...]:
    """Codes of the languages that may be chosen on this page."""
    campaign = campaign_of(request)
    return campaign.settings.ui_languages if campaign else tuple(code for code, _ in settings.LANGUAGES)


def keep_language(response: HttpResponse, language: str) -> None:
    """Have this browser remember a language."""
    response.set_cookie(
        settings.LANGUAGE_COOKIE_NAME,
        language,
        max_age=settings.LANGUAGE_COOKIE_AGE,
        secure=settings.LANGUAGE_COOKIE_SECURE,
        httponly=settings.LANGUAGE_COOKIE_HTTPONLY,
        samesite="Lax",
    )


def nearest_first(settings: CampaignSettings, origins: Collection[str]) -> tuple[HelpLine, ...]:
    """Help lines of the person's countries, then those for everybody, then the others."""
    return tuple(
        sorted(settings.help_lines, key=lambda line: (line.country not in origins, line.country != ""))
    )


def _browser_languages(request: HttpRequest) -> list[str]:
    """Languages that the browser asks for, as it names them (es-CO), in its order."""
    tags = (part.partition(";")[0].strip() for part in request.headers.get("accept-language", "").split(","))
    return [tag for tag in tags if tag]


def country_of_browser(request: HttpRequest, campaign: Collection[str] = ()) -> str:
    """The country in a language that the browser asks for (es-CO: CO); "" where it names none.

    The first that is one of the `campaign`: a phone in English mostly asks for en-US before it asks for es-CO. It only
    decides which boxes come first and is not stored.
    """
    regions = [tag.rpartition("-")[2].upper() for tag in _browser_languages(request) if "-" in tag]
    countries = [region for region in regions if region in geography.codes()]
    return next((code for code in countries if code in campaign), countries[0] if countries else "")


def speaks(request: HttpRequest, languages: Collection[str]) -> bool:
    """Whether somebody chose a language on this phone, or the browser asks for one of these."""
    chosen = request.COOKIES.get(settings.LANGUAGE_COOKIE_NAME, "")
    return chosen in languages or any(
        tag.partition("-")[0] in languages for tag in _browser_languages(request)
    )
