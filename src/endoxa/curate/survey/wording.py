"""What of a piece is read: without "people say" behind it, and with a mark where a verb was left out."""

from __future__ import annotations

import re
from collections.abc import Sequence

from endoxa.curate.english import can_be, is_adverb, is_plural, tokens
from endoxa.curate.extract import begins_statement
from endoxa.curate.normalise import is_group

_REPORT = re.compile(
    r"(?:and |so |as |or (?:so )?|at least )*"
    r"(?:(?:they|people|folks|we|i|he|she|it is|it's|one|everyone|everybody|some|many|most)"
    r"|(?:my|our|their|his|her|the|a|some|many|most) [\w'’-]+(?: [\w'’-]+)?)"
    r"(?: (?:used to|always|often|usually|would|will|like to|have|has|had|once))*"
    r" (?:say|says|said|think|thinks|thought|believe|believes|believed|claim|claims|claimed|told me|tell me)"
    r"(?: (?:so|it|that|this))?",
    re.IGNORECASE,
)
_LOOKING = frozenset(
    {"looks", "seems", "appears", "feels", "acts", "gets", "sounds", "becomes", "stays", "dresses"}
)
_NAME_WORDS = 3
_SAID_WORDS = 4


def is_report(chunk: str) -> bool:
    """Whether a chunk only tells who says what stands in front: "my uncle used to say"."""
    return len(chunk.split()) > 1 and bool(_REPORT.fullmatch(chunk.strip(" .!\"”»'")))


def without_report(text: str) -> str:
    """The text without a report behind its last comma ("Bakers are kind, people say" -> "Bakers are kind")."""
    said, comma, last = text.rpartition(",")
    return said.rstrip(' "”»').lstrip(' "“«') if comma and said.strip() and is_report(last) else text


def with_mark(text: str, *, elliptical: bool) -> str:
    """A dash where a verb was left out behind a new subject: "the Irish drunk" -> "the Irish - drunk".

    Args:
        text: a piece of an answer.
        elliptical: the question fixes the group, so only a known group is a new subject ("hands dirty" is none).
    """
    if begins_statement(text):
        return text
    parts = text.split()
    article = int(parts[0].lower() == "the") if parts else 0
    for end in range(article + 1, min(article + _NAME_WORDS + 1, len(parts))):
        who = parts[article:end]
        known = bool(article) and is_group(" ".join(who))
        if (known or (not elliptical and _plural(who))) and _adjectives(parts[end:]):
            return f"{' '.join(parts[:end])} - {' '.join(parts[end:])}"
    return text


def _plural(who: Sequence[str]) -> bool:
    head = who[-1].lower()
    described = all(can_be(word, "ADJ") or can_be(word, "NOUN") for word in who[:-1])
    return described and is_plural(head) and head not in _LOOKING and not can_be(head, "ADJ")


def _adjectives(said: Sequence[str]) -> bool:
    """Whether words are adjectives alone, with adverbs and conjunctions ("always drunk and loud")."""
    low = [word.lower() for word in tokens(" ".join(said))]
    plain = all(can_be(word, "ADJ") or is_adverb(word) or word in {"and", "or"} for word in low)
    return 0 < len(low) <= _SAID_WORDS and plain and can_be(low[-1], "ADJ")
