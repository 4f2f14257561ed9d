"""Which further countries a card offers."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterable

from endoxa.collect import geography

OFFERED = 6
"""Countries that a card offers to tick."""


def offered(
    about: str, own: Iterable[str], campaign: Collection[str], *, card: str, without: Collection[str] = ()
) -> tuple[str, ...]:
    """Up to `OFFERED` countries near the one a card is about.

    Its neighbours in the campaign come first, then the person's own countries, the neighbours of neighbours in the
    campaign, other neighbours, and what else is in the campaign. Within each of these the order is drawn, once a card,
    so that no country is offered more often for its name.

    Args:
        about: country of the card.
        own: countries of the person.
        campaign: countries of the campaign.
        card: name of the card; the order is the same whenever the card is shown.
        without: countries that were answered already.
    """
    beside = geography.neighbours(about)
    beyond = frozenset[str]().union(*(geography.neighbours(code) for code in beside))
    inside = frozenset(campaign)
    rings: tuple[Iterable[str], ...] = (beside & inside, own, beyond & inside, beside, inside)
    drawn = random.Random(card)  # noqa: S311 - an order of chips is no secret
    ordered = [code for ring in rings for code in _shuffled(ring, drawn)]
    wanted = [code for code in dict.fromkeys(ordered) if code != about and code not in without]
    return tuple(wanted[:OFFERED])


def _shuffled(codes: Iterable[str], drawn: random.Random) -> list[str]:
    known = sorted(codes)
    return drawn.sample(known, len(known))
