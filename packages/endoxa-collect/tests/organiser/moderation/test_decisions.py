"""Moderation: what waits, what each decision does, and that it can be taken back."""

from __future__ import annotations

import pytest
from django.utils import timezone

from endoxa_collect.cards import answering, drawing
from endoxa_collect.entry.cleaning import EntryError
from endoxa_collect.entry.proposing import merge
from endoxa_collect.models import (
    Act,
    Action,
    AuditEntry,
    CardState,
    Claim,
    Mention,
    Moderation,
    Pair,
    Role,
    Skip,
    Tombstone,
)
from endoxa_collect.organiser.decisions import (
    StaleError,
    claimant,
    decide,
    revision,
    take_next,
    undo,
    waiting,
)
from organiser.moderation.conftest import at, say


@pytest.fixture
def organiser(campaign, make_account):
    return make_account("olu", campaign, Role.ORGANISER)


def fresh(pair):
    return Pair.objects.get(pk=pair.pk)


def act(pair, user, action, **more):
    pair = fresh(pair)
    if "into" in more:
        more.setdefault("into_seen", revision(Pair.objects.get(public_id=more["into"])))
    return decide(pair.campaign, user, pair.public_id, Action(action), revision(pair), **more)


def queue(campaign, *, organiser=False):
    return [pair.attribute for pair in waiting(campaign, organiser=organiser)]


def refuses(sentence, act, *words, error=EntryError, **more):
    """That a decision is refused with this sentence."""
    with pytest.raises(error, match=sentence or None):
        act(*words, **more)


def send(client, pair, action, **more):
    pair = fresh(pair)
    data = {"action": action, "seen": revision(pair), **more}
    return client.post(at("moderation_act", pair.campaign, pair.public_id), data)


@pytest.mark.slow
def test_approving_shows_a_pair_and_its_wait_begins(campaign, person, moderator):
    pair = say(person, "sing like Maria Gonzalez")
    Pair.objects.update(waiting_since=5)
    done = act(pair, moderator, "approve")
    shown = fresh(pair)
    assert (shown.moderation, shown.flags) == (Moderation.LIVE, [])
    assert shown.waiting_since > 5
    assert queue(campaign) == []
    undo(campaign, moderator, done.public_id)
    back = fresh(pair)
    assert (back.moderation, back.flags, back.waiting_since) == (Moderation.PENDING, ["name"], 5)


@pytest.mark.slow
@pytest.mark.parametrize("action", ["hide", "escalate"])
def test_what_is_hidden_or_handed_on_leaves_the_cards_of_people(
    campaign, person, make_person, make_pairs, moderator, action
):
    (pair,) = make_pairs(campaign, ("AR", "drink mate", "en"))
    card = drawing.next_card(person)
    done = act(pair, moderator, action)
    card.refresh_from_db()
    assert card.state == CardState.LAPSED
    assert drawing.next_card(person).pair is None
    answering.rate(person, card.token, 4)
    assert fresh(pair).ratings == 1
    undo(campaign, moderator, done.public_id)
    assert fresh(pair).moderation == Moderation.LIVE


def test_an_edit_keeps_what_people_wrote_and_looks_at_the_new_words(campaign, person, moderator):
    pair = say(person, "sing like Maria Gonzalez")
    done = act(pair, moderator, "edit", text="They sing very well", language="en")
    changed = fresh(pair)
    assert (changed.attribute, changed.key, changed.flags) == ("They sing very well", "sing very well", [])
    assert changed.moderation == Moderation.PENDING
    assert Mention.objects.get(pair=pair).text == "sing like Maria Gonzalez"
    assert done.words_of == person
    undo(campaign, moderator, done.public_id)
    assert (fresh(pair).attribute, fresh(pair).flags) == ("sing like Maria Gonzalez", ["name"])
    person.delete()
    assert not Act.objects.filter(action=Action.EDIT).exists()


def test_an_edit_cannot_make_two_of_one(campaign, person, make_person, moderator, make_pairs):
    make_pairs(campaign, ("AR", "sing very well", "en"))
    pair = say(person, "sing like birds")
    refuses("Merge this one", act, pair, moderator, "edit", text="They sing very well!", language="en")
    refuses("few words", act, pair, moderator, "edit", text="!", language="en")
    assert fresh(pair).attribute == "sing like birds"
    # Nor can taking one back whose words came back.
    done = act(pair, moderator, "edit", text="sing rather well", language="en")
    say(make_person(campaign, "ben"), "sing like birds")
    refuses("proposed again", undo, campaign, moderator, done.public_id)
    assert fresh(pair).attribute == "sing rather well"


@pytest.mark.slow
def test_words_that_people_rated_stay_as_they_saw_them(campaign, person, make_person, moderator):
    pair = say(person, "sing like birds")
    edited = act(pair, moderator, "edit", text="sing like larks", language="en")
    act(pair, moderator, "approve")
    undo(campaign, moderator, act(pair, moderator, "edit", text="sing well", language="en").public_id)
    rater = make_person(campaign, "ben")
    card = drawing.next_card(rater)
    answering.rate(rater, card.token, 4)
    refuses("stay as they are", act, pair, moderator, "edit", text="sing like crows", language="en")
    act(pair, moderator, "edit", text="Sing like larks!", language="en")
    assert fresh(pair).attribute == "Sing like larks!"
    for done in Act.objects.filter(undone=False, pk__gt=edited.pk).order_by("-pk"):
        undo(campaign, moderator, done.public_id)
    refuses("stay as they are", undo, campaign, moderator, edited.public_id)
    assert fresh(pair).key == "sing like larks"


@pytest.mark.slow
def test_marks_and_merges_are_taken_back(campaign, person, make_pairs, moderator):
    (root,) = make_pairs(campaign, ("AR", "drink mate", "en"))
    pair = say(person, "sip mate")
    marked = act(pair, moderator, "mark", topic="drinks", negative=True)
    other = {"into": root.public_id, "into_seen": "as it was"}
    refuses("", act, pair, moderator, "merge", **other, error=StaleError)
    merged = act(pair, moderator, "merge", into=root.public_id)
    assert (fresh(pair).moderation, fresh(root).mentions) == (Moderation.MERGED, 1)
    refuses("merged into another", act, pair, moderator, "approve")
    refuses("later decision", undo, campaign, moderator, marked.public_id, error=StaleError)
    undo(campaign, moderator, merged.public_id)
    undo(campaign, moderator, merged.public_id)
    assert (fresh(pair).moderation, fresh(root).mentions) == (Moderation.PENDING, 0)
    undo(campaign, moderator, marked.public_id)
    assert (fresh(pair).topic, fresh(pair).negative) == ("", None)
    merge(fresh(pair), root)
    undone = act(pair, moderator, "unmerge")
    assert fresh(pair).moderation == Moderation.PENDING
    undo(campaign, moderator, undone.public_id)
    assert fresh(pair).merged_into == root


@pytest.mark.slow
def test_personal_data_goes_everywhere_and_for_good(campaign, person, make_person, moderator):
    pair = say(person, "sing like Maria Gonzalez")
    other = say(make_person(campaign, "ben"), "sings like Maria Gonzales")
    act(pair, moderator, "edit", text="sing like Maria G.", language="en")
    merge(fresh(other), fresh(pair))
    old = {str(one) for one in Pair.objects.values_list("public_id", flat=True)}
    done = act(pair, moderator, "personal")
    for model in (Pair, Mention, Act, AuditEntry, Tombstone, Claim, Skip):
        assert "Maria" not in repr(list(model.objects.values())), model
    assert fresh(pair).moderation == Moderation.HIDDEN
    assert old <= {str(row) for row in Tombstone.objects.values_list("row", flat=True)}
    assert not old & {str(one) for one in Pair.objects.values_list("public_id", flat=True)}
    refuses("gone for good", undo, campaign, moderator, done.public_id)
    refuses("were removed", act, pair, moderator, "approve")
    again = say(make_person(campaign, "cem"), "sing like Maria Gonzalez")
    assert again.moderation == Moderation.PENDING


@pytest.mark.slow
def test_reports_that_came_after_a_decision_survive_its_undo(campaign, person, make_pairs, moderator):
    (pair,) = make_pairs(campaign, ("AR", "drink mate", "en"), flags=["shouting"])
    done = act(pair, moderator, "approve")
    answering.skip(person, drawing.next_card(person).token, "report_hate")
    undo(campaign, moderator, done.public_id)
    assert fresh(pair).flags == ["shouting", "report_hate"]


@pytest.mark.slow
def test_two_moderators_at_once(campaign, person, moderator, organiser):
    first, second = say(person, "love poetry"), say(person, "love tea")
    assert take_next(campaign, moderator, organiser=False) == first
    assert take_next(campaign, organiser, organiser=True) == second
    assert claimant(first, organiser) == "mo"
    assert claimant(first, moderator) == ""
    seen = revision(first)
    act(first, organiser, "hide")
    stale = (campaign, moderator, first.public_id, Action.APPROVE, seen)
    refuses("Somebody else", decide, *stale, error=StaleError)
    assert fresh(first).moderation == Moderation.HIDDEN
    assert claimant(first, organiser) == ""
    Claim.objects.update(until=timezone.now())
    assert take_next(campaign, moderator, organiser=False) == second


@pytest.mark.slow
def test_a_moderator_works_through_the_queue(client, campaign, person, make_pairs, moderator):
    make_pairs(campaign, ("AR", "drink mate", "en"))
    one, two, three = (say(person, text) for text in ("love poetry", "love tea", "sip mate"))
    client.force_login(moderator)
    response = client.post(at("moderation_next", campaign))
    assert response.headers["Location"] == at("moderation_item", campaign, one.public_id)
    assert send(client, one, "approve").headers["Location"] == at("moderation_item", campaign, two.public_id)
    page = client.get(at("moderation_item", campaign, two.public_id)).content.decode()
    assert "You approved:" in page
    send(client, two, "edit", text="love green tea", language="en")
    send(client, two, "hide")
    mate = Pair.objects.get(attribute="drink mate")
    response = send(client, three, "merge", into=mate.public_id, into_seen=revision(mate))
    assert response.headers["Location"] == at("moderation", campaign)
    html = client.get(at("all_pairs", campaign), {"state": "merged"}).content.decode()
    assert "sip mate" in html
    assert "drink mate" not in html
    assert "drink mate" in client.get(at("moderation_item", campaign, three.public_id)).content.decode()
    send(client, three, "unmerge")
    assert fresh(three).moderation == Moderation.PENDING
    latest = Act.objects.filter(user=moderator, undone=False).latest("pk")
    client.post(at("moderation_undo", campaign, latest.public_id))
    assert fresh(three).merged_into == mate
    logged = ", ".join(AuditEntry.objects.order_by("pk").values_list("action", flat=True))
    edited = "pair approved, pair edited, pair hidden, pair merged"
    assert logged == f"{edited}, merge taken back, decision taken back"
    assert "poetry" not in repr(list(AuditEntry.objects.values()))


@pytest.mark.slow
def test_reviewers_read_and_what_was_handed_on_is_for_organisers(
    client, campaign, person, make_account, moderator, organiser
):
    pair = say(person, "love poetry")
    item = at("moderation_item", campaign, pair.public_id)

    def page(account):
        client.force_login(account)
        return client.get(item).content.decode()

    assert "Approve" not in page(make_account("rea", campaign, Role.REVIEWER))
    assert send(client, pair, "approve").status_code == 404
    assert client.post(at("moderation_next", campaign)).status_code == 404
    assert [('value="escalate"' in page(account)) for account in (moderator, organiser)] == [True, False]
    act(pair, moderator, "escalate")
    assert "with the organiser" in page(moderator)
    assert send(client, pair, "approve").status_code == 404
    assert take_next(campaign, moderator, organiser=False) is None
    client.force_login(organiser)
    assert send(client, pair, "approve").status_code == 302
    assert fresh(pair).moderation == Moderation.LIVE
