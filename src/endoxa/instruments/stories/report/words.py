"""Attributes, values and associations as readers see them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

EXAMPLES = re.compile(r"\s*\(e\.g\.[^)]*\)\s*$")
ARROW = "→"


def attribute_name(attribute: str) -> str:
    """'income_level' as 'income level'."""
    return attribute.replace("_", " ")


def value_name(value: str) -> str:
    """A value without the examples behind it: 'europe' for 'europe (e.g. United Kingdom, ...)'."""
    return EXAMPLES.sub("", value) or value


def side(attribute: str, value: str) -> str:
    """'income level: low income'."""
    return f"{attribute_name(attribute)}: {value_name(value)}"


def phrase(row: Mapping[str, str]) -> str:
    """'professional field: agriculture → urbanicity: rural', from the four parts."""
    base = side(row["base_attribute"], row["base_value"])
    return f"{base} {ARROW} {side(row['compared_attribute'], row['compared_value'])}"


def claim(row: Mapping[str, Any]) -> str:
    """What the test of a difference allows to say, for the end of a sentence; nothing where nothing was tested."""
    match row.get("verdict"):
        case "above":
            return "; that is higher than chance explains"
        case "below":
            return "; that is lower than chance explains"
        case "unclear":
            return "; that is not distinguishable from chance"
        case "cannot-be-tested":
            return f"; that cannot be tested ({row['reason']})"
    return ""
