"""What serving a campaign needs before the first answer."""

from __future__ import annotations

from dataclasses import dataclass

from django.core.management import call_command

from endoxa.collect.models import Campaign, JoinCode, State


@dataclass(frozen=True)
class Invitation:
    """A campaign that people can join, or why they cannot: `code` is None then."""

    slug: str
    state: str
    code: str | None


def invitations() -> list[Invitation]:
    """What to tell people for each campaign."""
    return [
        Invitation(one.slug, one.state, _code(one) if one.state == State.OPEN else None)
        for one in Campaign.objects.order_by("slug")
    ]


def collect_static() -> None:
    """Put the site's own files where they are served from."""
    call_command("collectstatic", verbosity=0, interactive=False)


def _code(campaign: Campaign) -> str | None:
    code = JoinCode.objects.in_force().filter(campaign=campaign).first()
    return code.code if code else None
