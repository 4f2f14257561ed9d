"""Statements without a verb that a mark divides: "Basques - proud", "proud - Basques", "Basques (proud)"."""

from __future__ import annotations

import re

from endoxa.curate.english import can_be, is_plural, tokens
from endoxa.curate.extract.subject import find_split
from endoxa.curate.normalise import is_group, is_people

_AGENTS = re.compile(r"(?:ers|ors|ists|ians|men|women)$", re.IGNORECASE)
_REVERSED = re.compile(r"^(?P<what>[^-–—:]+?)\s+[-–—]\s+(?P<who>[^-–—:]+)$")
_BRACKETED = re.compile(r"^(?P<who>[^()]+?)\s*\((?P<what>[^()]+)\)$")
_JOINED = re.compile(r"^(?P<who>\w+s|[A-Z]\w+)[-–—:](?=\w)")


def with_mark_behind_name(text: str) -> str:
    """The text with the name of the group in front and a dash behind it, where a mark divides it."""
    return _by_mark(_JOINED.sub(_apart, text))


def _by_mark(text: str) -> str:
    """With the name in front and a dash behind it: "dirty - Basques", "Basques (dirty)" -> "Basques - dirty"."""
    for pattern in (_REVERSED, _BRACKETED):
        match = pattern.match(text)
        if match is None or not is_group(match["who"]) or find_split(tokens(text)) is not None:
            continue
        verb = tokens(match["what"])[0]
        if can_be(verb, "ADJ") or not (is_plural(verb) or is_group(match["what"])):
            return f"{match['who']} - {match['what']}"
    return text


def _apart(match: re.Match[str]) -> str:
    """Part a name from what is said: "Bakers-jolly" -> "Bakers - jolly"; a compound ("risk-takers") stays."""
    who = match["who"]
    names = (
        is_group(who) or _AGENTS.search(who)
        if who.endswith("s")
        else (
            is_people(who) and find_split(tokens(match.string)) is None and not match.string.endswith("ing")
        )
    )
    return f"{who} - " if names else match.group()
