"""A campaign: versions of its settings, roles of accounts, join codes, contributors under pseudonyms, waves.

A wave freezes what was known of each pair at one moment, so that answers cannot move it.
"""

from __future__ import annotations

import uuid
from datetime import datetime, timedelta
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


class JoinCodes(models.QuerySet["JoinCode"]):
    """Join codes; `JoinCode.objects` has these methods too."""

    def in_force(self) -> Self:
        """Those that are neither revoked nor expired, newest first. In a rehearsal none expires."""
        lasting = models.Q(expires_at__isnull=True) | models.Q(expires_at__gt=timezone.now())
        lasting |= models.Q(campaign__began_at__isnull=True)
        return self.filter(lasting, revoked=False).order_by("-created_at", "-pk")

    def start_days(self, opened: datetime) -> None:
        """Let the days of codes that were made before the opening run from it."""
        for code in self.filter(revoked=False):
            if code.expires_at is not None:
                code.expires_at = opened + (code.expires_at - code.created_at)
                code.save(update_fields=["expires_at"])


class JoinCode(models.Model):
    """A code that opens a campaign to contributors until it expires or is revoked.

    Until the campaign is opened `expires_at` only says how long the code lasts from then on, counted from `created_at`:
    the opening moves it (`start_days`). `interviewer` is the short name of who enters for others with it; "" for codes
    by which people join themselves.

    `label` is the organisers' name for it.
    """

    objects = JoinCodes.as_manager()

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="codes")
    code = models.CharField(max_length=16, unique=True)
    expires_at = models.DateTimeField(null=True)
    revoked = models.BooleanField(default=False)
    interviewer = models.CharField(max_length=8, blank=True, default="", db_default="")
    created_at = models.DateTimeField(auto_now_add=True)
    label = models.CharField(max_length=60, blank=True)

    @property
    def in_force(self) -> bool:
        """Whether it opens its campaign now."""
        over = self.expires_at is not None and self.expires_at <= timezone.now()
        return not self.revoked and not (over and self.campaign.began_at)

    @property
    def days(self) -> int | None:
        """How many days it lasts from the opening, if the campaign is not open yet; None for no end."""
        return round((self.expires_at - self.created_at) / timedelta(days=1)) if self.expires_at else None


class Arrivals(models.Model):
    """How many people agreed and said no on one day by one code: two numbers, and no row for anybody.

    They stay when somebody leaves.
    """

    code = models.ForeignKey(JoinCode, on_delete=models.CASCADE, related_name="arrivals")
    day = models.DateField()
    joined = models.PositiveIntegerField(default=0)
    declined = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["code", "day"], name="arrivals_once")]

    @classmethod
    def count(cls, code: str, column: str) -> None:
        """Add one to `joined` or `declined` of today."""
        joined_by = JoinCode.objects.get(code=code)
        row, _ = cls.objects.get_or_create(code=joined_by, day=timezone.localdate())
        cls.objects.filter(pk=row.pk).update(**{column: models.F(column) + 1})


class Person(models.Model):
    """One contributor of one campaign, known only by the hashes of two secrets that they hold.

    `secret_hash` is of the cookie (see `security.codes.no_cookie` for people on paper), `receipt_hash` of the receipt
    code. `earlier_consents` are those that they gave before: version, language and hour of each. `origins` are the
    groups that they belong to and `connections` those that they feel close to: countries (ISO 3166), or groups that the
    campaign declared (`groups.place_person`), which then keeps the countries in `countries` and `close_to`. These and
    `languages` (ISO 639) may be empty: each is optional. `extras` holds only fields that the campaign declared, as
    chosen values.

    `aside`: a moderator took all their rows out of what counts (`cards.answering`); `aside_pairs` says how the pairs
    stood that are hidden meanwhile.
    `interviewer` is the short name of who entered for them, one of `CampaignSettings.interviewers`; "" for who answered
    themselves.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="people")
    secret_hash = models.CharField(max_length=64, unique=True)
    receipt_hash = models.CharField(max_length=64, unique=True)
    ui_language = models.CharField(max_length=8)
    consent_version = models.PositiveIntegerField()
    consent_language = models.CharField(max_length=8)
    consent_hour = models.DateTimeField()
    earlier_consents = models.JSONField(default=list)
    keep_words = models.BooleanField(default=False)
    profile_done = models.BooleanField(default=False)
    origins = models.JSONField(default=list)
    connections = models.JSONField(default=list)
    countries = models.JSONField(default=list)
    close_to = models.JSONField(default=list)
    languages = models.JSONField(default=list)
    topic_optouts = models.JSONField(default=list)
    extras = models.JSONField(default=dict)
    aside = models.BooleanField(default=False, db_default=False)
    aside_pairs = models.JSONField(default=dict)
    interviewer = models.CharField(max_length=8, blank=True, default="", db_default="")


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


class Sent(models.Model):
    """The token of something that a phone had kept and that is stored by now: sent again, it changes nothing."""

    person = models.ForeignKey(Person, on_delete=models.CASCADE, related_name="sent")
    token = models.UUIDField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["person", "token"], name="sent_once")]
