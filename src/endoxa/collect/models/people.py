"""A contributor: a pseudonym, what they agreed to, and the few things they chose to say about themselves."""

from __future__ import annotations

import uuid

from django.db import models

from endoxa.collect.models.campaign import Campaign


class Person(models.Model):
    """One contributor of one campaign, known only by the hashes of two secrets that they hold.

    `secret_hash` is of the cookie, `receipt_hash` of the receipt code. `origins`, `connections` (ISO 3166)
    and `languages`
    (ISO 639) may be empty: each is optional. `extras` holds only fields that the campaign declared, as chosen values.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="people")
    secret_hash = models.CharField(max_length=64, unique=True)
    receipt_hash = models.CharField(max_length=64, unique=True)
    ui_language = models.CharField(max_length=8)
    consent_version = models.PositiveIntegerField()
    consent_language = models.CharField(max_length=8)
    consent_hour = models.DateTimeField()
    keep_words = models.BooleanField(default=False)
    profile_done = models.BooleanField(default=False)
    origins = models.JSONField(default=list)
    connections = models.JSONField(default=list)
    languages = models.JSONField(default=list)
    topic_optouts = models.JSONField(default=list)
    extras = models.JSONField(default=dict)

    def __str__(self) -> str:
        return str(self.id)
