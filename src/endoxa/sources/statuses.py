"""Drafts in tables: every reader leaves out rows that people rejected or have not judged, unless it is asked for those.

`endoxa author` writes tables with a column `status`; `endoxa author approve` fills it in. What people rejected is never
measured or released; what nobody has judged only with `--include-drafts`.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path

from endoxa.errors import UserError
from endoxa.schema.drafts import APPROVED, DRAFT, REJECTED

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class DraftPolicy:
    """Which drafts are read, and what was left out so far.

    Attributes:
        include: also rows that nobody has judged.
        left_out: number of rows left out, by file.
    """

    include: bool = False
    left_out: dict[Path, int] = field(default_factory=dict)


_POLICY: ContextVar[DraftPolicy | None] = ContextVar("draft_policy", default=None)


@contextmanager
def reading_drafts(*, include: bool) -> Iterator[None]:
    """Within the block, tables are read with or without drafts that nobody has judged; the inner block decides."""
    outer = _POLICY.get()
    policy = outer if outer is not None and outer.include == include else DraftPolicy(include)
    token = _POLICY.set(policy)
    try:
        yield
    finally:
        _POLICY.reset(token)


def is_left_out(cells: Mapping[str, object]) -> bool:
    """Whether a row is a draft that is not to be read."""
    if "status" not in cells:
        return False
    status = str(cells["status"] or "").strip().casefold()
    if status == REJECTED:
        return True
    unjudged = status == DRAFT or ("draft_id" in cells and status != APPROVED)
    policy = _POLICY.get()
    return unjudged and not (policy is not None and policy.include)


def say_left_out(path: Path, left_out: int, kept: int) -> None:
    """Say how many rows of a file were left out, once for a run or command.

    Raises:
        UserError: no other row is there.
    """
    if not left_out:
        return
    policy = _POLICY.get() or DraftPolicy()
    if path not in policy.left_out:
        _LOG.warning("%s", _note(path, left_out, include=policy.include))
    policy.left_out[path] = left_out
    if not kept:
        raise UserError(
            f"{path} has no row that people approved. Have drafts judged (`endoxa author approve`), or give "
            "--include-drafts to use those that nobody has judged."
        )


def left_out_notes() -> list[str]:
    """A sentence for each file of which this block (`reading_drafts`) has left out drafts so far."""
    policy = _POLICY.get() or DraftPolicy()
    return [_note(path, count, include=policy.include) for path, count in policy.left_out.items()]


def _note(path: Path, count: int, *, include: bool) -> str:
    reason = "rejected by people" if include else "rejected or not yet judged by people (--include-drafts)"
    return f"{count} {'draft' if count == 1 else 'drafts'} of {path.name} left out: {reason}."
