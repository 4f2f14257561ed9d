"""Drafts by language models: what each row says of itself, and what became of everything that was asked for."""

from __future__ import annotations

from endoxa.schema.columns import shared
from endoxa.schema.provenance import PROVENANCE_COLUMNS

DRAFT, APPROVED, REJECTED = "draft", "approved", "rejected"
STATUSES = (DRAFT, APPROVED, REJECTED)
"""States of a draft: nobody has judged it, people have taken it, people have not."""

DRAFT_COLUMNS = (
    *("draft_id", "status", "task", "source_ids", "source", "model_version", "prompt_id", "prompt_sha256"),
    *("seed", "batch", "position", "checks", *PROVENANCE_COLUMNS),
)
"""Columns that every table of drafts begins with (docs/author.md); those of its task follow."""

LEFT_OUT_COLUMNS: dict[str, str] = {
    **shared("model batch"),
    "position": "place in the answer, from 1; 0 where a whole answer gave nothing",
    "reason": "why it is no draft, see the table of reasons",
    "row": "what the model wrote",
}
"""Columns of `*_left_out.csv`: nothing that a model wrote is dropped silently."""

REFUSED, FAILED, UNREADABLE = "refused", "failed", "unreadable"
MALFORMED, AFTER_STOP, REPEATED, KNOWN = "malformed", "after-stop", "repeated", "known"
OFF_LIST, ELSEWHERE = "off-list", "elsewhere"
IDENTICAL, NO_GROUP, NEGATION, ALIKE = "identical", "no-group", "negation", "alike"

ANSWER_REASONS: dict[str, str] = {
    REFUSED: "the model declined",
    FAILED: "no answer came (error of the provider)",
    UNREADABLE: "no row could be read in the answer",
}
"""Reasons why a whole answer gave nothing."""

REASONS: dict[str, str] = {
    MALFORMED: "a field is missing or not allowed",
    AFTER_STOP: "it stands after the word with which the model stopped",
    REPEATED: "the same model said it before",
    KNOWN: "it is in your own data already",
    OFF_LIST: "group or label is not in the list that was given",
    ELSEWHERE: "it names another country",
    IDENTICAL: "both sentences are the same",
    NO_GROUP: "the group is not in the sentence",
    NEGATION: "it only denies the stereotype",
    ALIKE: "it is nearly the stereotype itself",
}
"""Reasons why a row is no draft."""

YIELD_COLUMNS: dict[str, str] = {
    **shared("model"),
    "asked": "rows asked for",
    "answers": "answers that came",
    **ANSWER_REASONS,
    "stopped": "answers that the model ended with the stop word",
    "rows": "rows read",
    **REASONS,
    "drafts": "rows kept as drafts",
    "cost_usd": "US dollars for all answers; empty where the price is not known",
}
"""Columns of `*_yield.csv`, a row for each model."""
