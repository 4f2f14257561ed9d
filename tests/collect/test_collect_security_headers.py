"""Headers, cookies, limits on what is sent, and how often wrong codes may be tried."""

from __future__ import annotations

import re
import runpy

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from site_map import PASSWORD, addresses, build

import endoxa.collect.settings
from endoxa.collect.cards import drawing
from endoxa.collect.contributor.identity import COOKIE
from endoxa.collect.models import Attempts, Role
from endoxa.collect.security import limits, throttle
from endoxa.collect.security.headers import HEADERS

POLICY = {
    "default-src": ["'none'"],
    "script-src": ["'self'"],
    "style-src": ["'self'"],
    "img-src": ["'self'", "data:"],
    "connect-src": ["'self'"],
    "form-action": ["'self'"],
    "base-uri": ["'none'"],
    "frame-ancestors": ["'none'"],
}


@pytest.fixture
def world(settings, make_campaign, make_person, make_pairs, make_account):
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    return build(make_campaign, make_person, make_pairs, make_account)


def check(response):
    for name, value in HEADERS.items():
        assert response.headers[name] == value, response.request["PATH_INFO"]
    parts = [part.split() for part in response.headers["Content-Security-Policy"].split(";")]
    assert {name: values for name, *values in parts} == POLICY
    assert "no-store" in response.headers["Cache-Control"], response.request["PATH_INFO"]
    assert "Server" not in response.headers
    response.close()


def test_every_page_has_every_header(world):
    contributor, organiser = Client(), Client()
    contributor.cookies[COOKIE] = world.person.cookie
    organiser.force_login(world.accounts[Role.ORGANISER])
    for client in (Client(), contributor, organiser):
        for one in addresses():
            check(client.get(one.at(world.known)))
            check(client.post(one.at(world.known)))


def test_errors_have_every_header(world, settings, monkeypatch):
    settings.ALLOWED_HOSTS = ["testserver"]
    client = Client(enforce_csrf_checks=True, raise_request_exception=False)
    found = {
        404: client.get("/nothing/here/"),
        403: client.post("/language/"),
        400: client.get("/", headers={"host": "elsewhere.example"}),
    }

    def broken(*_, **__):
        raise RuntimeError

    monkeypatch.setattr("endoxa.collect.contributor.identity.person_of", broken)
    client.cookies[COOKIE] = "x"
    found[500] = client.get("/")
    for status, response in found.items():
        assert response.status_code == status
        check(response)


def test_https_is_remembered_and_cookies_are_secure(world, settings):
    settings.SECURE_HSTS_SECONDS = 31_536_000
    settings.SESSION_COOKIE_SECURE = settings.CSRF_COOKIE_SECURE = settings.LANGUAGE_COOKIE_SECURE = True
    settings.HTTPS = True
    client = Client()
    response = client.get("/", secure=True)
    assert response.headers["Strict-Transport-Security"].startswith("max-age=31536000")
    client.post("/language/", {"language": "es", "next": "/"}, secure=True)
    client.post("/organise/login/", {"username": "organiser", "password": PASSWORD}, secure=True)
    assert {"csrftoken", "endoxa_language", "endoxa_account"} <= set(client.cookies)
    for cookie in client.cookies.values():
        assert cookie["httponly"], cookie
        assert cookie["secure"], cookie
        assert cookie["samesite"] == "Lax", cookie
    assert client.cookies["endoxa_account"]["path"] == "/organise/"


def settings_with(monkeypatch, **variables):
    for name in ("DATABASE_URL", "ENDOXA_CAMPAIGN", "ENDOXA_HTTPS", "ENDOXA_HOSTS"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    return runpy.run_path(endoxa.collect.settings.__file__)


def test_settings_follow_the_environment(monkeypatch, tmp_path):
    (tmp_path / "secret.key").write_text("a secret of ours\n")
    plain = settings_with(monkeypatch, ENDOXA_CAMPAIGN=str(tmp_path))
    assert plain["SECRET_KEY"] == "a secret of ours"
    assert plain["SECURE_PROXY_SSL_HEADER"] is None
    assert plain["SECURE_HSTS_SECONDS"] == 0
    names = "collect.example.org, www.example.org"
    behind = settings_with(monkeypatch, ENDOXA_HTTPS="1", ENDOXA_HOSTS=names, DEBUG="1", DJANGO_DEBUG="1")
    assert behind["ALLOWED_HOSTS"] == names.split(", ")
    assert behind["CSRF_TRUSTED_ORIGINS"] == ["https://collect.example.org", "https://www.example.org"]
    assert behind["SECURE_HSTS_SECONDS"] >= 31_536_000
    assert all(behind[f"{name}_COOKIE_SECURE"] for name in ("SESSION", "CSRF", "LANGUAGE"))
    assert not any(facts["DEBUG"] for facts in (plain, behind))
    first, second = (settings_with(monkeypatch)["SECRET_KEY"] for _ in range(2))
    assert first != second


@pytest.mark.parametrize(
    ("origin", "status"),
    [("https://collect.example.org", 302), ("https://elsewhere.example", 403), ("null", 403)],
)
def test_behind_a_proxy_forms_come_from_our_own_name_only(world, settings, origin, status):
    settings.ALLOWED_HOSTS = ["collect.example.org"]
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    headers = {"host": "collect.example.org", "x-forwarded-proto": "https"}
    client = Client(enforce_csrf_checks=True)
    token = re.search(
        r'csrfmiddlewaretoken" value="(\w+)"', client.get("/", headers=headers).content.decode()
    )[1]
    data = {"language": "es", "next": "/", "csrfmiddlewaretoken": token}
    assert client.post("/language/", data, headers={**headers, "origin": origin}).status_code == status


def test_the_session_of_an_account_changes_when_it_signs_in_and_ends_when_it_signs_out(world):
    client = Client()
    client.cookies["endoxa_account"] = planted = "a" * 32
    client.post("/organise/login/", {"username": "organiser", "password": PASSWORD})
    first = client.cookies["endoxa_account"].value
    assert first != planted
    again = Client()
    again.post("/organise/login/", {"username": "organiser", "password": PASSWORD})
    assert again.cookies["endoxa_account"].value != first
    client.post("/organise/logout/")
    client.cookies["endoxa_account"] = first
    assert client.get("/organise/").status_code == 302


@pytest.mark.parametrize(("address", "limit"), [("/language/", 2**20), ("/organise/login/", 3 * 2**20)])
def test_too_long_bodies_are_refused_before_they_are_read(world, address, limit):
    file = SimpleUploadedFile("seeds.csv", b"x" * limit)
    response = Client().post(address, {"file": file})
    assert response.status_code == 413
    assert f"up to {limit // 2**20} megabyte" in response.content.decode()
    check(response)
    file = SimpleUploadedFile("seeds.csv", b"x" * (limit - 1_000))
    assert Client().post(address, {"file": file}).status_code != 413


@pytest.mark.parametrize("length", ["-1", "1e3", "x", "9" * 30])
def test_odd_lengths_are_refused(world, length):
    assert Client().get("/", CONTENT_LENGTH=length).status_code in {400, 413}


class TestThrottle:
    @pytest.fixture(autouse=True)
    def _clock(self, db, monkeypatch):
        self.now = 1_000_000.0
        monkeypatch.setattr("endoxa.collect.security.throttle.time.time", lambda: self.now)

    def test_counts_within_a_window(self):
        tried = [throttle.allow("join", "ana", limit=3, seconds=60) for _ in range(5)]
        assert tried == [True, True, True, False, False]
        assert throttle.allow("join", "ben", limit=3, seconds=60)
        assert throttle.allow("receipt", "ana", limit=3, seconds=60)
        self.now += 60
        assert throttle.allow("join", "ana", limit=3, seconds=60)

    def test_looking_counts_nothing_and_clearing_forgets(self):
        for _ in range(3):
            assert not throttle.exhausted("join", "ana", limit=2, seconds=60) or _ == 2
            throttle.allow("join", "ana", limit=2, seconds=60)
        assert throttle.exhausted("join", "ana", limit=2, seconds=60)
        throttle.clear("join", "ana", seconds=60)
        assert not throttle.exhausted("join", "ana", limit=2, seconds=60)

    def test_keys_are_hashed_and_old_windows_are_deleted(self):
        for minute in range(10):
            self.now = 1_000_000.0 + 60 * minute
            throttle.allow("join", "ana", limit=3, seconds=60)
        rows = list(Attempts.objects.values_list("name", flat=True))
        assert len(rows) <= 2
        assert all(len(name) == 64 and "ana" not in name for name in rows)

    def test_another_worker_may_open_the_window_first(self, monkeypatch):
        def slower(name, start, seconds):
            Attempts.objects.create(name=name, start=start, ends=start + seconds, count=1)
            return False

        monkeypatch.setattr(throttle, "_first", slower)
        assert throttle.allow("join", "ana", limit=2, seconds=60)
        assert Attempts.objects.get().count == 2


@pytest.mark.parametrize("way", ["code", "receipt"])
def test_wrong_codes_are_counted_for_a_browser_but_not_for_the_room(world, way):
    limit = limits.JOIN_BROWSER if way == "code" else limits.RECEIPT_BROWSER

    def guess(client, code):
        if way == "code":
            return client.get(f"/j/{code}/")
        return client.post("/leave/", {"code": code})

    guesser, neighbour = Client(), Client()
    guesser.get("/")
    statuses = [guess(guesser, f"WRNG{n:04}").status_code for n in range(limit.tries + 1)]
    assert 429 not in statuses[:-1]
    assert statuses[-1] == 429
    refused = guess(guesser, "MATE2345")
    assert refused.status_code == 429
    assert int(refused.headers["Retry-After"]) > 0
    check(refused)
    neighbour.get("/")
    assert guess(neighbour, "MATE2345").status_code == 200


def test_a_room_behind_one_address_joins_at_once(world):
    for _ in range(120):
        assert Client().get("/j/MATE2345/").status_code == 200
    assert not Attempts.objects.exists()


def test_addresses_play_no_part_in_limits(world):
    client = Client()
    client.get("/")
    for n in range(limits.JOIN_BROWSER.tries):
        client.get(
            f"/j/WRNG{n:04}/", REMOTE_ADDR=f"198.51.100.{n}", headers={"x-forwarded-for": f"203.0.113.{n}"}
        )
    assert client.get("/j/MATE2345/", REMOTE_ADDR="198.51.100.200").status_code == 429


def test_guesses_without_any_cookie_meet_the_ceiling_of_the_site(world, monkeypatch):
    for _ in range(limits.JOIN_SITE.tries):
        limits.JOIN_SITE.count(throttle.SITE)
    assert Client().get("/j/MATE2345/").status_code == 429


def test_an_account_is_locked_after_wrong_passwords_and_others_are_not(world):
    def sign_in(name, password):
        return Client().post("/organise/login/", {"username": name, "password": password}).status_code

    for _ in range(limits.LOGIN_ACCOUNT.tries):
        assert sign_in("organiser", "wrong password") == 200
    assert sign_in("organiser", PASSWORD) in {200, 429}
    assert sign_in("moderator", PASSWORD) == 302


def test_a_person_who_proposes_without_end_must_wait_and_neighbours_need_not(world, make_person, monkeypatch):
    monkeypatch.setattr(
        "endoxa.collect.contributor.cards.adding.PROPOSALS", limits.Limit("proposals", 3, 600)
    )

    def add(person, count):
        client = Client()
        client.cookies[COOKIE] = person.cookie
        card = drawing.next_card(person)
        client.post(f"/card/{card.token}/rate/", {"value": "4"})
        words = [{"text": f"drink tea {n} times", "language": "en"} for n in range(count)]
        return [client.post(f"/card/{card.token}/add/", one).status_code for one in words]

    assert add(world.person, 4) == [302, 302, 302, 429]
    assert add(make_person(world.campaign, "ben"), 1) == [302]
