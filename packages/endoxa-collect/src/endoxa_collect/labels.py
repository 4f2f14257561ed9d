"""Words of form fields that stand beside the limits of the settings."""

from __future__ import annotations

from typing import Any

from pydantic import Field


def _(text: str) -> str:
    """Mark a text for the catalogues; pages translate it. Django's own mark needs the settings of Django."""
    return text


def labelled(default: Any, label: str, help_text: str = "", **marks: Any) -> Any:
    """A field with its label and hint; `marks` are further keys of its JSON schema: `percent`, `format`, `words`."""
    return Field(default, title=label, description=help_text or None, json_schema_extra=marks or None)
