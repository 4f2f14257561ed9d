"""Merge two pairs, and undo a merge. Rows of answers stay; only the pair they count for changes."""

from __future__ import annotations

from django.utils.translation import gettext

from endoxa_collect.cards.answering import drop_reports
from endoxa_collect.cards.counts import recount, root_of
from endoxa_collect.cards.locking import locked
from endoxa_collect.entry.cleaning import EntryError
from endoxa_collect.models import Moderation, Pair

_STANDING = frozenset({Moderation.LIVE, Moderation.PENDING})
"""What another pair may be merged into."""


class MergeError(EntryError):
    """Pairs that cannot be merged, or a pair that is not merged."""


def merge(pair: Pair, into: Pair) -> Pair:
    """Let a pair count as another, and give what it counts as: the root of `into`.

    Raises:
        MergeError: if the pair is merged already, both are the same, they are of two countries or languages, or the
            other one is hidden: what people say would go out of sight with it.
    """
    with locked(pair.campaign_id) as campaign:
        pair.refresh_from_db()
        root = root_of(Pair.objects.get(pk=into.pk))
        if pair.merged_into_id is not None:
            raise MergeError(gettext("This pair is merged into another one already. Take that back first."))
        if pair.pk == root.pk:
            # Also what keeps circles out: what was merged into a pair has that pair as its root.
            raise MergeError(gettext("Both are the same pair."))
        where = (pair.campaign_id, pair.country, pair.language)
        if where != (root.campaign_id, root.country, root.language):
            raise MergeError(gettext("Only pairs about one country in one language can be merged."))
        if root.moderation not in _STANDING:
            raise MergeError(gettext("The other one is hidden. Merge into one that is shown or waits."))
        pair.before_merge, pair.moderation, pair.merged_into = pair.moderation, Moderation.MERGED, root
        pair.save(update_fields=["before_merge", "moderation", "merged_into"])
        recount(campaign, [root])
    return root


def unmerge(pair: Pair) -> None:
    """Let a merged pair stand for itself again, as it was; what was merged into it before goes with it.

    Raises:
        MergeError: if the pair is not merged.
    """
    with locked(pair.campaign_id) as campaign:
        pair.refresh_from_db()
        if pair.merged_into is None:
            raise MergeError(gettext("This pair is not merged into another one."))
        root = root_of(pair)
        pair.moderation, pair.before_merge = pair.before_merge or Moderation.PENDING, ""
        pair.merged_into = None
        pair.save(update_fields=["before_merge", "moderation", "merged_into"])
        recount(campaign, [pair, root])
        # What people reported on cards of this pair goes with it.
        drop_reports([pair, root])
