"""Pages to read, and pages for when something is wrong."""

from __future__ import annotations

import re
from pathlib import Path

import endoxa_collect
from endoxa_collect.cards import answering, drawing
from endoxa_collect.models import Person

STATIC = Path(endoxa_collect.__file__).parent / "static" / "endoxa"


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


def test_nobody_is_thanked_for_nothing(as_person, person, make_pairs):
    client = as_person(person)
    page = client.get("/thanks/").content.decode()
    assert "You have not answered anything yet" in page
    assert "Thank you!" not in page
    make_pairs(person.campaign, ("AR", "drink mate", "en"))
    answering.rate(person, drawing.next_card(person).token, 4)
    page = client.get("/thanks/").content.decode()
    assert "Thank you!" in page
    assert "1 card answered" in page
