"""What became of the answers of runs: the table of a page, and its warnings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from endoxa.report.document import Finding
from endoxa.report.labels import without_directions
from endoxa.report.tables import Column, Table
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
    with_context = any(row.context for row in counts)
    rows = tuple(
        (
            label(row.model),
            *((row.context,) if with_context else ()),
            *map(
                count,
                (row.asked, row.answered, row.read, row.cut_off, row.refused, row.filtered, row.failed),
            ),
            count(row.unread),
        )
        for row in counts
    )
    numbers = ("asked", "answered", "read", "cut off", "refused", "filtered", "failed", "not readable")
    return Table(
        f"What became of the {what}",
        (
            Column("model"),
            *((Column("context"),) if with_context else ()),
            *(Column(name, numeric=True) for name in numbers),
        ),
        rows,
        folded=len(rows) > MOST_ROWS,
        notes=(
            "Cut off: the answer ended at the limit of tokens, whether it was read or not. Every other answer that was "
            "asked for is read, refused, filtered by the provider, failed or not readable.",
        ),
    )
