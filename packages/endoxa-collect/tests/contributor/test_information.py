"""Pages to read, and pages for when something is wrong."""

from __future__ import annotations

import re
from pathlib import Path

from django.template.loader import render_to_string
from django.utils import translation

import endoxa_collect
from endoxa_collect.cards import answering, drawing
from endoxa_collect.contributor import leaving
from endoxa_collect.models import Campaign, Person, State

STATIC = Path(endoxa_collect.__file__).parent / "static" / "endoxa"

LINES = [
    {"country": "CL", "name": "Chile line", "contact": "111"},
    {"name": "World line", "contact": "222"},
    {"country": "AR", "name": "Argentina line", "contact": "333"},
]


def test_help_lines_of_ones_own_country_come_first(as_person, make_campaign, make_person):
    client = as_person(make_person(make_campaign(help_lines=LINES, retention="31 December")))
    page = client.get("/help/").content.decode()
    places = [page.index(name) for name in ("Argentina line", "World line", "Chile line")]
    assert places == sorted(places)
    page = client.get("/privacy/").content.decode()
    assert "31 December</bdi>. After that the answers stay" in page
    assert "river@example.org" in page
    # A campaign that is not open says so and lets people leave.
    for state, words in ((State.PAUSED, "taking a break"), (State.CLOSED, "has ended")):
        Campaign.objects.update(state=state)
        answer = client.get("/profile/")
        assert answer.status_code == 200
        assert words in answer.content.decode()
        assert 'href="/leave/"' in answer.content.decode()


def test_every_trace_in_the_browser_is_told_and_taken_back():
    """A new one must be told on the privacy page and go when its person leaves (and then be put here)."""
    scripts = {path.name: path.read_text(encoding="utf-8") for path in STATIC.glob("*.js")}
    kept = set(re.findall(r'"(endoxa\.[a-z]+)"', "".join(scripts.values())))
    assert kept == {"endoxa.answers", "endoxa.keys", "endoxa.language", "endoxa.owner", "endoxa.refused"}
    assert 'startsWith("endoxa.")' in scripts["left.js"]


def test_every_column_of_a_person_is_told():
    """A new column must be put into the list of the privacy page (and then here)."""
    told = {
        "id", "campaign", "secret_hash", "receipt_hash", "ui_language", "consent_version", "consent_language",
        "consent_hour", "earlier_consents", "keep_words",
        "profile_done", "origins", "connections", "languages", "topic_optouts", "extras",
        "countries", "close_to", "aside", "aside_pairs", "interviewer",
    }  # fmt: skip
    assert {field.name for field in Person._meta.get_fields() if field.concrete} == told


def test_pages_keep_to_the_rules_of_the_house(client, db):
    left = leaving._left(None).url
    for path in ("/", "/help/", "/privacy/", "/leave/", left, "/no-thanks/", "/nowhere/"):
        page = client.get(path, headers={"accept-language": "ar"}).content.decode()
        assert '<html lang="ar" dir="rtl">' in page
        assert '<meta name="robots" content="noindex, nofollow">' in page
        assert re.search(r"<[^>]+\s(style|on\w+)=", page) is None
        assert re.search(r"<script(?![^>]*\bsrc=)", page) is None
        assert "http://" not in page
        assert "https://" not in page
        assert page.count("<h1>") == 1
    # The page for faults needs nothing.
    with translation.override("en"):
        assert "Something went wrong here" in render_to_string("500.html")


def test_nobody_is_thanked_for_nothing(as_person, person, make_pairs):
    client = as_person(person)
    page = client.get("/thanks/").content.decode()
    assert "You have not answered anything yet" in page
    assert "Thank you!" not in page
    assert "You gave:" not in page
    make_pairs(person.campaign, ("AR", "drink mate", "en"))
    answering.rate(person, drawing.next_card(person).token, 4)
    page = client.get("/thanks/").content.decode()
    assert "Thank you!" in page
    assert "1 card answered" in page
    # One sentence a paragraph.
    assert "from any phone.</p>" in page
