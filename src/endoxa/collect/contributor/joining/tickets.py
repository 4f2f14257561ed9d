"""Tickets of the consent form: sending one twice, as a double tap does, makes one person.

A ticket is good for an hour. Sent again by somebody who left meanwhile, from a page that was still open, it makes a
new person with another cookie and another receipt code, so nothing leads from one to the other.
"""

from __future__ import annotations

import secrets
from datetime import timedelta

from django.core.signing import BadSignature, TimestampSigner
from django.utils import timezone
from django.utils.crypto import salted_hmac

from endoxa.collect.models import AuditEntry, Campaign, Person
from endoxa.collect.security.codes import hash_secret

_SALT = "endoxa.ticket"
_SECONDS = 3_600


def new_ticket() -> str:
    """A random ticket, signed with the time."""
    return TimestampSigner(salt=_SALT).sign(secrets.token_hex(16))


def in_force(ticket: str) -> bool:
    """Whether the site made this ticket within the last hour."""
    try:
        TimestampSigner(salt=_SALT).unsign(ticket, max_age=_SECONDS)
    except BadSignature:
        return False
    return True


def secret_of(ticket: str, campaign: Campaign) -> str:
    """The cookie value, 128 bits, of whoever sends the consent form of a campaign with this ticket.

    It follows from the ticket and from the latest withdrawal: who left is one of those who left before, so there is no
    need to keep which tickets were theirs. Who sent the form before and is still there keeps their value, whoever else
    left since.
    """
    values = [_value(ticket, campaign, era) for era in _eras(campaign)]
    hashes = [hash_secret(value) for value in values]
    there = set(Person.objects.filter(secret_hash__in=hashes).values_list("secret_hash", flat=True))
    known = (value for value, hashed in zip(values, hashes, strict=True) if hashed in there)
    return next(known, values[0])


def _eras(campaign: Campaign) -> list[int | None]:
    """The withdrawals after which a ticket that is in force may have been sent, the latest first; None: before any."""
    left = AuditEntry.objects.filter(campaign=campaign, action="withdrawal").order_by("-pk")
    # A ticket is good for one hour, and the log holds withdrawals by the hour.
    since = timezone.now() - timedelta(hours=3)
    before = left.filter(at__lt=since).values_list("pk", flat=True).first()
    return [*left.filter(at__gte=since).values_list("pk", flat=True), before]


def _value(ticket: str, campaign: Campaign, era: int | None) -> str:
    return salted_hmac(_SALT, f"{ticket} {campaign.pk} {era}", algorithm="sha256").hexdigest()[:32]
