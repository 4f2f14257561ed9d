"""What was dropped takes its tables along: the group editor, and classes of people read from an export, links to pass on
and certificates.
"""

from django.db import migrations


class Migration(migrations.Migration):
    """Changes of groups are no answers of people: what was made of them is in the exported table."""

    dependencies = (("collect", "0007_interviews"),)
    operations = (
        *(
            migrations.DeleteModel(name)
            for name in ("Likeness", "GroupMember", "GroupChange", "AttributeGroup")
        ),
        migrations.RemoveField("person", "conduct"),
        migrations.RemoveField("joincode", "shared"),
        migrations.RemoveField("joincode", "certificate"),
    )
