"""Who can stand beside the group of an association: groups of its axis that were never observed with the attribute."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable
from dataclasses import dataclass

from endoxa.curate.persons import Identity, overlap
from endoxa.sources.identities import identity_key


@dataclass(frozen=True, slots=True)
class Observed:
    """One association, as far as distractors are concerned.

    Attributes:
        identity: the group.
        attribute: what is said of it.
        axis: social axis, or empty.
        group_id: group of like attributes, or empty.
    """

    identity: Identity
    attribute: str
    axis: str = ""
    group_id: str = ""


class Distractors:
    """All associations of a table, ready to be asked who was never observed with an attribute."""

    def __init__(self, observed: Iterable[Observed], nameable: Container[str]) -> None:
        """Take every association.

        Args:
            observed: all that was said, also what no question is made of.
            nameable: keys of the identities that the language of the questions can name.
        """
        axes: dict[str, dict[str, Identity]] = defaultdict(dict)
        self._said_of: dict[tuple[str, str], dict[str, Identity]] = defaultdict(dict)
        self._overlapping: dict[tuple[str, str], frozenset[str]] = {}
        for association in observed:
            if association.identity.key in nameable:
                axes[association.axis].setdefault(association.identity.key, association.identity)
            for key in _keys(association):
                self._said_of[key].setdefault(association.identity.key, association.identity)
        self._axes = {axis: dict(sorted(identities.items())) for axis, identities in axes.items()}

    def candidates(self, target: Observed) -> list[str]:
        """Keys of the identities that can stand beside the target, sorted.

        They are of its axis, and overlap neither with it nor with any identity that was observed with the attribute or
        with another one of its group.
        """
        seen = {
            key: association
            for statement in _keys(target)
            for key, association in self._said_of[statement].items()
        }
        observed = {**seen, target.identity.key: target.identity}.values()
        excluded = frozenset[str]().union(*(self._near(association, target.axis) for association in observed))
        return [key for key in self._axes.get(target.axis, ()) if key not in excluded]

    def _near(self, identity: Identity, axis: str) -> frozenset[str]:
        """Keys of the identities of an axis that overlap with one."""
        place = (identity.key, axis)
        if place not in self._overlapping:
            others = self._axes.get(axis, {}).items()
            self._overlapping[place] = frozenset(key for key, other in others if overlap(identity, other))
        return self._overlapping[place]


def plain_attribute(text: str) -> str:
    """An attribute in the one form in which attributes are compared."""
    return identity_key(text).strip(" .,;:!?\"'")


def _keys(association: Observed) -> Iterable[tuple[str, str]]:
    yield "attribute", plain_attribute(association.attribute)
    if association.group_id:
        yield "group", association.group_id
