"""Which rules are for which models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from endoxa.errors import UserError
from endoxa.probe.rules import DEFAULT_RULES, RULES
from endoxa.schema import Architecture, Rule


@dataclass(frozen=True, slots=True)
class Skipped:
    """A rule that was asked for and is not for this model."""

    model: str
    rule: str
    reason: str


def fit_rules(
    architectures: Mapping[str, Architecture], names: Sequence[str]
) -> tuple[dict[str, list[Rule]], list[Skipped]]:
    """The rules each model is scored with, and what is skipped.

    Args:
        architectures: architecture of each model, by name.
        names: rules asked for; none takes the usual rule of each architecture.

    Raises:
        UserError: unknown rule, a rule named twice, or a rule that is for none of the models.
    """
    if not names:
        return {model: [RULES.get(DEFAULT_RULES[kind])] for model, kind in architectures.items()}, []
    twice = [name for k, name in enumerate(names) if name in names[:k]]
    if twice:
        raise UserError(f"The rule '{twice[0]}' is given twice: name each rule once.")
    rules = [RULES.get(name) for name in names]
    for rule in rules:
        if rule.architecture not in architectures.values():
            kinds = ", ".join(f"'{model}' is {kind}" for model, kind in architectures.items())
            fitting = [r.name for r in RULES.all().values() if r.architecture in architectures.values()]
            raise UserError(
                f"The rule '{rule.name}' is for {rule.architecture} models, and none was given ({kinds}). "
                f"Rules that fit: {', '.join(fitting)}."
            )
    fitted = {model: [r for r in rules if r.architecture == kind] for model, kind in architectures.items()}
    skipped = [
        Skipped(model, rule.name, f"{rule.name} is for {rule.architecture} models and this one is {kind}")
        for model, kind in architectures.items()
        for rule in rules
        if rule.architecture != kind
    ]
    return fitted, skipped
