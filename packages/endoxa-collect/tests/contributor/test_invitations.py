"""Saying no, and what messengers show of a link."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import AnonymousUser
from django.test import Client
from django.utils import timezone

from endoxa_collect.models import Arrivals, JoinCode, Person
from endoxa_collect.organiser.settings import save
from endoxa_collect.privacy import erase_people

TITLE = 'Rivers; "lakes", <b>\\ seas & everything else that flows in the countries of the south, والبحار أيضًا'


@pytest.fixture
def river(make_campaign):
    campaign = make_campaign(ui_languages=["en"])
    texts = campaign.settings.texts.model_dump()
    texts |= {"title": {"en": TITLE}, "about": {"en": '<i>What "you" do</i>'}}
    save(campaign, 1, {"texts": texts}, AnonymousUser())
    campaign.refresh_from_db()
    JoinCode.objects.create(campaign=campaign, code="MATE2345", label="Radio <1>")
    return campaign


def join(client: Client, code: str = "MATE2345"):
    """Agree, and tell nothing about oneself."""
    form = client.get(f"/j/{code}/").context["form"]
    hidden = {name: form[name].value() for name in ("ticket", "version")}
    sent = {**hidden, "age": "on", "take_part": "on", "publication": "on"}
    client.post(f"/j/{code}/", sent)
    client.post(f"/j/{code}/", sent)  # A double tap.
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


def test_what_messengers_show_of_a_link_is_only_words(client, river):
    shown = page(client, "/j/MATE2345/")
    assert '<meta property="og:title" content="Rivers; &quot;lakes&quot;, &lt;b&gt;' in shown
    assert '<meta property="og:description" content="&lt;i&gt;What &quot;you&quot; do&lt;/i&gt;">' in shown
