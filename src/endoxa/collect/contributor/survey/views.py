"""The survey: an overview, and one page a question."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import get_language
from django.views.decorators.http import require_http_methods, require_safe

from endoxa.collect.campaign.settings import in_language
from endoxa.collect.contributor.access import contributor, next_step
from endoxa.collect.contributor.survey.answering import save_answer
from endoxa.collect.contributor.survey.forms import LINES, MOST_LINES, AnswerForm, line_count
from endoxa.collect.contributor.survey.progress import Progress, Step, progress_of
from endoxa.collect.contributor.survey.wording import answer_languages, example_for, likely_language
from endoxa.collect.models import Person


@require_safe
@contributor
def overview(request: HttpRequest, person: Person) -> HttpResponse:
    """All questions, what is answered, and where to go on."""
    if not person.profile_done or not person.campaign.settings.survey:
        return redirect(next_step(person))
    progress = progress_of(person)
    texts = [(step, in_language(step.question.text, _language())) for step in progress.steps]
    onward = next_step(person)
    return render(
        request, "contributor/survey.html", {"progress": progress, "questions": texts, "onward": onward}
    )


@require_http_methods(["GET", "HEAD", "POST"])
@contributor
def ask(request: HttpRequest, person: Person, question: str) -> HttpResponse:
    """One question. POST with `more` gives another line, with `nothing` passes, else saves."""
    settings = person.campaign.settings
    if not person.profile_done or not settings.survey:
        return redirect(next_step(person))
    progress = progress_of(person)
    step = progress.step(question)
    if step is None:
        raise Http404
    if request.method != "POST":
        return _page(request, person, progress, step, _filled_form(person, step))
    languages = answer_languages(person.languages, settings.data_languages, _language())
    if "more" in request.POST:
        lines = line_count(request.POST, more=1)
        form = AnswerForm(lines=lines, languages=languages, initial=request.POST.dict())
        form.fields[f"line_{lines - 1}"].widget.attrs["autofocus"] = True
        return _page(request, person, progress, step, form)
    form = AnswerForm(request.POST, lines=line_count(request.POST), languages=languages)
    if not form.is_valid():
        return _page(request, person, progress, step, form)
    save_answer(person, step.question, form.cleaned_data["lines"], form.cleaned_data["language"])
    following = progress_of(person).next
    if following is None:
        return redirect("contributor:survey")
    return redirect("contributor:survey_question", following.question.name)


def _filled_form(person: Person, step: Step) -> AnswerForm:
    """The form with what the person wrote before."""
    languages = answer_languages(person.languages, person.campaign.settings.data_languages, _language())
    latest = person.statements.exclude(text="").order_by("-created_at").first()
    written = step.answer if step.lines else latest
    initial = {f"line_{index}": line for index, line in enumerate(step.lines)}
    before = written.language if written else None
    initial["language"] = likely_language(languages, person.languages, before, _language())
    return AnswerForm(lines=max(LINES, len(step.lines)), languages=languages, initial=initial)


def _page(
    request: HttpRequest, person: Person, progress: Progress, step: Step, form: AnswerForm
) -> HttpResponse:
    context = {
        "progress": progress,
        "step": step,
        "form": form,
        "text": in_language(step.question.text, _language()),
        "example": example_for(step.question, person.origins, person.connections, _language()),
        "lines": len(form.line_fields),
        "most": MOST_LINES,
    }
    return render(request, "contributor/survey_question.html", context)


def _language() -> str:
    return get_language() or "en"
