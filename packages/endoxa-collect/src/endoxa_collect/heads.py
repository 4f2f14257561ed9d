"""The first line of a list of withdrawals (`withdrawals.jsonl`), which says whose list it is.

The name in it follows from the secret of the campaign's folder, which backups hold too. So a list is known as the
campaign's own also where nobody had withdrawn yet, and one that was emptied or comes from elsewhere is known as such.
Lists made before there were such lines have none until the site adds it.
"""

from __future__ import annotations

import hashlib
import hmac

from pydantic import BaseModel, ConfigDict, ValidationError

_USE = b"endoxa list of withdrawals"


class Head(BaseModel):
    """Whose list it is; wherever the line stands, it is no withdrawal."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    list_of: str


def head_for(secret: str) -> Head:
    """The head of the lists of the campaign with this secret."""
    return Head(list_of=hmac.digest(secret.strip().encode(), _USE, hashlib.sha256).hex()[:32])


def as_line(head: Head) -> str:
    """The head as it is written."""
    return head.model_dump_json() + "\n"


def head_in(line: str | bytes) -> Head | None:
    """The head that a line is; None for every other line."""
    try:
        return Head.model_validate_json(line)
    except ValidationError:
        return None
