"""What serving a campaign needs before the first answer."""

from __future__ import annotations

from dataclasses import dataclass

from django.core.management import call_command

from endoxa.collect.models import Campaign, JoinCode, State
from endoxa.collect.organiser.preparing import lacking


@dataclass(frozen=True)
class Invitation:
    """A campaign that people can join, or why they cannot: `code` is None then. `lacking` is still to be filled in."""

    slug: str
    state: str
    code: str | None
    lacking: tuple[str, ...]


def invitations() -> list[Invitation]:
    """What to tell people for each campaign."""
    return [
        Invitation(
            one.slug,
            one.state,
            code=_code(one) if one.state == State.OPEN else None,
            lacking=tuple(str(missing.what) for missing in lacking(one)),
        )
        for one in Campaign.objects.order_by("slug")
    ]


def collect_static() -> None:
    """Put the site's own files where they are served from."""
    call_command("collectstatic", verbosity=0, interactive=False)


def _code(campaign: Campaign) -> str | None:
    code = JoinCode.objects.in_force().filter(campaign=campaign).first()
    return code.code if code else None
