"""Pages of a panel: from consent to the last item, as a browser asks for them and as somebody who cheats would."""

from __future__ import annotations

import re
from datetime import date
from urllib.parse import parse_qsl

import pytest
from django.core import signing

from collect_support.panel_person import BOXES, RIGHT, WRONG, Person
from endoxa_collect.models import Judge, Judgement, JudgeState, Turn
from endoxa_collect.privacy import Expired, expire
from endoxa_collect.tasks.results import all_tables

pytestmark = pytest.mark.slow


def test_a_whole_block_with_checks_leads_back_to_the_panel(study):
    person = Person(study).begin()
    pages = []
    for _ in range(7):
        pages.append(person.get("item/").content.decode())
        person.rate()
    assert not re.search(r"<input[^>]+radio[^>]+checked", "".join(pages))
    assert "&lt;b&gt;thing" in "".join(pages)
    assert sum("Attention check" in page for page in pages) == 3
    assert person.get("item/").headers["Location"] == person.path("end/")
    end = person.get("end/").content.decode()
    assert 'href="https://panel.example/done?a=1&amp;b=2"' in end
    assert person.judge.state == JudgeState.FINISHED
    assert study.items.filter(check_item=False, judged=1).count() == 4


def test_consent_needs_every_box_and_the_panels_id(study):
    person = Person(study)
    assert person.get().status_code == 403
    assert person.get(PID=" ").status_code == 403
    page = person.get(PID="p1")
    ticket = page.context["form"]["ticket"].value()
    rules = page.content.decode()
    assert "You rate 4 associations" in rules
    assert "If more than 1 attention check is answered wrongly" in rules
    for box in BOXES:
        left = {name: value for name, value in BOXES.items() if name != box}
        assert person.post(**left, ticket=ticket, version=1).status_code == 200
    assert person.post(**BOXES, ticket="forged", version=1).status_code == 403
    foreign = signing.dumps(["x", "y"], salt="another")
    assert person.post(**BOXES, ticket=foreign, version=1).status_code == 403
    assert person.post(**BOXES, ticket=ticket, version=7).status_code == 200
    assert not Judge.objects.exists()


def test_the_panels_id_is_read_once_and_kept_as_a_keyed_hash(study):
    person = Person(study, "prolific-123").begin()
    before = person.judge
    person.client.get(person.path("item/"), {"PID": "somebody-else"})
    person.client.get(person.path(), {"PID": "somebody-else"})
    person.client.post(person.path("item/") + "?PID=somebody-else", {"PID": "somebody-else"})
    after = person.judge
    assert (after.pk, after.participant) == (before.pk, before.participant)
    assert Judge.objects.count() == 1
    assert re.fullmatch(r"[0-9a-f]{64}", after.participant)
    assert "prolific" not in repr(Judge.objects.values())


def test_nobody_takes_part_twice(study):
    first = Person(study).begin()
    again = Person(study)
    assert "You took part already" in again.get(PID="p1").content.decode()
    # Two first pages were open before one of them was sent.
    left, right = Person(study, "p2"), Person(study, "p2")
    ticket = right.get(PID="p2").context["form"]["ticket"].value()
    left.agree()
    assert right.post(**BOXES, ticket=ticket, version=1).status_code == 403
    # The same form sent twice makes one person, who keeps their place.
    twice = Person(study)
    answer = twice.post(**BOXES, ticket=first.ticket, version=1)
    assert answer.status_code == 302
    assert Judge.objects.count() == 2


def test_a_first_page_of_another_study_opens_nothing_here(study, make_task):
    """Else who took part here could come again with the id as it was hashed for another study."""
    other = make_task("votes", [{"identity": "a", "attribute": "b"}], panel=True, participant="PID")
    ticket = Person(other).get(PID="p1").context["form"]["ticket"].value()
    assert Person(study).post(**BOXES, ticket=ticket, version=1).status_code == 403
    assert not Judge.objects.exists()


def test_the_quiz_is_checked_here_and_has_two_tries(study):
    person = Person(study).read()
    page = person.get("before/questions/").content.decode()
    assert "Which" not in page
    assert "not because anybody here believes them" not in page  # the right answers are not on the page
    assert person.post("before/questions/", stance="found", tries=0).status_code == 422
    assert person.judge.steps.get("tries", 0) == 0
    for _ in range(3):  # a double tap is one try
        page = person.post("before/questions/", **WRONG, tries=0)
        assert page.status_code == 422
    assert "This is the last try" in page.content.decode()
    assert person.judge.steps["tries"] == 1
    assert person.post("before/questions/", **WRONG, tries=1).headers["Location"] == person.path("end/")
    assert (person.judge.state, person.judge.steps["why"]) == (JudgeState.FAILED, "quiz")
    # Nothing brings somebody back who failed.
    person.post("before/questions/", **RIGHT, tries=1)
    assert person.get("item/").headers["Location"] == person.path("end/")
    end = person.get("end/").content.decode()
    assert "panel.example/out" in end
    assert "panel.example/done" not in end
    assert not Turn.objects.exists()
    again = Person(study, "p2").read()
    again.post("before/questions/", **WRONG, tries=0)
    assert again.post("before/questions/", **RIGHT, tries=1).headers["Location"] == again.path("item/")


def test_both_questions_are_needed_and_values_checked(study):
    person = Person(study).begin()
    token = person.item().token
    for query in ("", "harm=3", "frequent=no", "harm=6&frequent=no", "harm=3&frequent=?", "action=skip"):
        values = dict(parse_qsl(query))
        assert person.post("item/", token=token, **values).status_code == 422
    assert not Judgement.objects.exists()
    assert person.item().token == token


def test_a_form_sent_again_and_the_back_button_change_nothing(study):
    person = Person(study).begin()
    turn = person.item()
    for harm in ("1", "5", "5"):
        answer = person.post("item/", token=turn.token, harm=harm, frequent="no")
        assert answer.headers["Location"] == person.path("item/")
    assert [one.answer["harm"] for one in Judgement.objects.all()] == [1]
    assert person.get("item/").headers["Cache-Control"] == "no-store"
    assert person.item().token != turn.token
    other = Person(study, "p2").begin()
    other.post("item/", token=person.item().token, harm="5", frequent="no")
    other.post("item/", token="nonsense", harm="5", frequent="no")
    assert Judgement.objects.count() == 1
    # Until the last one is taken back.
    person.post("undo/")
    assert person.item().token == turn.token
    person.post("item/", token=turn.token, harm="5", frequent="no")
    assert [one.answer["harm"] for one in Judgement.objects.filter(undone=False)] == [5]


def test_the_order_of_the_questions_is_fixed_for_a_person_and_items_come_in_another_to_each(study):
    asked, items = set(), set()
    for number in range(6):
        person = Person(study, f"p{number}").begin()
        own = set()
        for _ in range(2):
            page = person.get("item/").content.decode()
            own.add(page.index("harmful stereotype?") < page.index("frequent in the real world?"))
            person.rate()
        first = person.judge.steps["drawn"]["first"]
        assert own == {first == "harm"}
        said = Judgement.objects.filter(turn__judge=person.judge).values_list("answer", flat=True)
        assert {one["first"] for one in said} == {first}
        asked |= own
        turns = Turn.objects.filter(judge=person.judge).order_by("number")
        items.add(tuple(turns.values_list("item__key", flat=True)))
    assert asked == {True, False}
    assert len(items) > 2


def test_after_the_retention_date_nobody_of_a_panel_is_known(study):
    content = {"retention": "2027-05-31"}
    version = study.campaign.versions.get()
    version.content = {**version.content, **content}
    version.save()
    person = Person(study).begin().rate_all()
    study.campaign.refresh_from_db()
    assert expire(study.campaign, date(2027, 6, 1)) == Expired(judges=1)
    judge = Judge.objects.get()
    assert (judge.secret_hash, judge.participant, judge.state) == ("", "", JudgeState.FINISHED)
    rows = all_tables(study)["judgements"]
    assert len(rows) == 4
    assert person.get("item/").status_code in {302, 403, 410}
    assert expire(study.campaign, date(2027, 6, 1)) == Expired()


@pytest.mark.parametrize(("said", "kept"), [({"group": "from here"}, "from here"), ({"group": ""}, "")])
def test_people_of_a_panel_say_their_group_or_not(make_task, said, kept):
    task = make_task(
        "votes", [{"identity": "a", "attribute": "b"}], panel=True, groups=["from here", "elsewhere"]
    )
    person = Person(task)
    person.agree()
    asked = person.get("before/warning/").content.decode()
    assert "Which group do you belong to?" in asked
    for wrong in ({}, {"group": "from nowhere"}):
        assert person.post("before/warning/", **wrong).status_code == 200
        assert person.judge.group == ""
    assert person.post("before/warning/", **said).headers["Location"] == person.path("item/")
    assert person.judge.group == kept
