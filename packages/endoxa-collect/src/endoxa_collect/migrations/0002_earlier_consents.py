"""People who agree to changed terms keep the consent that they gave before."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("collect", "0001_initial")]

    operations = [
        migrations.AddField("person", "earlier_consents", models.JSONField(default=list)),
    ]
