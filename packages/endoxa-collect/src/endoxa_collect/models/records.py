"""Records: log, releases, withdrawals, counts of tries, decisions of moderators."""

from __future__ import annotations

import uuid
from datetime import timedelta
from typing import Any

from django.conf import settings as django_settings
from django.contrib.auth.models import AnonymousUser, User
from django.db import models
from django.db.models import Q
from django.utils import timezone

from endoxa_collect.models.campaign import Campaign, Person, Statement
from endoxa_collect.models.pairs import HurtAnswer, Mention, MixedAnswer, Pair, Rating, Skip

ANSWERS: dict[str, type[models.Model]] = {
    "ratings": Rating,
    "mentions": Mention,
    "skips": Skip,
    "hurt_answers": HurtAnswer,
    "mixed": MixedAnswer,
    "statements": Statement,
}
"""What holds what people say, by the names of the tables in exports."""


def answers_of(**where: object) -> dict[str, models.QuerySet[Any]]:
    """What people say, as an export may hold it: rows of each table that has the columns of `where`."""
    columns = {lookup.partition("__")[0] for lookup in where}
    rows: dict[str, models.QuerySet[Any]] = {
        name: model._default_manager.filter(**where)
        for name, model in ANSWERS.items()
        if columns <= {field.name for field in model._meta.get_fields()}
    }
    if "mixed" in rows:
        rows["mixed"] = rows["mixed"].exclude(answer="")  # drawn, and not answered
    return rows


class AuditEntry(models.Model):
    """Something an account did. Never holds an address or the words of a contributor."""

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="audit")
    user = models.ForeignKey(django_settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL)
    action = models.CharField(max_length=40)
    detail = models.JSONField(default=dict)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = [models.Index(fields=["campaign", "at"], name="audit_by_time")]


def record(
    campaign: Campaign, user: User | AnonymousUser | None, action: str, **detail: str | int | bool
) -> AuditEntry:
    """Note an action; `user` None is the command line, or somebody who left. Never pass words of contributors."""
    who = user if isinstance(user, User) else None
    return AuditEntry.objects.create(campaign=campaign, user=who, action=action, detail=detail)


class ReleaseQuerySet(models.QuerySet["Release"]):
    """Releases."""

    def finished(self) -> ReleaseQuerySet:
        """Those that were handed over."""
        return self.exclude(sha256="")

    def broken_off(self) -> ReleaseQuerySet:
        """Those whose making ended without an end: no release takes a day to make."""
        return self.filter(_broken_off())

    def public(self) -> ReleaseQuerySet:
        """Finished ones that anybody may have; never one that was made for somebody under an agreement."""
        return self.finished().filter(recipient="")

    def perhaps_out(self) -> ReleaseQuerySet:
        """Those that were handed over, or may yet be: they may hold what is taken back."""
        return self.exclude(_broken_off())


def _broken_off() -> Q:
    return Q(sha256="", made_at__lt=timezone.now() - timedelta(days=1))


class Release(models.Model):
    """A frozen, numbered export.

    While it is being made, and where that was broken off, `sha256` is empty and the number is free; the row is there so
    that whoever leaves meanwhile is on its list of withdrawals.

    `salt` re-keys people, so that the table of people cannot be joined with that of another release. Rows keep their
    ids, so that a withdrawal can name them: who holds two releases can join their rows, and by them the keys.

    A restricted release, in which nothing is merged, has a `recipient`: who agreed in writing to its conditions
    (`export.card`). No contributor is meant.
    """

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="releases")
    number = models.CharField(max_length=20)
    salt = models.CharField(max_length=64)
    sha256 = models.CharField(max_length=64, blank=True)
    made_at = models.DateTimeField(auto_now_add=True)
    recipient = models.CharField(max_length=200, blank=True)

    objects = ReleaseQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["campaign", "number"], condition=~Q(sha256=""), name="release_once"
            ),
        ]


class Edition(models.Model):
    """What anybody may see of a campaign at one time; it never changes, and a later one takes its place.

    Of a public `release`: its folder as one zip file (`archive`), and figures made from its tables. Without one:
    figures of one day, from tables as a release would have them (`export.editions`). `published`: an organiser put
    the data of the release onto the site.
    """

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="editions")
    release = models.OneToOneField(Release, null=True, on_delete=models.CASCADE, related_name="edition")
    made_at = models.DateTimeField(auto_now_add=True)
    figures = models.JSONField()
    archive = models.BinaryField(default=b"")
    published = models.BooleanField(default=False)


class Tombstone(models.Model):
    """The id of a withdrawn row, so that holders of a release can drop it too.

    `release` is the one in which a person had this key (table "people"; its patches share it). Rows of other tables
    have the same id in all releases. `withdrawn_hour` is not exported.
    """

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="tombstones")
    row = models.UUIDField(default=uuid.uuid4, unique=True)
    table = models.CharField(max_length=12)
    release = models.ForeignKey(Release, null=True, on_delete=models.CASCADE, related_name="+")
    withdrawn_hour = models.DateTimeField()


class Attempts(models.Model):
    """How often something was tried in a window of time; `name` is a keyed hash, `start` and `ends` Unix seconds."""

    name = models.CharField(max_length=64)
    start = models.BigIntegerField()
    ends = models.BigIntegerField(db_index=True)
    count = models.PositiveIntegerField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["name", "start"], name="attempts_once")]


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


class Claim(models.Model):
    """A moderator is looking at a pair until `until`; others see a note and may still decide."""

    pair = models.OneToOneField(Pair, on_delete=models.CASCADE, related_name="claim")
    user = models.ForeignKey(django_settings.AUTH_USER_MODEL, on_delete=models.CASCADE)
    until = models.DateTimeField()
