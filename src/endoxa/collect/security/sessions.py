"""Sessions of accounts, looked up only by keys that Django can have made.

PostgreSQL refuses text with the character NUL, so that a cookie with one would be an error of the server.
"""

from __future__ import annotations

import re

from django.contrib.sessions.backends import db

_KEY = re.compile(r"[a-z0-9]{32}")


class SessionStore(db.SessionStore):
    """Sessions in the database."""

    def _validate_session_key(self, key: str | None) -> bool:
        return key is not None and _KEY.fullmatch(key) is not None
