"""Interviews: one person enters for many speakers with a code of their own."""

from __future__ import annotations

from collections import Counter

import pytest
from django.test import Client
from django.urls import reverse

from collect_support.filled_campaign import give_rating
from collect_support.samples import TICKS
from endoxa_collect.anonymous import new_ticket
from endoxa_collect.export.folder import read_export
from endoxa_collect.export.run import export_campaign
from endoxa_collect.models import AuditEntry, Campaign, JoinCode, Person
from endoxa_collect.organiser.codes import newest_code
from endoxa_collect.security.codes import COOKIE
from endoxa_collect.security.limits import INTERVIEWS


@pytest.fixture
def code(campaign, make_account, client):
    """The code of interviewer I1, as an organiser makes it."""
    client.force_login(make_account("ana", campaign, "organiser"))
    page = reverse("organiser:code_add", args=[campaign.slug])
    for name in ("I1", "Ana"):
        client.post(page, {"days": "14", "interviewer": name})
    campaign.refresh_from_db()
    return JoinCode.objects.get(campaign=campaign)


def join(phone, code, **boxes):
    version = Campaign.objects.get(pk=code.campaign_id).settings.consent_version
    return phone.post(f"/j/{code.code}/", {"ticket": new_ticket(), "version": version, **boxes})


def test_a_code_of_an_interviewer_is_declared_logged_and_on_no_wall(campaign, code):
    assert code.interviewer == "I1"
    assert campaign.settings.interviewers == ("I1",)
    assert campaign.settings.consent_version == 1
    assert newest_code(campaign) is None
    assert AuditEntry.objects.get(action="code made").detail["interviewer"] == "I1"


@pytest.mark.slow
def test_consent_is_read_aloud_and_ticked_and_speakers_follow_each_other_on_one_phone(campaign, code):
    phone = Client()
    assert "read this page aloud" in phone.get(f"/j/{code.code}/").content.decode()
    assert "please read the text aloud" in join(phone, code, **TICKS).content.decode()
    assert not Person.objects.exists()

    assert join(phone, code, **TICKS, read_aloud="on").url == "/profile/"
    first = Person.objects.get()
    assert first.interviewer == "I1"
    Person.objects.update(profile_done=True)
    assert "such as I1" in phone.get("/privacy/").content.decode()
    thanks = phone.get("/thanks/")
    receipt = thanks.context["code"]
    assert receipt in thanks.content.decode()

    onward = phone.post("/next-speaker/")
    assert onward.url == f"/j/{code.code}/"
    assert phone.cookies[COOKIE].value == ""
    assert join(phone, code, **TICKS, read_aloud="on").url == "/profile/"
    assert Person.objects.count() == 2
    assert phone.get("/thanks/").context["code"] != receipt
    asked = phone.post("/leave/", {"code": receipt}).context["asked"]
    phone.post("/leave/", {"code": receipt, "asked": asked, "sure": "1"})
    assert Person.objects.get() != first
    # A revoked code ends interviews on the first page; an interviewer has a limit of their own.
    JoinCode.objects.update(revoked=True)
    assert phone.post("/next-speaker/").url == "/"
    JoinCode.objects.update(revoked=False)
    for _ in range(INTERVIEWS.tries):
        INTERVIEWS.count(code.code)
    assert join(Client(), code, **TICKS, read_aloud="on").status_code == 429


def test_who_answers_themselves_has_no_next_speaker(as_person, person):
    phone = as_person(person)
    assert "next-speaker" not in phone.get("/thanks/").content.decode()
    assert phone.post("/next-speaker/").url == "/thanks/"
    assert phone.cookies[COOKIE].value


@pytest.mark.slow
def test_exports_say_who_was_interviewed_of_groups_of_five(make_campaign, make_person, make_pairs, tmp_path):
    plain = make_campaign("plain")
    export_campaign(plain, tmp_path / "plain")
    assert "interviewer" not in read_export(tmp_path / "plain")[1]["people"].columns

    campaign = make_campaign("asked", interviewers=["I1", "I2"])
    (pair,) = make_pairs(campaign, ("AR", "drink mate", "en"))
    for number, name in enumerate(["I1"] * 5 + ["I2"] * 2 + [""] * 6):
        give_rating(make_person(campaign, f"p{number}", origins=["AR"], interviewer=name), pair, 3)
    export_campaign(campaign, tmp_path / "out", release="1.0")
    people = read_export(tmp_path / "out")[1]["people"]
    shown = people.group_by("mode", "interviewer").len().rows()
    assert sorted(shown) == [("interview", "other", 7), ("self", "", 6)]
    Person.objects.filter(interviewer="I2").update(interviewer="I1")
    export_campaign(campaign, tmp_path / "named", release="1.1")
    people = read_export(tmp_path / "named")[1]["people"]
    assert Counter(people["interviewer"]) == {"I1": 7, "": 6}
    assert Counter(people["mode"]) == {"interview": 7, "self": 6}
