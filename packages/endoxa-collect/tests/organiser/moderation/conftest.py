"""Moderators, and what people say for them to decide about."""

from __future__ import annotations

import pytest
from django.urls import reverse

from endoxa_collect.entry.proposing import propose
from endoxa_collect.models import Role, Via


@pytest.fixture
def moderator(campaign, make_account):
    return make_account("mo", campaign, Role.MODERATOR)


def say(person, text, country="AR", language="en"):
    """A pair that somebody proposes."""
    return propose(person, None, country=country, text=text, language=language, via=Via.ATTRIBUTE).pair


def at(name, campaign, *parts):
    """The address of a page of organisers."""
    return reverse(f"organiser:{name}", args=[campaign.slug, *parts])
