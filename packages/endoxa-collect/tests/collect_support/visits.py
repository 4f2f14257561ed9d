"""What people and moderators do in a campaign, for processes of their own that have set Django up for it."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from django.contrib.auth.models import User
from django.utils import timezone

from collect_support.stored import stored_rating
from endoxa_collect.campaign import CampaignTexts
from endoxa_collect.cards import answering, drawing
from endoxa_collect.cards.counts import recount
from endoxa_collect.contributor.survey import save_answer
from endoxa_collect.entry.proposing import propose
from endoxa_collect.models import (
    Action,
    Campaign,
    Card,
    JoinCode,
    Mention,
    Pair,
    Person,
    Rating,
    Release,
    SettingsVersion,
    Statement,
    Tombstone,
    record,
)
from endoxa_collect.organiser.decisions import decide, revision
from endoxa_collect.privacy import withdraw
from endoxa_collect.project.backup import back_up
from endoxa_collect.project.folder import Folder

QUESTION = SimpleNamespace(name="cooks", axis="profession")


def new_person(name: str, **facts: Any) -> Person:
    """Somebody from Argentina, by their cookie."""
    known = {
        "ui_language": "en",
        "consent_version": 1,
        "consent_language": "en",
        "profile_done": True,
        "origins": ["AR"],
        "receipt_hash": name,
    }
    return Person.objects.create(
        campaign=Campaign.objects.get(),
        secret_hash=name,
        consent_hour=timezone.now(),
        **known | facts,
    )


def rate_three(*names: str) -> None:
    """New people rate three pairs each."""
    for person in map(new_person, names):
        while person.ratings.count() < 3:
            card = drawing.next_card(person)
            if card.pair:
                answering.rate(person, card.token, 4, lifted=True)
            else:
                answering.finish_prompt(person, card.token)


def leave(name: str) -> Person:
    """Somebody withdraws; prints the ids of their ratings."""
    person = Person.objects.get(secret_hash=name)
    print(*person.ratings.values_list("public_id", flat=True))
    withdraw(person)
    return person


@dataclass
class Said:
    """A pair, a statement and a mention of Ana's, approved by the organiser, and a rating of Ben's."""

    ana: Person
    ben: Person
    card: Card
    pair: Pair


def say() -> Said:
    """Ben rates first: a pair that somebody else rated would stay, without its author, when Ana leaves."""
    ben = new_person("ben")
    while (card := drawing.next_card(ben)).pair is None:
        answering.finish_prompt(ben, card.token)
    answering.rate(ben, card.token, 5, lifted=True)
    ana = new_person("ana")
    words = {"country": "CL", "text": "drink tea with Zebedina Quorlwick", "language": "en", "via": "prompt"}
    pair = propose(ana, drawing.next_card(ana), **words).pair
    decide(
        ana.campaign,
        User.objects.get(),
        pair.public_id,
        Action.APPROVE,
        revision(Pair.objects.get(pk=pair.pk)),
    )
    save_answer(ana, QUESTION, ["Zebedina whistles"], "en")
    Release.objects.create(campaign=ana.campaign, number="1.0", salt="x")
    return Said(ana, ben, card, pair)


def take_back(said: Said) -> None:
    """Personal data is removed, an answer of the survey and a rating are taken back; nobody leaves."""
    said.pair.refresh_from_db()
    decide(said.ana.campaign, User.objects.get(), said.pair.public_id, Action.PERSONAL, revision(said.pair))
    save_answer(said.ana, QUESTION, [], "en")
    answering.undo(said.ben, said.card.token)


def count() -> None:
    """Print how many pairs of Ana's, mentions, statements, ratings and tombstones there are."""
    print(
        Pair.objects.filter(attribute__contains="Zebedina").count(), Mention.objects.exclude(text="").count(),
        Statement.objects.exclude(text="").count(), Rating.objects.count(), Tombstone.objects.count(),
    )  # fmt: skip


def end_retention() -> None:
    """The day until which answers are linked to people has passed."""
    version = SettingsVersion.objects.get()
    version.content["retention"] = "2026-01-01"
    SettingsVersion.objects.filter(pk=version.pk).update(content=version.content)


def withdraw_while_read(afterwards: str, place: str) -> None:
    """Ana withdraws while another program reads, which then has read; then something makes an end of what is left.

    Prints the log of the database where it holds her words before that. The process ends with the log as it is: who
    closes a database last would empty it.
    """
    folder, said = Path(os.environ["ENDOXA_CAMPAIGN"]), say()
    reader = sqlite3.connect(folder / "db.sqlite3", isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT * FROM collect_pair").fetchall()
    withdraw(said.ana)
    reader.rollback()
    subprocess.run(["grep", "-laF", "Zebedina", "db.sqlite3-wal"], cwd=folder, check=False)
    if afterwards == "a backup":
        back_up(Folder(folder), Path(place))
    else:  # the next turn of the log, as SQLite makes it by itself
        reader.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
        Campaign.objects.update(state="closed")
    sys.stdout.flush()
    os._exit(0)


def save(**changes: Any) -> Campaign:
    """A new version of the settings; the campaign as it is then."""
    campaign = Campaign.objects.get()
    content = SettingsVersion.objects.get(campaign=campaign, number=campaign.version).content
    SettingsVersion.objects.create(
        campaign=campaign, number=campaign.version + 1, content={**content, **changes}
    )
    Campaign.objects.update(version=campaign.version + 1)
    return Campaign.objects.get()


def propose_all(*texts: str) -> None:
    """Ana says this of Argentina."""
    for text in texts:
        ana = Person.objects.get(secret_hash="ana")
        propose(ana, None, country="AR", text=text, language="en", via="attribute")


def fill_room() -> None:
    """Five people rated a pair of every country, and six are expected: the longest forecast there is.

    From then on new pairs wait for a moderator; two do, and one is shown that nobody judged.
    """
    now, campaign = timezone.now(), Campaign.objects.get()
    people = [new_person(name, languages=["en"]) for name in ("ana", "ben", "cleo", "dina", "eva")]
    rated = [Pair.objects.filter(country=country).first() for country in campaign.settings.countries]
    for pair in rated:
        for person in people:
            stored_rating(person, pair, 4, now)
    recount(campaign, rated)
    Campaign.objects.update(began_at=now - timedelta(minutes=5))
    who = {"organisation": "River Lab", "contact": "river@example.org", "retention": "2099-12-31"}
    save(expected_people=6, moderation="before", **who)
    propose_all("sing in the street", "sing on the street", "ask ana@example.org for soup")
    Pair.objects.filter(attribute="sing in the street").update(moderation="live", negative=None, judged="")


def plant(words: str) -> None:
    """Put words wherever somebody can write: hostile ones."""
    propose_all(words)
    texts = {"en": words}
    question = {"name": "tea", "axis": words[:40], "identity": words, "text": texts, "examples": {"": texts}}
    answers = {"a": texts, "b": texts}
    campaign = save(
        organisation=words,
        contact=words,
        watch_words=[words],
        ui_languages=["en"],
        survey=True,
        help_lines=[{"country": "", "name": words, "contact": words}],
        texts=dict.fromkeys(CampaignTexts.model_fields, texts),
        profile=[{"name": "tea", "label": texts, "purpose": texts, "choices": answers}],
        questions=[question],
    )
    JoinCode.objects.update(label=words)
    for pair in Pair.objects.filter(source="seed"):
        pair.attribute, pair.key, pair.topic = f"{words} {pair.pk}", f"planted {pair.pk}", words[:40]
        pair.save()
    record(campaign, None, "looked", at=words)
