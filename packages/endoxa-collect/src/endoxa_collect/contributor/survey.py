"""Pages of the survey: an overview, one page per question, and how answers are stored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import get_language, gettext
from django.utils.translation import gettext_lazy as _

from endoxa_collect import geography
from endoxa_collect.access import READ, READ_OR_SEND, Door, allowed
from endoxa_collect.campaign import SurveyQuestion, Texts, in_language
from endoxa_collect.cards.locking import afterwards, locked
from endoxa_collect.contributor.sending import note_kept, was_kept
from endoxa_collect.entry.cleaning import TooLongError, clean
from endoxa_collect.models import Person, Statement
from endoxa_collect.privacy import erase_traces
from endoxa_collect.visible import visible
from endoxa_collect.withdrawals import What, bury, noted

MOST_LINES = 16
"""Sixteen lines of 120 characters fit into one `Statement`."""


class AnswerForm(forms.Form):
    """One statement a line, cleaned of characters that cannot be seen, and the language.

    Sent with the button `nothing` the lines must be empty; else at least one is needed, and their language.
    """

    lines = forms.CharField(
        label=_("People here say …"),
        help_text=_(
            "One short sentence a line: who it is about, and what is said of them. A few are enough."
        ),
        max_length=20_000,
        required=False,
        widget=forms.Textarea(attrs={"dir": "auto", "autocomplete": "off", "rows": 6}),
    )
    language = forms.ChoiceField(label=_("Language of your answers"), required=False)

    def __init__(
        self, data: Mapping[str, Any] | None, *, languages: Sequence[tuple[str, str]], initial: dict[str, Any]
    ) -> None:
        super().__init__(data, label_suffix="", initial=initial)
        self.fields["language"].choices = [("", _("Please choose")), *languages]  # type: ignore[attr-defined]

    def clean_lines(self) -> list[str]:
        """The statements as they will be stored."""
        lines, faults = [], []
        for typed in filter(visible, self.cleaned_data["lines"].splitlines()):
            try:
                lines.append(clean(typed))
            except TooLongError as error:
                faults.append(f"“{visible(typed)[:20]}…”: {error}")
        if len(lines) > MOST_LINES:
            faults.append(gettext("Please write at most %(most)d lines.") % {"most": MOST_LINES})
        if faults:
            raise forms.ValidationError(faults)
        return lines

    def clean(self) -> dict[str, Any]:
        """Whether there is what the button says."""
        cleaned = super().clean() or {}
        lines = cleaned.get("lines", [])
        if "nothing" in self.data and lines:
            raise forms.ValidationError(
                _("You wrote something below. Keep it with “Save”, or empty the lines first.")
            )
        if "nothing" not in self.data and not lines and not self.errors:
            raise forms.ValidationError(
                _("Please write at least one line. If you know of nothing, choose “Nothing comes to mind”.")
            )
        if lines and not cleaned.get("language") and "language" not in self.errors:
            self.add_error("language", _("Please choose the language you wrote in."))
        return cleaned


def save_answer(person: Person, question: SurveyQuestion, lines: Sequence[str], language: str) -> None:
    """Store an answer, one statement a line, in the place of an earlier one. No lines: nothing comes to mind.

    An answer that was taken back may stand in a release or a backup, so that its row is named as withdrawn; so is one
    that lost a line after a release. Nothing is stored for somebody who has left meanwhile.
    """
    text = "\n".join(lines)
    with locked(person.campaign_id) as campaign:
        if not Person.objects.filter(pk=person.pk).exists():
            return
        earlier = Statement.objects.filter(person=person, question=question.name).first()
        released = campaign.releases.perhaps_out().exists()
        before = set(filter(None, earlier.text.split("\n"))) if earlier else set()
        if earlier is not None and (released and not before <= set(lines) if lines else before):
            with noted(campaign, What.ANSWER):
                bury(campaign, "statements", [earlier.public_id], timezone.now())
            earlier.delete()
            afterwards(erase_traces)
        Statement.objects.update_or_create(
            person=person,
            question=question.name,
            defaults={"campaign": campaign, "axis": question.axis, "language": language, "text": text},
        )


@dataclass(frozen=True)
class Step:
    """One question of the survey and what the person answered; an empty answer says that nothing came to mind."""

    number: int
    question: SurveyQuestion
    answer: Statement | None

    @property
    def lines(self) -> tuple[str, ...]:
        """What the person wrote, one statement each."""
        return tuple(self.answer.text.splitlines()) if self.answer else ()

    @property
    def passed(self) -> bool:
        """Whether the person said that nothing comes to mind."""
        return self.answer is not None and not self.lines


def steps_of(person: Person) -> list[Step]:
    """All questions in the order of the campaign; those that it took out since do not count."""
    answers = {answer.question: answer for answer in person.statements.all()}
    questions = person.campaign.settings.questions
    return [Step(number, each, answers.get(each.name)) for number, each in enumerate(questions, start=1)]


def pending(steps: Sequence[Step]) -> list[str]:
    """Names of the questions without an answer."""
    return [step.question.name for step in steps if step.answer is None]


def next_step(person: Person) -> str:
    """Name of the page that comes next: profile, then the survey, then cards."""
    settings = person.campaign.settings
    if not person.profile_done:
        return "contributor:profile"
    if settings.survey and pending(steps_of(person)):
        return "contributor:survey"
    return "contributor:card" if settings.cards else "contributor:thanks"


def example_for(
    question: SurveyQuestion, origins: Sequence[str], connections: Sequence[str], language: str
) -> str:
    """An example from where the person comes from, else from near there, else the one for everybody, else ""."""
    near = geography.near(frozenset(origins), frozenset(connections))
    places = [*origins, *(place for place in connections if place in near), *sorted(near), ""]
    example: Texts = next((question.examples[place] for place in places if place in question.examples), {})
    return in_language(example, language)


def answer_languages(person: Person, written: str | None, *guesses: str) -> tuple[list[tuple[str, str]], str]:
    """Languages that an answer may be in, those the person knows first: (code, name) each; and the likely one.

    That is the one they have `written` in before, else the first of `guesses`, of the page and of their own that they
    know. Others are never guessed ("" then): words would be kept under a language that they are not in.
    """
    known: list[str] = person.languages
    codes = sorted(person.campaign.settings.data_languages, key=lambda code: code not in known)
    named = [code for code in (_language(), *guesses, *known) if code in known]
    likely = next((code for code in (written, *named) if code in codes), "")
    return [(code, geography.language_name(code, _language())) for code in codes], likely


@allowed(Door.CONTRIBUTOR, methods=READ)
def overview(request: HttpRequest, person: Person) -> HttpResponse:
    """All questions, what is answered, and where to go on."""
    if not person.profile_done or not person.campaign.settings.survey:
        return redirect(next_step(person))
    steps = steps_of(person)
    left = pending(steps)
    context = {
        "steps": [(step, in_language(step.question.text, _language())) for step in steps],
        "done": len(steps) - len(left),
        "next": left[0] if left else "",
        "onward": next_step(person),
    }
    return render(request, "contributor/survey.html", context)


@allowed(Door.CONTRIBUTOR, methods=READ_OR_SEND)
def ask(request: HttpRequest, person: Person, question: str) -> HttpResponse:
    """One question. POST with `nothing` passes, else saves."""
    if not person.profile_done or not person.campaign.settings.survey:
        return redirect(next_step(person))
    if request.method != "POST":
        return question_page(request, person, question)
    steps = steps_of(person)
    step, form = _asked(person, steps, question, request.POST)
    if not form.is_valid():
        return _page(request, person, len(steps), step, form)
    if not was_kept(request, person):
        save_answer(person, step.question, form.cleaned_data["lines"], form.cleaned_data["language"])
        note_kept(request, person)
    following = pending(steps_of(person))
    return (
        redirect("contributor:survey_question", following[0]) if following else redirect("contributor:survey")
    )


def question_page(request: HttpRequest, person: Person, question: str) -> HttpResponse:
    """The page of a question that the campaign asks."""
    steps = steps_of(person)
    return _page(request, person, len(steps), *_asked(person, steps, question))


def _asked(
    person: Person, steps: Sequence[Step], question: str, data: Mapping[str, Any] | None = None
) -> tuple[Step, AnswerForm]:
    """A question and its form, with what was sent, else with what the person wrote before."""
    step = next((step for step in steps if step.question.name == question), None)
    if step is None:
        raise Http404
    latest = person.statements.exclude(text="").order_by("-created_at").first()
    written = step.answer if step.lines else latest
    languages, likely = answer_languages(person, written.language if written else None)
    initial = {"lines": "\n".join(step.lines), "language": likely}
    return step, AnswerForm(data, languages=languages, initial=initial)


def _page(request: HttpRequest, person: Person, total: int, step: Step, form: AnswerForm) -> HttpResponse:
    homes = [*person.origins, *person.countries]
    context = {
        "total": total,
        "step": step,
        "form": form,
        "text": in_language(step.question.text, _language()),
        "example": example_for(step.question, homes, person.connections, _language()),
    }
    return render(request, "contributor/survey_question.html", context)


def _language() -> str:
    return get_language() or "en"
