"""Every address of the site, read from its resolver, and a world in which they lead somewhere."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from uuid import uuid4

from django.apps import apps
from django.urls import URLPattern, get_resolver, reverse
from django.utils import timezone

from endoxa_collect.cards import drawing
from endoxa_collect.models import (
    JoinCode,
    Judge,
    Judgement,
    Mention,
    Pair,
    Role,
    Statement,
    Task,
    TaskItem,
    Turn,
)
from endoxa_collect.security.codes import hash_secret

PUBLIC_TO_ACCOUNTS = {"organiser:login", "organiser:logout"}
PASSWORD = "a long password of ours"
JUDGE = "the cookie of somebody of a panel"
_MADE_UP = {
    "IntConverter": 1,
    "UUIDConverter": uuid4(),
    "SlugConverter": "x",
    "StringConverter": "x",
    "PathConverter": "x",
}


@dataclass(frozen=True)
class Address:
    """One address; `facts` are its parts with their converters."""

    name: str
    view: object
    facts: dict = field(hash=False)

    @property
    def of_a_campaign(self):
        return self.name.startswith("organiser:") and "slug" in self.facts

    def at(self, known):
        chosen = {key: known.get(key, _MADE_UP[type(kind).__name__]) for key, kind in self.facts.items()}
        return reverse(self.name.removeprefix(":"), kwargs=chosen)


def addresses():
    """All of them, by name."""
    return sorted(_walk(get_resolver(), "", {}), key=lambda one: one.name)


def _walk(resolver, space, facts):
    for one in resolver.url_patterns:
        within = {**facts, **one.pattern.converters}
        if isinstance(one, URLPattern):
            yield Address(f"{space}:{one.name}".removeprefix(":"), one.callback, within)
        else:
            yield from _walk(one, one.namespace or space, within)


@dataclass
class World:
    """A campaign with one of everything, contributors, and an account for each role."""

    campaign: object
    other: object
    person: object
    card: object
    known: dict
    accounts: dict
    task: object


def build(make_campaign, make_person, make_pairs, make_account):
    """A world to walk through."""
    question = {"name": "women", "axis": "gender", "text": {"en": "What do people say?"}}
    campaign = make_campaign(survey=True, questions=[question])
    other = make_campaign("lake")
    person = make_person(campaign)
    make_pairs(
        campaign, ("AR", "drink mate", "es"), ("CL", "love poetry", "en"), ("UY", "play football", "en")
    )
    JoinCode.objects.create(campaign=campaign, code="MATE2345", expires_at=timezone.now() + timedelta(days=1))
    Statement.objects.create(
        campaign=campaign, person=person, question="women", axis="gender", language="en", text="like music"
    )
    pair = Pair.objects.first()
    card = drawing.next_card(person)
    task = Task.objects.create(
        campaign=campaign, name="texts", kind="votes"
    )  # as the section of the settings
    TaskItem.objects.create(
        task=task, number=1, key="t1", content={"identity": "bakers", "attribute": "sing"}
    )
    mention = Mention.objects.create(person=person, pair=pair, card=card, text="drink mate", via="attribute")
    known = {
        "slug": campaign.slug,
        "code": "MATE2345",
        "token": card.token,
        "mention": mention.public_id,
        "question": "women",
        "pair": pair.pk,
        "item": pair.public_id,
        "name": "texts",
        "number": 1,
        "into": Pair.objects.last().pk,
    }
    accounts = {role: make_account(role.value, campaign, role) for role in Role}
    accounts["elsewhere"] = make_account("elsewhere", other, *Role)
    accounts["nothing"] = make_account("nothing")
    return World(campaign, other, person, card, known, accounts, _study(campaign))


def _study(campaign):
    """A harm study with one item, one person of a panel who is half way, and what they said."""
    task = Task.objects.create(campaign=campaign, name="harm", kind="harm", code="PANEL23456")
    item, other = (
        TaskItem.objects.create(task=task, number=k, key=f"a{k}", content={"association": f"said {k}"})
        for k in (1, 2)
    )
    done = ["warning", "what-you-see", "what-we-ask", "questions"]
    judge = Judge.objects.create(
        task=task, secret_hash=hash_secret(JUDGE), steps={"done": done, "drawn": {"first": "harm"}}
    )
    later = timezone.now() + timedelta(minutes=60)
    facts = {"judge": judge, "drawn_at": timezone.now(), "expires_at": later}
    turn = Turn.objects.create(item=item, number=0, state="judged", closed_at=timezone.now(), **facts)
    Turn.objects.create(item=other, number=1, **facts)
    answer = {"harm": 2, "frequent": "no", "first": "harm"}
    Judgement.objects.create(turn=turn, answer=answer, at=timezone.now())
    return task


def snapshot(*but):
    """All rows of all tables, but of the models named."""
    rows = {}
    for model in apps.get_models():
        if model.__name__ not in but:
            rows[model.__name__] = sorted(model.objects.values_list(), key=repr)
    return rows
