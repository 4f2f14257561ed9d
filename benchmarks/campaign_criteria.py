"""The criteria that the site's sampler meets or fails in `campaign_arms.py`, fixed before the first run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from campaign_simulation.measures import MAIN, CellResults, Interval

_OURS, _NEAR_SURVEY = "endoxa", "static-proximity"
_SURVEYS = ("static-tuned", "static-proximity", "static-ticks")
_CELLS = 0.8

_COMPARE: dict[str, Callable[[float, float], bool]] = {
    ">=": lambda value, bound: value >= bound,
    "<=": lambda value, bound: value <= bound,
}


@dataclass(frozen=True)
class Verdict:
    """One criterion: what was asked, what came out, and whether it is met; None where it could not be judged."""

    number: str
    text: str
    threshold: str
    value: str
    met: bool | None


class Cell(CellResults):
    """The campaigns of one world, whose arms are compared seed by seed."""

    def ratio(self, arm: str, other: str, measure: str) -> Interval:
        """Mean of one arm over the mean of another."""
        first, second = self.values(arm, measure), self.values(other, measure)
        with np.errstate(divide="ignore", invalid="ignore"):
            resampled = (self.resamples @ first) / (self.resamples @ second)
            return self.interval(float(np.divide(first.mean(), second.mean())), resampled)

    def difference(self, arm: str, other: str, measure: str) -> Interval:
        """Mean of one arm less the mean of another."""
        values = self.values(arm, measure) - self.values(other, measure)
        return self.interval(float(values.mean()), self.resamples @ values)

    def within(self, arm: str, measure: str, bound: float) -> Interval:
        """Share of seeds in which a measure lies within `bound` of 0."""
        inside = (np.abs(self.values(arm, measure)) <= bound).astype(np.float64)
        return self.interval(float(inside.mean()), self.resamples @ inside)


def verdicts(cells: dict[str, Cell]) -> list[Verdict]:
    """The criteria that a simulation can answer (1 to 7), for those whose arms were run; 8 needs real people."""
    main = cells.get(MAIN)
    if main is None or _OURS not in main.arms:
        return []
    found = [*_against_survey(main, cells), *_alone(main)]
    return sorted(found, key=lambda one: one.number)


def _against_survey(main: Cell, cells: dict[str, Cell]) -> Iterator[Verdict]:
    if any(name in main.arms for name in _SURVEYS):
        yield _ratio("1a", "unique valid pairs, ours / best survey, main world", main, "valid", 1.15)
        shares = [_low(cell, "valid") >= 1.15 for cell in cells.values()]
        ran = len(shares) > 1
        yield Verdict(
            "1b",
            "grid cells in which that holds",
            "at least 80 % of the cells",
            f"{sum(shares)} of {len(shares)}" if ran else "the grid was not run",
            sum(shares) >= _CELLS * len(shares) if ran else None,
        )
        added = "added after the first runs: the same, counting only pairs with k ratings"
        yield _ratio("1c", added, main, "complete", 1.15)
        for number, measure, what in (
            ("1d", "valid", "unique valid pairs"),
            ("1e", "complete", "pairs with k ratings"),
        ):
            yield _worst(
                number,
                f"added in November 2026: {what}, ours / best survey of each world, lowest",
                cells,
                measure,
            )
        yield _ratio("4", "long tail (beyond rank 50) found, ours / best survey", main, "tail", 1.3)
        gap = main.difference(_OURS, _evenest(main), "gini")
        yield Verdict(
            "6",
            "Gini coefficient of pairs over countries, ours less the survey with the lowest",
            "at most 0",
            _interval_shown(gap, ".3f"),
            gap.value <= 0,
        )


def _alone(main: Cell) -> Iterator[Verdict]:
    reached = main.mean(_OURS, "reached")
    yield _share("2", "pairs with k independent ratings at the end", reached, ">=", 0.95)
    yield _share("3a", "ratings beyond k, all", main.mean(_OURS, "over"), "<=", 0.05)
    asked = "ratings beyond k that were not asked for (without calibration, disagreement, nothing else left)"
    yield _share("3b", asked, main.mean(_OURS, "surplus"), "<=", 0.05)
    yield _share("5a", "ratings by the own or a near culture", main.mean(_OURS, "near"), ">=", 0.70)
    text = "added in November 2026: the same, of ratings about countries that somebody in the campaign is of or near"
    yield _share("5c", text, main.mean(_OURS, "near_present"), ">=", 0.60)
    if _NEAR_SURVEY in main.arms:
        gap = main.difference(_OURS, _NEAR_SURVEY, "near")
        text = "the same, less that of a survey whose ratings go to near people first"
        yield Verdict("5b", text, "above 0", _interval_shown(gap, "+.1%"), gap.low > 0)
    error, raw = main.mean(_OURS, "weighted_error"), main.mean(_OURS, "raw_error")
    yield Verdict(
        "7a",
        f"weighted mean rating less the true mean, over campaigns (raw mean: {_interval_shown(raw, '+.3f')})",
        "within 0.1",
        _interval_shown(error, "+.3f"),
        error.low >= -0.1 and error.high <= 0.1,
    )
    inside = main.within(_OURS, "weighted_error", 0.1)
    raw_inside = main.within(_OURS, "raw_error", 0.1)
    text = (
        f"single campaigns whose weighted mean is within 0.1 (raw mean: {_interval_shown(raw_inside, '.0%')})"
    )
    yield Verdict("7b", text, "at least 95 %", _interval_shown(inside, ".0%"), inside.value >= 0.95)
    cut = main.mean(_OURS, "cut_error")
    inside = main.within(_OURS, "cut_error", 0.1)
    yield Verdict(
        "7c",
        "added in November 2026: the weighted mean with the largest 5 % of the weights cut",
        "within 0.1",
        f"{_interval_shown(cut, '+.3f')}; single campaigns: {_interval_shown(inside, '.0%')}",
        cut.low >= -0.1 and cut.high <= 0.1,
    )
    found = main.mean(_OURS, "population_error")
    inside = main.within(_OURS, "population_error", 0.1)
    yield Verdict(
        "7d",
        "added in November 2026: mean by post-stratification to all people of the campaign, less the true mean",
        "within 0.05",
        f"{_interval_shown(found, '+.3f')}; single campaigns within 0.1: {_interval_shown(inside, '.0%')}",
        found.low >= -0.05 and found.high <= 0.05,
    )


def _worst(number: str, text: str, cells: dict[str, Cell], measure: str) -> Verdict:
    """The world in which we come out worst beside its best survey."""
    ratios = {name: cell.ratio(_OURS, _best(cell, measure), measure) for name, cell in cells.items()}
    name, found = min(ratios.items(), key=lambda one: one[1].value)
    ran = len(ratios) > 1
    return Verdict(
        number,
        text,
        "at least 0.95",
        f"{_interval_shown(found, '.2f')} ({name})" if ran else "the grid was not run",
        found.value >= 0.95 if ran else None,
    )


def _best(cell: Cell, measure: str) -> str:
    """The survey that has most of a measure in this world."""
    return max(_ran(cell), key=lambda name: cell.mean(name, measure).value)


def _evenest(cell: Cell) -> str:
    return min(_ran(cell), key=lambda name: cell.mean(name, "gini").value)


def _ran(cell: Cell) -> list[str]:
    return [name for name in _SURVEYS if name in cell.arms]


def _ratio(number: str, text: str, main: Cell, measure: str, least: float) -> Verdict:
    found = main.ratio(_OURS, _best(main, measure), measure)
    return Verdict(
        number, text, f"lower end at least {least}", _interval_shown(found, ".2f"), bool(found.low >= least)
    )


def _low(cell: Cell, measure: str) -> float:
    return cell.ratio(_OURS, _best(cell, measure), measure).low


def _share(number: str, text: str, found: Interval, sign: str, bound: float) -> Verdict:
    least = "at least" if sign == ">=" else "at most"
    return Verdict(
        number,
        text,
        f"{least} {bound:.0%}",
        _interval_shown(found, ".1%"),
        _COMPARE[sign](found.value, bound),
    )


def _interval_shown(found: Interval, form: str) -> str:
    return f"{found.value:{form}} [{found.low:{form}}, {found.high:{form}}]"
