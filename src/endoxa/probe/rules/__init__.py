"""Scoring rules: the named ways to give a sentence a number. Definitions: `docs/methods.md`."""

from __future__ import annotations

from collections.abc import Iterable

from endoxa.plugins import Registry
from endoxa.schema import Architecture, Rule

DEFAULT_RULES: dict[Architecture, str] = {
    "causal": "sum",
    "masked": "crows-token",
    "encoder-decoder": "completion",
}
"""The rule taken for an architecture when none is named."""


def _builtin() -> Iterable[Rule]:
    from endoxa.probe.rules import causal, completion, crows, pll

    return (*causal.RULES, *pll.RULES, *crows.RULES, *completion.RULES)


RULES: Registry[Rule] = Registry("rule", "endoxa.rules", _builtin)
