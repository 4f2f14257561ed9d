"""Drafts in tables: every reader leaves out rows that people rejected or have not judged, unless it is asked for those.

`endoxa author` writes tables with a column `status`; `endoxa author approve` fills it in. What people rejected is never
measured or released; what nobody has judged only with `--include-drafts`.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from pathlib import Path

from endoxa.errors import UserError
from endoxa.schema.drafts import APPROVED, DRAFT, REJECTED
from endoxa.sources.source import current_reading

_LOG = logging.getLogger(__name__)


def is_left_out(cells: Mapping[str, object]) -> bool:
    """Whether a row is a draft that is not to be read."""
    if "status" not in cells:
        return False
    status = str(cells["status"] or "").strip().casefold()
    if status == REJECTED:
        return True
    unjudged = status == DRAFT or ("draft_id" in cells and status != APPROVED)
    return unjudged and not current_reading().include_drafts


def say_left_out(path: Path, left_out: int, kept: int) -> None:
    """Say how many rows of a file were left out, once for a run or command.

    Raises:
        UserError: no other row is there.
    """
    if not left_out:
        return
    how = current_reading()
    if path not in how.left_out:
        _LOG.warning("%s", _note(path, left_out, include=bool(how.include_drafts)))
    if how.include_drafts is not None:
        how.left_out[path] = left_out
    if not kept:
        raise UserError(
            f"{path} has no row that people approved. Have drafts judged (`endoxa author approve`), or give "
            "--include-drafts to use those that nobody has judged."
        )


def left_out_notes() -> list[str]:
    """A sentence for each file of which drafts were left out so far (`endoxa.sources.source.reading_files`)."""
    how = current_reading()
    return [_note(path, count, include=bool(how.include_drafts)) for path, count in how.left_out.items()]


def _note(path: Path, count: int, *, include: bool) -> str:
    reason = "rejected by people" if include else "rejected or not yet judged by people (--include-drafts)"
    return f"{count} {'draft' if count == 1 else 'drafts'} of {path.name} left out: {reason}."
