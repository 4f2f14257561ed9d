"""Pages of tasks: a warning first, one item at a time, nothing of what others said or who made an item."""

from __future__ import annotations

import io
import zipfile
from html import unescape

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from endoxa.words.check import items
from endoxa_collect.models import AuditEntry, Judgement, Role, Task, TaskState, Turn
from endoxa_collect.tasks.handing import next_turn, take
from tasks.conftest import tuples
from tasks.test_extraction import rows as statements
from tasks.test_translation import rows as translations

pytestmark = pytest.mark.slow


@pytest.fixture
def signed_in(make_judge):
    """A function that gives a client with a role in the campaign of a task."""

    def make(task, name="rosa", role=Role.REVIEWER):
        judge = make_judge(task, name, role)
        client = Client()
        client.force_login(judge.user)
        return client

    return make


def address(task, page=""):
    return f"/organise/{task.campaign.slug}/tasks/{task.name}/{page}"


def act(client, action, *tasks, **more):
    """Tick tasks on the list and press the button of an action."""
    sent = {"index": 0, "action": action, "_selected_action": [task.pk for task in tasks], **more}
    return client.post(reverse("organiser:tasks", args=[tasks[0].campaign.slug]), sent)


def begun(client, task):
    client.post(address(task, "begin/"))
    return client


def token(response):
    return response.context["turn"].token


def test_a_word_of_warning_comes_before_the_first_item(votes, make_campaign, signed_in):
    client = signed_in(votes)
    other = make_campaign("lake")  # where there is no such task
    assert client.get(f"/organise/{other.slug}/tasks/votes/").status_code == 404
    assert client.get(f"/organise/{votes.campaign.slug}/tasks/none/").status_code == 404
    first = client.get(address(votes)).content.decode()
    assert "some of it may hurt" in first
    assert "people of town" not in first
    assert not Turn.objects.exists()
    assert "people of town" in begun(client, votes).get(address(votes)).content.decode()


def test_votes_are_given_skipped_and_taken_back(votes, signed_in):
    client = begun(signed_in(votes), votes)
    page = client.get(address(votes))
    sent = client.post(address(votes, "judge/"), {"token": token(page), "vote": "yes"})
    assert (sent.status_code, sent.headers["Location"]) == (302, address(votes))
    skipped = client.get(address(votes))
    client.post(address(votes, "judge/"), {"token": token(skipped), "action": "skip"})
    assert Judgement.objects.get().answer == {"vote": "yes"}
    client.post(address(votes, "undo/"))
    assert client.get(address(votes)).context["turn"].item == skipped.context["turn"].item
    client.post(address(votes, "undo/"))
    assert client.get(address(votes)).context["turn"].item == page.context["turn"].item
    assert Judgement.objects.get().undone


def test_a_form_without_a_vote_or_with_a_token_of_nobody_is_not_kept(votes, signed_in, make_judge):
    client = begun(signed_in(votes), votes)
    page = client.get(address(votes))
    for sent in ({}, {"vote": ""}, {"vote": "maybe"}):
        answer = client.post(address(votes, "judge/"), {"token": token(page), **sent})
        assert answer.status_code == 422
        assert token(answer) == token(page)
    other = next_turn(make_judge(votes, "ben")).token
    for wrong in ("", "x", "00000000-0000-0000-0000-000000000000", other):
        assert client.post(address(votes, "judge/"), {"token": wrong, "vote": "yes"}).status_code == 302
    assert not Judgement.objects.exists()


SECRET = {"note": "my-secret-note"}
EDIT = {"decision": "edit", "pairs": [["bakers", "gloomy"]], "reason": "", **SECRET}
OWN = {
    "choice": "own",
    "candidates": [],
    "place": 0,
    "distance": 0,
    "more": "Gloomy.",
    "less": "Dos.",
    **SECRET,
}
WRONG = {"verdict": "odd", "correction": "gloomy", "named": "asha", **SECRET}
REVIEWED = {
    "votes": (tuples(2), {"vote": "no"}, {"model-x"}),
    "words": (items("es", ["examples"])[:2], WRONG, {"asha"}),
    "extraction": (statements(2), EDIT, set()),
    "translation": (translations(2), OWN, {"deepl", "nllb", "indictrans", "engine"}),
}
"""By kind of task: rows, what somebody said of the first one, and what else no reviewer may read."""


@pytest.mark.parametrize("kind", REVIEWED)
def test_nobody_sees_what_others_said_or_who_made_an_item(kind, make_task, make_judge, signed_in):
    rows, answer, hidden = REVIEWED[kind]
    task = make_task(kind, rows, **({} if kind == "votes" else {"needed": 2}))
    other = make_judge(task, "first_reviewer")
    while (turn := next_turn(other)) is not None:
        take(other, turn.token, answer)
    client = signed_in(task)
    here = f"/organise/{task.campaign.slug}/tasks/"
    seen = [client.get(here), client.get(address(task)), client.post(address(task, "begin/"), follow=True)]
    for sent in ({}, {"action": "skip"}):
        seen.append(client.post(address(task, "judge/"), {"token": token(seen[2]), **sent}, follow=True))
    seen.append(client.post(address(task, "undo/"), follow=True))
    assert seen[3].status_code == 422
    for page in seen:
        text = page.content.decode().lower()
        assert not [word for word in {"gloomy", "my-secret-note", "first_reviewer", *hidden} if word in text]


def test_what_files_hold_is_escaped(make_task, signed_in):
    task = make_task(
        "votes", [{"identity": "<script>x</script>", "attribute": "'\"><b>"}], instructions="<i>read</i>"
    )
    text = begun(signed_in(task), task).get(address(task)).content.decode()
    assert "<script>x" not in text
    assert "&lt;script&gt;x" in text
    assert "<i>read" not in text


def test_organisers_pause_close_and_open_and_it_is_in_the_log(votes, signed_in):
    organiser = signed_in(votes, "ines", Role.ORGANISER)
    reviewer = begun(signed_in(votes), votes)
    for action, asks in (("pause", False), ("close", True)):
        asked = act(organiser, action, votes)
        assert asked.status_code == (200 if asks else 302)
        votes.refresh_from_db()
        assert votes.state == TaskState.PAUSED
        act(organiser, action, votes, sure="1")
        assert "paused or closed" in reviewer.get(address(votes)).content.decode()
    act(organiser, "reopen", votes)
    assert "Do people say this?" in reviewer.get(address(votes)).content.decode()
    act(organiser, "delete_selected", votes)
    assert act(reviewer, "close", votes, sure="1").status_code == 404
    votes.refresh_from_db()
    assert votes.state == TaskState.OPEN
    actions = set(AuditEntry.objects.values_list("action", flat=True))
    assert {"task made", "task paused", "task closed", "task opened"} <= actions


def test_the_list_shows_progress_and_the_download_holds_the_judgements(votes, signed_in, make_judge):
    judge = make_judge(votes, "ben")
    take(judge, next_turn(judge).token, {"vote": "no"})
    organiser = signed_in(votes, "ines", Role.ORGANISER)
    listed = organiser.get(f"/organise/{votes.campaign.slug}/tasks/").content.decode()
    assert "0 of 4 items have enough judgements" in listed
    sent = act(organiser, "export", votes)
    with zipfile.ZipFile(io.BytesIO(b"".join(sent.streaming_content))) as archive:
        assert sorted(archive.namelist()) == ["votes.csv", "votes_items.csv"]
        assert b"model-x" in archive.read("votes.csv")
        assert b"ben" not in archive.read("votes.csv")
    assert AuditEntry.objects.filter(action="task exported").exists()
    assert act(signed_in(votes, "rosa"), "export", votes).status_code == 404


def test_a_task_whose_secret_was_shown_is_not_opened_again(votes, signed_in):
    Task.objects.filter(pk=votes.pk).update(state=TaskState.CLOSED, revealed_at="2026-01-01T00:00Z")
    organiser = signed_in(votes, "ines", Role.ORGANISER)
    for action in ("reopen", "pause"):
        act(organiser, action, votes)
        listed = organiser.get(f"/organise/{votes.campaign.slug}/tasks/").content.decode()
        assert "cannot be opened again" in listed
    votes.refresh_from_db()
    assert votes.state == TaskState.CLOSED


def upload(client, campaign, text, name="items.csv", **values):
    file = SimpleUploadedFile(name, text.encode())
    return client.post(reverse("organiser:task_add", args=[campaign.slug]), {"file": file, **values})


def test_an_organiser_makes_a_task_of_an_uploaded_file(client, campaign, make_account):
    client.force_login(make_account("olga", campaign, Role.ORGANISER))
    empty = upload(client, campaign, "identity,attribute\na,\n", "my items.csv", kind="votes", settings="")
    assert empty.status_code == 422
    assert "my items.csv, line 2, column 'attribute': it is empty" in unescape(empty.content.decode())
    assert not Task.objects.exists()
    text = "item_id,identity,attribute\na,bakers,sing\nb,bakers,dance\n"
    done = upload(client, campaign, text, kind="votes", settings="needed=5\nleast=3\n")
    assert done.status_code == 302
    task = Task.objects.get(name="votes")
    assert (task.items.count(), task.settings["needed"], task.settings["least"]) == (2, 5, 3)
    entry = AuditEntry.objects.get(action="task made")
    assert (entry.user.username, entry.detail) == ("olga", {"task": "votes", "kind": "votes", "items": 2})
