"""The pages of cards: rate, skip, undo, uncover, pause, thanks; words and countries; lists and comparisons."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import get_language

from endoxa_collect import groups
from endoxa_collect.access import READ, READ_OR_SEND, SEND, Door, allowed, to_card
from endoxa_collect.anonymous import put_covers_back
from endoxa_collect.campaign import HelpLine, in_language
from endoxa_collect.cards import answering, drawing, kinds
from endoxa_collect.cards.answering import latest_answer
from endoxa_collect.contributor import card_forms, progress
from endoxa_collect.contributor.card_forms import MoreForm, PromptForm
from endoxa_collect.contributor.sending import note_kept, was_kept
from endoxa_collect.contributor.survey import next_step
from endoxa_collect.entry import proposing
from endoxa_collect.entry.cleaning import EntryError
from endoxa_collect.entry.proposing import Proposal, propose, say_alike, tick_countries
from endoxa_collect.frame import nearest_first
from endoxa_collect.models import (
    CLOSED,
    Card,
    CardState,
    Mention,
    MixedAnswer,
    MixedCard,
    MixedKind,
    Pair,
    Person,
    Rating,
    Skip,
    State,
    Via,
)
from endoxa_collect.security.codes import receipt_code
from endoxa_collect.security.limits import PROPOSALS, PROPOSALS_OF_ALL

_HELP_LINES = 3
"""The nearest ones; the page of help has all."""


@allowed(Door.CONTRIBUTOR, methods=READ)
def card(request: HttpRequest, person: Person) -> HttpResponse:
    """The open card of the person, or the next one; a pause first where it is time for one."""
    if not (person.profile_done and person.campaign.settings.cards):
        return redirect(next_step(person))
    counts = progress.cards_of(person)
    done = counts.cards
    if "on" not in request.GET and progress.pause_due(person, counts):
        return redirect("contributor:pause")
    # Only then is the lock taken for it: all ratings need that.
    perhaps = counts.mixed_open or kinds.due(person.campaign, done) is not None
    mixed = kinds.next_mixed(person, done) if perhaps else None
    drawn = None if mixed else drawing.next_card(person)
    if mixed is None and drawn is None:
        # Nothing to rate, and every question asked: what others rated can still be ticked and compared.
        mixed = kinds.next_mixed(person, done, alone=True)
    if mixed is not None:
        return mixed_page(request, mixed, _around(request, person, done))
    if drawn is None:
        return redirect(f"{reverse('contributor:thanks')}?all=1")
    return card_page(request, person, drawn, done)


def card_page(
    request: HttpRequest, person: Person, drawn: Card, done: int, *, ahead: bool = False
) -> HttpResponse:
    """The page of a card of one pair, or of an open question. `ahead`: as a phone keeps it, where nobody can be asked.

    Then words that are covered are on it, to be opened there, and what was answered before is not.
    """
    if drawn.pair is None:
        return prompt_page(request, person, drawn, card_forms.prompt_form(drawn, person), done)
    shown = {
        **pair_context(request, drawn),
        "ratings": card_forms.RATINGS,
        "skips": card_forms.SKIPS,
        "reports": card_forms.REPORTS,
        "onward": _after_rating(drawn),
        "ahead": ahead,
    }
    around = _around(request, person, done, drawn)
    if ahead:
        around |= {"note": None, "latest": None, "last": None, "topic": ""}
    return render(request, "contributor/card.html", {**around, **shown})


def prompt_page(
    request: HttpRequest, person: Person, card: Card, form: card_forms.PromptForm, done: int | None = None
) -> HttpResponse:
    """The page of a card that asks an open question."""
    context = {
        **_around(request, person, progress.cards_of(person).cards if done is None else done, card),
        **(groups.spoken(form.about, get_language() or "en", card.campaign.settings) if form.about else {}),
        "about_topic": progress.topic_name(card.topic),
        "form": form,
        "additions": progress.additions_to(card),
        "skips": card_forms.PROMPT_SKIPS,
    }
    return render(request, "contributor/card_prompt.html", context)


def pair_context(request: HttpRequest, card: Card) -> dict[str, Any]:
    """What templates need to show the pair of a card."""
    assert card.pair is not None
    lifted = progress.covers_lifted(request)
    return {
        "card": card,
        "pair": card.pair,
        **groups.spoken(card.pair.country, get_language() or "en", card.campaign.settings),
        "hurtful": card.pair.may_hurt,
        "lifted": lifted,
        "covered": not answering.visible(card, lifted=lifted),
    }


def _after_rating(card: Card) -> str:
    """Address of the page that follows a rating: words, or whether these could hurt; "" for the next card."""
    if card.adds:
        return reverse("contributor:add", args=[card.token])
    unjudged = card.pair is not None and card.pair.unjudged
    return reverse("contributor:hurt", args=[card.token]) if unjudged else ""


def _around(request: HttpRequest, person: Person, done: int, card: Card | None = None) -> dict[str, Any]:
    """What stands round any open card: how many are done, a note, and what can be taken back."""
    latest = latest_answer(person, person.campaign)
    newest = kinds.newest(latest, person)
    return {
        "card": card,
        "done": done,
        "note": card_forms.NOTES.get(request.GET.get("note", "")),
        "latest": newest,
        "last": progress.last_answer(newest, request),
        "avoided": latest,
        "topic": progress.topic_name(progress.avoidable_topic(latest, person)) if newest == latest else "",
        "bar": progress.bar_of(person, done),
    }


@allowed(Door.CARD, methods=SEND, form=card_forms.RatingForm)
def rate(request: HttpRequest, person: Person, cleaned: dict[str, Any], token: UUID) -> HttpResponse:
    """Keep an answer; then what else the person may add, else the next card."""
    value = cleaned["value"]
    if "shown" in request.POST:
        # From the page that a phone keeps: there the answers are inside the cover.
        answering.reveal(person, token)
    answered = answering.rate(person, token, value, lifted=progress.covers_lifted(request))
    if answered.again and not Rating.objects.filter(card=answered.card, value=value).exists():
        return to_card("first")
    onward = _after_rating(answered.card)
    return redirect(onward) if onward else to_card()


@allowed(Door.CARD, methods=SEND, form=card_forms.SkipForm)
def skip(request: HttpRequest, person: Person, cleaned: dict[str, Any], token: UUID) -> HttpResponse:
    """Close a card without an answer."""
    reason = cleaned["reason"]
    answered = answering.skip(person, token, reason, lifted=progress.covers_lifted(request))
    if answered.again and not Skip.objects.filter(card=answered.card, reason=reason).exists():
        return to_card("first")
    return to_card()


@allowed(Door.CONTRIBUTOR, methods=SEND)
def undo(_request: HttpRequest, person: Person, token: UUID) -> HttpResponse:
    """Take back what was answered to a card, all that was added to it, and the wish to avoid its topic."""
    skipped = Skip.objects.filter(card__token=token, person=person).exists()
    card = answering.undo(person, token)
    if skipped and not Skip.objects.filter(card=card).exists():
        progress.avoid_topic(person, card, avoid=False)
    return to_card()


@allowed(Door.CONTRIBUTOR, methods=SEND)
def avoid(_request: HttpRequest, person: Person, token: UUID) -> HttpResponse:
    """Show this person no more cards about the topic of a card."""
    progress.avoid_topic(person, answering.card_of(person, token))
    return to_card()


@allowed(Door.CONTRIBUTOR, methods=READ)
def pause(request: HttpRequest, person: Person) -> HttpResponse:
    """Go on or stop; the person's own counts and what they are good for."""
    newest = kinds.newest(latest_answer(person, person.campaign), person)
    context = {
        "progress": progress.progress_of(person),
        "latest": newest,
        "last": progress.last_answer(newest, request),
        "somebody_listens": bool(person.campaign.settings.help_lines),
        **progress.at_pause(person),
    }
    return render(request, "contributor/pause.html", context)


def rest_page(request: HttpRequest, person: Person) -> HttpResponse:
    """The pause as a phone keeps it: without counts, which are not known yet, and with help lines on the page."""
    return render(request, "contributor/pause_ahead.html", {"help_lines": _nearest(person)})


def _nearest(person: Person) -> Sequence[HelpLine]:
    return nearest_first(person.campaign.settings, [*person.origins, *person.countries])[:_HELP_LINES]


@allowed(Door.CONTRIBUTOR, methods=READ)
def thanks(request: HttpRequest, person: Person) -> HttpResponse:
    """Thanks, counts, what happens next; the way back and the way out."""
    settings = person.campaign.settings
    onward = next_step(person)
    context = {
        "progress": progress.progress_of(person),
        **progress.at_pause(person),
        "text": in_language(settings.texts.thanks, get_language() or "en"),
        "onward": "" if onward == "contributor:thanks" else onward,
        "code": receipt_code(request, person) if person.interviewer else "",
        "unread": progress.unread_languages(person) if "all" in request.GET else "",
        "all_for_now": "all" in request.GET,
        "help_lines": _nearest(person),
    }
    return render(request, "contributor/thanks.html", context)


@allowed(Door.CONTRIBUTOR, methods=SEND)
def reveal(_request: HttpRequest, person: Person, token: UUID) -> HttpResponse:
    """Show the words of a covered card in their place; now it can be rated."""
    answering.card_of(person, token)
    answering.reveal(person, token)
    return redirect(reverse("contributor:card") + "#said")


@allowed(Door.CONTRIBUTOR, methods=SEND)
def set_covers(request: HttpRequest, _person: Person) -> HttpResponse:
    """Show pairs that may hurt at once in this browser, or cover them again."""
    response = to_card()
    if request.POST.get("covers") == "lift":
        progress.lift_covers(response)
    else:
        put_covers_back(response)
    return response


@allowed(Door.CONTRIBUTOR, methods=READ_OR_SEND)
def hurt(request: HttpRequest, person: Person, token: UUID) -> HttpResponse:
    """Ask whether the words of an answered card could hurt someone; where that is no question, the next card."""
    card = answering.card_of(person, token)
    if not answering.asks_hurts(card):
        return to_card()
    if request.method == "POST":
        form = card_forms.HurtForm(request.POST)
        if form.is_valid():
            answering.answer_hurts(person, card, form.cleaned_data["hurts"])
        return to_card()
    latest = card if answering.is_latest(card) else None
    context = {**pair_context(request, card), "choices": card_forms.HURTS, "latest": latest}
    return render(request, "contributor/card_hurt.html", context)


def mixed_page(request: HttpRequest, card: MixedCard, around: dict[str, Any]) -> HttpResponse:
    """Show a card; `around` is the context that all card pages share."""
    context = {
        **around,
        "card": card,
        **groups.spoken(card.country, get_language() or "en", card.campaign.settings),
        "rows": _rows(card),
        "skips": card_forms.SKIPS,
        # "Next" without a tick: asked once whether that is meant.
        "none": request.GET.get("note") == "none",
    }
    return render(request, f"contributor/mixed_{card.kind}.html", context)


def _rows(card: MixedCard) -> list[MixedAnswer]:
    return list(card.answers.select_related("pair").order_by("position"))


@allowed(Door.CARD, methods=SEND)
def mixed_answer(request: HttpRequest, person: Person, token: UUID) -> HttpResponse:
    """Keep which pairs of a list were ticked, or which of two was chosen."""
    card = kinds.mixed_of(person, token)
    if card.kind == MixedKind.COMPARE:
        form = card_forms.ComparisonForm(request.POST)
        if not form.is_valid():
            return to_card("unclear")
        kinds.answer_comparison(person, token, form.cleaned_data["choice"])
        return to_card()
    ticked = request.POST.getlist("heard")
    heard = [row.public_id for row in _rows(card) if str(row.public_id) in ticked]
    if len(heard) < len(set(ticked)):
        return to_card("unclear")
    if not (heard or "none" in request.POST) and card.state not in CLOSED:
        # One careless tap would say of five pairs that nobody has heard them.
        return to_card("none")
    kinds.answer_heard(person, token, heard)
    return to_card()


@allowed(Door.CARD, methods=SEND, form=card_forms.ReasonForm)
def mixed_skip(_request: HttpRequest, person: Person, cleaned: dict[str, Any], token: UUID) -> HttpResponse:
    """Close a list or comparison without an answer."""
    kinds.skip_mixed(person, token, cleaned["reason"])
    return to_card()


@allowed(Door.CARD, methods=READ_OR_SEND)
def mixed_report(request: HttpRequest, person: Person, token: UUID) -> HttpResponse:
    """Ask which pair, then why; then put it before moderators, and close the card.

    Once `row` in the address names a pair, why. Each is one screen of a phone.
    """
    card = kinds.mixed_of(person, token)
    rows = _rows(card)
    named = request.POST.get("row") or request.GET.get("row")
    row = next((answer for answer in rows if str(answer.public_id) == named), None)
    if request.method == "POST":
        form = card_forms.ReportForm(request.POST)
        if row is None or not form.is_valid():
            return to_card("unclear")
        kinds.report_row(person, token, row.public_id, form.cleaned_data["reason"])
        return to_card()
    if card.state != CardState.OPEN:
        return to_card()
    context = {"card": card, "rows": rows, "row": row, "reports": card_forms.REPORTS}
    return render(request, "contributor/mixed_report.html", context)


@allowed(Door.CONTRIBUTOR, methods=SEND)
def mixed_undo(_request: HttpRequest, person: Person, token: UUID) -> HttpResponse:
    """Take back what was answered to a list or comparison, and show the card again."""
    kinds.undo_mixed(person, token)
    return to_card()


@allowed(Door.CONTRIBUTOR, methods=READ_OR_SEND)
def add(request: HttpRequest, person: Person, token: UUID) -> HttpResponse:
    """Keep the words and countries that were filled in, and stay with the card."""
    return _add(request, person, token, leaving=False)


@allowed(Door.CARD, methods=READ_OR_SEND)
def finish(request: HttpRequest, person: Person, token: UUID) -> HttpResponse:
    """Keep them and go on to the next card."""
    return _add(request, person, token, leaving=True)


def _add(request: HttpRequest, person: Person, token: UUID, *, leaving: bool) -> HttpResponse:
    card = answering.card_of(person, token)
    if was_kept(request, person):
        return to_card()
    # Words belong to prompts that were not skipped, and to answered pairs that show the fields.
    takes_words = (
        card.state != CardState.SKIPPED
        if card.pair is None
        else card.adds and card.state == CardState.ANSWERED
    )
    # Once a campaign is not open, a card may be finished within its time.
    late = person.campaign.state != State.OPEN and card.expires_at < timezone.now()
    if late or not takes_words:
        return to_card() if request.accepts("text/html") else HttpResponse(status=422)
    if request.method != "POST":
        return to_card() if card.pair is None else more_page(request, person, card)
    proposal = None
    if not card_forms.says_nothing(request.POST):
        form = (card_forms.prompt_form if card.pair is None else card_forms.more_form)(
            card, person, request.POST
        )
        if not form.is_valid():
            return _words_page(request, person, card, form)
        if form.cleaned_data["text"]:
            PROPOSALS.spend(str(person.pk))
            PROPOSALS_OF_ALL.spend(str(person.campaign_id))
        proposal = _keep(person, card, form)
        if form.errors:
            return _words_page(request, person, card, form)
    note_kept(request, person)
    return _onward(person, card, proposal, leaving=leaving)


def _keep(person: Person, card: Card, form: MoreForm | PromptForm) -> Proposal | None:
    """Store ticked countries and words; the proposal that the words made. What cannot be taken the form then tells."""
    country, via, field = card.country, Via.ATTRIBUTE, "countries"
    try:
        if isinstance(form, PromptForm):
            country, via = form.about, Via.PROMPT
        else:
            if form.chosen:
                tick_countries(person, card, form.chosen)
            if form.cleaned_data.get("hurts"):
                answering.answer_hurts(person, card, form.cleaned_data["hurts"])
        text, language, field = form.cleaned_data["text"], form.cleaned_data["language"], "text"
        if text:
            return propose(person, card, country=country, text=text, language=language, via=via)
    except EntryError as error:
        form.add_error(field, str(error))
    return None


def _onward(person: Person, card: Card, proposal: Proposal | None, *, leaving: bool) -> HttpResponse:
    if leaving and card.pair is None:
        answering.finish_prompt(person, card.token)
    if proposal is not None and proposal.alike:
        address = reverse("contributor:alike", args=[card.token, proposal.mention.public_id])
        return redirect(f"{address}?on=1" if leaving else address)
    if leaving or card.pair is None:
        return to_card()
    return redirect(reverse("contributor:add", args=[card.token]) + "#more")


def more_page(request: HttpRequest, person: Person, card: Card) -> HttpResponse:
    """The page that asks for words after a rating."""
    return _words_page(request, person, card, card_forms.more_form(card, person))


def _words_page(
    request: HttpRequest, person: Person, card: Card, form: MoreForm | PromptForm
) -> HttpResponse:
    for name in list(form.errors)[:1]:
        form.fields[name].widget.attrs["autofocus"] = True
    if isinstance(form, PromptForm):
        return prompt_page(request, person, card, form)
    context = {
        **pair_context(request, card),
        "form": form,
        "additions": progress.additions_to(card),
        "latest": card if answering.is_latest(card) else None,
    }
    return render(request, "contributor/card_more.html", context)


@allowed(Door.CONTRIBUTOR, methods=READ_OR_SEND)
def alike(request: HttpRequest, person: Person, token: UUID, mention: UUID) -> HttpResponse:
    """Ask once; `on` in the address leads to the next card afterwards, else back to where words are added."""
    # If it is this person's, of this card, and was not asked about yet.
    unasked = Mention.objects.filter(person=person, card__token=token, public_id=mention, alike__isnull=True)
    added = unasked.select_related("pair__campaign").first()
    pairs: Sequence[Pair] = ()
    if added is not None:
        pair = added.pair
        pairs = proposing.alike(pair.campaign, pair.country, pair.language, added.text, exclude=pair.pk)
    onward = (
        to_card() if "on" in request.GET else redirect(reverse("contributor:add", args=[token]) + "#more")
    )
    if added is None or not pairs:
        return onward
    if request.method == "POST":
        form = card_forms.SameForm(request.POST)
        if form.is_valid():
            say_alike(person, added.public_id, form.cleaned_data["same"])
            return onward
    context = {
        "mention": added,
        **groups.spoken(added.pair.country, get_language() or "en", person.campaign.settings),
        "pairs": pairs,
        "lifted": progress.covers_lifted(request),
    }
    return render(request, "contributor/card_alike.html", context)
