"""Review of what was read from statements: is it about these people, and is this what is said of them?"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Annotated, Any

import regex
from django import forms
from django.utils.translation import gettext, gettext_lazy
from pydantic import Field

from endoxa_collect.tasks.rooms import (
    DISPUTED,
    STATES,
    UNJUDGED,
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

IDENTITY, ATTRIBUTE = "identity", "attribute"

_WORD = regex.compile(r"[\p{L}\p{M}\p{N}]+(?:['’-][\p{L}\p{M}\p{N}]+)*")
_SHORT = 3
"""Words of at most this length do not identify a span: "of", "are" and "not" are everywhere."""
_STEM = 4
"""Letters that two forms of a word share at least ("Igbos", "igbo"; "loudly", "loud")."""


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of a statement; `role` is `IDENTITY`, `ATTRIBUTE` or empty."""

    text: str
    role: str


def parts(statement: str, identity: str, attribute: str) -> list[Part]:
    """The statement in stretches; together they are the statement, letter by letter.

    The attribute is looked for outside of the identity. What is not found is not marked: identities and attributes are
    normalised, so that "grannies" may stand for "old people".
    """
    roles = [""] * len(statement)
    for words, role in ((identity, IDENTITY), (attribute, ATTRIBUTE)):
        for start, end in _places(statement, words, roles):
            roles[start:end] = [role] * (end - start)
    return [
        Part("".join(letter for letter, _ in group), role)
        for role, group in groupby(zip(statement, roles, strict=True), key=lambda pair: pair[1])
    ]


def has(marked: list[Part], role: str) -> bool:
    """Whether something has that role."""
    return any(part.role == role for part in marked)


def _places(statement: str, words: str, roles: list[str]) -> list[tuple[int, int]]:
    """Where the words stand: in one piece, else from the first to the last of those that are found near each other."""
    if not words.strip():
        return []
    pattern = regex.compile(
        rf"(?<![\p{{L}}\p{{N}}]){regex.escape(words.strip())}(?![\p{{L}}\p{{N}}])", regex.IGNORECASE
    )
    for match in pattern.finditer(statement):
        if not any(roles[match.start() : match.end()]):
            return [match.span()]
    wanted = [word.group().casefold() for word in _WORD.finditer(words)]
    near = [
        match.span()
        for match in _WORD.finditer(statement)
        if not any(roles[match.start() : match.end()])
        and any(_alike(match.group().casefold(), word) for word in wanted)
    ]
    return _joined(statement, near)


def _alike(word: str, other: str) -> bool:
    """Whether both are forms of one word: equal, or with the same beginning."""
    if word == other:
        return len(word) > _SHORT or not word.isascii()
    shortest = min(len(word), len(other))
    return shortest >= _STEM and word[:_STEM] == other[:_STEM] and abs(len(word) - len(other)) <= _STEM


def _joined(statement: str, spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Neighbours with nothing but blanks between them become one."""
    made: list[tuple[int, int]] = []
    for start, end in spans:
        if made and not statement[made[-1][1] : start].strip():
            made[-1] = (made[-1][0], end)
        else:
            made.append((start, end))
    return made


KEEP, EDIT, SPLIT, OMIT = "keep", "edit", "split", "omit"
"""Decisions: those of `endoxa curate review`, and one for statements that say two things."""

OTHER = "other"
REASONS: Mapping[str, Any] = {
    "not about people": gettext_lazy("It is not about people"),
    "synonym instead of attribute": gettext_lazy("It only says in other words who they are"),
    "noise": gettext_lazy("It has no meaning, or is a test"),
    "identity or attribute missing": gettext_lazy("It does not say who, or not what"),
    "needs a country": gettext_lazy("The group cannot be told without the country"),
    "no particular group": gettext_lazy("It is about everybody or nobody in particular"),
    "not translated": gettext_lazy("It is in another language, and nobody translated it"),
    OTHER: gettext_lazy("Something else: say what in the note"),
}
"""Reasons to leave a statement out: those of `endoxa curate review`, as AfriStereo's reviewers wrote them down."""

MOST_LETTERS = 300


def _words() -> forms.CharField:
    return forms.CharField(required=False, max_length=MOST_LETTERS)


class ExtractionForm(AnswerForm):
    """Identity and attribute as they were read, to be changed; a second pair; a reason to reject.

    `action` is the button; without one (Enter in a field) the words decide. Accepting changed words is an edit, and
    with a second pair a split, so that nothing typed is lost by the wrong button.
    """

    action = forms.ChoiceField(choices=((KEEP, KEEP), (SPLIT, SPLIT)), required=False)
    reason = forms.ChoiceField(choices=tuple(REASONS.items()), required=False)
    identity = _words()
    attribute = _words()
    second_identity = _words()
    second_attribute = _words()
    note = forms.CharField(required=False, max_length=1_000)

    def __init__(self, content: Mapping[str, Any], shown: Mapping[str, Any], data: Any = None) -> None:
        super().__init__(content, shown, data)
        self.initial.update(read(content))

    def clean(self) -> dict[str, Any]:
        """Which decision it is, and whether it has all that it needs."""
        cleaned = super().clean() or {}
        if self.errors:
            return cleaned
        first, second = _pair(cleaned, ""), _pair(cleaned, "second_")
        if cleaned["reason"]:
            if cleaned["reason"] == OTHER and not cleaned["note"].strip():
                self.add_error("note", gettext("Say why in the note."))
            self.decided = {"decision": OMIT, "pairs": []}
            return cleaned
        if not all(first):
            self.add_error(None, gettext("Say who and what, or reject the statement."))
        if (any(second) or cleaned["action"] == SPLIT) and not all(second):
            self.add_error(None, gettext("The second pair needs both: who and what."))
        if first == second:
            self.add_error(None, gettext("Both pairs are the same."))
        self.decided = self._kept(first, second)
        return cleaned

    def _kept(self, first: tuple[str, str], second: tuple[str, str]) -> dict[str, Any]:
        before = read(self.content)
        if any(second):
            return {"decision": SPLIT, "pairs": [list(first), list(second)]}
        same = first == (before["identity"], before["attribute"])
        return {"decision": KEEP if same else EDIT, "pairs": [list(first)]}

    def answer(self) -> dict[str, Any]:
        """Decision, pairs, reason and note."""
        reason, note = self.cleaned_data["reason"], self.cleaned_data["note"].strip()
        return {**self.decided, "reason": reason, "note": note}


def _pair(cells: Mapping[str, Any], prefix: str) -> tuple[str, str]:
    who, what = (" ".join(str(cells[prefix + name] or "").split()) for name in ("identity", "attribute"))
    return who, what


def read(content: Mapping[str, Any]) -> dict[str, str]:
    """Identity and attribute as they stand in the table, with single blanks."""
    who, what = _pair({"identity": content.get("identity"), "attribute": content.get("attribute")}, "")
    return {"identity": who, "attribute": what}


def decision_of(answer: Mapping[str, Any]) -> Hashable:
    """What an answer comes to, so that two can be compared: rejected, or which pairs; case does not matter."""
    if answer["decision"] == OMIT:
        return OMIT
    return frozenset((who.casefold(), what.casefold()) for who, what in answer["pairs"])


def decisions_of(answers: Sequence[Mapping[str, Any]]) -> list[Hashable]:
    """What each answer comes to."""
    return [decision_of(answer) for answer in answers]


ROW_KEY = "review_row"
"""Names a row for good, as in the sheets of `endoxa curate review`: '<statement_id>#<n>', an added one by its words."""

REVIEW: dict[str, str] = {
    "omit": "'true' where the row is left out, else 'false'",
    "omit_reason": "why it is left out, or empty",
    "reviewed_by": "keys of those who decided on the row",
    "review_decision": "keep, edit, omit or disputed; empty where too few have decided",
    "review_note": "notes of the reviewers, and what they disagreed about",
    ROW_KEY: "name of the row in every sheet made from this table",
    "review_state": "unjudged, waiting, agreed, majority or disputed",
    "review_judgements": "judgements that count",
}
"""Columns that are added or replaced."""


def with_rows_named(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The rows with `review_row`, as `endoxa curate review export` names them."""
    seen: dict[str, int] = {}
    named = []
    for row in rows:
        identifier = str(row.get("statement_id", "")).strip()
        seen[identifier] = seen.get(identifier, 0) + 1
        name = str(row.get(ROW_KEY) or "").strip() or (
            f"{identifier}#{seen[identifier]}" if identifier else ""
        )
        named.append({**row, ROW_KEY: name})
    return named


def reviewed(settings: TaskSettings, items: Sequence[JudgedItem]) -> dict[str, list[dict[str, Any]]]:
    """The reviewed table: a row for each item, and behind it those that were split off."""
    columns = dict.fromkeys(name for item in items for name in item.content)
    rows: list[dict[str, Any]] = []
    names = {item.key for item in items}
    for item in items:
        before = {name: item.content.get(name, item.hidden.get(name, "")) for name in _all(columns, items)}
        row, added = _reviewed_row(settings, item, before)
        rows.append(row)
        for split in added:
            if split[ROW_KEY] not in names:
                names.add(split[ROW_KEY])
                rows.append(split)
    return {"items": rows}


def _all(columns: Mapping[str, None], items: Sequence[JudgedItem]) -> list[str]:
    return list(dict.fromkeys([*columns, *(items[0].hidden if items else ())]))


def _reviewed_row(
    settings: TaskSettings, item: JudgedItem, before: Mapping[str, Any]
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    counting = item.counting
    settled = settle(settings.needed, decisions_of([judgement.answer for judgement in counting]))
    agreeing = [
        judgement
        for judgement in counting
        if settled.value is not None and decision_of(judgement.answer) == settled.value
    ]
    # Notes by reviewer, and who wants what where they do not agree.
    earlier = before.get("review_note", "")
    entries = [str(earlier)] if earlier else []
    entries += [
        f"{judgement.judge}: {judgement.answer['note']}" for judgement in counting if judgement.answer["note"]
    ]
    if settled.differ:
        wanted = "; ".join(f"{judgement.judge}: {spoken(judgement.answer)}" for judgement in counting)
        entries.append(f"{'disputed' if settled.value is None else 'not all agree'} ({wanted})")
    row = {
        **before,
        "omit": before.get("omit") or "false",
        "omit_reason": before.get("omit_reason", ""),
        "reviewed_by": "; ".join(sorted(judgement.judge for judgement in counting)),
        "review_decision": "",
        "review_note": " | ".join(entries),
        ROW_KEY: item.key,
        "review_state": settled.state,
        "review_judgements": len(counting),
    }
    if settled.state == UNJUDGED:
        kept = {name: before.get(name, "") for name in ("reviewed_by", "review_decision")}
        return row | kept, []
    if not agreeing:
        return row | {"review_decision": DISPUTED if settled.differ else ""}, []
    if settled.value == OMIT:
        reasons = dict.fromkeys(judgement.answer["reason"] for judgement in agreeing)
        return row | {"omit": "true", "omit_reason": "; ".join(reasons), "review_decision": OMIT}, []
    return _kept(row, agreeing[0].answer)


def _kept(row: dict[str, Any], answer: Mapping[str, Any]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The row with the words agreed on, and a row for each further pair."""
    row |= {"omit": "false", "omit_reason": "", "review_decision": KEEP}
    if answer["decision"] == KEEP:
        return row, []
    (who, what), *more = answer["pairs"]
    row |= {"identity": who, "attribute": what, "review_decision": EDIT}
    identifier = str(row["statement_id"]).strip()
    added = [
        {**row, "identity": who, "attribute": what, ROW_KEY: added_name(identifier, who, what)}
        for who, what in more
    ]
    return row, added


def added_name(identifier: str, identity: str, attribute: str) -> str:
    """Name of a row that was added, the one that sheets give it: the statement and a hash of its words."""
    words = json.dumps(sorted({"identity": identity, "attribute": attribute}.items()))
    return f"{identifier}+{hashlib.sha256(words.encode()).hexdigest()[:8]}"


def spoken(answer: Mapping[str, Any]) -> str:
    """What somebody wants, in a few words."""
    if answer["decision"] == OMIT:
        return f"omit ({answer['reason']})"
    return " + ".join(f"{who} / {what}" for who, what in answer["pairs"])


__all__ = ["ROOM", "STATES", "ExtractionSettings"]


class ExtractionSettings(TaskSettings):
    """Settings of a review.

    Attributes:
        needed: reviewers a statement needs; two or more who disagree get another one.
    """

    needed: Annotated[int, Field(ge=1, le=20)] = 2


def _needed(settings: ExtractionSettings, _content: Content, answers: Sequence[Answer]) -> int:
    return needed_with_third(settings.needed, decisions_of(answers))


def _check(content: Content) -> Iterator[str]:
    missing = [name for name in ("identity", "attribute") if name not in content]
    if missing:
        yield f"no column '{missing[0]}'. Expected a table of `endoxa curate extract`."


def _context(content: Content, _shown: Mapping[str, Any]) -> dict[str, Any]:
    words = read(content)
    statement = str(content["statement"])
    marked = parts(statement, words["identity"], words["attribute"])
    original = str(content.get("original_statement") or "")
    translated = original.split() != statement.split()
    return {
        "parts": marked,
        "identity_found": has(marked, IDENTITY) or not words["identity"],
        "attribute_found": has(marked, ATTRIBUTE) or not words["attribute"],
        "original": original if translated else "",
        "reasons": [(str(key), value, text) for key, (value, text) in enumerate(REASONS.items(), start=1)],
        "proposed": str(content.get("omit", "")).lower() == "true",
        "proposed_reason": REASONS.get(str(content.get("omit_reason", "")), ""),
        "percent": _percent(str(content.get("confidence", ""))),
    }


def _percent(confidence: str) -> str:
    """A confidence between 0 and 1 in whole percent; empty if it is missing or invalid."""
    try:
        share = float(confidence)
    except ValueError:
        return ""
    return f"{share:.0%}" if 0 <= share <= 1 else ""


def _row(judgement: Judged) -> dict[str, Any]:
    answer = judgement.answer
    pairs = [*answer["pairs"], ("", ""), ("", "")]
    return {
        "decision": answer["decision"],
        "reason": answer["reason"],
        "judged_identity": pairs[0][0],
        "judged_attribute": pairs[0][1],
        "second_identity": pairs[1][0],
        "second_attribute": pairs[1][1],
        "note": answer["note"],
    }


ROOM = Room(
    kind="extraction",
    title=gettext_lazy("Review of statements"),
    columns={
        "statement_id": "name of the statement, as `endoxa curate extract` gives it",
        "statement": "what was said, in words",
    },
    optional={
        "identity": "whom it is about, as it was read; may be empty",
        "attribute": "what is said of them, as it was read; may be empty",
        "original_statement": "the words before translation",
        "rule": "rule that read it",
        "confidence": "how sure the rule is, from 0 to 1",
        "omit": "'true' where leaving it out is proposed",
        "omit_reason": "why",
        "other_reading": "what a second reader read in it, where the two differ",
        ROW_KEY: "name of the row; made where it is missing",
    },
    settings=ExtractionSettings,
    form=ExtractionForm,
    template="tasks/extraction.html",
    answers={
        "decision": "'keep', 'edit', 'split' or 'omit'",
        "reason": "why it is left out, with 'omit'",
        "judged_identity": "whom it is about, as the reviewer has it; empty with 'omit'",
        "judged_attribute": "what is said of them, as the reviewer has it; empty with 'omit'",
        "second_identity": "whom the second half is about, with 'split'",
        "second_attribute": "what the second half says, with 'split'",
        "note": "what the reviewer wrote",
    },
    row=_row,
    needed=_needed,
    context=_context,
    check=_check,
    ids=(ROW_KEY,),
    prepare=with_rows_named,
    tables=reviewed,
)
