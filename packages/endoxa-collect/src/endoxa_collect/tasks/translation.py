"""Choice between translations of a pair, without knowing who translated (IndiBias hid the engines by hand).

In the file, the sentences of an engine stand in `candidate_ENGINE_more` and `candidate_ENGINE_less`. In the item they
are `candidate_1_more` and so on, and the names of the engines are hidden.
"""

from __future__ import annotations

import random
import re
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext, gettext_lazy
from rapidfuzz.distance import Levenshtein

from endoxa.errors import UserError
from endoxa_collect.tasks.pairs import compare, hints
from endoxa_collect.tasks.rooms import (
    AgreementRoom,
    Answer,
    AnswerForm,
    Content,
    JudgedItem,
    Number,
    Rows,
    TaskSettings,
)

ENGINES = "engines"
"""Hidden column: names of the engines, in the order of their numbers."""
SIDES = ("more", "less")

_COLUMN = re.compile(r"candidate_(?P<engine>.+)_(?P<side>more|less)", re.DOTALL)


def column(candidate: int | str, side: str) -> str:
    """Name of the column of a candidate (a number, or the name of an engine)."""
    return f"candidate_{candidate}_{side}"


def _engines(columns: Sequence[str]) -> list[str]:
    sides_of: dict[str, set[str]] = {}
    for match in filter(None, map(_COLUMN.fullmatch, columns)):
        sides_of.setdefault(match["engine"], set()).add(match["side"])
    if not sides_of:
        raise UserError(
            "The file has no candidates. Expected two columns for each engine: candidate_ENGINE_more and "
            "candidate_ENGINE_less."
        )
    for engine, sides in sides_of.items():
        if len(sides) < len(SIDES):
            missing = column(engine, next(side for side in SIDES if side not in sides))
            raise UserError(f"The file has no column '{missing}'. Expected both sentences of each engine.")
    return list(sides_of)


def sentences(content: Content, candidate: int) -> tuple[str, str]:
    """Both sentences of a candidate."""
    return content[column(candidate, "more")], content[column(candidate, "less")]


def numbers(content: Content) -> list[int]:
    """Candidates that an item has."""
    matches = (_COLUMN.fullmatch(name) for name in content)
    engines = {int(match["engine"]) for match in matches if match and match["engine"].isdecimal()}
    return [number for number in sorted(engines) if all(sentences(content, number))]


CHOSEN, EDITED, OWN, NONE = "candidate", "edited", "own", "none"
MOST_LETTERS = 1_000


class TranslationForm(AnswerForm):
    """Buttons `choice` (a place, or 'none'), `edit` (a place, or 'own'), with the words in fields.

    Only places stand in the page: which candidate was where is kept with the turn.
    """

    choice = forms.CharField(required=False, max_length=4)
    edit = forms.CharField(required=False, max_length=4)
    note = forms.CharField(required=False, max_length=1_000)

    def __init__(self, content: Mapping[str, Any], shown: Mapping[str, Any], data: Any = None) -> None:
        super().__init__(content, shown, data)
        self.pairs = [sentences(content, same[0]) for same in shown["order"]]
        for name in (OWN, *(str(place) for place in range(1, len(self.pairs) + 1))):
            for side in SIDES:
                self.fields[f"{name}_{side}"] = forms.CharField(required=False, max_length=MOST_LETTERS)

    @property
    def candidates(self) -> list[dict[str, Any]]:
        """The candidates in this judge's order as the page shows them: the place, and fields to change them."""
        language = str(self.content["language"])
        return [
            {
                "place": place,
                "compared": compare(more, less, language),
                "more": self.data.get(f"{place}_more", more),
                "less": self.data.get(f"{place}_less", less),
                "open": self.data.get("edit") == str(place),
            }
            for place, (more, less) in enumerate(self.pairs, start=1)
        ]

    def clean(self) -> dict[str, Any]:
        """Which button it was, and whether its words are there."""
        cleaned = super().clean() or {}
        if self.errors:
            return cleaned
        self.decided: dict[str, Any] = {"choice": NONE, "candidates": [], "place": 0, "distance": 0}
        self.decided |= dict.fromkeys(SIDES, "")
        edit, choice = cleaned["edit"], cleaned["choice"]
        button = edit or choice
        place = int(button) if button.isdecimal() and button.isascii() else 0
        if edit == OWN or 1 <= place <= len(self.pairs):
            self._take(place, cleaned, edit)
        elif edit or choice != NONE:
            self.add_error(None, gettext("Choose one, or neither."))
        return {**self.decided, "note": cleaned["note"]}

    def _take(self, place: int, cleaned: Mapping[str, Any], edit: str) -> None:
        """Decide for a candidate (`place`), in the words of `cleaned` where it was edited; place 0 is nobody's."""
        offered = self.pairs[place - 1] if place else ("", "")
        more, less = offered
        if edit:
            more, less = (" ".join(cleaned[f"{edit}_{side}"].split()) for side in SIDES)
            if not (more and less):
                self.add_error(None, gettext("Write both sentences."))
            elif compare(more, less, "").identical:
                self.add_error(None, gettext("Both sentences are the same: such a pair measures nothing."))
        plain = tuple(" ".join(text.split()) for text in offered)
        same = (more, less) in (offered, plain)
        self.decided = {
            "choice": OWN if not place else CHOSEN if same else EDITED,
            "candidates": self.shown["order"][place - 1] if place else [],
            "place": place,
            "more": offered[0] if same else more,
            "less": offered[1] if same else less,
            # Letters to insert, delete or replace in both sentences (Levenshtein).
            "distance": Levenshtein.distance(offered[0], more) + Levenshtein.distance(offered[1], less)
            if place and not same
            else 0,
        }


SELF_WRITTEN, NEITHER = "(own words)", "(neither)"
_CONFIDENCE = 0.95


def _share(name: str, items: int, judgements: int, chosen: Sequence[Any]) -> dict[str, Any]:
    """How often candidates were chosen, with the 95 % interval; judgements of one person are taken as independent."""
    from endoxa.stats.intervals import wilson

    low = high = ""
    if judgements:
        interval = wilson(len(chosen), judgements, _CONFIDENCE)
        low, high = f"{interval.low:.4f}", f"{interval.high:.4f}"
    edits = [answer["distance"] for answer in chosen if answer["choice"] == EDITED]
    return {
        "engine": name,
        "items": items,
        "judgements": judgements,
        "chosen": len(chosen),
        "unchanged": sum(answer["choice"] == CHOSEN for answer in chosen),
        "edited": len(edits),
        "mean_distance": f"{sum(edits) / len(edits):.1f}" if edits else "",
        "share": f"{len(chosen) / judgements:.4f}" if judgements else "",
        "low": low,
        "high": high,
    }


class TranslationSettings(TaskSettings):
    """Settings of a choice."""

    needed: Number = 3


class TranslationRoom(AgreementRoom):
    """People choose between translations, whose engines are hidden."""

    kind = "translation"
    title = gettext_lazy("Choice of translations")
    columns = {
        "sent_more": "first sentence of the pair, in the language it comes from",
        "sent_less": "second sentence of the pair",
        "language": "language into which it was translated (ISO 639)",
    }
    optional = {
        "language_from": "language of the pair; 'en' where it is missing",
        "candidate_ENGINE_more": "first sentence as ENGINE translated it; two such columns for each engine",
        "candidate_ENGINE_less": "second sentence as ENGINE translated it",
    }
    hidden = frozenset({ENGINES})
    settings = TranslationSettings
    form = TranslationForm
    template = "tasks/translation.html"
    answers = ("choice", "chosen", "place", "chosen_more", "chosen_less", "distance", "note")

    def prepare(self, rows: Iterable[Content]) -> Iterator[Content]:
        """The rows with numbers instead of the names of engines, and the names in `ENGINES`.

        Raises:
            UserError: there is no engine, or one with one column only.
        """
        engines: list[str] = []
        for row in rows:
            engines = engines or _engines(list(row))
            kept: dict[str, Any] = {name: value for name, value in row.items() if not _COLUMN.fullmatch(name)}
            for number, engine in enumerate(engines, start=1):
                for side in SIDES:
                    kept[column(number, side)] = str(row.get(column(engine, side), "")).strip()
            yield {**kept, ENGINES: engines}

    def check(self, content: Content) -> Iterator[str]:
        """At least one engine must have both sentences, and none only one."""
        there = 0
        for number, engine in enumerate(content[ENGINES], start=1):
            filled = [bool(content[column(number, side)]) for side in SIDES]
            there += all(filled)
            if any(filled) and not all(filled):
                yield f"the engine '{engine}' has one sentence only. Expected both, or none."
        if not there:
            yield "no engine has a translation. Expected at least one."

    def draw(self, content: Content, rng: random.Random) -> dict[str, Any]:
        """The order in which a judge sees the candidates; engines that say the same are one candidate."""
        same: dict[tuple[str, str], list[int]] = {}
        for number in numbers(content):
            same.setdefault(sentences(content, number), []).append(number)
        order = list(same.values())
        rng.shuffle(order)
        return {"order": order}

    def context(self, content: Content) -> dict[str, Any]:
        """The pair in the language it comes from, and what to look at in the other one."""
        source = str(content.get("language_from") or "en")
        return {
            "source": compare(str(content["sent_more"]), str(content["sent_less"]), source),
            "source_language": source,
            "hints": hints(str(content["language"])),
        }

    def decision(self, answer: Answer) -> Hashable:
        """The sentences, or none."""
        if answer["choice"] == NONE:
            return NONE
        return tuple(" ".join(answer[side].split()) for side in SIDES)

    def row(self, answer: Answer, hidden: Content) -> dict[str, Any]:
        """The columns of `answers`."""
        return {
            "choice": answer["choice"],
            "chosen": self._chosen_engines(answer, hidden),
            "place": answer["place"] or "",
            "chosen_more": answer["more"],
            "chosen_less": answer["less"],
            "distance": answer["distance"],
            "note": answer["note"],
        }

    def tables(self, settings: TaskSettings, items: Sequence[JudgedItem]) -> Mapping[str, Rows]:
        """`items` (every pair with what was chosen), `engines` (shares), `pairs` (those with a translation)."""
        made = [self.outcome(settings, item) for item in items]
        # A row for each engine, and for own words and neither.
        rows = []
        # Each file numbers its engines anew.
        for engine in dict.fromkeys(engine for item in items for engine in item.hidden[ENGINES]):
            places = [
                (item, item.hidden[ENGINES].index(engine) + 1)
                for item in items
                if engine in item.hidden[ENGINES]
            ]
            offered = [(item, number) for item, number in places if number in numbers(item.content)]
            numbered = [(judgement.answer, number) for item, number in offered for judgement in item.counting]
            chosen = [answer for answer, number in numbered if number in answer["candidates"]]
            rows.append(_share(engine, len(offered), len(numbered), chosen))
        answers = [judgement.answer for item in items for judgement in item.counting]
        for name, choice in ((SELF_WRITTEN, OWN), (NEITHER, NONE)):
            chosen = [answer for answer in answers if answer["choice"] == choice]
            rows.append(_share(name, len(items), len(answers), chosen))
        # Pairs as models are probed with them: the translation in the columns of the sentences.
        pairs = [
            {
                **{
                    name: cell for name, cell in row.items() if not name.startswith(("candidate_", "chosen_"))
                },
                "sent_more": row["translated_more"],
                "sent_less": row["translated_less"],
                "source_more": row["sent_more"],
                "source_less": row["sent_less"],
            }
            for row in made
            if row["translated_more"]
        ]
        return {"items": made, "engines": rows, "pairs": pairs}

    def outcome(self, settings: TaskSettings, item: JudgedItem) -> dict[str, Any]:
        """The row as it stood in the file, what was chosen, and how often each candidate was."""
        state, agreeing = self.settled(settings, item)
        agreed = agreeing[0] if agreeing else None
        answers = [judgement.answer for judgement in item.counting]
        row = {
            name: cell for name, cell in item.cells.items() if name != ENGINES and not _COLUMN.fullmatch(name)
        }
        for number, engine in enumerate(item.hidden[ENGINES], start=1):
            row |= {column(engine, side): item.content.get(column(number, side), "") for side in SIDES}
        row |= {
            "translated_more": agreed["more"] if agreed else "",
            "translated_less": agreed["less"] if agreed else "",
            "translated_how": agreed["choice"] if agreed else "",
            "translated_from": self._chosen_engines(agreed, item.hidden) if agreed else "",
            "translated_distance": agreed["distance"] if agreed else "",
            **self.review(item, state),
        }
        for number, engine in enumerate(item.hidden[ENGINES], start=1):
            row[f"chosen_{engine}"] = sum(number in answer["candidates"] for answer in answers)
        row["chosen_own"] = sum(answer["choice"] == OWN for answer in answers)
        row["chosen_none"] = sum(answer["choice"] == NONE for answer in answers)
        return row

    @staticmethod
    def _chosen_engines(answer: Answer, hidden: Content) -> str:
        return "; ".join(hidden[ENGINES][number - 1] for number in answer["candidates"])


ROOM = TranslationRoom()
