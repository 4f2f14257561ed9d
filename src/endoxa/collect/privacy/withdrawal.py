"""Leaving a campaign: everything a person gave is deleted at once, and releases learn which rows to drop."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime

from django.db.models import Count, Manager, Model, Q, QuerySet
from django.utils import timezone

from endoxa.collect.audit import record
from endoxa.collect.cards.counts import recount, root_of
from endoxa.collect.cards.forgetting import drop_reports
from endoxa.collect.cards.locking import afterwards, locked
from endoxa.collect.models import (
    Campaign,
    Mention,
    Moderation,
    Pair,
    Person,
    Rating,
    Source,
)
from endoxa.collect.privacy.erasing import erase_traces
from endoxa.collect.security.limits import PROPOSALS
from endoxa.collect.withdrawals.listing import What, noted
from endoxa.collect.withdrawals.tombstones import bury, bury_keys


@dataclass(frozen=True)
class Withdrawn:
    """How many rows went. `pairs` were said by nobody else; `kept` of the person's pairs stay, without their name."""

    ratings: int = 0
    mentions: int = 0
    skips: int = 0
    cards: int = 0
    statements: int = 0
    pairs: int = 0
    kept: int = 0


def withdraw(person: Person, *, now: datetime | None = None) -> Withdrawn:
    """Delete a person and all their answers, in one transaction.

    A pair that others mentioned or rated stays, without this person's mention; where it is shown in their words and
    somebody else put it in other words, those take their place. A pair of theirs alone goes, unless they
    agreed that their words may stay. Counts are made anew. The public ids of all rows that a release may hold
    are kept as tombstones, without a link to anybody. The second call does nothing.
    """
    now = now or timezone.now()
    with locked(person.campaign_id) as campaign:
        found = Person.objects.filter(pk=person.pk).first()
        if found is None:
            return Withdrawn()
        PROPOSALS.clear(str(found.pk))
        with noted(campaign, What.PERSON, found.pk):
            gone = _withdraw(campaign, found, now)
        entry = record(campaign, None, "withdrawal", **asdict(gone))
        # As with tombstones: whoever saw somebody leave learns nothing from the minute.
        entry.at = now.replace(minute=0, second=0, microsecond=0)
        entry.save(update_fields=["at"])
        afterwards(erase_traces)
    return gone


def _withdraw(campaign: Campaign, person: Person, now: datetime) -> Withdrawn:
    keep = person.keep_words
    words = dict(Mention.objects.filter(person=person).values_list("pair_id", "text"))
    own = set(words) | set(Pair.objects.filter(author=person).values_list("pk", flat=True))
    reported = set(
        person.skips.filter(reason__startswith="report_").exclude(pair=None).values_list("pair_id", flat=True)
    )
    rated = set(Rating.objects.filter(person=person).values_list("pair_id", flat=True))
    roots = {root_of(pair).pk for pair in Pair.objects.filter(pk__in=own | rated)}
    ratings = _bury(campaign, "ratings", person.ratings, now)
    mentions = _bury(campaign, "mentions", person.mentions, now)
    skips = _bury(campaign, "skips", person.skips, now)
    statements = _bury(campaign, "statements", person.statements, now)
    bury_keys(campaign, person, now)
    cards = person.cards.count()
    person.delete()
    alone = [pk for pk in sorted(own) if not keep and _nobody_elses(Pair.objects.get(pk=pk))]
    for pk in alone:
        pair = Pair.objects.get(pk=pk)
        heir = _hand_over(pair)
        roots |= {heir.pk} if heir else set()
        # Others who skipped it skipped nothing that is still there.
        _bury(campaign, "skips", pair.skip_rows, now)
        bury(campaign, "pairs", [pair.public_id], now)
        pair.delete()
    kept = Pair.objects.filter(pk__in=own)
    _reword(kept, words)
    recount(campaign, Pair.objects.filter(pk__in=roots))
    drop_reports(Pair.objects.filter(pk__in=reported))
    return Withdrawn(ratings, mentions, skips, cards, statements, len(alone), kept.count())


def _bury(campaign: Campaign, table: str, rows: Manager[Model], now: datetime) -> int:
    return bury(campaign, table, rows.values_list("public_id", flat=True), now)


def _nobody_elses(pair: Pair) -> bool:
    """Whether nobody who is still there proposed, mentioned or rated the pair."""
    if pair.source == Source.SEED or pair.author_id is not None:
        return False
    return not pair.mention_rows.exists() and not pair.rating_rows.exists()


def _hand_over(pair: Pair) -> Pair | None:
    """Give what was merged into a pair that goes another root; the new one if there is one."""
    merged = Pair.objects.filter(merged_into=pair).annotate(said=Count("mention_rows"))
    heir = pair.merged_into or merged.order_by("-said", "pk").first()
    if heir is None:
        return None
    if pair.merged_into is None:
        heir.merged_into, heir.moderation, heir.before_merge = None, pair.moderation, ""
        heir.save(update_fields=["merged_into", "moderation", "before_merge"])
    Pair.objects.filter(merged_into=pair).exclude(pk=heir.pk).update(merged_into=heir)
    return None if heir.moderation == Moderation.MERGED else heir


def _reword(pairs: QuerySet[Pair], words: Mapping[int, str]) -> None:
    """Show pairs that stay in the words of somebody who is still there, where they were shown in these words."""
    shown = [pair for pair in pairs.filter(~Q(source=Source.SEED)) if pair.pk in words]
    for pair in shown:
        others = list(pair.mention_rows.order_by("created_at", "pk").values_list("text", flat=True))
        theirs = _folded(pair.attribute) == _folded(words[pair.pk])
        if theirs and others and pair.attribute not in others:
            pair.attribute = others[0]
            pair.save(update_fields=["attribute"])


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())
