"""Taking personal data out of a pair, for good: the words go wherever they were written."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import uuid4

from django.db.models import Q
from django.utils import timezone

from endoxa.collect.cards.counts import family
from endoxa.collect.cards.locking import afterwards
from endoxa.collect.models import Act, Action, Campaign, Mention, Moderation, Pair
from endoxa.collect.privacy.erasing import erase_traces
from endoxa.collect.withdrawals.listing import What, noted
from endoxa.collect.withdrawals.tombstones import bury


def redact(pair: Pair) -> None:
    """Remove the words of a pair, of all that was merged into it and of all mentions, and hide it.

    Row ids go onto the list of what loaders drop, since a release may hold the words, and are replaced. Must be called
    within a transaction.
    """
    pairs = list(Pair.objects.filter(pk__in=family(pair)))
    redact_rows(pair.campaign, pairs, [])
    pair.refresh_from_db()


def redact_rows(campaign: Campaign, pairs: Sequence[Pair], mentions: Sequence[Mention]) -> None:
    """Remove the words of these pairs, of all their mentions and of these mentions, as `redact` does."""
    named = [mention.pk for mention in mentions]
    said = list(Mention.objects.filter(Q(pair__in=pairs) | Q(pk__in=named)))
    with noted(campaign, What.WORDS):
        now = timezone.now()
        bury(campaign, "pairs", [one.public_id for one in pairs], now)
        bury(campaign, "mentions", [one.public_id for one in said], now)
    for one in pairs:
        one.public_id, one.attribute, one.key = uuid4(), "", f"-{uuid4()}"
        one.flags, one.topic = [], ""
        if one.merged_into_id is None:
            one.moderation = Moderation.HIDDEN
        one.save(update_fields=["public_id", "attribute", "key", "flags", "topic", "moderation"])
    for mention in said:
        mention.public_id, mention.text = uuid4(), ""
        mention.save(update_fields=["public_id", "text"])
    Act.objects.filter(pair__in=pairs, action=Action.EDIT).delete()
    afterwards(erase_traces)
