"""Fixtures of the campaign site: a database in memory, a campaign, people; a served campaign and browsers."""

from __future__ import annotations

import json
import random
from uuid import uuid4

import psycopg
import pytest
from django.contrib.auth.hashers import make_password
from django.core.cache import cache
from django.test import Client
from django.utils import timezone, translation

from collect_support.browsing import CHROMIUM, chromium, visit
from collect_support.campaign_folders import copied, endoxa
from collect_support.databases import postgres, postgres_programs
from collect_support.samples import campaign_settings
from collect_support.served import served
from collect_support.site_map import PASSWORD, build
from endoxa_collect.cards import locking
from endoxa_collect.models import (
    Campaign,
    Membership,
    Moderation,
    Pair,
    Person,
    Role,
    SettingsVersion,
    Source,
    State,
)
from endoxa_collect.models import campaign as campaign_model
from endoxa_collect.project.backup import back_up
from endoxa_collect.project.folder import Folder
from endoxa_collect.security.codes import COOKIE, hash_receipt, hash_secret


@pytest.fixture(autouse=True)
def _plain_and_quick(settings):
    # No collected files in tests, passwords that are hashed at once, and nothing kept from the test before.
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    cache.clear()
    settings.STORAGES = {
        **settings.STORAGES,
        "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
    }
    settings.STATISTICS_SECONDS = 0.0
    # Ids begin anew in each test, so what processes remember by id must go.
    locking.clear_all()
    campaign_model._settings.cache_clear()


@pytest.fixture(autouse=True)
def _same_chance(monkeypatch):
    """What chance decides is the same in each run: the places of items, and what a panel asks whom first."""
    random.seed(0)
    chance = random.Random(0)
    monkeypatch.setattr(random, "SystemRandom", lambda: chance)


@pytest.fixture(autouse=True)
def _one_heading(monkeypatch):
    """Every page that a test reaches has exactly one heading of the first level."""
    request = Client.request

    def checked(self, **environment):
        response = request(self, **environment)
        kind = response.headers.get("Content-Type", "")
        if kind.startswith("text/html") and not response.streaming and b"<html" in response.content:
            assert response.content.count(b"<h1") == 1, environment["PATH_INFO"]
        return response

    monkeypatch.setattr(Client, "request", checked)


@pytest.fixture(autouse=True)
def _english():
    # Requests leave their language active in the thread.
    yield
    translation.deactivate()


@pytest.fixture
def make_campaign(db):
    """A function that makes an open campaign with settings of ours, changed as told."""

    def make(slug="river", **changes):
        campaign = Campaign.objects.create(slug=slug, state=State.OPEN, began_at=timezone.now())
        content = json.loads(campaign_settings(**changes).model_dump_json())
        SettingsVersion.objects.create(campaign=campaign, number=1, content=content)
        return campaign

    return make


@pytest.fixture
def campaign(make_campaign):
    return make_campaign()


@pytest.fixture
def make_person(db):
    """A function that makes a contributor; their cookie is `person.cookie`, their receipt code `person.receipt`."""

    def make(campaign, name="ana", **changes):
        facts = {
            "ui_language": "en",
            "consent_version": 1,
            "consent_language": "en",
            "consent_hour": timezone.now().replace(minute=0, second=0, microsecond=0),
            "profile_done": True,
            "origins": ["AR"],
            "languages": ["en", "es"],
            **changes,
        }
        receipt = f"CODE-OF-{name}".upper()
        person = Person.objects.create(
            campaign=campaign, secret_hash=hash_secret(name), receipt_hash=hash_receipt(receipt), **facts
        )
        person.cookie, person.receipt = name, receipt
        return person

    return make


@pytest.fixture
def person(campaign, make_person):
    return make_person(campaign)


@pytest.fixture
def make_pairs(db):
    """A function that makes live pairs of the seeds: (country, attribute, language) each."""

    def make(campaign, *triples, **changes):
        facts = {"source": Source.SEED, "moderation": Moderation.LIVE, **changes}
        return [
            Pair.objects.create(
                campaign=campaign,
                country=country,
                attribute=attribute,
                key=attribute,
                language=language,
                **facts,
            )
            for country, attribute, language in triples
        ]

    return make


@pytest.fixture
def as_person(client):
    """A function that gives the test client the cookie of a person."""

    def become(person):
        client.cookies[COOKIE] = person.cookie
        return client

    return become


@pytest.fixture
def make_account(db, django_user_model):
    """A function that makes an account with roles in a campaign."""

    def make(name, campaign=None, *roles):
        user = django_user_model.objects.create(username=name, password=make_password(PASSWORD))
        for role in roles:
            Membership.objects.create(user=user, campaign=campaign, role=role)
        return user

    return make


@pytest.fixture
def organiser(client, campaign, make_account):
    """The test client, signed in as an organiser of the campaign."""
    client.force_login(make_account("ana", campaign, Role.ORGANISER))
    return client


@pytest.fixture
def world(make_campaign, make_person, make_pairs, make_account):
    """A campaign with one of everything, to be walked through."""
    return build(make_campaign, make_person, make_pairs, make_account)


@pytest.fixture(scope="session")
def campaigns(tmp_path_factory):
    """A folder that holds the campaign `camp`, its backup `camp.zip`, and what `init` printed of it, `init.txt`."""
    place = tmp_path_factory.mktemp("campaigns")
    made = endoxa(
        "init", place / "camp", "--preset", "laces", "--organisation", "River Lab", "--contact", "555"
    )
    assert made.returncode == 0, made.stderr
    (place / "init.txt").write_text(made.stdout, encoding="utf-8")
    back_up(Folder(place / "camp"), place / "camp.zip")
    return place


@pytest.fixture
def copy(campaigns, tmp_path):
    """A copy of that campaign, to be changed."""
    return copied(campaigns / "camp", tmp_path / "camp")


@pytest.fixture(scope="session")
def database_server():
    """The address of a PostgreSQL server of ours."""
    programs = postgres_programs()
    if programs is None:
        pytest.skip("PostgreSQL is not installed (apt-get install postgresql)")
    with postgres(programs) as url:
        yield url


@pytest.fixture
def postgresql(database_server):
    """The DATABASE_URL of an empty database on that server."""
    name = f"of_{uuid4().hex}"
    with psycopg.connect(database_server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    return f"{database_server.rpartition('/')[0]}/{name}"


@pytest.fixture(scope="module")
def preset():
    """What the served campaign starts from."""
    return "laces"


@pytest.fixture(scope="module")
def site(tmp_path_factory, preset):
    """A campaign, made and served by the command line; open questions come only once no pair waits for ratings."""
    place = tmp_path_factory.mktemp("site") / "camp"
    with served(place, preset=preset, early_questions=False, options=("--workers", "1")) as running:
        yield running


@pytest.fixture(scope="module")
def browser():
    """Of a module, not of the session: while it runs, Django allows no database access in this process."""
    if CHROMIUM is None:
        pytest.skip("no browser is installed (apt-get install chromium-headless-shell)")
    with chromium() as running:
        yield running


@pytest.fixture
def phone(browser, site):
    with visit(browser, site.address) as one:
        yield one


@pytest.fixture
def plain_phone(browser, site):
    """A phone with JavaScript switched off."""
    with visit(browser, site.address, java_script_enabled=False) as one:
        yield one
