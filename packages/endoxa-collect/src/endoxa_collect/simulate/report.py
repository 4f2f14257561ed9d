"""The report of a comparison: tables, figures, a page, and the criteria that the site meets or fails."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jinja2
import polars as pl
from markupsafe import Markup

from endoxa.sources.spreadsheets import neutralised_table
from endoxa_collect.simulate.arms import ARMS
from endoxa_collect.simulate.calibration import PUBLISHED
from endoxa_collect.simulate.figures import figures, save
from endoxa_collect.simulate.measures import MEASURES, CellResults, Interval, by_cell, summary_table
from endoxa_collect.simulate.settings import MAIN, GridCell

_OURS, _NEAR_SURVEY = "endoxa", "static-proximity"
_SURVEYS = ("static-tuned", "static-proximity", "static-ticks")
_CELLS = 0.8

_COMPARE: dict[str, Callable[[float, float], bool]] = {
    ">=": lambda value, bound: value >= bound,
    "<=": lambda value, bound: value <= bound,
}

_HEADS = {
    "valid": "unique valid pairs",
    "complete": "with k ratings",
    "tail": "beyond rank 50",
    "reached": "pairs with k ratings",
    "over": "ratings beyond k",
    "surplus": "not asked for",
    "near": "ratings by near people",
    "near_present": "where there are any",
    "candidates": "candidates",
    "gini": "Gini",
    "duplicates": "duplicates",
    "minutes": "person-minutes",
}
_COUNTS = ("valid", "complete", "tail", "minutes")
_PLAIN = ("gini",)
_TAG = re.compile(r'^<svg [^>]*?(width="[^"]+" height="[^"]+" viewBox="[^"]+")[^>]*>')


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


def _alone(main: CellResults) -> Iterator[Verdict]:
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


def _worst(number: str, text: str, cells: dict[str, CellResults], measure: str) -> Verdict:
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


def _best(cell: CellResults, measure: str) -> str:
    """The survey that has most of a measure in this world."""
    return max(_ran(cell), key=lambda name: cell.mean(name, measure).value)


def _evenest(cell: CellResults) -> str:
    return min(_ran(cell), key=lambda name: cell.mean(name, "gini").value)


def _ran(cell: CellResults) -> list[str]:
    return [name for name in _SURVEYS if name in cell.arms]


def _ratio(number: str, text: str, main: CellResults, measure: str, least: float) -> Verdict:
    found = main.ratio(_OURS, _best(main, measure), measure)
    return Verdict(
        number, text, f"lower end at least {least}", _interval_shown(found, ".2f"), bool(found.low >= least)
    )


def _low(cell: CellResults, measure: str) -> float:
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


def write_report(
    folder: Path,
    rows: list[dict[str, Any]],
    shares: dict[tuple[str, str], float],
    grid: list[GridCell],
    fitted: dict[str, float] | None,
) -> list[str]:
    """Write `results`, `summary.csv`, figures, `report.md` and `report.html`; gives the text of the table.

    Args:
        folder: where.
        rows: one campaign each, as `comparison.results` gives them.
        shares: the share of time for writing that each survey was tuned to, by cell and arm.
        grid: the worlds, main first.
        fitted: marginals of LACES's rule in the main world, where that world was fitted to them.
    """
    frame = pl.DataFrame(rows, infer_schema_length=None)
    frame.write_parquet(folder / "results.parquet")
    neutralised_table(frame).write_csv(folder / "results.csv")
    cells = by_cell(rows)
    neutralised_table(summary_table(cells)).write_csv(folder / "summary.csv")
    drawn = [
        (figure, Markup(_inline(save(figure, folder))))  # noqa: S704 - drawn here
        for figure in figures(cells, grid)
    ]
    facts = {
        "heads": _HEADS,
        "table": _table(cells[MAIN]),
        "seeds": cells[MAIN].seeds,
        "summaries": {arm: ARMS.get(arm).summary for arm in cells[MAIN].arms},
        "shares": {
            arm: share for (cell, arm), share in shares.items() if cell == MAIN and arm in cells[MAIN].arms
        },
        "verdicts": verdicts(cells),
        "grid": [(cell.text, _table(cells[cell.name])) for cell in grid[1:] if cell.name in cells],
        "figures": drawn,
        "fitted": [(one.text, one.published, fitted[one.name]) for one in PUBLISHED] if fitted else [],
        "meanings": MEASURES,
    }
    for name, escaped in (("report.html", True), ("report.md", False)):
        pages = jinja2.Environment(
            loader=jinja2.PackageLoader("endoxa_collect.simulate"),
            autoescape=escaped,  # noqa: S701 - Markdown is not a page
            trim_blocks=True,
            lstrip_blocks=True,
        )
        (folder / name).write_text(pages.get_template(f"{name}.j2").render(facts), encoding="utf-8")
    return _lines(cells[MAIN])


def _table(cell: CellResults) -> list[tuple[str, list[str]]]:
    return [(arm, [_shown(name, cell.mean(arm, name)) for name in _HEADS]) for arm in cell.arms]


def _shown(name: str, found: Interval) -> str:
    form = ",.0f" if name in _COUNTS else ".2f" if name in _PLAIN else ".1%"
    return f"{found.value:{form}} [{found.low:{form}}, {found.high:{form}}]"


def _lines(cell: CellResults) -> list[str]:
    """The main columns for a terminal, without intervals."""
    names = ("valid", "complete", "tail", "reached", "over", "near")
    heads = "".join(f"{_HEADS[name]:>24}" for name in names)
    lines = [f"{'per 1,000 person-minutes':24}{heads}"]
    for arm in cell.arms:
        values = (_shown(name, cell.mean(arm, name)).split(" ")[0] for name in names)
        lines.append(f"{arm:24}" + "".join(f"{value:>24}" for value in values))
    return lines


def _inline(svg: str) -> str:
    """An SVG for use inside the page: without its own size, so that it shrinks with the window."""
    return _TAG.sub(lambda found: f'<svg {found[1]} role="img">', svg)
