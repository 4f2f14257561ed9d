"""A campaign, the versions of its settings, the roles of accounts in it, and its join codes."""

from __future__ import annotations

from functools import lru_cache
from typing import Self

from django.conf import settings as django_settings
from django.db import models
from django.utils import timezone

from endoxa_collect.campaign import CampaignSettings
from endoxa_collect.sampler import Balance


class State(models.TextChoices):
    """What contributors can do in a campaign."""

    DRAFT = "draft"
    OPEN = "open"
    PAUSED = "paused"
    CLOSED = "closed"


class Campaign(models.Model):
    """One collection. Changes of it take its lock first (`cards.locking`).

    `balance` is what an organiser ordered ("" leaves it to the controller). `began_at` is when an organiser opened it,
    moved on by all the time in which the campaign was paused or closed; the forecast counts from it. Until then (null)
    people may answer, and it is a rehearsal that can be erased. `paused_at` is when the present pause began.
    `matched_at` is when pairs last picked raters for all (`cards.matching`).
    """

    slug = models.SlugField(max_length=40, unique=True)
    state = models.CharField(max_length=8, choices=State.choices, default=State.DRAFT)
    balance = models.CharField(
        max_length=8, blank=True, choices=[(choice.value, choice.value) for choice in Balance]
    )
    version = models.PositiveIntegerField(default=1)
    created_at = models.DateTimeField(auto_now_add=True)
    began_at = models.DateTimeField(null=True)
    paused_at = models.DateTimeField(null=True)
    matched_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return self.slug

    @property
    def settings(self) -> CampaignSettings:
        """The settings in force."""
        return _settings(self.pk, self.version)

    @property
    def rehearsing(self) -> bool:
        """Whether who joins only rehearses, as nobody pressed Open yet. Where nobody can join, nothing is rehearsed."""
        return self.began_at is None and self.settings.joined


class SettingsVersion(models.Model):
    """Settings of a campaign as they were saved once; never changed afterwards."""

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="versions")
    number = models.PositiveIntegerField()
    content = models.JSONField()
    made_at = models.DateTimeField(auto_now_add=True)
    made_by = models.ForeignKey(django_settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["campaign", "number"], name="settings_version_once")]

    def __str__(self) -> str:
        return f"{self.campaign} v{self.number}"


@lru_cache(maxsize=64)
def _settings(campaign: int, version: int) -> CampaignSettings:
    # A version is never changed, so every process may keep it.
    row = SettingsVersion.objects.get(campaign_id=campaign, number=version)
    return CampaignSettings.model_validate(row.content)


class Role(models.TextChoices):
    """What an account may do in one campaign; nothing is allowed without one."""

    ORGANISER = "organiser"
    MODERATOR = "moderator"
    REVIEWER = "reviewer"
    RESEARCHER = "researcher"


class Membership(models.Model):
    """A role of an account in a campaign; one account may have several."""

    user = models.ForeignKey(
        django_settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="memberships"
    )
    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=10, choices=Role.choices)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "campaign", "role"], name="membership_once")]

    def __str__(self) -> str:
        return f"{self.user} {self.role} {self.campaign}"


class JoinCodes(models.QuerySet["JoinCode"]):
    """Join codes; `JoinCode.objects` has these methods too."""

    def in_force(self) -> Self:
        """Those that are neither revoked nor expired, newest first."""
        lasting = models.Q(expires_at__isnull=True) | models.Q(expires_at__gt=timezone.now())
        return self.filter(lasting, revoked=False).order_by("-created_at", "-pk")


class JoinCode(models.Model):
    """A code that opens a campaign to contributors until it expires or is revoked."""

    objects = JoinCodes.as_manager()

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="codes")
    code = models.CharField(max_length=16, unique=True)
    expires_at = models.DateTimeField(null=True)
    revoked = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.code
