"""Receipt codes: the way out with this phone or a code, and the way on for those who lost the cookie."""

from __future__ import annotations

import pytest
from django.test import Client

from collect_support.samples import TICKS
from endoxa_collect.cards import answering, drawing, kinds
from endoxa_collect.contributor import progress
from endoxa_collect.models import Campaign, JoinCode, Person, Rating, State
from endoxa_collect.sampler.slots import FULL
from endoxa_collect.security.codes import COOKIE, no_cookie, receipt_of

pytestmark = pytest.mark.slow


def _rate(person, make_pairs, number):
    make_pairs(person.campaign, *[("AR", f"like poem {n}", "en") for n in range(number)])
    for _ in range(number):
        answering.rate(person, drawing.next_card(person).token, 4)


def test_the_phone_deletes_after_one_more_question_and_is_cleared(as_person, person, make_pairs):
    _rate(person, make_pairs, 1)
    make_pairs(person.campaign, *(("AR", f"well known {n}", "en") for n in range(7)), need=FULL)
    kinds.answer_heard(person, kinds.next_mixed(person, 2).token, [])
    kinds.skip_mixed(person, kinds.next_mixed(person, 5).token, "dont_know")
    person.keep_words = True
    person.save()
    # Also when the campaign is over.
    Campaign.objects.update(state=State.CLOSED)
    client = as_person(person)
    client.cookies[progress.COVERS_COOKIE] = "1"
    assert "What goes, at once" in client.get("/leave/").content.decode()
    assert "left.js" not in client.get("/left/").content.decode()
    asked = client.post("/leave/", {"phone": "1"}).content.decode()
    assert "Delete everything?" in asked
    assert "You agreed that your words may stay" in asked
    assert Person.objects.count() == 1
    answer = client.post("/leave/", {"phone": "1", "sure": "1"}, follow=True).content.decode()
    # A rating, a list of five pairs and a comparison.
    assert "3 answers were deleted" in answer
    assert "left.js" in answer
    assert not client.cookies[COOKIE].value
    covers = client.cookies[progress.COVERS_COOKIE]
    assert (covers.value, covers["path"]) == ("", "/card/")
    assert not Person.objects.exists()
    assert not Rating.objects.exists()
    # Strangers are offered the code only.
    page = client.get("/leave/").content.decode()
    assert "on this phone" not in page.split("<main")[1].split("</main")[0].replace("on your own phone", "")
    assert client.post("/leave/", {"phone": "1"}).url == "/leave/"


def test_a_receipt_code_deletes_from_anybodys_phone(person, make_pairs, as_person, make_person):
    _rate(person, make_pairs, 1)
    phone = as_person(make_person(person.campaign, "ben"))
    typed = person.receipt.lower().replace("-", " ")
    asked = Client().post("/leave/", {"code": typed}).content.decode()
    assert f'name="code" value="{typed}"' in asked
    page = phone.post("/leave/", {"code": typed, "sure": "1"}, follow=True).content.decode()
    assert "It is deleted" in page
    assert "1 answer was deleted" in page
    # It is not told that it forgot us, and did not.
    assert "Your phone has forgotten us" not in page
    assert phone.cookies[COOKIE].value == "ben"
    assert Person.objects.count() == 1


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


def test_another_phone_goes_on_and_the_old_one_is_out(as_person, person):
    old, new = as_person(person), Client()
    response = new.post("/resume/", {"code": person.receipt.lower().replace("-", " ")})
    assert response.status_code == 302
    assert new.cookies[COOKIE].value != person.cookie
    assert new.get("/card/").status_code == 200
    assert old.get("/card/").status_code == 302
    # The code stays good, for going on and for leaving.
    assert Client().post("/resume/", {"code": person.receipt}).status_code == 302
    assert "sure" in Client().post("/leave/", {"code": person.receipt}).content.decode()


def test_a_sheet_of_paper_is_no_place_to_go_on(client, person):
    Person.objects.filter(pk=person.pk).update(secret_hash=no_cookie())
    assert "a sheet of paper" in client.post("/resume/", {"code": person.receipt}).content.decode()
    assert COOKIE not in client.cookies


def test_the_old_consent_form_sent_again_leads_to_the_code(campaign):
    old, page = Client(), f"/j/{JoinCode.objects.create(campaign=campaign, code='MATE2345').code}/"
    form = old.get(page).context["form"]
    sent = {"ticket": form["ticket"].value(), "version": form["version"].value(), **TICKS}
    assert old.post(page, sent).headers["Location"] == "/profile/"
    receipt = receipt_of(old.cookies[COOKIE].value)
    assert Client().post("/resume/", {"code": receipt}).status_code == 302
    again = Client()
    assert again.post(page, sent).headers["Location"] == "/resume/"
    assert COOKIE not in again.cookies
    assert Person.objects.count() == 1
