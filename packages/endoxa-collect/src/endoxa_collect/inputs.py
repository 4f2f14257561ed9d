"""Form fields: choices, and HTML written without a template: pages have up to twenty, and each took two templates."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django import forms
from django.forms.renderers import DjangoTemplates
from django.forms.utils import flatatt
from django.utils.html import format_html

_PLAIN = frozenset(
    f"django/forms/widgets/{name}.html"
    for name in (
        "text",
        "number",
        "email",
        "password",
        "hidden",
        "checkbox",
        "checkbox_option",
        "radio_option",
    )
)
"""Django's templates of a single `<input>`."""


def set_choices(form: forms.Form, **choices: Iterable[tuple[str, Any]]) -> None:
    """Give fields of a form what can be chosen, where that depends on the campaign."""
    for name, options in choices.items():
        field = form.fields[name]
        assert isinstance(field, forms.ChoiceField)
        field.choices = list(options)


class Renderer(DjangoTemplates):
    """Django's renderer, with the same HTML for an `<input>`."""

    def render(self, template_name: str, context: dict[str, Any], request: Any = None) -> str:
        """The HTML of a field or form."""
        widget = context.get("widget", {})
        if template_name not in _PLAIN or widget.get("wrap_label"):
            return super().render(template_name, context, request)
        value = widget["value"]
        attributes = {} if value is None else {"value": str(value)}
        return format_html(
            '<input type="{}" name="{}"{}{}>',
            widget["type"],
            widget["name"],
            flatatt(attributes),
            flatatt(widget["attrs"]),
        )
