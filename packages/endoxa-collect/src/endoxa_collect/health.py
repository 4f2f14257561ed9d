"""Whether the site works and the proxy in front is right: /health, /robots.txt and what `endoxa collect check` says."""

from __future__ import annotations

import http.client
import json
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from django.conf import settings
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import path
from django.views.decorators.http import require_safe

from endoxa_collect.cards.locking import Cache
from endoxa_collect.contributor.results import is_out
from endoxa_collect.models import Campaign, State

_FREE = 200 * 2**20
"""Bytes that the disk of the campaign's folder should have free."""
_PASSED_ON = ("X-Forwarded-For", "X-Real-IP", "Forwarded")
_LATELY: Cache[str, dict[str, bool]] = Cache()


def parts() -> dict[str, bool]:
    """Whether each part works: the database answers, its tables are of this version, the disk has room."""
    try:
        executor = MigrationExecutor(connection)
        migrated, database = not executor.migration_plan(executor.loader.graph.leaf_nodes()), True
    except DatabaseError:
        migrated = database = False
    return {"database": database, "migrations": migrated, "disk": not disk_is_full()}


def disk_is_full() -> bool:
    """Whether the disk of the campaign's folder has hardly any room."""
    return shutil.disk_usage(settings.FOLDER or ".").free < _FREE


def proxy_of(request: HttpRequest) -> dict[str, bool]:
    """What a request shows of the proxy: whether it came by https, and whether addresses of visitors come along."""
    passed_on = any(request.headers.get(name) for name in _PASSED_ON)
    return {"https": request.is_secure(), "addresses_passed_on": passed_on}


@require_safe
def health(request: HttpRequest) -> HttpResponse:
    """Yes or no for each part, some seconds old at most; status 503 where one fails."""
    working = _LATELY.get("", parts)
    well = all(working.values())
    return JsonResponse({"ok": well, **working, **proxy_of(request)}, status=200 if well else 503)


@require_safe
def robots(_request: HttpRequest) -> HttpResponse:
    """Search engines may read results that are public, and nothing else."""
    campaigns = Campaign.objects.exclude(state=State.DRAFT).order_by("slug")
    public = [row.slug for row in campaigns if row.settings.results_page and is_out(row)]
    lines = ["User-agent: *", *(f"Allow: /results/{slug}/" for slug in public), "Disallow: /"]
    return HttpResponse("\n".join([*lines, ""]), content_type="text/plain; charset=utf-8")


@dataclass(frozen=True)
class Asked:
    """What /health answered at one address: `status` 0 and the `reason` where nothing did; `seen` is its content."""

    status: int
    seen: Mapping[str, bool]
    reason: str = ""


def ask(address: str, host: str = "") -> Asked:
    """Ask a site for /health, by another name (`host`) where one is given."""
    wanted = Request(f"{address.rstrip('/')}/health", headers={"Host": host} if host else {})  # noqa: S310
    try:
        try:
            answer = urlopen(wanted, timeout=10)  # noqa: S310
        except HTTPError as refused:
            answer = refused
        with answer:
            body = answer.read(10_000)
    except (URLError, OSError, http.client.HTTPException) as problem:
        return Asked(0, {}, str(getattr(problem, "reason", problem)))
    try:
        seen = json.loads(body)
    except ValueError:
        seen = None
    return Asked(answer.status, seen if isinstance(seen, dict) else {})


def faults(address: str, outside: Asked, local: Asked | None, *, https_expected: bool) -> Iterator[str]:
    """What is wrong between people and the site, one sentence each, with what to do.

    Args:
        address: what people open.
        outside: what it answered.
        local: what the site answered without the proxy, asked by the name in `address`; None where nobody asked.
        https_expected: whether the site is set to https.
    """
    name = urlsplit(address).netloc
    if not outside.status:
        reason = f"{address} cannot be reached ({outside.reason})"
        yield f"{reason}: does the name lead to this machine, are ports 80 and 443 open?"
    elif outside.status == http.client.BAD_REQUEST and local is not None and local.seen:
        host = "let it pass Host on (nginx: proxy_set_header Host $host)"
        yield f"The proxy hands over another Host than {name}: {host}."
    elif outside.status == http.client.BAD_REQUEST:
        yield f"The site does not know the name {name}: list it in ENDOXA_HOSTS and restart the site."
    elif not outside.seen:
        answered = f"{address}/health answers {outside.status}, and not as this site does"
        yield f"{answered}: does the site run where the proxy passes requests to?"
    else:
        if not outside.seen.get("ok"):
            yield "The site answers that a part of it does not work (see above)."
        if address.startswith("https:") and not outside.seen.get("https"):
            yield _NO_HTTPS if https_expected else _UNKNOWN_HTTPS
        if outside.seen.get("addresses_passed_on"):
            yield _ADDRESSES


_NO_HTTPS = (
    "The proxy does not say that people come by https: let it set X-Forwarded-Proto "
    "(nginx: proxy_set_header X-Forwarded-Proto $scheme)."
)
_UNKNOWN_HTTPS = "The site does not know that people come by https: set ENDOXA_HTTPS=1 and restart it."
_ADDRESSES = (
    "The proxy passes addresses of visitors on: remove X-Forwarded-For, X-Real-IP and Forwarded "
    '(nginx: proxy_set_header X-Forwarded-For "").'
)
urlpatterns = [path("health", health, name="health"), path("robots.txt", robots, name="robots")]
