"""What a phone kept is stored once, and only the site's own answer says that it is."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse

from endoxa_collect.cards import answering, drawing
from endoxa_collect.models import Mention, Rating, Sent, State, Statement
from endoxa_collect.privacy import withdraw
from endoxa_collect.security.codes import COOKIE
from endoxa_collect.templatetags.contributor import reach

pytestmark = pytest.mark.slow


def send(client, address, fields, token):
    return client.post(address, fields, headers={"Endoxa-Send": str(token), "Accept": "application/json"})


@pytest.fixture
def card(campaign, person, make_pairs):
    make_pairs(campaign, *(("AR", f"sing song {n}", "es") for n in range(40)))
    return drawing.next_card(person)


def test_words_are_stored_once_for_each_token(as_person, person, card):
    client, token = as_person(person), uuid4()
    answering.rate(person, card.token, 4)
    type(card).objects.update(adds=True, words=True)
    address = reverse("contributor:finish", args=[card.token])
    words = {"text": "whistle at noon", "language": "es"}
    first = send(client, address, words, token)
    assert (first.status_code, first["Endoxa-Kept"]) == (204, str(token))
    assert first["Endoxa-Next"].startswith("/card/")
    # Taken back meanwhile: a copy that comes late brings nothing back.
    Mention.objects.all().delete()
    again = send(client, address, words, token)
    assert (again.status_code, again["Endoxa-Kept"]) == (204, str(token))
    assert not Mention.objects.exists()
    assert send(client, address, words, uuid4()).status_code == 204
    assert Mention.objects.count() == 1


def test_an_answer_of_the_survey_that_comes_late_replaces_no_newer_one(make_campaign, make_person, as_person):
    question = {"name": "women", "axis": "gender", "text": {"en": "What do people say?"}}
    person = make_person(make_campaign(survey=True, questions=[question]))
    client, token = as_person(person), uuid4()
    address = reverse("contributor:survey_question", args=["women"])
    first = {"lines": "sing at work", "language": "en"}
    assert send(client, address, first, token).status_code == 204
    client.post(address, {"lines": "sing all day", "language": "en"})
    assert send(client, address, first, token).status_code == 204
    assert Statement.objects.get().text == "sing all day"
    assert Sent.objects.count() == 1
    withdraw(person)
    assert not Sent.objects.exists()


def test_what_the_site_says_of_answers(as_person, person, card, campaign):
    client, token = as_person(person), uuid4()
    rate = reverse("contributor:rate", args=[card.token])
    refused = send(client, rate, {"value": "9"}, token)
    assert (refused.status_code, refused["Endoxa-Kept"]) == (422, str(token))
    assert send(client, rate, {"value": "4"}, token).status_code == 204
    assert send(client, rate, {"value": "4"}, token).status_code == 204
    assert send(client, rate, {"value": "1"}, token).status_code == 409
    assert Rating.objects.get().value == 4
    # Forms that a browser sends have no token, and get pages.
    assert "Endoxa-Kept" not in client.post(rate, {"value": "4"})
    # An invalid form token is no proof.
    strict = Client(enforce_csrf_checks=True)
    strict.cookies[COOKIE] = person.cookie
    told = send(strict, rate, {"value": "4"}, uuid4())
    assert told.status_code == 403
    assert "Endoxa-Kept" not in told
    withdraw(person)
    assert send(client, rate, {"value": "4"}, token).status_code == 410


def test_pages_to_have_at_hand(as_person, person, card, campaign):
    client = as_person(person)
    card.pair.negative = True
    card.pair.save()
    told = client.post(reverse("contributor:at_hand")).json()
    assert told["more"]
    first = reverse("contributor:one_card", args=[card.token])
    assert told["keep"][0] == first
    # Words that may hurt are on the page, to be opened without a network.
    assert '<details class="cover" id="reveal">' in told["pages"][first]
    assert len([path for path in told["keep"] if path.count("/") == 3 and path != "/offline/"]) == 5
    again = client.post(reverse("contributor:at_hand"), {"have": told["keep"]}).json()
    assert first in again["keep"]
    assert first not in again["pages"]
    # Reading draws nothing, and nothing is at hand in a campaign that is not open.
    assert set(client.get(reverse("contributor:at_hand")).json()) == {"csrf"}
    campaign.state = State.PAUSED
    campaign.save()
    assert send(client, reverse("contributor:at_hand"), {}, uuid4()).status_code == 403
    # The worker comes from the root and may do nothing else.
    told = client.get("/worker.js")
    assert told["Content-Type"].startswith("text/javascript")
    assert "worker-src 'self'" in told["Content-Security-Policy"]
    assert told["Cache-Control"] == "no-store"


CONTACTS = {
    "sms: 741741": "sms:741741",
    "https://example.org/help?x=1": "https://example.org/help?x=1",
    "help@example.org": "mailto:help@example.org",
    "javascript:alert(1)": "",
    "sms:741741?body=x": "sms:741741",
    'https://example.org"onclick=x': "https://example.org",
    "River Lab, from 9 to 17: +54 11 5555-0123": "tel:+541155550123",
    "until 2027-01-31 or 31.01.2027": "",
    "<b>12": "",
}


@pytest.mark.parametrize(("contact", "address"), CONTACTS.items())
def test_contacts_are_links_where_they_can_be(contact, address):
    page = reach(contact)
    assert page.count("<a ") == bool(address)
    assert not address or f'href="{address}"' in page
    assert "<b>" not in page
    assert '"onclick' not in page
