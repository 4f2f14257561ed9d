"""From typed words to a mention of a new or existing pair, with limits on their number; and merging of two pairs.

The similarity of two attributes by the characters they share is a question to people, never a decision. Looser forms
(`entry.cleaning`) are compared, not keys, and only of pairs about one country in one language.

A merge changes for which pair rows of answers count; the rows stay.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from uuid import UUID

from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext
from rapidfuzz import fuzz, process

from endoxa_collect import groups
from endoxa_collect.cards.answering import drop_reports, hide
from endoxa_collect.cards.counts import family, recount, root_of
from endoxa_collect.cards.locking import locked
from endoxa_collect.entry.cleaning import (
    AlreadyShownError,
    EntryError,
    comparable,
    key,
)
from endoxa_collect.entry.words import SERIOUS, Words, read_words
from endoxa_collect.models import Campaign, Card, Judged, Mention, Moderation, Pair, Person, Source, Via
from endoxa_collect.sampler.slots import CANDIDATE, NEEDS

CUT_OFF = 71.0
"""From here people are asked. On labelled pairs of ours it finds 26 of 32 that say the same, and 1 of 26 others."""
_OFFERED = 3
_SIFTED = 30
_SIFTED_FROM = 50.0

COMPARED = 5_000
"""Most pairs of one country and language that are compared, the newest first."""


def likeness(first: str, second: str) -> float:
    """Share of the character trigrams that two forms have in common (Dice coefficient), from 0 to 100.

    On short attributes it keeps "dance well" and "dance very well" together and "polite" and "impolite" apart better
    than edit distance does.
    """
    ours, theirs = _trigrams(first), _trigrams(second)
    return 200 * (ours & theirs).total() / (ours.total() + theirs.total())


def nearest(
    form: str, forms: Mapping[int, str], *, limit: int, cut_off: float = CUT_OFF
) -> list[tuple[int, float]]:
    """Those of `forms` that are most alike, the best first, with their likeness; ties in the order of `forms`.

    Trigrams are counted for the 60 that are nearest by edit distance, with words as they stand and sorted:
    2 ms for 5,000 forms.
    """
    sifted: set[int] = set()
    for scorer in (fuzz.ratio, fuzz.token_sort_ratio):
        close = process.extract(form, forms, scorer=scorer, score_cutoff=_SIFTED_FROM, limit=_SIFTED)
        sifted.update(handle for _, _, handle in close)
    scored = [(handle, likeness(form, other)) for handle, other in forms.items() if handle in sifted]
    best = sorted(
        (match for match in scored if match[1] >= cut_off), key=lambda match: (-match[1], forms[match[0]])
    )
    return best[:limit]


def _trigrams(text: str) -> Counter[str]:
    framed = f"  {text} "
    return Counter(framed[start : start + 3] for start in range(len(framed) - 2))


def alike(
    campaign: Campaign, country: str, language: str, text: str, *, exclude: int | None = None
) -> tuple[Pair, ...]:
    """Live pairs that a contributor may be asked about, the most alike first.

    Pairs that wait for a moderator are never offered to others, merged ones are offered as what they stand for. Reads
    and compares at most 5,000 keys: some 30 ms, and 100 ms more the first time.
    """
    matches = scored(
        campaign, country, language, text, limit=_OFFERED, exclude=exclude, moderation=(Moderation.LIVE,)
    )
    return tuple(pair for pair, _ in matches)


def scored(
    campaign: Campaign,
    country: str,
    language: str,
    text: str,
    *,
    limit: int,
    exclude: int | None = None,
    moderation: tuple[Moderation, ...] = (Moderation.LIVE, Moderation.PENDING),
    cut_off: float = CUT_OFF,
) -> list[tuple[Pair, float]]:
    """The same with scores from 0 to 100; for moderators also among pairs that wait, with their own cut-off.

    Of pairs that are equally alike the older comes first.
    """
    rows = Pair.objects.filter(
        campaign=campaign, country=country, language=language, moderation__in=moderation
    )
    newest = list(rows.order_by("-pk").values_list("pk", "key")[:COMPARED])
    forms = {pk: comparable(name, language) for pk, name in reversed(newest) if pk != exclude}
    matches = nearest(comparable(key(text, language), language), forms, limit=limit, cut_off=cut_off)
    pairs = Pair.objects.in_bulk([pk for pk, _ in matches])
    return [(pairs[pk], score) for pk, score in matches]


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
        if root.moderation not in (Moderation.LIVE, Moderation.PENDING):
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


PER_CARD = 20
"""Typed proposals that one card takes."""
COUNTRIES_PER_CARD = 12
"""Other countries that one card takes."""
PER_MINUTE = 30
"""What one person may say within a minute, typed or ticked."""


def check_words(person: Person, card: Card | None) -> None:
    """Refuse one thing more in the own words of a person where it is too much.

    Raises:
        EntryError: too much for this card or for this minute.
    """
    typed = Mention.objects.filter(person=person, card=card).exclude(via=Via.OTHER_COUNTRY)
    if card is not None and typed.count() >= PER_CARD:
        raise EntryError(gettext("Thank you, that is plenty for this card. Please go on to the next one."))
    _check_pace(person, 1)


def check_ticks(person: Person, card: Card, countries: Iterable[str]) -> None:
    """Refuse countries that are too many to tick; those that were ticked on this card before count once.

    Raises:
        EntryError: too much for this card or for this minute.
    """
    ticked = Mention.objects.filter(person=person, card=card, via=Via.OTHER_COUNTRY)
    before = set(ticked.values_list("pair__country", flat=True))
    new = set(countries) - before
    if len(before) + len(new) > COUNTRIES_PER_CARD:
        raise EntryError(
            gettext("Thank you! One card takes %(most)d other countries; please tick fewer.")
            % {"most": COUNTRIES_PER_CARD}
        )
    _check_pace(person, len(new))


def _check_pace(person: Person, more: int) -> None:
    lately = timezone.now() - timedelta(minutes=1)
    recent = Mention.objects.filter(person=person, created_at__gte=lately).count()
    if more and recent + more > PER_MINUTE:
        raise EntryError(gettext("That was fast! Please wait a minute before you add more."))


@dataclass(frozen=True)
class Proposal:
    """What became of a proposal.

    `created` is False where the campaign had the pair. `alike` are pairs that the new one may be the same as (at
    most three, only such as others may see); the person is asked, and `say_alike` takes the answer.
    """

    mention: Mention
    pair: Pair
    created: bool
    alike: tuple[Pair, ...]


def propose(
    person: Person, card: Card | None, *, country: str, text: str, language: str, via: str
) -> Proposal:
    """Store that a person says this of a country, unprompted.

    The exact key decides whether the campaign has the pair. Saying the same again gives the first mention.

    Args:
        person: who says it.
        card: the card on which they say it.
        country: ISO 3166 code.
        text: the attribute as it was typed.
        language: ISO 639 code of the words.
        via: a `models.Via`.

    Raises:
        EntryError: with a sentence for the person; see `entry.cleaning`.
    """
    # Looking at words takes a moment, and so does looking for others like them: not while others wait for the lock.
    _check(person.campaign, country, language)
    words = read_words(text, language, person.campaign.settings)
    if card is not None and card.topic:
        words = replace(words, topic=card.topic)
    with locked(person.campaign_id) as campaign:
        person.campaign = campaign
        check_words(person, card)
        mention, created = _mentioned(person, card, country, words, via)
    near = alike(campaign, country, language, words.text, exclude=mention.pair_id) if created else ()
    return Proposal(mention, mention.pair, created, near)


def tick_countries(person: Person, card: Card, countries: Iterable[str]) -> tuple[Mention, ...]:
    """Store that the same is said of other countries: the attribute of the card's pair, in its words and language.

    The card's own country and pairs that the person was shown are left out. Either all are taken or none.

    Raises:
        EntryError: if the card shows no pair, a country is unknown, or there are too many on this card or in a minute.
    """
    if card.pair is None:
        raise EntryError(gettext("This card has no words that could be said of other countries."))
    pair, mentions = card.pair, []
    others = [country for country in dict.fromkeys(countries) if country != card.country]
    for country in others:
        _check(person.campaign, country, pair.language)
    words = read_words(pair.attribute, pair.language, person.campaign.settings)
    # People who said that it hurts nobody were asked about one country only.
    mild_to_people = pair.judged == Judged.PEOPLE and not pair.negative
    words = replace(words, topic=pair.topic, negative=words.negative if mild_to_people else pair.negative)
    with locked(person.campaign_id) as campaign:
        person.campaign = campaign
        check_ticks(person, card, others)
        for country in others:
            try:
                mentions.append(_mentioned(person, card, country, words, Via.OTHER_COUNTRY)[0])
            except AlreadyShownError:
                continue
    return tuple(mentions)


def say_alike(person: Person, mention: UUID, pair: UUID | None) -> None:
    """Store that a person's new pair is the same as one they were offered (None: as none of them).

    A pair that is only theirs and has no serious flag is merged into the other, which a moderator can undo; otherwise
    the answer is kept for moderators, who may have reports of it to look at. Other people's mentions and pairs that
    were not alike are ignored.
    """
    with locked(person.campaign_id):
        current = Mention.objects.filter(person=person, public_id=mention).select_related("pair").first()
        if current is None or current.alike is not None:
            return
        other = None if pair is None else _offered(current.pair, pair)
        if pair is not None and other is None:
            return
        current.alike, current.alike_to = other is not None, other
        current.save(update_fields=["alike", "alike_to"])
        if other is not None and _only_of(current.pair, person) and not SERIOUS & set(current.pair.flags):
            merge(current.pair, other)


def _check(campaign: Campaign, country: str, language: str) -> None:
    if country not in groups.codes(campaign.settings):
        raise EntryError(
            gettext("Please choose a group from the list.")
            if campaign.settings.groups
            else gettext("Please choose a country from the list.")
        )
    if language not in campaign.settings.data_languages:
        raise EntryError(gettext("Please choose one of the languages of this campaign."))


def _mentioned(
    person: Person, card: Card | None, country: str, words: Words, via: str
) -> tuple[Mention, bool]:
    """The mention, and whether its pair is new."""
    campaign = person.campaign
    same = Pair.objects.filter(campaign=campaign, country=country, language=words.language, key=words.key)
    pair = same.first()
    created = pair is None
    if pair is None:
        at_once = campaign.settings.moderation == "after" and not SERIOUS & set(words.flags)
        pair = Pair.objects.create(
            campaign=campaign,
            country=country,
            attribute=words.text,
            key=words.key,
            language=words.language,
            topic=words.topic,
            negative=words.negative,
            source=Source.CONTRIBUTOR,
            author=person,
            moderation=Moderation.LIVE if at_once else Moderation.PENDING,
            flags=list(words.flags),
            need=CANDIDATE if via == Via.OTHER_COUNTRY else NEEDS,
        )
    else:
        first = Mention.objects.filter(person=person, pair=pair).first()
        if first is not None:
            return first, False
        if Card.objects.filter(Q(pair__in=family(root_of(pair))), person=person).exists():
            raise AlreadyShownError(
                gettext("You have seen this one on a card, so it is here already. What else do people say?")
            )
    mention = Mention.objects.create(person=person, pair=pair, card=card, text=words.text, via=via)
    if created and (aside := Person.objects.filter(pk=person.pk, aside=True).first()):
        hide(aside, [pair])
    recount(campaign, [pair])
    pair.refresh_from_db()
    return mention, created


def _offered(pair: Pair, public_id: UUID) -> Pair | None:
    """The pair that stands for an offered one now, if it can have been offered."""
    other = Pair.objects.filter(
        campaign=pair.campaign_id, country=pair.country, language=pair.language, public_id=public_id
    ).first()
    if other is None:
        return None
    first, second = (comparable(each.key, each.language) for each in (pair, other))
    if likeness(first, second) < CUT_OFF:
        return None
    root = root_of(other)
    return root if root.moderation == Moderation.LIVE and root.pk != root_of(pair).pk else None


def _only_of(pair: Pair, person: Person) -> bool:
    """Whether nobody but this person made, mentioned, rated, skipped or reported a pair that stands for itself."""
    return (
        pair.author_id == person.pk
        and pair.moderation != Moderation.MERGED
        and not pair.merged.exists()
        and not pair.rating_rows.exists()
        and not pair.skip_rows.exists()
        and not pair.mention_rows.exclude(person=person).exists()
    )
