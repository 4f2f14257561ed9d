"""Waves of a campaign: what was known of each pair at one moment, frozen so that answers cannot move it."""

from __future__ import annotations

from django.db import models

from endoxa_collect.models.campaign import Campaign


class Wave(models.Model):
    """What feedback may say from `began_at` until the next wave.

    `known` maps the id of a pair to two coarse steps: people who had heard it, and countries that they come from (0
    for fewer than three). Only pairs of the first step or more are in it, and never an exact count.
    """

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="waves")
    began_at = models.DateTimeField()
    known = models.JSONField(default=dict)

    class Meta:
        indexes = [models.Index(fields=["campaign", "-began_at"], name="wave_latest")]

    def __str__(self) -> str:
        return f"{self.campaign} {self.began_at:%Y-%m-%d %H:%M}"
