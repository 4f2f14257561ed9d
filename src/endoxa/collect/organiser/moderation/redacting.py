"""Taking personal data out of a pair, for good: the words go wherever they were written."""

from __future__ import annotations

from uuid import uuid4

from django.db import transaction
from django.utils import timezone

from endoxa.collect.cards.counts import family
from endoxa.collect.models import Act, Action, Mention, Moderation, Pair, Tombstone
from endoxa.collect.privacy.erasing import erase_traces


def redact(pair: Pair) -> None:
    """Remove the words of a pair, of all that was merged into it and of all mentions, and hide it.

    Row ids go onto the list of what loaders drop, since a release may hold the words, and are replaced. Must be called
    within a transaction.
    """
    pairs = Pair.objects.filter(pk__in=family(pair))
    mentions = Mention.objects.filter(pair__in=pairs)
    hour = timezone.now().replace(minute=0, second=0, microsecond=0)
    rows = [("pairs", one) for one in pairs] + [("mentions", one) for one in mentions]
    Tombstone.objects.bulk_create(
        Tombstone(campaign_id=pair.campaign_id, row=row.public_id, table=table, withdrawn_hour=hour)
        for table, row in rows
    )
    for one in pairs:
        one.public_id, one.attribute, one.key = uuid4(), "", f"-{uuid4()}"
        one.flags, one.topic = [], ""
        one.save(update_fields=["public_id", "attribute", "key", "flags", "topic"])
    for mention in mentions:
        mention.public_id, mention.text = uuid4(), ""
        mention.save(update_fields=["public_id", "text"])
    Act.objects.filter(pair__in=pairs, action=Action.EDIT).delete()
    pair.refresh_from_db()
    if pair.merged_into is None:
        pair.moderation = Moderation.HIDDEN
        pair.save(update_fields=["moderation"])
    transaction.on_commit(erase_traces)
