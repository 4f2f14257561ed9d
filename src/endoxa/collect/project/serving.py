"""Serving a campaign: one command, no other program in front."""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings
from django.core.management import call_command
from django.db import connections
from django.db.models import Q
from django.utils import timezone
from granian import Granian
from granian.constants import Interfaces
from granian.log import LogLevels

from endoxa.collect.models import Campaign, JoinCode, State

_SQLITE_THREADS = 4
_SERVER_THREADS = 8


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


def serve(host: str, port: int, workers: int | None) -> None:
    """Answer until interrupted. No access log is written.

    SQLite has one writer, and waiting for a turn is cheaper between threads than between processes: with 16 people
    who never pause, four threads of one process kept 99 % of the answers under 0.7 s where two processes needed 2.4 s
    (`benchmarks/collect_load.py` measures the real case). PostgreSQL gains from several processes.
    """
    sqlite = settings.DATABASES["default"]["ENGINE"].endswith("sqlite3")
    connections.close_all()
    Granian(
        "endoxa.collect.wsgi:application",
        address=host,
        port=port,
        interface=Interfaces.WSGI,
        workers=workers or (1 if sqlite else 2),
        blocking_threads=_SQLITE_THREADS if sqlite else _SERVER_THREADS,
        websockets=False,
        log_level=LogLevels.error,
        log_access=False,
        respawn_failed_workers=True,
    ).serve()


def _code(campaign: Campaign) -> str | None:
    live = Q(expires_at__isnull=True) | Q(expires_at__gt=timezone.now())
    code = JoinCode.objects.filter(live, campaign=campaign, revoked=False).order_by("-created_at").first()
    return code.code if code else None
