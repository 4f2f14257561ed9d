"""An answer belongs to the person who gave it: pages of somebody else who used the phone store nothing."""

from __future__ import annotations

from datetime import timedelta
from uuid import uuid4

import pytest
from django.test import Client
from django.utils import timezone

from collect_support.form_filler import Page, posting
from collect_support.samples import TICKS
from collect_support.site_map import JUDGE, addresses, snapshot
from endoxa_collect.anonymous import PANEL_COOKIE as JUDGE_COOKIE
from endoxa_collect.anonymous import new_ticket
from endoxa_collect.models import JoinCode, Judge, Person
from endoxa_collect.security.codes import COOKIE, hash_secret

pytestmark = pytest.mark.slow

CHANGED = (
    "The person on this phone has changed since this page was opened. Nothing from this page was stored."
)


def fields(page):
    """What the first form of a page that goes back to it carries, unseen."""
    return {one.name: one.value for one in posting(Page(page), "language")[0].fields if one.kind == "hidden"}


def refused(response):
    assert response.status_code == 403
    assert CHANGED in response.content.decode()
    return True


def test_no_form_of_anybody_else_stores_anything(world, make_person):
    """Each form of each page of a person and of a judge, sent with the cookies of others."""
    before = Client()
    before.cookies[COOKIE], before.cookies[JUDGE_COOKIE] = world.person.cookie, JUDGE
    panel = {**world.known, "code": world.task.code}
    spaces = (("contributor:", world.known), ("panel:", panel))
    pages = {each.at(known) for space, known in spaces for each in addresses() if each.name.startswith(space)}
    forms = []
    for address in sorted(pages):
        shown = before.get(address)
        if shown.status_code == 200 and shown["Content-Type"].startswith("text/html"):
            forms += [(address, form) for form in posting(Page(shown.content.decode()))]
    after, study = Client(), Judge.objects.get()
    Judge.objects.create(task=study.task, secret_hash=hash_secret("next"), steps=study.steps)
    after.cookies[COOKIE] = make_person(world.campaign, "ben").cookie
    after.cookies[JUDGE_COOKIE] = "next"
    rows = snapshot()
    sent = set()
    for address, form in forms:
        target = form.action or address
        panel = target.startswith("/t/")
        if address.startswith("/t/") and not panel:
            # The language of a page, which stands for nobody's answer there.
            continue
        hidden = {one.name: one.value for one in form.fields if one.kind == "hidden"}
        assert hidden["judge" if panel else "owner"], (address, target)
        for to, name, value in form.buttons or [(target, "", "")]:
            assert refused(after.post(to or target, {**form.filled(lambda _: "sing"), name: value})), address
            sent.add(to or target)
    assert snapshot() == rows
    assert {"/survey/women/", "/profile/", "/leave/", "/resume/", "/language/"} <= sent
    assert any(each.startswith("/card/") for each in sent)
    assert any(each.startswith("/t/") for each in sent)


def test_a_form_that_a_phone_kept_is_told_from_later_ones(as_person, make_person, campaign, make_pairs):
    make_pairs(campaign, ("AR", "drink mate", "es"))
    first = make_person(campaign)
    shown = fields(as_person(first).get("/card/").content.decode())
    card = first.cards.get()
    phone = as_person(make_person(campaign, "ben"))
    token = str(uuid4())
    told = phone.post(f"/card/{card.token}/rate/", {**shown, "value": "4"}, headers={"Endoxa-Send": token})
    assert refused(told)
    assert told["Endoxa-Kept"] == token
    kept = as_person(first).post("/at-hand/").json()["pages"].values()
    assert all(f'name="owner" value="{shown["owner"]}"' in page for page in kept if "<form" in page)


def test_a_consent_in_a_second_tab_is_not_an_answer_of_who_joined_in_the_first(campaign):
    JoinCode.objects.create(campaign=campaign, code="MATE2345", expires_at=timezone.now() + timedelta(days=1))
    phone = Client()
    first, second = ({**fields(phone.get("/j/MATE2345/").content.decode()), **TICKS} for _ in range(2))
    assert phone.post("/j/MATE2345/", first).url == "/profile/"
    # A double tap is the same person.
    assert phone.post("/j/MATE2345/", first).url == "/profile/"
    assert refused(phone.post("/j/MATE2345/", second))
    assert Person.objects.count() == 1


def test_nothing_of_a_person_stays_on_the_phone_for_the_next(as_person, make_person, make_campaign):
    """Each way in which somebody else comes to a phone; what the new person needs is kept."""
    campaign, other = make_campaign("river", interviewers=["I1"]), make_campaign("lake")
    for each, code in ((campaign, "MATE2345"), (other, "LAKE2345")):
        JoinCode.objects.create(campaign=each, code=code, expires_at=timezone.now() + timedelta(days=1))
    consent = {"version": 1, **TICKS}
    joined = Client().post("/j/LAKE2345/", {"ticket": new_ticket(), **consent})
    assert "Clear-Site-Data" not in joined
    ana, ben = make_person(campaign, interviewer="I1"), make_person(campaign, "ben")
    ways = (
        ("/next-speaker/", {}, False),
        ("/resume/", {"code": ben.receipt}, True),
        ("/j/LAKE2345/", {"ticket": new_ticket(), **consent}, True),
        ("/leave/", {"phone": "1", "sure": "1"}, False),
    )
    for address, sent, stays in ways:
        answer = as_person(ana).post(address, sent)
        assert answer.status_code == 302, address
        assert answer["Clear-Site-Data"] == '"cache", "storage"', address
        assert bool(answer.cookies[COOKIE].value) is stays, address
        assert answer.cookies["endoxa_uncovered"].value == "", address
