"""Similarity of two attributes by the characters they share: a question to people, never a decision.

Looser forms (`entry.cleaning`) are compared, not keys, and only of pairs about one country in one language: whether
"hospitable" is "hospitalario" is for the analysis to say, not for spelling.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping
from typing import TypeVar

from rapidfuzz import fuzz, process

from endoxa_collect.entry.cleaning import comparable, key
from endoxa_collect.models import Campaign, Moderation, Pair

CUT_OFF = 71.0
"""From here people are asked. On labelled pairs of ours it finds 26 of 32 that say the same, and 1 of 26 others."""
_OFFERED = 3
_SIFTED = 30
_SIFTED_FROM = 50.0

T = TypeVar("T", bound=Hashable)

COMPARED = 5_000
"""Most pairs of one country and language that are compared, the newest first."""


def likeness(first: str, second: str) -> float:
    """Share of the character trigrams that two forms have in common (Dice coefficient), from 0 to 100.

    On short attributes it keeps "dance well" and "dance very well" together and "polite" and "impolite" apart better
    than edit distance does.
    """
    ours, theirs = _trigrams(first), _trigrams(second)
    return 200 * (ours & theirs).total() / (ours.total() + theirs.total())


def nearest(
    form: str, forms: Mapping[T, str], *, limit: int, cut_off: float = CUT_OFF
) -> list[tuple[T, float]]:
    """Those of `forms` that are most alike, the best first, with their likeness; ties in the order of `forms`.

    Trigrams are counted for the 60 that are nearest by edit distance, with words as they stand and sorted:
    2 ms for 5,000 forms.
    """
    sifted: set[T] = set()
    for scorer in (fuzz.ratio, fuzz.token_sort_ratio):
        close = process.extract(form, forms, scorer=scorer, score_cutoff=_SIFTED_FROM, limit=_SIFTED)
        sifted.update(handle for _, _, handle in close)
    scored = [(handle, likeness(form, other)) for handle, other in forms.items() if handle in sifted]
    best = sorted(
        (match for match in scored if match[1] >= cut_off), key=lambda match: (-match[1], forms[match[0]])
    )
    return best[:limit]


def _trigrams(text: str) -> Counter[str]:
    framed = f"  {text} "
    return Counter(framed[start : start + 3] for start in range(len(framed) - 2))


def alike(
    campaign: Campaign, country: str, language: str, text: str, *, exclude: int | None = None
) -> tuple[Pair, ...]:
    """Live pairs that a contributor may be asked about, the most alike first.

    Pairs that wait for a moderator are never offered to others, merged ones are offered as what they stand for. Reads
    and compares at most 5,000 keys: some 30 ms, and 100 ms more the first time.
    """
    live = (Moderation.LIVE,)
    matches = scored(campaign, country, language, text, limit=_OFFERED, exclude=exclude, moderation=live)
    return tuple(pair for pair, _ in matches)


def scored(
    campaign: Campaign,
    country: str,
    language: str,
    text: str,
    *,
    limit: int,
    exclude: int | None = None,
    moderation: tuple[Moderation, ...] = (Moderation.LIVE, Moderation.PENDING),
    cut_off: float = CUT_OFF,
) -> list[tuple[Pair, float]]:
    """The same with scores from 0 to 100; for moderators also among pairs that wait, with their own cut-off.

    Of pairs that are equally alike the older comes first.
    """
    rows = Pair.objects.filter(
        campaign=campaign, country=country, language=language, moderation__in=moderation
    )
    newest = list(rows.order_by("-pk").values_list("pk", "key")[:COMPARED])
    forms = {pk: comparable(name, language) for pk, name in reversed(newest) if pk != exclude}
    matches = nearest(comparable(key(text, language), language), forms, limit=limit, cut_off=cut_off)
    pairs = Pair.objects.in_bulk([pk for pk, _ in matches])
    return [(pairs[pk], score) for pk, score in matches]
