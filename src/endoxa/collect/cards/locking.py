"""One campaign, one writer: the lock that every change of cards and pairs takes first."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import transaction

from endoxa.collect.models import Campaign


@contextmanager
def locked(campaign_id: int) -> Iterator[Campaign]:
    """A transaction in which nobody else draws or answers in this campaign.

    PostgreSQL locks the campaign's row; SQLite has taken its write lock with BEGIN IMMEDIATE (see `settings`), and
    `select_for_update` does nothing there. So the code is the same for both.
    """
    with transaction.atomic():
        yield Campaign.objects.select_for_update().get(pk=campaign_id)
