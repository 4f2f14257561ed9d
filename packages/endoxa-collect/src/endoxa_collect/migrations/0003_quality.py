"""Classes of the time of answers, people who are set aside, and editions of what is public."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("collect", "0002_earlier_consents")]

    operations = [
        migrations.AddField(
            "card", "pace", models.CharField(blank=True, db_default="", default="", max_length=8)
        ),
        migrations.AddField("person", "aside", models.BooleanField(db_default=False, default=False)),
        migrations.AddField("person", "aside_pairs", models.JSONField(default=dict)),
        migrations.AddField("person", "conduct", models.JSONField(default=list)),
        migrations.CreateModel(
            name="Edition",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("made_at", models.DateTimeField(auto_now_add=True)),
                ("figures", models.JSONField()),
                ("archive", models.BinaryField(default=b"")),
                ("published", models.BooleanField(default=False)),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="editions",
                        to="collect.campaign",
                    ),
                ),
                (
                    "release",
                    models.OneToOneField(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="edition",
                        to="collect.release",
                    ),
                ),
            ],
        ),
    ]
