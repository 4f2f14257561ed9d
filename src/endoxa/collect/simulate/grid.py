"""Worlds that differ from the main one in one respect, and a few corners: does a result depend on a guess?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from endoxa.collect.simulate.settings import WorldSettings

MAIN = "main"
"""Name of the cell of the main world."""

_TWO_WEEKS = 14 * 24 * 60.0

_ONLINE: Mapping[str, object] = {"arrival": "online", "spread": _TWO_WEEKS}
_TIRED: Mapping[str, object] = {"dropout": 0.3, "slowing": 1.0}
_CONSPICUOUS = 1.3


@dataclass(frozen=True)
class GridCell:
    """One world of the grid: its name, what is different in words, and its settings."""

    name: str
    text: str
    settings: WorldSettings


def cells(main: WorldSettings) -> list[GridCell]:
    """The main world first, then one factor at a time, then corners."""
    changes: list[tuple[str, str, Mapping[str, object]]] = [
        (MAIN, "main world", {}),
        ("zipf-flat", "salience falls slowly (Zipf 0.7)", {"zipf": 0.7}),
        ("zipf-steep", "salience falls fast (Zipf 1.3)", {"zipf": _CONSPICUOUS}),
        ("far-known", "countries far away known better", {"far": main.far * 1.7, "near": main.near * 1.3}),
        ("far-unknown", "countries far away hardly known", {"far": main.far * 0.4, "near": main.near * 0.7}),
        ("homes-even", "as many people from each country", {"skew": 0.0}),
        ("homes-skewed", "most people from one country", {"skew": 1.8}),
        ("online", "online, over two weeks", _ONLINE),
        ("untired", "nobody tires or leaves early", {"dropout": 0.0, "slowing": 0.0}),
        ("tired", "many leave early, all slow down", _TIRED),
        ("noise-low", "ratings with little noise", {"noise": main.noise * 0.5}),
        ("noise-high", "ratings with much noise", {"noise": main.noise * 2}),
        ("wordings-one", "one wording for each thing", {"variants": 0.0}),
        ("wordings-many", "many wordings, few noticed", {"variants": 0.35, "caught": 0.3}),
        ("few-people", "30 people", {"people": 30}),
        ("costly-words", "adding is rare: few ticks, few words", {"typed": 0.3, **_ticks(main, 0.25)}),
        ("no-ticks", "further countries cannot be ticked", _ticks(main, 0.0)),
        ("online-tired", "online, many leave early", {**_ONLINE, **_TIRED}),
        ("skewed-steep", "one large country, steep salience", {"skew": 1.8, "zipf": _CONSPICUOUS}),
    ]
    return [GridCell(name, text, main.model_copy(update=dict(change))) for name, text, change in changes]


def _ticks(main: WorldSettings, factor: float) -> dict[str, object]:
    return {"tick_near": main.tick_near * factor, "tick_far": main.tick_far * factor}
