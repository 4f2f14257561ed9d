"""Numbers and names as readers see them: percentages, p-values, languages, short model labels."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from functools import cache

from endoxa.models.spec import PACKAGED
from endoxa.sources.served import version_of
from endoxa.words import packs

LABEL_LIMIT = 28
"""Longest model label in a figure, in characters; the tables hold the full name."""

NOT_DEFINED = "n/a"

NOT_RECORDED = "not recorded"

NO_VALUE = "–"
"""In tables that say below them why a value is undefined."""


def percent(share: float | None, digits: int = 1) -> str:
    """A share between 0 and 1 as '61.2 %'; 'n/a' where it is not defined."""
    return NOT_DEFINED if _undefined(share) else f"{100 * float(share or 0):.{digits}f}\u00a0%"


def signed(value: float | None, digits: int = 3) -> str:
    """A difference with its sign, '+0.412' or '−0.031'; zero has none."""
    if _undefined(value):
        return NOT_DEFINED
    text = f"{float(value or 0):+.{digits}f}"
    return text[1:] if float(text) == 0 else text.replace("-", "−")


def decimal(value: float | None, digits: int = 3) -> str:
    """A number as papers print it, '0.035' or '−0.002'; '–' where it is not defined."""
    return NO_VALUE if _undefined(value) else signed(value, digits).removeprefix("+")


def percent_interval(low: float | None, high: float | None, digits: int = 1) -> str:
    """An interval of shares as '58.7 to 63.6' (in percent)."""
    return _interval(low, high, lambda end: percent(end, digits).removesuffix("\u00a0%"), NOT_DEFINED)


def signed_interval(low: float | None, high: float | None, digits: int = 3) -> str:
    """An interval of differences as '−0.031 to +0.412'."""
    return _interval(low, high, lambda end: signed(end, digits), NOT_DEFINED)


def decimal_interval(low: float | None, high: float | None, digits: int = 3) -> str:
    """An interval as '−0.002 to 0.035'; '–' where it is not defined."""
    return _interval(low, high, lambda end: decimal(end, digits), NO_VALUE)


def _interval(
    low: float | None, high: float | None, write: Callable[[float | None], str], nothing: str
) -> str:
    return nothing if _undefined(low) or _undefined(high) else f"{write(low)} to {write(high)}"


def p_value(p: float | None) -> str:
    """A p-value as '0.034', or '< 0.001' below that."""
    if _undefined(p):
        return NOT_DEFINED
    return "<\u00a00.001" if float(p or 0) < 0.001 else f"{float(p or 0):.3f}"


def count(n: int | None) -> str:
    """A number of things as '1,508'."""
    return NOT_DEFINED if n is None else f"{int(n):,}"


def plural(n: int, singular: str, many: str | None = None) -> str:
    """'1 pair', '1,508 pairs'."""
    return f"{count(n)} {singular if n == 1 else many or singular + 's'}"


def listed(things: Sequence[str]) -> str:
    """'a', 'a and b', 'a, b and c'."""
    return " and ".join([", ".join(things[:-1]), things[-1]] if len(things) > 1 else things)


@cache
def language_name(code: str) -> str:
    """English name of an ISO 639 code, see `endoxa.words.packs.language_name`, or 'all languages'."""
    return "all languages" if code == "all" else packs.language_name(code)


def axis_name(axis: str) -> str:
    """The axis as published, without the hyphens and underscores of ids, or 'all axes'."""
    return "all axes" if axis == "all" else _AXES.get(axis, re.sub(r"(?<=\w)[-_](?=\w)", " ", axis))


_AXES = {"race-color": "race or colour"}
"""Axes whose hyphen stands for more than a space."""


def short_labels(models: Sequence[str]) -> dict[str, str]:
    """A short label for every model name, no two alike.

    The last part of the name, with as many parts before it as are needed to tell the models of the list
    apart; long ones lose their middle, and are numbered where that makes two alike.
    """
    parts = {model: _parts(model) for model in dict.fromkeys(models)}
    labels: dict[str, str] = {}
    for model, path in parts.items():
        others = [other for name, other in parts.items() if name != model]
        keep = next(
            (k for k in range(1, len(path) + 1) if all(other[-k:] != path[-k:] for other in others)),
            len(path),
        )
        label = _middle_cut("/".join(path[-keep:]))
        alike = sum(earlier.partition(" #")[0] == label for earlier in labels.values())
        labels[model] = f"{label} #{alike + 1}" if alike else label
    return labels


def model_name(model: str) -> str:
    """The name of a model alone, without where it is: 'gpt2' of 'hf/openai-community/gpt2'."""
    return _parts(model)[-1]


def _parts(model: str) -> list[str]:
    """Path-like parts of a model's name; a simulated one keeps its 'sim/' in the last part, as all do their version."""
    model, version = version_of(model)
    if version:
        *parts, last = _parts(model)
        return [*parts, f"{last} (served {version})"]
    if model.startswith("sim/"):
        return [model]
    if "#" in model and model.startswith(("http://", "https://")):
        host, _, name = model.partition("#")
        return [*host.split("/"), *name.split("/")]
    if model in PACKAGED:
        return ["hf", PACKAGED[model].name]
    *folders, name = [part for part in model.split("/") if part not in ("", ".", "..")] or [model]
    if file := _GGUF.fullmatch(name):  # the model goes before the number type of its weights
        return [*folders, *filter(None, (file["type"],)), file["name"]]
    return [*folders, name]


_GGUF = re.compile(r"(?P<name>.+?)(?:[.-](?P<type>I?Q\d\w*|B?F16|F32))?\.gguf", re.IGNORECASE)
"""A file of weights in llama.cpp's format: SmolLM2-135M-Instruct.Q4_1.gguf."""


def _middle_cut(text: str) -> str:
    if len(text) <= LABEL_LIMIT:
        return text
    head = (LABEL_LIMIT - 1) // 2
    return f"{text[:head]}…{text[-(LABEL_LIMIT - 1 - head) :]}"


def _undefined(value: float | None) -> bool:
    return value is None or math.isnan(value)


def leading_number(note: str) -> tuple[str, str]:
    """A note cut behind the number it begins with: '61.2 %' and 'of 300', '+5.0 points' and '(n 40)'."""
    value, rest = re.match(
        r"((?:× )?[+−-]?\d+(?:,\d{3})*(?:\.\d+)?(?:\u00a0%| %)?)?\s*(.*)", note, re.DOTALL
    ).groups()  # type: ignore[union-attr]
    return value or "", rest


def slug(text: str) -> str:
    """Lower-case letters, digits and hyphens only; 'x' where nothing is left."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-") or "x"
