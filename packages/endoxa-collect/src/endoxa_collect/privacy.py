"""Privacy: delete people who leave, remove personal data, cut links when retention ends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, astuple, dataclass
from datetime import date, datetime
from uuid import uuid4

from django.db import connection
from django.db.models import Count, Q, QuerySet
from django.utils import timezone

from endoxa.errors import UserError
from endoxa.sources.identities import identity_key
from endoxa_collect.cards.answering import drop_reports
from endoxa_collect.cards.counts import family, recount, root_of
from endoxa_collect.cards.locking import afterwards, locked
from endoxa_collect.models import (
    CLOSED,
    HOLDING,
    REPORTED,
    Act,
    Action,
    Arrivals,
    Campaign,
    CardState,
    JoinCode,
    Judge,
    Mention,
    Moderation,
    Pair,
    Person,
    Rating,
    Sent,
    Source,
    State,
    answers_of,
    record,
)
from endoxa_collect.security.codes import sheet_of
from endoxa_collect.security.limits import PROPOSALS
from endoxa_collect.sqlite import empty_log
from endoxa_collect.terms import promised_day_is_over
from endoxa_collect.withdrawals import What, bury, bury_keys, note_rehearsal, noted

_EXPIRED = "expired-"


def erase_traces(seconds: float = 2.0) -> None:
    """Bring SQLite's deletions into its main file and empty its log, which still holds the old pages.

    With `secure_delete` (see `settings`) SQLite overwrites what it deletes; until a checkpoint the write-ahead log has
    the pages as they were. Where somebody is reading for longer than these seconds nothing happens, so this is called
    again when exports and backups have been read and when the site starts and stops. Other programs that read are not
    known here: after them the log goes with its next turn, some hundred answers later.
    PostgreSQL has nothing of the kind: what it deletes stays in its files until something else is written there.
    """
    if connection.vendor != "sqlite" or connection.in_atomic_block:
        return
    connection.ensure_connection()
    empty_log(connection.connection, seconds)


@dataclass(frozen=True)
class Withdrawn:
    """How many rows went. `pairs` were said by nobody else; `kept` of the person's pairs stay, without their name.

    `mixed` are lists and comparisons that were answered or skipped.
    """

    ratings: int = 0
    mentions: int = 0
    skips: int = 0
    cards: int = 0
    statements: int = 0
    pairs: int = 0
    kept: int = 0
    mixed: int = 0
    hurt_answers: int = 0

    @property
    def answers(self) -> int:
        """All that the person answered, skipped, wrote or ticked; a list or a comparison counts once."""
        return self.ratings + self.mentions + self.skips + self.statements + self.mixed + self.hurt_answers


def withdraw(person: Person, *, now: datetime | None = None) -> Withdrawn:
    """Delete a person and all their answers, in one transaction.

    A pair that others mentioned or rated stays, without this person's mention; where it is shown in their words and
    somebody else put it in other words, those take their place. A pair of theirs alone goes, unless they
    agreed that their words may stay. Counts are made anew. The public ids of all rows that a release may hold
    are kept as tombstones, without a link to anybody. The second call does nothing.
    """
    now = now or timezone.now()
    with locked(person.campaign_id) as campaign:
        current = Person.objects.filter(pk=person.pk).first()
        if current is None:
            return Withdrawn()
        PROPOSALS.clear(str(current.pk))
        with noted(campaign, What.PERSON, current.pk):
            gone = _withdraw(campaign, current, now)
        if sheet := sheet_of(current.secret_hash, current.receipt_hash):
            # The id of a person is random: a sheet that is entered once more is known by its own.
            with noted(campaign, What.PERSON, sheet):
                pass
        entry = record(campaign, None, "withdrawal", **asdict(gone))
        # As with tombstones: whoever saw somebody leave learns nothing from the minute.
        entry.at = now.replace(minute=0, second=0, microsecond=0)
        entry.save(update_fields=["at"])
        afterwards(erase_traces)
    return gone


def erase_people(campaign: Campaign) -> int:
    """Delete everybody of a campaign with all they gave, also words that they agreed to leave; how many people.

    Only for a rehearsal. Must be called within the lock of the campaign. A backup made before brings nobody back, and
    where nothing was released no list of withdrawn rows tells of it.
    """
    people = list(Person.objects.filter(campaign=campaign))
    left = Pair.objects.filter(campaign=campaign, source=Source.CONTRIBUTOR, author=None)
    note_rehearsal(campaign, [person.pk for person in people], left.values_list("public_id", flat=True))
    erase(campaign, people)
    return len(people)


def erase(campaign: Campaign, people: Sequence[Person]) -> None:
    """Delete these people of a rehearsal, as `erase_people` does; with the last one also what nobody is behind.

    Seeds stay as organisers and moderators left them, but none stays merged into something that people had said.
    """
    now = timezone.now()
    merged = Pair.objects.filter(
        campaign=campaign, source=Source.SEED, merged_into__source=Source.CONTRIBUTOR
    )
    for seed in merged:
        seed.moderation, seed.before_merge = seed.before_merge or Moderation.LIVE, ""
        seed.merged_into = None
        seed.save(update_fields=["moderation", "before_merge", "merged_into"])
    Person.objects.filter(pk__in=[person.pk for person in people]).update(keep_words=False)
    for person in people:
        PROPOSALS.clear(str(person.pk))
        _withdraw(campaign, person, now)
    if not campaign.people.exists():
        # Words of people who had left before and let them stay.
        Pair.objects.filter(campaign=campaign, source=Source.CONTRIBUTOR).delete()
        Arrivals.objects.filter(code__campaign=campaign).delete()
        if not campaign.releases.perhaps_out().exists():
            campaign.tombstones.all().delete()
    recount(campaign, Pair.objects.filter(campaign=campaign, merged_into=None))
    afterwards(erase_traces)


def _withdraw(campaign: Campaign, person: Person, now: datetime) -> Withdrawn:
    keep = person.keep_words
    words = dict(Mention.objects.filter(person=person).values_list("pair_id", "text"))
    authored = set(words) | set(Pair.objects.filter(author=person).values_list("pk", flat=True))
    reported = set(
        person.skips.filter(reason__startswith="report_").exclude(pair=None).values_list("pair_id", flat=True)
    ) | set(person.mixed_answers.filter(answer=REPORTED).values_list("pair_id", flat=True))
    rated = set(Rating.objects.filter(person=person).values_list("pair_id", flat=True))
    roots = {root_of(pair).pk for pair in Pair.objects.filter(pk__in=authored | rated)}
    gone = _bury(campaign, now, person=person)
    gone["mixed"] = person.mixed_cards.filter(state__in=CLOSED).count()
    bury_keys(campaign, person, now)
    cards = person.cards.count()
    person.delete()
    alone = [pk for pk in sorted(authored) if not keep and _nobody_elses(Pair.objects.get(pk=pk))]
    for pk in alone:
        pair = Pair.objects.get(pk=pk)
        heir = _hand_over(pair)
        roots |= {heir.pk} if heir else set()
        # Others who skipped it skipped nothing that is still there.
        _bury(campaign, now, pair=pair)
        bury(campaign, "pairs", [pair.public_id], now)
        pair.delete()
    kept = Pair.objects.filter(pk__in=authored)
    _reword(kept, words)
    recount(campaign, Pair.objects.filter(pk__in=roots))
    drop_reports(Pair.objects.filter(pk__in=reported))
    return Withdrawn(**gone, cards=cards, pairs=len(alone), kept=kept.count())


def _bury(campaign: Campaign, now: datetime, **where: object) -> dict[str, int]:
    """Leave tombstones of what people say, as `answers_of` chooses it; how many in each table."""
    return {
        table: bury(campaign, table, rows.values_list("public_id", flat=True), now)
        for table, rows in answers_of(**where).items()
    }


def _nobody_elses(pair: Pair) -> bool:
    """Whether no remaining person proposed, mentioned or rated the pair."""
    kept = pair.source == Source.SEED or pair.author_id is not None
    return not (kept or pair.mention_rows.exists() or pair.rating_rows.exists())


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
        theirs = identity_key(pair.attribute) == identity_key(words[pair.pk])
        if theirs and others and pair.attribute not in others:
            pair.attribute = others[0]
            pair.save(update_fields=["attribute"])


@dataclass(frozen=True)
class Expired:
    """How many people lost their link, how many of them judged for a panel, and how many unanswered cards went."""

    people: int = 0
    cards: int = 0
    judges: int = 0


def expire(campaign: Campaign, today: date) -> Expired:
    """Once the retention date is over: close the campaign and cut the link between people and their answers.

    The hashes of cookie and receipt code, the hashes of a panel's ids, what people said about themselves beside their
    countries of origin, and cards without an answer are removed. Origins stay, because in-group and out-group
    ratings rest on them and exports merge rare ones. After that nobody can withdraw, since nobody can be recognised:
    consent says so before. Who agreed to an earlier date, and not to the one in force, loses the link after that one,
    while the campaign goes on. Nothing happens before the date, and the second call finds nothing to do.

    Raises:
        UserError: the retention date is missing or invalid.
    """
    is_last = today > retention_date(campaign)
    if not (is_last or promised_day_is_over(campaign, today)):
        return Expired()
    with locked(campaign.pk) as current:
        due = current.people.all() if is_last else promised_day_is_over(current, today)
        people = [person for person in due if not person.receipt_hash.startswith(_EXPIRED)]
        for person in people:
            _cut_link(person)
        cards, judges = _close(current) if is_last else (0, 0)
        expired = Expired(len(people), cards, judges)
        if expired != Expired():
            record(current, None, "retention", **asdict(expired))
            afterwards(erase_traces)
    return expired


def _close(campaign: Campaign) -> tuple[int, int]:
    """Close a campaign whose retention date is over; how many unanswered cards and links of judges went."""
    cards, _ = campaign.cards.filter(state__in=(*HOLDING, CardState.LAPSED), mention_rows=None).delete()
    campaign.mixed_cards.filter(state__in=(CardState.OPEN, CardState.LAPSED)).delete()
    Sent.objects.filter(person__campaign=campaign).delete()
    JoinCode.objects.filter(campaign=campaign).update(revoked=True)
    campaign.state = State.CLOSED
    campaign.save(update_fields=["state"])
    # A judge of a panel is nothing but a cookie and an id; the group stays, as origins do.
    judges = Judge.objects.filter(task__campaign=campaign).exclude(secret_hash="")
    return cards, judges.update(secret_hash="", participant="")


def _cut_link(person: Person) -> None:
    # No hash looks like these; the columns must be unique.
    person.secret_hash, person.receipt_hash = f"{_EXPIRED}{uuid4().hex}", f"{_EXPIRED}{uuid4().hex}"
    person.connections, person.languages, person.topic_optouts, person.extras = [], [], [], {}
    person.countries, person.close_to = [], []
    person.save()


def expire_all(today: date) -> Expired:
    """Do the same for every campaign that has a retention date; what went in all of them."""
    done = []
    for campaign in Campaign.objects.all():
        with suppress(UserError):
            done.append(expire(campaign, today))
    return Expired(*map(sum, zip(*map(astuple, done), strict=True)))


def is_over(campaign: Campaign, today: date) -> bool:
    """Whether the retention date is over; False without one."""
    try:
        return today > retention_date(campaign)
    except UserError:
        return False


def retention_date(campaign: Campaign) -> date:
    """The last day on which people's link to their answers is kept.

    Raises:
        UserError: it is missing or invalid.
    """
    text = campaign.settings.retention
    try:
        return date.fromisoformat(text)
    except ValueError:
        reason = f"its retention date '{text}' is invalid" if text else "it has no retention date"
        raise UserError(
            f"Nothing was removed from campaign '{campaign.slug}': {reason} (write 2027-12-31 in its settings)."
        ) from None


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
    mentions_to_drop = list(Mention.objects.filter(Q(pair__in=pairs) | Q(pk__in=named)))
    with noted(campaign, What.WORDS):
        now = timezone.now()
        bury(campaign, "pairs", [pair.public_id for pair in pairs], now)
        bury(campaign, "mentions", [mention.public_id for mention in mentions_to_drop], now)
    for pair in pairs:
        pair.public_id, pair.attribute, pair.key = uuid4(), "", f"-{uuid4()}"
        pair.flags, pair.topic = [], ""
        if pair.merged_into_id is None:
            pair.moderation = Moderation.HIDDEN
        pair.save(update_fields=["public_id", "attribute", "key", "flags", "topic", "moderation"])
    for mention in mentions_to_drop:
        mention.public_id, mention.text = uuid4(), ""
        mention.save(update_fields=["public_id", "text"])
    Act.objects.filter(pair__in=pairs, action=Action.EDIT).delete()
    afterwards(erase_traces)
