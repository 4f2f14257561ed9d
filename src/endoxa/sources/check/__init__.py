"""Looking for problems in a file of sentence pairs or a table of associations: `check_file` lists every one.

Each check is one function with its reason in its docstring; a check looks at one pair (`PAIR_CHECKS`) or at
all of them (`FILE_CHECKS`). None of them judges whether a stereotype is real or harmful: that takes people.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from endoxa.errors import UserError
from endoxa.schema import Reader, ReadOptions
from endoxa.sources.bbq.items import find_metadata, read_items, targets_note
from endoxa.sources.bbq.rows import OPTIONS, checked_rows, is_bbq
from endoxa.sources.check import characters, contrasts, wording  # noqa: F401 (they register their checks)
from endoxa.sources.check.characters import invisible_character, line_break
from endoxa.sources.check.problems import (
    PAIR_CHECKS,
    Checked,
    Item,
    Problem,
    Trace,
    attribute_spellings,
    contrast_across_axes,
    duplicate_association,
    duplicate_id,
    duplicate_pairs,
    identity_spellings,
    unbalanced_labels,
    undeclared_language,
)
from endoxa.sources.drafts import Draft, draft_faults, no_rows
from endoxa.sources.files import require_file
from endoxa.sources.identities import identity_key
from endoxa.sources.read import DEFAULTS, FORMATS, reader_for
from endoxa.sources.source import Source
from endoxa.sources.tables import TABLE_SUFFIXES, Fault, Row, table_columns, table_rows

FileChecks = tuple[Callable[[Sequence[Trace]], Iterator[Problem]], ...]

FILE_CHECKS: FileChecks = (
    duplicate_id,
    duplicate_pairs,
    identity_spellings,
    unbalanced_labels,
    undeclared_language,
    contrast_across_axes,
)
"""Checks of all pairs together."""
TABLE_CHECKS: FileChecks = (duplicate_id, duplicate_association, identity_spellings, attribute_spellings)
"""Checks of all associations together."""

ASSOCIATIONS = "associations"
"""What `--format` calls a table of associations, such as a campaign's pairs."""
_NEEDED = ("association_id", "identity", "attribute")
_KEY = ("identity", "attribute", "axis", "region", "language", "source")


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
    if format == ASSOCIATIONS or (format is None and not options.columns and _is_associations(path)):
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
    return _all_problems(path, map(_of_pair, _drafts(reader, path, options)), FILE_CHECKS)


def check_associations(path: Path) -> list[Problem]:
    """Every problem of a table of associations: those of the whole file first, then by row.

    Raises:
        UserError: the file itself cannot be used (missing, empty, a column lacking, no rows).
    """
    return _all_problems(path, map(_of_association, table_rows(path, _NEEDED)), TABLE_CHECKS)


def _is_associations(path: Path) -> bool:
    """Whether a file is a table with the columns of associations and without sentences."""
    if path.suffix.lower() not in TABLE_SUFFIXES:
        return False
    columns = set(table_columns(path, _NEEDED))
    return columns.issuperset(_NEEDED) and not columns & {"sent_more", "sent_less"}


_Record = tuple[list[Problem], Trace | None]
"""Problems of a record, and what is kept of it until the end of the file, where it can be read."""


def _all_problems(path: Path, records: Iterable[_Record], file_checks: FileChecks) -> list[Problem]:
    problems: list[Problem] = []
    traces: list[Trace | None] = []
    for of_record, trace in records:
        problems += of_record
        traces.append(trace)
    if not traces:
        raise UserError(no_rows(path))
    readable = [trace for trace in traces if trace is not None]
    problems += [problem for check in file_checks for problem in check(readable)]
    return sorted(problems, key=lambda problem: problem.row)


def _of_pair(draft: Draft) -> _Record:
    faults = _errors(Checked(draft.pair.get("item_id") or "", draft.row, ()), draft_faults(draft))
    if faults:
        return faults, None
    item = Item.of(draft)
    return [problem for check in PAIR_CHECKS for problem in check(item)], Trace.of(item)


def _of_association(row: Row) -> _Record:
    cells = {column: row.cells.get(column) or "" for column in _NEEDED}
    association = Checked(cells["association_id"], row.number, tuple(cells.items())[1:])
    if row.faults:
        return _errors(association, row.faults), None
    empty = (
        Fault("empty-cell", column, "is empty: every association needs text here")
        for column, text in cells.items()
        if not text.strip()
    )
    problems = [*_errors(association, empty), *line_break(association), *invisible_character(association)]
    key = tuple(identity_key(row.cells.get(column) or "") for column in _KEY)
    return problems, Trace(
        association.item_id, row.number, _NEEDED[0], key, cells["identity"], cells["attribute"]
    )


def _errors(item: Checked, faults: Iterable[Fault]) -> list[Problem]:
    return [item.problem("error", fault.check, fault.column or "", fault.message) for fault in faults]


def check_questions(path: Path) -> list[Problem]:
    """Every problem of a file of questions in BBQ's format, by line: whom they are about, and what is not seen.

    Raises:
        UserError: a line is no question.
    """
    reasons = Counter(item.no_target for item in read_items(path, metadata=find_metadata(path)))
    note = targets_note(reasons, reasons.total())
    problems = [Problem("warning", "no-target", "", 0, "stereotyped_groups", note)] if note else []
    for line, _, record in checked_rows(path):
        texts = tuple((name, getattr(record, name)) for name in ("context", "question", *OPTIONS))
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
