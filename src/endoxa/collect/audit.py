"""Writing down what accounts did."""

from __future__ import annotations

from django.contrib.auth.models import AnonymousUser, User

from endoxa.collect.models import AuditEntry, Campaign


def record(
    campaign: Campaign, user: User | AnonymousUser | None, action: str, **detail: str | int | bool
) -> AuditEntry:
    """Note an action; `user` None is the command line, or somebody who left. Never pass words of contributors."""
    who = user if isinstance(user, User) else None
    return AuditEntry.objects.create(campaign=campaign, user=who, action=action, detail=detail)
