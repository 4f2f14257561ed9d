"""`endoxa author`: drafts by language models. The commands are loaded when one is asked for, because they are many."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import typer
from typer.core import TyperGroup
from typer.main import get_group

NAMES = ("tuples", "sentences", "expand", "counter", "adapt", "translate", "label", "approve", "kappa")
HELP = "Have language models write drafts for people to judge."


class Commands(Mapping[str, Any]):
    """The commands by name."""

    def __getitem__(self, name: str) -> Any:
        if name not in NAMES:
            raise KeyError(name)
        from endoxa.commands.author_drafts import AUTHOR

        return get_group(AUTHOR.app).commands[name]

    def __iter__(self) -> Iterator[str]:
        return iter(NAMES)

    def __len__(self) -> int:
        return len(NAMES)


class Authors(TyperGroup):
    """The group `endoxa author`."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.commands = Commands()  # type: ignore[assignment]


app = typer.Typer(cls=Authors, rich_markup_mode=None, no_args_is_help=True, help=HELP)


@app.callback()
def _author() -> None:
    """Have language models write drafts for people to judge."""
