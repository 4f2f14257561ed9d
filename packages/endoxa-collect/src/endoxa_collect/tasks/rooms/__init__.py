"""The rooms by kind. A new one is a folder here and a line in `_rooms`."""

from __future__ import annotations

from functools import cache

from endoxa.errors import UserError
from endoxa_collect.tasks.room import Room


@cache
def rooms() -> dict[str, Room]:
    """Every room by its kind."""
    from endoxa_collect.tasks.rooms.extraction import ROOM as EXTRACTION
    from endoxa_collect.tasks.rooms.groups import ROOM as GROUPS
    from endoxa_collect.tasks.rooms.harm import ROOM as HARM
    from endoxa_collect.tasks.rooms.pairs import ROOM as PAIRS
    from endoxa_collect.tasks.rooms.translation import ROOM as TRANSLATION
    from endoxa_collect.tasks.rooms.votes import ROOM as VOTES
    from endoxa_collect.tasks.rooms.words import ROOM as WORDS

    every = (EXTRACTION, GROUPS, HARM, PAIRS, TRANSLATION, VOTES, WORDS)
    return {room.kind: room for room in every}


def room(kind: str) -> Room:
    """The room of a kind.

    Raises:
        UserError: unknown kind.
    """
    chosen = rooms().get(kind)
    if chosen is None:
        raise UserError(f"Unknown kind of task '{kind}'. Expected one of: {', '.join(sorted(rooms()))}.")
    return chosen
