"""Pages of a panel: from consent to the end, as a browser asks for them and as somebody who cheats would."""

from __future__ import annotations

import re

import pytest
from django.core import signing
from django.test import Client
from django.utils import timezone
from tests.collect.tasks.conftest import tuples

from endoxa.collect.contributor.panel import services
from endoxa.collect.models import Judge, Judgement, JudgeState, State, Task, TaskState, Turn
from endoxa.collect.security.codes import hash_secret
from endoxa.collect.tasks.ending import settle, withdraw_again
from endoxa.collect.tasks.results import tables
from endoxa.collect.withdrawals import hashed

BOXES = {"age": "on", "take_part": "on", "publication": "on"}
RIGHT = {"stance": "found", "asked": "reinforces", "apart": "apart"}
WRONG = {**RIGHT, "stance": "true"}


def associations(count):
    return [
        {
            "base_attribute": f"kind {k % 2}",
            "base_value": f"value {k}",
            "compared_attribute": "trait",
            "compared_value": f"<b>thing {k}</b>",
            "model": "m",
        }
        for k in range(count)
    ]


@pytest.fixture
def study(make_task):
    """Six associations, four to a person, three attention checks of which one may be wrong."""
    return make_task(
        "harm",
        associations(6),
        block=4,
        needed=2,
        participant="PID",
        completion="https://panel.example/done?a=1&b=2",
        screened="https://panel.example/out",
    )


class Person:
    """A browser."""

    def __init__(self, task, pid="p1"):
        self.task, self.pid, self.client = task, pid, Client()

    def path(self, rest=""):
        return f"/t/{self.task.code}/{rest}"

    def get(self, rest="", **query):
        return self.client.get(self.path(rest), query)

    def post(self, rest="", **values):
        return self.client.post(self.path(rest), values)

    def agree(self):
        page = self.get(PID=self.pid)
        assert page.status_code == 200, page.content
        self.ticket = page.context["form"]["ticket"].value()
        return self.post(**BOXES, ticket=self.ticket, version=1)

    def begin(self):
        """Up to the first item."""
        assert self.agree().status_code == 302
        for page in ("warning/", "before/what-you-see/", "before/what-we-ask/"):
            self.post(page)
        answer = self.post("before/questions/", **RIGHT, tries=0)
        assert answer.headers["Location"] == self.path("item/"), answer.headers
        return self

    def item(self):
        page = self.get("item/")
        return page.context["turn"]

    def rate(self, harm="3", frequent="no", *, careful=True):
        turn = self.item()
        if turn.item.check_item and careful:
            harm, frequent = turn.item.hidden["harm"], turn.item.hidden["frequent"]
        return self.post("item/", token=turn.token, harm=harm, frequent=frequent)

    def rate_all(self, **how):
        for _ in range(50):
            page = self.get("item/")
            if page.status_code == 302:
                return self
            self.rate(**how)
        raise AssertionError("no end")

    @property
    def judge(self):
        secret = self.client.cookies[services.COOKIE].value
        return Judge.objects.get(secret_hash=hash_secret(secret))


def test_a_whole_block_with_checks_leads_back_to_the_panel(study):
    person = Person(study).begin()
    pages = []
    for _ in range(7):
        pages.append(person.get("item/").content.decode())
        person.rate()
    assert all("checked" not in page for page in pages)
    assert "&lt;b&gt;thing" in "".join(pages)
    assert sum("Attention check" in page for page in pages) == 3
    assert person.get("item/").headers["Location"] == person.path("end/")
    end = person.get("end/").content.decode()
    assert 'href="https://panel.example/done?a=1&amp;b=2"' in end
    assert person.judge.state == JudgeState.FINISHED
    assert study.items.filter(check_item=False, judged=1).count() == 4


def test_each_page_sends_to_the_one_where_somebody_is(study):
    person = Person(study)
    person.agree()
    for page in ("item/", "before/questions/", "before/what-we-ask/", "end/", ""):
        assert person.get(page).headers["Location"] == person.path("warning/")
    person.post("before/questions/", **RIGHT, tries=0)
    assert "done" not in person.judge.steps
    person.post("warning/")
    assert person.get("item/").headers["Location"] == person.path("before/what-you-see/")
    assert not Turn.objects.exists()


def test_strangers_without_a_cookie_see_the_first_page_only(study):
    known, stranger = Person(study).begin(), Person(study, "p2")
    token = known.item().token
    pages = ["warning/", "before/questions/", "item/", "undo/", "break/", "stop/", "end/"]
    for page in pages:
        for answer in (
            stranger.get(page),
            stranger.post(page, token=token, harm="5", frequent="yes", action="delete", **RIGHT),
        ):
            assert answer.status_code in {302, 405}
            assert answer.status_code == 405 or answer.headers["Location"] == stranger.path()
    stranger.client.cookies[services.COOKIE] = "made up"
    assert stranger.get("item/").headers["Location"] == stranger.path()
    assert not Judgement.objects.exists()
    assert Judge.objects.count() == 1


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


def test_the_quiz_is_checked_here_and_has_two_tries(study):
    person = Person(study)
    person.agree()
    for page in ("warning/", "before/what-you-see/", "before/what-we-ask/"):
        person.post(page)
    assert "Which" not in person.get("before/questions/").content.decode()
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


def test_the_right_answers_of_the_quiz_are_not_on_the_page(study):
    person = Person(study)
    person.agree()
    for page in ("warning/", "before/what-you-see/", "before/what-we-ask/"):
        person.post(page)
    page = person.get("before/questions/").content.decode()
    assert "not because anybody here believes them" not in page
    person.post("before/questions/", **WRONG, tries=0)
    assert person.post("before/questions/", **RIGHT, tries=1).headers["Location"] == person.path("item/")


def test_both_questions_are_needed_and_values_checked(study):
    person = Person(study).begin()
    token = person.item().token
    for values in (
        {},
        {"harm": "3"},
        {"frequent": "no"},
        {"harm": "6", "frequent": "no"},
        {"harm": "3", "frequent": "?"},
    ):
        assert person.post("item/", token=token, **values).status_code == 422
    assert person.post("item/", token=token, action="skip").status_code == 422
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


def test_the_last_one_can_be_taken_back(study):
    person = Person(study).begin()
    turn = person.item()
    person.post("item/", token=turn.token, harm="1", frequent="no")
    person.post("undo/")
    assert person.item().token == turn.token
    person.post("item/", token=turn.token, harm="5", frequent="no")
    assert [one.answer["harm"] for one in Judgement.objects.filter(undone=False)] == [5]


def test_the_order_of_the_questions_is_fixed_for_a_person(study):
    orders = set()
    for number in range(12):
        person = Person(study, f"p{number}").begin()
        own = set()
        for _ in range(3):
            page = person.get("item/").content.decode()
            own.add(page.index("harmful stereotype?") < page.index("frequent in reality?"))
            person.rate()
        assert len(own) == 1
        first = person.judge.steps["drawn"]["first"]
        assert own == {first == "harm"}
        said = Judgement.objects.filter(turn__judge=person.judge).values_list("answer", flat=True)
        assert {one["first"] for one in said} == {first}
        orders |= own
    assert orders == {True, False}


def test_items_come_in_another_order_to_each(study):
    orders = []
    for number in range(6):
        person = Person(study, f"p{number}").begin()
        person.item()
        turns = Turn.objects.filter(judge=person.judge).order_by("number")
        orders.append(tuple(turns.values_list("item__key", flat=True)))
    assert len(set(orders)) > 3


def test_who_fails_the_attention_rule_frees_the_items(study):
    person = Person(study).begin().rate_all(harm="3", frequent="no", careful=False)
    assert (person.judge.state, person.judge.steps["why"]) == (JudgeState.FAILED, "attention")
    assert not study.items.filter(judged__gt=0).exists()
    assert "your ratings are not used" in person.get("end/").content.decode()
    table, _ = tables(study)
    assert set(table["counts"]) == {"false"}
    assert len(table) == 4


def test_one_wrong_check_is_within_the_rule(study):
    person = Person(study).begin()
    wrong = 0
    while (page := person.get("item/")).status_code == 200:
        careless = page.context["turn"].item.check_item and not wrong
        wrong += careless
        person.rate(harm="2", frequent="unsure", careful=not careless)
    assert person.judge.state == JudgeState.FINISHED


def test_the_rule_holds_for_people_who_went_away_too(study):
    person = Person(study).begin()
    while person.get("item/").status_code == 200:
        if Judgement.objects.filter(turn__item__check_item=True).count() == 2:
            break
        person.rate(careful=False)
    assert settle(study) == 0  # they may still be there
    there = person.judge.state == JudgeState.ACTIVE
    Turn.objects.update(expires_at=timezone.now())
    assert settle(study) == there
    assert person.judge.state == JudgeState.FAILED


def test_stopping_keeps_what_was_said_and_frees_the_rest(study):
    person = Person(study).begin()
    person.rate()
    person.post("stop/", action="keep")
    assert person.judge.state == JudgeState.FINISHED
    assert Turn.objects.filter(state="open").count() == 0
    for page in ("item/", "warning/", "before/questions/", ""):
        assert person.get(page).headers["Location"] == person.path("end/")
    end = person.get("end/").content.decode()
    assert "panel.example" not in end
    assert "thing" not in end


def test_deleting_leaves_no_row(study):
    person, other = Person(study).begin().rate_all(), Person(study, "p2").begin().rate_all()
    kept = Judgement.objects.filter(turn__judge=other.judge).count()
    key = person.judge.pk
    answer = person.post("stop/", action="delete")
    assert person.client.cookies[services.COOKIE].value == ""
    assert "Everything is deleted" in person.client.get(answer.headers["Location"]).content.decode()
    assert list(Judge.objects.all()) == [other.judge]
    assert Judgement.objects.count() == kept
    assert Turn.objects.exclude(judge=other.judge).count() == 0
    assert sum(study.items.filter(check_item=False).values_list("judged", flat=True)) == 4
    assert person.post("stop/", action="delete").headers["Location"] == person.path()
    # A restored backup forgets them again.
    Judge.objects.create(pk=key, task=study, secret_hash="x")
    assert withdraw_again(study.campaign, {hashed(key)}) == 1
    assert Judge.objects.count() == 1


def test_deleting_works_in_the_middle_and_in_a_closed_task(study):
    person = Person(study).begin()
    person.rate()
    Task.objects.update(state=TaskState.CLOSED)
    person.post("stop/", action="delete")
    assert not Judge.objects.exists()
    assert not Judgement.objects.exists()


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
    newcomer = Person(study, "p9")
    assert "paused or has ended" in newcomer.get(PID="p9").content.decode()


def test_a_block_that_lapsed_goes_on_and_does_not_grow(study):
    person = Person(study).begin()
    for _ in range(3):
        person.rate()
    Turn.objects.update(expires_at=timezone.now())
    person.rate_all()
    said = Judgement.objects.filter(turn__judge=person.judge, turn__item__check_item=False)
    assert said.count() == 4
    assert person.judge.state == JudgeState.FINISHED


def test_half_of_a_long_block_is_followed_by_a_break(make_task):
    task = make_task("harm", associations(20), block=12, quiz=False, attention=0)
    person = Person(task)
    person.agree()
    for page in ("warning/", "before/what-you-see/", "before/what-we-ask/"):
        person.post(page)
    for _ in range(6):
        person.rate()
    assert person.get("item/").headers["Location"] == person.path("break/")
    assert "You have answered 6 of 12" in person.get("break/").content.decode()
    person.post("break/")
    person.rate_all()
    assert Judgement.objects.count() == 12


def test_codes_are_guessed_in_vain_and_counted(study):
    client = Client()
    client.cookies["csrftoken"] = "c" * 32
    statuses = [client.get(f"/t/WRONG{number:05}/").status_code for number in range(22)]
    assert statuses[:20] == [404] * 20
    assert statuses[-1] == 429
    assert (
        Client()
        .get(f"/t/{study.code.lower()}/", {"PID": "x"})
        .headers["Location"]
        .endswith(f"/{study.code}/?PID=x")
    )


def test_votes_of_a_panel_go_through_the_same_pages(make_task):
    task = make_task("votes", tuples(3), panel=True, completion="https://panel.example/done")
    person = Person(task)
    assert person.agree().status_code == 302
    person.post("warning/")
    page = person.get("item/")
    assert "people of town" in page.content.decode()
    assert "model-x" not in page.content.decode()
    person.post("item/", token=page.context["turn"].token, action="skip")
    for _ in range(2):
        person.post("item/", token=person.item().token, vote="yes")
    assert person.get("item/").headers["Location"] == person.path("end/")
    assert "panel.example/done" in person.get("end/").content.decode()
    assert Judgement.objects.count() == 2


@pytest.mark.parametrize("address", ["javascript:alert(1)", "//x.example", "ftp://x.example", "https://a b"])
def test_only_addresses_of_pages_lead_back(make_task, address):
    with pytest.raises(Exception, match="completion"):
        make_task("harm", associations(2), completion=address)


def test_accounts_do_not_judge_what_is_for_panels(study, make_account):
    client = Client()
    client.force_login(make_account("ana", study.campaign, "organiser"))
    assert client.get(f"/organise/{study.campaign.slug}/tasks/harm/").status_code == 404
    assert ">Judge<" not in client.get(f"/organise/{study.campaign.slug}/tasks/").content.decode()
