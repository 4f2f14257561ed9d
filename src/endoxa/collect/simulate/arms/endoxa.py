"""The arm of the site: its own sampler and controller over a pool in memory."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from endoxa.collect import sampler
from endoxa.collect.sampler import Balance, Expected, Said, SamplerSettings
from endoxa.collect.sampler.types import NEEDS
from endoxa.collect.simulate.arms.rivals import at_once, lease_minutes
from endoxa.collect.simulate.campaign import Campaign, Card
from endoxa.collect.simulate.world import NEAR, OWN


@dataclass(frozen=True)
class EndoxaArm:
    """`sampler.draw` chooses, `sampler.forecast` decides when further pairs are asked for.

    Attributes:
        name: on the command line.
        evenness: in place of that of the campaign's settings.
    """

    name: str = "endoxa"
    evenness: int | None = None
    surveys: bool = False

    @property
    def summary(self) -> str:
        """One line that says what it does."""
        ours = "ours: tiers, weights, reserved cards, and fields for new pairs only while ratings can keep up"
        if self.evenness is None:
            return ours
        return f"{ours}; evenness {self.evenness}: all pairs of a tier fill evenly"

    def start(self, campaign: Campaign) -> _Endoxa:
        """Begin a campaign."""
        settings = campaign.settings
        if self.evenness is not None:
            settings = settings.model_copy(update={"evenness": self.evenness})
        return _Endoxa(campaign, settings)


class _Endoxa:
    def __init__(self, campaign: Campaign, settings: SamplerSettings) -> None:
        self._campaign, self._settings = campaign, settings
        self._lease = lease_minutes(campaign)
        self._forecast: tuple[float, Balance] | None = None
        self._asked: defaultdict[int, set[int]] = defaultdict(set)

    def next(self, person: int, spent: float) -> Card:  # noqa: ARG002
        """The site's draw; an open question where it gives none."""
        campaign, balance = self._campaign, self._balance()
        shares = sampler.under(balance, self._settings)
        drawn = sampler.draw(campaign.pool, self._person(person), shares, campaign.draws[person])
        if drawn is None:
            return self._question(person)
        return Card(
            country=campaign.pool.codes(drawn.pair)[0],
            pair=drawn.pair,
            adds=sampler.adds_on(balance, campaign.number[person]),
            tier=drawn.tier,
            propensity=drawn.propensity,
            lease=self._lease,
        )

    def _question(self, person: int) -> Card:
        """An open question about the country of which most is unsaid; each once, then all again."""
        campaign = self._campaign
        proximity = campaign.world.proximity[person]
        known = [*np.flatnonzero(proximity == OWN), *np.flatnonzero(proximity == NEAR)]
        left = [place for place in known if place not in self._asked[person]]
        if not left:
            self._asked[person].clear()
            left = known
        codes = [campaign.world.countries[place] for place in left]
        first = sampler.least_said(codes, self._said(left, codes))[0]
        place = left[codes.index(first)]
        self._asked[person].add(place)
        return Card(int(place), tier="prompt")

    def _said(self, places: list[int], codes: list[str]) -> dict[str, Said]:
        pool = self._campaign.pool
        mentions = [pool["mentions"][pool["country"] == place] for place in places]
        return {
            code: Said(int(counts.sum()), int((counts == 1).sum()))
            for code, counts in zip(codes, mentions, strict=True)
        }

    def _person(self, person: int) -> sampler.Person:
        campaign = self._campaign
        pool, held = campaign.pool, campaign.leases.held
        counts = campaign.held()
        goal = np.where(pool["need"] == NEEDS, campaign.settings.k, campaign.settings.k_max)
        full = (counts > 0) & (pool["ratings"] + counts >= goal)
        seen = campaign.seen(person)
        return sampler.Person(
            origins=campaign.world.origins[person],
            near=campaign.world.near[person],
            languages=campaign.languages(person),
            excluded={pair: pool.cell(pair) for pair in seen.nonzero()[0].tolist()},
            full={pair: pool.cell(pair) for pair in full.nonzero()[0].tolist()},
            reserved=held,
            last=tuple(campaign.last[person]),
        )

    def _balance(self) -> Balance:
        now = self._campaign.pool.now
        if self._forecast is None or now - self._forecast[0] > sampler.KEPT_SECONDS / 60:
            self._forecast = now, self._look_ahead(now)
        return self._forecast[1]

    def _look_ahead(self, now: float) -> Balance:
        """What the site asks its controller, from the ratings and new pairs of its window (`cards.balance`)."""
        campaign, world = self._campaign, self._campaign.world.settings
        expected = Expected(at_once(campaign), world.people, world.campaign_minutes)
        window = expected.window
        for moments in (campaign.answered, campaign.created):
            while moments and moments[0] < now - window:
                moments.popleft()
        answered = len(campaign.answered)
        people = sum(minute >= now - window for minute in campaign.latest)
        each = answered / people / window if people else 0.0
        held = sum(campaign.pool.cell(pair).need == NEEDS for pair in campaign.leases.held)
        return sampler.Outlook(
            backlog=max(0, campaign.pool.missing - held),
            pace=expected.pace(now, people, each),
            minutes=world.campaign_minutes - now,
            total=world.campaign_minutes,
            new_pairs=len(campaign.created) / answered if answered else 0.0,
            k=campaign.settings.k,
        ).balance
