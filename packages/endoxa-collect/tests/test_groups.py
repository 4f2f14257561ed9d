"""Groups beyond countries: declared rules say who belongs to one, and cards, words, exports and means follow them."""

from __future__ import annotations

import re

import polars as pl
import pytest

from collect_support.filled_campaign import give_rating
from collect_support.groups import PROFILE, TABLE, write_table
from endoxa.errors import UserError
from endoxa_collect import groups
from endoxa_collect.cards.drawing import next_card
from endoxa_collect.entry.proposing import propose
from endoxa_collect.entry.seeding import add_seeds, read_seeds
from endoxa_collect.export.run import export_campaign
from endoxa_collect.models import Mention, Rating, Via
from endoxa_collect.organiser.settings import save_from_file
from endoxa_collect.rules import holds, parse

pytestmark = pytest.mark.slow


@pytest.fixture
def nigeria(make_campaign, tmp_path):
    declared = groups.read_groups(write_table(tmp_path / "groups.csv"))
    content = [group.model_dump(mode="json") for group in declared]
    return make_campaign(groups=content, profile=PROFILE, countries=("NG",), moderation="after")


def told(person, campaign, **extras):
    """The same person after they said this about themselves."""
    person.extras = extras
    groups.place_person(person, campaign.settings)
    person.save()
    return person


@pytest.mark.parametrize(
    ("rule", "answers", "expected"),
    [
        ("gender=woman", {"gender": ["woman"]}, True),
        ("gender=woman", {"gender": ["man"]}, False),
        ("gender=woman & age=old|young", {"gender": ["woman"], "age": ["young"]}, True),
        ("gender=woman; age=old", {"age": ["old"]}, True),
        ("", {"gender": ["woman"]}, False),
        ("country=NG|GH", {"country": ["KE", "GH"]}, True),
    ],
)
def test_rules(rule, answers, expected):
    assert holds(parse(rule), answers) is expected


def test_own_and_near_groups_follow_the_declared_rules(nigeria, make_person):
    ana = told(make_person(nigeria, "ana"), nigeria, ethnicity="yoruba", gender="woman", age_range="36_50")
    assert set(ana.origins) == {"yoruba", "women", "yoruba_women"}
    # Igbo and Fulani share a parent with Yoruba, but who is near Fulani was declared; 36 to 50 is near older people.
    assert set(ana.connections) == {"igbo", "elders"}
    musa = told(make_person(nigeria, "musa"), nigeria, ethnicity="hausa", gender="man")
    assert musa.origins == []
    assert musa.connections == ["fulani"]
    musa.countries = ["NG"]
    groups.place_person(musa, nigeria.settings)
    assert musa.origins == ["nigerians"]
    assert set(musa.connections) == {"yoruba", "igbo", "fulani"}


WOMEN = "women,women,las mujeres,gender"


@pytest.mark.parametrize(
    ("before", "after", "sentence"),
    [
        ("id,name_en", "name,name_en", "has no column 'id'"),
        (
            "=woman,\neld",
            ":woman,\neld",
            "line 6, column 'own': found 'gender:woman', expected question=answer",
        ),
        ("igbo,Igbo people", "yoruba,Igbo people", "line 4, column 'id': 'yoruba' is there twice"),
        ("nigerians,ethnicity=igbo", "naija,ethnicity=igbo", "no row has the id 'naija'"),
        (WOMEN, "women,women,las mujeres,", "line 6, column 'kind': found ''"),
    ],
)
def test_bad_tables_are_refused_with_row_and_column(tmp_path, before, after, sentence):
    assert before in TABLE
    with pytest.raises(UserError, match=re.escape(sentence)):
        groups.read_groups(write_table(tmp_path / "groups.csv", TABLE.replace(before, after)))


def test_rules_on_questions_that_nobody_is_asked_are_refused(tmp_path, campaign):
    groups_of = groups.content_of(write_table(tmp_path / "groups.csv"))
    with pytest.raises(
        UserError, match=r"groups.csv.*group 'yoruba', column 'own': no question .* is called 'ethnicity'"
    ):
        save_from_file(campaign, groups_of, "groups.csv")
    save_from_file(campaign, {"profile": PROFILE[:1]}, "test")
    with pytest.raises(UserError, match=r"group 'women', column 'own': no question .* is called 'gender'"):
        save_from_file(campaign, groups_of, "groups.csv")
    odd = write_table(
        tmp_path / "odd.csv", "id,name_en,kind,own\ntiv,Tiv people,ethnic group,ethnicity=tiv\n"
    )
    with pytest.raises(UserError, match=r"'ethnicity' has no answer 'tiv' .*Change the rule, or ask"):
        save_from_file(campaign, groups.content_of(odd), "odd.csv")


def test_cards_and_questions_name_the_group_and_answers_say_whether_it_is_their_own(
    nigeria, make_person, as_person
):
    rows = read_seeds(
        b"group,attribute,language\nyoruba,love parties,en\nlas mujeres,cook well,en\n",
        "seeds.csv",
        nigeria.settings.data_languages,
        nigeria.settings,
    )
    assert [row.country for row in rows] == ["yoruba", "women"]
    add_seeds(nigeria, rows)
    ana = told(make_person(nigeria, "ana", languages=["en"]), nigeria, ethnicity="yoruba", gender="man")
    client = as_person(ana)
    page = client.get("/card/").content.decode()
    assert "About this group:" in page
    assert "Yoruba people" in page or "women" in page
    assert "About people" not in page
    for _ in range(2):
        card = next_card(ana)
        client.post(f"/card/{card.token}/rate/", {"value": "4"})
        if card.adds:
            more = client.get(f"/card/{card.token}/add/").content.decode()
            assert "Said of other groups too?" in more
            assert "Another country" not in more
    assert dict(Rating.objects.values_list("pair__country", "in_group")) == {"yoruba": True, "women": False}
    asked = next_card(ana)
    assert asked.pair is None
    assert asked.country in groups.codes(nigeria.settings)
    name = groups.name(asked.country, "en", nigeria.settings)
    assert f"What do people here say about <bdi>{name}</bdi>?" in client.get("/card/").content.decode()
    client.post(f"/card/{asked.token}/finish/", {"text": "are good at trade", "language": "en"})
    assert Mention.objects.get().pair.country == asked.country


def test_exports_have_kind_identity_and_in_group_of_declared_groups(
    nigeria, make_person, make_pairs, tmp_path
):
    pair, other = make_pairs(nigeria, ("yoruba", "love parties", "en"), ("women", "cook well", "es"))
    for number in range(12):
        facts = {"ethnicity": "yoruba" if number < 6 else "igbo", "gender": "man"}
        person = told(make_person(nigeria, f"p{number}"), nigeria, **facts)
        propose(person, None, country="elders", text="are wise", language="en", via=Via.PROMPT)
        for shown in (pair, other):
            tier = "own" if shown.country in person.origins else "anyone"
            give_rating(person, shown, 4 if number < 6 else 2, tier=tier)
    export_campaign(nigeria, tmp_path / "out")
    pairs = pl.read_csv(tmp_path / "out" / "pairs.csv").sort("identity")
    assert pairs.select("identity", "axis").rows() == [
        ("Yoruba people", "ethnic group"),
        ("las mujeres", "gender"),
        ("older people", "age"),
    ]
    people = pl.read_csv(tmp_path / "out" / "people.csv")
    assert sorted(people["country"].to_list()) == ["igbo"] * 6 + ["yoruba"] * 6
    ratings = pl.read_csv(tmp_path / "out" / "ratings.csv").filter(
        pl.col("association_id") == str(pair.public_id)
    )
    assert ratings.group_by("in_group").agg(pl.col("value").mean()).sort("in_group").rows() == [
        (False, 2.0),
        (True, 4.0),
    ]
