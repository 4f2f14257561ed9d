"""Answers to the open questions of the survey."""

from __future__ import annotations

import uuid

from django.db import models

from endoxa.collect.models.campaign import Campaign
from endoxa.collect.models.people import Person


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
