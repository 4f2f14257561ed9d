"""The site as a WSGI application: `endoxa.collect.wsgi:application`."""

from __future__ import annotations

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "endoxa.collect.settings")
application = get_wsgi_application()
