"""What goes wrong with the database under any command of `endoxa collect`, in one sentence."""

from __future__ import annotations

import sys
from typing import Any

import typer


class TellsFaults(typer.core.TyperGroup):
    """The group of commands: a full disk or a locked database ends as a sentence wherever it comes up."""

    def invoke(self, ctx: Any) -> Any:
        """Run a command.

        Raises:
            UserError: as in `endoxa.collect.project.database.explained`.
        """
        try:
            return super().invoke(ctx)
        except Exception as problem:
            # Without it no database was opened; and no other command should wait for it to be imported.
            if "django.db" not in sys.modules:
                raise
            from django.db import IntegrityError

            from endoxa.collect.project.database import explained

            if isinstance(problem, IntegrityError):  # our fault, not the disk's
                raise
            with explained():
                raise
