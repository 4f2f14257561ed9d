"""Settings of a simulated world, and the grid of worlds that differ from the main one in one respect."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from endoxa.errors import UserError

Share = Annotated[float, Field(ge=0, le=1)]
Minutes = Annotated[float, Field(gt=0)]
Positive = Annotated[float, Field(ge=0)]

_FILE = Path(__file__).with_name("worlds.toml")

MAIN = "main"
"""Name of the cell of the main world."""

_TWO_WEEKS = 14 * 24 * 60.0

_ONLINE: Mapping[str, object] = {"arrival": "online", "spread": _TWO_WEEKS}
_TIRED: Mapping[str, object] = {"dropout": 0.3, "slowing": 1.0}
_CONSPICUOUS = 1.3


class WorldSettings(BaseModel):
    """A world. Times are in minutes.

    Attributes:
        people: contributors. Their home countries are drawn from `countries` by Zipf's law with exponent `skew`.
        countries: ISO 3166-1 codes; which are neighbours is what the site itself goes by.
        others: further countries that pairs can be about and nobody comes from; the n-th is known
            (n + 1) ** -`fame` times as well as a country far away from a person.
        mixed: share of people with two countries of origin. connected: share who feel close to a third one.
        pairs: true pairs of each country, by salience; the n-th comes to mind with a weight of n ** -`zipf`.
        attributes: attributes that all countries share; each belongs to one of `topics` topics.
        negative: share of attributes that are unkind.
        own, near, far: a person knows the n-th pair of such a country with probability min(1, own * n ** -`decay`).
        english_readers: share of people who read English beside Spanish. english: share of what these write in it.
        minutes: time each person has. arrival: all within a few minutes, or over the whole campaign.
        spread: minutes within which people arrive.
        dropout: share of people who leave early. slowing: how much slower people are at the end (0.3: by 30 %).
        rate, skip, type, tick: minutes to read and rate a card, to skip it, to write a pair, to tick a country.
        pause: share of cards during which a person is called away, for `pause_minutes` on average.
        skipping: share of cards skipped.
        typed: pairs that a person writes on a card that shows the field, on average.
        tick_own, tick_near, tick_far: chance that a known further country is ticked (the person's own, a near one,
            another).
        junk: share of what is written that is true for nobody else.
        variants: share of what is written in unusual words. caught: chance that such a near-duplicate
            is found and merged at entry.
        known, unknown: mean rating (1 to 5, before rounding) of pairs that a person knows and does not.
        elsewhere: what is added where a pair is about another country than the person's own.
        own_negative: what is added where an unkind pair is about the person's own country.
        noise: standard deviation of ratings, before rounding.
        seeds: pairs to begin with. seed_country: the country they are about; "" spreads them over all.
        introduced: share of people to whom LACES's rule shows the first seed first, as an introduction; only that arm
            does so.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    people: Annotated[int, Field(ge=1, le=5_000)] = 83
    countries: Annotated[tuple[str, ...], Field(min_length=1, max_length=200)] = ("AR", "CL", "UY")
    others: Annotated[int, Field(ge=0, le=200)] = 0
    fame: Positive = 0.5
    skew: Positive = 1.0
    mixed: Share = 0.1
    connected: Share = 0.3
    pairs: Annotated[int, Field(ge=1, le=5_000)] = 300
    attributes: Annotated[int, Field(ge=1, le=20_000)] = 1_500
    topics: Annotated[int, Field(ge=1, le=100)] = 12
    negative: Share = 0.2
    zipf: Positive = 1.0
    decay: Positive = 0.6
    own: Positive = 8.0
    near: Positive = 3.0
    far: Positive = 1.0
    english_readers: Share = 0.92
    english: Share = 0.5
    minutes: Minutes = 40.0
    arrival: Literal["workshop", "online"] = "workshop"
    spread: Minutes = 5.0
    dropout: Share = 0.1
    slowing: Positive = 0.3
    rate: Minutes = 0.4
    skip: Minutes = 0.2
    type: Minutes = 0.8
    tick: Minutes = 0.1
    pause: Share = 0.02
    pause_minutes: Minutes = 4.0
    skipping: Share = 0.03
    typed: Positive = 0.35
    tick_own: Share = 0.5
    tick_near: Share = 0.5
    tick_far: Share = 0.2
    junk: Share = 0.02
    variants: Share = 0.1
    caught: Share = 0.7
    known: float = 4.5
    unknown: float = 2.3
    elsewhere: float = -0.5
    own_negative: float = -0.8
    noise: Positive = 1.0
    seeds: Annotated[int, Field(ge=0, le=10_000)] = 50
    seed_country: str = ""
    introduced: Share = 0.0

    @property
    def campaign_minutes(self) -> float:
        """From the first arrival to the end."""
        return self.spread + self.minutes if self.arrival == "workshop" else self.spread


@cache
def _worlds() -> dict[str, dict[str, object]]:
    return tomllib.loads(_FILE.read_text(encoding="utf-8"))


def world_names() -> list[str]:
    """The worlds that come with the package."""
    return list(_worlds())


def load_world(name: str) -> WorldSettings:
    """One of the worlds that come with the package.

    Raises:
        UserError: there is none of this name.
    """
    worlds = _worlds()
    if name not in worlds:
        raise UserError(f"Unknown world '{name}' (available: {', '.join(worlds)}).")
    return WorldSettings.model_validate(worlds[name])


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
    return {name: getattr(main, name) * factor for name in ("tick_own", "tick_near", "tick_far")}
