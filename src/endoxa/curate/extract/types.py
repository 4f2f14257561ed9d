"""What an extractor is given and what it gives back."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Question:
    """A question of the survey.

    Attributes:
        name: short name, as in the column `question`.
        axis: social axis in lower case.
        identity: the group every answer is about ("women"), or None where the answer names it.
    """

    name: str
    axis: str
    identity: str | None = None


@dataclass(frozen=True, slots=True)
class Extraction:
    """One pair that was read out of a statement.

    Attributes:
        identity: the group, normalised; empty where none was found.
        attribute: what is said of it; empty where nothing was found.
        rule: name of the rule that fired.
        confidence: how sure the rule is, from 0 to 1.
        omit: whether omission is proposed.
        omit_reason: why, or empty.
        verb: "have" where the attribute is something the group has ("strong faith"), else empty (a copula, or
            the attribute brings its own verb).
    """

    identity: str
    attribute: str
    rule: str
    confidence: float
    omit: bool = False
    omit_reason: str = ""
    verb: str = ""
