"""/health, /robots.txt, and what a wrong proxy is told."""

from __future__ import annotations

import pytest
from django.db import DatabaseError
from django.test import Client

from endoxa_collect import health
from endoxa_collect.health import Asked, faults
from endoxa_collect.models import Campaign, State

SITE = "https://camp.example.org"
WELL = {"ok": True, "https": True, "addresses_passed_on": False}


@pytest.mark.django_db
def test_health_says_yes_or_no_for_each_part_and_nothing_else(
    client: Client, monkeypatch: pytest.MonkeyPatch
):
    answer = client.get("/health", headers={"X-Forwarded-For": "203.0.113.7"})
    parts = dict.fromkeys(("ok", "database", "migrations", "disk", "addresses_passed_on"), True)
    assert answer.json() == parts | {"https": False}
    monkeypatch.setattr(health, "disk_is_full", lambda: True)
    health._LATELY.clear()
    answer = client.get("/health")
    assert (answer.status_code, answer.json()["ok"], answer.json()["disk"]) == (503, False, False)


@pytest.mark.django_db
def test_health_answers_without_a_database(client: Client, monkeypatch: pytest.MonkeyPatch):
    def refuse(_connection: object):
        raise DatabaseError

    monkeypatch.setattr(health, "MigrationExecutor", refuse)
    health._LATELY.clear()
    answer = client.get("/health")
    assert (answer.status_code, answer.json()["database"]) == (503, False)
    health._LATELY.clear()


@pytest.mark.django_db
def test_only_results_that_are_public_may_be_listed(client: Client, campaign: Campaign):
    hidden = "User-agent: *\nDisallow: /\n"
    assert client.get("/robots.txt").content.decode() == hidden
    path = f"/results/{campaign.slug}/"
    assert "noindex" in client.get(path).headers["X-Robots-Tag"]
    campaign.state = State.CLOSED
    campaign.save()
    allowed = f"User-agent: *\nAllow: {path}\nDisallow: /\n"
    assert client.get("/robots.txt").content.decode() == allowed
    page = client.get(path)
    assert "noindex" not in page.headers["X-Robots-Tag"]
    assert "noindex" not in page.content.decode()


@pytest.mark.parametrize(
    ("outside", "local", "https", "said"),
    [
        (Asked(200, WELL), None, True, []),
        (Asked(0, {}, "Connection refused"), None, True, ["cannot be reached (Connection refused)"]),
        # The site knows the name, so the proxy asked by another one.
        (Asked(400, {}), Asked(200, WELL), True, ["let it pass Host on"]),
        (Asked(400, {}), Asked(400, {}), True, ["list it in ENDOXA_HOSTS"]),
        (Asked(502, {}), None, True, ["answers 502"]),
        (Asked(200, {**WELL, "https": False}), None, False, ["ENDOXA_HTTPS=1"]),
        (Asked(200, {**WELL, "https": False}), None, True, ["X-Forwarded-Proto"]),
        (Asked(200, {**WELL, "addresses_passed_on": True}), None, True, ["remove X-Forwarded-For"]),
    ],
)
def test_the_check_names_what_is_wrong_with_the_proxy(
    outside: Asked, local: Asked | None, https: bool, said: list[str]
):
    found = list(faults(SITE, outside, local, https_expected=https))
    assert len(found) == len(said)
    assert all(words in sentence for words, sentence in zip(said, found, strict=True))
