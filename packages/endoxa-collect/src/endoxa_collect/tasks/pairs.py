"""Builder of pairs: a stereotype is fixed, its opposite is suggested; people check it, change it or reject the pair."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Annotated, Any

from django import forms
from django.utils.functional import cached_property
from django.utils.translation import gettext, gettext_lazy
from pydantic import Field

from endoxa_collect.tasks.minimal import Compared, compare, hints
from endoxa_collect.tasks.rooms import (
    Answer,
    AnswerForm,
    Content,
    Judged,
    JudgedItem,
    Room,
    TaskSettings,
    needed_with_third,
    settle,
)

OK, CHANGED, REJECTED = "ok", "changed", "rejected"
CHECK, DESPITE = "check", "despite"
OTHER = "other"
REASONS: Mapping[str, Any] = {
    "no opposite": gettext_lazy("There is no opposite of this"),
    "not grammatical": gettext_lazy("It cannot be said in good grammar"),
    "more than one change": gettext_lazy("The sentences cannot differ in one thing only"),
    "same in this language": gettext_lazy("Both are the same in this language"),
    "not said of people": gettext_lazy("It is not said of people"),
    OTHER: gettext_lazy("Something else: say what in the note"),
}
"""Reasons to reject a pair."""
MOST_LETTERS = 1_000


class PairForm(AnswerForm):
    """The second sentence; the first one and the group are fixed.

    `action` is 'ok', 'check' (look at the words without saving) or 'despite' (save although something was found).
    """

    action = forms.ChoiceField(choices=((OK, OK), (CHECK, CHECK), (DESPITE, DESPITE)), required=False)
    reason = forms.ChoiceField(choices=tuple(REASONS.items()), required=False)
    sent_less = forms.CharField(required=False, max_length=MOST_LETTERS)
    note = forms.CharField(required=False, max_length=1_000)

    def __init__(self, content: Mapping[str, Any], shown: Mapping[str, Any], data: Any = None) -> None:
        super().__init__(content, shown, data)
        self.initial["sent_less"] = suggestion(content)

    @cached_property
    def compared(self) -> Compared:
        """The pair as it stands in the form."""
        less = self.data.get("sent_less", self.initial["sent_less"])
        return compare(
            first(self.content), " ".join(str(less).split()), str(self.content.get("language", ""))
        )

    def clean(self) -> dict[str, Any]:
        """The state, unless only a check was asked for or something was found that nobody has confirmed."""
        cleaned = super().clean() or {}
        if self.errors:
            return cleaned
        less = " ".join(cleaned["sent_less"].split())
        if cleaned["reason"]:
            if cleaned["reason"] == OTHER and not cleaned["note"].strip():
                self.add_error("note", gettext("Say why in the note."))
            self.decided = {"state": REJECTED, "sent_less": "", "checks": []}
            return cleaned
        if not less:
            self.add_error(None, gettext("Write the second sentence, or reject the pair."))
        elif self.compared.identical:
            self.add_error(None, gettext("Both sentences are the same: such a pair measures nothing."))
        elif _loses_group(self.content, less):
            self.add_error(None, gettext("The group must be the same in both sentences."))
        suggested = suggestion(self.content)
        changed = less != suggested
        if not self.errors and cleaned["action"] == CHECK:
            self.add_error(None, gettext("Nothing is saved yet."))
        elif not self.errors and changed and cleaned["action"] != DESPITE and self.new_checks:
            self.add_error(
                None, gettext("Look at what is said below the sentences, or save it all the same.")
            )
        state = CHANGED if changed else OK
        self.decided = {"state": state, "sent_less": less, "checks": list(self.compared.checks)}
        return cleaned

    @property
    def new_checks(self) -> bool:
        """Whether something is found that was not found in the suggestion."""
        more, language = first(self.content), str(self.content.get("language", ""))
        before = compare(more, suggestion(self.content), language).checks
        return bool(set(self.compared.checks) - set(before))

    def answer(self) -> dict[str, Any]:
        """State, second sentence, what the checks found, reason and note."""
        reason, note = self.cleaned_data["reason"], self.cleaned_data["note"].strip()
        return {**self.decided, "reason": reason, "note": note}


def first(content: Content) -> str:
    """The sentence that is fixed."""
    return " ".join(str(content["sent_more"]).split())


def suggestion(content: Content) -> str:
    """The second sentence as it was suggested."""
    return " ".join(str(content.get("suggested") or "").split())


def _loses_group(content: Content, less: str) -> bool:
    """Whether the group stands in both sentences as they came, and not in the new one."""
    from endoxa.sources.spans import words

    group, new, *before = (
        {word.folded for word in words(text)}
        for text in (str(content.get("identity") or ""), less, first(content), suggestion(content))
    )
    return bool(group) and all(group <= sentence for sentence in before) and not group <= new


def decision_of(answer: Mapping[str, Any]) -> Hashable:
    """What an answer comes to: rejected, or which sentence."""
    return REJECTED if answer["state"] == REJECTED else ("kept", answer["sent_less"])


def results(settings: TaskSettings, items: Sequence[JudgedItem]) -> dict[str, list[dict[str, Any]]]:
    """`items` (every pair with its state) and `pairs` (accepted ones, as `endoxa probe pairs` reads them)."""
    made = [_item(settings, item) for item in items]
    accepted = [row for row in made if row["pair_state"] and row["pair_state"] != REJECTED]
    return {"items": made, "pairs": accepted}


def _item(settings: TaskSettings, item: JudgedItem) -> dict[str, Any]:
    counting = item.counting
    settled = settle(settings.needed, [decision_of(judgement.answer) for judgement in counting])
    agreeing = [
        judgement.answer
        for judgement in counting
        if settled.value is not None and decision_of(judgement.answer) == settled.value
    ]
    agreed = agreeing[0] if agreeing else None
    row = {"item_id": item.key, **item.content, **item.hidden}
    row["sent_less"] = row.get("sent_less") or row["suggested"]
    if agreed is not None and agreed["state"] == CHANGED:
        # Cells that follow from the second sentence, where the table has them.
        more = first(item.content)
        less = agreed["sent_less"]
        from endoxa.sources.spans import differing_spans, words

        sides = words(more), words(less)
        spans = differing_spans(*sides)
        changed = " ".join(word.text for span in spans for word in sides[1][span.start_less : span.end_less])
        follows = {
            "attribute_less": changed,
            "how": "edited",
            "words_difference": str(len(sides[0]) - len(sides[1])),
            "characters_difference": str(len(more) - len(less)),
        }
        row |= {"sent_less": less, **{name: value for name, value in follows.items() if name in row}}
    reasons = dict.fromkeys(answer["reason"] for answer in agreeing if answer["reason"])
    return {
        **row,
        "pair_state": agreed["state"] if agreed else "",
        "pair_reason": "; ".join(reasons),
        "pair_checks": " ".join(agreed["checks"]) if agreed else "",
        "pair_notes": " | ".join(
            f"{judgement.judge}: {judgement.answer['note']}"
            for judgement in counting
            if judgement.answer["note"]
        ),
        "review_state": settled.state,
        "review_judgements": len(counting),
    }


__all__ = ["ROOM", "PairSettings"]

_HOW = {
    "antonym": gettext_lazy("Suggested: an opposite."),
    "negation": gettext_lazy("Suggested: a negation."),
}


class PairSettings(TaskSettings):
    """Settings of the builder.

    Attributes:
        needed: people who look at a pair; two or more without a majority get another one.
    """

    needed: Annotated[int, Field(ge=1, le=20)] = 1


def _needed(settings: PairSettings, _content: Content, answers: Sequence[Answer]) -> int:
    return needed_with_third(settings.needed, [decision_of(answer) for answer in answers])


def _prepare(rows: Sequence[Content]) -> list[dict[str, Any]]:
    """A table of `endoxa build pairs` has its suggestion in `sent_less`."""
    if "suggested" in rows[0] or "sent_less" not in rows[0]:
        return [dict(row) for row in rows]
    return [{**row, "suggested": row["sent_less"]} for row in rows]


def _check(content: Content) -> Iterator[str]:
    if "suggested" not in content:
        yield "no column 'suggested' or 'sent_less'. Expected the second sentence; it may be empty."


def _context(content: Content, _shown: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "how": _HOW.get(str(content.get("how") or ""), ""),
        "hints": hints(str(content.get("language") or "")),
        "reasons": [(str(key), value, text) for key, (value, text) in enumerate(REASONS.items(), start=1)],
    }


def _row(judgement: Judged) -> dict[str, Any]:
    answer = judgement.answer
    return {
        "state": answer["state"],
        "reason": answer["reason"],
        "judged_less": answer["sent_less"],
        "checks": " ".join(answer["checks"]),
        "note": answer["note"],
    }


ROOM = Room(
    kind="pairs",
    title=gettext_lazy("Sentence pairs"),
    columns={"sent_more": "the stereotype as a sentence; it is fixed"},
    optional={
        "suggested": "the second sentence as suggested; may be empty. Where it is missing, `sent_less` is taken",
        "sent_less": "the second sentence, as in a table of `endoxa build pairs`",
        "identity": "the group, which must stay the same",
        "language": "ISO 639 code, for checks and hints",
        "how": "'antonym' or 'negation': how the suggestion was made",
    },
    settings=PairSettings,
    form=PairForm,
    template="tasks/pairs.html",
    answers={
        "state": "'ok', 'changed' or 'rejected'",
        "reason": "why it was rejected",
        "judged_less": "the second sentence; empty where the pair was rejected",
        "checks": "what `endoxa datasets check` finds in the pair, by name",
        "note": "what the judge wrote",
    },
    row=_row,
    needed=_needed,
    context=_context,
    check=_check,
    prepare=_prepare,
    tables=results,
)
