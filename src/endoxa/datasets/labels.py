"""Small rules that several formats share."""

from __future__ import annotations

from endoxa.datasets.drafts import UNSPECIFIED


def axis_of(text: str | None) -> str:
    """A social axis as we write it: lower case, no blanks around it; 'unspecified' where there is none."""
    return (text or "").strip().lower() or UNSPECIFIED


def direction_of(text: str | None) -> str | None:
    """A published label without blanks and capitals; nothing stays nothing."""
    return text.strip().lower() if text else text
