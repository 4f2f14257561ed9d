"""Form fields with the type and the limits that the models of the settings declare."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from django import forms
from django.core.validators import BaseValidator
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy
from pydantic import BaseModel

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise


class AboveValidator(BaseValidator):
    """Refuse values at or below an exclusive minimum."""

    message = gettext_lazy("Ensure this value is greater than %(limit_value)s.")
    code = "above"

    def compare(self, a: float, b: float) -> bool:
        """Whether the value `a` is refused with the limit `b`."""
        return a <= b


def declared(model: type[BaseModel], name: str) -> Mapping[str, Any]:
    """JSON Schema of one field of a model: `type`, `minimum`, `maxLength`, `enum` and the like."""
    schema: Mapping[str, Any] = _properties(model)[name]
    return schema


def field_of(
    model: type[BaseModel],
    name: str,
    *,
    label: StrOrPromise,
    help_text: StrOrPromise = "",
    words: Mapping[str, Promise] | None = None,
    scale: int = 1,
    required: bool = True,
) -> forms.Field:
    """A form field that accepts what the model accepts in its field `name`.

    Args:
        model: model of the settings.
        name: field of the model: a number, a yes or no, a choice or a line of text.
        label: label of the form field.
        help_text: hint below it.
        words: labels of a choice, by value.
        scale: factor between the model and the form, such as 100 for a share that is typed in per cent.
        required: whether a text must not be empty.
    """
    schema = declared(model, name)
    common: dict[str, Any] = {"label": label, "help_text": help_text}
    if "enum" in schema:
        named = words or {}
        choices = [(value, named[value]) for value in schema["enum"]]
        return forms.ChoiceField(choices=choices, widget=forms.RadioSelect, **common)
    if schema["type"] == "boolean":
        return forms.BooleanField(required=False, **common)
    if schema["type"] == "string":
        return forms.CharField(max_length=schema["maxLength"], required=required, **common)
    return _number(schema, scale, common)


def name_field(model: type[BaseModel]) -> forms.RegexField:
    """The short name under which the answers to a question are stored and exported."""
    return forms.RegexField(
        declared(model, "name")["pattern"],
        label=gettext_lazy("Short name"),
        help_text=gettext_lazy(
            "It names the column of the export. Leave it as it is once people have answered."
        ),
        error_messages={"invalid": gettext_lazy("Use small letters a to z, digits and _, at most 31.")},
    )


def text_length(model: type[BaseModel], name: str) -> int:
    """Maximum number of characters of a text in one language."""
    texts = declared(model, name)["additionalProperties"]
    return int(texts.get("additionalProperties", texts)["maxLength"])


def _number(schema: Mapping[str, Any], scale: int, common: dict[str, Any]) -> forms.Field:
    limits = {
        argument: scale * schema[limit]
        for argument, limit in (("min_value", "minimum"), ("max_value", "maximum"))
        if limit in schema
    }
    above = [AboveValidator(scale * schema["exclusiveMinimum"])] if "exclusiveMinimum" in schema else []
    if schema["type"] == "integer":
        return forms.IntegerField(validators=above, **limits, **common)
    decimals = forms.NumberInput(attrs={"step": "any"})
    return forms.FloatField(validators=above, widget=decimals, **limits, **common)


@cache
def _properties(model: type[BaseModel]) -> Mapping[str, Any]:
    properties: Mapping[str, Any] = model.model_json_schema()["properties"]
    return properties
