"""What would prove that our sampler is worth it, fixed before the first run; nothing here is adapted to results."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from endoxa.collect.simulate.grid import MAIN
from endoxa.collect.simulate.summary import CellResults, Interval

_OURS, _SURVEY, _NEAR_SURVEY = "endoxa", "static-tuned", "static-proximity"
_CELLS = 0.8


@dataclass(frozen=True)
class Verdict:
    """One criterion: what was asked, what came out, and whether it is met; None where it could not be judged."""

    number: str
    text: str
    threshold: str
    value: str
    met: bool | None


def verdicts(cells: dict[str, CellResults]) -> list[Verdict]:
    """The criteria that a simulation can answer (1 to 7), for those whose arms were run; 8 needs real people."""
    main = cells.get(MAIN)
    if main is None or _OURS not in main.arms:
        return []
    found = [*_against_survey(main, cells), *_alone(main)]
    return sorted(found, key=lambda one: one.number)


def _against_survey(main: CellResults, cells: dict[str, CellResults]) -> Iterator[Verdict]:
    if _SURVEY in main.arms:
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
        yield _ratio("4", "long tail (beyond rank 50) found, ours / best survey", main, "tail", 1.3)
        gap = main.difference(_OURS, _SURVEY, "gini")
        yield Verdict(
            "6",
            "Gini coefficient of pairs over countries, ours less survey",
            "at most 0",
            _shown(gap, ".3f"),
            gap.value <= 0,
        )


def _alone(main: CellResults) -> Iterator[Verdict]:
    reached = main.mean(_OURS, "reached")
    yield _share("2", "pairs with k independent ratings at the end", reached, ">=", 0.95)
    yield _share("3a", "ratings beyond k, all", main.mean(_OURS, "over"), "<=", 0.05)
    asked = "ratings beyond k that were not asked for (without calibration, disagreement, nothing else left)"
    yield _share("3b", asked, main.mean(_OURS, "surplus"), "<=", 0.05)
    yield _share("5a", "ratings by the own or a near culture", main.mean(_OURS, "near"), ">=", 0.70)
    if _NEAR_SURVEY in main.arms:
        gap = main.difference(_OURS, _NEAR_SURVEY, "near")
        text = "the same, less that of a survey whose ratings go to near people first"
        yield Verdict("5b", text, "above 0", _shown(gap, "+.1%"), gap.low > 0)
    error, raw = main.mean(_OURS, "weighted_error"), main.mean(_OURS, "raw_error")
    yield Verdict(
        "7a",
        f"weighted mean rating less the true mean, over campaigns (raw mean: {_shown(raw, '+.3f')})",
        "within 0.1",
        _shown(error, "+.3f"),
        error.low >= -0.1 and error.high <= 0.1,
    )
    inside = main.within(_OURS, "weighted_error", 0.1)
    raw_inside = main.within(_OURS, "raw_error", 0.1)
    text = f"single campaigns whose weighted mean is within 0.1 (raw mean: {_shown(raw_inside, '.0%')})"
    yield Verdict("7b", text, "at least 95 %", _shown(inside, ".0%"), inside.value >= 0.95)
    waited = main.mean(_OURS, "waited_error")
    inside = main.within(_OURS, "waited_error", 0.1)
    yield Verdict(
        "7c",
        "added after the first runs: the same with weights 1 / (propensity x cards drawn while the pair waited)",
        "within 0.1",
        f"{_shown(waited, '+.3f')}; single campaigns: {_shown(inside, '.0%')}",
        waited.low >= -0.1 and waited.high <= 0.1,
    )


def _ratio(number: str, text: str, main: CellResults, measure: str, least: float) -> Verdict:
    found = main.ratio(_OURS, _SURVEY, measure)
    return Verdict(
        number, text, f"lower end at least {least}", _shown(found, ".2f"), bool(found.low >= least)
    )


def _low(cell: CellResults, measure: str) -> float:
    return cell.ratio(_OURS, _SURVEY, measure).low


_COMPARE: dict[str, Callable[[float, float], bool]] = {
    ">=": lambda value, bound: value >= bound,
    "<=": lambda value, bound: value <= bound,
}


def _share(number: str, text: str, found: Interval, sign: str, bound: float) -> Verdict:
    least = "at least" if sign == ">=" else "at most"
    return Verdict(
        number, text, f"{least} {bound:.0%}", _shown(found, ".1%"), _COMPARE[sign](found.value, bound)
    )


def _shown(found: Interval, form: str) -> str:
    return f"{found.value:{form}} [{found.low:{form}}, {found.high:{form}}]"
