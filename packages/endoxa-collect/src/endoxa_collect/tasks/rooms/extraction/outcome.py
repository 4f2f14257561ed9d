"""From judgements back to a table of statements that every later step of `endoxa curate` reads.

The columns are those of the table that came in, with their cells unchanged except for the four that a review decides
(identity, attribute, omit and its reason); then those that `endoxa curate review apply` adds, and the state.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from endoxa_collect.tasks.agreeing import DISPUTED, UNJUDGED, settle
from endoxa_collect.tasks.room import JudgedItem, TaskSettings
from endoxa_collect.tasks.rooms.extraction.form import EDIT, KEEP, OMIT, decision_of, decisions_of

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
        row, added = _row(settings, item, before)
        rows.append(row)
        for split in added:
            if split[ROW_KEY] not in names:
                names.add(split[ROW_KEY])
                rows.append(split)
    return {"items": rows}


def _all(columns: Mapping[str, None], items: Sequence[JudgedItem]) -> list[str]:
    return list(dict.fromkeys([*columns, *(items[0].hidden if items else ())]))


def _row(
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
