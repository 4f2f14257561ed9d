"""Who may open which page of organisers; signing in; seeds, codes and the log; hostile words are only words."""

from __future__ import annotations

import re
from datetime import timedelta
from io import BytesIO

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from openpyxl import Workbook

from endoxa_collect.models import (
    AuditEntry,
    Campaign,
    JoinCode,
    Pair,
    Role,
    record,
)
from endoxa_collect.privacy import withdraw

pytestmark = pytest.mark.slow

PASSWORD = "a long password of ours"


@pytest.fixture
def river(campaign):
    JoinCode.objects.create(campaign=campaign, code="WQ7M4KDP")
    return campaign


@pytest.fixture
def organiser(client, river, make_account):
    client.force_login(make_account("ana", river, Role.ORGANISER))
    return client


def address(name, *rest):
    return reverse(f"organiser:{name}", args=["river", *rest])


def words(response):
    return response.content.decode()


def act(client, name, action, *rows, **more):
    """Tick rows of a list and press the button of an action."""
    sent = {"index": 0, "action": action, "_selected_action": [row.pk for row in rows], **more}
    return client.post(address(name), sent)


EVERYBODY, REVIEWERS = "Dashboard, Moderation", "Dashboard, Moderation, All pairs, Tasks"


def test_signing_in_changes_the_session_which_signing_out_ends(client, river, make_account):
    make_account("ana", river, Role.ORGANISER)
    login, other = reverse("organiser:login"), Client()
    client.cookies["endoxa_account"] = planted = "a" * 32
    response = client.post(f"{login}?next={address('seeds')}", {"username": "ana", "password": PASSWORD})
    assert response.headers["Location"] == address("seeds")
    first = client.cookies["endoxa_account"].value
    away = {"username": "ana", "password": PASSWORD, "next": "https://elsewhere.example/"}
    assert other.post(login, away).headers["Location"] == reverse("organiser:home")
    assert len({planted, first, other.cookies["endoxa_account"].value}) == 3
    assert client.get(reverse("organiser:logout")).status_code == 405
    client.post(reverse("organiser:logout"))
    client.cookies["endoxa_account"] = first
    assert client.get(reverse("organiser:home")).status_code == 302


def test_a_new_password_signs_other_browsers_out(client, river, make_account):
    user, other, new = make_account("ana", river, Role.ORGANISER), Client(), "another long password"
    for browser in (client, other):
        browser.force_login(user)
    sent = {"old_password": PASSWORD, "new_password1": new, "new_password2": new}
    assert client.post(reverse("organiser:password"), sent, follow=True).status_code == 200
    assert client.get(reverse("organiser:home")).status_code == 200
    assert other.get(reverse("organiser:home")).status_code == 302


def upload(client, content, name="seeds.csv"):
    file = SimpleUploadedFile(name, content if isinstance(content, bytes) else content.encode())
    return client.post(address("seeds_add"), {"file": file})


SEEDS = """country,attribute,language,topic,negative
AR,drink mate all day,en,food,no
Argentina,Drink mate all day!,en,food,no
AR,drink mate all the day,en,food,no
CL,love poetry,en,culture,
UY,sing at night,es,music,yes
"""


def spreadsheet(*rows):
    """A file of a spreadsheet program."""
    book, content = Workbook(), BytesIO()
    for row in (("country", "attribute", "language", "negative"), *rows):
        book.active.append(row)
    book.save(content)
    return content.getvalue()


def test_a_file_of_seeds_is_added_once_and_listed_with_covers(organiser, river, make_pairs):
    make_pairs(river, ("CL", "love poetry", "en"))
    for said in ("3 pairs added, 2 were there already", "0 pairs added, 5 were there already"):
        assert upload(organiser, SEEDS).status_code == 302
        page = words(organiser.get(address("seeds")))
        assert said in page
        assert Pair.objects.count() == 4
    assert AuditEntry.objects.filter(action="seeds added").count() == 2
    cover = page[: page.index(">sing at night<")].rpartition("<details")[2]
    assert "Show the words" in cover
    assert "</details>" not in cover
    assert "</details>" in page[: page.index(">drink mate all day<")].rpartition("<details")[2]


NARNIA = "seeds.xlsx, line 3, column 'country': found 'Narnia', expected the name of a country"


@pytest.mark.parametrize(
    ("sent", "field", "said"),
    [
        ((b"country,attribute,language\nAR,caf\x81,es\n",), "file", "line 2, is not UTF-8 text"),
        (("country,attribute\nAR,tango\n",), "file", "has no column"),
        (("country,attribute,language\n" + "AR,swim,es\n" * 5_001,), "file", "more than 5000 rows"),
        ((b"x" * (2 * 1024 * 1024 + 1),), "file", "more than 2 MB"),
        ((b"no workbook", "seeds.xlsx"), "file", "seeds.xlsx is not a readable spreadsheet"),
        ((spreadsheet(("AR", "drink", "en"), ("Narnia", "sing", "en")), "seeds.xlsx"), "file", NARNIA),
        ("", "file", "Choose a file, or type the lines."),
        ("country,attribute,language\nCL,?!,xx", "lines", "line 2"),
    ],
)
def test_seeds_that_cannot_be_used_are_refused_in_one_sentence(organiser, sent, field, said):
    if isinstance(sent, tuple):
        response = upload(organiser, *sent)
    else:
        response = organiser.post(address("seeds_add"), {"lines": sent})
    errors = response.context["form"].errors[field]
    assert (response.status_code, len(errors)) == (422, 1)
    assert said in errors[0]
    assert not Pair.objects.exists()


def test_codes_are_made_shown_and_revoked_but_not_those_of_another_campaign(
    organiser, river, settings, make_campaign
):
    settings.ALLOWED_HOSTS = ["camp.example", "testserver"]
    organiser.post(address("code_add"), {"days": "7"})
    made = JoinCode.objects.latest("pk")
    assert re.fullmatch("[23456789ABCDEFGHJKMNPQRSTVWXYZ]{8}", made.code)
    assert timedelta(days=6.9) < made.expires_at - timezone.now() < timedelta(days=7.1)
    assert organiser.post(address("code_add"), {"days": "9999"}).status_code == 422
    poster = organiser.get(address("code_poster", made.code), HTTP_HOST="camp.example")
    assert f"http://camp.example/j/{made.code}/" in words(poster)
    organiser.post(address("code_name", made.code), {"label": "School of <Yoff>"})
    assert "School of &lt;Yoff&gt;" in words(organiser.get(address("codes")))
    asked = words(act(organiser, "codes", "revoke", made))
    assert "cannot be taken back" in asked
    assert organiser.get(address("code_poster", made.code)).status_code == 200
    sent = re.findall('type="hidden" name="([^"]*)" value="([^"]*)"', asked)
    organiser.post(address("codes"), {name: value for name, value in sent if name != "csrfmiddlewaretoken"})
    assert organiser.get(address("code_poster", made.code)).status_code == 404
    assert organiser.get(address("code_qr", made.code)).status_code == 404
    actions = [entry.action for entry in AuditEntry.objects.order_by("pk")]
    assert actions == ["code made", "code changed", "code revoked"]
    foreign = JoinCode.objects.create(campaign=make_campaign("sea"), code="SEASEA22")
    assert organiser.get(address("code_qr", "SEASEA22")).status_code == 404
    act(organiser, "codes", "revoke", foreign, sure="1")
    assert organiser.post(address("code_name", "SEASEA22"), {"label": "x"}).status_code == 404
    assert not JoinCode.objects.get(code="SEASEA22").revoked


def test_a_code_is_extended_under_the_same_letters_and_runs_from_the_opening(organiser, river):
    code = JoinCode.objects.get(campaign=river)
    poster = address("code_poster", code.code)

    def left():
        code.refresh_from_db()
        return (code.expires_at - timezone.now()) / timedelta(days=1)

    JoinCode.objects.update(expires_at=timezone.now() - timedelta(days=2))
    assert ">Join code<" in words(organiser.get(address("dashboard")))
    assert organiser.get(poster).status_code == 404
    act(organiser, "codes", "extend", code)
    assert organiser.get(poster).status_code == 200
    assert ">Join code<" not in words(organiser.get(address("dashboard")))
    assert left() == pytest.approx(14, abs=0.1)
    made = timezone.now() - timedelta(days=20)
    Campaign.objects.update(began_at=None)
    JoinCode.objects.update(created_at=made, expires_at=made + timedelta(days=7))
    assert "its 7 days run from when you press Open" in words(organiser.get(address("codes")))
    organiser.post(address("opening"))
    assert left() == pytest.approx(7, abs=0.1)


def test_closing_asks_first_without_a_script(organiser, river):
    asked = organiser.post(address("state"), {"state": "closed"})
    page = words(asked)
    assert (asked.status_code, Campaign.objects.get(pk=river.pk).state) == (200, river.state)
    assert "Nobody can join or answer any more." in page
    sent = dict(re.findall('type="hidden" name="(state|sure)" value="([^"]*)"', page))
    assert organiser.post(address("state"), sent).status_code == 302
    assert Campaign.objects.get(pk=river.pk).state == "closed"


def test_the_log_is_filtered_and_paged(organiser, river, make_account):
    ben = make_account("ben", river, Role.MODERATOR)
    for number in range(60):
        record(river, ben, "looked", number=number)
    record(river, None, "restored", items=2)
    page = words(organiser.get(address("audit")))
    assert "Page 1 of 2" in page
    assert "restored" in page
    assert "number: <bdi>59</bdi>" in page
    assert "number: <bdi>0<" in words(organiser.get(address("audit"), {"p": "2"}))
    assert "<strong>looked" not in words(organiser.get(address("audit"), {"account": "-"}))
    only = words(organiser.get(address("audit"), {"action": "looked", "account": "ben", "p": "2"}))
    assert "<strong>restored" not in only
    assert "action=looked&amp;account=ben&amp;p=1" in only
    # What the page does not offer is ignored, also what the admin would read in an address.
    odd = "account=nobody p=x p=99 p=-1 user__password=x e=1 o=1 o=1.-2 all=1 _popup=1 _facets=1 q=%00 action__in=x"
    for query in f"{odd} at__year=2026".split():
        assert "<strong>restored" in words(organiser.get(f"{address('audit')}?{query}")), query
    assert organiser.get(f"{address('audit')}?_to_field=user").status_code == 400
    for path in ("/admin/", "/organise/admin/", f"{address('codes')}add/", f"{address('codes')}1/change/"):
        assert organiser.get(path).status_code == 404


def test_who_leaves_is_a_contributor_in_the_log_and_the_minute_is_not_kept(organiser, river, make_person):
    withdraw(make_person(river))
    entry = AuditEntry.objects.get()
    assert (entry.at.minute, entry.at.second, entry.at.microsecond) == (0, 0, 0)
    assert "<bdi>a contributor</bdi>" in words(organiser.get(address("audit")))
    for account, listed in (("+", True), ("-", False)):
        page = words(organiser.get(address("audit"), {"account": account}))
        assert ("<strong>somebody deleted their answers" in page) is listed
