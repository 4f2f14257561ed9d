"""A campaign in which much has happened, from a seed."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from uuid import uuid4

from collect_support.stored import stored_card
from endoxa_collect.cards.counts import recount
from endoxa_collect.models import (
    Action,
    Card,
    CardState,
    HurtAnswer,
    Hurts,
    Mention,
    Moderation,
    Pair,
    Person,
    Rating,
    Revealed,
    Skip,
    Source,
    Statement,
    Via,
)
from endoxa_collect.organiser.decisions import decide, revision

START = datetime(2026, 5, 4, 9, 0, tzinfo=UTC)
HOMES = (["AR"], ["AR"], ["CL"], ["CL"], ["UY"], ["AR", "CL"], [])
WORDS = (
    "drink mate",
    "love poetry",
    "=play football",
    "cook well, they say",
    '"sing" at dawn',
    "- dance\n late",
)


def give_rating(person, pair, value, *, propensity=0.5, minute=0, tier=None, surplus=False):
    """A rating with its card, as if drawn with this propensity; from the tier of the person's own or near countries."""
    own = pair.country in person.origins
    tier = tier or ("own" if own else "near")
    card = stored_card(
        person, pair, START, tier=tier, propensity=propensity, pool=7, state=CardState.ANSWERED
    )
    rating = Rating.objects.create(
        card=card,
        person=person,
        pair=pair,
        value=value,
        in_group=own,
        surplus=surplus,
        created_at=START + timedelta(minutes=minute),
    )
    recount(pair.campaign, [pair])
    return rating


def give_mention(person, pair, text, minute=0):
    """A mention."""
    made = Mention.objects.create(person=person, pair=pair, text=text, via=Via.ATTRIBUTE)
    Mention.objects.filter(pk=made.pk).update(created_at=START + timedelta(minutes=minute))
    recount(pair.campaign, [pair])
    return made


def give_skip(person, pair, reason="rather_not", minute=0):
    """A skip with its card."""
    card = Card.objects.create(
        campaign=person.campaign,
        person=person,
        pair=pair,
        country=pair.country if pair else "AR",
        number=person.cards.count(),
        tier="prompt" if pair is None else "near",
        propensity=None if pair is None else 0.25,
        version=1,
        digest="abc",
        state=CardState.SKIPPED,
        drawn_at=START,
        expires_at=START,
    )
    return Skip.objects.create(
        card=card,
        person=person,
        pair=pair,
        reason=reason,
        created_at=START + timedelta(minutes=minute),
    )


def propose(person, country, text, language="en", **changes):
    """A pair of a contributor's own."""
    facts = {"source": Source.CONTRIBUTOR, "moderation": Moderation.LIVE, "author": person, **changes}
    pair = Pair.objects.create(
        campaign=person.campaign, country=country, attribute=text, key=uuid4().hex, language=language, **facts
    )
    give_mention(person, pair, text)
    return pair


def act(pair, user, action, **facts):
    """What a moderator decides about a pair as it is now."""
    pair = Pair.objects.get(pk=pair.pk)
    return decide(pair.campaign, user, pair.public_id, Action(action), revision(pair), **facts)


def fill(campaign, make_person, seed, people=24):
    """People, pairs, merges, ratings, mentions, skips and statements; everything depends on the seed."""
    chance = random.Random(seed)
    crowd = [
        make_person(
            campaign,
            f"p{number}",
            origins=chance.choice(HOMES),
            extras=chance.choice(
                ({}, {"age": "young"}, {"age": "old"}, {"age": "old", "undeclared": "secret"})
            ),
            consent_version=chance.choice((1, 1, 1, 2)),
        )
        for number in range(people)
    ]
    pairs = [
        propose(
            chance.choice(crowd),
            chance.choice(("AR", "CL", "UY")),
            chance.choice(WORDS),
            chance.choice(("en", "es")),
            moderation=chance.choice(
                (Moderation.LIVE, Moderation.LIVE, Moderation.LIVE, Moderation.PENDING, Moderation.HIDDEN)
            ),
            negative={0: True, 1: None}.get(int(5 * chance.random()), False),
        )
        for _ in range(14)
    ]
    for child, root in ((pairs[0], pairs[1]), (pairs[2], pairs[1]), (pairs[3], pairs[0])):
        child.merged_into, child.moderation = root, Moderation.MERGED
        child.country, child.language = pairs[1].country, pairs[1].language
        child.save()
    for person in crowd:
        for pair in chance.sample(pairs, 6):
            minute = chance.randrange(200)
            what = chance.random()
            if what < 0.6:
                give_rating(
                    person, pair, chance.randint(1, 5), propensity=chance.uniform(0.01, 1), minute=minute
                )
            elif what < 0.8:
                give_skip(person, pair, minute=minute)
            elif not pair.mention_rows.filter(person=person).exists():
                give_mention(person, pair, chance.choice(WORDS), minute)
        if chance.random() < 0.3:
            give_skip(person, None, "dont_know")
        Statement.objects.create(
            campaign=campaign,
            person=person,
            question="women",
            axis="gender",
            language="en",
            text=f"Women here {chance.choice(WORDS)}",
        )
    recount(campaign, Pair.objects.filter(campaign=campaign))
    _say_whether_it_hurts(campaign, seed)
    # A list, lest people who join later are among them.
    return list(Person.objects.filter(campaign=campaign).order_by("pk")), pairs


def give_hurt_answer(rating, answer):
    """What somebody said of the words of a rating, which they had opened."""
    Card.objects.filter(pk=rating.card_id).update(revealed=Revealed.REVEALED)
    return HurtAnswer.objects.create(
        card=rating.card, person=rating.person, pair=rating.pair, answer=answer, created_at=rating.created_at
    )


def _say_whether_it_hurts(campaign, seed):
    """Some rated what was covered, and some of these said whether it hurts; by a chance of its own."""
    chance = random.Random(f"hurts {seed}")
    for rating in Rating.objects.filter(person__campaign=campaign).order_by("pk"):
        if chance.random() < 0.4:
            give_hurt_answer(rating, chance.choice(Hurts.values))
        else:
            Card.objects.filter(pk=rating.card_id).update(revealed=chance.choice([*Revealed.values[:2], ""]))
    for skip in Skip.objects.filter(person__campaign=campaign, pair__isnull=False).order_by("pk"):
        Card.objects.filter(pk=skip.card_id).update(revealed=chance.choice(Revealed.values))
