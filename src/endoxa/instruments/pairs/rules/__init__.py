"""Scoring rules: the named ways to give a sentence a number. Definitions: `docs/methods/scoring-rules.md`."""

from __future__ import annotations

from collections.abc import Iterable

from endoxa.registry import Registry
from endoxa.schema import Architecture, Rule

DEFAULT_RULES: dict[Architecture, str] = {
    "causal": "sum",
    "masked": "crows-token",
    "encoder-decoder": "completion",
}
"""The rule taken for an architecture when none is named."""


def _builtin() -> Iterable[Rule]:
    from endoxa.instruments.pairs.rules.causal import CAUSAL_RULES, COMPLETION_RULES
    from endoxa.instruments.pairs.rules.masked import CROWS_RULES, PLL_RULES

    return (*CAUSAL_RULES, *PLL_RULES, *CROWS_RULES, *COMPLETION_RULES)


RULES: Registry[Rule] = Registry("rule", "endoxa.rules", _builtin)

CHOICE = "choice"
"""How chat models choose between two sentences in a task of `endoxa export task`, which no probe asks."""
_CHOICE_FACTS = (
    "share of answers",
    "share of a chat model's answers that chose the sentence, both shown once in each order",
    "endoxa export task --for inspect",
)


def rule_facts(name: str) -> tuple[str, str, str] | None:
    """Unit, meaning and source of a rule; None where it is not installed here."""
    if name == CHOICE:
        return _CHOICE_FACTS
    rule = RULES.all().get(name)
    return (rule.unit, rule.summary, rule.source) if rule else None
