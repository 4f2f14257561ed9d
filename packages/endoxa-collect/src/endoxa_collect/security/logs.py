"""Logs of errors: places in the code only, never the request or its sender.

Messages of Django and of libraries can hold paths with join codes, form data, host names or the words of contributors,
and so can the text of an exception ("Key (...)=(...) already exists"). So of a record only the logger, the name of the
page, the types of the exceptions and the places in the code are kept. Messages of `endoxa` and `endoxa_collect` are
ours and hold no data of people.
"""

from __future__ import annotations

import logging
import traceback
from pathlib import Path
from typing import Any


class PlacesOnly(logging.Formatter):
    """Formats a record without anything that came from a request."""

    def format(self, record: logging.LogRecord) -> str:
        """One line, and one more for each exception and each place it passed."""
        from_endoxa = record.name.partition(".")[0] in ("endoxa", "endoxa_collect")
        text = record.getMessage() if from_endoxa else f"in {Path(record.pathname).name}:{record.lineno}"
        match = getattr(getattr(record, "request", None), "resolver_match", None)
        page = str(match.view_name) if match else ""
        line = f"{self.formatTime(record)} {record.levelname} {record.name} {text}"
        line += f" (page {page})" if page else ""
        lines = [line]
        problem = record.exc_info[1] if record.exc_info else None
        while problem is not None:
            lines.append(f"  {type(problem).__module__}.{type(problem).__qualname__}")
            places = traceback.extract_tb(problem.__traceback__)
            lines += [f"    {frame.filename}:{frame.lineno} {frame.name}" for frame in places]
            problem = problem.__cause__ or problem.__context__
        return "\n".join(lines)


LOGGING: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"places": {"()": PlacesOnly}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "places"}},
    "root": {"handlers": ["console"], "level": "WARNING"},
    "loggers": {
        # Django's own handlers go; 404s and refused requests are not errors of the site.
        "django": {"handlers": [], "level": "ERROR", "propagate": True},
        "django.security": {"handlers": [], "level": "CRITICAL", "propagate": True},
    },
}
