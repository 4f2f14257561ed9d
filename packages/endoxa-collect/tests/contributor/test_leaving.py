"""The way out: with this phone or with a receipt code."""

from __future__ import annotations

import re

from django.test import Client

from endoxa_collect.cards import answering, drawing, kinds
from endoxa_collect.contributor import progress
from endoxa_collect.models import Person, Rating, State
from endoxa_collect.sampler.slots import FULL
from endoxa_collect.security.codes import COOKIE


def _rate(person, make_pairs, number=2):
    make_pairs(person.campaign, *[("AR", f"like poem {n}", "en") for n in range(number)])
    for _ in range(number):
        answering.rate(person, drawing.next_card(person).token, 4)


def test_the_phone_deletes_after_one_more_question(as_person, person, make_pairs):
    _rate(person, make_pairs)
    client = as_person(person)
    assert "What goes, at once" in client.get("/leave/").content.decode()
    asked = client.post("/leave/", {"phone": "1"}).content.decode()
    assert "Delete everything?" in asked
    assert Person.objects.count() == 1
    answer = client.post("/leave/", {"phone": "1", "sure": "1"}, follow=True)
    assert "2 answers were deleted" in answer.content.decode()
    assert not client.cookies[COOKIE].value
    assert not Person.objects.exists()
    assert not Rating.objects.exists()


def test_lists_and_comparisons_are_counted_too(as_person, person, make_pairs):
    _rate(person, make_pairs, 1)
    make_pairs(person.campaign, *(("AR", f"well known {n}", "en") for n in range(7)), need=FULL)
    card = kinds.next_mixed(person, 2)
    kinds.answer_heard(person, card.token, [])
    kinds.skip_mixed(person, kinds.next_mixed(person, 5).token, "dont_know")
    answer = as_person(person).post("/leave/", {"phone": "1", "sure": "1"}, follow=True)
    # A rating, a list of five pairs and a comparison.
    assert "3 answers were deleted" in answer.content.decode()


def test_leaving_clears_this_browser(as_person, person):
    client = as_person(person)
    assert "left.js" not in client.get("/left/").content.decode()
    client.post("/card/covers/", {"covers": "lift"})
    gone = client.post("/leave/", {"phone": "1", "sure": "1"}, follow=True)
    assert (client.cookies[progress.COVERS_COOKIE].value, client.cookies[progress.COVERS_COOKIE]["path"]) == (
        "",
        "/card/",
    )
    assert "left.js" in gone.content.decode()


def test_a_receipt_code_deletes_from_any_phone(person, make_pairs):
    _rate(person, make_pairs, 1)
    phone = Client()
    typed = person.receipt.lower().replace("-", " ")
    asked = phone.post("/leave/", {"code": typed}).content.decode()
    assert f'name="code" value="{typed}"' in asked
    answer = phone.post("/leave/", {"code": typed, "sure": "1"}, follow=True)
    assert "1 answer was deleted" in answer.content.decode()
    assert not Person.objects.exists()


def test_a_second_tap_ends_on_the_same_page(as_person, person):
    client = as_person(person)
    forms = []
    for sent in ({"phone": "1"}, {"code": person.receipt}):
        page = client.post("/leave/", sent).content.decode()
        forms.append({**sent, "sure": "1", "asked": re.search(r'name="asked" value="([^"]+)"', page)[1]})
    client.post("/leave/", forms[0])
    client.cookies[COOKIE] = person.cookie
    for sent in forms:
        again = client.post("/leave/", sent, follow=True)
        assert "Nothing of yours is here any more" in again.content.decode()
    assert client.post("/leave/", {**forms[0], "asked": forms[1]["asked"]}).url == "/leave/"


def test_nobody_hears_of_a_deletion_that_did_not_happen(as_person, person, client):
    """Not somebody who takes part, nor a stranger, nor with a code that was never asked about."""
    for browser in (Client(), as_person(person)):
        for sent in (
            {},
            {"sure": "1"},
            {"sure": "1", "code": "NOPE"},
            {"sure": "1", "code": "NOPE", "asked": "x"},
        ):
            page = browser.post("/leave/", sent, follow=True).content.decode()
            assert "It is deleted" not in page
            assert "Nothing of yours" not in page
        for address in ("/left/", "/left/?done=x", "/left/?done=eyJyYXRpbmdzIjogOTl9:x:y"):
            assert browser.get(address).url == "/leave/"
    page = browser.post("/leave/", {"sure": "1", "code": "NOPE"}).content.decode()
    assert "We find no answers for this code. They may be deleted already, or a letter is wrong." in page
    assert Client().post("/leave/", {"phone": "1", "sure": "1"}).url == "/leave/"
    assert Person.objects.count() == 1


def test_a_neighbours_phone_is_not_told_that_it_forgot_us(as_person, person, make_person):
    client = as_person(make_person(person.campaign, "ben"))
    page = client.post("/leave/", {"code": person.receipt, "sure": "1"}, follow=True).content.decode()
    assert "It is deleted" in page
    assert "Your phone has forgotten us" not in page
    assert client.cookies[COOKIE].value == "ben"
    assert Person.objects.count() == 1


def test_leaving_works_when_the_campaign_is_over(as_person, person):
    person.campaign.state = State.CLOSED
    person.campaign.save()
    as_person(person).post("/leave/", {"phone": "1", "sure": "1"})
    assert not Person.objects.exists()


def test_words_that_stay_are_told_before_and_after(as_person, make_person, campaign, make_pairs):
    person = make_person(campaign, keep_words=True)
    assert (
        "You agreed that your words may stay"
        in as_person(person).post("/leave/", {"phone": "1"}).content.decode()
    )


def test_strangers_are_offered_the_code_only(client, db):
    page = client.get("/leave/").content.decode()
    assert "on this phone" not in page.split("<main")[1].split("</main")[0].replace("on your own phone", "")
    assert client.post("/leave/", {"phone": "1"}).url == "/leave/"
