"""The way in: code, language, consent, receipt, profile."""

from __future__ import annotations

import time
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from collect_support.samples import TICKS
from endoxa_collect.anonymous import new_ticket
from endoxa_collect.models import Arrivals, JoinCode, Person, SettingsVersion, State
from endoxa_collect.presets import load_preset
from endoxa_collect.privacy import erase_people, withdraw
from endoxa_collect.security.codes import COOKIE, hash_receipt, hash_secret, receipt_of

pytestmark = pytest.mark.slow


@pytest.fixture
def code(campaign):
    return JoinCode.objects.create(campaign=campaign, code="MATE2345").code


@pytest.fixture
def consent_page(client, code):
    """A function that opens the consent form and sends it with these boxes."""

    def send(path=f"/j/{code}/", **boxes):
        form = client.get(path).context["form"]
        hidden = {name: form[name].value() for name in ("ticket", "version")}
        return client.post(path, {**hidden, **boxes})

    return send


def test_a_code_is_found_however_it_is_typed_and_a_wrong_one_gets_a_sentence(client, code):
    for typed in ("mate2345", " MATE 2345 ", "mate-2345"):
        assert client.post("/", {"code": typed}).url == f"/j/{code}/"
    page = client.post("/", {"code": "MATE9999"}).content.decode()
    assert "This code does not open anything" in page
    assert 'value="MATE9999"' in page
    assert "Please type the code" in client.post("/", {"code": ""}).content.decode()


def main_of(page):
    return page.content.decode().split("<main")[1].split("</main")[0]


@pytest.mark.parametrize("facts", [{"revoked": True}, {"expires_at": timezone.now() - timedelta(seconds=1)}])
def test_codes_that_are_over_look_unknown_but_to_those_who_belong(client, campaign, make_person, facts):
    JoinCode.objects.create(campaign=campaign, code="OVER2345", **facts)
    over, unknown = client.get("/j/OVER2345/"), client.get("/j/NEVER234/")
    assert over.status_code == unknown.status_code == 404
    assert main_of(over) == main_of(unknown)
    phone = Client()
    phone.cookies[COOKIE] = make_person(campaign).cookie
    assert phone.post("/", {"code": "over 2345"}).url == "/j/OVER2345/"
    assert phone.get("/j/OVER2345/").url == "/card/"
    campaign.state = State.CLOSED
    campaign.save()
    page = client.get("/j/OVER2345/")
    assert page.status_code == 200
    assert "has ended" in main_of(page)


def test_the_page_tells_whose_it_is_and_ticks_nothing(client, code):
    page = client.get(f"/j/{code}/", headers={"accept-language": "es"}).content.decode()
    for words in ("River Lab", "about en español", "title en español", '<html lang="es" dir="ltr">'):
        assert words in page
    page = client.get(f"/j/{code}/").content.decode()
    assert page.count('type="checkbox"') == 4
    assert "checked" not in page
    assert "18 years" in page


@pytest.mark.parametrize("missing", sorted(TICKS))
def test_each_needed_box_is_asked_for_in_words_and_the_others_stay_ticked(consent_page, missing):
    answer = consent_page(keep_words="on", **{box: "on" for box in TICKS if box != missing})
    page = answer.content.decode()
    assert answer.status_code == 200
    assert not Person.objects.exists()
    assert COOKIE not in answer.cookies
    assert f'id="id_{missing}_error"' in page
    assert page.count(" checked") == 3


def test_consent_makes_a_person_known_by_hashes_only(client, code, consent_page, settings):
    settings.HTTPS = True
    # The language of the consent is that of the text which was shown.
    client.cookies["endoxa_language"] = "ar"
    answer = consent_page(keep_words="on", **TICKS)
    assert answer.url == "/profile/"
    person = Person.objects.get()
    cookie = answer.cookies[COOKIE]
    assert (cookie["httponly"], cookie["samesite"], cookie["secure"]) == (True, "Lax", True)
    assert len(bytes.fromhex(cookie.value)) == 16
    receipt = receipt_of(cookie.value)
    assert (person.secret_hash, person.receipt_hash) == (hash_secret(cookie.value), hash_receipt(receipt))
    assert (person.consent_version, person.consent_language, person.ui_language) == (1, "en", "ar")
    hour = person.consent_hour
    assert (hour.minute, hour.second, hour.microsecond) == (0, 0, 0)
    assert person.keep_words
    stored = " ".join(str(value) for value in Person.objects.values_list().get())
    assert cookie.value not in stored
    assert receipt not in stored
    # Shown again after a reload, to nobody else.
    for _ in range(2):
        assert receipt in client.get("/receipt/").content.decode()
    assert client.get("/receipt/").context["onward"] == "contributor:profile"
    assert Client().get("/receipt/").url == "/"
    # Joining again goes on as the same person.
    Person.objects.update(profile_done=True)
    assert client.get(f"/j/{code}/").url == client.post(f"/j/{code}/", TICKS).url == "/card/"
    assert Person.objects.count() == 1


def test_a_double_tap_is_one_person_even_if_others_leave_between(client, campaign, code, make_person):
    path = f"/j/{code}/"
    sent = {**TICKS, "ticket": client.get(path).context["form"]["ticket"].value(), "version": 1}
    others = [make_person(campaign, name) for name in ("ben", "cai", "dan")]
    withdraw(others[0])
    first = client.post(path, sent).cookies[COOKIE].value
    for other in others[1:]:
        withdraw(other)
        assert Client().post(path, sent).cookies[COOKIE].value == first
    before = Person.objects.get()
    assert not before.keep_words
    # Once whoever it was has left, it leads to somebody new, of whom nothing follows from the one before.
    withdraw(before)
    second = client.post(path, sent).cookies[COOKIE].value
    assert second != first
    assert Client().post(path, sent).cookies[COOKIE].value == second
    after = Person.objects.get()
    assert {after.secret_hash, after.receipt_hash}.isdisjoint({before.secret_hash, before.receipt_hash})


def test_what_is_sent_of_an_old_page_or_by_machines_makes_nobody(client, campaign, consent_page, code):
    assert "hidden field left empty" in consent_page(subject="buy now", **TICKS).content.decode()
    path = f"/j/{code}/"
    old = client.get(path).context["form"]
    content = {**SettingsVersion.objects.get().content, "consent_version": 2}
    SettingsVersion.objects.create(campaign=campaign, number=2, content=content)
    campaign.version = 2
    campaign.save()
    answer = client.post(path, {**TICKS, "ticket": old["ticket"].value(), "version": 1}).content.decode()
    assert "was changed while you were reading" in answer
    assert " checked" not in answer
    assert 'name="version" value="2"' in answer
    assert not Person.objects.exists()


@pytest.mark.parametrize("ticket", ["old", "\0"])
def test_a_form_that_was_open_for_long_is_asked_once_more(client, code, monkeypatch, ticket):
    path = f"/j/{code}/"
    if ticket == "old":
        with monkeypatch.context() as earlier:
            hour_ago = time.time() - 3_601
            earlier.setattr(time, "time", lambda: hour_ago)
            ticket = new_ticket()
    page = client.post(path, {**TICKS, "subject": "", "ticket": ticket, "version": 1})
    form = page.context["form"]
    assert "open for a long while" in page.content.decode()
    assert not Person.objects.exists()
    # Nothing that was ticked is lost, and nothing else is ticked.
    assert {box.name: bool(box.value()) for box in form.boxes} == dict.fromkeys(TICKS, True) | {
        "keep_words": False
    }
    again = {**TICKS, "ticket": form["ticket"].value(), "version": 1}
    assert client.post(path, again).status_code == 302
    assert Person.objects.count() == 1


def test_a_school_asks_for_a_guardian_and_shows_their_sheet(client, make_campaign):
    school = make_campaign("school", **load_preset("school").settings.model_dump(mode="json"))
    JoinCode.objects.create(campaign=school, code="SCHOOL23")
    form = client.get("/j/SCHOOL23/").context["form"]
    assert form["age"].label == "I am between 13 and 17 years old."
    hidden = {name: form[name].value() for name in ("ticket", "version")}
    page = client.post("/j/SCHOOL23/", {**hidden, **TICKS}).content.decode()
    assert "show the sheet to a parent or guardian first" in page
    assert not Person.objects.exists()
    assert "Your child is invited" in client.get("/j/SCHOOL23/guardian/").content.decode()
    assert client.post("/j/SCHOOL23/", {**hidden, **TICKS, "guardian": "on"}).url == "/profile/"


def test_who_agrees_and_who_says_no_is_counted_and_nothing_else_of_them(campaign, code, consent_page):
    other = Client()
    other.get(f"/j/{code}/")
    for _ in range(2):
        answer = other.post("/j/mate-2345/no-thanks/")
    assert "nothing about you was stored" in other.get(answer.url).content.decode()
    assert COOKIE not in other.cookies
    consent_page(**TICKS)
    Person.objects.update(profile_done=True)
    counted = Arrivals.objects.values_list("code__code", "day", "joined", "declined").get()
    assert counted == (code, timezone.localdate(), 1, 2)
    assert Person.objects.count() == 1
    assert other.post("/j/NEVER234/no-thanks/").status_code == 404
    assert other.get(f"/j/{code}/no-thanks/").status_code == 405
    erase_people(campaign)
    assert not Arrivals.objects.exists()
