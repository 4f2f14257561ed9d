"""Tickets of the consent form: sending one twice, as a double tap does, makes one person.

A ticket is good for an hour. Sent again by somebody who left meanwhile, from a page that was still open, it makes a
new person with another cookie and another receipt code, so nothing leads from one to the other.
"""

from __future__ import annotations

import secrets

from django.core.signing import BadSignature, TimestampSigner
from django.utils.crypto import salted_hmac

from endoxa.collect.models import AuditEntry, Campaign

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
    need to keep which tickets were theirs.
    """
    left = AuditEntry.objects.filter(campaign=campaign, action="withdrawal").order_by("-pk")
    era = left.values_list("pk", flat=True).first()
    return salted_hmac(_SALT, f"{ticket} {era}", algorithm="sha256").hexdigest()[:32]
