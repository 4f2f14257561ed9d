"""A whole visit with distinctive headers and hostile words: what is kept of it, and how it is shown."""

from __future__ import annotations

import io
import logging

import pytest
from django.apps import apps
from django.db.models import CharField
from django.test import Client

from collect_support.form_filler import Page, posting, send
from collect_support.site_map import PASSWORD, addresses
from endoxa_collect.contributor.progress import COVERS_COOKIE
from endoxa_collect.models import Mention, Pair, Person, Rating, Role, Statement
from endoxa_collect.security.codes import COOKIE
from endoxa_collect.security.logs import LOGGING, PlacesOnly

TRACES = (
    "198.51.100.77",
    "203.0.113.99",
    "Kestrel/7.3",
    "ana@river.example",
    "fr-CA",
    "elsewhere.example/from",
)
HEADERS = {
    "REMOTE_ADDR": TRACES[0],
    "HTTP_X_FORWARDED_FOR": TRACES[1],
    "HTTP_X_REAL_IP": TRACES[1],
    "HTTP_FORWARDED": f"for={TRACES[1]}",
    "HTTP_USER_AGENT": TRACES[2],
    "HTTP_FROM": TRACES[3],
    "HTTP_ACCEPT_LANGUAGE": f"{TRACES[4]},en;q=0.1",
    "HTTP_REFERER": f"http://{TRACES[5]}",
}
HOSTILE = (
    "<hostile-tag>music</hostile-tag>",
    "<img src=x onerror=hostile()>",
    '"><svg onload=hostile()>',
    "' autofocus onfocus='hostile()",
    "</textarea></title></script><script>hostile()</script>",
    "javascript:hostile()",
    "{{ 7|add:7 }}{% debug %}",
    "&lt;script&gt;hostile()&lt;/script&gt;",
    "<a href=//hostile.example>tea</a>",
    "=HYPERLINK(1)",
)
LONG = "mate " * 2_000


def visit(client, write, rounds=6, seen=lambda response: None):
    """Join with the code, then fill in and send every form that each page shows, several times."""

    def answered(at, page, *but):
        for form in posting(page, "language", "leave", *but):
            for button in {0, max(0, len(form.buttons) - 1)}:
                response = send(client, at, form, write, button)
                seen(response)
                yield (response.redirect_chain[-1][0] if response.redirect_chain else at), response

    join = "/j/MATE2345/"
    list(answered(join, Page(client.get(join).content.decode())))
    for _ in range(rounds):
        for at in ("/profile/", "/survey/", "/survey/women/", "/card/", "/pause/"):
            first = client.get(at, follow=True)
            here = first.redirect_chain[-1][0] if first.redirect_chain else at
            for after, response in answered(here, Page(first.content.decode())):
                list(answered(after, Page(response.content.decode()), "/undo/"))


def only_own_words(write):
    """Leaves fields empty that take names of countries and languages only."""
    return lambda name: "" if any(part in name for part in ("typed", "another", "countr")) else write(name)


def everything():
    """All that all tables hold, as text; sessions decoded."""
    rows = []
    for model in apps.get_models():
        rows += [repr(row) for row in model.objects.values_list()]
        if model.__name__ == "Session":
            rows += [repr(session.get_decoded()) for session in model.objects.all()]
    return "\n".join(rows)


@pytest.mark.slow
def test_a_whole_visit_leaves_answers_and_no_trace_of_the_device(world):
    client = Client(**HEADERS)
    words = iter(f"drink tea {n} times" for n in range(10_000))
    visit(client, only_own_words(lambda name: next(words)), rounds=2)
    client.post("/organise/login/", {"username": "organiser", "password": PASSWORD})
    client.get("/organise/river/")
    client.post("/organise/login/", {"username": TRACES[3], "password": "wrong"})
    client.get("/j/WRNG2345/")
    assert Rating.objects.exclude(person=world.person).exists()
    assert Mention.objects.exclude(person=world.person).exists()
    assert Statement.objects.exclude(person=world.person).exists()
    kept = everything()
    assert [trace for trace in TRACES if trace.lower() in kept.lower()] == []
    for cookie in ("endoxa_contributor", "csrftoken"):
        assert client.cookies[cookie].value not in kept
    newcomer = Person.objects.exclude(pk=world.person.pk).get()
    assert newcomer.consent_hour.minute == newcomer.consent_hour.second == 0


@pytest.mark.slow
def test_hostile_words_are_shown_as_words_on_every_page(world, make_person):
    client = Client()
    words = iter(HOSTILE * 1_000)

    def check(response):
        check_elements(Page(response.content.decode()), response.request["PATH_INFO"])

    visit(client, only_own_words(lambda name: next(words)), rounds=2, seen=check)
    visit(client, lambda name: next(words), rounds=1, seen=check)
    hostile = Pair.objects.filter(attribute__icontains="hostile")
    assert hostile.count() > 3
    Pair.objects.exclude(pk__in=hostile).update(moderation="hidden")
    Pair.objects.filter(pk__in=list(hostile.values_list("pk", flat=True))[::2]).update(moderation="live")
    reader, organiser = Client(), Client()
    reader.cookies[COOKIE] = make_person(world.campaign, "eve", languages=[]).cookie
    reader.cookies[COVERS_COOKIE] = "1"
    organiser.force_login(world.accounts[Role.ORGANISER])
    shown = set()
    for browser in (client, reader, organiser):
        for one in addresses():
            response = browser.get(one.at({**world.known, "item": hostile.first().public_id}))
            if "html" in response.headers.get("Content-Type", "") and not response.streaming:
                text = response.content.decode()
                shown |= {one.name} if "hostile" in text else set()
                check_elements(Page(text), one.name)
    assert {"contributor:card", "contributor:survey_question", "organiser:moderation"} <= shown


def check_elements(page, name):
    for tag, facts in page.elements:
        assert tag != "hostile-tag", name
        assert not any(key.startswith("on") for key in facts), (name, facts)
        assert "hostile.example" not in (facts.get("href") or ""), name
        assert not (facts.get("href") or facts.get("action") or "").startswith("javascript:"), name
        assert tag != "script" or (facts.get("src") or "").startswith("/static/"), (name, facts)


@pytest.mark.slow
def test_too_long_words_are_refused_kindly_or_cut(world):
    visit(Client(), lambda name: LONG, rounds=1)
    visit(Client(), only_own_words(lambda name: LONG), rounds=1)
    for model in apps.get_models():
        for column in model._meta.get_fields():
            if isinstance(column, CharField) and column.max_length:
                values = model.objects.values_list(column.name, flat=True)
                assert all(len(str(value or "")) <= column.max_length for value in values), (model, column)


class TestLogs:
    @pytest.fixture
    def written(self):
        text = io.StringIO()
        handler = logging.StreamHandler(text)
        handler.setFormatter(PlacesOnly())
        logging.getLogger().addHandler(handler)
        yield text
        logging.getLogger().removeHandler(handler)

    def test_an_error_leaves_its_place_and_nothing_of_the_request(self, world, written, monkeypatch):
        def broken(*_, **__):
            try:
                {}["words of ana"]
            except KeyError as problem:
                raise ValueError("Key (text)=(words of ana) already exists") from problem

        monkeypatch.setattr("endoxa_collect.contributor.leaving.ReceiptForm", broken)
        client = Client(raise_request_exception=False, **HEADERS)
        response = client.post("/leave/?from=ana@river.example", {"code": "QQQQ-RRRR-SSSS"})
        assert response.status_code == 500
        log = written.getvalue()
        assert "builtins.ValueError" in log
        assert "builtins.KeyError" in log
        assert "test_privacy.py" in log
        assert "(page contributor:leave)" in log
        for private in (*TRACES, "words of ana", "QQQQ", "from="):
            assert private not in log, private
            assert private not in response.content.decode(), private

    def test_refused_and_missing_pages_are_not_written_down(self, world, written, settings):
        settings.ALLOWED_HOSTS = ["testserver"]
        client = Client(enforce_csrf_checks=True, **HEADERS)
        client.get("/j/WRNG2345/secret/")
        client.post("/leave/", {"code": "QQQQ"})
        client.get("/", headers={"host": "elsewhere.example"})
        assert written.getvalue() == ""

    def test_every_handler_of_the_site_writes_places_only(self):
        formatters = {handler["formatter"] for handler in LOGGING["handlers"].values()}
        assert {LOGGING["formatters"][name]["()"] for name in formatters} == {PlacesOnly}
        assert all(not facts["handlers"] for facts in LOGGING["loggers"].values())
