"""Texts of exported folders from the templates beside this module."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

_NO_YAML = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
"""Characters that JSON takes as they are and YAML does not, or takes as the end of a line."""


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("endoxa.export"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701  (Markdown, YAML and plain text)
    )
    environment.filters["cell"] = _cell
    environment.filters["yaml"] = _yaml
    return environment


def render(template: str, **values: Any) -> str:
    """The text of `templates/TEMPLATE.j2` with its values put in; a value that is missing is an error."""
    return _environment().get_template(f"{template}.j2").render(**values)


def _cell(text: object) -> str:
    """Text for a cell of a Markdown table: on one line, its bars escaped."""
    return " ".join(str(text).split()).replace("|", r"\|")


def _yaml(value: object) -> str:
    """A value in YAML, on one line (JSON is YAML; quoted, so that the language "no" stays a word)."""
    return _NO_YAML.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(value, ensure_ascii=False))
