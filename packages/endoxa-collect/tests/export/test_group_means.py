"""Figures by group over all ratings: equal to those of the full data, and nothing small can be worked out."""

from __future__ import annotations

import random
from collections import Counter, defaultdict

import numpy as np
import polars as pl
import pytest
from scipy.optimize import linprog

from collect_support.filled_campaign import give_rating
from endoxa_collect.export.columns import LEAST
from endoxa_collect.export.folder import read_export
from endoxa_collect.export.group_means import (
    ALL,
    FAR,
    IN,
    NEAR,
    OUT,
    POPULATION,
    Answer,
    Population,
    Risk,
    group_means,
    suppressed,
)
from endoxa_collect.export.patches import patch_release
from endoxa_collect.export.run import export_campaign
from endoxa_collect.models import SettingsVersion

TONES = ("negative", "not negative", "not judged")


def crowd(seed, homes=None, ratings=9):
    """Ratings of people from countries of many (with a key) and of few (without)."""
    chance = random.Random(seed)
    homes = homes or {"AR": 9, "BR": 8, "CL": chance.randint(1, 4), "UY": chance.randint(1, 4), "PY": 3}
    countries = [*homes, "PE"]
    answers = []
    for home, size in homes.items():
        for number in range(size):
            for _ in range(ratings):
                country = home if chance.random() < 0.6 else chance.choice(countries)
                place = IN if country == home else chance.choice((NEAR, FAR))
                tone = chance.choices(TONES, (2, 5, 1))[0]
                answers.append(
                    Answer((home, number), country, tone, place, chance.randint(1, 5), size >= LEAST)
                )
    return answers


def published(answers):
    """What a reader has: the rows of the table by place and group, none that is suppressed."""
    rows = group_means(answers).to_dicts()
    return {(row["tone"], row["country"], row["group"]): row for row in rows if not row["suppressed"]}


class Attack:
    """Which of the ratings without a key are of people from the country? All that is published, as linear equations.

    One unknown for each of these ratings (0 or 1, here any number between); people with a key are taken off.
    """

    def __init__(self, answers, groups, *, figures=("ratings", "mean", "known")):
        self.rows = [one for one in answers if not one.linked]
        self.left, self.right = [], []
        for (tone, country, group), row in groups.items():
            if group != IN:
                continue
            there = [one for one in answers if tone in (one.tone, ALL) and country in (one.country, ALL)]
            unknown = np.array(
                [tone in (one.tone, ALL) and country in (one.country, ALL) for one in self.rows]
            )
            for figure in figures:
                weight = {"ratings": lambda _: 1, "mean": lambda v: v, "known": lambda v: v >= 3}[figure]
                # The exact sum, though the table has it rounded: an attacker who knows more.
                total = sum(weight(one.value) for one in there if one.place == IN)
                linked = sum(weight(one.value) for one in there if one.place == IN and one.linked)
                self.left.append(unknown * np.array([weight(one.value) for one in self.rows]))
                self.right.append(total - linked)
            assert row["ratings"] == sum(one.place == IN for one in there)

    def range_of(self, chosen):
        """Least and greatest number of ratings of people from the country among the chosen ones."""
        cost = np.array([float(chosen(one)) for one in self.rows])
        ends = []
        for sign in (1, -1):
            solved = linprog(
                sign * cost,
                A_eq=np.array(self.left) if self.left else None,
                b_eq=self.right or None,
                bounds=(0, 1),
                method="highs",
            )
            assert solved.success
            ends.append(sign * solved.fun)
        return ends[0], ends[1]


def small_cells(answers):
    """Cells in which ratings without a key, of people from the country or elsewhere, are of fewer than five people."""
    people = defaultdict(lambda: (set(), set()))
    for one in answers:
        if not one.linked:
            people[one.tone, one.country][one.place == IN].add(one.person)
    return [place for place, sides in people.items() if 0 < min(map(len, sides)) < LEAST]


@pytest.mark.parametrize("seed", range(12))
def test_small_cells_cannot_be_worked_out_from_all_that_is_published(seed):
    answers = crowd(seed)
    groups = published(answers)
    attack = Attack(answers, groups)
    assert small_cells(answers)
    for tone, country in small_cells(answers):
        least, most = attack.range_of(lambda one, t=tone, c=country: (one.tone, one.country) == (t, c))
        assert most - least > 0.9, (tone, country)


def test_the_attack_succeeds_where_only_small_cells_are_left_out():
    """So that the test above can fail: without complementary suppression a subtraction gives the small cell away."""
    many = [Answer(("XX", n), "AR", "negative", (IN, FAR)[n % 2], 3, False) for n in range(12)]
    few = [Answer(("XX", n), "CL", "negative", (IN, FAR)[n % 2], 3, False) for n in range(3)]
    answers = [*many, *few]
    naive = {
        ("negative", ALL, IN): {"ratings": 8},
        ("negative", "AR", IN): {"ratings": 6},
    }
    least, most = Attack(answers, naive).range_of(lambda one: one.country == "CL")
    assert (round(least), round(most)) == (2, 2)
    groups = published(answers)
    assert ("negative", ALL, IN) not in groups or ("negative", "AR", IN) not in groups
    least, most = Attack(answers, groups).range_of(lambda one: one.country == "CL")
    assert most - least > 0.9


def test_what_is_left_of_a_total_belongs_to_enough_people():
    cells = {}
    for place, inside, outside in (
        (("a", "x"), range(9), range(20, 29)),
        (("a", "y"), range(2), range(20, 23)),
        (("a", "z"), range(2, 4), range(24, 26)),
        (("a", "w"), range(9), range(30, 39)),
    ):
        cells[place] = Risk(Counter(inside), Counter(outside))
        for total in (("a", ALL), (ALL, place[1]), (ALL, ALL)):
            cells.setdefault(total, Risk()).add(cells[place])
    gone = suppressed(cells, 5)
    # y and z together are four people: one of the large ones goes too, and its total with it or the line's.
    assert {("a", "y"), ("a", "z"), (ALL, "y"), (ALL, "z")} <= gone
    assert gone & {("a", "x"), ("a", "w"), ("a", ALL)}


@pytest.mark.parametrize("seed", range(15))
def test_in_any_table_with_totals_small_cells_stay_open(seed):
    """Random tables with large and small cells and totals, against linear programming over their published cells."""
    chance = random.Random(seed)
    cells = {}
    for line in "abc":
        for column in "uvwxy":
            sizes = chance.choice(((9, 9), (9, 9), (12, 7), (2, 3), (0, 3), (1, 0), (0, 0)))
            rows = [Counter(chance.sample(range(200), size)) for size in sizes]
            cells[line, column] = Risk(*rows)
    for line, column in list(cells):
        for total in ((line, ALL), (ALL, column), (ALL, ALL)):
            cells.setdefault(total, Risk()).add(cells[line, column])
    gone = suppressed(cells, LEAST)
    assert gone < set(cells)
    places = sorted(cells)
    left, right = [], []
    for number, place in enumerate(places):
        if place not in gone:
            left.append(np.eye(len(places))[number])
            right.append(cells[place].inside.total())
    left += [[(one[0] == line) * (-1 if one[1] == ALL else 1) for one in places] for line in "abc"]
    left += [
        [(one[1] == column) * (-1 if one[0] == ALL else 1) for one in places] for column in [*"uvwxy", ALL]
    ]
    right += [0] * (3 + 6)
    bounds = [(0, cells[place].rows) for place in places]
    small = [place for place in places if cells[place].is_small(LEAST)]
    assert small
    for place in small:
        cost = np.eye(len(places))[places.index(place)]
        ends = [
            sign * linprog(sign * cost, A_eq=np.array(left), b_eq=right, bounds=bounds).fun
            for sign in (1, -1)
        ]
        assert ends[1] - ends[0] > 0.9, place


def test_nothing_is_suppressed_where_all_have_a_key():
    answers = crowd(3, homes={"AR": 8, "CL": 7, "UY": 6}, ratings=30)
    assert not suppressed({("a", ALL): Risk(), (ALL, ALL): Risk()}, 5)
    groups = published(answers)
    for country in ("AR", "CL", "UY"):
        mine = [one for one in answers if one.country == country and one.place == IN]
        row = groups[ALL, country, IN]
        assert (row["ratings"], row["people"]) == (len(mine), len({one.person for one in mine}))


def test_figures_are_those_of_the_full_data():
    answers = crowd(1, homes={"AR": 12, "BR": 12, "CL": 4, "UY": 4, "PY": 4}, ratings=12)
    groups = published(answers)
    assert {(ALL, ALL, IN), (ALL, ALL, OUT), (ALL, ALL, NEAR), (ALL, ALL, FAR)} <= set(groups)
    for (tone, country, group), row in groups.items():
        kept = [
            one
            for one in answers
            if tone in (one.tone, ALL)
            and country in (one.country, ALL)
            and (one.place == group or (group == OUT and one.place in (NEAR, FAR)))
        ]
        values = [one.value for one in kept]
        assert row["mean"] == pytest.approx(np.mean(values), abs=0.005)
        assert row["known"] == pytest.approx(np.mean([value >= 3 for value in values]), abs=0.005)
        assert (row["ratings"], row["people"]) == (len(kept), len({one.person for one in kept}))
        assert row["people"] >= LEAST


def test_who_named_no_country_is_in_no_group():
    answers = crowd(2, homes={"AR": 8, "BR": 8})
    nowhere = [Answer(("?", n), "AR", "negative", "", 5, False) for n in range(9)]
    assert group_means([*answers, *nowhere]).equals(group_means(answers))


def test_of_nothing_there_is_nothing():
    assert group_means([]).height == 0


@pytest.fixture
def room(campaign, make_person, make_pairs):
    """A room in which a third have no key, and the true means by group."""

    def fill():
        chance = random.Random(4)
        pairs = make_pairs(
            campaign,
            *((country, f"habit {n}", "en") for country in ("AR", "BR", "CL", "UY") for n in range(6)),
            negative=False,
        )
        truth = {IN: [], OUT: []}
        for home, size in {"AR": 8, "BR": 7, "CL": 4, "UY": 4}.items():
            for number in range(size):
                person = make_person(campaign, f"{home}{number}", origins=[home])
                for pair in chance.sample(pairs, 9):
                    value = chance.randint(3, 5) if pair.country == home else chance.randint(1, 4)
                    give_rating(person, pair, value)
                    truth[IN if pair.country == home else OUT].append(value)
        return truth

    return fill


@pytest.mark.slow
def test_a_release_has_the_comparison_that_its_tables_lack(campaign, room, tmp_path):
    truth = room()
    export_campaign(campaign, tmp_path / "one", release="1.0")
    _, frames = read_export(tmp_path / "one")
    lost = frames["ratings"]["in_group"].null_count()
    assert lost > frames["ratings"].height / 4
    groups = {
        row["group"]: row
        for row in pl.read_parquet(tmp_path / "one" / "group_means.parquet")
        .filter(tone=ALL, country=ALL)
        .to_dicts()
    }
    for group, values in truth.items():
        assert groups[group]["ratings"] == len(values)
        assert groups[group]["mean"] == pytest.approx(np.mean(values), abs=0.005)
    card = " ".join((tmp_path / "one" / "README.md").read_text().split())
    assert "## Columns of `group_means`" in card
    assert "fewer than 5 people" in card
    assert "so that nothing left out can be worked out from totals" in card


@pytest.mark.slow
@pytest.mark.parametrize("stated", [{}, {"AR": 46.0, "BR": 212.0, "KE": 55.0}])
def test_a_release_has_means_for_the_stated_population_else_for_those_who_took_part(
    campaign, room, tmp_path, stated
):
    room()
    before = SettingsVersion.objects.get(campaign=campaign).content
    SettingsVersion.objects.create(campaign=campaign, number=2, content={**before, "population": stated})
    campaign.version = 2
    campaign.save()
    export_campaign(campaign, tmp_path / "one", release="1.0")
    table = pl.read_parquet(tmp_path / "one" / "group_means.parquet").filter(country=ALL)
    for tone in (ALL, "not negative"):
        rows = {row["group"]: row for row in table.filter(tone=tone).to_dicts()}
        # Argentina and Brazil are neighbours, so are Argentina and Chile, all and Uruguay but Chile.
        near = {"AR": "BR CL UY", "BR": "AR UY", "CL": "AR", "UY": "AR BR"}
        people = stated or {"AR": 8, "BR": 7, "CL": 4, "UY": 4}
        total = sum(people.values())
        shares = {IN: 0.0, NEAR: 0.0, FAR: 0.0}
        for country, beside in near.items():
            for home, number in people.items():
                place = IN if home == country else NEAR if home in beside.split() else FAR
                shares[place] += number / total / len(near)
        expected = sum(share * rows[place]["mean"] for place, share in shares.items())
        assert rows[POPULATION]["mean"] == pytest.approx(expected, abs=0.011)
        assert rows[POPULATION]["ratings"] == sum(rows[place]["ratings"] for place in shares)
        assert not rows[POPULATION]["suppressed"]


def test_no_mean_of_a_population_stands_beside_a_suppressed_part():
    answers = crowd(3, homes={"AR": 9, "CL": 2})
    everyone = Population({(ALL, "AR"): 3}, {"AR": {IN: 0.2, NEAR: 0.4, FAR: 0.4}})
    rows = {row["group"]: row for row in group_means(answers, everyone).to_dicts() if row["country"] == ALL}
    assert rows[NEAR]["suppressed"]
    assert rows[POPULATION]["suppressed"]
    assert rows[POPULATION]["mean"] is None


@pytest.mark.slow
def test_copies_that_can_be_compared_have_no_such_table(campaign, room, tmp_path):
    """Two of them, before and after one person came or left, would say where that person is from."""
    room()
    export_campaign(campaign, tmp_path / "copy")
    assert not (tmp_path / "copy" / "group_means.csv").exists()
    export_campaign(campaign, tmp_path / "one", release="1.0")
    patch_release(campaign, tmp_path / "one", tmp_path / "two")
    assert not (tmp_path / "two" / "group_means.csv").exists()
