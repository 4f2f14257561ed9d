"""Campaigns from before it was stored who judged a pair: approvals hold, and can still be taken back."""

from __future__ import annotations

import importlib

from django.apps import apps

from endoxa_collect.models import Act, Action, Pair, Source
from endoxa_collect.organiser.decisions import undo

note_approvals = importlib.import_module("endoxa_collect.migrations.0004_cards").note_approvals


def test_approvals_from_before_hold_and_can_be_taken_back(campaign, make_pairs, make_account):
    moderator = make_account("mo", campaign, "moderator")
    approved, edited, again, undone, untouched = make_pairs(
        campaign,
        *(("AR", f"dance {n}", "en") for n in range(5)),
        source=Source.CONTRIBUTOR,
        negative=None,
    )

    def act(pair, action, **facts):
        return Act.objects.create(pair=pair, user=moderator, action=action, before={"flags": []}, **facts)

    act(approved, Action.APPROVE)
    act(edited, Action.APPROVE)
    act(edited, Action.EDIT)
    for action in (Action.APPROVE, Action.EDIT):
        act(again, action)
    last = act(again, Action.APPROVE)
    act(undone, Action.APPROVE, undone=True)
    note_approvals(apps, None)
    covered = {pair.pk for pair in Pair.objects.all() if pair.may_hurt}
    assert covered == {edited.pk, undone.pk, untouched.pk}
    undo(campaign, moderator, last.public_id)
    assert Pair.objects.get(pk=again.pk).may_hurt
