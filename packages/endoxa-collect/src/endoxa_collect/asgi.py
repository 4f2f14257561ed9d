"""The site as an ASGI application: `endoxa_collect.asgi:application`."""

from __future__ import annotations

import os

from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.urls import get_resolver

from endoxa_collect import geography
from endoxa_collect.campaign import UI_LANGUAGES
from endoxa_collect.entry import words
from endoxa_collect.security.http import Buffered


def _warm_up() -> None:
    """Read what somebody would wait for otherwise, and all others of this process behind them: up to 0.5 s each."""
    words.warm_up()
    for language in UI_LANGUAGES:
        geography.match_country("", language)
    _ = get_resolver().url_patterns


os.environ.setdefault("DJANGO_SETTINGS_MODULE", "endoxa_collect.settings")
application = Buffered(get_wsgi_application(), settings.ANSWERING_THREADS)
_warm_up()
