"""Review of what was read from statements: is it about these people, and is this what is said of them?

It ends in a table of statements that every later step of `endoxa curate` reads. The columns are those of the table that
came in, with their cells unchanged except for the four that a review decides (identity, attribute, omit and its
reason); then those that `endoxa curate review` adds, and the state.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

import regex
from django import forms
from django.utils.translation import gettext, gettext_lazy

from endoxa.sources.identities import identity_key
from endoxa_collect.tasks.rooms import (
    DISPUTED,
    OTHER,
    UNJUDGED,
    AgreementRoom,
    Answer,
    Content,
    JudgedItem,
    Number,
    Part,
    RejectingForm,
    TaskSettings,
)

IDENTITY, ATTRIBUTE = "identity", "attribute"

_WORD = regex.compile(r"[\p{L}\p{M}\p{N}]+(?:['’-][\p{L}\p{M}\p{N}]+)*")
_SHORT = 3
"""Words of at most this length do not identify a span: "of", "are" and "not" are everywhere."""
_STEM = 4
"""Letters that two forms of a word share at least ("Igbos", "igbo"; "loudly", "loud")."""


def parts(statement: str, identity: str, attribute: str) -> list[Part]:
    """The statement in parts with the role `IDENTITY`, `ATTRIBUTE` or none; together they are it, letter by letter.

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
    # Neighbours with nothing but blanks between them become one.
    made: list[tuple[int, int]] = []
    for start, end in near:
        if made and not statement[made[-1][1] : start].strip():
            made[-1] = (made[-1][0], end)
        else:
            made.append((start, end))
    return made


def _alike(word: str, other: str) -> bool:
    """Whether both are forms of one word: equal, or with the same beginning."""
    if word == other:
        return len(word) > _SHORT or not word.isascii()
    shortest = min(len(word), len(other))
    return shortest >= _STEM and word[:_STEM] == other[:_STEM] and abs(len(word) - len(other)) <= _STEM


KEEP, EDIT, SPLIT, OMIT = "keep", "edit", "split", "omit"
"""Decisions: those of `endoxa curate review`, and one for statements that say two things."""

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


class ExtractionForm(RejectingForm):
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
    rejected = {"decision": OMIT, "pairs": []}

    def __init__(self, content: Mapping[str, Any], shown: Mapping[str, Any], data: Any = None) -> None:
        super().__init__(content, shown, data)
        self.initial.update(read(content))

    def kept(self, cleaned: Mapping[str, Any]) -> dict[str, Any]:
        """Kept as it was read, in other words, or as two pairs."""
        first, second = _pair(cleaned, ""), _pair(cleaned, "second_")
        if not all(first):
            self.add_error(None, gettext("Say who and what, or reject the statement."))
        if (any(second) or cleaned["action"] == SPLIT) and not all(second):
            self.add_error(None, gettext("The second pair needs both: who and what."))
        if first == second:
            self.add_error(None, gettext("Both pairs are the same."))
        if any(second):
            return {"decision": SPLIT, "pairs": [list(first), list(second)]}
        same = first == tuple(read(self.content).values())
        return {"decision": KEEP if same else EDIT, "pairs": [list(first)]}


def _pair(cells: Mapping[str, Any], prefix: str) -> tuple[str, str]:
    who, what = (" ".join(str(cells[prefix + name] or "").split()) for name in ("identity", "attribute"))
    return who, what


def read(content: Mapping[str, Any]) -> dict[str, str]:
    """Identity and attribute as they stand in the table, with single blanks."""
    who, what = _pair({"identity": content.get("identity"), "attribute": content.get("attribute")}, "")
    return {"identity": who, "attribute": what}


ROW_KEY = "review_row"
"""Names a row for good, as in the sheets of `endoxa curate review`: '<statement_id>#<n>', an added one by its words."""


def added_name(identifier: str, identity: str, attribute: str) -> str:
    """Name of a row that was added, the one that sheets give it: the statement and a hash of its words."""
    words = json.dumps(sorted({"identity": identity, "attribute": attribute}.items()))
    return f"{identifier}+{hashlib.sha256(words.encode()).hexdigest()[:8]}"


def spoken(answer: Mapping[str, Any]) -> str:
    """What somebody wants, in a few words."""
    if answer["decision"] == OMIT:
        return f"omit ({answer['reason']})"
    return " + ".join(f"{who} / {what}" for who, what in answer["pairs"])


class ExtractionSettings(TaskSettings):
    """Settings of a review."""

    needed: Number = 2


class ExtractionRoom(AgreementRoom):
    """Reviewers accept, change, split or reject what was read."""

    kind = "extraction"
    title = gettext_lazy("Review of statements")
    columns = {
        "statement_id": "name of the statement, as `endoxa curate extract` gives it",
        "statement": "what was said, in words",
    }
    optional = {
        "identity": "whom it is about, as it was read; may be empty",
        "attribute": "what is said of them, as it was read; may be empty",
        "original_statement": "the words before translation",
        "rule": "rule that read it",
        "confidence": "how sure the rule is, from 0 to 1",
        "omit": "'true' where leaving it out is proposed",
        "omit_reason": "why",
        "other_reading": "what a second reader read in it, where the two differ",
        ROW_KEY: "name of the row; made where it is missing",
    }
    ids = (ROW_KEY,)
    settings = ExtractionSettings
    form = ExtractionForm
    template = "tasks/extraction.html"
    answers = (
        "decision", "reason", "judged_identity", "judged_attribute", "second_identity", "second_attribute", "note",
    )  # fmt: skip

    def prepare(self, rows: Iterable[Content]) -> Iterator[Content]:
        """The rows with `review_row`, as `endoxa curate review` names them."""
        seen: Counter[str] = Counter()
        for row in rows:
            identifier = str(row.get("statement_id", "")).strip()
            seen[identifier] += 1
            made = f"{identifier}#{seen[identifier]}" if identifier else ""
            yield {**row, ROW_KEY: str(row.get(ROW_KEY) or "").strip() or made}

    def check(self, content: Content) -> Iterator[str]:
        """There must be columns with what was read."""
        missing = [name for name in ("identity", "attribute") if name not in content]
        if missing:
            yield f"no column '{missing[0]}'. Expected a table of `endoxa curate extract`."

    def context(self, content: Content) -> dict[str, Any]:
        """The statement with identity and attribute marked, the words before translation, the reasons."""
        words = read(content)
        statement = str(content["statement"])
        marked = parts(statement, words["identity"], words["attribute"])
        roles = {part.role for part in marked}
        original = str(content.get("original_statement") or "")
        try:
            sure = float(str(content.get("confidence", "")))
        except ValueError:
            sure = math.nan
        return {
            "parts": marked,
            "identity_found": IDENTITY in roles or not words["identity"],
            "attribute_found": ATTRIBUTE in roles or not words["attribute"],
            "original": original if original.split() != statement.split() else "",
            "proposed": str(content.get("omit", "")).lower() == "true",
            "proposed_reason": REASONS.get(str(content.get("omit_reason", "")), ""),
            "percent": f"{sure:.0%}" if 0 <= sure <= 1 else "",
        }

    def decision(self, answer: Answer) -> Hashable:
        """Rejected, or which pairs, in whatever spelling."""
        if answer["decision"] == OMIT:
            return OMIT
        return frozenset((identity_key(who), identity_key(what)) for who, what in answer["pairs"])

    def row(self, answer: Answer, hidden: Content) -> dict[str, Any]:  # noqa: ARG002
        """The columns of `answers`."""
        pairs: list[tuple[str, str]] = answer["pairs"]
        words = [word for pair in (*pairs, ("", ""), ("", ""))[:2] for word in pair]
        return dict(
            zip(self.answers, (answer["decision"], answer["reason"], *words, answer["note"]), strict=True)
        )

    def tables(self, settings: TaskSettings, items: Sequence[JudgedItem]) -> dict[str, list[dict[str, Any]]]:
        """The reviewed table: a row for each item, and behind it those that were split off."""
        rows: list[dict[str, Any]] = []
        names = {item.key for item in items}
        for item in items:
            row, added = self._reviewed(settings, item)
            rows.append(row)
            for split in added:
                if split[ROW_KEY] not in names:
                    names.add(split[ROW_KEY])
                    rows.append(split)
        return {"items": rows}

    def _reviewed(
        self, settings: TaskSettings, item: JudgedItem
    ) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        """The row of an item, and those for further pairs that were agreed on."""
        before = {**item.content, **item.hidden}
        state, agreeing = self.settled(settings, item)
        differ = len({self.decision(judged.answer) for judged in item.counting}) > 1
        # Notes by reviewer, and who wants what where they do not agree.
        earlier = before.get("review_note", "")
        notes = [*([str(earlier)] if earlier else ()), *item.notes]
        if differ:
            wanted = "; ".join(f"{judged.judge}: {spoken(judged.answer)}" for judged in item.counting)
            notes.append(f"{'not all agree' if agreeing else 'disputed'} ({wanted})")
        row = {
            **before,
            "omit": before.get("omit") or "false",
            "omit_reason": before.get("omit_reason", ""),
            "reviewed_by": "; ".join(sorted(judged.judge for judged in item.counting)),
            "review_decision": "",
            "review_note": " | ".join(notes),
            ROW_KEY: item.key,
            "review_state": state,
            "review_judgements": len(item.counting),
        }
        if state == UNJUDGED:
            return row | {name: before.get(name, "") for name in ("reviewed_by", "review_decision")}, []
        if not agreeing:
            return row | {"review_decision": DISPUTED if differ else ""}, []
        if agreeing[0]["decision"] == OMIT:
            reasons = dict.fromkeys(answer["reason"] for answer in agreeing)
            return row | {"omit": "true", "omit_reason": "; ".join(reasons), "review_decision": OMIT}, []
        row |= {"omit": "false", "omit_reason": "", "review_decision": KEEP}
        if agreeing[0]["decision"] == KEEP:
            return row, []
        (who, what), *more = agreeing[0]["pairs"]
        row |= {"identity": who, "attribute": what, "review_decision": EDIT}
        identifier = str(row["statement_id"]).strip()
        return row, [
            {**row, "identity": who, "attribute": what, ROW_KEY: added_name(identifier, who, what)}
            for who, what in more
        ]


ROOM = ExtractionRoom()
