from __future__ import annotations

import django.db.models.deletion
from django.db import migrations, models

_STATES = [(state, state.capitalize()) for state in ("open", "ahead", "answered", "skipped", "lapsed")]


class Migration(migrations.Migration):
    dependencies = [("collect", "0004_groups")]

    operations = [
        migrations.AddField("card", "offline", models.BooleanField(default=False)),
        migrations.AlterField(
            "card", "state", models.CharField(choices=_STATES, default="open", max_length=8)
        ),
        migrations.AlterField(
            "mixedcard", "state", models.CharField(choices=_STATES, default="open", max_length=8)
        ),
        migrations.CreateModel(
            name="Sent",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        primary_key=True, serialize=False, auto_created=True, verbose_name="ID"
                    ),
                ),
                ("token", models.UUIDField()),
                (
                    "person",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="sent", to="collect.person"
                    ),
                ),
            ],
            options={"constraints": [models.UniqueConstraint(fields=("person", "token"), name="sent_once")]},
        ),
    ]
