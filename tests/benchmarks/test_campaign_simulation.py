"""Simulated campaigns: laws that hold in every arm, and truths that were planted."""

from __future__ import annotations

import numpy as np
import pytest

from campaign_simulation.arms import LacesArm, StaticArm
from campaign_simulation.comparison import ENOUGH, best_share
from campaign_simulation.endoxa_arm import EndoxaArm
from campaign_simulation.measures import MEASURES, gini, measure, weighted_mean
from campaign_simulation.run import simulate
from campaign_simulation.world import FAR, World, WorldSettings
from endoxa_collect.sampler.slots import CANDIDATE, SamplerSettings

ARMS = {
    "static-ticks": StaticArm(name="static-ticks", near_first=True, ticks=True),
    "laces": LacesArm(name="laces"),
    "endoxa": EndoxaArm(),
    "laces-lease": LacesArm(name="laces-lease", reserves=True),
    "static-tuned": StaticArm(name="static-tuned"),
    "static-proximity": StaticArm(name="static-proximity", near_first=True),
    "endoxa-all": EndoxaArm(
        name="endoxa-all", changes={"second_mention": False}, different="every pair asks"
    ),
}
SMALL = WorldSettings(people=12, countries=("AR", "CL", "UY"), pairs=60, attributes=120, minutes=12, seeds=6)
ROOM = SMALL.model_copy(update={"people": 25, "minutes": 15.0, "spread": 1.0})


def arm(name):
    return ARMS[name]


@pytest.fixture(scope="module")
def world():
    return World(ROOM, 3)


@pytest.mark.slow
@pytest.mark.parametrize("name", ARMS)
def test_laws_of_every_arm(world, name):
    outcome = simulate(world, arm(name), share=0.5)
    campaign, given = outcome.campaign, outcome.campaign.ratings
    answers = list(zip(given.person, given.pair, strict=True))
    assert len(set(answers)) == len(answers), "nobody rates a pair twice"
    assert not set(answers) & set(campaign.mentions), "nobody rates what they proposed"
    languages = campaign.pool["language"][given.pair]
    assert not (languages > world.reads_english[given.person]).any(), "only languages they read"
    assert campaign.pool["ratings"].sum() == len(answers)
    assert outcome.minutes <= world.stays.sum() + 1e-6
    assert arm(name).summary
    found = measure(outcome)
    assert set(found) == set(MEASURES)
    assert sum(found[f"rated_{n}"] for n in range(11)) == pytest.approx(1)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["endoxa", "laces", "static-proximity"])
def test_the_same_seed_gives_the_same_campaign(world, name):
    one, two = (simulate(world, arm(name), share=0.5).campaign for _ in range(2))
    assert one.ratings == two.ratings
    assert one.mentions == two.mentions


@pytest.mark.slow
def test_arms_share_their_luck():
    # The difference of two arms in the same worlds varies less than with worlds of their own.
    rows = {
        name: [measure(simulate(World(ROOM, seed), arm(name)))["ratings"] for seed in range(12)]
        for name in ("laces", "laces-lease")
    }
    same = np.subtract(rows["laces"], rows["laces-lease"])
    apart = np.subtract(rows["laces"], np.roll(rows["laces-lease"], 1))
    assert same.std() < 0.5 * apart.std()


@pytest.mark.slow
def test_reserved_cards_leave_no_surplus_where_nobody_is_late():
    # Writing is quick: nobody needs longer than a reservation lasts.
    calm = ROOM.model_copy(update={"pause": 0.0, "dropout": 0.0, "typed": 1.5, "type": 0.2})
    worlds = [World(calm, seed) for seed in range(3)]
    longer = SamplerSettings(lease_workshop=5)
    with_lease = [measure(simulate(world, ARMS["laces-lease"], longer)) for world in worlds]
    without = [measure(simulate(world, ARMS["laces"])) for world in worlds]
    assert all(row["late"] == row["surplus"] == 0 for row in with_lease)
    assert all(row["surplus"] > 0 for row in without)


def test_late_answers_come_from_pauses():
    away = ROOM.model_copy(update={"pause": 0.3, "pause_minutes": 8.0})
    assert measure(simulate(World(away, 1), ARMS["endoxa"]))["late"] > 0


@pytest.mark.slow
def test_one_country_alone():
    alone = World(ROOM.model_copy(update={"countries": ("AR",)}), 1)
    for name in ("endoxa", "laces", "static-tuned"):
        found = measure(simulate(alone, arm(name), share=0.5))
        assert found["own"] == 1.0
        assert found["gini"] == 0.0
        assert found["ratings"] > 0


def test_without_wordings_there_are_no_duplicates():
    plain = World(ROOM.model_copy(update={"variants": 0.0}), 1)
    varied = World(ROOM.model_copy(update={"variants": 0.9, "caught": 0.0}), 1)
    assert measure(simulate(plain, ARMS["laces"]))["duplicates"] == 0
    assert measure(simulate(varied, ARMS["laces"]))["duplicates"] > 0.1


@pytest.mark.slow
def test_weights_recover_the_mean_that_nearness_distorts():
    # People know their own country only and are asked about it first, so the plain mean is too high.
    settings = ROOM.model_copy(
        update={
            "people": 40,
            "minutes": 20.0,
            "own": 100.0,
            "near": 0.2,
            "far": 0.2,
            "typed": 0.6,
            "skew": 0.3,
        }
    )
    at_home = SamplerSettings(k=5, own_slots=3)
    rows = [measure(simulate(World(settings, seed), ARMS["endoxa"], at_home)) for seed in range(4)]
    raw, weighted, stratified = (
        np.mean([row[name] for row in rows]) for name in ("raw_error", "weighted_error", "population_error")
    )
    assert raw > 0.3
    assert abs(weighted) < raw / 2
    assert abs(stratified) < raw / 4


def test_hajek_weights_by_hand():
    # Two strata: 1 drawn with chance 0.5 rates 4, 1 drawn with chance 0.1 rates 2: (8 + 20) / (2 + 10).
    assert weighted_mean(np.array([4.0, 2.0]), np.array([0.5, 0.1])) == pytest.approx(28 / 12)
    assert np.isnan(weighted_mean(np.array([4.0]), np.array([np.nan])))


@pytest.mark.parametrize(
    ("counts", "expected"), [([5, 5, 5, 5], 0.0), ([0, 0, 0, 8], 0.75), ([1, 2, 3, 4], 0.25)]
)
def test_gini_by_hand(counts, expected):
    assert gini(np.array(counts)) == pytest.approx(expected)


def far_ticks():
    """A room of Argentines who tick far countries a lot."""
    changes = {
        "countries": ("AR",),
        "others": 10,
        "tick_far": 0.9,
        "far": 3.0,
        "mixed": 0.0,
        "connected": 0.0,
    }
    return World(ROOM.model_copy(update=changes), 4)


@pytest.mark.slow
def test_candidates_take_no_ratings_and_only_ticks_far_away_are_candidates():
    campaign = simulate(far_ticks(), ARMS["endoxa"]).campaign
    pool, reached = campaign.pool, np.any(campaign.world.proximity < FAR, axis=0)
    waiting = pool["need"] == CANDIDATE
    assert waiting.sum() > 5
    assert (pool["ratings"][waiting] == 0).all()
    assert (pool["mentions"][waiting] == 1).all()
    assert not reached[pool["country"][waiting]].any()
    assert not pool["seed"][waiting].any()
    assert pool.missing == np.clip(campaign.settings.k - pool["ratings"], 0, None)[~waiting].sum()
    everything = simulate(far_ticks(), ARMS["endoxa-all"]).campaign.pool
    assert not (everything["need"] == CANDIDATE).any()


@pytest.mark.slow
def test_a_campaign_with_few_pairs_asks_open_questions_but_none_first():
    class Watched:
        def __init__(self, session):
            self.session, self.cards = session, {}

        def next(self, person, spent):
            card = self.session.next(person, spent)
            self.cards.setdefault(person, []).append(card.tier)
            return card

    empty = World(ROOM.model_copy(update={"seeds": 12, "tick_own": 0, "tick_near": 0, "tick_far": 0}), 2)
    ours, seen = ARMS["endoxa"], []

    class Spy:
        name, summary, surveys = "spy", "", False

        def start(self, campaign):
            seen.append(Watched(ours.start(campaign)))
            return seen[0]

    simulate(empty, Spy())
    tiers = list(seen[0].cards.values())
    prompts = sum(name == "prompt" for one in tiers for name in one)
    assert prompts > len(tiers)
    assert all(one[0] != "prompt" for one in tiers)


@pytest.mark.slow
def test_the_controller_holds_new_pairs_back():
    # Many pairs a card: without the controller of the site nothing gets its ratings.
    busy = World(ROOM.model_copy(update={"typed": 1.5, "tick_near": 0.9, "tick_far": 0.9}), 3)
    ours, theirs = (measure(simulate(busy, arm(name))) for name in ("endoxa", "laces-lease"))
    assert ours["reached"] > 2 * theirs["reached"]
    assert ours["valid"] < theirs["valid"]


@pytest.mark.slow
def test_surveys_write_as_much_as_leaves_time_to_rate():
    survey = ARMS["static-tuned"]
    share = best_share(survey, ROOM, SamplerSettings())
    pilot = [simulate(World(ROOM, seed), survey, share=share) for seed in (1_000_000, 1_000_001)]
    assert np.mean([measure(one)["reached"] for one in pilot]) >= ENOUGH
    more = [simulate(World(ROOM, seed), survey, share=share + 0.15) for seed in (1_000_000, 1_000_001)]
    assert np.mean([measure(one)["reached"] for one in more]) < ENOUGH
