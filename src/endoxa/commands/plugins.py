"""Commands by their words, and groups of commands that other packages bring (entry points `endoxa.commands`)."""

from __future__ import annotations

from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Annotated, Any

import typer
from typer.main import get_command

from endoxa.commands.settings_command import Groups
from endoxa.commands.verbs import VERBS, Verb
from endoxa.errors import UserError
from endoxa.runs.options import nearest

GROUP = "endoxa.commands"
SITE = "collect"


class Root(Groups):
    """The root of the command line: its own commands, and those of other packages, loaded when they are asked for."""

    def list_commands(self, ctx: Any) -> list[str]:
        """The names of all commands, those of other packages behind ours."""
        return list(dict.fromkeys([*super().list_commands(ctx), *sorted({SITE, *_points()})]))

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command with a name, or None; `collect` says what to install where that package is missing."""
        if cmd_name not in self.commands:
            if cmd_name in _points():
                self.commands[cmd_name] = get_command(_points()[cmd_name].load())
            elif cmd_name == SITE:
                self.commands[cmd_name] = get_command(_without_site)
        return super().get_command(ctx, cmd_name)


@cache
def _points() -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=GROUP)}


def verb_named(words: str) -> Verb:
    """The verb of a command, ours or of another package.

    Raises:
        TypeError: there is none.
    """
    import endoxa.commands.author_drafts  # noqa: F401, many, and loaded when one is asked for

    group = words.partition(" ")[0]
    if words not in VERBS and group in _points():
        _points()[group].load()
    if words not in VERBS:
        raise TypeError(f"There is no command '{words}'.{nearest(words, VERBS)}")
    return VERBS[words]


_without_site = typer.Typer(rich_markup_mode=None)


@_without_site.command(SITE, add_help_option=False, context_settings={"ignore_unknown_options": True})
def _collect(_words: Annotated[list[str] | None, typer.Argument(hidden=True)] = None) -> None:
    """Run a campaign: people rate and add associations on their phones (package endoxa-collect)."""
    raise UserError(
        "The campaign site is not installed. Install the package endoxa-collect; in a copy of endoxa's repository: "
        "pip install ./packages/endoxa-collect."
    )
