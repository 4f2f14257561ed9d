"""How people of a panel end: rules of attention, stopping, deleting, closed tasks, and rooms of other kinds."""

from __future__ import annotations

import pytest
from django.test import Client
from django.utils import timezone

from collect_support.panel_person import BOXES, Person
from endoxa_collect import anonymous
from endoxa_collect.models import Judge, Judgement, JudgeState, State, Task, Turn
from endoxa_collect.tasks.handing import fail_absent, withdraw_again
from endoxa_collect.tasks.results import all_tables
from endoxa_collect.withdrawals import hashed
from tasks.conftest import tuples


def test_who_fails_the_attention_rule_frees_the_items(study):
    person = Person(study).begin().rate_all(harm="3", frequent="no", careful=False)
    assert (person.judge.state, person.judge.steps["why"]) == (JudgeState.FAILED, "attention")
    assert not study.items.filter(judged__gt=0).exists()
    assert "your ratings are not used" in person.get("end/").content.decode()
    table = all_tables(study)["judgements"]
    assert set(table["counts"]) == {"false"}
    assert len(table) == 4


def test_the_rule_holds_for_people_who_went_away_too(study):
    person = Person(study).begin()
    while person.get("item/").status_code == 200:
        if Judgement.objects.filter(turn__item__check_item=True).count() == 2:
            break
        person.rate(careful=False)
    assert fail_absent(study) == 0  # they may still be there
    there = person.judge.state == JudgeState.ACTIVE
    Turn.objects.update(expires_at=timezone.now())
    assert fail_absent(study) == there
    assert person.judge.state == JudgeState.FAILED


def test_stopping_keeps_what_was_said_and_frees_the_rest(study):
    person = Person(study).begin()
    person.rate()
    person.post("stop/", action="keep")
    assert person.judge.state == JudgeState.FINISHED
    assert Turn.objects.filter(state="open").count() == 0
    for page in ("item/", "before/warning/", "before/questions/", ""):
        assert person.get(page).headers["Location"] == person.path("end/")
    end = person.get("end/").content.decode()
    assert "panel.example" not in end
    assert "thing" not in end


def test_deleting_leaves_no_row(study):
    person, other = Person(study).begin().rate_all(), Person(study, "p2").begin().rate_all()
    kept = Judgement.objects.filter(turn__judge=other.judge).count()
    old, key = person.judge, person.judge.pk
    answer = person.post("stop/", action="delete")
    assert person.client.cookies[anonymous.PANEL_COOKIE].value == ""
    assert "Everything is deleted" in person.client.get(answer.headers["Location"]).content.decode()
    assert list(Judge.objects.all()) == [other.judge]
    assert Judgement.objects.count() == kept
    assert Turn.objects.exclude(judge=other.judge).count() == 0
    assert sum(study.items.filter(check_item=False).values_list("judged", flat=True)) == 4
    assert person.post("stop/", action="delete").headers["Location"] == person.path()
    # Their first page of before leads to somebody new, without a trace of them.
    for _ in range(2):
        assert person.post(**BOXES, ticket=person.ticket, version=1).status_code == 302
    new = Judge.objects.exclude(pk=other.judge.pk).get()
    assert new.secret_hash != old.secret_hash
    new.delete()
    # A restored backup forgets them again.
    Judge.objects.create(pk=key, task=study, secret_hash="x")
    assert withdraw_again(study.campaign, {hashed(key)}) == 1
    assert Judge.objects.count() == 1


@pytest.mark.parametrize("what", ["paused", "closed", "campaign"])
def test_a_task_closed_in_the_middle_takes_and_shows_nothing(study, what):
    person = Person(study).begin()
    turn = person.item()
    if what == "campaign":
        study.campaign.state = State.PAUSED
        study.campaign.save()
    else:
        Task.objects.update(state=what)
    page = person.get("item/")
    assert "paused or has ended" in page.content.decode()
    assert "thing" not in page.content.decode()
    assert person.post("item/", token=turn.token, harm="1", frequent="no").status_code == 403
    assert not Judgement.objects.exists()
    assert "paused or has ended" in Person(study, "p9").get(PID="p9").content.decode()
    # Deleting works all the same.
    person.post("stop/", action="delete")
    assert not Judge.objects.exists()


def test_codes_are_guessed_in_vain_and_counted(study):
    client = Client()
    client.cookies["csrftoken"] = "c" * 32
    statuses = [client.get(f"/t/WRONG{number:05}/").status_code for number in range(22)]
    assert statuses[:20] == [404] * 20
    assert statuses[-1] == 429
    there = Client().get(f"/t/{study.code.lower()}/", {"PID": "x"}).headers["Location"]
    assert there.endswith(f"/{study.code}/?PID=x")


def test_votes_of_a_panel_go_through_the_same_pages(make_task):
    task = make_task("votes", tuples(3), panel=True, completion="https://panel.example/done")
    person = Person(task)
    assert person.agree().status_code == 302
    person.post("before/warning/")
    page = person.get("item/")
    assert "people of town" in page.content.decode()
    assert "model-x" not in page.content.decode()
    person.post("item/", token=page.context["turn"].token, action="skip")
    for _ in range(2):
        person.post("item/", token=person.item().token, vote="yes")
    assert person.get("item/").headers["Location"] == person.path("end/")
    assert "panel.example/done" in person.get("end/").content.decode()
    assert Judgement.objects.count() == 2


def test_accounts_do_not_judge_what_is_for_panels(study, make_account):
    client = Client()
    client.force_login(make_account("ana", study.campaign, "organiser"))
    assert client.get(f"/organise/{study.campaign.slug}/tasks/harm/").status_code == 404
    assert ">Judge<" not in client.get(f"/organise/{study.campaign.slug}/tasks/").content.decode()
