"""What comes from a card: a tapped answer, a reason to skip, words about a country, other countries."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.http import QueryDict
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from endoxa.collect import geography
from endoxa.collect.contributor.cards.wording import RATINGS
from endoxa.collect.entry import cleaning
from endoxa.collect.entry.errors import EntryError
from endoxa.collect.models import SkipReason
from endoxa.collect.naming import countries

Named = tuple[str, str]
"""Code and name of a country."""

_UNKNOWN = _("We do not know this country. Please check how it is written.")


def _typed(**attributes: Any) -> forms.TextInput:
    """A line to type in; phones shall not complete what people say."""
    return forms.TextInput(attrs={"dir": "auto", "autocomplete": "off", **attributes})


class RatingForm(forms.Form):
    """One of five answers."""

    value = forms.TypedChoiceField(choices=RATINGS, coerce=int)


class SkipForm(forms.Form):
    """One of the reasons not to answer."""

    reason = forms.ChoiceField(choices=SkipReason.choices)


class WordsForm(forms.Form):
    """What people say about a country, and in which language; both fields of all cards that ask for words.

    The language is not asked for where there is one only and `initial` has it.
    """

    text = forms.CharField(
        label=_("What people say"),
        required=False,
        widget=_typed(autocapitalize="none", maxlength=cleaning.MAX_LENGTH),
    )
    language = forms.ChoiceField(label=_("Language you write in"), required=False)

    def __init__(
        self, data: QueryDict | None = None, *, languages: Sequence[tuple[str, str]], **options: Any
    ) -> None:
        super().__init__(data, **options)
        field = self.fields["language"]
        field.choices = [("", _("Please choose")), *languages]  # type: ignore[attr-defined]
        if len(languages) == 1 and self.initial.get("language"):
            field.widget = forms.HiddenInput()

    def clean_text(self) -> str:
        """The words as they will be stored; "" where none were written."""
        typed: str = self.cleaned_data["text"]
        try:
            return cleaning.clean(typed) if typed else ""
        except EntryError as error:
            raise ValidationError(str(error)) from error

    def clean_language(self) -> str:
        """The language; "" without words."""
        chosen: str = self.cleaned_data["language"]
        if self.cleaned_data.get("text") and not chosen:
            raise ValidationError(_("Please choose the language you wrote in."))
        return chosen


class MoreForm(WordsForm):
    """After a rating: other countries that the same is said of, and what else people say; all of it optional.

    `perhaps` holds the countries, as (code, name), that may have been meant where a typed one is not known.
    """

    countries = forms.MultipleChoiceField(
        label=_("Said of other countries too?"), required=False, widget=forms.CheckboxSelectMultiple
    )
    another = forms.CharField(label=_("Another country"), required=False, max_length=80, widget=_typed())
    field_order = ("countries", "another", "text", "language")

    def __init__(self, data: QueryDict | None = None, *, offered: Iterable[str] = (), **options: Any) -> None:
        super().__init__(data, **options)
        self.perhaps: list[Named] = []
        field = self.fields["countries"]
        field.choices = _named(geography.codes())  # type: ignore[attr-defined]
        ticked = data.getlist("countries") if data else []
        # Only a few are shown; all others stay valid, as those that are suggested change from page to page.
        field.widget.choices = _named(dict.fromkeys((*offered, *ticked)))

    def clean_another(self) -> str:
        """The code of the country that was typed; "" where none was, or where one was tapped instead."""
        typed = self.cleaned_data["another"]
        found = countries.match(typed, get_language() or "en")
        if typed and not found.code and not set(found.perhaps) & set(self.cleaned_data.get("countries", ())):
            self.perhaps = _named(found.perhaps)
            raise ValidationError(_UNKNOWN)
        return found.code

    @property
    def chosen(self) -> tuple[str, ...]:
        """All countries that were ticked or typed, each once."""
        named = (*self.cleaned_data["countries"], self.cleaned_data["another"])
        return tuple(dict.fromkeys(code for code in named if code))


class PromptForm(WordsForm):
    """An open question about a country. `country` is asked for where the card is about none.

    `perhaps` as in `MoreForm`; the one that is tapped comes back as the field `meant`.
    """

    country = forms.CharField(
        label=_("Which country do you want to tell us about?"),
        required=False,
        max_length=80,
        widget=_typed(),
    )
    meant = forms.CharField(required=False, max_length=2, widget=forms.HiddenInput)
    field_order = ("meant", "country", "text", "language")

    def __init__(self, data: QueryDict | None = None, *, about: str = "", **options: Any) -> None:
        super().__init__(data, **options)
        self.perhaps: list[Named] = []
        self._about = about
        if about:
            del self.fields["meant"], self.fields["country"]

    def clean_country(self) -> str:
        """The code of the country that was tapped or typed."""
        typed, meant = self.cleaned_data["country"], self.cleaned_data["meant"]
        found = countries.match(typed, get_language() or "en")
        if typed and not found.code and meant not in found.perhaps:
            self.perhaps = _named(found.perhaps)
            raise ValidationError(_UNKNOWN)
        return found.code or meant

    def clean(self) -> dict[str, Any]:
        """Words need a country."""
        cleaned = self.cleaned_data
        if cleaned.get("text") and not self.about and "country" not in self.errors:
            self.add_error("country", _("Please name the country that this is about."))
        return cleaned

    @property
    def about(self) -> str:
        """The country that the words are about; "" while it is not known."""
        known = self.cleaned_data if self.is_bound and hasattr(self, "cleaned_data") else {}
        return self._about or str(known.get("country", ""))


def _named(codes: Iterable[str]) -> list[Named]:
    """Countries with their names, those that exist only."""
    names = geography.names(get_language() or "en")
    return [(code, names[code]) for code in codes if code in names]
