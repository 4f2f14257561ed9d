"""What a pair is compared with: the same two sentences about other identities of its table, or about people in general.

"Fishermen are brave" may score higher than "Fishermen are timid" only because *brave* is the more frequent, shorter or
un-negated word. The same two sentences about other groups measure that part; subtracting it leaves the association with
the identity. Only with groups: a model may lean otherwise behind "people", and word frequency may work otherwise there.
Where a table has too few identities, phrases for people in general are all there is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from random import Random
from typing import Any

from endoxa.schema import Pair
from endoxa.sources.identities import identity_key
from endoxa.words.people import neutral_identities

FEWEST = 6
"""Identities that fit the same sentences, from which on pairs are compared with other identities."""
MOST = 5
"""Other identities that a pair is compared with at most. Their number is odd: then a pair about which a model knows
nothing lies above their median exactly as often as below."""
_TRIED = 50
GROUPS, PHRASES = "groups", "phrases"
"""Values of the column `compared_with`."""


class Comparisons:
    """The identities of a table, by the sentences that they fit."""

    def __init__(self, items: Iterable[Mapping[str, Any]]) -> None:
        """Go through all items (rows with the columns of `schema.PAIR_COLUMNS`) once."""
        fitting: dict[tuple[str, ...], dict[str, str]] = {}
        self._stated: set[tuple[str, str]] = set()
        for item in items:
            if _complete(item) and (frame := _frame(item)):
                key = _key(item)
                fitting.setdefault(frame, {}).setdefault(key, item["identity"])
                stereotype = _attributes(item)[item["stereotypical"] == "less"]
                self._stated.add((key, stereotype))
        self._fitting = {
            frame: dict(sorted(identities.items()))
            for frame, identities in fitting.items()
            if len(identities) >= FEWEST
        }

    def of(self, item: Mapping[str, Any]) -> tuple[str, list[Pair]]:
        """What an item is compared with (`GROUPS` or `PHRASES`), and these pairs.

        None where the item names no identity or attributes, where the identity does not stand in both sentences, or
        where there is neither another identity that fits nor a neutral phrase. Pairs with the same attributes are
        compared with the same identities, as far as these are others, and the table states neither attribute of them.
        """
        frame = _frame(item) if _complete(item) else None
        if frame is None or replace_identity(item["sent_less"], item["identity"], "") is None:
            return PHRASES, []
        identities, attributes = self._fitting.get(frame, {}), _attributes(item)
        draw = Random("\t".join(attributes))  # noqa: S311 (decides what is compared, guards nothing)
        names = draw.sample(list(identities), min(len(identities), _TRIED))
        free = [name for name in names if not any((name, a) in self._stated for a in attributes)]
        chosen = free[: min(MOST, len(free) - (len(free) + 1) % 2)]
        if chosen:
            return GROUPS, [_about(item, identities[name]) for name in chosen]
        phrases = neutral_identities(item["language"].split("-")[0], item["agreement"] or "")
        return PHRASES, [_about(item, phrase) for phrase in phrases]


def _complete(item: Mapping[str, Any]) -> bool:
    return bool(item["identity"] and item["attribute_more"] and item["attribute_less"])


def _key(item: Mapping[str, Any]) -> str:
    return identity_key(item["identity_key"] or item["identity"])


def _attributes(item: Mapping[str, Any]) -> tuple[str, str]:
    return identity_key(item["attribute_more"]), identity_key(item["attribute_less"])


def _frame(item: Mapping[str, Any]) -> tuple[str, ...] | None:
    """What identities must share to fit the same sentences; None where the identity does not stand in the first."""
    sentence = replace_identity(item["sent_more"], item["identity"], "{}")
    if sentence is None:
        return None
    frame = replace_identity(sentence, item["attribute_more"], "{}") or sentence
    return item["language"], item["agreement"] or "", identity_key(frame)


def _about(item: Mapping[str, Any], identity: str) -> Pair:
    """The pair about another identity."""
    more, less, prompt = (
        replace_identity(item[name] or "", item["identity"], identity) or ""
        for name in ("sent_more", "sent_less", "prompt")
    )
    return Pair(more, less, item["direction"], prompt or item["prompt"] or "", identity, item["language"])


def replace_identity(text: str, identity: str, phrase: str) -> str | None:
    """`text` with `phrase` for `identity` (any case, whole words), or None where it is not there.

    A capital first letter of the identity at the start of the text is carried over.
    """
    pattern = re.compile(rf"(?<!\w){re.escape(identity)}(?!\w)", re.IGNORECASE)

    def put(match: re.Match[str]) -> str:
        starts = not text[: match.start()].strip("¿¡\"'«“ ")
        return phrase[:1].upper() + phrase[1:] if starts and match.group()[0].isupper() else phrase

    replaced, times = pattern.subn(put, text)
    return replaced if times else None
