"""List and comparison cards: "which of these have you heard?" and "which of these two is said more?"."""

from __future__ import annotations

import uuid

from django.db import models
from django.db.models import Q

from endoxa_collect.models.campaign import Campaign
from endoxa_collect.models.cards import CardState
from endoxa_collect.models.pairs import Pair
from endoxa_collect.models.people import Person


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
    country = models.CharField(max_length=2)
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

    def __str__(self) -> str:
        return str(self.token)


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

    def __str__(self) -> str:
        return self.answer
