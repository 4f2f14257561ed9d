"""Accounts and roles as the command line gives them; the list of withdrawals as a file."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.test import Client
from hypothesis import given, settings
from hypothesis import strategies as st

from collect_support.site_map import addresses
from endoxa.errors import UserError
from endoxa_collect import withdrawals
from endoxa_collect.models import AuditEntry, Campaign, Person, Release, Role, Tombstone
from endoxa_collect.privacy import withdraw
from endoxa_collect.project import starting
from endoxa_collect.project.replay import replay
from endoxa_collect.project.starting import start


def sign_in(name, password):
    return Client().post("/organise/login/", {"username": name, "password": password}).status_code == 302


def test_a_new_account_gets_a_role_and_a_password_that_works(campaign):
    made = starting.set_account("ines", campaign, Role.MODERATOR)
    assert made.password
    assert made.roles == ("moderator",)
    assert len(made.password.replace("-", "")) == 16
    user = User.objects.get()  # without mail or a name of somebody
    assert (user.email, user.first_name, user.last_name, user.is_superuser) == ("", "", "", False)
    assert sign_in("ines", made.password)
    again = starting.set_account("ines", campaign, Role.RESEARCHER)
    assert again == starting.Account("ines", ("moderator", "researcher"))
    assert sign_in("ines", made.password)


def test_a_new_password_ends_the_old_one_and_its_sessions(campaign):
    old = starting.set_account("ines", campaign, Role.MODERATOR).password
    signed_in = Client()
    signed_in.post("/organise/login/", {"username": "ines", "password": old})
    assert signed_in.get("/organise/").status_code == 200
    new = starting.set_account("ines", campaign, None, new_password=True).password
    assert signed_in.get("/organise/").status_code == 302
    assert not sign_in("ines", old)
    assert sign_in("ines", new)


@pytest.mark.parametrize(
    ("name", "role", "password", "said"),
    [
        ("ines@example.org", Role.MODERATOR, None, "looks like an e-mail address"),
        ("ines", None, None, "say what it may do"),
        ("", Role.MODERATOR, None, "cannot be a name"),
        ("i" * 200, Role.MODERATOR, None, "cannot be a name"),
        ("ines", Role.MODERATOR, "short", "too short"),
        ("ines", Role.MODERATOR, "1234567890", "too common"),
        ("inesmaria", Role.MODERATOR, "inesmaria1", "too similar"),
        ("mo", Role.ORGANISER, None, "There is an account 'Mo' already"),  # only capitals differ
    ],
)
def test_what_cannot_be_an_account(campaign, name, role, password, said):
    starting.set_account("Mo", campaign, Role.MODERATOR)
    with pytest.raises(UserError, match=said):
        starting.set_account(name, campaign, role, password=password)
    assert [one.name for one in starting.accounts(campaign)] == ["Mo"]


def test_roles_are_taken_away_but_not_the_last_organiser(campaign):
    starting.set_account("ines", campaign, Role.ORGANISER)
    starting.set_account("ines", campaign, Role.MODERATOR)
    assert starting.remove_account("ines", campaign, Role.MODERATOR).roles == ("organiser",)
    with pytest.raises(UserError, match="the only organiser"):
        starting.remove_account("ines", campaign, None)
    starting.set_account("omar", campaign, Role.ORGANISER)
    assert starting.remove_account("ines", campaign, None).roles == ()
    assert [one.name for one in starting.accounts(campaign)] == ["omar"]
    with pytest.raises(UserError, match="no such role"):
        starting.remove_account("ines", campaign, None)
    assert set(AuditEntry.objects.values_list("action", flat=True)) == {"account allowed", "account removed"}


def test_campaigns_and_roles_by_name(make_campaign):
    river = make_campaign("river")
    assert starting.campaign_named(None) == river
    make_campaign("lake")
    assert starting.campaign_named("river") == river
    with pytest.raises(UserError, match=r"several campaigns \(lake, river\)"):
        starting.campaign_named(None)
    with pytest.raises(UserError, match="no campaign 'sea'"):
        starting.campaign_named("sea")
    assert starting.role_named("reviewer") is Role.REVIEWER
    with pytest.raises(UserError, match="Unknown role 'king'"):
        starting.role_named("king")


LINES = st.lists(
    st.builds(
        withdrawals.Line,
        campaign=st.from_regex(r"[a-z]{1,9}", fullmatch=True),
        hour=st.just(datetime(2026, 11, 3, 14, tzinfo=UTC)),
        person=st.uuids().map(withdrawals.hashed),
        rows=st.lists(st.builds(withdrawals.Row, table=st.just("ratings"), row=st.uuids()), max_size=3).map(
            tuple
        ),
    ),
    max_size=5,
)


@pytest.mark.slow
@settings(max_examples=30)
@given(lines=LINES, cut=st.integers(min_value=0, max_value=40))
def test_a_list_of_withdrawals_survives_being_cut_off_in_its_last_line(lines, cut):
    text = "".join(line.model_dump_json() + "\n" for line in lines)
    assert withdrawals.parse(text, "w") == lines
    assert withdrawals.parse(text[:-1], "w") == lines
    if cut > 1 and lines:
        assert withdrawals.parse(text[:-cut], "w", complete=False) == lines[:-1]
        with pytest.raises(UserError, match=f"w, line {len(lines)} is not a withdrawal"):
            withdrawals.parse(text[:-cut], "w")
    assert withdrawals.merged(lines, lines) == list(dict.fromkeys(lines))


@pytest.mark.slow
@settings(max_examples=30)
@given(lines=LINES, cut=st.integers(min_value=0, max_value=40))
def test_a_new_line_never_joins_what_a_crash_left_of_the_last(tmp_path_factory, lines, cut):
    path = tmp_path_factory.mktemp("list") / withdrawals.NAME
    withdrawals.append(path, lines)
    path.write_bytes(path.read_bytes()[:-cut] if cut else path.read_bytes())
    kept = withdrawals.read(path, complete=False)
    assert kept == (lines if cut < 2 else lines[:-1])
    withdrawals.append(path, lines)
    assert withdrawals.read(path) == [*kept, *lines]


def test_every_withdrawal_is_written_down_before_it_is_done(campaign, make_person, settings, tmp_path):
    settings.FOLDER = tmp_path
    for name in ("ana", "ben"):
        withdraw(make_person(campaign, name))
    lines = withdrawals.read(tmp_path / withdrawals.NAME)
    assert [line.campaign for line in lines] == ["river", "river"]
    assert withdrawals.read(tmp_path / "nothing.jsonl") == []
    # What a crash cut off is left out of the site's own list, and refused in the list of somebody.
    cut = tmp_path / "cut.jsonl"
    cut.write_text((tmp_path / withdrawals.NAME).read_text()[:-9])
    assert withdrawals.read(cut, complete=False) == lines[:1]
    with pytest.raises(UserError, match=r"cut\.jsonl, line 3 is not a withdrawal"):
        withdrawals.read(cut)


def test_replaying_deletes_those_in_the_list_and_completes_the_tombstones(campaign, make_person):
    ana, ben = make_person(campaign, "ana"), make_person(campaign, "ben")
    published_later = withdrawals.Row(table="ratings", row=uuid4())
    release = Release.objects.create(campaign=campaign, number="1.0", salt="x", sha256="y")
    key = withdrawals.Row(table="people", row=uuid4(), release="1.0")
    hour = datetime(2026, 11, 3, 14, tzinfo=UTC)
    lines = [
        withdrawals.Line(
            campaign="river", hour=hour, person=withdrawals.hashed(ana.pk), rows=(published_later, key)
        ),
        withdrawals.Line(campaign="elsewhere", hour=hour, person=withdrawals.hashed(ben.pk), rows=()),
    ]
    assert replay(lines).people == 1
    assert list(Person.objects.all()) == [ben]
    stone = Tombstone.objects.get(row=published_later.row)
    assert (stone.withdrawn_hour, stone.release) == (hour, None)
    assert Tombstone.objects.get(row=key.row).release == release
    assert replay(lines).people == 0


def test_what_no_campaign_is_started_with(db):
    pages = [one.at({}) for one in addresses() if one.name.startswith("organiser:") and not one.facts]
    names = {page.removeprefix("/organise/").split("/")[0] for page in pages} - {""}
    assert names
    for name, said in (
        ("a b", "'a b' cannot be the name"),
        *((name, "address of another page") for name in names),
    ):
        with pytest.raises(UserError, match=said):
            start("laces", name, "ana")
    with pytest.raises(UserError, match="--organisation: String should have at"):
        start("laces", "camp", "ana", organisation="a" * 121)
    assert not Campaign.objects.exists()
