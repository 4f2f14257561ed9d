"""Commands by their words: ours and those that other packages bring (entry points `endoxa.commands`).

Each is loaded when it is asked for. `endoxa --help` loads none of ours, so their summaries stand here, and this module
imports nothing of endoxa that takes time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_command, get_group

from endoxa.errors import UserError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from endoxa.commands.verbs import Verb

GROUP = "endoxa.commands"
SITE = "collect"
SECTIONS: Mapping[str, Mapping[str, str]] = {
    "I have a model": {
        "demo": "Measure a model of your choice, and models with known preferences.",
        "probe": "Measure models: items and models in, a run folder out.",
        "analyze": "Estimate bias from runs, with confidence intervals and corrections for multiple testing.",
        "report": "Write a page or table of the results of runs.",
        "compare": (
            "Show what changed between runs of the same items and at what price, or between two editions of their data."
        ),
        "gate": "Decide whether a candidate model is worse than a baseline by more than a margin.",
    },
    "I have a survey": {
        "curate": "Turn survey answers into associations: extract, group, review, count.",
        "build": "Build items: sentence pairs, questions, association tests, choices and story prompts.",
        "study": "Measure the same associations with several instruments, and compare what they find.",
        "author": "Have language models write drafts for people to judge.",
    },
    "I have a community": {
        "collect": "",
        "languages": "Check endoxa's own words of a language, and begin a pack for one of your own.",
    },
    "I have a paper": {
        "datasets": "Find, check, convert and download files of sentence pairs.",
        "reproduce": "Recompute published results cell by cell, and say what agrees.",
        "export": "Release a data set with a data card, or make a task for another harness.",
    },
}
"""Our groups and lone commands with their summaries, by what a person has: each is a module of this package, but for
that of the campaign site. A group takes its summary from here."""
MORE = "More"
"""Section of the commands that other packages bring."""
SUMMARIES = {
    name: summary for section in SECTIONS.values() for name, summary in section.items() if name != SITE
}
_BESIDE = {"gate": "compare", "demo": "report"}
"""Commands that stand in the module of another one."""
_OF_SITE = "Run a campaign: people rate and add associations on their phones."


def first_paragraph(command: Any) -> str:
    """The first paragraph of the help of a command, on one line."""
    return " ".join((command.short_help or command.help or "").partition("\n\n")[0].split())


class Root(TyperGroup):
    """The root of the command line; its commands are listed by what a person has."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.commands = Lazy(_names, _command)  # type: ignore[assignment]

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002
        """The names of all commands; Typer would load each."""
        return list(self.commands)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write a section for each thing that a person may have, and one for what other packages bring."""
        known = [name for section in SECTIONS.values() for name in section]
        others = [name for name in self.list_commands(ctx) if name not in known]
        for title, names in (*SECTIONS.items(), (MORE, others)):
            if names:
                with formatter.section(title):
                    formatter.write_dl([(name, self.summary(ctx, name)) for name in names])

    def summary(self, ctx: Any, name: str) -> str:
        """The summary of ours and of the site as they stand here; of others from their help."""
        of_site = {SITE: _OF_SITE} if SITE in _points() else {}
        return (SUMMARIES | of_site).get(name) or first_paragraph(self.get_command(ctx, name))


class Lazy(Mapping[str, Any]):
    """Commands by name, each made when it is asked for.

    Args:
        names: gives their names.
        make: makes the command of a name.
    """

    def __init__(self, names: Callable[[], Iterable[str]], make: Callable[[str], Any]) -> None:
        self._names, self._make = names, make

    def __getitem__(self, name: str) -> Any:
        if name not in self._names():
            raise KeyError(name)
        return self._make(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names())

    def __len__(self) -> int:
        return len(list(self._names()))


def _names() -> Iterable[str]:
    """All commands, those of other packages behind ours; `collect` is there with and without its package."""
    return dict.fromkeys([*SUMMARIES, *sorted({SITE, *_points()})])


def _command(name: str) -> Any:
    if name in SUMMARIES:
        return _ours(name)
    return get_command(_points()[name].load() if name in _points() else _without_site)


@cache
def _ours(name: str) -> Any:
    """A group (`app` of its module), or the command that the function of the module's name declares."""
    from endoxa.commands.verbs import add_command

    module = import_module(f"endoxa.commands.{_BESIDE.get(name, name)}")
    if not hasattr(module, "app"):
        alone = typer.Typer(rich_markup_mode=None, add_completion=False)
        add_command(alone, getattr(module, name), printing=getattr(module, "PRINTING", False))
        return get_command(alone)
    return get_group(module.app)


@cache
def _points() -> dict[str, EntryPoint]:
    from importlib.metadata import entry_points

    return {point.name: point for point in entry_points(group=GROUP)}


def every_verb() -> Mapping[str, Verb]:
    """The verbs of all our commands by their words, group after group, whichever was loaded first."""
    from endoxa.commands.verbs import VERBS

    for name in SUMMARIES:
        _ours(name)
    group = {words: words.partition(" ")[0] for words in VERBS}
    return {
        words: VERBS[words] for words in sorted(group, key=group.__getitem__) if group[words] in SUMMARIES
    }


def verb_named(words: str) -> Verb:
    """The verb of a command, ours or of another package.

    Raises:
        TypeError: there is none.
    """
    from endoxa.commands.verbs import VERBS
    from endoxa.runs.options import nearest

    group = words.partition(" ")[0]
    if group in SUMMARIES:
        _ours(group)
    elif words not in VERBS and group in _points():
        _points()[group].load()
    if words not in VERBS:
        raise TypeError(f"There is no command '{words}'.{nearest(words, every_verb())}")
    return VERBS[words]


_without_site = typer.Typer(rich_markup_mode=None)


@_without_site.command(SITE, add_help_option=False, context_settings={"ignore_unknown_options": True})
def _collect(_words: Annotated[list[str] | None, typer.Argument(hidden=True)] = None) -> None:
    """Run a campaign: people rate and add associations on their phones (package endoxa-collect)."""
    raise UserError(
        "The campaign site is not installed. Install the package endoxa-collect; in a copy of endoxa's repository: "
        "pip install ./packages/endoxa-collect."
    )
