"""Headers, cookies, limits on what is sent."""

from __future__ import annotations

import re
import runpy
import socket

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http.request import validate_host
from django.test import Client

import endoxa_collect.settings
from collect_support.site_map import PASSWORD, addresses
from endoxa_collect.addresses import lan_address
from endoxa_collect.anonymous import new_ticket
from endoxa_collect.models import Role
from endoxa_collect.security.codes import COOKIE

pytestmark = pytest.mark.slow

HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; worker-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "accelerometer=(), browsing-topics=(), camera=(), display-capture=(), geolocation=(), "
    "gyroscope=(), magnetometer=(), microphone=(), midi=(), payment=(), publickey-credentials-get=(), serial=(), "
    "usb=()",
    "Referrer-Policy": "same-origin",
    "Server": "web",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "X-Robots-Tag": "noindex, nofollow, noarchive",
}
"""Written out, so that a header that is weakened by mistake is seen."""
INLINE = re.compile(
    r"<script(?![^>]*\bsrc=)|<style|\sstyle=|\son[a-z]+=|javascript:|/static/admin/|(?:src|action)=[\"']?(?:https?:)?//"
)


def check(response):
    headers = dict(response.headers)
    assert headers.items() >= HEADERS.items(), response.request["PATH_INFO"]
    assert "no-store" in headers["Cache-Control"], response.request["PATH_INFO"]
    if headers.get("Content-Type", "").startswith("text/html") and not response.streaming:
        assert not INLINE.search(response.content.decode()), response.request["PATH_INFO"]
    response.close()


def test_every_page_has_every_header(world):
    contributor, organiser = Client(), Client()
    contributor.cookies[COOKIE] = world.person.cookie
    organiser.force_login(world.accounts[Role.ORGANISER])
    for client in (contributor, organiser):
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

    monkeypatch.setattr("endoxa_collect.anonymous.person_of", broken)
    client.cookies[COOKIE] = "x"
    found[500] = client.get("/")
    for status, response in found.items():
        assert response.status_code == status
        check(response)


@pytest.mark.parametrize("language", ["en", "ar"])
def test_an_address_that_is_not_ours_gets_a_sentence_that_does_not_repeat_it(settings, db, language):
    settings.ALLOWED_HOSTS = ["testserver"]
    response = Client().get("/", headers={"host": "elsewhere.example", "accept-language": language})
    page = response.content.decode()
    assert f'lang="{language}"' in page
    assert "elsewhere" not in page
    assert ("ask the organisers for the new address" in page) == (language == "en")
    assert "href" not in page.split("<main")[1]


@pytest.mark.parametrize("charset", ["utf-16", "latin-1", "x"])
def test_forms_in_another_encoding_are_refused(world, charset):
    client = Client(raise_request_exception=False)
    kind = f"application/x-www-form-urlencoded; charset={charset}"
    response = client.generic("POST", "/", b"code=x", content_type=kind)
    assert response.status_code == 415
    check(response)
    plain = kind.replace(charset, "UTF-8")
    assert client.generic("POST", "/", b"code=x", content_type=plain).status_code == 200


def test_https_is_remembered_and_cookies_are_secure(world, settings):
    settings.SECURE_HSTS_SECONDS = 31_536_000
    settings.SESSION_COOKIE_SECURE = settings.CSRF_COOKIE_SECURE = settings.LANGUAGE_COOKIE_SECURE = True
    settings.HTTPS = True
    client = Client()
    response = client.get("/", secure=True)
    assert response.headers["Strict-Transport-Security"].startswith("max-age=31536000")
    client.post("/language/", {"language": "es", "next": "/"}, secure=True)
    client.post("/organise/login/", {"username": "organiser", "password": PASSWORD}, secure=True)
    boxes = {"age": "on", "take_part": "on", "publication": "on", "version": 1, "ticket": new_ticket()}
    client.post("/j/MATE2345/", boxes, secure=True)
    client.post("/card/covers/", {"covers": "lift"}, secure=True)
    assert set(client.cookies) == {
        "csrftoken", "endoxa_language", "endoxa_account", "endoxa_contributor",
        "endoxa_known_browser", "endoxa_uncovered",
    }  # fmt: skip
    for cookie in client.cookies.values():
        assert cookie["httponly"], cookie
        assert cookie["secure"], cookie
        assert cookie["samesite"] == "Lax", cookie
    for name in ("endoxa_account", "endoxa_known_browser"):
        assert client.cookies[name]["path"] == "/organise/"


def settings_with(monkeypatch, **variables):
    for name in ("DATABASE_URL", "ENDOXA_CAMPAIGN", "ENDOXA_HTTPS", "ENDOXA_HOSTS", "ENDOXA_LISTENING"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    return runpy.run_path(endoxa_collect.settings.__file__)


def test_settings_follow_the_environment(monkeypatch, tmp_path):
    (tmp_path / "secret.key").write_text("a secret of ours\n")
    plain = settings_with(monkeypatch, ENDOXA_CAMPAIGN=str(tmp_path))
    assert plain["SECRET_KEY"] == "a secret of ours"
    assert plain["SECURE_PROXY_SSL_HEADER"] is None
    assert plain["SECURE_HSTS_SECONDS"] == 0
    own = plain["ALLOWED_HOSTS"]
    assert {"localhost", "127.0.0.1", "[::1]", socket.gethostname().lower(), lan_address()} <= set(own)
    assert not validate_host("elsewhere.example", own)
    assert "*" not in own
    for listening, host in (("127.0.0.2", "127.0.0.2:8000"), ("fd00::7", "[fd00::7]:8000")):
        known = settings_with(monkeypatch, ENDOXA_LISTENING=listening)["ALLOWED_HOSTS"]
        assert validate_host(host.rpartition(":")[0], known)
        assert set(own) < set(known)
    assert settings_with(monkeypatch, ENDOXA_LISTENING="0.0.0.0")["ALLOWED_HOSTS"] == own
    assert settings_with(monkeypatch, ENDOXA_HOSTS="*")["ALLOWED_HOSTS"] == ["*"]
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


@pytest.mark.parametrize(("address", "limit"), [("/language/", 2**20), ("/organise/login/", 3 * 2**20)])
def test_too_long_bodies_and_odd_lengths_are_refused_before_they_are_read(world, address, limit):
    for length in ("-1", "1e3", "x", "9" * 30):
        assert Client().get("/", CONTENT_LENGTH=length).status_code in {400, 413}
    file = SimpleUploadedFile("seeds.csv", b"x" * limit)
    response = Client().post(address, {"file": file})
    assert response.status_code == 413
    assert f"up to {limit // 2**20} megabyte" in response.content.decode()
    check(response)
    file = SimpleUploadedFile("seeds.csv", b"x" * (limit - 1_000))
    assert Client().post(address, {"file": file}).status_code != 413
