"""What one regular expression reads of a statement: the baseline beside which readers are printed."""

from __future__ import annotations

import re

from endoxa.curate.evaluation.gold import Reading

_COPULA = r"(?:are|is|were|was|tends? to be|seems? to be)"
_VERB = r"(?:ha(?:ve|s)|can(?:'t|not)?|do(?:es)?(?:n't)?|will|should|must|likes?|loves?)"
_STATEMENT = re.compile(
    r"^(?:(?:the|an?|all|most|some|many|every) )?(?P<who>.+?)\s+(?:"
    + _COPULA
    + r"\s+(?P<is>.+)|(?P<does>"
    + _VERB
    + r"\b.+))$",
    re.IGNORECASE,
)


def read_by_expression(statement: str) -> Reading:
    """Who stands in front of the first usual verb, and what behind it; else the first word and the rest."""
    text = " ".join(statement.split()).rstrip(".")
    match = _STATEMENT.match(text)
    who, _, rest = text.partition(" ")
    pair = (match["who"], match["is"] or match["does"]) if match else (who, rest)
    return Reading((pair,), omit=False)
