"""Answers wait for the cover, who judged whether a pair may hurt, and what contributors say of that."""

import django.db.models.deletion
import uuid
from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def note_approvals(apps: Apps, _: BaseDatabaseSchemaEditor) -> None:
    """Say of each pair whether its words stand approved, as read from the decisions until now.

    Each decision keeps what it changed, so that it can still be taken back.
    """
    acts = apps.get_model("collect", "Act").objects.filter(action__in=("approve", "edit")).order_by("pk")
    standing: dict[int, str] = {}
    for act in acts.iterator():
        if act.undone:
            continue
        before = standing.get(act.pair_id, "")
        standing[act.pair_id] = "approved" if act.action == "approve" else ""
        if before != standing[act.pair_id]:
            act.before = {**act.before, "judged": before}
            act.save(update_fields=["before"])
    approved = [pair for pair, state in standing.items() if state]
    pairs = apps.get_model("collect", "Pair").objects
    for start in range(0, len(approved), 500):
        pairs.filter(pk__in=approved[start : start + 500]).update(judged="approved")


def nothing(_apps: Apps, _: BaseDatabaseSchemaEditor) -> None:
    """Going back needs no more than dropping the columns."""


class Migration(migrations.Migration):
    dependencies = [
        ("collect", "0003_groups"),
    ]

    operations = [
        migrations.CreateModel(
            name="HurtAnswer",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("public_id", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                (
                    "answer",
                    models.CharField(
                        choices=[("yes", "Yes"), ("no", "No"), ("unsure", "Unsure")], max_length=6
                    ),
                ),
                ("created_at", models.DateTimeField()),
            ],
        ),
        migrations.AddField(
            model_name="card",
            name="revealed",
            field=models.CharField(
                blank=True,
                choices=[("shown", "Shown"), ("revealed", "Revealed"), ("covered", "Covered")],
                max_length=8,
            ),
        ),
        migrations.AddField(
            model_name="pair",
            name="judged",
            field=models.CharField(
                blank=True,
                choices=[("people", "People"), ("moderator", "Moderator"), ("approved", "Approved")],
                max_length=9,
            ),
        ),
        migrations.AddIndex(
            model_name="pair",
            index=models.Index(
                condition=models.Q(("judged", ""), ("negative__isnull", True), ("source", "contributor")),
                fields=["campaign", "moderation", "created_at"],
                name="pair_unjudged",
            ),
        ),
        migrations.AddField(
            model_name="hurtanswer",
            name="card",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="hurt_answers",
                to="collect.card",
            ),
        ),
        migrations.AddField(
            model_name="hurtanswer",
            name="pair",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="hurt_answers", to="collect.pair"
            ),
        ),
        migrations.AddField(
            model_name="hurtanswer",
            name="person",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="hurt_answers", to="collect.person"
            ),
        ),
        migrations.AddConstraint(
            model_name="hurtanswer",
            constraint=models.UniqueConstraint(fields=("person", "pair"), name="hurt_answer_once"),
        ),
        migrations.RunPython(note_approvals, nothing),
    ]
