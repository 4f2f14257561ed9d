"""Groups of attributes that several people edit together: groups, members, likeness, and every change.

A group's `version` is the number of the change that last touched it, 0 at the beginning. A change that was taken back
gives the groups their earlier versions again, because they are what they were.
"""

from __future__ import annotations

from urllib.parse import quote

from django.db import models

from endoxa_collect.models.tasks import Judge, Task, TaskItem


class AttributeGroup(models.Model):
    """Attributes that mean the same. A group without members was merged away; it is kept, so that it can come back.

    `size` and `count` (respondents of all members) are recounted with every change.
    """

    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="attribute_groups")
    key = models.CharField(max_length=80)
    head = models.CharField(max_length=200)
    polarity = models.CharField(max_length=20, blank=True)
    flag = models.CharField(max_length=300, blank=True)
    version = models.BigIntegerField(default=0)
    size = models.PositiveIntegerField(default=0)
    count = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["task", "key"], name="attribute_group_once")]
        indexes = [models.Index(fields=["task", "-count", "key"], name="attribute_group_count")]

    def __str__(self) -> str:
        return self.key

    @property
    def seen(self) -> str:
        """Key and version as forms carry them: keys may hold blanks and colons."""
        return seen(self.key, self.version)


def seen(key: str, version: int) -> str:
    """A group at a version, in one word."""
    return f"{quote(key, safe='')}:{version}"


class GroupMember(models.Model):
    """In which group an attribute is. `count` are the respondents who said it."""

    item = models.OneToOneField(TaskItem, on_delete=models.CASCADE, related_name="member")
    group = models.ForeignKey(AttributeGroup, on_delete=models.CASCADE, related_name="members")
    count = models.PositiveIntegerField(default=1)

    def __str__(self) -> str:
        return str(self.item)


class Likeness(models.Model):
    """How alike two attributes are, from 0 to 1; `opposite` where one says the opposite of the other.

    Every two attributes have two rows, one in each direction; only near ones and opposites have any.
    """

    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="likeness")
    one = models.ForeignKey(GroupMember, on_delete=models.CASCADE, related_name="near")
    other = models.ForeignKey(GroupMember, on_delete=models.CASCADE, related_name="near_to")
    score = models.FloatField()
    opposite = models.BooleanField(default=False)

    class Meta:
        indexes = [models.Index(fields=["task", "opposite", "-score"], name="likeness_of_task")]

    def __str__(self) -> str:
        return f"{self.one} {self.other}"


class GroupChange(models.Model):
    """One change: what the groups were before and after, by their keys, with versions and members."""

    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="group_changes")
    judge = models.ForeignKey(Judge, on_delete=models.CASCADE, related_name="group_changes")
    kind = models.CharField(max_length=10)
    before = models.JSONField()
    after = models.JSONField()
    at = models.DateTimeField()
    undone_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [models.Index(fields=["judge", "undone_at", "-id"], name="group_change_of_judge")]

    def __str__(self) -> str:
        return f"{self.kind} {self.pk}"
