"""Taking answers back: rows go, and with them what they alone had made."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import QuerySet
from django.utils import timezone

from endoxa.collect.cards.counts import family, recount, root_of
from endoxa.collect.models import Campaign, Mention, Pair, Rating, Skip
from endoxa.collect.withdrawals.listing import What, noted
from endoxa.collect.withdrawals.tombstones import bury


@dataclass(frozen=True)
class Answers:
    """Rows that go."""

    ratings: QuerySet[Rating]
    skips: QuerySet[Skip]
    mentions: QuerySet[Mention]

    def pairs(self) -> list[Pair]:
        """The pairs they are about."""
        found = [row.pair for row in self.ratings.select_related("pair")]
        found += [row.pair for row in self.mentions.select_related("pair")]
        found += [row.pair for row in self.skips.select_related("pair") if row.pair is not None]
        return list({pair.pk: pair for pair in found}.values())


def forget(campaign: Campaign, answers: Answers) -> None:
    """Delete answers, and pairs that nobody else said or rated; count the others anew, within a transaction.

    Where the campaign has a release, or one is being made, it may hold the rows: they are named as withdrawn.
    """
    pairs = answers.pairs()
    mentioned = [(row.pair, row.person_id) for row in answers.mentions.select_related("pair")]
    with noted(campaign, What.ANSWER):
        for table, rows in (
            ("ratings", answers.ratings),
            ("skips", answers.skips),
            ("mentions", answers.mentions),
        ):
            _bury(campaign, table, rows)
            rows.delete()
        recount(campaign, pairs)
        # Rows, not counts: a merged pair's are counted where it was merged into.
        alone = {pair.pk: pair for pair, person in mentioned if pair.author_id == person and _is_bare(pair)}
        for pair in alone.values():
            _bury(campaign, "skips", pair.skip_rows.all())
            _bury(campaign, "pairs", Pair.objects.filter(pk=pair.pk))
            pair.delete()
    drop_reports(Pair.objects.filter(pk__in=[one.pk for one in pairs]))


def drop_reports(pairs: Iterable[Pair]) -> None:
    """Take from pairs, and from what they were merged into, each report that nobody stands behind any more."""
    found = {one.pk: one for pair in pairs for one in (pair, root_of(pair))}
    for pair in found.values():
        reported = set(Skip.objects.filter(pair__in=family(pair)).values_list("reason", flat=True))
        kept = [flag for flag in pair.flags if not flag.startswith("report_") or flag in reported]
        if kept != pair.flags:
            pair.flags = kept
            pair.save(update_fields=["flags"])


def _is_bare(pair: Pair) -> bool:
    return not (pair.mention_rows.exists() or pair.rating_rows.exists() or pair.merged.exists())


def _bury(
    campaign: Campaign,
    table: str,
    rows: QuerySet[Rating] | QuerySet[Skip] | QuerySet[Mention] | QuerySet[Pair],
) -> None:
    if campaign.releases.perhaps_out().exists():
        bury(campaign, table, rows.values_list("public_id", flat=True), timezone.now())
