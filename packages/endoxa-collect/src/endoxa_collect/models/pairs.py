"""Pairs of a country and an attribute, who proposed them unprompted, the cards that showed them, and the answers.

An open card is the lease on its pair. Lists and comparisons are cards of several pairs.
"""

from __future__ import annotations

import random
import time
import uuid
from collections.abc import Mapping

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_noop

from endoxa_collect.campaign import UNLISTED
from endoxa_collect.models.campaign import Campaign, Person
from endoxa_collect.sampler.slots import CANDIDATE, FULL, NEEDS, OPEN, TOPUP


class Source(models.TextChoices):
    """Where a pair comes from."""

    SEED = "seed"
    CONTRIBUTOR = "contributor"


class Moderation(models.TextChoices):
    """Whether others may see a pair."""

    PENDING = "pending"
    LIVE = "live"
    HIDDEN = "hidden"
    MERGED = "merged"


class Judged(models.TextChoices):
    """Who decided last whether a pair may hurt, beside word lists and the organiser's seeds.

    `PEOPLE`: answers of contributors gave `negative` (`cards.counts`). `MODERATOR`: a moderator set it, also to "not
    known". `APPROVED`: a moderator passed the words as they stand. The last two are never overruled by answers.
    """

    PEOPLE = "people"
    MODERATOR = "moderator"
    APPROVED = "approved"


def _position() -> float:
    # An order by chance; nothing secret depends on it.
    return random.random()  # noqa: S311


def _seconds() -> int:
    return int(time.time())


class Pair(models.Model):
    """(country, attribute, language); the country is a group where the campaign declared some (`groups`).

    `key` is the normalised attribute, unique within country and language.

    `need`, `ratings`, `mentions`, `variance`, `own_filled` and `near_filled` are recounted from the rows, never counted
    up or down by hand (`cards.counts`); the last two say how many of the ratings were for people from the country and
    near it (`sampler.slots`). `waiting_since` is in seconds of Unix time: plain numbers are read fast. Merged pairs
    keep their row and their answers and point to `merged_into`; ratings and mentions of both count there.
    `before_merge` is the moderation that comes back when a merge is undone. `negative` says whether it hurts to hear
    this about oneself (None: nobody judged it), `judged` who decided that. `flags` are words for moderators ("name",
    "email", ...).
    """

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="pairs")
    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    country = models.CharField(max_length=31)
    attribute = models.CharField(max_length=120)
    key = models.CharField(max_length=120)
    language = models.CharField(max_length=8)
    topic = models.CharField(max_length=40, blank=True)
    negative = models.BooleanField(null=True)
    judged = models.CharField(max_length=9, choices=Judged.choices, blank=True)
    source = models.CharField(max_length=11, choices=Source.choices)
    author = models.ForeignKey(Person, null=True, on_delete=models.SET_NULL, related_name="authored")
    moderation = models.CharField(max_length=8, choices=Moderation.choices, default=Moderation.PENDING)
    merged_into = models.ForeignKey("self", null=True, on_delete=models.SET_NULL, related_name="merged")
    before_merge = models.CharField(max_length=8, choices=Moderation.choices, blank=True)
    flags = models.JSONField(default=list)
    flagged = models.GeneratedField(
        expression=models.ExpressionWrapper(~Q(flags=[]), output_field=models.BooleanField()),
        output_field=models.BooleanField(),
        db_persist=True,
    )
    calibration = models.BooleanField(default=False)
    need = models.PositiveSmallIntegerField(
        default=NEEDS,
        choices=[
            (NEEDS, "needs"),
            (TOPUP, "topup"),
            (OPEN, "open"),
            (FULL, "full"),
            (CANDIDATE, "candidate"),
        ],
    )
    ratings = models.PositiveIntegerField(default=0)
    own_filled = models.PositiveIntegerField(default=0)
    near_filled = models.PositiveIntegerField(default=0)
    mentions = models.PositiveIntegerField(default=0)
    variance = models.FloatField(null=True)
    position = models.FloatField(default=_position)
    waiting_since = models.BigIntegerField(default=_seconds)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["campaign", "country", "language", "key"], name="pair_once"),
        ]
        indexes = [
            models.Index(
                # Ends with the ratings, so that cells can be summed up from the index alone.
                fields=["campaign", "moderation", "need", "country", "language", "negative", "ratings"],
                name="pair_by_cell",
            ),
            # In the order in which pairs pick their raters: those that miss fewest ratings first.
            models.Index(
                "campaign", "need", "moderation", F("ratings").desc(), "waiting_since", name="pair_waiting"
            ),
            models.Index(fields=["campaign", "created_at"], name="pair_by_age"),
            models.Index(fields=["campaign", "language", "key"], name="pair_by_key"),
            models.Index(fields=["campaign", "moderation", "need", "position"], name="pair_by_position"),
            models.Index(fields=["campaign"], condition=Q(calibration=True), name="pair_calibration"),
            models.Index(fields=["campaign", "moderation"], condition=Q(flagged=True), name="pair_flagged"),
            models.Index(
                fields=["campaign", "moderation", "created_at"],
                condition=Q(source=Source.CONTRIBUTOR, negative__isnull=True, judged=""),
                name="pair_unjudged",
            ),
        ]

    @property
    def may_hurt(self) -> bool:
        """Whether it is shown on request only: it is unkind or flagged, or a contributor's and not judged or passed.

        Organisers answer for their own seeds.
        """
        if self.negative or self.flags:
            return True
        if self.negative is False or self.source == Source.SEED:
            return False
        return self.judged != Judged.APPROVED

    @property
    def unchecked(self) -> bool:
        """Whether it is shown on request only because nobody has checked its words, not because of what they say."""
        return self.may_hurt and not self.negative and self.flags in ([], [UNLISTED])

    @property
    def unjudged(self) -> bool:
        """Whether a contributor added it and neither word lists, people nor moderators know whether it may hurt."""
        unknown = self.source == Source.CONTRIBUTOR and self.negative is None
        return unknown and not self.judged and not self.flags


class Via(models.TextChoices):
    """How somebody came to mention a pair. None of them was shown the pair itself."""

    ATTRIBUTE = "attribute"
    OTHER_COUNTRY = "other_country"
    PROMPT = "prompt"


class Mention(models.Model):
    """One person proposed one pair, in these words. `pair` is the one these words made or met.

    `alike_to` is the pair the person was asked about afterwards ("same as?"), `alike` what they said.
    """

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    person = models.ForeignKey(Person, on_delete=models.CASCADE, related_name="mentions")
    pair = models.ForeignKey(Pair, on_delete=models.CASCADE, related_name="mention_rows")
    card = models.ForeignKey(
        "collect.Card", null=True, on_delete=models.SET_NULL, related_name="mention_rows"
    )
    text = models.CharField(max_length=120)
    via = models.CharField(max_length=13, choices=Via.choices)
    alike_to = models.ForeignKey(Pair, null=True, on_delete=models.SET_NULL, related_name="+")
    alike = models.BooleanField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["person", "pair"], name="mention_once")]


RATING_WORDS: Mapping[int, str] = {
    1: gettext_noop("I have never heard it"),
    2: gettext_noop("I have heard it once or twice"),
    3: gettext_noop("Some people here say it"),
    4: gettext_noop("Many people here say it"),
    5: gettext_noop("Everyone here knows it"),
}
"""The rating scale: values and their words in English, which pages translate and exports document.

A departure from LACES, whose card asks how far people agree that the pair is a known association in their region (five
points, section 3.2): here each point says how often or by how many it is said, so that two people mean the same by a 4.
"""


class CardState(models.TextChoices):
    """State of a card. An open card whose time is over does not hold a place any more; no job has to close it.

    `AHEAD`: it holds its place as an open one does, and waits in the phone behind the one that is open.
    """

    OPEN = "open"
    AHEAD = "ahead"
    ANSWERED = "answered"
    SKIPPED = "skipped"
    LAPSED = "lapsed"


class Revealed(models.TextChoices):
    """Whether the words of a card were visible: never covered, opened by the person, or covered all the time."""

    SHOWN = "shown"
    REVEALED = "revealed"
    COVERED = "covered"


CLOSED = (CardState.ANSWERED, CardState.SKIPPED)
"""States of cards that a person is done with."""

HOLDING = (CardState.OPEN, CardState.AHEAD)
"""States of cards that hold a place of their pair until their time is over."""


class Card(models.Model):
    """A card that was shown: the log of the sampler, the lease and the token of the form at once.

    `token` goes into the form; submitting it twice gives the first result. `pair` is empty on a prompt card ("what do
    people say about `country`?"). `tier` says why this person got it: how near they are to the country of a pair that
    picked them (a `sampler.Slot`), or "prompt", "calibration", "topup", "open", "backup", "paper". `slot` is the one
    that such a rating fills; it, `propensity` and `pool` are those of `sampler.Match`, empty for other tiers. `version`
    and `digest` name the settings. `adds` says whether fields for new pairs were shown: for `words`, for `ticks` of
    further countries. `number` counts the person's cards from 0. `topic` is the one that an open question names.
    `revealed` answers "were the words visible when this was answered?"; while the card is open, how it stands so far.
    It is empty without words. `pace` is the class of the time until the answer (`cards.conduct`), "" for unknown.
    `offline`: it was answered while it waited in the phone, so that the time at which it was closed is that of sending.
    """

    token = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="cards")
    person = models.ForeignKey(Person, on_delete=models.CASCADE, related_name="cards")
    pair = models.ForeignKey(Pair, null=True, on_delete=models.CASCADE, related_name="cards")
    country = models.CharField(max_length=31)
    topic = models.CharField(max_length=40, blank=True)
    negative = models.BooleanField(default=False)
    number = models.PositiveIntegerField()
    tier = models.CharField(max_length=12)
    slot = models.CharField(max_length=6, blank=True)
    propensity = models.FloatField(null=True)
    pool = models.PositiveIntegerField(default=0)
    version = models.PositiveIntegerField()
    digest = models.CharField(max_length=12)
    adds = models.BooleanField(default=True)
    words = models.BooleanField(default=True)
    ticks = models.BooleanField(default=True)
    state = models.CharField(max_length=8, choices=CardState.choices, default=CardState.OPEN)
    late = models.BooleanField(default=False)
    revealed = models.CharField(max_length=8, choices=Revealed.choices, blank=True)
    pace = models.CharField(max_length=8, blank=True, default="", db_default="")
    offline = models.BooleanField(default=False)
    drawn_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    closed_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["person"], condition=Q(state="open"), name="one_open_card"),
        ]
        indexes = [
            models.Index(fields=["campaign", "state", "expires_at"], name="card_leases"),
            models.Index(fields=["person", "number"], name="card_of_person"),
            models.Index(fields=["campaign", "closed_at"], name="card_pace"),
            # Who took part lately, from the index alone.
            models.Index(fields=["campaign", "drawn_at", "person"], name="card_drawn"),
        ]


class Match(models.Model):
    """A pair that waits for a person, whom it picked for one of its slots; the card is drawn when they come to it.

    A person has one at most. `slot`, `propensity` and `pool` are as in `sampler.Match`; after `until` it counts no
    more.
    """

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="matches")
    person = models.OneToOneField(Person, on_delete=models.CASCADE, related_name="match")
    pair = models.ForeignKey(Pair, on_delete=models.CASCADE, related_name="matches")
    slot = models.CharField(max_length=6)
    propensity = models.FloatField()
    pool = models.PositiveIntegerField()
    until = models.DateTimeField()


class Rating(models.Model):
    """How known a pair is where the person lives; `value` as in `RATING_WORDS`.

    `surplus`: the pair had k ratings already and nothing asked for more.
    """

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    card = models.OneToOneField(Card, on_delete=models.CASCADE, related_name="rating")
    person = models.ForeignKey(Person, on_delete=models.CASCADE, related_name="ratings")
    pair = models.ForeignKey(Pair, on_delete=models.CASCADE, related_name="rating_rows")
    value = models.PositiveSmallIntegerField()
    in_group = models.BooleanField()
    surplus = models.BooleanField(default=False)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["person", "pair"], name="rating_once"),
            models.CheckConstraint(
                condition=Q(value__gte=min(RATING_WORDS), value__lte=max(RATING_WORDS)),
                name="rating_one_to_five",
            ),
        ]


class SkipReason(models.TextChoices):
    """Why somebody did not answer; three different things, and four reasons to report."""

    DONT_KNOW = "dont_know"
    DONT_UNDERSTAND = "dont_understand"
    RATHER_NOT = "rather_not"
    REPORT_PERSONAL = "report_personal"
    REPORT_HATE = "report_hate"
    REPORT_NONSENSE = "report_nonsense"
    REPORT_OTHER = "report_other"


class Skip(models.Model):
    """A card that was not answered, and why."""

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    card = models.OneToOneField(Card, on_delete=models.CASCADE, related_name="skip")
    person = models.ForeignKey(Person, on_delete=models.CASCADE, related_name="skips")
    pair = models.ForeignKey(Pair, null=True, on_delete=models.CASCADE, related_name="skip_rows")
    reason = models.CharField(max_length=16, choices=SkipReason.choices)
    created_at = models.DateTimeField()


class Hurts(models.TextChoices):
    """Answers to "Could this hurt someone?"."""

    YES = "yes"
    NO = "no"
    UNSURE = "unsure"


class HurtAnswer(models.Model):
    """What one person said of a pair that nobody had judged, after opening and rating it. See `cards.counts`.

    `card` is empty in the copy of an export only.
    """

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    card = models.ForeignKey(Card, null=True, on_delete=models.CASCADE, related_name="hurt_answers")
    person = models.ForeignKey(Person, on_delete=models.CASCADE, related_name="hurt_answers")
    pair = models.ForeignKey(Pair, on_delete=models.CASCADE, related_name="hurt_answers")
    answer = models.CharField(max_length=6, choices=Hurts.choices)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["person", "pair"], name="hurt_answer_once")]


class MixedKind(models.TextChoices):
    """What such a card asks."""

    HEARD = "heard"
    COMPARE = "compare"


REPORTED = "reported"
"""The answer of a row that was reported; its card was skipped for that reason."""


class MixedCard(models.Model):
    """One card about several pairs of a country; its token is safe to send twice, as that of a `Card`.

    `pool` pairs could have been drawn; `propensity` is the probability with which each pair on it was. `reason` is why
    it was skipped, as in `SkipReason`.
    """

    token = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="mixed_cards")
    person = models.ForeignKey(Person, on_delete=models.CASCADE, related_name="mixed_cards")
    kind = models.CharField(max_length=8, choices=MixedKind.choices)
    country = models.CharField(max_length=31)
    pool = models.PositiveIntegerField(default=0)
    propensity = models.FloatField(null=True)
    version = models.PositiveIntegerField()
    state = models.CharField(max_length=8, choices=CardState.choices, default=CardState.OPEN)
    reason = models.CharField(max_length=16, blank=True)
    drawn_at = models.DateTimeField()
    closed_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["person"], condition=Q(state="open"), name="one_open_mixed_card"),
        ]
        indexes = [models.Index(fields=["person", "state", "closed_at"], name="mixed_of_person")]


class MixedAnswer(models.Model):
    """What a card says of one of its pairs; `answer` is empty until the card is answered."""

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    card = models.ForeignKey(MixedCard, on_delete=models.CASCADE, related_name="answers")
    person = models.ForeignKey(Person, on_delete=models.CASCADE, related_name="mixed_answers")
    pair = models.ForeignKey(Pair, on_delete=models.CASCADE, related_name="mixed_rows")
    position = models.PositiveSmallIntegerField()
    answer = models.CharField(max_length=9, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["card", "pair"], name="mixed_pair_once")]
