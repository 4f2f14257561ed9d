"""How often codes, passwords, enrolments and proposals may be tried: every ceiling, reached by real requests."""

from __future__ import annotations

import pytest
from django.contrib.auth.hashers import MD5PasswordHasher
from django.test import Client

from collect_support.site_map import PASSWORD
from endoxa_collect.anonymous import new_ticket
from endoxa_collect.cards import drawing
from endoxa_collect.models import Attempts, Person
from endoxa_collect.project import starting
from endoxa_collect.security import codes, limits
from endoxa_collect.security.codes import COOKIE, hash_receipt

pytestmark = pytest.mark.slow


class Clock:
    """Time that stands still in the counting of tries, so that no test meets the end of a window."""

    now = 1_000_020.0

    def time(self):
        return self.now


@pytest.fixture(autouse=True)
def clock(monkeypatch):
    standing = Clock()
    monkeypatch.setattr(limits, "time", standing)
    return standing


LIMIT = limits.Limit("join", 3, 60)


def test_looking_counts_nothing_clearing_forgets_and_keys_are_hashed(db, clock):
    for number in range(4):
        assert LIMIT.exhausted("ana") is (number == 3)
        assert LIMIT.count("ana") is (number < 3)
    LIMIT.clear("ana")
    assert not LIMIT.exhausted("ana")
    for _ in range(10):
        clock.now += 60
        LIMIT.count("ana")
    names = list(Attempts.objects.values_list("name", flat=True))
    assert len(names) <= 2  # old windows are deleted
    assert all(len(name) == 64 and "ana" not in name for name in names)


RECEIPT = "WQ7M-4KDP-2LMZ"


def by_address(client, code):
    return client.get(f"/j/{code}/")


def typed(client, code):
    return client.post("/", {"code": code})


def to_leave(client, code):
    return client.post("/leave/", {"code": code})


@pytest.fixture
def right(world):
    """A right code for each way to guess."""
    Person.objects.filter(pk=world.person.pk).update(receipt_hash=hash_receipt(RECEIPT))
    return {by_address: "MATE2345", typed: "MATE2345", to_leave: RECEIPT}


@pytest.mark.parametrize(("guess", "tries"), [(by_address, 20), (typed, 20), (to_leave, 10)])
def test_wrong_codes_are_counted_for_a_browser_but_not_for_the_room(right, clock, guess, tries):
    guesser, neighbour = Client(), Client()
    guesser.get("/")
    statuses = [guess(guesser, f"WRNG{n:04}").status_code for n in range(tries + 1)]
    assert 429 not in statuses[:-1]
    assert statuses[-1] == 429
    refused = guess(guesser, right[guess])
    assert refused.status_code == 429
    assert refused.headers["Retry-After"] == "600"
    assert "10 minutes" in refused.content.decode()
    neighbour.get("/")
    assert guess(neighbour, right[guess]).status_code in {200, 302}
    clock.now += 600
    assert guess(guesser, right[guess]).status_code in {200, 302}


def spend(limit, key, left):
    """All tries of a window but some: as many rows of real requests would take minutes."""
    limit.count(key)
    Attempts.objects.filter(name=limit._name(key)).update(count=limit.tries - left)


@pytest.mark.parametrize(
    ("guess", "guesses", "tries"),
    [(by_address, limits.JOIN, 600), (typed, limits.JOIN, 600), (to_leave, limits.RECEIPT, 300)],
)
def test_a_flood_of_wrong_codes_keeps_nobody_with_a_right_one_out(right, guess, guesses, tries):
    assert guesses.site.tries == tries
    spend(guesses.site, limits.SITE, left=2)
    assert {guess(Client(), f"WRNG{n:04}").status_code for n in range(2)} <= {200, 404}
    refused = guess(Client(), "WRNG2345")
    assert refused.status_code == 429
    assert refused.headers["Retry-After"] == "60"
    assert "1 minute " in refused.content.decode()
    assert guess(Client(), right[guess]).status_code in {200, 302}


def test_a_room_behind_one_address_joins_at_once_and_addresses_play_no_part(world):
    for _ in range(30):
        assert Client().get("/j/MATE2345/").status_code == 200
    assert not Attempts.objects.exists()
    client = Client()
    client.get("/")
    for n in range(20):
        other = {"REMOTE_ADDR": f"198.51.100.{n}", "HTTP_X_FORWARDED_FOR": f"203.0.113.{n}"}
        client.get(f"/j/WRNG{n:04}/", **other)
    assert client.get("/j/MATE2345/", REMOTE_ADDR="198.51.100.200").status_code == 429


def sign_in(name, password=PASSWORD, client=None):
    sent = {"username": name, "password": password}
    return (client or Client()).post("/organise/login/", sent).status_code == 302


def test_an_account_is_locked_after_wrong_passwords_and_others_are_not(world, clock):
    # A right password gives the tries back.
    for _ in range(2):
        assert not any(sign_in("organiser", "wrong password") for _ in range(4))
        assert sign_in("organiser")
    assert not any(sign_in("organiser", "wrong password") for _ in range(5))
    assert not sign_in("organiser")
    assert sign_in("moderator")
    clock.now += 120
    assert not sign_in("organiser")
    clock.now += 480
    assert sign_in("organiser")


def test_a_name_without_an_account_is_locked_alike(world):
    def told(name):
        page = Client().post("/organise/login/", {"username": name, "password": "wrong password"})
        return page.context["form"].non_field_errors()

    said = [[told(name) for _ in range(6)] for name in ("organiser", "nobody")]
    assert said[0] == said[1]
    assert ["tried too often" in errors[0] for errors in said[0]] == [False] * 5 + [True]


class TestFloodsOfPasswords:
    @pytest.fixture
    def known(self, world):
        client = Client()
        assert sign_in("organiser", client=client)
        client.post("/organise/logout/")
        return client

    @pytest.fixture
    def flood(self, known):
        assert not any(sign_in("organiser", "wrong password") for _ in range(5))
        assert limits.LOGIN_SITE.tries == 300
        spend(limits.LOGIN_SITE, limits.SITE, left=1)
        assert not sign_in("nobody", "wrong password")

    def test_a_browser_that_signed_in_before_is_not_concerned(self, known, flood):
        assert not sign_in("organiser")
        assert not sign_in("moderator")
        assert not sign_in("moderator", client=known)  # it is known for its account only
        assert sign_in("organiser", client=known)

    def test_while_a_worker_looks_at_one_others_are_refused_at_once_and_not_counted(self, known, hashed):
        with limits.PASSWORDS.occupied() as free:
            assert free
            refused = [
                Client().post("/organise/login/", {"username": "organiser", "password": PASSWORD})
                for _ in range(6)
            ]
            assert {one.status_code for one in refused} == {429}
            assert {one.headers["Retry-After"] for one in refused} == {"5"}
            assert not hashed
            assert sign_in("organiser", client=known)
        assert sign_in("organiser")

    @pytest.fixture
    def hashed(self, known, monkeypatch):
        seen = []
        real = MD5PasswordHasher.verify
        monkeypatch.setattr(
            MD5PasswordHasher, "verify", lambda self, *given: seen.append(given) or real(self, *given)
        )
        return seen

    def test_a_made_up_or_old_cookie_is_unknown(self, known, flood, monkeypatch):
        cookie = known.cookies[codes.BROWSER_COOKIE].value
        for value in ("", "x", cookie[:-1], cookie.partition(":")[2], "a" * 5_000):
            known.cookies[codes.BROWSER_COOKIE] = value
            assert not sign_in("organiser", client=known)
        known.cookies[codes.BROWSER_COOKIE] = cookie
        monkeypatch.setattr(codes, "_SECONDS", -1)
        assert not sign_in("organiser", client=known)

    def test_the_command_line_opens_the_account_and_the_site(self, world, flood):
        assert not sign_in("moderator")
        starting.set_account("organiser", world.campaign, None)
        assert sign_in("organiser")
        assert sign_in("moderator")


def test_a_script_that_holds_the_code_cannot_enrol_without_end(world, clock):
    boxes = {"age": "on", "take_part": "on", "publication": "on", "version": 1}

    def enrol():
        return Client().post("/j/MATE2345/", {**boxes, "ticket": new_ticket()})

    before = Person.objects.count()
    assert enrol().status_code == 302
    assert limits.ENROLMENTS.tries == 120
    assert Attempts.objects.update(count=119) == 1
    assert enrol().status_code == 302
    refused = enrol()
    assert refused.status_code == 429
    assert refused.headers["Retry-After"] == "60"
    assert Person.objects.count() == before + 2
    clock.now += 60
    assert enrol().status_code == 302


def propose(person, count):
    """Statuses of so many proposals."""
    client = Client()
    client.cookies[COOKIE] = person.cookie
    card = drawing.next_card(person)
    client.post(f"/card/{card.token}/rate/", {"value": "4"})
    words = [{"text": f"drink tea {n} times", "language": "en"} for n in range(count)]
    return [client.post(f"/card/{card.token}/add/", one).status_code for one in words]


def test_a_person_who_proposes_without_end_must_wait_and_neighbours_until_the_campaign_is_flooded(
    world, make_person, clock
):
    assert (limits.PROPOSALS.tries, limits.PROPOSALS_OF_ALL.tries) == (60, 600)
    spend(limits.PROPOSALS, str(world.person.pk), left=2)
    assert propose(world.person, 3) == [302, 302, 429]
    assert propose(make_person(world.campaign, "ben"), 1) == [302]
    spend(limits.PROPOSALS_OF_ALL, str(world.campaign.pk), left=1)
    assert propose(make_person(world.campaign, "eva"), 2) == [302, 429]
    clock.now += 60
    assert propose(make_person(world.campaign, "dan"), 1) == [302]
