"""Words of the settings: labels and hints of form fields, and the sentences of rules that are broken."""

from __future__ import annotations

from typing import Any, NoReturn

from pydantic import Field
from pydantic_core import ErrorDetails


def _(text: str) -> str:
    """Mark a text for the catalogues; pages translate it. Django's own mark needs the settings of Django."""
    return text


def labelled(default: Any, label: str, help_text: str = "", **marks: Any) -> Any:
    """A field with its label and hint; `marks` are further keys of its JSON schema: `percent`, `format`, `words`."""
    return Field(default, title=label, description=help_text or None, json_schema_extra=marks or None)


class RefusedError(ValueError):
    """A broken rule of the settings: its sentence, which pages translate, and the field that it is about."""

    def __init__(self, sentence: str, field: tuple[str | int, ...], values: dict[str, object]) -> None:
        super().__init__(sentence % values if values else sentence)
        self.sentence, self.field, self.values = sentence, field, values


def refuse(sentence: str, *field: str | int, **values: object) -> NoReturn:
    """Say in a validator that a rule is broken, and at which field of the model that it validates.

    Raises:
        RefusedError: always.
    """
    raise RefusedError(sentence, field, values)


def fault_of(error: ErrorDetails) -> tuple[tuple[str | int, ...], str]:
    """The field that an error of a model is about, and its sentence in English."""
    refusal = error.get("ctx", {}).get("error")
    if isinstance(refusal, RefusedError):
        return (*error["loc"], *refusal.field), str(refusal)
    return error["loc"], error["msg"].removeprefix("Value error, ")
