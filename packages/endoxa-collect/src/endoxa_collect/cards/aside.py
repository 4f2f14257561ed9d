"""A moderator sets the rows of one anonymous person aside, and takes that back.

While they are aside, ratings, mentions, skips and reports of the person count nowhere, and pairs that nobody else said
or rated are hidden. Nothing is deleted: the person goes on, is told nothing, and can withdraw as everybody can.
"""

from __future__ import annotations

from uuid import UUID

from django.contrib.auth.models import AnonymousUser, User
from django.db.models import Q

from endoxa_collect.cards.answering import drop_reports, flag_report
from endoxa_collect.cards.counts import family, recount
from endoxa_collect.cards.locking import locked
from endoxa_collect.models import Campaign, Mention, Moderation, Pair, Person, Rating, Source, record


def set_aside(campaign: Campaign, person: UUID, user: User | AnonymousUser | None, *, aside: bool) -> bool:
    """Set all rows of a person aside (or back); whether anything changed. The log has how many, not whose."""
    with locked(campaign.pk) as current:
        contributor = Person.objects.filter(campaign=current, pk=person).exclude(aside=aside).first()
        if contributor is None:
            return False
        contributor.aside = aside
        contributor.save(update_fields=["aside"])
        touched = Pair.objects.filter(
            Q(mention_rows__person=contributor)
            | Q(rating_rows__person=contributor)
            | Q(hurt_answers__person=contributor)
            | Q(skip_rows__person=contributor)
            | Q(author=contributor)
        )
        pairs = list(touched.filter(campaign=current).distinct())
        if aside:
            _hide(contributor, pairs)
            drop_reports(pairs)
        else:
            _show(contributor)
            for skip in contributor.skips.filter(reason__startswith="report_").exclude(pair=None):
                assert skip.pair is not None
                flag_report(skip.pair, skip.reason)
        recount(current, Pair.objects.filter(pk__in=[pair.pk for pair in pairs]))
        kinds = (contributor.ratings, contributor.mentions, contributor.skips, contributor.statements)
        rows = sum(kind.count() for kind in kinds)
        record(current, user, "person set aside" if aside else "person taken back", rows=rows)
    return True


def hide_new(person: Person, pair: Pair) -> None:
    """Hide a pair that somebody who is set aside has just made; within the lock of the campaign."""
    _hide(person, [pair])


def _hide(person: Person, pairs: list[Pair]) -> None:
    """Hide pairs of contributors that nobody else stands behind; how they stood is kept with the person."""
    others = {"person__aside": False}
    for pair in pairs:
        if pair.source != Source.CONTRIBUTOR or pair.moderation not in (Moderation.LIVE, Moderation.PENDING):
            continue
        together = family(pair)
        said = Mention.objects.filter(pair__in=together, **others).exists()
        if said or Rating.objects.filter(pair__in=together, **others).exists():
            continue
        person.aside_pairs[str(pair.pk)] = pair.moderation
        pair.moderation = Moderation.HIDDEN
        pair.save(update_fields=["moderation"])
    person.save(update_fields=["aside_pairs"])


def _show(person: Person) -> None:
    """Give pairs back how they stood; what a moderator decided about them meanwhile stays."""
    for pk, moderation in person.aside_pairs.items():
        Pair.objects.filter(pk=pk, moderation=Moderation.HIDDEN).update(moderation=moderation)
    person.aside_pairs = {}
    person.save(update_fields=["aside_pairs"])
