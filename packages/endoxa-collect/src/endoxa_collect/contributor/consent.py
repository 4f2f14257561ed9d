"""The form of a consent: what people tick before they take part, alone, with an interviewer, or from a panel."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from endoxa_collect.anonymous import facts_of, new_ticket
from endoxa_collect.campaign import CampaignSettings, Texts, in_language

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise


def _box(label: str | _StrPromise, needed: str | _StrPromise = "") -> forms.BooleanField:
    return forms.BooleanField(
        label=label, required=bool(needed), error_messages={"required": needed}, label_suffix=""
    )


_BOXES = ("age", "guardian", "take_part", "publication", "keep_words", "read_aloud")


class ConsentForm(forms.Form):
    """The boxes that people tick, for one campaign and in one language.

    `ticket` makes sending twice harmless, `version` is of the text that was read. Where another text is in force by now
    (`outdated`), or the page was open for too long (`expired`), what was sent is asked for once more. `subject` is
    hidden from people and filled in by machines.

    Args:
        settings: of the campaign.
        language: of the page.
        data: what was sent, if anything was.
        ticked: boxes that are ticked from the beginning.
        facts: what the ticket brings back.
        interviewed: an interviewer reads the page aloud and ticks.
        panel: people of a panel, who are asked for less.
    """

    ticket = forms.CharField(max_length=400, widget=forms.HiddenInput)
    version = forms.IntegerField(widget=forms.HiddenInput)
    subject = forms.CharField(required=False, widget=forms.TextInput(attrs={"autocomplete": "off"}))
    age = _box("", gettext_lazy("Please tick this box if you are old enough. Only then can you take part."))
    guardian = _box(
        gettext_lazy("A parent or guardian has read the sheet for them and agreed."),
        gettext_lazy("Taking part needs this box: please show the sheet to a parent or guardian first."),
    )
    take_part = _box(
        gettext_lazy("I want to take part. I know that I can stop whenever I like."),
        gettext_lazy("Please tick this box if you want to take part. If not, choose “No, thanks”."),
    )
    publication = _box(
        "",
        gettext_lazy(
            "Taking part needs this box too, since answers are published. If not, choose “No, thanks”."
        ),
    )
    keep_words = _box("")
    read_aloud = _box(
        gettext_lazy("Interviewer: I read this aloud and the person agreed."),
        gettext_lazy(
            "An interview needs this box: please read the text aloud, and tick it if the person agreed."
        ),
    )

    def __init__(
        self,
        settings: CampaignSettings,
        language: str,
        data: Any = None,
        *,
        ticked: Collection[str] = (),
        facts: Collection[str] = (),
        interviewed: bool = False,
        panel: bool = False,
    ) -> None:
        self.outdated = data is not None and data.get("version") != str(settings.consent_version)
        in_force = data is None or facts_of(data.get("ticket", ""), in_force=True) is not None
        self.expired = not (in_force or self.outdated)
        if self.expired:
            ticked = [name for name in _BOXES if data.get(name)]
        initial = {"ticket": new_ticket(*facts), "version": settings.consent_version}
        # Other words need new ticks.
        asks_again = self.outdated or self.expired
        super().__init__(None if asks_again else data, initial={**dict.fromkeys(ticked, True), **initial})
        asked = {
            "subject": not panel,
            "age": settings.minimum_age or settings.maximum_age,
            "guardian": settings.guardian and not panel,
            "keep_words": not panel,
            "read_aloud": interviewed,
        }
        self.fields["publication"].label = in_language(settings.texts.publication, language)
        self.fields["keep_words"].label = in_language(settings.texts.keep_words, language)
        self.fields["keep_words"].help_text = _("You can take part without this one.")
        ages = {"age": settings.minimum_age, "most": settings.maximum_age}
        self.fields["age"].label = _("I am %(age)d years old or older.") % ages
        if settings.maximum_age:
            self.fields["age"].label = _("I am between %(age)d and %(most)d years old.") % ages
            self.fields["age"].error_messages["required"] = _(
                "Please tick this box if that is your age. Only then can you take part."
            )
        if asked["guardian"]:
            self.fields["take_part"].label = _(
                "I want to take part myself. Nobody makes me, and I can stop whenever I like."
            )
        for name in ("age", "take_part", "publication", "keep_words") if interviewed else ():
            box = self.fields[name]
            box.label = _("The person says: “%(text)s”") % {"text": box.label}
            box.error_messages["required"] = self.fields["read_aloud"].error_messages["required"]
        self.fields = {name: field for name, field in self.fields.items() if asked.get(name, True)}
        self.boxes = [self[name] for name in _BOXES if name in self.fields]

    def focus(self) -> None:
        """Let the browser go to the first box that is wrong, else to the first, where the page says what is amiss."""
        if self.errors or self.outdated or self.expired:
            first = next((box for box in self.boxes if box.errors), self.boxes[0])
            first.field.widget.attrs["autofocus"] = True

    def clean_subject(self) -> str:
        """Nothing: people do not see this field."""
        if self.cleaned_data["subject"]:
            raise forms.ValidationError(_("Please send the form again, with the hidden field left empty."))
        return ""


def language_of(texts: Texts, language: str) -> str:
    """The language in which `in_language` gives a text."""
    return next((code for code in (language, "en", *texts) if texts.get(code)), language)


def headed(about: str) -> list[tuple[str, str]]:
    """The lines of the short text with their headings: what, why, what is kept, what is published, how to leave.

    A text of more or fewer than five lines is the campaign's own way of telling it, and gets none.
    """
    lines = [line.strip() for line in about.splitlines() if line.strip()]
    headings = (_("What you do"), _("Why"), _("What is kept"), _("What is published"), _("How to leave"))
    return (
        list(zip(headings, lines, strict=True))
        if len(lines) == len(headings)
        else [("", line) for line in lines]
    )
