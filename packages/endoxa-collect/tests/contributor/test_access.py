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
from endoxa_collect.security.limits import LOGIN_ACCOUNT, LOGIN_SAME_BROWSER


def sent_by(person, data):
    """A request that was under way when the person left in another tab."""
    request = RequestFactory().post("/", data)
    request.person, request.LANGUAGE_CODE = person, "en"
    return request


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("act", ["add", "undo", "avoid", "profile"])
def test_what_is_sent_while_somebody_leaves_leads_home(campaign, person, make_pairs, monkeypatch, act):
    make_pairs(campaign, ("AR", "drink mate", "en"), topic="drinks")
    card = drawing.next_card(person)
    answering.skip(person, card.token, SkipReason.RATHER_NOT)
    card.adds, card.state = True, "answered"
    card.save()
    keep, take_back, look = cards.propose, answering.undo, answering.card_of

    def leaving_before(call):
        def run(*told, **named):
            withdraw(person)
            return call(*told, **named)

        return run

    def leaving_after(call):
        def run(*told, **named):
            found = call(*told, **named)
            withdraw(person)
            return found

        return run

    if act == "add":
        monkeypatch.setattr(cards, "propose", leaving_before(keep))
        response = cards.add(sent_by(person, {"text": "love tea", "language": "en"}), token=card.token)
    elif act == "undo":
        monkeypatch.setattr(answering, "undo", leaving_after(take_back))
        response = cards.undo(sent_by(person, {}), token=card.token)
    elif act == "profile":
        withdraw(person)
        response = profile(sent_by(person, {"origins": ["AR"], "languages": ["es"]}))
    else:
        monkeypatch.setattr(answering, "card_of", leaving_after(look))
        response = cards.avoid(sent_by(person, {}), token=card.token)
    assert response.url == "/"
    assert not Mention.objects.exists()


@pytest.mark.parametrize(
    "key", ["\\000" + "a" * 31, "a" * 31, "A" * 32, "a" * 33, "\u00e9" * 32, "a" * 31 + "\\012"]
)
def test_sessions_are_looked_up_by_keys_that_can_be_ones(db, key):
    # PostgreSQL fails at the character NUL, which a quoted cookie can hold.
    client = Client(headers={"cookie": f'endoxa_account="{key}"'})
    with CaptureQueriesContext(
        connection,
    ) as asked:
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
    # Strangers do not keep somebody from changing it.
    client = Client()
    client.post("/organise/login/", {"username": "olu", "password": new})
    for _ in range(LOGIN_ACCOUNT.tries):
        Client().post("/organise/login/", {"username": "olu", "password": "a wrong one"})
    assert LOGIN_ACCOUNT.exhausted("olu")
    fields = {"new_password1": "rivers and lakes by the sea", "new_password2": "rivers and lakes by the sea"}
    for _ in range(LOGIN_SAME_BROWSER.tries - 1):
        client.post("/organise/password/", {"old_password": "a wrong one", **fields})
    assert client.post("/organise/password/", {"old_password": new, **fields}).status_code == 302
