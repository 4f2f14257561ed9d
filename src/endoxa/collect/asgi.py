"""The site as an ASGI application: `endoxa.collect.asgi:application`."""

from __future__ import annotations

import os

from django.conf import settings
from django.core.wsgi import get_wsgi_application

from endoxa.collect.entry.words import warm_up
from endoxa.collect.security.http import Buffered

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "endoxa.collect.settings")
warm_up()
application = Buffered(get_wsgi_application(), settings.ANSWERING_THREADS)
