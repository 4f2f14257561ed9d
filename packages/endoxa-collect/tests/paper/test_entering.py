"""Answers typed in from paper: checked by row and column, stored once, withdrawn like others."""

from __future__ import annotations

import csv
from datetime import date

import pytest

from endoxa.errors import UserError
from endoxa_collect.models import Card, Mention, Pair, Person, Rating, Via
from endoxa_collect.models.campaign import _settings as settings_of
from endoxa_collect.paper import (
    FIXED,
    PAPER,
    WORDS,
    choose_cards,
    enter,
    new_receipts,
    read_answers,
    write_template,
)
from endoxa_collect.privacy import expire, withdraw
from endoxa_collect.security.codes import hash_receipt


@pytest.fixture
def cards(campaign, make_pairs):
    make_pairs(campaign, ("AR", "sing", "en"), ("CL", "write", "en"), ("UY", "walk", "en"), negative=False)
    return choose_cards(campaign, "en", 9)


@pytest.fixture
def typed(tmp_path, cards):
    """A function that writes answers.csv with these cells over an empty row each; a number is a card's column."""

    def write(*rows):
        path = tmp_path / "answers.csv"
        receipts = new_receipts(len(rows) + 1)
        write_template(path, receipts, cards)
        with path.open(encoding="utf-8-sig", newline="") as file:
            heading, *empty = list(csv.reader(file))
        columns = {**{name: heading.index(name) for name in (*FIXED, *WORDS)}, 1: 6, 2: 7, 3: 8}
        for row, cells in zip(empty, rows, strict=False):
            for column, text in cells.items():
                row[columns[column]] = text
        with path.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([heading, *empty])
        return path, receipts

    return write


def test_a_sheet_becomes_a_person_with_consent_and_ratings(campaign, cards, typed):
    path, receipts = typed(
        {"consent": "yes", "origins": "Argentina, CL", "languages": "Spanish", 1: "5", 3: "1", 2: "-"},
        {"consent": "sí", "keep_words": "yes"},
    )
    stored = enter(campaign, read_answers(path, campaign), "es")
    assert (stored.people, stored.ratings, stored.before, stored.withdrawn) == (2, 2, 0, 0)
    one = Person.objects.get(receipt_hash=hash_receipt(receipts[0]))
    assert (one.origins, one.languages, one.consent_version, one.consent_language) == (
        ["AR", "CL"],
        ["es"],
        1,
        "es",
    )
    assert one.consent_hour.minute == 0
    given = {rating.pair_id: (rating.value, rating.in_group) for rating in Rating.objects.all()}
    first, third = cards[0].pair, cards[2].pair
    assert given == {
        first.pk: (5, first.country in {"AR", "CL"}),
        third.pk: (1, third.country in {"AR", "CL"}),
    }
    assert Pair.objects.get(pk=first.pk).ratings == 1
    assert {(card.tier, card.propensity, card.closed_at) for card in Card.objects.all()} == {
        (PAPER, None, None)
    }
    assert Person.objects.get(receipt_hash=hash_receipt(receipts[1])).keep_words


def test_words_on_a_sheet_become_mentions(campaign, cards, typed):
    path, _ = typed(
        {
            "consent": "yes",
            "origins": "AR",
            1: "4",
            "words_1": "dance on Sundays",
            "words_1_country": "Argentina",
            "words_3": "comen palta",
            "words_3_country": "Chile",
            "words_3_language": "Spanish",
        },
        {"consent": "yes", "words_2": "-"},
    )
    stored = enter(campaign, read_answers(path, campaign), "en")
    assert (stored.people, stored.ratings, stored.words) == (2, 1, 2)
    said = Mention.objects.order_by("pk").values_list("text", "pair__country", "pair__language", "via")
    assert list(said) == [
        ("dance on Sundays", "AR", "en", Via.PROMPT),
        ("comen palta", "CL", "es", Via.PROMPT),
    ]
    # They wait for a moderator as words from phones do.
    assert set(Pair.objects.filter(source="contributor").values_list("moderation", flat=True)) == {"pending"}
    # And they go with their person.
    withdraw(Person.objects.get(mentions__text="comen palta"))
    assert not Mention.objects.exists()


def test_entering_again_stores_nothing_twice_nor_who_left(campaign, cards, typed, client, settings, tmp_path):
    settings.FOLDER = tmp_path
    # Words of the card that was rated are no mention.
    said = {"words_1": cards[0].pair.attribute, "words_1_country": cards[0].pair.country}
    path, receipts = typed({"consent": "yes", 1: "5", **said})
    sheets = read_answers(path, campaign)
    for people, before in ((1, 0), (0, 1)):
        stored = enter(campaign, sheets, "en")
        assert (stored.people, stored.before, stored.words) == (people, before, 0)
    assert (Person.objects.count(), Rating.objects.count()) == (1, 1)
    asked = client.post("/leave/", {"code": receipts[0].lower()})
    assert asked.status_code == 200
    withdraw(Person.objects.get())
    stored = enter(campaign, sheets, "en")
    assert (stored.people, stored.withdrawn) == (0, 1)
    assert not Person.objects.exists()


def test_after_the_retention_date_a_receipt_leads_to_nobody(campaign, typed):
    path, _ = typed({"consent": "yes", 1: "5"})
    sheets = read_answers(path, campaign)
    first = _entered(campaign, sheets)
    first.delete()
    again = _entered(campaign, sheets)
    # Of all that is stored, only the hash of the receipt follows from the receipt, and that goes.
    assert first.pk != again.pk
    version = campaign.versions.get()
    version.content = {**version.content, "retention": "2020-01-31"}
    version.save()
    settings_of.cache_clear()
    expire(campaign, date.today())
    left = Person.objects.get()
    assert {left.secret_hash, left.receipt_hash}.isdisjoint({again.secret_hash, again.receipt_hash})
    with pytest.raises(UserError, match=r"retention date of campaign 'river' \(2020-01-31\) is over"):
        enter(campaign, sheets, "en")
    assert Person.objects.count() == 1


def _entered(campaign, sheets):
    enter(campaign, sheets, "en")
    return Person.objects.get()


@pytest.mark.parametrize(
    ("cells", "sentence"),
    [
        ({"consent": "no"}, r"'consent': found 'no', expected yes"),
        ({"consent": "maybe"}, r"'consent': found 'maybe', expected yes or no"),
        ({2: "6"}, r"'card 2 [0-9a-f]{12}': found '6', expected 1, 2, 3, 4 or 5"),
        ({"origins": "Atlantis"}, r"'origins': found 'Atlantis'"),
        ({"languages": "Qqqq"}, r"'languages': found 'Qqqq'"),
        ({"receipt": "ABC"}, r"'receipt': found 'ABC'"),
        ({"words_1": "sing"}, r"'words_1_country': found nothing"),
        (
            {"words_1": "sing", "words_1_country": "AR", "words_1_language": "Finnish"},
            r"'words_1_language': found 'Finnish', expected one of the campaign's: en, es",
        ),
        ({"words_1": "x" * 130, "words_1_country": "AR"}, r"'words_1': This is 10 characters too long"),
    ],
)
def test_a_wrong_cell_is_named_and_nothing_is_stored(campaign, typed, cells, sentence):
    path, _ = typed({"consent": "yes", 1: "5", **cells}, {"consent": "yes", 1: "5"})
    with pytest.raises(UserError, match=f"line 2, column {sentence}"):
        read_answers(path, campaign)
    assert not Person.objects.exists()


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda text: text.replace("consent", "agreed"), "has no column 'consent'.*`endoxa collect print`"),
        (lambda text: text.replace("card 1 ", "card 1 0000"), "unknown column 'card 1 0000"),
        (str, r"line 3, column 'receipt': the same code as in .*answers.csv, line 2"),
    ],
)
def test_another_file_or_campaign_or_one_code_twice(campaign, typed, make_campaign, change, sentence):
    same = {"consent": "yes", "receipt": "ABCD-EFGH-JKMN"}
    path, _ = typed(same, same)
    path.write_text(change(path.read_text(encoding="utf-8")), encoding="utf-8")
    with pytest.raises(UserError, match=sentence):
        read_answers(path, campaign)
    path, _ = typed(same)
    with pytest.raises(UserError, match="this campaign has no such pair"):
        read_answers(path, make_campaign("lake"))
