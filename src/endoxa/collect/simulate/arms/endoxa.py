"""The arm of the site: its own sampler and controller over a pool in memory."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from endoxa.collect import sampler
from endoxa.collect.sampler import Balance, Expected, Said
from endoxa.collect.sampler.types import NEEDS
from endoxa.collect.simulate.arms.rivals import at_once, lease_minutes
from endoxa.collect.simulate.campaign import Campaign, Card
from endoxa.collect.simulate.world import NEAR, OWN


@dataclass(frozen=True)
class EndoxaArm:
    """`sampler.draw` chooses, `sampler.Outlook` decides when further pairs are asked for.

    Attributes:
        name: on the command line.
        changes: settings of the sampler in place of those of the campaign.
        different: what that changes, in words.
    """

    name: str = "endoxa"
    changes: Mapping[str, object] = field(default_factory=dict)
    different: str = ""
    surveys: bool = False

    @property
    def summary(self) -> str:
        """One line that says what it does."""
        ours = "ours: tiers, weights, reserved cards, and new pairs only as far as ratings can keep up"
        return f"{ours}; {self.different}" if self.different else ours

    def start(self, campaign: Campaign) -> _Endoxa:
        """Begin a campaign."""
        campaign.settings = campaign.settings.model_copy(update=dict(self.changes))
        campaign.has_candidates = True
        return _Endoxa(campaign)


class _Endoxa:
    def __init__(self, campaign: Campaign) -> None:
        self._campaign, self._settings = campaign, campaign.settings
        self._lease = lease_minutes(campaign)
        self._forecast: tuple[float, Balance, float] | None = None
        self._asked: defaultdict[int, set[int]] = defaultdict(set)
        self._just_asked: set[int] = set()

    def next(self, person: int, spent: float) -> Card:  # noqa: ARG002
        """The site's draw; an open question where it gives none, or where too few pairs wait for ratings."""
        campaign = self._campaign
        balance, prompts = self._balance()
        if not campaign.number[person] or person in self._just_asked:
            # The first card shows a pair, so that everybody sees what is meant; and a question follows no other.
            prompts = 0.0
        if prompts and campaign.draws[person].random() < prompts:
            self._just_asked.add(person)
            return self._question(person)
        self._just_asked.discard(person)
        shares = sampler.under(balance, self._settings)
        drawn = sampler.draw(campaign.pool, self._person(person), shares, campaign.draws[person])
        if drawn is None:
            return self._question(person)
        country, *_ = campaign.pool.codes(drawn.pair)
        attribute = campaign.attribute(drawn.pair)
        fields = sampler.fields(
            adds=sampler.adds_on(balance, campaign.number[person]),
            own=bool(campaign.world.proximity[person, country] == OWN),
            asked=campaign.asked[attribute],
            settings=self._settings,
        )
        campaign.asked[attribute] += fields.ticks
        return Card(
            country=country,
            pair=drawn.pair,
            adds=fields.words or fields.ticks,
            words=fields.words,
            ticks=fields.ticks,
            tier=drawn.tier,
            propensity=drawn.propensity * (1 - prompts),
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

    def _balance(self) -> tuple[Balance, float]:
        """The balance and the share of prompt cards; candidates are let in where there is room."""
        now = self._campaign.pool.now
        if self._forecast is None or now - self._forecast[0] > sampler.KEPT_SECONDS / 60:
            outlook = self._outlook(now)
            self._campaign.admit(outlook.room)
            before = self._forecast[1] if self._forecast else None
            self._forecast = now, outlook.balance_after(before), outlook.prompts
        return self._forecast[1:]

    def _outlook(self, now: float) -> sampler.Outlook:
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
            leaving=expected.leaving,
            new_pairs=len(campaign.created) / answered if answered else 0.0,
            k=campaign.settings.k,
            most_prompts=self._settings.prompt_early,
        )
