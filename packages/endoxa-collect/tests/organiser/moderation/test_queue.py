"""The queue of moderators: found by indexes, sorted before others must wait; many approved at once."""

from __future__ import annotations

import pytest

from endoxa_collect.models import Action, AuditEntry, Claim, Moderation, Pair, Role
from endoxa_collect.organiser.decisions import decide, queue, revision, take_next
from organiser.moderation.conftest import at, say


def listed(page):
    return [
        f"{pair.public_id}:{seen}"
        for pair, seen in (page.context["plain"] if page.context["decides"] else ())
    ]


def approve(client, campaign, shown, **more):
    return client.post(at("moderation_many", campaign), {"action": "approve", "plain": shown}, **more)


@pytest.fixture
def reader(client, campaign, moderator):
    """The test client, signed in as a moderator who had all words shown."""
    client.force_login(moderator)
    client.post(at("moderation_words", campaign), {"show": "1"})
    return client


@pytest.fixture
def room(campaign, person, make_person):
    """What a room added: five that nothing is wrong with, one that names somebody."""
    pairs = [say(person, f"love tea number {n}") for n in range(5)]
    return [*pairs, say(make_person(campaign, "ben"), "sing like Maria Gonzalez")]


@pytest.mark.slow
def test_all_without_a_flag_are_approved_each_for_itself(client, campaign, room, moderator):
    client.force_login(moderator)
    page = client.get(at("moderation", campaign))
    assert "show all words first" in page.content.decode()
    assert 'name="plain"' not in page.content.decode()
    # Words that were covered are not approved, whatever somebody sends.
    approve(client, campaign, [f"{pair.public_id}:{revision(pair)}" for pair in room])
    assert not Pair.objects.filter(moderation=Moderation.LIVE).exists()
    client.post(at("moderation_words", campaign), {"show": "1"})
    page = client.get(at("moderation", campaign))
    assert "Approve the 5 pairs below that have no flag" in page.content.decode()
    done = approve(client, campaign, listed(page), follow=True)
    assert "Pairs decided about: 5." in done.content.decode()
    assert "Approve the" not in done.content.decode()
    assert set(Pair.objects.values_list("attribute", "moderation")) == {
        *((f"love tea number {n}", "live") for n in range(5)),
        ("sing like Maria Gonzalez", "pending"),
    }
    logged = AuditEntry.objects.filter(action="pair approved").values_list("detail__pair", flat=True)
    assert sorted(logged) == sorted(str(pair.public_id) for pair in room[:5])
    # Each can be taken back, the latest first.
    for left in (4, 3):
        act = client.get(at("moderation", campaign)).context["done"]
        client.post(at("moderation_undo", campaign, act["act"].public_id))
        assert Pair.objects.filter(moderation=Moderation.LIVE).count() == left


@pytest.mark.slow
def test_what_others_look_at_what_changed_and_what_was_flagged_is_left(reader, campaign, room, make_account):
    client, other = reader, make_account("olu", campaign, Role.ORGANISER)
    sent = listed(client.get(at("moderation", campaign)))
    claimed = take_next(campaign, other, organiser=True)
    assert claimed == room[5]
    Claim.objects.update(pair=room[0])
    page = client.get(at("moderation", campaign))
    assert len(listed(page)) == 4
    hidden, flagged, gone = room[1:4]
    decide(campaign, other, hidden.public_id, Action.HIDE, revision(hidden))
    flagged.flags = ["report_other"]
    flagged.save()
    gone.delete()
    named = [*sent, f"{room[5].public_id}:{revision(room[5])}", f"{flagged.public_id}:{revision(flagged)}"]
    done = approve(client, campaign, named, follow=True)
    assert "Pairs decided about: 1." in done.content.decode()
    assert "Left as they were: 6." in done.content.decode()
    assert list(Pair.objects.filter(moderation=Moderation.LIVE)) == [room[4]]


def test_what_accuses_insults_or_names_is_approved_alone_though_nothing_flags_it(
    reader, campaign, make_pairs
):
    """Flags of before the lists grew: the words are looked at anew, on the page and when the button is pressed."""
    english = ("our neighbour steals", "are thieves", "sing like Maria Gonzalez", "love tea", "love coffee")
    spanish = ("el vecino del tercero roba", "hijos de puta")
    pairs = make_pairs(
        campaign, *(("AR", text, "en") for text in english), *(("AR", text, "es") for text in spanish)
    )
    Pair.objects.update(moderation=Moderation.PENDING, flags=[])
    offered = reader.get(at("moderation", campaign)).context["plain"]
    assert [pair.attribute for pair, _ in offered] == ["love tea", "love coffee"]
    shown = [f"{pair.public_id}:{revision(Pair.objects.get(pk=pair.pk))}" for pair in pairs]
    approve(reader, campaign, shown)
    live = Pair.objects.filter(moderation=Moderation.LIVE).order_by("pk")
    assert [pair.attribute for pair in live] == ["love tea", "love coffee"]


def test_what_may_harm_somebody_comes_first(campaign, make_pairs):
    """Planted in the opposite order, each with the flags of one step."""
    steps = ([], ["long"], ["report_nonsense"], ["slur"], ["shouting", "accusation"], ["report_personal"])
    pairs = make_pairs(campaign, *(("AR", f"love tea {at}", "en") for at in range(len(steps))))
    for pair, flags in zip(pairs, steps, strict=True):
        Pair.objects.filter(pk=pair.pk).update(moderation=Moderation.PENDING, flags=flags)
    new, long, reported, *severe = pairs
    assert list(queue(campaign, organiser=False)) == [*severe, reported, long, new]
