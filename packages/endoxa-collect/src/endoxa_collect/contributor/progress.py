"""What stands around cards and at a pause: counts, topics left out, covers over unkind pairs, what others know."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import BigIntegerField, Count, QuerySet, UUIDField
from django.http import HttpRequest, HttpResponse
from django.utils.translation import get_language, gettext, gettext_lazy, gettext_noop

from endoxa_collect import geography, groups
from endoxa_collect.anonymous import set_cookie
from endoxa_collect.cards import answering, balance, feedback
from endoxa_collect.cards.locking import locked
from endoxa_collect.compiled import compiled
from endoxa_collect.models import (
    CLOSED,
    HOLDING,
    Card,
    CardState,
    Mention,
    MixedCard,
    MixedKind,
    Moderation,
    Pair,
    Person,
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


def avoid_topic(person: Person, card: Card) -> None:
    """Draw no more cards about the topic of this one; an open one about it is given back."""
    if card.pair is None or not card.pair.topic:
        return
    topic = card.pair.topic
    with locked(person.campaign_id):
        _set_topics(person, lambda avoided: avoided | {topic})
        Card.objects.filter(person=person, state__in=HOLDING, pair__topic=topic).update(
            state=CardState.LAPSED
        )


def allow_topic(person: Person, card: Card) -> None:
    """Draw cards about the topic of this one again."""
    if card.pair is None or not card.pair.topic:
        return
    topic = card.pair.topic
    with locked(person.campaign_id):
        _set_topics(person, lambda avoided: avoided - {topic})


def _set_topics(person: Person, changed: Callable[[set[str]], set[str]]) -> None:
    person.refresh_from_db(fields=["topic_optouts"])
    person.topic_optouts = sorted(changed(set(person.topic_optouts)))
    person.save(update_fields=["topic_optouts"])


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
    cards = cards_of(person)
    statements = person.statements.exclude(text="").count()
    return Progress(cards.answered, cards.skipped, person.mentions.count(), statements)


def is_rest(person: Person, done: int) -> bool:
    """Whether a set of `break_after` cards is done with these."""
    return done > 0 and done % person.campaign.settings.sampler.break_after == 0


def pause_due(person: Person, counts: Progress) -> bool:
    """Whether a pause is offered now: after every `break_after` cards, unless the next card is open already."""
    if not is_rest(person, counts.cards) or counts.mixed_open:
        return False
    return not person.cards.filter(state=CardState.OPEN).exists()


@dataclass(frozen=True)
class Addition:
    """One thing that was added: words, "" where only a country was ticked; the country, "" where it is the card's."""

    text: str
    language: str
    country: str


@dataclass(frozen=True)
class Additions:
    """All that a person added to a card, oldest first. `waits`: others will see some of it after a check only."""

    all: tuple[Addition, ...]
    waits: bool


def additions_to(card: Card) -> Additions:
    """Read what the person added to a card."""
    mentions = _said_on(card.pk)
    waits = any(mention.pair.moderation == Moderation.PENDING for mention in mentions)
    shown = get_language() or "en"
    additions = (
        Addition(
            text="" if mention.via == Via.OTHER_COUNTRY else mention.text,
            language=mention.pair.language,
            country=""
            if mention.pair.country == card.country
            else groups.name(mention.pair.country, shown, card.campaign.settings),
        )
        for mention in mentions
    )
    return Additions(tuple(additions), waits)


@compiled(BigIntegerField())
def _said_on(card: int) -> QuerySet[Mention]:
    return Mention.objects.filter(card=card).select_related("pair").order_by("pk")


@dataclass(frozen=True)
class LastAnswer:
    """What an answer was about, for the button that takes it back: the `words` of its pair, else `kind` of card.

    `country` is "" for a question about no country.
    """

    country: str
    words: str = ""
    language: str = ""
    kind: str = ""


def last_answer(latest: Card | MixedCard | None, request: HttpRequest) -> LastAnswer | None:
    """Say which answer it is; words that are covered in this browser are not told."""
    if latest is None:
        return None
    country = (
        groups.name(latest.country, get_language() or "en", latest.campaign.settings)
        if latest.country
        else ""
    )
    if isinstance(latest, MixedCard):
        heard = latest.kind == MixedKind.HEARD
        return LastAnswer(country, kind=gettext("A list") if heard else gettext("Two at once"))
    if latest.pair is None:
        return LastAnswer(country, kind=gettext("A question"))
    if not answering.visible(latest, lifted=covers_lifted(request)):
        return LastAnswer(country, kind=gettext("A card"))
    return LastAnswer(country, latest.pair.attribute, latest.pair.language)


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


MOST_ECHOES = 3
"""Pairs that a pause tells of: it stays short."""

_PEOPLE = {
    3: gettext_lazy("Three people or more know this one too."),
    10: gettext_lazy("Ten people or more know this one too."),
    30: gettext_lazy("Thirty people or more know this one too."),
}
_PLACES = {
    3: gettext_lazy("Three people or more, from three countries or more, know this one too."),
    10: gettext_lazy("Ten people or more, from three countries or more, know this one too."),
    30: gettext_lazy("Thirty people or more, from three countries or more, know this one too."),
}
_GROUPS = {
    3: gettext_lazy("Three people or more, from three groups or more, know this one too."),
    10: gettext_lazy("Ten people or more, from three groups or more, know this one too."),
    30: gettext_lazy("Thirty people or more, from three groups or more, know this one too."),
}
_RECOGNISED = {
    3: gettext_lazy("Something you added was recognised by three others or more."),
    10: gettext_lazy("Something you added was recognised by ten others or more."),
    30: gettext_lazy("Something you added was recognised by thirty others or more."),
}


@dataclass(frozen=True, slots=True)
class Bar:
    """The way to the next pause: `at` of `of` cards are done."""

    at: int
    of: int

    @property
    def left(self) -> int:
        """Cards until the pause."""
        return self.of - self.at


def bar_of(person: Person, done: int) -> Bar:
    """Progress after `done` cards."""
    of = person.campaign.settings.sampler.break_after
    return Bar(done % of, of)


@dataclass(frozen=True, slots=True)
class Echo:
    """What others know of a pair that the person had heard, too: its words, quoted, and the line about them.

    `about` names its group as `groups.spoken` does.
    """

    about: Mapping[str, str]
    pair: Pair
    line: str


def echoes(person: Person) -> tuple[Echo, ...]:
    """Of the cards since the pause before, the latest `MOST_ECHOES` that something may be told of.

    Only at a pause: on the page of a card it would read as if it were about the pair that is to be rated, and even
    below it, it would stand before a rating. See `docs/collect/cards.md`.

    Never of the answer that can be taken back: it would be given once more after it was told.
    """
    closed = Card.objects.filter(person=person, state__in=CLOSED).order_by("-closed_at", "-number")
    since = person.campaign.settings.sampler.break_after
    spoken = get_language() or "en"
    shown = []
    for card in closed.select_related("pair", "campaign", "rating")[1 : since + 1]:
        heard = card.state == CardState.ANSWERED and card.pair is not None and card.rating.value > 1
        if heard and (others := feedback.after(card)):
            people, places = others
            lines = (_GROUPS if person.campaign.settings.groups else _PLACES) if places else _PEOPLE
            line = str(lines[people])
            assert card.pair is not None
            about = groups.spoken(card.pair.country, spoken, person.campaign.settings)
            shown.append(Echo(about, card.pair, line))
    return tuple(shown[:MOST_ECHOES])


def at_pause(person: Person) -> dict[str, Any]:
    """What the pause says besides the person's own counts."""
    recognised, settings = feedback.recognised(person), person.campaign.settings
    spoken = get_language() or "en"
    return {
        "goals": [
            (
                groups.name(aim.country, spoken, settings)
                if aim.country
                else gettext("All groups")
                if settings.groups
                else gettext("All countries"),
                aim,
            )
            for aim in balance.goals_of(person)
        ],
        "k": settings.sampler.k,
        "echoes": echoes(person),
        "recognised": _RECOGNISED[recognised] if recognised else "",
    }
