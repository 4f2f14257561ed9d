"""Saying no, links that people pass on, reminders and certificates."""

from __future__ import annotations

import re
from datetime import timedelta
from urllib.parse import parse_qs, urlsplit

import pytest
from django.contrib.auth.models import AnonymousUser
from django.test import Client
from django.utils import timezone

from endoxa_collect.models import Arrivals, JoinCode, Person
from endoxa_collect.organiser.settings import save
from endoxa_collect.privacy import erase_people
from endoxa_collect.security.codes import CAME_BY

TITLE = 'Rivers; "lakes", <b>\\ seas & everything else that flows in the countries of the south, والبحار أيضًا'


@pytest.fixture
def river(make_campaign):
    campaign = make_campaign(ui_languages=["en"])
    texts = campaign.settings.texts.model_dump()
    texts |= {"title": {"en": TITLE}, "about": {"en": '<i>What "you" do</i>'}}
    save(campaign, 1, {"texts": texts}, AnonymousUser())
    campaign.refresh_from_db()
    JoinCode.objects.create(
        campaign=campaign, code="MATE2345", label="Radio <1>", shared=True, certificate=True
    )
    return campaign


def join(client: Client, code: str = "MATE2345"):
    """Agree, and tell nothing about oneself."""
    form = client.get(f"/j/{code}/consent/").context["form"]
    hidden = {name: form[name].value() for name in ("ticket", "version")}
    sent = {**hidden, "age": "on", "take_part": "on", "publication": "on"}
    client.post(f"/j/{code}/consent/", sent)
    client.post(f"/j/{code}/consent/", sent)  # A double tap.
    Person.objects.update(profile_done=True)


def page(client: Client, address: str) -> str:
    return client.get(address).content.decode()


def test_who_agrees_and_who_says_no_is_counted_and_nothing_else_of_them(client, river):
    other = Client()
    other.get("/j/MATE2345/")
    for _ in range(2):
        answer = other.post("/j/mate-2345/no-thanks/")
    assert "nothing about you was stored" in page(other, answer.url)
    join(client)
    assert Arrivals.objects.values_list("code__code", "day", "joined", "declined").get() == (
        "MATE2345",
        timezone.localdate(),
        1,
        2,
    )
    assert Person.objects.count() == 1
    assert other.post("/j/NEVER234/no-thanks/").status_code == 404
    assert other.get("/j/MATE2345/no-thanks/").status_code == 405
    erase_people(river)
    assert not Arrivals.objects.exists()


def test_only_a_code_that_may_be_passed_on_is_offered_to_others(client, river, make_pairs):
    (pair,) = make_pairs(river, ("AR", "drink mate", "en"))
    join(client)
    assert "Invite others" not in page(client, "/thanks/")
    pair.mention_rows.create(person=Person.objects.get(), text="drink mate", via="attribute")
    shown = page(client, "/thanks/")
    assert "http://testserver/j/MATE2345/" in shown
    (link,) = re.findall(r'href="(https://wa.me/[^"]*)"', shown)
    (told,) = parse_qs(urlsplit(link).query)["text"]
    assert told == f"{TITLE}\nTake part with your phone: http://testserver/j/MATE2345/"
    for facts in ({"shared": False}, {"shared": True, "revoked": True}):
        JoinCode.objects.update(**facts)
        assert "Invite others" not in page(client, "/thanks/")
    JoinCode.objects.update(revoked=False)
    # A code that somebody writes into the cookie is no way to guess others.
    client.cookies[CAME_BY] = "MATE2345"
    assert "Invite others" not in page(client, "/thanks/")


def test_a_certificate_is_for_those_who_answered_and_sends_no_name(client, river, make_pairs):
    (pair,) = make_pairs(river, ("AR", "drink mate", "en"))
    assert client.get("/certificate/").url == "/"
    join(client)
    assert client.get("/certificate/").status_code == 404
    pair.mention_rows.create(person=Person.objects.get(), text="drink mate", via="attribute")
    shown = page(client, "/certificate/")
    assert "took part in <bdi>Rivers; &quot;lakes&quot;, &lt;b&gt;" in shown
    (field,) = re.findall(r"<input[^>]*>", shown.split("<main")[1].split("</main")[0])
    assert "name=" not in field
    JoinCode.objects.update(certificate=False)
    assert client.get("/certificate/").status_code == 404
    assert "/certificate/" not in page(client, "/thanks/")


def test_a_reminder_is_a_calendar_file_that_others_can_read(client, river):
    join(client)
    assert client.get("/reminder.ics").status_code == 404
    answer = client.get("/reminder.ics?days=7")
    assert answer.headers["Content-Type"].startswith("text/calendar")
    lines = answer.content.split(b"\r\n")
    assert lines.pop() == b""
    assert max(map(len, lines)) <= 75
    for line in lines:
        line.decode()  # No letter is cut in two.
    read = dict(line.split(":", 1) for line in answer.content.decode().replace("\r\n ", "").splitlines()[4:9])
    day = timezone.localdate() + timedelta(days=7)
    assert read["DTSTART"] == f"{day:%Y%m%d}T180000"
    assert read["SUMMARY"] == TITLE.replace("\\", "\\\\").replace(";", "\\;").replace(",", "\\,")


def test_leaving_takes_the_code_from_the_phone(client, river):
    join(client)
    assert client.cookies[CAME_BY].value
    form = {"phone": "1"}
    asked = client.post("/leave/", form).context["asked"]
    client.post("/leave/", {**form, "sure": "1", "asked": asked})
    assert not client.cookies[CAME_BY].value


def test_what_messengers_show_of_a_link_is_only_words(client, river):
    shown = page(client, "/j/MATE2345/")
    assert '<meta property="og:title" content="Rivers; &quot;lakes&quot;, &lt;b&gt;' in shown
    assert '<meta property="og:description" content="&lt;i&gt;What &quot;you&quot; do&lt;/i&gt;">' in shown
