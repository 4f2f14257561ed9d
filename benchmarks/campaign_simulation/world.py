"""A simulated world: its settings, its people, its pairs per country, and what each person knows.

All that is random about people is drawn here, once for a seed, so that every arm meets the same people: what they
know, in which order it comes to their mind, how they rate it, when they come and when they leave.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict, Field
from scipy.special import ndtri

from endoxa.errors import UserError
from endoxa_collect import geography

Share = Annotated[float, Field(ge=0, le=1)]
Minutes = Annotated[float, Field(gt=0)]
Positive = Annotated[float, Field(ge=0)]

_FILE = Path(__file__).with_name("worlds.toml")


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


def load_world(name: str) -> WorldSettings:
    """One of the worlds that come with the package.

    Raises:
        UserError: there is none of this name.
    """
    worlds = tomllib.loads(_FILE.read_text(encoding="utf-8"))
    if name not in worlds:
        raise UserError(f"Unknown world '{name}' (available: {', '.join(worlds)}).")
    return WorldSettings.model_validate(worlds[name])


FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

OWN, NEAR, FAR = 0, 1, 2
"""How near a country is to a person."""

LANGUAGES = ("es", "en")
JUNK = -1
"""Rank of what is true for nobody else."""

LUCK = 24
"""Random numbers that one card takes; the same number for each, so that arms keep in step."""

_STEPS = 65_536
_EVEN: FloatArray = (np.arange(_STEPS) + 0.5) / _STEPS
_NORMAL: FloatArray = ndtri(_EVEN)
_GUMBEL: FloatArray = -np.log(-np.log(_EVEN))
_JUNK_RATING = 1.5

Bits = npt.NDArray[np.uint16]


class World:
    """A world made from its settings and a seed; nothing in it changes while a campaign runs.

    Attributes:
        settings, seed: what it was made from.
        countries: codes of all countries; the first `len(settings.countries)` are those people come from.
        proximity: (people, countries): OWN, NEAR or FAR.
        origins, near: codes for each person, as the site knows them.
        reads_english: by person. introduced: by person; see `WorldSettings`.
        arrivals: minute at which each person comes. stays: minutes each spends. pace: factor on all durations.
        attribute: (countries, rank): what is said, by salience.
        negative: by attribute. topic: by attribute.
        knows: (people, countries, rank).
    """

    def __init__(self, settings: WorldSettings, seed: int) -> None:
        self.settings, self.seed = settings, seed
        rng = np.random.default_rng([seed, 0])
        others = [code for code in geography.codes() if code not in settings.countries]
        self.countries = (*settings.countries, *others[: settings.others])
        self._settle(rng)
        self._schedule(rng)
        self._say(rng)
        self._know(rng)
        self._rate()
        self._recalls: dict[tuple[int, int], list[int]] = {}

    def _settle(self, rng: np.random.Generator) -> None:
        settings = self.settings
        homes = len(settings.countries)
        shares = np.arange(1, homes + 1) ** -settings.skew
        first = rng.choice(homes, settings.people, p=shares / shares.sum())
        second = rng.choice(homes, settings.people, p=shares / shares.sum())
        close = rng.integers(0, homes, settings.people)
        mixed = rng.random(settings.people) < settings.mixed
        connected = rng.random(settings.people) < settings.connected
        self.origins: list[frozenset[str]] = []
        self.near: list[frozenset[str]] = []
        self.proximity = np.full((settings.people, len(self.countries)), FAR)
        places = {code: place for place, code in enumerate(self.countries)}
        for person in range(settings.people):
            origins = {first[person]} | ({second[person]} if mixed[person] else set())
            codes = frozenset(self.countries[place] for place in origins)
            felt = frozenset({self.countries[close[person]]}) if connected[person] else frozenset[str]()
            near = geography.near(codes, felt) & places.keys()
            self.origins.append(codes)
            self.near.append(frozenset(near))
            self.proximity[person, [places[code] for code in near]] = NEAR
            self.proximity[person, [places[code] for code in codes]] = OWN
        self.reads_english = rng.random(settings.people) < settings.english_readers

    def _schedule(self, rng: np.random.Generator) -> None:
        settings = self.settings
        self.arrivals: FloatArray = rng.random(settings.people) * settings.spread
        if settings.arrival == "online":
            self.arrivals *= max(0.0, 1 - settings.minutes / settings.spread)
        early = rng.random(settings.people) < settings.dropout
        self.stays: FloatArray = settings.minutes * np.where(
            early, 0.1 + 0.8 * rng.random(settings.people), 1
        )
        self.pace: FloatArray = np.exp(0.25 * rng.standard_normal(settings.people))
        self.introduced = np.random.default_rng([self.seed, 5]).random(settings.people) < settings.introduced

    def _say(self, rng: np.random.Generator) -> None:
        settings = self.settings
        everything = np.tile(np.arange(settings.attributes), (len(self.countries), 1))
        self.attribute: IntArray = rng.permuted(everything, axis=1)[:, : settings.pairs]
        self.negative: npt.NDArray[np.bool_] = rng.random(settings.attributes) < settings.negative
        self.topic: IntArray = rng.integers(0, settings.topics, settings.attributes)
        ranks = np.full((settings.attributes, len(self.countries)), JUNK)
        np.put_along_axis(ranks.T, self.attribute, np.arange(self.attribute.shape[1]), axis=1)
        self._ranks: IntArray = ranks

    def _know(self, rng: np.random.Generator) -> None:
        settings = self.settings
        shape = (settings.people, len(self.countries), self.attribute.shape[1])
        self.fame: FloatArray = np.ones(len(self.countries))
        self.fame[len(settings.countries) :] = np.arange(1, settings.others + 1) ** -settings.fame
        reach = np.array([settings.own, settings.near, settings.far])[self.proximity]
        reach = np.where(self.proximity == FAR, reach * self.fame, reach)
        chance = np.minimum(1, reach[:, :, None] * (np.arange(shape[2]) + 1.0) ** -settings.decay)
        self.knows: npt.NDArray[np.bool_] = _bits(rng, shape) < chance * _STEPS
        self._minds, self._tastes = (_bits(rng, shape) for _ in range(2))
        chances = np.array([settings.tick_own, settings.tick_near, settings.tick_far])[self.proximity]
        self._ticks: npt.NDArray[np.bool_] = self.knows & (_bits(rng, shape) < chances[:, :, None] * _STEPS)

    def _rate(self) -> None:
        settings = self.settings
        home = (self.proximity == OWN)[:, :, None]
        mean = np.where(self.knows, np.float32(settings.known), np.float32(settings.unknown))
        mean += np.float32(settings.own_negative) * (home & self.negative[self.attribute])
        mean += np.float32(settings.elsewhere) * ~home
        noise = (settings.noise * _NORMAL).astype(np.float32)
        self._ratings = np.clip(np.rint(mean + noise[self._tastes]), 1, 5).astype(np.int8)
        self._junk = np.clip(np.rint(_JUNK_RATING + noise), 1, 5).astype(np.int8)

    def streams(self, purpose: int) -> list[np.random.Generator]:
        """One stream of random numbers a person for one purpose, the same for every arm."""
        return [np.random.default_rng([self.seed, purpose, person]) for person in range(self.settings.people)]

    def recall(self, person: int, country: int) -> list[int]:
        """Ranks of the pairs that a person knows of a country, in the order in which they come to mind.

        A draw without replacement by salience, by Gumbel keys (Efraimidis and Spirakis 2006).
        """
        order = self._recalls.get((person, country))
        if order is None:
            attributes = np.flatnonzero(self.knows[person, country])
            keys = _GUMBEL[self._minds[person, country, attributes]] - self.settings.zipf * np.log(
                attributes + 1.0
            )
            order = self._recalls[person, country] = attributes[np.argsort(-keys, kind="stable")].tolist()
        return order

    def ticks(self, person: int, attribute: int) -> list[tuple[int, int]]:
        """(country, rank) of all pairs with this attribute that a person would tick when shown one of them."""
        ranks = self._ranks[attribute]
        countries = np.flatnonzero(ranks >= 0)
        ranks = ranks[countries]
        ticked = self._ticks[person, countries, ranks]
        return list(zip(countries[ticked].tolist(), ranks[ticked].tolist(), strict=True))

    def rating(self, person: int, country: int, rank: int) -> int:
        """How this person rates this pair, 1 to 5; the same answer whenever asked."""
        if rank == JUNK:
            return int(self._junk[self._tastes[person, country, rank]])
        return int(self._ratings[person, country, rank])

    def ratings(self, countries: IntArray, ranks: IntArray) -> IntArray:
        """How everybody would rate these pairs: (people, pairs)."""
        junk = self._junk[self._tastes[:, countries, ranks]]
        return np.where(ranks == JUNK, junk, self._ratings[:, countries, ranks]).astype(np.int64)


def _bits(rng: np.random.Generator, shape: tuple[int, ...]) -> Bits:
    # Sixteen random bits a number: a quarter of the time and space of floats, and nothing here needs more.
    size = int(np.prod(shape))
    return np.frombuffer(rng.bytes(2 * size), dtype=np.uint16).reshape(shape)
