"""The card on a phone, by plain forms only: as somebody without a script meets it."""

from __future__ import annotations

import pytest
from django.urls import reverse

from collect_support.form_filler import Page
from endoxa_collect.models import Card, CardState, Pair, Rating

pytestmark = pytest.mark.slow

CARD = "/card/"
LARGEST = 8_000


def at(name, card, *others):
    return reverse(f"contributor:{name}", args=[card.token, *others])


def read(response):
    return Page(response.content.decode())


def rate(client, card, value=4):
    return client.post(at("rate", card), {"value": value})


@pytest.fixture
def pairs(campaign, make_pairs):
    return make_pairs(
        campaign,
        ("AR", "drink mate", "es"),
        ("AR", "love football", "en"),
        ("CL", "love poetry", "en"),
        ("UY", "walk by the sea", "en"),
    )


@pytest.fixture
def phone(person, pairs, as_person):
    return as_person(person)


def open_card(person):
    return Card.objects.get(person=person, state=CardState.OPEN)


def test_from_card_to_next_card_and_back(phone, person):
    shown = read(phone.get(CARD))
    card = open_card(person)
    assert card.pair.attribute in shown.words
    answers = shown.all("button", name="value")
    assert [button["value"] for button in answers] == ["1", "2", "3", "4", "5"]
    assert not any("checked" in attrs or "selected" in attrs for _, attrs in shown.elements)
    answered = rate(phone, card)
    assert answered.url == at("add", card)
    more = read(phone.get(answered.url))
    assert "Your answer is saved" in more.words
    assert more.all("form", action=at("undo", card))
    assert phone.post(at("finish", card), {"language": "en"}).url == CARD
    assert at("undo", card) in phone.get(CARD).content.decode()
    assert Rating.objects.get().value == 4
    assert Card.objects.filter(person=person).count() == 2
    # Taking back shows the card again.
    assert phone.post(at("undo", card)).url == CARD
    assert card.pair.attribute in read(phone.get(CARD)).words
    assert not Rating.objects.exists()
    assert open_card(person) == card


def test_an_answer_that_is_none_changes_nothing(phone, person):
    phone.get(CARD)
    card = open_card(person)
    for value in ("0", "6", "", "four", "4.5"):
        again = phone.post(at("rate", card), {"value": value}, follow=True)
        assert "tap it once more" in again.content.decode()
    assert not Rating.objects.exists()
    assert open_card(person) == card


def test_the_balance_decides_whether_more_is_asked_for(phone, person, campaign):
    campaign.balance = "validate"
    campaign.save()
    phone.get(CARD)
    card = Card.objects.get(person=person)
    assert rate(phone, card).url == CARD
    assert phone.get(at("add", card)).url == CARD
    assert phone.post(at("add", card), {"text": "sing", "language": "en"}).url == CARD
    assert Pair.objects.count() == 4


def test_the_topic_of_a_card_can_be_left_out_and_comes_back_with_the_skip(phone, person):
    Pair.objects.filter(country__in=("AR", "CL")).update(topic="food")
    Pair.objects.filter(country="UY").delete()
    phone.get(CARD)
    card = open_card(person)
    phone.post(at("skip", card), {"reason": "rather_not"})
    assert "food" in read(phone.get(CARD)).words
    phone.post(at("avoid", card))
    person.refresh_from_db()
    assert person.topic_optouts == ["food"]
    assert b"food" not in phone.get(CARD).content
    assert open_card(person).pair is None
    phone.post(at("undo", card))
    person.refresh_from_db()
    assert person.topic_optouts == []
    assert card.pair.attribute in read(phone.get(CARD)).words


def test_a_pause_is_offered_once_and_thanks_count_what_was_given(
    make_campaign, make_person, make_pairs, as_person
):
    lines = [{"country": code, "name": f"{code} line", "contact": "111"} for code in ("CL", "AR")]
    campaign = make_campaign("lake", sampler={"break_after": 2}, help_lines=lines)
    make_pairs(campaign, *(("AR", f"sing song {number}", "en") for number in range(4)))
    person = make_person(campaign, "cai")
    client = as_person(person)
    for _ in range(2):
        client.get(CARD)
        rate(client, open_card(person))
    assert client.get(CARD).url == "/pause/"
    pause = read(client.get("/pause/"))
    assert "2 cards answered" in pause.words
    assert "people to talk to" in pause.words
    assert client.get(CARD, {"on": 1}).status_code == 200
    assert client.get(CARD).status_code == 200
    page = read(client.get("/thanks/"))
    assert "2 cards answered" in page.words
    # Those of one's own country come first.
    assert page.words.index("AR line") < page.words.index("CL line")
    assert person.receipt not in page.words
    assert {"/leave/", "/receipt/", f"{CARD}?on=1"} <= {link.get("href") for link in page.all("a")}


@pytest.mark.parametrize("language", ["en", "hi"])
def test_no_card_is_larger_than_8_kb(phone, person, campaign, language, make_pairs):
    # The longest words of both kinds that may be stored, on the heaviest cards.
    long = "ह" * 120
    make_pairs(campaign, ("AR", long, "en"), topic="cooking and food")
    Pair.objects.update(negative=True)
    person.ui_language = language
    person.save()
    sizes = {"card": phone.get(CARD)}
    card = open_card(person)
    phone.post(at("reveal", card))
    sizes["card with its words"] = phone.get(CARD)
    phone.post(at("skip", card), {"reason": "rather_not"})
    sizes["card after one"] = phone.get(CARD)
    card = open_card(person)
    phone.post(at("reveal", card))
    rate(phone, card)
    sizes["more"] = phone.get(at("add", card))
    phone.post(at("add", card), {"countries": ["PE", "BR", "CL"], "text": "a" * 120, "language": "en"})
    sizes["added"] = phone.get(at("add", card))
    assert {name: len(each.content) for name, each in sizes.items() if len(each.content) > LARGEST} == {}
