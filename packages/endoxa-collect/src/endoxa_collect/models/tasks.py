"""Tasks: items that people judge one by one, who judges, what was handed to whom, and every judgement.

A task is of a kind (`endoxa_collect.tasks.rooms`), which says what an item holds and what a judgement is. Judges are
accounts of the site, or people of a panel, who are known by the hash of a secret and nothing else.

Groups of attributes are what several people edit together. A group's `version` is the number of the change that last
touched it, 0 at the beginning. A change that was taken back gives the groups their earlier versions again, because they
are what they were.
"""

from __future__ import annotations

import uuid

from django.conf import settings as django_settings
from django.db import models
from django.db.models import Q

from endoxa_collect.models.campaign import Campaign


class TaskState(models.TextChoices):
    """Whether people can judge."""

    OPEN = "open"
    PAUSED = "paused"
    CLOSED = "closed"


class Task(models.Model):
    """Items of one kind with the rule of who judges them; `settings` are those of the kind, checked when it is made.

    `code` opens the task to a panel; "" where only accounts judge. `revealed_at` is when what was hidden from judges
    (who or what made an item) was first shown to somebody, which can only be after the task was closed.
    """

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="tasks")
    name = models.SlugField(max_length=40)
    kind = models.CharField(max_length=20)
    settings = models.JSONField(default=dict)
    state = models.CharField(max_length=8, choices=TaskState.choices, default=TaskState.OPEN)
    code = models.CharField(max_length=20, blank=True)
    made_at = models.DateTimeField(auto_now_add=True)
    revealed_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["campaign", "name"], name="task_once"),
            models.UniqueConstraint(fields=["code"], condition=~Q(code=""), name="task_code_once"),
        ]


class TaskItem(models.Model):
    """One thing to judge.

    `key` is its name in the file it came from. `content` is what judges see; `hidden` what they must not (the engine
    that translated, the model that drafted). `judged` counts judgements that count, `done` says that no more are
    needed; both are recounted, never counted up by hand. A `check` has a known answer (`hidden`) and is judged by
    everybody. `place` spreads items at random, so that equally urgent ones come in no order of the file.
    """

    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="items")
    number = models.PositiveIntegerField()
    key = models.CharField(max_length=200)
    content = models.JSONField()
    hidden = models.JSONField(default=dict)
    check_item = models.BooleanField(default=False)
    judged = models.PositiveIntegerField(default=0)
    done = models.BooleanField(default=False)
    place = models.FloatField(default=0.0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["task", "key"], name="task_item_once")]
        indexes = [models.Index(fields=["task", "done", "judged", "place"], name="task_item_next")]


class JudgeState(models.TextChoices):
    """How far somebody came. Judgements of those who failed or left do not count."""

    ACTIVE = "active"
    FINISHED = "finished"
    FAILED = "failed"
    LEFT = "left"


COUNTING = (JudgeState.ACTIVE, JudgeState.FINISHED)
"""States of judges whose judgements count."""


class Judge(models.Model):
    """Somebody who judges in one task: an account, or a person of a panel known by the hash of a secret.

    `participant` is a keyed hash of the panel's id for the person, so that nobody takes part twice. `group` is what
    they said of themselves, one of the groups that the task declares. `steps` is what the pages before and after need:
    consent, tries of the quiz, the order of questions.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="judges")
    user = models.ForeignKey(
        django_settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="judging"
    )
    secret_hash = models.CharField(max_length=64, blank=True)
    participant = models.CharField(max_length=64, blank=True)
    group = models.CharField(max_length=40, blank=True)
    state = models.CharField(max_length=8, choices=JudgeState.choices, default=JudgeState.ACTIVE)
    steps = models.JSONField(default=dict)
    came_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["task", "user"], condition=Q(user__isnull=False), name="judge_account_once"
            ),
            models.UniqueConstraint(
                fields=["task", "participant"], condition=~Q(participant=""), name="judge_participant_once"
            ),
            models.UniqueConstraint(
                fields=["secret_hash"], condition=~Q(secret_hash=""), name="judge_secret_once"
            ),
        ]


class TurnState(models.TextChoices):
    """What became of an item in somebody's hands. An open turn whose time is over counts as free."""

    OPEN = "open"
    JUDGED = "judged"
    SKIPPED = "skipped"
    LAPSED = "lapsed"


class Turn(models.Model):
    """An item handed to a judge: the lease, and the token of the form.

    `shown` is what was drawn for this judge and item, such as the order of candidates. `number` counts the judge's
    turns from 0.
    """

    token = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    item = models.ForeignKey(TaskItem, on_delete=models.CASCADE, related_name="turns")
    judge = models.ForeignKey(Judge, on_delete=models.CASCADE, related_name="turns")
    number = models.PositiveIntegerField()
    shown = models.JSONField(default=dict)
    state = models.CharField(max_length=8, choices=TurnState.choices, default=TurnState.OPEN)
    drawn_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    closed_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["item", "judge"], condition=~Q(state="lapsed"), name="item_once_a_judge"
            ),
        ]
        indexes = [
            models.Index(fields=["judge", "state", "number"], name="turn_of_judge"),
            models.Index(fields=["item", "state", "expires_at"], name="turn_of_item"),
        ]


class Judgement(models.Model):
    """What a judge said of an item. Nothing is changed afterwards: one that was taken back is kept as `undone`."""

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    turn = models.ForeignKey(Turn, on_delete=models.CASCADE, related_name="judgements")
    answer = models.JSONField()
    undone = models.BooleanField(default=False)
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["turn"], condition=Q(undone=False), name="one_judgement_in_force"
            ),
        ]
