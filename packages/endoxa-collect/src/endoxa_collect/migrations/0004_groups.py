"""Groups beyond countries: longer codes, and where people come from besides the groups that they belong to."""

from django.db import migrations, models


class Migration(migrations.Migration):
    """Codes of pairs and cards can be ids of declared groups."""

    dependencies = (("collect", "0003_quality"),)
    operations = (
        *(
            migrations.AlterField(model, "country", models.CharField(max_length=31))
            for model in ("pair", "card", "mixedcard")
        ),
        *(
            migrations.AddField("person", name, models.JSONField(default=list))
            for name in ("countries", "close_to")
        ),
    )
