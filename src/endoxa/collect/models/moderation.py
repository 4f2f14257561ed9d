"""What moderators decided, so that it can be undone, and which pair somebody is looking at."""

from __future__ import annotations

import uuid

from django.conf import settings as django_settings
from django.db import models

from endoxa.collect.models.pairs import Pair
from endoxa.collect.models.people import Person


class Action(models.TextChoices):
    """What a moderator can do with a pair."""

    APPROVE = "approve"
    HIDE = "hide"
    EDIT = "edit"
    PERSONAL = "personal"
    ESCALATE = "escalate"
    MARK = "mark"
    MERGE = "merge"
    UNMERGE = "unmerge"


class Act(models.Model):
    """One decision about one pair. `before` holds the fields it changed, as they were.

    Words that an edit replaced stand in `before` too; `words_of` is whose they were, so that the act goes
    when that person withdraws.
    """

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    pair = models.ForeignKey(Pair, on_delete=models.CASCADE, related_name="acts")
    user = models.ForeignKey(django_settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL)
    action = models.CharField(max_length=8, choices=Action.choices)
    before = models.JSONField(default=dict)
    words_of = models.ForeignKey(Person, null=True, on_delete=models.CASCADE, related_name="+")
    undone = models.BooleanField(default=False)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = [models.Index(fields=["user", "at"], name="act_of_user")]

    def __str__(self) -> str:
        return self.action


class Claim(models.Model):
    """A moderator is looking at a pair until `until`; others are told, not stopped."""

    pair = models.OneToOneField(Pair, on_delete=models.CASCADE, related_name="claim")
    user = models.ForeignKey(django_settings.AUTH_USER_MODEL, on_delete=models.CASCADE)
    until = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.user} until {self.until:%H:%M}"
