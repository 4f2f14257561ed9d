"""The tag `csrf_token` of all templates: Django's token against forgery, and whom the page was made for."""

from __future__ import annotations

from django import template
from django.template import Context
from django.template.base import Parser, Token
from django.template.defaulttags import CsrfTokenNode
from django.utils.html import format_html

from endoxa_collect.anonymous import owner_field

register = template.Library()


class FormTokenNode(CsrfTokenNode):
    """The hidden fields that all forms of a page carry."""

    def render(self, context: Context) -> str:
        """Both fields; without a request, as in parts of a page, only Django's."""
        token = super().render(context)
        field = owner_field(context["request"]) if "request" in context else None
        return token + format_html('<input type="hidden" name="{}" value="{}">', *field) if field else token


@register.tag
def csrf_token(_parser: Parser, _token: Token) -> FormTokenNode:
    """See the module."""
    return FormTokenNode()
