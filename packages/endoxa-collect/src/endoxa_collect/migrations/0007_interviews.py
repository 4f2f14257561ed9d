"""Interviews: codes of interviewers, and who entered for a person."""

from django.db import migrations, models


class Migration(migrations.Migration):
    """Codes and people that are there are nobody's interviews."""

    dependencies = (("collect", "0006_offline"),)
    operations = tuple(
        migrations.AddField(
            model, "interviewer", models.CharField(blank=True, db_default="", default="", max_length=8)
        )
        for model in ("joincode", "person")
    )
