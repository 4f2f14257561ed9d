"""What was dropped takes its tables along: the group editor, and classes of people read from an export, links to pass on
and certificates.
"""

from __future__ import annotations

from typing import Any

from django.db import migrations


def drop_group_editors(apps: Any, _schema_editor: Any) -> None:
    """Changes of groups are no answers of people: what was made of them is in the exported table."""
    apps.get_model("collect", "Task").objects.filter(kind="groups").delete()


class Migration(migrations.Migration):
    """Editors of groups go with all that is in them."""

    dependencies = (("collect", "0007_interviews"),)
    operations = (
        *(
            migrations.DeleteModel(name)
            for name in ("Likeness", "GroupMember", "GroupChange", "AttributeGroup")
        ),
        migrations.RemoveField("person", "conduct"),
        migrations.RemoveField("joincode", "shared"),
        migrations.RemoveField("joincode", "certificate"),
        migrations.RunPython(drop_group_editors, migrations.RunPython.noop),
    )
