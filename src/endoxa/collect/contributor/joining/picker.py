"""A field to choose several countries or languages: the likely ones to tick, all others by typing their names.

It works without a script: what was typed and sent with "Add" comes back as one more box, ticked.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django import forms
from django.utils.datastructures import MultiValueDict
from django.utils.translation import gettext as _

from endoxa.collect.naming.names import Names
from endoxa.collect.visible import READ, visible

_MOST_TYPED = 10
_SEPARATORS = str.maketrans("،、;؛\n", ",,,,,")
"""Commas of several scripts."""


@dataclass(frozen=True)
class Picked:
    """What was chosen: codes, and names that no code was found for."""

    codes: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    withheld: bool = False


class Picker(forms.Widget):
    """A text field for names, boxes for all that were chosen and for `likely` codes, and "I prefer not to say"."""

    template_name = "parts/picker.html"
    use_fieldset = True

    def __init__(self, names: Names, likely: Iterable[str], suggestions: str, more: str) -> None:
        super().__init__()
        self._names = names
        self._likely = tuple(likely)
        self._suggestions = suggestions
        self._more = more

    def value_from_datadict(self, data: Mapping[str, Any], _files: Any, name: str) -> Picked:
        """What was ticked and what was typed."""
        sent = (
            data if isinstance(data, MultiValueDict) else MultiValueDict({key: [data[key]] for key in data})
        )
        line = ",".join(sent.getlist(f"{name}_typed"))[: _MOST_TYPED * READ]
        typed = line.translate(_SEPARATORS).split(",")
        wanted = [text for text in map(visible, typed) if text][:_MOST_TYPED]
        matches = {text: self._names.match(text).code for text in wanted}
        codes = dict.fromkeys([*sent.getlist(name), *(code for code in matches.values() if code)])
        unknown = tuple(text for text, code in matches.items() if not code)
        return Picked(tuple(codes), unknown, withheld=f"{name}_withheld" in sent)

    def get_context(self, name: str, value: Any, attrs: dict[str, Any] | None) -> dict[str, Any]:
        """The boxes and what stays in the text field."""
        context = super().get_context(name, None, attrs)
        picked = value if isinstance(value, Picked) else Picked(tuple(value or ()))
        boxes = [
            {"code": code, "name": self._names.of(code), "checked": code in picked.codes}
            for code in [*(code for code in picked.codes if code not in self._likely), *self._likely]
        ]
        context["widget"] |= {
            "boxes": boxes,
            "typed": ", ".join(picked.unknown),
            "withheld": picked.withheld,
            "suggestions": self._suggestions,
            "more": self._more,
        }
        return context


class NamesField(forms.Field):
    """Several codes, `most` at most; names that are none are told beside the field, with the nearest ones."""

    widget: Picker

    def __init__(self, names: Names, widget: Picker, *, most: int, label: str, help_text: str) -> None:
        super().__init__(widget=widget, label=label, help_text=help_text, required=False, label_suffix="")
        self._names = names
        self._most = most

    def clean(self, value: Picked) -> list[str]:
        """The codes; none where the person prefers not to say."""
        if value.withheld:
            return []
        if value.unknown:
            raise forms.ValidationError([self._unknown(text) for text in value.unknown])
        codes = [code for code in value.codes if code in self._names.codes]
        if len(codes) > self._most:
            raise forms.ValidationError(_("Please choose at most %(most)d.") % {"most": self._most})
        return codes

    def _unknown(self, text: str) -> str:
        perhaps = [self._names.of(code) for code in self._names.match(text).perhaps]
        if perhaps:
            return _("We do not know “%(text)s”. Did you mean: %(names)s?") % {
                "text": text,
                "names": ", ".join(perhaps),
            }
        return _("We do not know “%(text)s”. Please write it in another way.") % {"text": text}
