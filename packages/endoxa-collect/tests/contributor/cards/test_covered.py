"""Words that may hurt: answers wait for the cover, and people say whether it may go."""

from __future__ import annotations

import pytest
from django.urls import reverse

from endoxa_collect.cards import answering, drawing
from endoxa_collect.cards.answering import CoveredError
from endoxa_collect.contributor import progress
from endoxa_collect.models import (
    Card,
    CardState,
    HurtAnswer,
    Rating,
    Revealed,
    Source,
)

pytestmark = pytest.mark.slow

CARD = "/card/"
ANSWERS = 'class="answers"'


def at(name, card):
    return reverse(f"contributor:{name}", args=[card.token])


def shown(client):
    return client.get(CARD).content.decode()


def open_card(person):
    return Card.objects.get(person=person, state=CardState.OPEN)


@pytest.fixture
def pairs(campaign, make_pairs):
    return make_pairs(
        campaign, *(("AR", f"dance {n}", "en") for n in range(4)), source=Source.CONTRIBUTOR, negative=None
    )


@pytest.fixture
def phone(person, pairs, as_person):
    return as_person(person)


def test_a_covered_card_shows_neither_words_nor_answers_until_they_are_asked_for(phone, person):
    page = shown(phone)
    card = open_card(person)
    assert card.pair.attribute not in page
    assert ANSWERS not in page
    assert at("skip", card) in page
    # The same place of the same page, uncovered.
    assert phone.post(at("reveal", card)).url == f"{CARD}#said"
    page = shown(phone)
    assert '<dl id="said"' in page
    assert card.pair.attribute in page
    assert ANSWERS in page
    assert open_card(person) == card
    phone.post(at("rate", card), {"value": 4})
    card.refresh_from_db()
    assert (Rating.objects.get().value, card.revealed) == (4, Revealed.REVEALED)


def test_words_cannot_be_rated_unseen_nor_opened_on_another_card(phone, person, campaign, make_person):
    """A crafted form, or a tap that was kept for a card before."""
    phone.get(CARD)
    card = open_card(person)
    refused = phone.post(at("rate", card), {"value": 4})
    assert refused.url == f"{CARD}?note=covered"
    assert "Please show them first" in phone.get(refused.url).content.decode()
    script = phone.post(at("rate", card), {"value": 4}, headers={"accept": "application/json"})
    assert script.status_code == 422
    with pytest.raises(CoveredError):
        answering.rate(person, card.token, 4)
    assert not Rating.objects.exists()
    assert open_card(person) == card
    other = drawing.next_card(make_person(campaign, "bea"))
    assert phone.post(at("reveal", other)).url == f"{CARD}?note=moved"
    other.refresh_from_db()
    assert other.revealed == Revealed.COVERED


def test_a_phone_that_always_shows_such_words_shows_them_with_their_answers(phone, person):
    lifted = phone.post(reverse("contributor:covers"), {"covers": "lift"})
    kept = lifted.cookies[progress.COVERS_COOKIE]
    assert (kept.value, kept["httponly"], kept["samesite"], kept["path"]) == ("1", True, "Lax", "/card/")
    assert ANSWERS in shown(phone)
    card = open_card(person)
    phone.post(at("rate", card), {"value": 2})
    card.refresh_from_db()
    assert card.revealed == Revealed.REVEALED
    phone.post(reverse("contributor:covers"), {"covers": "back"})
    assert ANSWERS not in shown(phone)


def rated(client, person, *, opens=True):
    """The next card, opened and rated."""
    client.get(CARD)
    card = open_card(person)
    if opens:
        client.post(at("reveal", card))
    client.post(at("rate", card), {"value": 4})
    return card


def test_whoever_opened_unjudged_words_is_asked_whether_they_could_hurt(phone, person):
    card = rated(phone, person)
    assert "Could this hurt someone?" in phone.get(at("add", card)).content.decode()
    phone.post(at("finish", card), {"hurts": "unsure"})
    given = HurtAnswer.objects.get()
    assert (given.person, given.pair, given.card, given.answer) == (person, card.pair, card, "unsure")
    assert "Could this hurt" not in phone.get(at("add", card)).content.decode()
    phone.post(at("finish", card), {"hurts": "no"})
    assert [one.answer for one in HurtAnswer.objects.all()] == ["unsure"]
    # Taking the rating back takes this one back, too.
    phone.post(at("undo", card))
    assert not HurtAnswer.objects.exists()
    assert ANSWERS in shown(phone)


def test_where_no_words_are_asked_for_the_question_has_a_page_of_its_own(phone, person, campaign):
    campaign.balance = "validate"
    campaign.save()
    phone.get(CARD)
    card = open_card(person)
    phone.post(at("reveal", card))
    # The script goes where the form says, as it cannot read redirects.
    assert f'data-next="{at("hurt", card)}"' in shown(phone)
    asked = phone.post(at("rate", card), {"value": 4}).url
    assert asked == at("hurt", card)
    assert card.pair.attribute in phone.get(asked).content.decode()
    assert phone.post(asked, {"hurts": "perhaps"}).url == CARD
    assert not HurtAnswer.objects.exists()
    assert phone.post(asked, {"hurts": "yes"}).url == CARD
    assert HurtAnswer.objects.get().answer == "yes"
    assert phone.get(asked).url == CARD
