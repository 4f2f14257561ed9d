"""The page of exports: who may open it, what it shows, what it sends, what it writes down."""

from __future__ import annotations

import io
import zipfile

import pytest
from django.core.cache import cache
from django.urls import reverse

from collect_support.filled_campaign import propose
from endoxa_collect.models import AuditEntry, Release, Role
from endoxa_collect.organiser.exports import left_out

pytestmark = pytest.mark.slow

NASTY = "<script>alert(1)</script>"


@pytest.fixture
def page(client, campaign, make_account):
    """A function that opens a page of exports with a role."""

    accounts = {}

    def open_page(role, name="exports", data=None):
        user = accounts.get(role) or make_account(f"account {role}", campaign, *([role] if role else []))
        accounts[role] = user
        client.force_login(user)
        address = reverse(f"organiser:{name}", args=[campaign.slug])
        return client.get(address) if data is None else client.post(address, data)

    return open_page


def test_who_joins_while_somebody_watches_cannot_be_read_off(
    campaign, make_person, django_assert_max_num_queries
):
    for number in range(6):
        make_person(campaign, f"few{number}", origins=[f"{'CL' if number % 2 else 'UY'}"])
    before = left_out(campaign)
    with django_assert_max_num_queries(0):  # looking again makes no tables
        assert left_out(campaign) == before
    make_person(campaign, "new", origins=["CL"])
    cache.clear()
    assert left_out(campaign) == before
    assert before.people == 5


def test_a_working_copy_is_sent_and_written_down(page, campaign, make_person):
    propose(make_person(campaign), "CL", NASTY)
    answer = page(Role.RESEARCHER, "export_download", {})
    assert answer["Content-Type"] == "application/zip"
    assert 'attachment; filename="river-' in answer["Content-Disposition"]
    with zipfile.ZipFile(io.BytesIO(b"".join(answer.streaming_content))) as archive:
        names = {name.partition("/")[2] for name in archive.namelist()}
        assert {"README.md", "SHA256SUMS", "pairs.csv", "withdrawals.csv", "ratings.parquet"} <= names
        assert NASTY in archive.read("river-export/mentions.jsonl").decode()
    (entry,) = AuditEntry.objects.all()
    assert (entry.action, entry.user.memberships.get().role) == ("export", Role.RESEARCHER)
    assert (entry.detail["pairs"], entry.detail["mentions"], len(entry.detail["sha256"])) == (1, 1, 64)
    assert NASTY not in str(entry.detail)


def test_a_release_is_made_once_and_by_organisers_only(page, campaign, make_person):
    make_person(campaign)
    shown = page(Role.RESEARCHER).content
    assert b"/exports/release/" not in shown
    assert b"/exports/restricted/" not in shown
    assert page(Role.RESEARCHER, "export_release", {"number": "1.0", "final": "on"}).status_code == 404
    answer = page(Role.ORGANISER, "export_release", {"number": "1.0", "final": "on"})
    assert answer["Content-Disposition"] == 'attachment; filename="river-1.0.zip"'
    answer.close()
    again = page(Role.ORGANISER, "export_release", {"number": "1.0", "final": "on"})
    assert again.status_code == 422
    assert "Write a number such as 1.0" in again.content.decode()
    unsure = page(Role.ORGANISER, "export_release", {"number": "1.1"})
    assert unsure.status_code == 422
    assert 'value="1.1"' in unsure.content.decode()
    assert [one.number for one in Release.objects.all()] == ["1.0"]
    assert [one.action for one in AuditEntry.objects.all()] == ["release"]


WHO = "A. Bell, River University"
SIGNED = {"number": "1.0", "recipient": WHO, "final": "on"}


def test_a_restricted_release_is_sent_once_and_written_down(page, campaign, make_person):
    propose(make_person(campaign, origins=["CL"]), "CL", "love poetry")
    for lacking in SIGNED:
        assert page(Role.ORGANISER, "export_restricted", {**SIGNED, lacking: ""}).status_code == 422
    assert not Release.objects.exists()
    answer = page(Role.ORGANISER, "export_restricted", SIGNED)
    assert 'filename="river-1.0-restricted.zip"' in answer["Content-Disposition"]
    with zipfile.ZipFile(io.BytesIO(b"".join(answer.streaming_content))) as archive:
        text = archive.read("river-1.0-restricted/AGREEMENT.md").decode()
        assert "CL" in archive.read("river-1.0-restricted/people.csv").decode()
    assert WHO in text
    (entry,) = AuditEntry.objects.all()
    told = (entry.action, entry.detail["recipient"], entry.detail["release"])
    assert told == ("restricted release", WHO, "1.0")
    assert [one.recipient for one in Release.objects.all()] == [WHO]
    assert not Release.objects.public().exists()
    assert WHO in page(Role.ORGANISER).content.decode()
    assert WHO not in page(Role.RESEARCHER).content.decode()
