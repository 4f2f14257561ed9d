"""Fields of forms without templates: the same elements as Django's own."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest
from django import forms
from django.forms.renderers import DjangoTemplates

from endoxa_collect.inputs import Renderer

pytestmark = pytest.mark.slow

WORDS = ["", "mate", '"><script>alert(1)</script>', "شاي & café", "0", "1"]


class _Elements(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def elements(html: str) -> list[tuple[str, dict[str, str | None]]]:
    parser = _Elements()
    parser.feed(html)
    return parser.found


class Everything(forms.Form):
    """A field of each kind."""

    text = forms.CharField(
        max_length=30, widget=forms.TextInput(attrs={"autofocus": True, "spellcheck": False, "data-x": '<"'})
    )
    number = forms.IntegerField(required=False, min_value=1)
    email = forms.EmailField(help_text="for help")
    password = forms.CharField(widget=forms.PasswordInput)
    hidden = forms.CharField(widget=forms.HiddenInput)
    tick = forms.BooleanField()
    ticks = forms.MultipleChoiceField(
        choices=[(one, one) for one in WORDS], widget=forms.CheckboxSelectMultiple
    )
    choice = forms.ChoiceField(choices=[(one, one) for one in WORDS], widget=forms.RadioSelect)
    area = forms.CharField(widget=forms.Textarea)
    select = forms.ChoiceField(choices=[(one, one) for one in WORDS])


@pytest.mark.parametrize("word", WORDS)
def test_a_field_is_the_element_that_django_would_make(word):
    data = dict.fromkeys(Everything.base_fields, word) | {"ticks": [word], "number": "7"}
    for values in (None, data):
        ours, theirs = (Everything(values, renderer=make()) for make in (Renderer, DjangoTemplates))
        for name in Everything.base_fields:
            assert elements(str(ours[name])) == elements(str(theirs[name])), name
        for name in ("ticks", "choice"):
            single = [[elements(box.tag()) for box in form[name]] for form in (ours, theirs)]
            assert single[0] == single[1]
            assert len(single[0]) == len(WORDS)
