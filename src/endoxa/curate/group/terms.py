"""Attributes as terms: what differs on the surface only is one term from the start."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from endoxa.curate.group.surface import clean, key
from endoxa.curate.opposites import Lexicon


@dataclass(frozen=True, slots=True)
class Term:
    """Attributes that are the same but for their surface.

    Attributes:
        key: what they have in common.
        text: how the term reads best ("loud" for "are very loud").
        attributes: the attributes as they stand, in alphabetical order.
        count: respondents behind all of them.
    """

    key: str
    text: str
    attributes: tuple[str, ...]
    count: int


def make_terms(counts: Mapping[str, int], lexicon: Lexicon) -> list[Term]:
    """Terms of the attributes in `counts` (respondents by attribute), in the order of their keys."""
    by_key: dict[str, list[str]] = {}
    for attribute in sorted(counts):
        by_key.setdefault(key(attribute, lexicon), []).append(attribute)
    return [
        Term(name, _text(members, counts, lexicon), tuple(members), sum(counts[one] for one in members))
        for name, members in sorted(by_key.items())
    ]


def _text(members: list[str], counts: Mapping[str, int], lexicon: Lexicon) -> str:
    """The cleaned form of most respondents; then the shortest, then the first in the alphabet."""
    support: dict[str, int] = {}
    for member in members:
        form = clean(member, lexicon)
        support[form] = support.get(form, 0) + counts[member]
    return min(support, key=lambda form: (-support[form], len(form), form))
