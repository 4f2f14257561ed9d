"""Language check: native speakers judge endoxa's own words, each as people would read it, and correct them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext, gettext_lazy

from endoxa_collect.tasks.rooms import (
    DISPUTED,
    AgreementRoom,
    Answer,
    AnswerForm,
    Content,
    JudgedItem,
    Number,
    Rows,
    TaskSettings,
)

NATURAL, ODD, WRONG, OFFENSIVE = "natural", "odd", "wrong", "offensive"
VERDICTS = (
    ("j", NATURAL, gettext_lazy("Natural: a speaker would say it so")),
    ("o", ODD, gettext_lazy("Odd: understandable, but nobody says it so")),
    ("w", WRONG, gettext_lazy("Wrong: a mistake, or another meaning")),
    ("f", OFFENSIVE, gettext_lazy("Offensive where it is used")),
)
"""Keys, verdicts and their meaning."""
_FIXED = re.compile(r"\{[A-Za-z_]+\}|%\([a-z_]+\)[a-z]|<[^<>]+>")
"""What a program fills in or reads: it must stay as it is."""


class WordsForm(AnswerForm):
    """One verdict, nothing preselected. The text stands in the field of the correction, to be changed there."""

    verdict = forms.ChoiceField(choices=[(verdict, words) for _, verdict, words in VERDICTS])
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
        new = cleaned["correction"].replace("\r\n", "\n")
        changed = new if new != text else ""
        fault = ""
        if cleaned["verdict"] == NATURAL and changed:
            fault = gettext("You changed the text. Say that it is odd or wrong, or undo your change.")
        elif cleaned["verdict"] in (ODD, WRONG) and not changed and not cleaned["note"]:
            fault = gettext("Change the text so that it is right, or say in the note what is wrong.")
        elif changed and (lost := _lost(text, changed)):
            signs = gettext(
                "These signs must stay as often as they were, because a program reads them: %(signs)s"
            )
            fault = signs % {"signs": ", ".join(lost)}
        if fault:
            self.add_error(None, fault)
        return {**cleaned, "correction": changed, "named": " ".join(cleaned["named"].split())}


def _lost(old: str, new: str) -> list[str]:
    """Signs for programs that are in one text more often than in the other."""
    before, after = Counter(_FIXED.findall(old)), Counter(_FIXED.findall(new))
    return sorted((before - after) + (after - before))


FAULTY, CORRECTED, SEVERAL, UNCORRECTED = "faulty", "corrected", "several corrections", "no correction"


class WordsSettings(TaskSettings):
    """Settings of the language check."""

    needed: Number = 2


class WordsRoom(AgreementRoom):
    """Speakers judge each text as people would read it."""

    kind = "words"
    title = gettext_lazy("Language check")
    columns = {"text": "the text", "language": "ISO 639 code of its language"}
    optional = {
        "in_use": "the text as people would read it: a filled template, a cell in its row",
        "english": "the same in English",
        "component": "the set of texts that it belongs to, as in `endoxa languages`",
        "purpose": "what the set of texts is for",
    }
    settings = WordsSettings
    form = WordsForm
    template = "tasks/words.html"
    # No name here: only the table of texts has those that were given, without what each person said.
    answers = ("verdict", "correction", "note")

    def decision(self, answer: Answer) -> str:
        """Natural or faulty: on this, two must agree, or a third one is asked."""
        return NATURAL if answer["verdict"] == NATURAL else FAULTY

    def context(self, content: Content) -> dict[str, Any]:
        """The verdicts with their keys, and the text in use where it is another one."""
        in_use = str(content.get("in_use") or "")
        return {
            "verdicts": VERDICTS,
            "in_use": "" if in_use.strip() == str(content["text"]).strip() else in_use,
        }

    def tables(self, settings: TaskSettings, items: Sequence[JudgedItem]) -> dict[str, Rows]:
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
            verdicts = Counter(judged.answer["verdict"] for judged in item.counting)
            named = {names[judged.judge] for judged in item.counting if judged.judge in names}
            row = {**item.cells, **self.outcome(settings, item), "names": "; ".join(sorted(named))}
            rows.append(row | {verdict: verdicts[verdict] for _, verdict, _ in VERDICTS})
        return {"items": rows}

    def outcome(self, settings: TaskSettings, item: JudgedItem) -> dict[str, Any]:
        """State of a text and its corrected form, by the judgements that count."""
        state, agreeing = self.settled(settings, item)
        proposed = Counter(filter(None, (judged.answer["correction"] for judged in item.counting)))
        offensive = any(judged.answer["verdict"] == OFFENSIVE for judged in item.counting)
        best = proposed.most_common(2)
        correction = ""
        if agreeing and self.decision(agreeing[0]) == NATURAL:
            state = DISPUTED if offensive else NATURAL
        elif agreeing and not best:
            state = OFFENSIVE if offensive else UNCORRECTED
        elif agreeing and len(best) == 2 and best[0][1] == best[1][1]:
            state = SEVERAL
        elif agreeing:
            state, correction = CORRECTED, best[0][0]
        return {
            **self.review(item, state),
            "correction": correction,
            "corrections": " | ".join(proposed),
        }


ROOM = WordsRoom()
