"""Writes the reference of commands into the manual, from the program itself (run by cog; `make docs`)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import cog

FOLDER = "options"
OWN_PAGES = ("author", "reproduce")
"""Commands that stand alone and have a page all the same."""
LONE = "demo-report"
"""The page of the commands that stand alone (`endoxa demo`, `endoxa report`, `endoxa gate`, `endoxa compare`)."""
SHARED = re.compile("^(.+_)?(low|high)$|^(neutral|confidence|reason)$")
"""Columns that mean the same in every table of estimates."""


@cache
def commands() -> dict[str, tuple[Any, Any]]:
    """Every command and its context by its words ("probe pairs"), in the order of `endoxa --help`."""
    from typer.main import get_command

    from endoxa.commands import app

    root = get_command(app)
    return dict(_walk(root, root.make_context("endoxa", ["--help"], resilient_parsing=True)))


def _walk(command: Any, context: Any) -> Iterator[tuple[str, tuple[Any, Any]]]:
    if not hasattr(command, "list_commands"):
        yield context.command_path.partition(" ")[2], (command, context)
        return
    for name in command.list_commands(context):
        inner = command.get_command(context, name)
        if not inner.hidden:
            yield from _walk(
                inner, inner.make_context(name, ["--help"], parent=context, resilient_parsing=True)
            )


def page(words: str) -> str:
    """The page that describes a command."""
    first, _, rest = words.partition(" ")
    return f"{FOLDER}/{first if rest or first in OWN_PAGES else LONE}.md"


def columns(table: Mapping[str, str], head: str = "column") -> None:
    """Write a table of names and their meanings; what stands in an earlier table of the page is only named."""
    before = _DESCRIBED.setdefault(cog.inFile, set())
    new = [row for row in table.items() if row not in before]
    cog.outl(f"\n| {head} | meaning |\n|---|---|")
    for name, meaning in new:
        cog.outl(f"| `{name}` | {meaning} |")
    if again := [f"`{name}`" for name, meaning in table.items() if (name, meaning) in before]:
        cog.outl(f"\nAs above: {', '.join(again)}.")
    cog.outl()
    before.update(new)


_DESCRIBED: dict[str, set[tuple[str, str]]] = {}
"""Names and meanings that a page has already, by its file."""


def estimates(table: Mapping[str, str], head: str = "column") -> None:
    """Write a table of columns without those that mean the same in every table of estimates (analyze.md)."""
    columns({name: meaning for name, meaning in table.items() if not SHARED.search(name)}, head)


def contents() -> None:
    """Write a table of all commands."""
    cog.outl("\n| command | what it does |\n|---|---|")
    for words, (command, _) in commands().items():
        link = f"{page(words)}#endoxa-{words.replace(' ', '-')}"
        cog.outl(f"| [`{words}`]({link}) | {_summary(command)} |")
    cog.outl()


Entry = tuple[str, str, str]
"""Name of an option, its meaning, its default and limits."""


@cache
def _tables_of() -> dict[str, Mapping[str, list[Entry]]]:
    """Options of every command by purpose."""
    return {words: _tables(*both) for words, both in commands().items()}


@cache
def _several() -> tuple[tuple[bool, Entry], ...]:
    """Options and settings (true: given by `--set`) that three commands or more have in the same words.

    Where a name has several meanings, the most common one.
    """
    uses = Counter(
        (purpose == BY_SET, entry)
        for of_command in _tables_of().values()
        for purpose, entries in of_command.items()
        for entry in entries
    )
    most = {_flag(use[1][0]): use for use, _ in reversed(uses.most_common())}
    return tuple(use for use, number in uses.items() if number > 2 and most[_flag(use[1][0])] == use)


def several() -> None:
    """Write the options that several commands have in the same words."""
    for title, by_set in (("", False), (BY_SET, True)):
        _table(title, [entry for kind, entry in _several() if kind is by_set])
    cog.outl()


def reference(group: str) -> None:
    """Write every command of a page: its summary and its options; `--help` says more, by purpose and with examples.

    What several commands have in the same words is only named: `several` says it once for all pages.
    """
    for words, (command, context) in commands().items():
        if page(words) != f"{FOLDER}/{group}.md":
            continue
        cog.outl(f"\n## endoxa {words}\n")
        cog.outl(_summary(command))
        if pieces := " ".join(command.collect_usage_pieces(context)).removeprefix("[OPTIONS]").strip():
            cog.outl(f"\n`endoxa {words} {_cell(pieces)}`")
        tables = _tables_of()[words]
        of_its_kind = [(purpose == BY_SET, entry) for purpose, entries in tables.items() for entry in entries]
        for by_set in (False, True):
            alone = [
                entry for kind, entry in of_its_kind if kind is by_set and (kind, entry) not in _several()
            ]
            _table(BY_SET if by_set else "", alone)
        here = set(of_its_kind)
        if named := [_flag(entry[0]) for kind, entry in _several() if (kind, entry) in here]:
            lacking = [_flag(entry[0]) for kind, entry in _several() if (kind, entry) not in here]
            listed = f"all but {', '.join(lacking)}" if len(lacking) < len(named) else ", ".join(named)
            cog.outl(f"\n[Of several commands](../options.md#of-several-commands): {listed}.")
    cog.outl()


def _flag(name: str) -> str:
    """The option without what follows it: `--out` of "-o, --out RUN", `top_p` of "top_p=X", `DIR` of "DIR <path>"."""
    flag = re.search("--[a-z-]+", name) or re.match("[A-Za-z_]+", name)
    return f"`{flag[0] if flag else name}`"


BY_SET = "By `--set NAME=VALUE`"


def _tables(command: Any, context: Any) -> Mapping[str, list[Entry]]:
    """Options of a command by purpose, and the settings that are given by `--set`."""
    from endoxa.commands.settings_command import further_parameters, setting_words

    further = _described(further_parameters(command), context)
    settings = [(setting_words(name), *cells) for rows in further.values() for name, cells in rows.items()]
    options = {
        purpose: [(name, *cells) for name, cells in rows.items()]
        for purpose, rows in _options(command, context).items()
    }
    return options | ({BY_SET: settings} if settings else {})


def _table(title: str, entries: Sequence[Entry]) -> None:
    if entries:
        head = "setting" if title == BY_SET else "option"
        if title:
            cog.outl(f"\n**{title}**")
        cog.outl(f"\n| {head} | meaning | default; limits |\n|---|---|---|")
    for name, meaning, default in entries:
        cog.outl(f"| `{_cell(name)}` | {_markdown(meaning)} | {_markdown(default)} |")


def _summary(command: Any) -> str:
    """The first paragraph of a command's help."""
    return _markdown(" ".join(str(command.help or "").partition("\n\n")[0].split()))


def _options(command: Any, context: Any) -> Mapping[str, dict[str, tuple[str, str]]]:
    """Meaning and default of every option and argument, by purpose."""
    return _described(command.get_params(context), context)


def _described(parameters: Any, context: Any) -> Mapping[str, dict[str, tuple[str, str]]]:
    found: dict[str, dict[str, tuple[str, str]]] = {}
    for parameter in parameters:
        record = parameter.get_help_record(context)
        if record is None or "--help" in parameter.opts:
            continue
        meaning, _, extra = record[1].partition("  [")
        purpose = getattr(parameter, "rich_help_panel", None) or (
            "Arguments" if parameter.param_type_name == "argument" else "Options"
        )
        found.setdefault(purpose, {})[re.sub(r" <list.*>$", "", record[0])] = (
            meaning,
            _default(extra.removesuffix("]")),
        )
    return found


def _default(extra: str) -> str:
    """'default: (0.95); 0.01<=x<=0.999' as a cell."""
    parts = [part for part in extra.split("; ") if part]
    return "; ".join(re.sub(r"^default: \(?(.*?)\)?$", r"\1", part) for part in parts)


def _cell(text: str) -> str:
    return text.replace("|", r"\|")


def _markdown(text: str) -> str:
    """Plain text as Markdown: options in backticks, signs that would be read as markup escaped."""
    parts = re.split(r"(`[^`]*`)", _cell(text))
    return "".join(one if one.startswith("`") else _escaped(one) for one in parts)


def _escaped(text: str) -> str:
    text = re.sub(r"\*|<(?=[a-zA-Z/])", r"\\\g<0>", text)
    return re.sub(r"(?<![\w-])--[a-z][\w-]*", r"`\g<0>`", text)
