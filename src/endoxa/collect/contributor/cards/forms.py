"""What comes from a card: a tapped answer, a reason to skip, words about a country, other countries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from endoxa.collect import geography
from endoxa.collect.contributor.cards import countries
from endoxa.collect.contributor.cards.wording import RATINGS
from endoxa.collect.entry import cleaning
from endoxa.collect.entry.errors import EntryError
from endoxa.collect.models import SkipReason

_UNKNOWN = _(
    "We do not know this country. Please check how it is written, or tap one of these if it is there."
)


class RatingForm(forms.Form):
    """One of five answers."""

    value = forms.TypedChoiceField(choices=RATINGS, coerce=int)


class SkipForm(forms.Form):
    """One of the reasons not to answer."""

    reason = forms.ChoiceField(choices=SkipReason.choices)


class WordsForm(forms.Form):
    """What people say about a country, and in which language; both fields of all cards that ask for words."""

    text = forms.CharField(
        label=_("What people say"),
        required=False,
        widget=forms.TextInput(
            attrs={
                "dir": "auto",
                "autocomplete": "off",
                "autocapitalize": "none",
                "maxlength": cleaning.MAX_LENGTH,
            }
        ),
    )
    language = forms.ChoiceField(label=_("Language you write in"))

    def __init__(
        self, data: Mapping[str, Any] | None = None, *, languages: Sequence[tuple[str, str]], **options: Any
    ) -> None:
        super().__init__(data, **options)
        field = self.fields["language"]
        field.choices = languages  # type: ignore[attr-defined]
        if len(languages) == 1:
            field.widget = forms.HiddenInput()
            field.initial = languages[0][0]

    def clean_text(self) -> str:
        """The words as they will be stored; "" where none were written."""
        typed: str = self.cleaned_data["text"]
        try:
            return cleaning.clean(typed) if typed else ""
        except EntryError as error:
            raise ValidationError(str(error)) from error


class MoreForm(WordsForm):
    """After a rating: other countries that the same is said of, and what else people say; all of it optional."""

    countries = forms.MultipleChoiceField(
        label=_("Said of other countries too?"), required=False, widget=forms.CheckboxSelectMultiple
    )
    another = forms.CharField(
        label=_("Another country"),
        required=False,
        max_length=80,
        widget=forms.TextInput(attrs={"dir": "auto", "autocomplete": "off"}),
    )
    field_order = ("countries", "another", "text", "language")

    def __init__(
        self, data: Mapping[str, Any] | None = None, *, offered: Iterable[str] = (), **options: Any
    ) -> None:
        super().__init__(data, **options)
        self._offered = tuple(offered)
        self.fields["countries"].choices = [(code, code) for code in geography.codes()]  # type: ignore[attr-defined]
        _show(self.fields["countries"], self._offered)

    def clean_another(self) -> str:
        """The code of the country that was typed; "" where none was, or where one was tapped instead."""
        typed = self.cleaned_data["another"]
        found = countries.match(typed, get_language() or "en")
        if typed and not found.code and not set(found.perhaps) & set(self.cleaned_data["countries"]):
            _show(self.fields["countries"], dict.fromkeys((*self._offered, *found.perhaps)))
            raise ValidationError(_UNKNOWN)
        return found.code

    @property
    def chosen(self) -> tuple[str, ...]:
        """All countries that were ticked or typed, each once."""
        named = (*self.cleaned_data["countries"], self.cleaned_data["another"])
        return tuple(dict.fromkeys(code for code in named if code))


class PromptForm(WordsForm):
    """An open question about a country. `about` is the country of the card; without one it is asked for."""

    perhaps = forms.ChoiceField(label=_("Did you mean ...?"), required=False, widget=forms.RadioSelect)
    country = forms.CharField(
        label=_("Which country do you want to tell us about?"),
        required=False,
        max_length=80,
        widget=forms.TextInput(attrs={"dir": "auto", "autocomplete": "off"}),
    )
    field_order = ("perhaps", "country", "text", "language")

    def __init__(self, data: Mapping[str, Any] | None = None, *, about: str = "", **options: Any) -> None:
        super().__init__(data, **options)
        self._about = about
        if about:
            del self.fields["perhaps"], self.fields["country"]
        else:
            self.fields["perhaps"].choices = [(code, code) for code in geography.codes()]  # type: ignore[attr-defined]
            _show(self.fields["perhaps"], ())

    def clean_country(self) -> str:
        """The code of the country that was tapped or typed."""
        typed = self.cleaned_data["country"]
        found = countries.match(typed, get_language() or "en")
        tapped: str = self.cleaned_data.get("perhaps", "")
        if tapped in found.perhaps:
            return tapped
        if typed and not found.code:
            _show(self.fields["perhaps"], found.perhaps)
            raise ValidationError(_UNKNOWN)
        return found.code

    def clean(self) -> dict[str, Any]:
        """Words need a country."""
        cleaned = self.cleaned_data
        if not self._about and cleaned.get("text") and not cleaned.get("country", "?"):
            self.add_error("country", _("Please name the country that this is about."))
        return cleaned

    @property
    def about(self) -> str:
        """The country that the words are about."""
        return self._about or str(self.cleaned_data.get("country", ""))


def _show(field: forms.Field, codes: Iterable[str]) -> None:
    """Show these countries only, by name; all others stay valid, as suggestions change from page to page."""
    names = geography.names(get_language() or "en")
    field.widget.choices = [(code, names.get(code, code)) for code in codes]
