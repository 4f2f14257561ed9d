"""All pairs: found by words in any case and accents, by filters, page after page; decided about and taken back."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest
from django.urls import reverse

from endoxa_collect.entry.cleaning import key
from endoxa_collect.models import AuditEntry, Moderation, Pair, Role, Source
from endoxa_collect.organiser.decisions import revision
from endoxa_collect.organiser.moderation import containing

START = datetime(2026, 5, 4, 9, tzinfo=UTC)


@pytest.fixture
def make(campaign):
    """A function that makes a pair; each is a minute younger than the one before."""

    def make_pair(text, country="CO", language="es", **facts):
        facts = {"source": Source.SEED, "moderation": Moderation.LIVE, "negative": False, **facts}
        made_at = facts.pop("created_at", START + timedelta(minutes=Pair.objects.count()))
        facts |= {"campaign": campaign, "country": country, "language": language}
        pair = Pair.objects.create(attribute=text, key=key(text, language), **facts)
        Pair.objects.filter(pk=pair.pk).update(created_at=made_at)
        return pair

    return make_pair


@pytest.fixture
def page(client, campaign, make_account):
    accounts = {}

    def open_page(role=Role.MODERATOR, query="", data=None, name="all_pairs", parts=()):
        if role not in accounts:
            accounts[role] = make_account(f"account {role}", campaign, role)
        client.force_login(accounts[role])
        address = reverse(f"organiser:{name}", args=[campaign.slug, *parts]) + query
        return client.get(address) if data is None else client.post(address, data)

    return open_page


def ticked(action, *pairs, seen=None):
    """What a browser sends for an action on pairs that are ticked."""
    shown = [f"{pair.pk}:{seen or revision(pair)}" for pair in pairs]
    return {"index": 0, "action": action, "_selected_action": [pair.pk for pair in pairs], "seen": shown}


def texts(campaign, typed):
    return [pair.attribute for pair in containing(Pair.objects.filter(campaign=campaign), typed)]


@pytest.mark.parametrize(
    ("typed", "text", "language"),
    [
        ("cancion", "cantan una canción", "es"),
        ("CANCIÓN", "cantan una cancion", "es"),
        ("ecoles", "vont à l’École ÉCOLES", "fr"),
        ("يحبون القهوة", "يُحِبّون القهوة كثيرا", "ar"),
        ("चाय", "बहुत चाय पीते हैं", "hi"),
        # What is a pattern to a database is text.
        ("%", "", ""),
        ("' OR 1=1 --", "", ""),
    ],
)
def test_words_are_found_in_any_case_and_accents(campaign, make, typed, text, language):
    make("nothing like it", language="en")
    if text:
        make(text, language=language)
    assert texts(campaign, typed) == ([text] if text else [])


@pytest.mark.slow
def test_each_filter(campaign, make, person, page):
    kept = {"source": Source.CONTRIBUTOR, "author": person, "negative": None}
    make("seed", negative=True)
    make("new", country="BR", language="pt", moderation=Moderation.PENDING, **kept)
    make("later", created_at=START + timedelta(days=2), flags=["name"], ratings=2, **kept)
    make("", moderation=Moderation.HIDDEN)
    wanted = {
        "country=BR": ["new"],
        "language=pt": ["new"],
        "state=pending": ["new"],
        "tone=unkind": ["seed"],
        "tone=unjudged": ["later", "new"],
        "tone=kind": [],
        "only=flagged": ["later"],
        "only=unrated": ["new", "seed"],
        "source=seeds": ["seed"],
        "source=people": ["later", "new"],
        "q=new&tone=unjudged": ["new"],
        # What there is not to choose is ignored, and so is what the page does not offer to search by.
        "country=XX&source=2026-99-99": ["later", "new", "seed"],
        f"author={person.pk}": ["later", "new", "seed"],
        f"author__secret_hash={person.secret_hash}": ["later", "new", "seed"],
        "topic=x&p=99": ["later", "new", "seed"],
    }
    for query, there in wanted.items():
        listed = page(query=f"?{query}").context["cl"]
        assert [pair.attribute for pair in listed.result_list] == there, query


def test_a_decision_from_the_list_keeps_the_list_and_can_be_taken_back(page, make):
    pair = make("sing loudly")
    answer = page(query="?country=CO&q=sing", data=ticked("hide", pair))
    assert answer.headers["Location"].endswith("/pairs/?country=CO&q=sing")
    pair.refresh_from_db()
    assert pair.moderation == Moderation.HIDDEN
    content = page(query="?country=CO&q=sing").content.decode()
    undo = re.search(r'action="(/organise/[^"]*/undo/[^"]*)"', content)[1]
    assert "You hid:" in content
    page()  # signed in
    client_answer = page(data={}, name="moderation_undo", parts=[undo.rstrip("/").rpartition("/")[2]])
    assert client_answer.status_code == 302
    pair.refresh_from_db()
    assert pair.moderation == Moderation.LIVE
    actions = AuditEntry.objects.order_by("pk").values_list("action", flat=True)
    assert list(actions) == ["pair hidden", "decision taken back"]


def test_pairs_of_another_campaign_are_not_listed_or_decided_about(page, make_campaign, make_pairs):
    (foreign,) = make_pairs(make_campaign("lake"), ("CL", "secret of the lake", "en"))
    page(Role.ORGANISER, data=ticked("hide", foreign))
    foreign.refresh_from_db()
    assert foreign.moderation == Moderation.LIVE
    assert "secret of the lake" not in page(Role.ORGANISER).content.decode()
