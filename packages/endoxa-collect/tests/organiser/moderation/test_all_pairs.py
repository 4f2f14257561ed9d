"""All pairs: found by words in any case and accents, by filters, page after page; decided about and taken back."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest
from django.core.cache import cache
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from endoxa_collect.entry.cleaning import key
from endoxa_collect.models import AuditEntry, Moderation, Pair, Role, Source
from endoxa_collect.organiser import all_pairs
from endoxa_collect.organiser.all_pairs import PairsForm, page_of
from endoxa_collect.organiser.decisions import revision

START = datetime(2026, 5, 4, 9, tzinfo=UTC)


@pytest.fixture(autouse=True)
def _nothing_kept():
    cache.clear()


@pytest.fixture
def make(campaign):
    """A function that makes a pair; each is a minute younger than the one before."""

    def make_pair(text, country="CO", language="es", **facts):
        facts = {"source": Source.SEED, "moderation": Moderation.LIVE, "negative": False, **facts}
        made_at = facts.pop("created_at", START + timedelta(minutes=Pair.objects.count()))
        pair = Pair.objects.create(
            campaign=campaign,
            country=country,
            attribute=text,
            key=key(text, language),
            language=language,
            **facts,
        )
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


def texts(campaign, **query):
    return [pair.attribute for pair in page_of(PairsForm(campaign, query).pairs(), "").pairs]


@pytest.mark.parametrize(
    ("typed", "text", "language"),
    [
        ("cancion", "cantan una canción", "es"),
        ("CANCIÓN", "cantan una cancion", "es"),
        ("São", "são alegres demais", "pt"),
        ("ecoles", "vont à l’École ÉCOLES", "fr"),
        ("they are late", "always late", "en"),
        ("late, always!", "always late", "en"),
        ("يحبون القهوة", "يُحِبّون القهوة كثيرا", "ar"),
        ("الاكل", "يحبون الأكل", "ar"),
        ("चाय", "बहुत चाय पीते हैं", "hi"),
        ("wanapenda", "Wanapenda chai", "sw"),
        ("100%", "100% sure", "en"),
        ("_", "", ""),
    ],
)
def test_words_are_found_in_any_case_and_accents(campaign, make, typed, text, language):
    make("nothing like it", language="en")
    if text:
        make(text, language=language)
    assert texts(campaign, q=typed) == ([text] if text else [])


def test_what_is_a_pattern_to_a_database_is_text(campaign, make):
    make("percent", language="en")
    assert texts(campaign, q="%") == []
    assert texts(campaign, q="per_zent") == []
    assert texts(campaign, q="' OR 1=1 --") == []


def test_each_filter(campaign, make, person):
    kept = {"source": Source.CONTRIBUTOR, "author": person, "negative": None}
    make("seed", negative=True)
    make("new", country="BR", language="pt", moderation=Moderation.PENDING, **kept)
    make("later", created_at=START + timedelta(days=2), flags=["name"], ratings=2, **kept)
    make("", moderation=Moderation.HIDDEN)
    wanted = {
        "country": ("BR", ["new"]),
        "language": ("pt", ["new"]),
        "state": ("pending", ["new"]),
        "tone": ("unkind", ["seed"]),
        "flagged": ("on", ["later"]),
        "unrated": ("on", ["new", "seed"]),
        "wave": ("seeds", ["seed"]),
    }
    for name, (value, there) in wanted.items():
        assert texts(campaign, **{name: value}) == there, name
    assert texts(campaign, tone="unjudged") == ["later", "new"]
    assert texts(campaign, tone="kind") == []
    assert texts(campaign, wave="people") == ["later", "new"]
    assert texts(campaign, wave="2026-05-04") == ["new"]
    assert texts(campaign, country="XX", wave="2026-99-99") == ["later", "new", "seed"]
    days = [value for value, _ in PairsForm(campaign).fields["wave"].choices]
    assert days == ["", "seeds", "people", "2026-05-06", "2026-05-04"]


def test_pages_follow_each_other_without_a_gap_when_pairs_have_one_moment(campaign, make, monkeypatch):
    monkeypatch.setattr(all_pairs, "PAGE", 3)
    made = {make(f"word {number}", created_at=START).pk for number in range(8)}
    seen, after = [], ""
    for _ in range(3):
        page = page_of(PairsForm(campaign, {}).pairs(), after)
        seen += [pair.pk for pair in page.pairs]
        after = page.following
    assert (sorted(seen), after) == (sorted(made), "")
    assert seen == sorted(made, reverse=True)
    assert page_of(PairsForm(campaign, {}).pairs(), "no key").number == 8


def test_what_is_unkind_or_unjudged_is_covered_and_all_is_framed(page, make, person):
    make("kind words")
    make("unkind words", negative=True)
    make("unjudged words", negative=None, source=Source.CONTRIBUTOR, author=person)
    content = page().content.decode()
    covers = re.findall(r'<details class="cover">.*?</details>', content, re.DOTALL)
    assert {word for word in ("unkind", "unjudged") for cover in covers if f">{word} words<" in cover} == {
        "unkind",
        "unjudged",
    }
    assert len(covers) == 2
    assert content.count("some say:") == 3
    page(data={"show": "1"}, name="all_pairs_words")
    assert '<details class="cover">' not in page().content.decode()


def test_words_of_people_are_escaped(page, make):
    make("<script>alert(1)</script>")
    content = page(query='?q="><script>alert(2)</script>').content.decode()
    assert "<script>alert(" not in content
    assert "<script>alert(" not in page().content.decode()


def test_a_decision_from_the_list_keeps_the_list_and_can_be_taken_back(page, make):
    pair = make("sing loudly")
    answer = page(
        query="?country=CO&q=sing",
        data={"action": "hide", "seen": revision(pair)},
        name="all_pairs_act",
        parts=[pair.public_id],
    )
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
    assert [one.action for one in AuditEntry.objects.order_by("pk")] == [
        "pair hidden",
        "decision taken back",
    ]


def test_marking_as_may_hurt_keeps_the_topic(page, make):
    pair = make("sing loudly", topic="Music", negative=None)
    data = {"action": "mark", "seen": revision(pair), "topic": "Music", "negative": "true"}
    page(data=data, name="all_pairs_act", parts=[pair.public_id])
    pair.refresh_from_db()
    assert (pair.topic, pair.negative) == ("Music", True)


def test_who_decides_on_an_old_list_is_told(page, make):
    pair = make("sing loudly")
    answer = page(data={"action": "hide", "seen": "0" * 12}, name="all_pairs_act", parts=[pair.public_id])
    assert answer.status_code == 409
    assert "Somebody else decided" in answer.content.decode()
    pair.refresh_from_db()
    assert pair.moderation == Moderation.LIVE


def test_reviewers_read_and_what_is_with_the_organiser_stays_there(page, make):
    pair = make("sing loudly", flags=["escalated"], moderation=Moderation.PENDING)
    act = {"action": "approve", "seen": revision(pair)}
    assert "Approve" not in page(Role.REVIEWER).content.decode()
    assert page(Role.REVIEWER, data=act, name="all_pairs_act", parts=[pair.public_id]).status_code == 404
    assert page(data=act, name="all_pairs_act", parts=[pair.public_id]).status_code == 404
    wrong = {**act, "action": "personal"}
    assert page(Role.ORGANISER, data=wrong, name="all_pairs_act", parts=[pair.public_id]).status_code == 404
    page(Role.ORGANISER, data=act, name="all_pairs_act", parts=[pair.public_id])
    pair.refresh_from_db()
    assert pair.moderation == Moderation.LIVE


@pytest.mark.parametrize("query", [{}, {"country": "CO"}, {"wave": "2026-05-04"}, {"q": "late"}])
def test_a_page_is_read_in_the_order_of_an_index(campaign, make, query):
    make("late", created_at=START, source=Source.CONTRIBUTOR)
    plan = PairsForm(campaign, query).pairs().explain()
    assert "pair_by_age" in plan or "pair_by_cell" in plan
    assert "SCAN" not in plan


def test_the_cost_of_a_page_does_not_grow_with_the_pairs(page, make):
    for number in range(12):
        make(f"word {number}")
    with CaptureQueriesContext(connection) as few:
        page()
    for number in range(12, 40):
        make(f"word {number}")
    with CaptureQueriesContext(connection) as many:
        page()
    assert len(many) <= len(few)
