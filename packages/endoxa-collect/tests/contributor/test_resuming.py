"""Who lost the cookie goes on with the receipt code, on any phone."""

from __future__ import annotations

from django.test import Client

from endoxa_collect.models import JoinCode, Person
from endoxa_collect.security.codes import COOKIE, no_cookie, receipt_of
from endoxa_collect.security.limits import RECEIPT


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


def test_a_wrong_code_gets_the_answer_of_the_page_to_leave_and_is_counted(client, person):
    told = "We find no answers for this code"
    assert told in client.post("/resume/", {"code": "WRONG"}).content.decode()
    assert told in client.post("/leave/", {"code": "WRONG"}).content.decode()
    assert COOKIE not in client.cookies
    for _ in range(RECEIPT.browser.tries):
        client.post("/resume/", {"code": "WRONG"})
    assert client.post("/resume/", {"code": "WRONG"}).status_code == 429
    assert client.post("/leave/", {"code": "WRONG"}).status_code == 429


def test_a_sheet_of_paper_is_no_place_to_go_on(client, person):
    Person.objects.filter(pk=person.pk).update(secret_hash=no_cookie())
    assert "a sheet of paper" in client.post("/resume/", {"code": person.receipt}).content.decode()
    assert COOKIE not in client.cookies


def test_the_old_consent_form_sent_again_leads_to_the_code(campaign):
    old, page = Client(), f"/j/{JoinCode.objects.create(campaign=campaign, code='MATE2345').code}/"
    form = old.get(page).context["form"]
    ticks = {"age": "on", "take_part": "on", "publication": "on"}
    sent = {"ticket": form["ticket"].value(), "version": form["version"].value(), **ticks}
    assert old.post(page, sent).headers["Location"] == "/profile/"
    receipt = receipt_of(old.cookies[COOKIE].value)
    assert Client().post("/resume/", {"code": receipt}).status_code == 302
    again = Client()
    assert again.post(page, sent).headers["Location"] == "/resume/"
    assert COOKIE not in again.cookies
    assert Person.objects.count() == 1
