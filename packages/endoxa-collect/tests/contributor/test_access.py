"""Who may still write: people who leave in another tab, accounts that guess passwords, cookies nobody was given."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test import Client, RequestFactory
from django.test.utils import CaptureQueriesContext

from endoxa_collect.cards import answering, drawing
from endoxa_collect.contributor import cards
from endoxa_collect.contributor.profile import profile
from endoxa_collect.models import Mention, Role, SkipReason
from endoxa_collect.privacy import withdraw
from endoxa_collect.security.limits import LOGIN_ACCOUNT


def sent_by(person, data):
    """A request that was under way when the person left in another tab."""
    request = RequestFactory().post("/", data)
    request.person, request.LANGUAGE_CODE = person, "en"
    return request


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("act", ["add", "profile"])
def test_what_is_sent_while_somebody_leaves_leads_home(campaign, person, make_pairs, monkeypatch, act):
    make_pairs(campaign, ("AR", "drink mate", "en"), topic="drinks")
    card = drawing.next_card(person)
    answering.skip(person, card.token, SkipReason.RATHER_NOT)
    card.adds, card.state = True, "answered"
    card.save()

    keep = cards.propose

    def leaving_before(*given, **named):
        withdraw(person)
        return keep(*given, **named)

    if act == "add":
        monkeypatch.setattr(cards, "propose", leaving_before)
        response = cards.add(sent_by(person, {"text": "love tea", "language": "en"}), token=card.token)
    else:
        withdraw(person)
        response = profile(sent_by(person, {"origins": ["AR"], "languages": ["es"]}))
    assert response.url == "/"
    assert not Mention.objects.exists()


@pytest.mark.parametrize("key", ["\\000" + "a" * 31, "a" * 33, "\u00e9" * 32])
def test_sessions_are_looked_up_by_keys_that_can_be_ones(db, key):
    # PostgreSQL fails at the character NUL, which a quoted cookie can hold.
    client = Client(headers={"cookie": f'endoxa_account="{key}"'})
    with CaptureQueriesContext(connection) as asked:
        assert client.get("/organise/").status_code == 302
    assert not [query for query in asked if "django_session" in query["sql"]]


def test_the_old_password_is_not_guessed_without_end(client, campaign, make_account):
    user = make_account("olu", campaign, Role.ORGANISER)
    client.force_login(user)
    new = "mate and poetry by the river"
    fields = {"new_password1": new, "new_password2": new}

    def change(old):
        return client.post("/organise/password/", {"old_password": old, **fields})

    for _ in range(LOGIN_ACCOUNT.tries):
        assert "was entered incorrectly" in change("a wrong one").content.decode()
    assert "tried too often" in change("a long password of ours").content.decode()
    user.refresh_from_db()
    assert user.check_password("a long password of ours")
    LOGIN_ACCOUNT.clear("olu")
    assert change("a long password of ours").status_code == 302
    user.refresh_from_db()
    assert user.check_password(new)
    assert not LOGIN_ACCOUNT.exhausted("olu")
