"""Taking decisions back."""

from __future__ import annotations

from uuid import UUID

from django.contrib.auth.models import User
from django.utils.translation import gettext

from endoxa.collect.audit import record
from endoxa.collect.cards.forgetting import drop_reports
from endoxa.collect.cards.locking import locked
from endoxa.collect.entry.errors import EntryError
from endoxa.collect.entry.merging import merge, unmerge
from endoxa.collect.models import Act, Action, Campaign, Pair
from endoxa.collect.organiser.moderation.deciding import FIELDS, GoneError, StaleError, require_same_words


def latest_act(campaign: Campaign, user: User) -> Act | None:
    """What this account decided last in a campaign and can take back."""
    acts = Act.objects.filter(user=user, pair__campaign=campaign, undone=False)
    return acts.exclude(action=Action.PERSONAL).select_related("pair").order_by("-at", "-pk").first()


def undo(campaign: Campaign, user: User, act_id: UUID) -> Act:
    """Give a pair back what a decision changed; twice does nothing more than once.

    Raises:
        GoneError: the campaign has no such decision, or the pair it was about or was merged into is gone.
        StaleError: another decision about the pair came after it, or it was merged or parted since, by
            whomever: contributors merge pairs of their own.
        EntryError: it was the removal of personal data, other people's words took the place, or people rated the
            words of an edit.
    """
    with locked(campaign.pk):
        act = Act.objects.select_related("pair").filter(pair__campaign=campaign, public_id=act_id).first()
        if act is None:
            raise GoneError
        if act.undone:
            return act
        _check(act)
        if act.action == Action.MERGE:
            unmerge(act.pair)
        elif act.action == Action.UNMERGE:
            merge(act.pair, _root_before(act))
        else:
            _restore(act)
        act.undone = True
        act.save(update_fields=["undone"])
        record(campaign, user, "decision taken back", pair=str(act.pair.public_id), decision=act.action)
        return act


def _check(act: Act) -> None:
    if act.action == Action.PERSONAL:
        raise EntryError(gettext("Words that were removed as personal data are gone for good."))
    if Act.objects.filter(pair=act.pair, undone=False, pk__gt=act.pk).exists():
        raise StaleError(gettext("A later decision about this one must be taken back first."))
    pair = act.pair
    before = act.before.get("merged_into")
    stands = {
        Action.MERGE: pair.merged_into_id is not None,
        Action.UNMERGE: pair.merged_into_id is None,
    }.get(Action(act.action), pair.merged_into_id == before)
    if not stands:
        raise StaleError


def _root_before(act: Act) -> Pair:
    root = Pair.objects.filter(pk=act.before["merged_into"]).first()
    if root is None:
        raise GoneError
    return root


def _restore(act: Act) -> None:
    pair = act.pair
    reported = [flag for flag in pair.flags if flag.startswith("report_")]
    changed = {field: value for field, value in act.before.items() if field in FIELDS}
    if "attribute" in changed:
        require_same_words(pair, changed.get("key", pair.key))
    for field, value in changed.items():
        setattr(pair, field, value)
    # What was reported since the decision stays reported.
    pair.flags = list(dict.fromkeys([*pair.flags, *reported]))
    same = Pair.objects.filter(
        campaign=pair.campaign_id, country=pair.country, language=pair.language, key=pair.key
    )
    if same.exclude(pk=pair.pk).exists():
        raise EntryError(gettext("The earlier words were proposed again meanwhile. Merge the two instead."))
    pair.save(update_fields=[*changed, "flags"])
    # Whoever reported it may have left since.
    drop_reports([pair])
