"""Contributors under pseudonyms, with their profile and their answers to the survey."""

from __future__ import annotations

import uuid

from django.db import models

from endoxa_collect.models.campaign import Campaign


class Person(models.Model):
    """One contributor of one campaign, known only by the hashes of two secrets that they hold.

    `secret_hash` is of the cookie (see `security.codes.no_cookie` for people on paper), `receipt_hash` of the receipt
    code. `origins`, `connections` (ISO 3166) and `languages` (ISO 639) may be empty: each is optional. `extras` holds
    only fields that the campaign declared, as chosen values.
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


class Statement(models.Model):
    """What one person wrote to one question; one row a person and question, replaced when they change it.

    Each line of `text` is one statement. Where nothing came to mind it is empty, so that nobody is asked twice.
    """

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="statements")
    person = models.ForeignKey(Person, on_delete=models.CASCADE, related_name="statements")
    question = models.CharField(max_length=31)
    axis = models.CharField(max_length=40)
    language = models.CharField(max_length=8)
    text = models.CharField(max_length=2_000)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["person", "question"], name="statement_once")]

    def __str__(self) -> str:
        return self.text[:40]
