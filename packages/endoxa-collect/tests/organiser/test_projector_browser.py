"""The page for the wall fits the wall: all countries of the preset, in every language, on usual screens."""

from __future__ import annotations

import pytest

from collect_support import commands
from collect_support.browsing import DESK, visit
from collect_support.campaign_folders import LIMIT, environment
from endoxa_collect.campaign import UI_LANGUAGES

SCREENS = ((1280, 800), (1024, 768), (1280, 720), (1366, 768), (1920, 1080))
WALL = "/organise/laces/projector/"

# Five people rated a pair of every country, and six are expected: the longest forecast there is.
ROOM = """
from datetime import timedelta
from django.utils import timezone
from endoxa_collect.cards.counts import recount
now = timezone.now()
people = [
    Person.objects.create(campaign=campaign, secret_hash=name, receipt_hash=name, ui_language="en", consent_version=1,
        consent_language="en", consent_hour=now, profile_done=True, origins=["AR"])
    for name in ("ana", "ben", "cleo", "dina", "eva")
]
rated = [Pair.objects.filter(country=country).first() for country in campaign.settings.countries]
for pair in rated:
    for person in people:
        card = Card.objects.create(campaign=campaign, person=person, pair=pair, country=pair.country, tier="own",
            number=person.cards.count(), version=1, digest="x", state="answered", drawn_at=now, expires_at=now,
            closed_at=now)
        Rating.objects.create(card=card, person=person, pair=pair, value=4, in_group=False, created_at=now)
recount(campaign, rated)
Campaign.objects.update(began_at=now - timedelta(minutes=5))
save({"expected_people": 6})
"""
SETTINGS = """
def save(changes):
    content = SettingsVersion.objects.get(campaign=campaign, number=campaign.version).content
    SettingsVersion.objects.create(campaign=campaign, number=campaign.version + 1, content={**content, **changes})
    Campaign.objects.update(version=campaign.version + 1)
"""


def change(site, code):
    start = "import django; django.setup()\nfrom endoxa_collect.models import *\ncampaign = Campaign.objects.get()"
    env = environment(ENDOXA_CAMPAIGN=str(site.folder), DJANGO_SETTINGS_MODULE="endoxa_collect.settings")
    done = commands.run(f"{start}{SETTINGS}{code}", env=env, timeout=LIMIT)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def room(browser, site):
    """A desk of the organiser, while five people rated in all countries."""
    change(site, ROOM)
    with visit(browser, site.address, **DESK) as one:
        one.go("/organise/login/")
        one.page.get_by_label("Name").fill("organiser")
        one.page.get_by_label("Password").fill(site.password)
        one.press("Sign in", exact=True)
        yield one


@pytest.mark.slow
@pytest.mark.parametrize("language", UI_LANGUAGES)
def test_all_countries_fit_on_the_wall(room, site, language):
    change(site, f'save({{"ui_languages": ["{language}", *sorted({set(UI_LANGUAGES)} - {{"{language}"}})]}})')
    room.go(WALL)
    assert room.page.locator("html").get_attribute("lang") == language
    assert room.page.locator(".bars.many li").count() == 21
    cut = "() => [...document.querySelectorAll('.bar-name')].filter(one => one.scrollWidth > one.clientWidth).length"
    root = "() => { const one = document.documentElement; return [one.scrollWidth, one.scrollHeight]; }"
    for width, height in SCREENS:
        room.page.set_viewport_size({"width": width, "height": height})
        assert room.page.evaluate(root) == [width, height]
        assert room.page.evaluate(cut) == 0
    room.page.set_viewport_size(DESK["viewport"])
    room.check(f"desk-projector-{language}")
