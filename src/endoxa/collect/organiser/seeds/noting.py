"""The log of an upload: one entry, which grows with each block of rows."""

from __future__ import annotations

from collections.abc import Callable

from django.contrib.auth.models import AnonymousUser, User

from endoxa.collect.audit import record
from endoxa.collect.entry.seeding import SeedReport
from endoxa.collect.models import AuditEntry, Campaign

ADDED = "seeds added"
"""The action in the log."""


def logged(campaign: Campaign, user: User | AnonymousUser) -> Callable[[SeedReport], None]:
    """A function that writes down what was added so far, as `add_seeds` calls it."""
    entries: list[AuditEntry] = []

    def note(report: SeedReport) -> None:
        numbers = {"added": report.added, "duplicates": len(report.duplicates)}
        if not entries:
            entries.append(record(campaign, user, ADDED, **numbers))
        entries[0].detail = numbers
        entries[0].save(update_fields=["detail"])

    return note
