"""What people add to a card in their own words, and open questions."""

from __future__ import annotations

import re

import pytest
from django.http import QueryDict
from django.urls import reverse

from endoxa_collect import geography
from endoxa_collect.cards import answering, drawing
from endoxa_collect.contributor.card_forms import says_nothing
from endoxa_collect.entry.cleaning import MAX_LENGTH
from endoxa_collect.models import Card, CardState, Mention, Pair, Skip, Via

pytestmark = pytest.mark.slow

CARD = "/card/"


def at(name, card, *others):
    return reverse(f"contributor:{name}", args=[card.token, *others])


@pytest.fixture
def answered(campaign, person, make_pairs, as_person):
    """A card about Chile that was answered and asks for words and for ticks, and the client of its person."""
    make_pairs(campaign, ("CL", "love poetry", "en"))
    client, card = as_person(person), drawing.next_card(person)
    answering.rate(person, card.token, 4)
    Card.objects.filter(pk=card.pk).update(words=True)
    return client, card


@pytest.fixture
def prompted(campaign, person, as_person):
    """An open question: the campaign has no pairs."""
    return as_person(person), drawing.next_card(person)


def add(client, card, text="", name="add", language="en", **more):
    return client.post(at(name, card), {"text": text, "language": language, **more})


def test_several_things_are_added_each_in_its_language(answered, person):
    client, card = answered
    assert add(client, card, "sing on the bus").url == at("add", card) + "#more"
    add(client, card, "comen palta", language="es")
    said = Mention.objects.filter(person=person).order_by("pk").values_list("text", "pair__language", "via")
    assert list(said) == [
        ("sing on the bus", "en", Via.ATTRIBUTE),
        ("comen palta", "es", Via.ATTRIBUTE),
    ]
    assert set(Pair.objects.values_list("country", flat=True)) == {"CL"}
    page = client.get(at("add", card)).content.decode()
    assert "sing on the bus" in page
    assert "Others will see it after a check." in page
    # She reads both languages, and the one she wrote in last is ticked.
    assert re.search(r'type="radio" name="language" value="es"[^>]* checked', page)
    assert not re.search(r'type="radio" name="language" value="en"[^>]* checked', page)


def test_a_language_that_nobody_named_is_never_chosen_beforehand(answered, person):
    """They read and write a language in which the campaign has no words."""
    person.languages = ["sw"]
    person.save()
    client, card = answered
    assert client.get(at("add", card)).context["form"]["language"].value() == ""
    page = add(client, card, "huimba njiani", language="", countries=["PE"])
    assert page.context["form"].errors == {"language": ["Please choose the language you wrote in."]}
    assert 'value="huimba njiani"' in page.content.decode()
    assert not Mention.objects.exists()
    # Countries need none.
    assert add(client, card, language="", countries=["PE"]).status_code == 302
    assert Mention.objects.get().pair.country == "PE"
    add(client, card, "cantan", language="es")
    assert client.get(at("add", card)).context["form"]["language"].value() == "es"


@pytest.mark.parametrize("field", ["text", "countries", "another", "hurts", "country"])
def test_one_filled_field_is_something_to_keep(field):
    shown = "csrfmiddlewaretoken=x&text=&language=en&another=&country="
    assert says_nothing(QueryDict(shown))
    assert not says_nothing(QueryDict(f"{shown}&{field}=yes"))


def test_a_mistyped_country_loses_nothing_and_is_guessed(answered):
    client, card = answered
    typed = {"text": "sing on the bus", "name": "finish", "another": "Niger-ia?"}
    page = add(client, card, countries=["AR"], **typed).content.decode()
    for kept in ('value="AR" id="id_countries_0" checked', 'value="Niger-ia?"', 'value="sing on the bus"'):
        assert kept in page
    assert "We do not know “Niger-ia?”. Did you mean: Nigeria" in page
    assert not Mention.objects.exists()
    assert add(client, card, countries=["AR"], **{**typed, "another": "Nigeria"}).url == CARD
    assert set(Mention.objects.values_list("pair__country", flat=True)) == {"AR", "NG", "CL"}


@pytest.mark.parametrize(
    ("facts", "sentence"),
    [
        ({"text": "x" * (MAX_LENGTH + 1)}, "too long"),
        ({"text": "sing", "language": "fi"}, "Select a valid choice"),
        ({"countries": geography.codes()}, "please tick fewer"),
    ],
)
def test_what_cannot_be_kept_is_said_beside_the_field(answered, facts, sentence):
    client, card = answered
    page = client.post(at("finish", card), {"text": "", "language": "en", **facts})
    assert page.status_code == 200
    assert sentence in page.content.decode()
    assert not Mention.objects.exists()


def test_alike_words_are_asked_about_afterwards(
    answered, campaign, make_person, make_pairs, as_person, person
):
    client, card = answered
    other = make_pairs(campaign, ("CL", "sing on the buses", "en"), negative=True)[0]
    asked = add(client, card, "sing on the bus").url
    mention = Mention.objects.get()
    assert asked == at("alike", card, mention.public_id)
    stranger = as_person(make_person(campaign, "bea"))
    assert stranger.get(asked).status_code == 302
    stranger.post(asked, {"same": other.public_id})
    mention.refresh_from_db()
    assert mention.alike is None
    page = as_person(person).get(asked).content.decode()
    assert "sing on the buses" in page
    assert '<details class="cover">' in page
    assert client.post(asked, {"same": other.public_id}).url == at("add", card) + "#more"
    mention.refresh_from_db()
    assert (mention.alike, mention.alike_to) == (True, other)


def test_a_question_can_be_skipped_and_taken_back_and_words_in_the_field_are_kept(prompted, person):
    client, card = prompted
    add(client, card, "drink mate")
    client.post(at("skip", card), {"reason": "rather_not"})
    assert Skip.objects.get().pair is None
    assert add(client, card, "sing on the bus").url == CARD
    assert Mention.objects.count() == 1
    client.post(at("undo", card))
    assert not Mention.objects.exists()
    assert not Pair.objects.exists()
    assert Card.objects.get(person=person, state=CardState.OPEN) == card
    # "Nothing more", tapped twice.
    for _ in range(2):
        assert add(client, card, "drink mate", name="finish").url == CARD
    assert Mention.objects.get().text == "drink mate"
    # What is taken back on a pause is named there, where no card says what it was.
    assert "Argentina" in client.get("/pause/").content.decode().split('id="undo"')[1].split("</form>")[0]


def test_after_the_last_question_the_page_says_that_it_is_all_for_now(prompted):
    client, _ = prompted
    for _ in range(30):
        page = client.get("/card/?on=1")
        if page.status_code == 302:
            break
        add(client, Card.objects.get(state=CardState.OPEN), name="finish")
    assert page.url == "/thanks/?all=1"
    assert "That is all for now" in client.get(page.url).content.decode()
