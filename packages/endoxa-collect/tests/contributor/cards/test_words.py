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

CARD = "/card/"


def at(name, card, *others):
    return reverse(f"contributor:{name}", args=[card.token, *others])


@pytest.fixture
def answered(campaign, person, make_pairs, as_person):
    """A card about Chile that was answered and asks for words and for ticks, and the client of its person."""
    client, card = _answered_card(campaign, person, make_pairs, as_person)
    Card.objects.filter(pk=card.pk).update(words=True)
    return client, card


@pytest.fixture
def ticks_only(campaign, person, make_pairs, as_person):
    """The same where only ticks are asked, as about another country than the person's own."""
    return _answered_card(campaign, person, make_pairs, as_person)


def _answered_card(campaign, person, make_pairs, as_person):
    make_pairs(campaign, ("CL", "love poetry", "en"))
    client = as_person(person)
    card = drawing.next_card(person)
    answering.rate(person, card.token, 4)
    return client, card


@pytest.fixture
def prompted(campaign, person, as_person):
    """An open question: the campaign has no pairs."""
    return as_person(person), drawing.next_card(person)


def add(client, card, text="", name="add", language="en", **more):
    return client.post(at(name, card), {"text": text, "language": language, **more})


def test_several_things_are_added_each_in_its_language(answered, person):
    client, card = answered
    page = client.get(at("add", card))
    assert add(client, card, "sing on the bus").url == at("add", card) + "#more"
    add(client, card, "comen palta", language="es")
    said = Mention.objects.filter(person=person).order_by("pk").values_list("text", "pair__language", "via")
    assert list(said) == [
        ("sing on the bus", "en", Via.ATTRIBUTE),
        ("comen palta", "es", Via.ATTRIBUTE),
    ]
    assert set(Pair.objects.values_list("country", flat=True)) == {"CL"}
    before = page.content.decode()
    # The field comes first, where else it is said is folded.
    assert (
        before.index('name="text"')
        < before.index('<details class="fold">')
        < before.index('name="countries"')
    )
    page = client.get(at("add", card)).content.decode()
    assert page.index('name="text"') < page.index('id="added"') < page.index('name="countries"')
    assert "sing on the bus" in page
    assert "Others will see it after a check." in page
    # She reads both languages, and the one she wrote in last is ticked.
    assert re.search(r'type="radio" name="language" value="es"[^>]* checked', page)
    assert not re.search(r'type="radio" name="language" value="en"[^>]* checked', page)


def test_where_only_ticks_are_asked_the_page_says_so_and_has_no_field_for_words(ticks_only):
    client, card = ticks_only
    page = client.get(at("add", card)).content.decode()
    assert "Nothing to write here. Tick countries, or just go on." in page
    assert page.index("love poetry") < page.index('name="countries"')
    assert 'name="text"' not in page
    assert '<details class="fold"' not in page
    assert add(client, card, name="finish", countries=["AR"]).url == CARD
    assert Mention.objects.get().via == Via.OTHER_COUNTRY
    # What was written all the same, on a page from before, is not lost.
    kept = client.post(at("add", card), {"text": "sing on the bus", "language": "fi"}).content.decode()
    assert 'value="sing on the bus"' in kept


@pytest.mark.parametrize(
    ("known", "wanted", "shown", "folded"),
    [
        (["en", "es"], ("en", "es", "sw"), ["en", "es"], ["sw"]),
        (["es"], ("en", "es", "sw"), ["es"], ["en", "sw"]),
        (["en", "sw", "es"], ("en", "es", "sw"), ["en", "es", "sw"], []),
    ],
)
def test_who_reads_several_languages_sees_which_one_their_words_are_in(
    make_campaign, make_person, as_person, known, wanted, shown, folded
):
    campaign = make_campaign("lake", data_languages=wanted)
    person = make_person(campaign, "cai", languages=known)
    page = as_person(person).get(CARD)
    form = page.context["form"]
    assert [box.data["value"] for box in form.spoken_languages] == shown
    assert [box.data["value"] for box in form.other_languages] == folded
    assert page.content.decode().count('type="radio" name="language"') == len(wanted)
    card = Card.objects.get(person=person)
    add(as_person(person), card, "bailan salsa", language="es")
    assert Mention.objects.get().pair.language == "es"
    again = as_person(person).get(CARD).context["form"]
    assert again["language"].value() == "es"
    assert not again.writes_another


def test_words_come_first_about_a_country_of_ones_own(campaign, make_person, make_pairs, as_person):
    make_pairs(campaign, ("CL", "love poetry", "en"))
    person = make_person(campaign, "chile", origins=["CL"])
    client, card = as_person(person), drawing.next_card(person)
    answering.rate(person, card.token, 4)
    page = client.get(at("add", card)).content.decode()
    assert (
        page.index('name="text"')
        < page.index("<details", page.index("<form"))
        < page.index('name="countries"')
    )
    assert "Something else about" not in page
    # Four people were asked already where else it is said.
    Card.objects.filter(pk=card.pk).update(ticks=False)
    page = client.get(at("add", card)).content.decode()
    assert 'name="text"' in page
    assert 'name="countries"' not in page


def test_without_moderation_nothing_waits(make_campaign, make_person, make_pairs, as_person):
    campaign = make_campaign("lake", moderation="after")
    make_pairs(campaign, ("CL", "love poetry", "en"))
    person = make_person(campaign, "cai")
    card = drawing.next_card(person)
    answering.rate(person, card.token, 4)
    client = as_person(person)
    add(client, card, "sing on the bus")
    assert "after a check" not in client.get(at("add", card)).content.decode()


@pytest.fixture
def swahili(answered, person):
    """The same for somebody who reads and writes a language in which the campaign has no words."""
    person.languages = ["sw"]
    person.save()
    return answered


def test_a_language_that_nobody_named_is_never_chosen_beforehand(swahili):
    client, card = swahili
    assert client.get(at("add", card)).context["form"]["language"].value() == ""
    page = add(client, card, "huimba njiani", language="", countries=["PE"])
    assert page.context["form"].errors == {"language": ["Please choose the language you wrote in."]}
    assert 'value="huimba njiani"' in page.content.decode()
    assert not Mention.objects.exists()
    add(client, card, "cantan", language="es")
    assert client.get(at("add", card)).context["form"]["language"].value() == "es"


def test_countries_need_no_language(swahili):
    client, card = swahili
    assert add(client, card, language="", countries=["PE"]).status_code == 302
    assert Mention.objects.get().pair.country == "PE"


@pytest.mark.parametrize(("known", "hidden"), [(["es"], True), (["sw"], False)])
def test_the_only_language_is_told_to_those_who_did_not_name_it(
    make_campaign, make_person, as_person, known, hidden
):
    campaign = make_campaign("lake", data_languages=("es",))
    page = as_person(make_person(campaign, languages=known)).get(CARD)
    assert page.context["form"]["language"].is_hidden is hidden


def test_the_same_is_said_of_other_countries_ticked_or_typed(answered, person):
    client, card = answered
    offered = client.get(at("add", card)).content.decode()
    assert offered.count('name="countries"') == 5
    assert 'value="AR"' in offered
    add(client, card, countries=["AR", "PE"], another="Brasil")
    said = Mention.objects.filter(person=person, via=Via.OTHER_COUNTRY)
    assert set(said.values_list("pair__country", "pair__attribute")) == {
        ("AR", "love poetry"),
        ("PE", "love poetry"),
        ("BR", "love poetry"),
    }
    later = client.get(at("add", card)).content.decode()
    assert 'value="AR"' not in later
    assert "Argentina" in later


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


@pytest.mark.slow
@pytest.mark.parametrize(
    ("facts", "sentence"),
    [
        ({"text": "x" * (MAX_LENGTH + 1)}, "too long"),
        ({"text": "\u200b\u202e \u200b"}, "Please write a few words first."),
        ({"text": "love poetry"}, "You have seen this one on a card"),
        ({"text": "sing", "language": "fi"}, "Select a valid choice"),
        ({"countries": ["XX"]}, "Select a valid choice"),
    ],
)
def test_what_cannot_be_kept_is_said_beside_the_field(answered, facts, sentence):
    client, card = answered
    page = client.post(at("add", card), {"text": "", "language": "en", **facts})
    assert page.status_code == 200
    assert sentence in page.content.decode()
    assert not Mention.objects.exists()


def test_sending_twice_says_it_once(answered):
    client, card = answered
    for _ in range(2):
        add(client, card, "sing on the bus", countries=["AR"])
    assert Mention.objects.count() == 2


def test_alike_words_are_asked_about_afterwards(answered, campaign, person, make_pairs):
    client, card = answered
    other = make_pairs(campaign, ("CL", "sing on the buses", "en"))[0]
    asked = add(client, card, "sing on the bus")
    mention = Mention.objects.get()
    assert asked.url == at("alike", card, mention.public_id)
    page = client.get(asked.url).content.decode()
    assert "sing on the buses" in page
    back = client.post(asked.url, {"same": other.public_id})
    assert back.url == at("add", card) + "#more"
    mention.refresh_from_db()
    assert (mention.alike, mention.alike_to) == (True, other)
    assert client.get(asked.url).url == back.url


def test_different_is_an_answer_too_and_next_goes_on(answered, campaign, make_pairs):
    client, card = answered
    make_pairs(campaign, ("CL", "sing on the buses", "en"))
    asked = add(client, card, "sing on the bus", name="finish")
    assert asked.url.endswith("?on=1")
    assert client.post(asked.url).url == CARD
    assert Mention.objects.get().alike is False


def test_only_own_words_are_asked_about(answered, campaign, make_person, make_pairs, as_person):
    client, card = answered
    other = make_pairs(campaign, ("CL", "sing on the buses", "en"))[0]
    asked = add(client, card, "sing on the bus").url
    stranger = as_person(make_person(campaign, "bea"))
    assert stranger.get(asked).status_code == 302
    stranger.post(asked, {"same": other.public_id})
    assert Mention.objects.get().alike is None


def test_alike_words_that_may_hurt_are_covered(answered, campaign, make_pairs):
    client, card = answered
    make_pairs(campaign, ("CL", "sing on the buses", "en"), negative=True)
    page = client.get(add(client, card, "sing on the bus").url).content.decode()
    assert '<details class="cover">' in page


def test_without_pairs_there_is_a_question(prompted, person):
    client, card = prompted
    assert card.pair is None
    page = client.get(CARD).content.decode()
    assert "What do people here say about people <bdi>from" in page
    assert "Argentina" in page
    assert add(client, card, "drink mate").url == CARD
    assert add(client, card, "sing on the bus").url == CARD
    assert "drink mate" in client.get(CARD).content.decode()
    assert set(Mention.objects.values_list("pair__country", "via")) == {("AR", Via.PROMPT)}
    card.refresh_from_db()
    assert card.state == CardState.OPEN
    assert add(client, card, name="finish").url == CARD
    card.refresh_from_db()
    assert card.state == CardState.ANSWERED


def test_after_the_last_question_the_page_says_that_it_is_all_for_now(prompted):
    client, _ = prompted
    for _ in range(30):
        page = client.get("/card/?on=1")
        if page.status_code == 302:
            break
        add(client, Card.objects.get(state=CardState.OPEN), name="finish")
    assert page.url == "/thanks/?all=1"
    assert "That is all for now" in client.get(page.url).content.decode()


def test_nothing_more_keeps_what_stands_in_the_field(prompted):
    client, card = prompted
    for _ in range(2):
        assert add(client, card, "drink mate", name="finish").url == CARD
    assert Mention.objects.get().text == "drink mate"
    # What is taken back on a pause is named there, where no card says what it was.
    assert "Argentina" in client.get("/pause/").content.decode().split('id="undo"')[1].split("</form>")[0]


def test_a_question_can_be_skipped_and_taken_back(prompted, person):
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


def test_a_question_about_no_country_asks_for_one(make_campaign, make_person, as_person):
    campaign = make_campaign("lake", countries=())
    person = make_person(campaign, "cai", origins=[])
    client, card = as_person(person), drawing.next_card(person)
    assert "Which country" in client.get(CARD).content.decode()
    assert "Please name the country" in add(client, card, "sing").content.decode()
    guessed = add(client, card, "sing", country="congo").content.decode()
    assert "We do not know “congo”. Did you mean: Congo - " in guessed
    assert 'value="sing"' in guessed
    assert add(client, card, "sing", country="Congo Kinshasa").url == CARD
    assert Mention.objects.get().pair.country == "CD"
    assert "Which country" not in client.get(CARD).content.decode()


@pytest.mark.slow
def test_the_whole_world_in_one_tap_is_refused_beside_the_countries(answered):
    client, card = answered
    for name in ("add", "finish"):
        refused = add(client, card, name=name, countries=list(geography.codes()))
        assert "please tick fewer" in refused.content.decode()
    assert Pair.objects.count() == 1
