"""What stands around cards and at a pause: counts, topics left out, covers over unkind pairs, what others know.

How many others had heard a pair is said at a pause and on the last page only, in coarse steps, and draws do not use it.
Only ratings from before the present wave count, and it is said only of cards that were drawn since. So it never
includes a person's own answer, nor answers given after the person read it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from django.db.models import BigIntegerField, Count, QuerySet, UUIDField
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.translation import get_language, gettext, gettext_lazy, gettext_noop

from endoxa_collect import geography, groups
from endoxa_collect.anonymous import set_cookie
from endoxa_collect.cards import answering, balance
from endoxa_collect.cards.counts import root_of, roots_of
from endoxa_collect.cards.locking import locked
from endoxa_collect.compiled import compiled
from endoxa_collect.models import (
    CLOSED,
    HOLDING,
    Campaign,
    Card,
    CardState,
    Mention,
    MixedCard,
    MixedKind,
    Moderation,
    Pair,
    Person,
    Rating,
    SkipReason,
    Via,
)
from endoxa_collect.security.codes import COVERS_COOKIE

TOPICS: Mapping[str, str] = {
    "Cooking and Food": gettext_noop("Cooking and Food"),
    "Positive Traits": gettext_noop("Good sides of people"),
    "Geography, Buildings, Landmarks": gettext_noop("Geography, Buildings, Landmarks"),
    "Economy": gettext_noop("Economy"),
    "People & Everyday Life": gettext_noop("People & Everyday Life"),
    "Tradition, Art, History": gettext_noop("Tradition, Art, History"),
    "Negative Traits": gettext_noop("Bad sides of people"),
    "Politics & Governance": gettext_noop("Politics & Governance"),
    "Sports & Recreation": gettext_noop("Sports & Recreation"),
    "Other": gettext_noop("Other things"),
    "Public Figures & Pop Culture": gettext_noop("Public Figures & Pop Culture"),
    "Neutral Traits": gettext_noop("What people are like"),
}
"""Topics of seeds, as exports have them, and what people read in their place."""


def avoidable_topic(latest: Card | None, person: Person) -> str:
    """The topic to offer to leave out: that of the latest card, if the person would rather not answer it, else ""."""
    if latest is None or latest.pair is None or latest.state != CardState.SKIPPED:
        return ""
    topic = latest.pair.topic
    return topic if topic not in person.topic_optouts and latest.skip.reason == SkipReason.RATHER_NOT else ""


def avoid_topic(person: Person, card: Card, *, avoid: bool = True) -> None:
    """Draw no more cards about the topic of this one, and give an open one about it back; or draw them again."""
    topic = card.pair.topic if card.pair is not None else ""
    if not topic:
        return
    with locked(person.campaign_id):
        person.refresh_from_db(fields=["topic_optouts"])
        others = set(person.topic_optouts) - {topic}
        person.topic_optouts = sorted(others | {topic} if avoid else others)
        person.save(update_fields=["topic_optouts"])
        if avoid:
            person.cards.filter(state__in=HOLDING, pair__topic=topic).update(state=CardState.LAPSED)


def topic_name(topic: str) -> str:
    """What people read of a topic, in the active language; one that is not of `TOPICS` unchanged."""
    return gettext(TOPICS[topic]) if topic in TOPICS else topic


@dataclass(frozen=True)
class Progress:
    """Counts of a person: cards `answered` and `skipped`, `added` pairs, survey `statements`.

    `mixed_open`: a card that is no rating is before them.
    """

    answered: int
    skipped: int
    added: int = 0
    statements: int = 0
    mixed_open: bool = False

    @property
    def cards(self) -> int:
        """Cards that the person is done with."""
        return self.answered + self.skipped

    @property
    def any(self) -> bool:
        """Whether the person gave anything."""
        return bool(self.cards or self.added or self.statements)


def cards_of(person: Person) -> Progress:
    """Counts of cards of all kinds."""
    counts, mixed = dict(_cards(person.pk)), dict(_mixed(person.pk))
    answered, skipped = (
        counts.get(state, 0) + mixed.get(state, 0) for state in (CardState.ANSWERED, CardState.SKIPPED)
    )
    return Progress(answered, skipped, mixed_open=CardState.OPEN in mixed)


@compiled(UUIDField())
def _cards(person: UUID) -> QuerySet[Card, tuple[Any, ...]]:
    closed = Card.objects.filter(person=person, state__in=CLOSED).order_by()
    return closed.values_list("state").annotate(Count("pk"))


@compiled(UUIDField())
def _mixed(person: UUID) -> QuerySet[MixedCard, tuple[Any, ...]]:
    return MixedCard.objects.filter(person=person).order_by().values_list("state").annotate(Count("pk"))


def progress_of(person: Person) -> Progress:
    """All counts."""
    statements = person.statements.exclude(text="").count()
    return replace(cards_of(person), added=person.mentions.count(), statements=statements)


def is_rest(person: Person, done: int) -> bool:
    """Whether a set of `break_after` cards is done with these."""
    return done > 0 and done % person.campaign.settings.sampler.break_after == 0


def pause_due(person: Person, counts: Progress) -> bool:
    """Whether a pause is offered now: after every `break_after` cards, unless the next card is open already."""
    rests = is_rest(person, counts.cards) and not counts.mixed_open
    return rests and not person.cards.filter(state=CardState.OPEN).exists()


def additions_to(card: Card) -> dict[str, Any]:
    """What the person added to a card, oldest first, as country, words and language; and whether a check is due.

    There are no words where only a country was ticked, and no country where it is the card's.
    """
    mentions, settings, shown = list(_said_on(card.pk)), card.campaign.settings, get_language() or "en"
    added = []
    for mention in mentions:
        pair, words = mention.pair, "" if mention.via == Via.OTHER_COUNTRY else mention.text
        country = "" if pair.country == card.country else groups.name(pair.country, shown, settings)
        added.append((country, words, pair.language))
    return {"all": added, "waits": any(said.pair.moderation == Moderation.PENDING for said in mentions)}


@compiled(BigIntegerField())
def _said_on(card: int) -> QuerySet[Mention]:
    return Mention.objects.filter(card=card).select_related("pair").order_by("pk")


def last_answer(latest: Card | MixedCard | None, request: HttpRequest) -> dict[str, str] | None:
    """Which answer the button takes back: country ("" for none), and the words of its pair or else the kind of card.

    Words that are covered in this browser are not told.
    """
    if latest is None:
        return None
    name = groups.name(latest.country, get_language() or "en", latest.campaign.settings)
    country = name if latest.country else ""
    if isinstance(latest, MixedCard):
        heard = latest.kind == MixedKind.HEARD
        return {"country": country, "kind": gettext("A list") if heard else gettext("Two at once")}
    if latest.pair is None:
        return {"country": country, "kind": gettext("A question")}
    if not answering.visible(latest, lifted=covers_lifted(request)):
        return {"country": country, "kind": gettext("A card")}
    return {"country": country, "words": latest.pair.attribute, "language": latest.pair.language}


def covers_lifted(request: HttpRequest) -> bool:
    """Whether this browser shows all pairs uncovered."""
    return request.COOKIES.get(COVERS_COOKIE) == "1"


def lift_covers(response: HttpResponse) -> None:
    """Show all pairs at once from now on."""
    set_cookie(response, COVERS_COOKIE, "1", path="/card/")


def unread_languages(person: Person) -> str:
    """Names of the languages with pairs that the person did not say they read; "" where there are none."""
    read = person.languages or list(person.campaign.settings.data_languages)
    live = Pair.objects.filter(campaign=person.campaign, moderation=Moderation.LIVE).exclude(
        language__in=read
    )
    here = get_language() or "en"
    codes = live.order_by("language").values_list("language", flat=True).distinct()
    return ", ".join(geography.language_name(code, here) for code in codes)


STEPS = (3, 10, 30)
"""Thresholds shown. Smaller counts are not shown."""

MOST_ECHOES = 3
"""Pairs that a pause tells of: it stays short."""


def step(count: int) -> int:
    """The largest of `STEPS` that a count reaches; 0 for none."""
    return max((threshold for threshold in STEPS if threshold <= count), default=0)


def wave_of(campaign: Campaign) -> datetime | None:
    """When the present wave began; None in a rehearsal, and where nothing is told."""
    if not campaign.settings.feedback or campaign.began_at is None:
        return None
    now = timezone.now()
    return now - (now - campaign.began_at) % timedelta(minutes=campaign.settings.wave_length)


def echoes(person: Person) -> list[tuple[Pair, int]]:
    """Pairs of the cards since the pause before that the person had heard, the latest first, and how many others had.

    Only at a pause: on the page of a card it would read as if it were about the pair that is to be rated, and even
    below it, it would stand before a rating. See `docs/collect/cards.md`.

    Never of the answer that can be taken back: it would be given once more after it was told.
    """
    wave = wave_of(person.campaign)
    if wave is None:
        return []
    closed = person.cards.filter(state__in=CLOSED).order_by("-closed_at", "-number")
    latest = closed.select_related("pair", "rating")[1 : person.campaign.settings.sampler.break_after + 1]
    pairs = [
        card.pair
        for card in latest
        if card.pair is not None
        and card.state == CardState.ANSWERED
        and card.rating.value > 1
        and card.drawn_at >= wave
    ]
    known = _known_to_others(person, dict.fromkeys(pairs, datetime.min.replace(tzinfo=UTC)), wave)
    return [(pair, known[pair.pk]) for pair in pairs if known[pair.pk]][:MOST_ECHOES]


def recognised(person: Person) -> int:
    """How many others had heard a pair after the person added it: the largest of `STEPS` over their pairs, else 0.

    Pairs that the person also rated are left out, and so are pairs that nothing may be told of.
    """
    wave = wave_of(person.campaign)
    if wave is None:
        return 0
    rated = {root_of(rating.pair) for rating in person.ratings.select_related("pair")}
    added: dict[Pair, datetime] = {}
    for mention in person.mentions.select_related("pair").order_by("created_at"):
        pair = root_of(mention.pair)
        if pair not in rated:
            added.setdefault(pair, mention.created_at)
    return max(_known_to_others(person, added, wave).values(), default=0)


def _known_to_others(person: Person, since: Mapping[Pair, datetime], wave: datetime) -> Mapping[int, int]:
    """By id of a pair, in steps: others who rated it, or what counts as it, 2 or more after a time and before the wave.

    Nothing is told of a pair that is not live, is flagged or covered. The latest rating of each person counts.
    """
    may_be_told = {
        pair.pk: at for pair, at in since.items() if pair.moderation == Moderation.LIVE and not pair.may_hurt
    }
    people: Counter[int] = Counter()
    if may_be_told:
        roots = roots_of(person.campaign_id)
        together = [*may_be_told, *(pk for pk, root in roots.items() if root in may_be_told)]
        ratings = Rating.objects.filter(pair__in=together, created_at__lt=wave, person__aside=False)
        rows = ratings.exclude(person=person).order_by("created_at", "pk")
        latest = {
            (roots.get(pk, pk), other): value
            for pk, other, value, at in rows.values_list("pair", "person", "value", "created_at")
            if at > may_be_told[roots.get(pk, pk)]
        }
        people.update(pk for (pk, _), value in latest.items() if value > 1)
    return Counter({pk: step(count) for pk, count in people.items()})


_KNOWN = {
    3: gettext_lazy("Three people or more know this one too."),
    10: gettext_lazy("Ten people or more know this one too."),
    30: gettext_lazy("Thirty people or more know this one too."),
}
_RECOGNISED = {
    0: "",
    3: gettext_lazy("Something you added was recognised by three others or more."),
    10: gettext_lazy("Something you added was recognised by ten others or more."),
    30: gettext_lazy("Something you added was recognised by thirty others or more."),
}


def bar_of(person: Person, done: int) -> dict[str, int]:
    """The way to the next pause: `at` of `of` cards are done, and how many are left."""
    of = person.campaign.settings.sampler.break_after
    return {"at": done % of, "of": of, "left": of - done % of}


def at_pause(person: Person) -> dict[str, Any]:
    """What the pause says besides the person's own counts."""
    settings, spoken = person.campaign.settings, get_language() or "en"
    all_of_them = gettext("All groups") if settings.groups else gettext("All countries")
    return {
        "goals": [
            (groups.name(aim.country, spoken, settings) if aim.country else all_of_them, aim)
            for aim in balance.goals_of(person)
        ],
        "k": settings.sampler.k,
        "echoes": [
            {"about": groups.spoken(pair.country, spoken, settings), "pair": pair, "line": _KNOWN[others]}
            for pair, others in echoes(person)
        ],
        "recognised": _RECOGNISED[recognised(person)],
    }
