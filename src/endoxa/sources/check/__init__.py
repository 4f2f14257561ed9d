"""Looking for problems in a file of sentence pairs or a table of associations: `check_file` lists every one.

Each check is one function with its reason in its docstring; a check looks at one pair (`PAIR_CHECKS`) or at
all of them (`FILE_CHECKS`). None of them judges whether a stereotype is real or harmful: that takes people.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from endoxa.errors import UserError
from endoxa.schema import Reader, ReadOptions
from endoxa.sources.bbq.items import find_metadata, read_items, targets_note
from endoxa.sources.bbq.rows import checked_rows, is_bbq
from endoxa.sources.check import characters, contrasts, wording  # noqa: F401 (they register their checks)
from endoxa.sources.check.associations import ASSOCIATIONS, check_associations, is_associations
from endoxa.sources.check.characters import invisible_character
from endoxa.sources.check.problems import (
    PAIR_CHECKS,
    SEVERITIES,
    Checked,
    Item,
    Problem,
    Severity,
    Trace,
    contrast_across_axes,
    duplicate_id,
    duplicate_pairs,
    group_problems,
    identity_spellings,
    unbalanced_labels,
    undeclared_language,
    write_problems,
)
from endoxa.sources.drafts import Draft, draft_faults, no_rows
from endoxa.sources.files import require_file
from endoxa.sources.read import DEFAULTS, FORMATS, reader_for
from endoxa.sources.source import Source

__all__ = [
    "FILE_CHECKS",
    "PAIR_CHECKS",
    "SEVERITIES",
    "Problem",
    "Severity",
    "check_associations",
    "check_file",
    "check_pairs",
    "check_questions",
    "group_problems",
    "write_problems",
]

FILE_CHECKS: tuple[Callable[[Sequence[Trace]], Iterator[Problem]], ...] = (
    duplicate_id,
    duplicate_pairs,
    identity_spellings,
    unbalanced_labels,
    undeclared_language,
    contrast_across_axes,
)
"""Checks of all pairs together."""


def checks_of_pair(more: str, less: str, language: str) -> tuple[str, ...]:
    """Names of the checks of one pair that find something in two sentences about one group, each once.

    Args:
        more: one sentence.
        less: the other.
        language: ISO 639 code; some checks know some languages only.
    """
    # With an attribute the pair keeps its group: checks of group terms do not apply.
    pair = {"item_id": "1", "language": language, "sent_more": more, "sent_less": less, "attribute_more": "-"}
    item = Item.of(Draft(1, None, pair))
    return tuple(dict.fromkeys(problem.check for check in PAIR_CHECKS for problem in check(item)))


def check_file(path: Path, options: ReadOptions = DEFAULTS, format: str | None = None) -> list[Problem]:  # noqa: A002
    """Every problem of a file of pairs, of a table of associations or of questions, whichever it is.

    Raises:
        UserError: the file itself cannot be used (missing, empty, a column lacking, no rows).
    """
    path = Source.of(path)
    require_file(path)
    if format == ASSOCIATIONS or (format is None and not options.columns and is_associations(path)):
        return check_associations(path)
    if format is None and not options.columns and is_bbq(path):
        return check_questions(path)
    return check_pairs(path, options, format)


def check_pairs(path: Path, options: ReadOptions = DEFAULTS, format: str | None = None) -> list[Problem]:  # noqa: A002
    """Every problem of a file of pairs: those of the whole file first, then by row.

    Records that cannot be read are listed and passed over. A reader of another package shows no records, only
    what it accepts, so its first refusal ends the check.

    Raises:
        UserError: the file itself cannot be used (missing, empty, a column lacking, no rows).
    """
    path = Source.of(path)
    reader = reader_for(path, options, format)
    problems: list[Problem] = []
    traces: list[Trace] = []
    empty = True
    for draft in _drafts(reader, path, options):
        empty = False
        faults = [
            Problem(
                "error",
                fault.check,
                draft.pair.get("item_id") or "",
                draft.row,
                fault.column or "",
                fault.message,
            )
            for fault in draft_faults(draft)
        ]
        problems += faults
        if not faults:
            item = Item.of(draft)
            traces.append(Trace.of(item))
            problems += [problem for check in PAIR_CHECKS for problem in check(item)]
    if empty:
        raise UserError(no_rows(path))
    problems += [problem for check in FILE_CHECKS for problem in check(traces)]
    return sorted(problems, key=lambda problem: problem.row)


def check_questions(path: Path) -> list[Problem]:
    """Every problem of a file of questions in BBQ's format, by line: whom they are about, and what is not seen.

    Raises:
        UserError: a line is no question.
    """
    reasons = Counter(item.no_target for item in read_items(path, metadata=find_metadata(path)))
    note = targets_note(reasons, reasons.total())
    problems = [Problem("warning", "no-target", "", 0, "stereotyped_groups", note)] if note else []
    for line, _, record in checked_rows(path):
        texts = tuple(
            (name, getattr(record, name)) for name in ("context", "question", "ans0", "ans1", "ans2")
        )
        problems += invisible_character(Checked(record.example_id, line, texts))
    return problems


def _drafts(reader: Reader, path: Path, options: ReadOptions) -> Iterator[Draft]:
    if reader.name in FORMATS:
        yield from FORMATS[reader.name].drafts(path, options)
        return
    row = 0
    for frame in reader.read(path, options):
        for pair in frame.iter_rows(named=True):
            row += 1
            yield Draft(row, None, pair)
