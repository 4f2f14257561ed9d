"""How known pairs are to people from the country and to others, by tone and country: figures over all ratings.

The tables do not say where people without a key are from, so comparisons made from them lack these people. Here they
are all in, and small cells are left out instead (`suppressed`). Readers know of every rating which pair it is about
and its value; of people with a key also whether they are from the country. So the risk of a cell is counted over the
ratings of those without a key.

Near and far ratings are told apart for totals over all countries only: which countries somebody feels close to stands
in no other table, so there the risk is counted over all ratings from elsewhere.

Which cells to leave empty: cells are counts of rows by line and column, with totals (`ALL`) of both. A reader knows
for every cell how many rows there are that may or may not belong to the group (`Risk.rows`), and every cell that is
published; what they must not learn is how many of these rows are the group's (`Risk.inside`) where few people stand
behind them. Complementary suppression (Willenborg and de Waal 2001, chapters 1 and 6): a small cell is suppressed; then
others are, until

- what is left of each published total, less the published cells of its line, again belongs to enough people, and
- each suppressed small cell lies on a cycle of suppressed cells, along which rows can be moved between group and others
  without changing anything that is published (Gusfield 1988: just then its number is not determined).
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

import polars as pl

from endoxa_collect import geography
from endoxa_collect import population as weighting
from endoxa_collect.export.columns import GROUP_MEANS, POLARITIES
from endoxa_collect.export.people import Pool, Published
from endoxa_collect.models import Campaign, Moderation, Pair, Person, Rating
from endoxa_collect.population import FAR, IN, NEAR, Group, shares_of, weighted_mean
from endoxa_collect.sampler.slots import CANDIDATE
from endoxa_collect.small_cells import LEAST

Place = tuple[str, str]
"""A line and a column of the table."""

ALL = "all"
"""Stands for a total."""


@dataclass
class Risk:
    """The rows of a cell of which nothing else says whether they belong to the group, by person."""

    inside: Counter[object] = field(default_factory=Counter)
    outside: Counter[object] = field(default_factory=Counter)

    @property
    def rows(self) -> int:
        """All of them."""
        return self.inside.total() + self.outside.total()

    def is_small(self, least: int) -> bool:
        """Whether rows of the group, or the others, belong to few people, or most of them to one (dominance)."""
        if not self.rows:
            return False
        return any(
            len(people) < least or 2 * max(people.values()) > people.total()
            for people in (self.inside, self.outside)
        )

    def add(self, other: Risk) -> None:
        """Take the rows of another cell in."""
        self.inside.update(other.inside)
        self.outside.update(other.outside)


def suppressed(cells: Mapping[Place, Risk], least: int) -> frozenset[Place]:
    """Cells and totals to leave empty.

    Args:
        cells: all cells of the table with its totals; a table of one column has the column `ALL` only.
        least: people that must stand behind what is published.
    """
    small = {place for place, risk in cells.items() if risk.is_small(least)}
    hidden = set(small)
    while (line := _weak_line(cells, small, hidden, least)) is not None:
        # The cell that costs readers least: with the fewest rows, and rather a cell than a total.
        hidden.add(
            min(
                line - hidden,
                key=lambda place: (not cells[place].rows, ALL in place, cells[place].rows, place),
            )
        )
    return frozenset(hidden)


def _weak_line(
    cells: Mapping[Place, Risk], small: set[Place], hidden: set[Place], least: int
) -> set[Place] | None:
    """Cells of which one more has to go; None where no small cell can be worked out."""
    # Each total with the cells that add up to it.
    by_total: defaultdict[Place, set[Place]] = defaultdict(set)
    for line, column in cells:
        if line != ALL:
            by_total[ALL, column].add((line, column))
        if column != ALL:
            by_total[line, ALL].add((line, column))
    for total, parts in ((total, parts) for total, parts in by_total.items() if total in cells):
        rest = Risk()
        for place in parts & hidden:
            rest.add(cells[place])
        if total not in hidden and rest.is_small(least):
            return {*parts, total}
    if hidden != set(cells):
        for place in sorted(small):
            if not _can_move(cells, hidden, place):
                near = {other for other in cells if other[0] == place[0] or other[1] == place[1]}
                return near if near - hidden else set(cells)
    return None


def _can_move(cells: Mapping[Place, Risk], hidden: set[Place], place: Place) -> bool:
    """Whether one row more or less of the group could be in a cell with all that is published as it is."""
    arcs: defaultdict[str, set[str]] = defaultdict(set)
    for other in hidden - {place}:
        for start, end in _arcs(cells, other):
            arcs[start].add(end)
    return any(_leads(arcs, end, start) for start, end in _arcs(cells, place))


def _arcs(cells: Mapping[Place, Risk], place: Place) -> Iterator[tuple[str, str]]:
    """Ways in which a cell can change, from line to column where its number grows; totals the other way round.

    A line or column without a total that holds it to anything is the world outside.
    """
    columns = {column for _, column in cells}
    line = f"line {place[0]}" if len(columns) > 1 else "outside"
    column = f"column {place[1]}"
    grows, shrinks = cells[place].outside.total() > 0, cells[place].inside.total() > 0
    if (place[0] == ALL) != (place[1] == ALL):
        grows, shrinks = shrinks, grows
    if grows:
        yield line, column
    if shrinks:
        yield column, line


def _leads(arcs: Mapping[str, set[str]], start: str, end: str) -> bool:
    seen, ahead = {start}, [start]
    while ahead:
        node = ahead.pop()
        if node == end:
            return True
        ahead += (new := arcs.get(node, set()) - seen)
        seen |= new
    return False


OUT, POPULATION = "out", "population"
"""From elsewhere, near or far; everybody, at the shares of the population."""

UNJUDGED = "not judged"
"""The tone of pairs of which nobody said whether they are unkind."""

_RECOGNISED_FROM = 3
"""Ratings from this value on say that some people here say it, or more."""
_DECIMALS = 2


@dataclass(frozen=True)
class Answer:
    """A rating that counts: who, about which country, in which tone, from where, and how known the pair is.

    `place` is IN, NEAR or FAR, "" where the person named no country; `linked`: the table of ratings says whether it is
    IN.
    """

    person: object
    country: str
    tone: str
    place: str
    value: int
    linked: bool


def read_answers(
    campaign: Campaign, pool: Pool, published: Mapping[UUID, Published], unmerged: Mapping[UUID, Published]
) -> list[Answer]:
    """The ratings of exported pairs that count.

    Args:
        campaign: which.
        pool: its pairs as the export knows them.
        published: people as the other tables show them.
        unmerged: the same people with nothing merged.
    """
    rows = Rating.objects.filter(person__campaign=campaign).order_by("created_at", "pk")
    latest = {
        (person, pool.roots[pair]): (value, country)
        for person, pair, value, country in rows.values_list("person", "pair", "value", "pair__country")
        if pair in pool.roots and person in published
    }
    tones = dict(Pair.objects.filter(campaign=campaign).values_list("public_id", "negative"))
    near = _near(campaign)
    return [
        Answer(
            person=person,
            country=country,
            tone=POLARITIES[tones[root]] or UNJUDGED,
            place=_place(unmerged[person].is_from(country), country in near[person]),
            value=value,
            linked=published[person].is_from(country) is not None,
        )
        for (person, root), (value, country) in latest.items()
    ]


def _near(campaign: Campaign) -> dict[UUID, frozenset[str]]:
    """The countries near to each person."""
    people = Person.objects.filter(campaign=campaign).values_list("pk", "origins", "connections")
    return {pk: geography.near(frozenset(origins), frozenset(felt)) for pk, origins, felt in people}


def _place(is_from: bool | None, is_near: bool) -> str:
    if is_from is None:
        return ""
    return IN if is_from else NEAR if is_near else FAR


@dataclass(frozen=True)
class Population:
    """Whom the means of a release stand for, and the pairs that they are about.

    Attributes:
        pairs: how many of each tone (ALL: of any) and country there are.
        shares: of the population who are IN, NEAR and FAR, by country.
    """

    pairs: Mapping[Place, int]
    shares: Mapping[str, Mapping[str, float]]


def read_population(campaign: Campaign, unmerged: Mapping[UUID, Published]) -> Population:
    """The stated population of a campaign (`CampaignSettings.population`), else the people who took part.

    Args:
        campaign: which.
        unmerged: people with nothing merged; those who named no country are left out.
    """
    pairs: Counter[Place] = Counter()
    live = Pair.objects.filter(campaign=campaign, moderation=Moderation.LIVE, merged_into=None)
    for country, negative in live.exclude(need=CANDIDATE).values_list("country", "negative"):
        for tone in (POLARITIES[negative] or UNJUDGED, ALL):
            pairs[tone, country] += 1
    stated = campaign.settings.population
    countries = {country for _, country in pairs}
    if stated:
        shares = {
            country: shares_of(country, stated, lambda code: geography.near(frozenset({code}), frozenset()))
            for country in countries
        }
    else:
        near = _near(campaign)
        shares = {}
        for country in countries:
            places = [
                _place(who.is_from(country), country in near[person]) for person, who in unmerged.items()
            ]
            placed = [place for place in places if place]
            shares[country] = {
                place: placed.count(place) / len(placed) if placed else math.nan for place in (IN, NEAR, FAR)
            }
    return Population(pairs, shares)


def group_means(answers: Sequence[Answer], population: Population | None = None) -> pl.DataFrame:
    """The table: one row for each tone, country (or all) and group.

    Small cells are empty, and those that would give them away. The means for the population are made from those of
    `in`, `near` and `far` over all countries, and stand only beside these: they tell nothing more about anybody.
    """
    placed = [answer for answer in answers if answer.place]
    by_country = _shown(placed, _tone_and_country, IN, lambda answer: not answer.linked)
    beside = [answer for answer in placed if answer.place != IN]
    by_tone = _shown(beside, lambda answer: ((answer.tone, ALL), (ALL, ALL)), NEAR, lambda _: True)
    groups = _by_place(placed, _tone_and_country)
    rows = []
    for tone, country in sorted(groups, key=lambda place: (place[1] != ALL, place[1], place[0])):
        cell = groups[tone, country]
        parts = {IN: [IN], OUT: [NEAR, FAR]} | ({NEAR: [NEAR], FAR: [FAR]} if country == ALL else {})
        for group, places in parts.items():
            shown = (tone, country) in by_country and (group in (IN, OUT) or (tone, country) in by_tone)
            kept = [answer for answer in cell if answer.place in places]
            rows.append({"tone": tone, "country": country, "group": group, **_figures(kept, shown=shown)})
        if country == ALL and population is not None:
            shown = (tone, country) in by_country and (tone, country) in by_tone
            figures = _for_population(cell, tone, population) if shown else {"suppressed": True}
            rows.append({"tone": tone, "country": country, "group": POPULATION, **figures})
    return pl.DataFrame(rows, schema={column.name: column.kind for column in GROUP_MEANS})


def _for_population(answers: Sequence[Answer], tone: str, population: Population) -> dict[str, object]:
    """The figures of a population in which people near and far have other shares than among the ratings."""
    groups = [
        Group(country, "", float(number), population.shares[country])
        for (kind, country), number in population.pairs.items()
        if kind == tone
    ]
    means = [
        weighted_mean(
            # No country: the means of all countries together are published anyway.
            [
                weighting.Answer(answer.person, "", "", answer.place, value(answer.value))
                for answer in answers
            ],
            groups,
        )
        for value in (float, lambda value: float(value >= _RECOGNISED_FROM))
    ]
    figures = _figures(answers, shown=True)
    if not all(map(math.isfinite, means)):
        return {"suppressed": True}
    return {**figures, "mean": round(means[0], _DECIMALS), "known": round(means[1], _DECIMALS)}


def _tone_and_country(answer: Answer) -> Iterable[Place]:
    return ((tone, country) for tone in (answer.tone, ALL) for country in (answer.country, ALL))


def _by_place(
    answers: Iterable[Answer], places: Callable[[Answer], Iterable[Place]]
) -> dict[Place, list[Answer]]:
    answers_at: defaultdict[Place, list[Answer]] = defaultdict(list)
    for answer in answers:
        for place in places(answer):
            answers_at[place].append(answer)
    return answers_at


def _shown(
    answers: Sequence[Answer],
    places: Callable[[Answer], Iterable[Place]],
    group: str,
    hidden: Callable[[Answer], bool],
) -> frozenset[Place]:
    """Cells with at least `LEAST` people in the group and outside it, from which nothing small can be worked out."""
    cells = _by_place(answers, places)
    risks = {
        place: Risk(
            Counter(answer.person for answer in cell if hidden(answer) and answer.place == group),
            Counter(answer.person for answer in cell if hidden(answer) and answer.place != group),
        )
        for place, cell in cells.items()
    }
    gone = suppressed(risks, LEAST)
    return frozenset(
        place
        for place, cell in cells.items()
        if place not in gone
        and all(
            len({answer.person for answer in cell if (answer.place == group) is inside}) >= LEAST
            for inside in (True, False)
        )
    )


def _figures(answers: Sequence[Answer], *, shown: bool) -> dict[str, object]:
    if not shown:
        return {"suppressed": True}
    values = [answer.value for answer in answers]
    return {
        "people": len({answer.person for answer in answers}),
        "ratings": len(values),
        "mean": round(sum(values) / len(values), _DECIMALS),
        "known": round(sum(value >= _RECOGNISED_FROM for value in values) / len(values), _DECIMALS),
        "suppressed": False,
    }
