"""Builder of pairs: a stereotype is fixed, its opposite is suggested; people check it, change it or reject the pair."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.utils.functional import Promise, cached_property
from django.utils.translation import gettext, gettext_lazy

from endoxa_collect.tasks.rooms import (
    OTHER,
    AgreementRoom,
    Answer,
    Content,
    JudgedItem,
    Part,
    RejectingForm,
    Rows,
    TaskSettings,
)

_SCRIPTS = gettext_lazy("Letters stand here that do not belong to the language, or to each other.")
_PLACES = gettext_lazy("The sentences differ in several places. Look whether all belong to one change.")
WARNINGS: dict[str, Promise] = {
    "identical-sentences": gettext_lazy("Both sentences are the same: such a pair measures nothing."),
    "no-word-differs": gettext_lazy("Only capitals, blanks or punctuation differ."),
    "negation-only": gettext_lazy(
        "One sentence only denies the other. An opposite is better, where there is one."
    ),
    "several-spans": _PLACES,
    "multiple-perturbations": _PLACES,
    "long-perturbation": gettext_lazy("A long part differs. The shorter, the better."),
    "length-difference": gettext_lazy("One sentence is longer than the other by several words."),
    "other-changes": gettext_lazy("A word that both share is written with other capitals."),
    "article": gettext_lazy("“a” or “an” does not fit the next word."),
    "pronoun": gettext_lazy("A pronoun still fits the other gender."),
    "doubled-word": gettext_lazy("A word stands twice in a row."),
    "final-punctuation": gettext_lazy("The sentences end in different punctuation."),
    "mixed-scripts": _SCRIPTS,
    "scripts-differ": _SCRIPTS,
}
"""Checks that reviewers see, with their messages."""

_AGREEMENT = gettext_lazy("Adjectives and participles agree with their noun: look at both sentences.")
_GENDER_VERBS = gettext_lazy("Verbs agree with gender: look at the end of both sentences.")
_ONE_PRONOUN = gettext_lazy(
    "“He” and “she” are one word in this language: look whether the sentences still differ."
)
_CLASSES = gettext_lazy("Verbs and adjectives agree with the class of the noun: look at both sentences.")
HINTS: dict[str, tuple[Promise, ...]] = {
    **dict.fromkeys(("fr", "es", "pt", "it", "ro", "de", "ru", "uk", "pl"), (_AGREEMENT,)),
    **dict.fromkeys(("ar", "he", "ur", "mr", "pa"), (_AGREEMENT, _GENDER_VERBS)),
    "hi": (_ONE_PRONOUN, _GENDER_VERBS),
    "bn": (_ONE_PRONOUN,),
    **dict.fromkeys(("tr", "fa", "fi", "hu", "id", "yo", "ig"), (_ONE_PRONOUN,)),
    **dict.fromkeys(("sw", "zu", "xh", "rw", "ln"), (_ONE_PRONOUN, _CLASSES)),
}
"""What to look at in a language (ISO 639)."""

DIFFERS = "differs"


@dataclass(frozen=True, slots=True)
class Compared:
    """Two sentences side by side.

    Attributes:
        more: the first sentence; parts in whose place the second one has something else have the role `DIFFERS`.
        less: the second one.
        checks: names of the checks that found something.
        identical: both are the same text.
    """

    more: tuple[Part, ...]
    less: tuple[Part, ...]
    checks: tuple[str, ...]
    identical: bool

    @property
    def warnings(self) -> list[Promise]:
        """What the checks found, each sentence once."""
        return list({id(WARNINGS[name]): WARNINGS[name] for name in self.checks}.values())


def compare(more: str, less: str, language: str) -> Compared:
    """Compare the sentences of a pair.

    Args:
        more: one sentence.
        less: the other.
        language: ISO 639 code; some checks know some languages only.
    """
    from endoxa.sources.typography import differing_spans, words

    spans = differing_spans(words(more), words(less))
    from endoxa.sources.check import checks_of_pair

    return Compared(
        more=_parts(more, [(span.start_more, span.end_more) for span in spans]),
        less=_parts(less, [(span.start_less, span.end_less) for span in spans]),
        checks=tuple(name for name in checks_of_pair(more, less, language) if name in WARNINGS),
        identical=" ".join(more.split()) == " ".join(less.split()),
    )


def hints(language: str) -> tuple[Promise, ...]:
    """What to look at in a language; nothing where we do not know."""
    return HINTS.get(language.replace("_", "-").split("-")[0].lower(), ())


def _parts(sentence: str, spans: Sequence[tuple[int, int]]) -> tuple[Part, ...]:
    """The sentence letter by letter, with the words of the spans apart."""
    places = [match.span() for match in re.finditer(r"\S+", sentence) if re.search(r"[^\W_]", match.group())]
    made, at = [], 0
    for first, after in spans:
        if first == after or after > len(places):
            continue
        start, end = places[first][0], places[after - 1][1]
        made += [Part(sentence[at:start]), Part(sentence[start:end], DIFFERS)]
        at = end
    made.append(Part(sentence[at:]))
    return tuple(part for part in made if part.text)


OK, CHANGED, REJECTED = "ok", "changed", "rejected"
CHECK, DESPITE = "check", "despite"
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


class PairForm(RejectingForm):
    """The second sentence; the first one and the group are fixed.

    `action` is 'ok', 'check' (look at the words without saving) or 'despite' (save although something was found).
    """

    action = forms.ChoiceField(choices=((OK, OK), (CHECK, CHECK), (DESPITE, DESPITE)), required=False)
    reason = forms.ChoiceField(choices=tuple(REASONS.items()), required=False)
    sent_less = forms.CharField(required=False, max_length=MOST_LETTERS)
    rejected = {"state": REJECTED, "sent_less": "", "checks": []}

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

    def kept(self, cleaned: Mapping[str, Any]) -> dict[str, Any]:
        """The sentence, unless only a check was asked for or something was found that nobody has confirmed."""
        less, suggested = " ".join(cleaned["sent_less"].split()), suggestion(self.content)
        fault = ""
        if not less:
            fault = gettext("Write the second sentence, or reject the pair.")
        elif self.compared.identical:
            fault = gettext("Both sentences are the same: such a pair measures nothing.")
        elif _loses_group(self.content, less):
            fault = gettext("The group must be the same in both sentences.")
        elif cleaned["action"] == CHECK:
            fault = gettext("Nothing is saved yet.")
        elif less != suggested and cleaned["action"] != DESPITE and self.new_checks:
            fault = gettext("Look at what is said below the sentences, or save it all the same.")
        if fault:
            self.add_error(None, fault)
        state = OK if less == suggested else CHANGED
        return {"state": state, "sent_less": less, "checks": list(self.compared.checks)}

    @property
    def new_checks(self) -> bool:
        """Whether something is found that was not found in the suggestion."""
        more, language = first(self.content), str(self.content.get("language", ""))
        before = compare(more, suggestion(self.content), language).checks
        return bool(set(self.compared.checks) - set(before))


def first(content: Content) -> str:
    """The sentence that is fixed."""
    return " ".join(str(content["sent_more"]).split())


def suggestion(content: Content) -> str:
    """The second sentence as it was suggested."""
    return " ".join(str(content.get("suggested") or "").split())


def _loses_group(content: Content, less: str) -> bool:
    """Whether the group stands in both sentences as they came, and not in the new one."""
    from endoxa.sources.typography import words

    group, new, *before = (
        {word.folded for word in words(text)}
        for text in (str(content.get("identity") or ""), less, first(content), suggestion(content))
    )
    return bool(group) and all(group <= sentence for sentence in before) and not group <= new


_HOW = {
    "antonym": gettext_lazy("Suggested: an opposite."),
    "negation": gettext_lazy("Suggested: a negation."),
}


class PairRoom(AgreementRoom):
    """People check the second sentence of each pair."""

    kind = "pairs"
    title = gettext_lazy("Sentence pairs")
    columns = {"sent_more": "the stereotype as a sentence; it is fixed"}
    optional = {
        "suggested": "the second sentence as suggested; may be empty. Where it is missing, `sent_less` is taken",
        "sent_less": "the second sentence, as in a table of `endoxa build pairs`",
        "identity": "the group, which must stay the same",
        "language": "ISO 639 code, for checks and hints",
        "how": "'antonym' or 'negation': how the suggestion was made",
    }
    form = PairForm
    template = "tasks/pairs.html"
    answers = ("state", "reason", "judged_less", "checks", "note")

    def prepare(self, rows: Iterable[Content]) -> Iterator[Content]:
        """A table of `endoxa build pairs` has its suggestion in `sent_less`."""
        for row in rows:
            takes = "sent_less" in row and "suggested" not in row
            yield {**row, "suggested": row["sent_less"]} if takes else row

    def check(self, content: Content) -> Iterator[str]:
        """There must be a column with the second sentence."""
        if "suggested" not in content:
            yield "no column 'suggested' or 'sent_less'. Expected the second sentence; it may be empty."

    def context(self, content: Content) -> dict[str, Any]:
        """How the suggestion was made, what to look at in the language, and the reasons."""
        return {
            "how": _HOW.get(str(content.get("how") or ""), ""),
            "hints": hints(str(content.get("language") or "")),
        }

    def decision(self, answer: Answer) -> Hashable:
        """Rejected, or which sentence."""
        return REJECTED if answer["state"] == REJECTED else ("kept", answer["sent_less"])

    def row(self, answer: Answer, hidden: Content) -> dict[str, Any]:  # noqa: ARG002
        """The columns of `answers`."""
        cells = {**answer, "judged_less": answer["sent_less"], "checks": " ".join(answer["checks"])}
        return {name: cells[name] for name in self.answers}

    def tables(self, settings: TaskSettings, items: Sequence[JudgedItem]) -> Mapping[str, Rows]:
        """`items` (every pair with its state) and `pairs` (accepted ones, as `endoxa probe pairs` reads them)."""
        rows = super().tables(settings, items)["items"]
        accepted = [row for row in rows if row["pair_state"] and row["pair_state"] != REJECTED]
        return {"items": rows, "pairs": accepted}

    def outcome(self, settings: TaskSettings, item: JudgedItem) -> dict[str, Any]:
        """The agreed sentence with the cells that follow from it, and the state."""
        state, agreeing = self.settled(settings, item)
        agreed = agreeing[0] if agreeing else None
        row = item.cells
        row["sent_less"] = row.get("sent_less") or row["suggested"]
        if agreed is not None and agreed["state"] == CHANGED:
            # Cells that follow from the second sentence, where the table has them.
            from endoxa.sources.typography import differing_spans, words

            more, less = first(item.content), agreed["sent_less"]
            sides = words(more), words(less)
            spans = differing_spans(*sides)
            changed = " ".join(
                word.text for span in spans for word in sides[1][span.start_less : span.end_less]
            )
            follows = {
                "attribute_less": changed,
                "how": "edited",
                "words_difference": str(len(sides[0]) - len(sides[1])),
                "characters_difference": str(len(more) - len(less)),
            }
            row |= {"sent_less": less, **{name: value for name, value in follows.items() if name in row}}
        return {
            **row,
            "pair_state": agreed["state"] if agreed else "",
            "pair_reason": "; ".join(
                dict.fromkeys(answer["reason"] for answer in agreeing if answer["reason"])
            ),
            "pair_checks": " ".join(agreed["checks"]) if agreed else "",
            **self.review(item, state),
        }


ROOM = PairRoom()
