"""Language check: native speakers judge endoxa's own words, each as people would read it, and correct them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from django import forms
from django.utils.translation import gettext, gettext_lazy
from pydantic import Field

from endoxa_collect.tasks.rooms import (
    DISPUTED,
    UNJUDGED,
    WAITING,
    AgreementRoom,
    Answer,
    AnswerForm,
    Content,
    JudgedItem,
    TaskSettings,
    settle,
)

NATURAL, ODD, WRONG, OFFENSIVE = "natural", "odd", "wrong", "offensive"
VERDICTS = (
    (NATURAL, gettext_lazy("Natural: a speaker would say it so")),
    (ODD, gettext_lazy("Odd: understandable, but nobody says it so")),
    (WRONG, gettext_lazy("Wrong: a mistake, or another meaning")),
    (OFFENSIVE, gettext_lazy("Offensive where it is used")),
)
_FIXED = re.compile(r"\{[A-Za-z_]+\}|%\([a-z_]+\)[a-z]|<[^<>]+>")
"""What a program fills in or reads: it must stay as it is."""
_KEYS = {"natural": "j", "odd": "o", "wrong": "w", "offensive": "f"}


class WordsForm(AnswerForm):
    """One verdict, nothing preselected. The text stands in the field of the correction, to be changed there."""

    verdict = forms.ChoiceField(choices=VERDICTS)
    correction = forms.CharField(required=False, max_length=5_000)
    note = forms.CharField(required=False, max_length=1_000)
    named = forms.CharField(required=False, max_length=80)

    def __init__(self, content: Mapping[str, Any], shown: Mapping[str, Any], data: Any = None) -> None:
        super().__init__(content, shown, data)
        self.initial["correction"] = str(content["text"])

    def clean(self) -> dict[str, Any]:
        """A natural text stays as it is; of an odd or wrong one it must be said what would be right."""
        cleaned = super().clean() or {}
        if self.errors:
            return cleaned
        text = str(self.content["text"]).strip()
        new = cleaned["correction"].replace("\r\n", "\n").strip()
        self.changed = new if new and new != text else ""
        if cleaned["verdict"] == NATURAL and self.changed:
            self.add_error(
                None, gettext("You changed the text. Say that it is odd or wrong, or undo your change.")
            )
        elif cleaned["verdict"] in (ODD, WRONG) and not self.changed and not cleaned["note"].strip():
            self.add_error(
                None, gettext("Change the text so that it is right, or say in the note what is wrong.")
            )
        elif self.changed and (lost := _lost(text, self.changed)):
            self.add_error(
                None,
                gettext(
                    "These signs must stay as often as they were, because a program reads them: %(signs)s"
                )
                % {"signs": ", ".join(lost)},
            )
        return cleaned

    def answer(self) -> dict[str, Any]:
        """Verdict, corrected text (empty where nothing was changed), note, and name."""
        cleaned = self.cleaned_data
        return {
            "verdict": cleaned["verdict"],
            "correction": self.changed,
            "note": cleaned["note"].strip(),
            "named": " ".join(cleaned["named"].split()),
        }


def _lost(old: str, new: str) -> list[str]:
    """Signs for programs that are in one text more often than in the other."""
    before, after = Counter(_FIXED.findall(old)), Counter(_FIXED.findall(new))
    return sorted((before - after) + (after - before))


FAULTY, CORRECTED, SEVERAL, UNCORRECTED = "faulty", "corrected", "several corrections", "no correction"
STATES: Mapping[str, str] = {
    NATURAL: "more than half of the speakers find it natural, and nobody finds it offensive",
    CORRECTED: "more than half find a fault, and one correction was proposed more often than any other",
    SEVERAL: "more than half find a fault, and corrections differ",
    UNCORRECTED: "more than half find a fault, and nobody wrote a correction",
    OFFENSIVE: "more than half find a fault, somebody finds it offensive, and nobody wrote a correction",
    DISPUTED: "speakers do not agree, or most find it natural and somebody offensive",
    WAITING: "another speaker is needed",
    UNJUDGED: "nobody has judged it",
}
"""States of a text, with their meaning."""


class WordsSettings(TaskSettings):
    """Settings of the language check.

    Attributes:
        needed: speakers who look at a text; where they do not agree whether it is natural, another one is asked.
    """

    needed: Annotated[int, Field(ge=1, le=20)] = 2


class WordsRoom(AgreementRoom):
    """Speakers judge each text as people would read it."""

    kind = "words"
    title = gettext_lazy("Language check")
    columns = {"text": "the text", "language": "ISO 639 code of its language"}
    optional = {
        "in_use": "the text as people would read it: a filled template, a word in its list",
        "english": "the same in English",
        "component": "the set of texts that it belongs to, as in `endoxa languages`",
        "purpose": "what the set of texts is for",
    }
    settings = WordsSettings
    form = WordsForm
    template = "tasks/words.html"
    # No name here: only the table of texts has those that were given, without what each person said.
    answers = {
        "verdict": "'natural', 'odd', 'wrong' or 'offensive'",
        "correction": "the corrected text; empty where nothing was changed",
        "note": "what the speaker wrote",
    }

    def decision(self, answer: Answer) -> str:
        """Natural or faulty: on this, two must agree, or a third one is asked."""
        return NATURAL if answer["verdict"] == NATURAL else FAULTY

    def context(self, content: Content) -> dict[str, Any]:
        """The verdicts with their keys, and the text in use where it is another one."""
        in_use = str(content.get("in_use") or "")
        return {
            "verdicts": [(_KEYS[value], value, text) for value, text in VERDICTS],
            "in_use": "" if in_use.strip() == str(content["text"]).strip() else in_use,
        }

    def tables(self, settings: TaskSettings, items: Sequence[JudgedItem]) -> dict[str, list[dict[str, Any]]]:
        """`items`: every text with its state, its correction, and the names of those who wished to be named."""
        # A name typed once stands for all that this person judged.
        names = {
            judgement.judge: judgement.answer["named"]
            for item in items
            for judgement in item.judged
            if judgement.answer["named"]
        }
        rows = []
        for item in items:
            answers = [judgement.answer for judgement in item.counting]
            state, correction = self.decided(settings.needed, answers)
            verdicts = Counter(answer["verdict"] for answer in answers)
            proposed = Counter(answer["correction"] for answer in answers if answer["correction"])
            rows.append(
                {
                    **item.cells,
                    "words_state": state,
                    "correction": correction,
                    "speakers": len(answers),
                    **{verdict: verdicts[verdict] for verdict, _ in VERDICTS},
                    "corrections": " | ".join(proposed),
                    "notes": " | ".join(answer["note"] for answer in answers if answer["note"]),
                    "names": "; ".join(
                        sorted({names[judge.judge] for judge in item.counting if judge.judge in names})
                    ),
                }
            )
        return {"items": rows}

    def decided(self, needed: int, answers: Sequence[Answer]) -> tuple[str, str]:
        """State of a text and its corrected form, by the judgements that count.

        Args:
            needed: speakers that a text needs.
            answers: what they said, in the order in which it was given.
        """
        settled = settle(needed, [self.decision(answer) for answer in answers])
        offensive = any(answer["verdict"] == OFFENSIVE for answer in answers)
        if settled.value is None:
            return settled.state, ""
        if settled.value == NATURAL:
            return (DISPUTED if offensive else NATURAL), ""
        proposed = Counter(answer["correction"] for answer in answers if answer["correction"]).most_common(2)
        if not proposed:
            return (OFFENSIVE if offensive else UNCORRECTED), ""
        if len(proposed) == 2 and proposed[0][1] == proposed[1][1]:
            return SEVERAL, ""
        return CORRECTED, proposed[0][0]


ROOM = WordsRoom()
