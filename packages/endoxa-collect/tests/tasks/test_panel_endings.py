"""How people of a panel end: rules of attention, stopping, deleting, closed tasks, and rooms of other kinds."""

from __future__ import annotations

import polars as pl
import pytest
from django.test import Client
from django.utils import timezone
from typer.testing import CliRunner

from collect_support.panel_person import BOXES, Person
from endoxa.commands import app
from endoxa.instruments.stories.harm import read_human
from endoxa_collect import anonymous
from endoxa_collect.campaign import CampaignSettings
from endoxa_collect.models import Judge, Judgement, JudgeState, State, Task, Turn
from endoxa_collect.presets import load_preset
from endoxa_collect.tasks.handing import fail_absent, withdraw_again
from endoxa_collect.tasks.harm import PARTS
from endoxa_collect.tasks.results import all_tables, write_results
from endoxa_collect.withdrawals import hashed

pytestmark = pytest.mark.slow


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


def test_accounts_do_not_judge_what_is_for_panels(study, make_account):
    client = Client()
    client.force_login(make_account("ana", study.campaign, "organiser"))
    assert client.get(f"/organise/{study.campaign.slug}/tasks/harm/").status_code == 404
    assert ">Judge<" not in client.get(f"/organise/{study.campaign.slug}/tasks/").content.decode()


def test_ratings_that_do_not_count_are_exported_and_not_analysed(study, tmp_path):
    for number in range(2):
        Person(study, f"p{number}").begin().rate_all(harm="4", frequent="yes")
    Person(study, "careless").begin().rate_all(harm="1", frequent="no", careful=False)
    output = tmp_path / "harm.csv"
    paths = write_results(study, output)
    assert [path.name for path in paths] == ["harm.csv", "harm_items.csv"]
    table, items = all_tables(study).values()
    assert sorted(table["counts"].to_list()) == ["false"] * 4 + ["true"] * 8
    assert set(PARTS) | {"association_id", "rater", "harm", "frequent", "first"} <= set(table.columns)
    assert not {"check", "model", "value"} & set(table.columns)
    read = read_human(output)
    assert len(read) == 8
    assert set(read["harm"]) == {4}
    assert set(read["association_id"]) <= set(table["association_id"])
    assert all(row["harm_median"] in {"4", None} for row in items.iter_rows(named=True))
    analysed = tmp_path / "results.csv"
    words = ["analyze", "run", str(output), "-o", str(analysed), "--resamples", "100"]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    assert set(pl.read_csv(analysed)["people_n"]) == {1, 2}


def test_the_same_share_of_every_kind_comes_to_everybody(make_task):
    """12 associations of one kind and 4 of another, 8 to a person: 6 and 2, give or take one."""
    rows = [
        dict(zip(PARTS, ("age" if k < 12 else "religion", f"v{k}", "job", "j"), strict=True))
        for k in range(16)
    ]
    task = make_task("harm", rows, block=8, quiz=False, attention=0)
    for number in range(4):
        person = Person(task, f"p{number}").read()
        person.item()
        kinds = [turn.item.content["base_attribute"] for turn in person.judge.turns.select_related("item")]
        assert len(kinds) == 8
        assert kinds.count("religion") in {1, 2, 3}


def test_only_campaigns_with_tasks_go_without_cards_and_survey():
    content = load_preset("panel").settings.model_dump()
    assert not CampaignSettings.model_validate(content).joined
    with pytest.raises(ValueError, match="Choose cards, the survey or both"):
        CampaignSettings.model_validate({**content, "tasks": False})
