"""Which language a page speaks: what the person chose, else what this browser chose, else what it asks for."""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import translation

from endoxa.collect.contributor.frame import campaign_of
from endoxa.collect.models import Campaign

_FALLBACK = "en"


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


def offered(request: HttpRequest) -> tuple[str, ...]:
    """Codes of the languages that may be chosen on this page."""
    campaign = campaign_of(request)
    return campaign.settings.ui_languages if campaign else tuple(code for code, _ in settings.LANGUAGES)


def keep(response: HttpResponse, language: str) -> None:
    """Have this browser remember a language."""
    response.set_cookie(
        settings.LANGUAGE_COOKIE_NAME,
        language,
        max_age=settings.LANGUAGE_COOKIE_AGE,
        secure=settings.LANGUAGE_COOKIE_SECURE,
        httponly=settings.LANGUAGE_COOKIE_HTTPONLY,
        samesite="Lax",
    )
