"""A Python function for every command, made from its declaration: `curate_group`, `build_pairs`, `probe_pairs`.

What editors see of them is in `functions.pyi`, which `write_stub` writes (`make docs`).
"""

from __future__ import annotations

import textwrap
import types
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin

from endoxa.api.runs import command, probe
from endoxa.commands.plugins import every_verb
from endoxa.commands.verbs import VERBS
from endoxa.runs.instrument import INSTRUMENTS
from endoxa.runs.options import keyword_of, keywords
from endoxa.schema.options import OptionField, options_of

PROBES = {
    "pairs": "probe_pairs",
    "embeddings": "probe_embeddings",
    "qa": "probe_questions",
    "stories": "probe_stories",
    "extract": "extract",
    "harm": "rate_harm",
}
"""Instruments whose function has a name of its own; that of another one is called after it (`probe_letters`)."""

OWN = ("author", "compare", "demo", "gate", "report")
"""Commands that are called otherwise, by a package or a function of the name."""

_FILLED = {"data", "models", "columns", "notice", "out", "restart", "progress"}


@cache
def functions() -> Mapping[str, Callable[..., Any]]:
    """Every function by its name."""
    made = {PROBES.get(name, f"probe_{name}"): _probe(name) for name in INSTRUMENTS.entry_names()}
    for words in every_verb():
        if words not in OWN:
            made[words.replace(" ", "_").replace("-", "_")] = _command(words)
    return made


def __getattr__(name: str) -> Callable[..., Any]:
    """A function, made now."""
    if name.startswith("_") or name not in functions():
        raise AttributeError(f"module 'endoxa.api.functions' has no attribute '{name}'")
    return functions()[name]


def _by_word(settings: type[Any]) -> dict[str, OptionField]:
    by_word = keywords(settings)
    return {keyword_of(entry, by_word): entry for entry in options_of(settings)}


def _probe(name: str) -> Callable[..., Any]:
    options = _by_word(INSTRUMENTS.get(name).settings)
    options = {word: entry for word, entry in options.items() if entry.path[-1] not in _FILLED}
    _, *heads, _ = signature(probe).parameters.values()
    text = f"{INSTRUMENTS.get(name).help.partition(chr(10))[0]} `endoxa probe {name}`; see `probe`."
    return _described(partial(probe, name), PROBES.get(name, f"probe_{name}"), text, heads, options, "Result")


def _command(words: str) -> Callable[..., Any]:
    verb = VERBS[words]
    options = _by_word(verb.settings)
    heads = [
        _parameter(word, options.pop(word), Parameter.POSITIONAL_OR_KEYWORD)
        for word, entry in list(options.items())
        if entry.option.positional
    ]
    heads.append(signature(command).parameters["progress"])
    text = f"{verb.help.partition(chr(10) * 2)[0]} `endoxa {words}`; see `command`."
    name = words.replace(" ", "_").replace("-", "_")
    return _described(partial(command, words), name, text, heads, options, "Outcome")


def _described(  # noqa: PLR0917
    function: Callable[..., Any],
    name: str,
    text: str,
    heads: list[Parameter],
    options: Mapping[str, OptionField],
    returns: str,
) -> Callable[..., Any]:
    """The function with the signature and the help of all its options, as `help()` and notebooks show them."""
    added = (_parameter(word, entry, Parameter.KEYWORD_ONLY) for word, entry in options.items())

    def call(*inputs: Any, **keywords: Any) -> Any:
        return function(*inputs, **keywords)

    call.__name__ = call.__qualname__ = name
    call.__signature__ = Signature([*heads, *added], return_annotation=returns)  # type: ignore[attr-defined]
    lines = "\n".join(f"    {word}: {entry.option.help}" for word, entry in options.items())
    call.__doc__ = f"{text}\n\nOptions:\n{lines}\n" if lines else text
    return call


def _parameter(word: str, entry: OptionField, kind: Any) -> Parameter:
    default = entry.default if isinstance(entry.default, str | int | float | tuple | None) else ...
    if entry.default is ...:
        default = Parameter.empty
    return Parameter(word, kind, default=default, annotation=_written_type(entry))


def _written_type(entry: OptionField) -> str:
    """The type as a program may give it: a name for a path, one value for several."""
    several = get_origin(entry.type) in (Union, types.UnionType)
    parts = get_args(entry.type) if several else (entry.type,)
    plain = [part for part in parts if part is not type(None)]
    words = " | ".join(
        dict.fromkeys(word for part in plain for word in _words(part, positional=entry.option.positional))
    )
    return f"{words} | None" if len(plain) < len(parts) and words != "Any" else words


def _words(kind: Any, *, positional: bool) -> list[str]:
    if get_origin(kind) is tuple:
        inner = " | ".join(_words(get_args(kind)[0], positional=positional))
        return ["Source", "Sequence[Source]"] if inner == "Source" else [f"Sequence[{inner}]", "str"]
    if get_origin(kind) is Literal:
        return [f"Literal[{', '.join(map(repr, get_args(kind)))}]"]
    if kind is Path:
        return ["Source"] if positional else ["str", "Path"]
    return [kind.__name__] if kind in (str, int, float, bool) else ["Any"]


def stub() -> Iterator[str]:
    """The text of `functions.pyi`."""
    yield '"""Written by `make docs`; see functions.py."""\n\n'
    yield "from collections.abc import Callable, Iterator, Mapping, Sequence\nfrom pathlib import Path\n"
    yield "from typing import Any, Literal\n\n"
    yield "from endoxa.api.inputs import Columns, Models, Source\nfrom endoxa.api.result import Result\n"
    yield "from endoxa.commands.verbs import Outcome\n\n"
    yield f"__all__ = {sorted(functions())!r}\n"
    yield "\ndef functions() -> Mapping[str, Callable[..., Any]]: ...\n"
    yield "def stub() -> Iterator[str]: ...\ndef write_stub() -> None: ...\n"
    for name, function in functions().items():
        yield f"\ndef {name}{signature(function)}:\n"
        yield textwrap.indent(f'"""{function.__doc__}"""\n', "    ").replace("\\", "\\\\")


def write_stub() -> None:
    """Write `functions.pyi` beside this module."""
    Path(__file__).with_suffix(".pyi").write_text("".join(stub()), encoding="utf-8")
