"""Restricted releases: for one named recipient who signed the conditions in `AGREEMENT.md`, with nothing merged.

They are never public: the site sends one once, to the organiser who makes it, and keeps no copy.
"""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache
from importlib.resources import files

import jinja2

from endoxa.errors import UserError
from endoxa_collect.export.columns import LEAST
from endoxa_collect.models import Campaign
from endoxa_collect.visible import visible

NAME = "AGREEMENT.md"
"""The file with the conditions, in the folder of a restricted release."""

LONGEST = 200
"""Characters of a recipient's name."""


def recipient_named(typed: str) -> str:
    """The name of a recipient, cleaned.

    Raises:
        UserError: nothing is left of it, or it is too long.
    """
    name = " ".join(visible(typed).split())
    if not name or len(name) > LONGEST:
        raise UserError(
            f"A restricted release is for somebody: name the person and institution (up to {LONGEST} characters)."
        )
    return name


def agreement(campaign: Campaign, number: str, recipient: str) -> str:
    """The conditions, in Markdown, to be signed before the release is handed over."""
    settings = campaign.settings
    return _template().render(
        campaign=campaign.slug,
        number=number,
        recipient="".join(f"\\{letter}" if letter in r"\`*_{}[]<>#|" else letter for letter in recipient),
        organisation=settings.organisation,
        contact=settings.contact,
        least=LEAST,
        retention=settings.retention,
        today=datetime.now(UTC).date().isoformat(),
    )


@cache
def _template() -> jinja2.Template:
    text = (files("endoxa_collect.export") / "agreement.md.jinja").read_text(encoding="utf-8")
    # Markdown for people, never sent to a browser as HTML.
    return jinja2.Environment(
        autoescape=False,  # noqa: S701
        keep_trailing_newline=True,
        undefined=jinja2.StrictUndefined,
    ).from_string(text)
