"""A new join code."""

from __future__ import annotations

from datetime import timedelta

from django.utils import timezone

from endoxa.collect.models import Campaign, JoinCode
from endoxa.collect.security.codes import new_code

LENGTH = 8
"""Characters of a code; why that is enough: `security.limits`."""


def make_code(campaign: Campaign, days: int) -> JoinCode:
    """A random code that opens the campaign for so many days from now."""
    ends = timezone.now() + timedelta(days=days)
    return JoinCode.objects.create(campaign=campaign, code=new_code(LENGTH), expires_at=ends)
