"""Names and offers of join codes, and how many people agreed and said no by code and day."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("collect", "0004_groups")]

    operations = [
        migrations.AddField(
            "joincode", "label", models.CharField(blank=True, default="", max_length=60), False
        ),
        migrations.AddField("joincode", "shared", models.BooleanField(default=False)),
        migrations.AddField("joincode", "certificate", models.BooleanField(default=False)),
        migrations.CreateModel(
            name="Arrivals",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("day", models.DateField()),
                ("joined", models.PositiveIntegerField(default=0)),
                ("declined", models.PositiveIntegerField(default=0)),
                (
                    "code",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="arrivals",
                        to="collect.joincode",
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("code", "day"), name="arrivals_once")],
            },
        ),
    ]
