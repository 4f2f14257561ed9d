"""Neutral identities: how much of a preference belongs to the attribute alone.

"Fishermen are brave" may beat "Fishermen are timid" only because *brave* is the more frequent, shorter or
un-negated word. The same two sentences about nobody in particular ("People are brave" / "People are timid") show that
part; subtracting it leaves what the model ties to the identity. It needs a pair whose two sentences name the same
identity and differ in the attribute.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from endoxa.schema import Pair


@cache
def neutral_identities() -> dict[str, dict[str, list[str]]]:
    """Noun phrases by language and grammatical agreement, from `neutral.toml`."""
    return tomllib.loads(files("endoxa.probe").joinpath("neutral.toml").read_text(encoding="utf-8"))


def neutral_pairs(item: Mapping[str, Any]) -> list[Pair]:
    """The pair with each neutral identity of its language in the place of its own.

    Empty where the item names no identity or attributes, where the identity does not stand in both sentences, or
    where the language has no neutral identities.

    Args:
        item: a row with the columns of `schema.PAIR_COLUMNS`.
    """
    identity = item["identity"]
    if not identity or not item["attribute_more"] or not item["attribute_less"]:
        return []
    by_agreement = neutral_identities().get(item["language"].split("-")[0], {})
    phrases = by_agreement.get(item["agreement"] or "any", [])
    found = []
    for phrase in phrases:
        more, less = (replace_identity(item[side], identity, phrase) for side in ("sent_more", "sent_less"))
        if more is None or less is None or more == less:
            return []
        prompt = item["prompt"] or ""
        asked = replace_identity(prompt, identity, phrase) or prompt
        found.append(Pair(more, less, item["direction"], asked, phrase))
    return found


def replace_identity(text: str, identity: str, phrase: str) -> str | None:
    """`text` with `phrase` for `identity` (any case, whole words), or None where it is not there.

    A capital first letter of the identity at the start of the text is carried over.
    """
    pattern = re.compile(rf"(?<!\w){re.escape(identity)}(?!\w)", re.IGNORECASE)

    def put(match: re.Match[str]) -> str:
        starts = not text[: match.start()].strip("¿¡\"'«“ ")
        return phrase[0].upper() + phrase[1:] if starts and match.group()[0].isupper() else phrase

    replaced, times = pattern.subn(put, text)
    return replaced if times else None
