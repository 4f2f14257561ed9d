"""What became of the answers of runs: the table of a page, and its warnings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from endoxa.report.document import Finding
from endoxa.report.labels import without_directions
from endoxa.report.tables import Table, number_field, table_of, text_field
from endoxa.report.words import count
from endoxa.runs.asking.outcomes import AnswerCounts, answer_warning, conspicuous
from endoxa.runs.folder import sampling_setting
from endoxa.sources.served import fingerprint_sentences

MOST_ROWS = 24
"""Longer tables stay closed until asked for."""


def answer_findings(
    counts: Sequence[AnswerCounts], facts: Mapping[str, Any], label: Callable[[str], str]
) -> Iterator[Finding]:
    """Warnings of a run: many answers that were cut off or not read, servers that changed their fingerprint.

    Args:
        counts: counts of the run.
        facts: its `run.json`.
        label: how the page names a model.
    """
    for row in conspicuous(counts):
        sentence = answer_warning(replace(row, model=label(row.model)), facts)
        limit = sampling_setting(facts, "max_tokens")
        yield Finding(sentence, ({**asdict(row), "share": row.cut_off / row.asked, "max_tokens": limit},))
    yield from sentence_findings(map(without_directions, fingerprint_sentences(facts)))


def sentence_findings(sentences: Iterable[str]) -> Iterator[Finding]:
    """Warnings that are sentences and no more: versions of hosted models, equal repeats."""
    for sentence in sentences:
        yield Finding(sentence, ({"sentence": sentence},))


def outcome_table(
    counts: Sequence[AnswerCounts], label: Callable[[str], str], what: str = "answers"
) -> Table:
    """Asked, answered, read, cut off, refused, filtered and failed, a row for each model and context."""
    names = ("asked", "answered", "read", "cut off", "refused", "filtered", "failed")
    columns = {name: name.replace(" ", "_") for name in names} | {"not readable": "unread"}

    def counted(key: str) -> Callable[[AnswerCounts], str]:
        return lambda row: count(getattr(row, key))

    fields = (
        text_field("model", lambda row: label(row.model)),
        text_field("context", lambda row: row.context) if any(row.context for row in counts) else None,
        *(number_field(name, counted(key)) for name, key in columns.items()),
    )
    notes = (
        "Cut off: the answer ended at the limit of tokens, whether it was read or not. Every other answer that was "
        "asked for is read, refused, filtered by the provider, failed or not readable.",
    )
    return table_of(f"What became of the {what}", counts, fields, most_open=MOST_ROWS, notes=notes)
