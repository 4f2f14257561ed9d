"""Pairs of a country and an attribute, and mentions: who proposed them unprompted."""

from __future__ import annotations

import random
import time
import uuid

from django.db import models
from django.db.models import F, Q

from endoxa_collect.models.campaign import Campaign, Person
from endoxa_collect.sampler.slots import CANDIDATE, FULL, NEEDS, OPEN, TOPUP, Filled


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

    `PEOPLE`: answers of contributors gave `negative` (`cards.hurting`). `MODERATOR`: a moderator set it, also to "not
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
    """(country, attribute, language). `key` is the normalised attribute, unique within country and language.

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
    country = models.CharField(max_length=2)
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
    def filled(self) -> Filled:
        """The ratings by whom they were for."""
        return Filled(self.own_filled, self.near_filled, self.ratings - self.own_filled - self.near_filled)

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
    def unjudged(self) -> bool:
        """Whether a contributor added it and neither word lists, people nor moderators know whether it may hurt."""
        unknown = self.source == Source.CONTRIBUTOR and self.negative is None
        return unknown and not self.judged and not self.flags

    def __str__(self) -> str:
        return f"{self.country}: {self.attribute}"


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

    def __str__(self) -> str:
        return self.text
