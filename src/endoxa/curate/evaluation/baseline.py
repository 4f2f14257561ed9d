"""What one regular expression reads of a statement: the baseline beside which readers are printed."""

from __future__ import annotations

import re

from endoxa.curate.evaluation.gold import Gold, Reading
from endoxa.curate.extract import as_annotated
from endoxa.curate.extract.reader import plain

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


def read_by_expression(gold: Gold, *, normalised: bool) -> Reading:
    """Who stands in front of the first usual verb, and what behind it; else the first word and the rest.

    Args:
        gold: the statement.
        normalised: with all that the rules have besides their grammar: what is reported is taken off, an answer without
            a subject is about the group of its question, and names and attributes are in the forms of our tables.
    """
    text = plain(gold.statement) if normalised else " ".join(gold.statement.split())
    match = _STATEMENT.match(text.rstrip("."))
    who, _, what = text.rstrip(".").partition(" ")
    if match:
        who, what = match["who"], match["is"] or match["does"]
    elif normalised and (group := gold.subject or gold.question.identity):
        who, what = group, text
    if normalised:
        pair = as_annotated(who, what, gold.question, gold.country, None, language="en")
        who, what = pair.identity, pair.attribute
    return Reading(((who, what),), omit=False)
