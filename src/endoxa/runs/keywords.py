"""Options of runs by keyword, for Python and for study files: the spellings of the command line and of the settings."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from endoxa.schema.options import OptionField, options_of


def keywords(owner: Any) -> dict[str, OptionField]:
    """Options by keyword: as the command spells them, and by the names of their fields ("rule", "rules")."""
    options = options_of(owner)
    words = {option.name.strip("-").partition("/")[0].replace("-", "_"): option for option in options}
    return {option.path[-1]: option for option in options} | words


def keyword_of(option: OptionField, options: Mapping[str, OptionField]) -> str:
    """The name of an option's field; the word of the command where another option has that name."""
    field = option.path[-1]
    if options[field].path == option.path:
        return field
    return next(word for word, other in options.items() if other.path == option.path)


def nearest(word: str, choices: Mapping[str, Any]) -> str:
    """A question to put behind "There is no option ...": did you mean the nearest one? Empty where none is near."""
    near = get_close_matches(word, choices, n=1)
    return f" Did you mean '{near[0]}'?" if near else ""


def values_by_path(owner: Any, arguments: Mapping[str, Any]) -> dict[tuple[str, ...], Any]:
    """Values by the path of their setting, as `endoxa.schema.options.settings_from` takes them.

    Raises:
        TypeError: an option is not known.
    """
    options = keywords(owner)
    values: dict[tuple[str, ...], Any] = {}
    for word, value in arguments.items():
        if word not in options:
            raise TypeError(f"There is no option '{word}'.{nearest(word, options)}")
        values[options[word].path] = _read(options[word], value)
    return values


def _read(option: OptionField, value: Any) -> Any:
    """A value as the setting takes it: one word for several, a path for a text."""
    if getattr(option.type, "__origin__", None) is tuple:
        return (value,) if isinstance(value, str | Path) else tuple(value)
    return str(value) if isinstance(value, Path) and option.type is not Path else value
