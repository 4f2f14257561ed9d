"""Ways to choose the next card, in 19 simulated worlds: the research behind the sampler (docs/collect/simulate.md).

    python benchmarks/campaign_arms.py [--seeds 200] [--grid-seeds 20] [--jobs N] [-o out/campaign-arms]

Beside the three arms of `campaign_simulation`: surveys without ticks, fixed cards, cards by chance, LACES's rule
with reserved cards, and the site without its own slots or without candidates. Writes every campaign, the tables of each
world, figures and the criteria (`campaign_criteria.py`); a run that was stopped goes on where it was. The fit of the
main world to LACES is in `laces_calibration.py`.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import altair as alt
import polars as pl

from campaign_criteria import Cell, verdicts
from campaign_simulation.arms import LacesArm, StaticArm, among, question, unseen
from campaign_simulation.campaign import Campaign, Card
from campaign_simulation.comparison import Comparison, run_campaigns
from campaign_simulation.endoxa_arm import EndoxaArm
from campaign_simulation.measures import MAIN, MEASURES
from campaign_simulation.report import (
    ACCENT,
    HEADS,
    MUTED,
    OURS,
    Figure,
    figures,
    finished,
    interval_row,
    points,
    save,
    table,
    write_tables,
)
from campaign_simulation.world import WorldSettings, load_world
from endoxa.runs.progress import shown
from endoxa_collect.sampler.slots import SamplerSettings
from laces_calibration import PUBLISHED, simulated

ORANGE = "#b3500b"
CONSPICUOUS = 1.3
ONLINE: Mapping[str, object] = {"arrival": "online", "spread": 14 * 24 * 60.0}
TIRED: Mapping[str, object] = {"dropout": 0.3, "slowing": 1.0}
RIVALS = ("static-tuned", "static-proximity", "static-ticks", "laces-lease")
"""Arms that the grid is drawn for: the best of each kind."""


@dataclass(frozen=True)
class FedBackArm:
    """Any pair of the pool, all with the same chance."""

    name: str = "fedback"
    summary: str = "cards from the whole pool, new pairs included, all with the same chance"
    surveys: bool = False

    def start(self, campaign: Campaign) -> FedBackSession:
        """Begin a campaign."""
        return FedBackSession(campaign)


@dataclass(frozen=True)
class FedBackSession:
    """`FedBackArm` at work."""

    campaign: Campaign

    def next(self, person: int, spent: float) -> Card:  # noqa: ARG002
        """Any pair that the person has not seen, else an open question."""
        eligible = unseen(self.campaign, person)
        return among(self.campaign, person, eligible, tier="any") or question(self.campaign, person)


@dataclass(frozen=True)
class FixedArm:
    """Cards from a fixed list; after it, open questions."""

    name: str = "fixed"
    summary: str = "cards from a fixed list of seeds; what people add is not shown to others"
    surveys: bool = False

    def start(self, campaign: Campaign) -> FixedSession:
        """Begin a campaign."""
        return FixedSession(campaign)


@dataclass(frozen=True)
class FixedSession:
    """`FixedArm` at work."""

    campaign: Campaign

    def next(self, person: int, spent: float) -> Card:  # noqa: ARG002
        """A seed that the person has not seen, else an open question."""
        eligible = unseen(self.campaign, person) & self.campaign.pool["seed"]
        return among(self.campaign, person, eligible, tier="seed") or question(self.campaign, person)


ARMS = (
    StaticArm(name="static-tuned"),
    StaticArm(name="static-proximity", near_first=True),
    StaticArm(name="static-ticks", near_first=True, ticks=True),
    FixedArm(),
    FedBackArm(),
    LacesArm(name="laces"),
    LacesArm(name="laces-lease", reserves=True),
    EndoxaArm(),
)
VARIANTS = (
    EndoxaArm(
        name="endoxa-anyone",
        changes={"own_slots": 0, "near_slots": 0},
        different="every rating is for anyone who is present",
    ),
    EndoxaArm(
        name="endoxa-all",
        changes={"second_mention": False},
        different="every ticked pair asks for ratings at once",
    ),
)
"""Run with `--variants`."""


@dataclass(frozen=True)
class GridCell:
    """One world of the grid: its name, what is different in words, and its settings."""

    name: str
    text: str
    settings: WorldSettings


def grid(main: WorldSettings) -> list[GridCell]:
    """The main world first, then one factor at a time, then corners."""
    changes: list[tuple[str, str, Mapping[str, object]]] = [
        (MAIN, "main world", {}),
        ("zipf-flat", "salience falls slowly (Zipf 0.7)", {"zipf": 0.7}),
        ("zipf-steep", "salience falls fast (Zipf 1.3)", {"zipf": CONSPICUOUS}),
        ("far-known", "countries far away known better", {"far": main.far * 1.7, "near": main.near * 1.3}),
        ("far-unknown", "countries far away hardly known", {"far": main.far * 0.4, "near": main.near * 0.7}),
        ("homes-even", "as many people from each country", {"skew": 0.0}),
        ("homes-skewed", "most people from one country", {"skew": 1.8}),
        ("online", "online, over two weeks", ONLINE),
        ("untired", "nobody tires or leaves early", {"dropout": 0.0, "slowing": 0.0}),
        ("tired", "many leave early, all slow down", TIRED),
        ("noise-low", "ratings with little noise", {"noise": main.noise * 0.5}),
        ("noise-high", "ratings with much noise", {"noise": main.noise * 2}),
        ("wordings-one", "one wording for each thing", {"variants": 0.0}),
        ("wordings-many", "many wordings, few noticed", {"variants": 0.35, "caught": 0.3}),
        ("few-people", "30 people", {"people": 30}),
        ("costly-words", "adding is rare: few ticks, few words", {"typed": 0.3, **with_ticks(main, 0.25)}),
        ("no-ticks", "further countries cannot be ticked", with_ticks(main, 0.0)),
        ("online-tired", "online, many leave early", {**ONLINE, **TIRED}),
        ("skewed-steep", "one large country, steep salience", {"skew": 1.8, "zipf": CONSPICUOUS}),
    ]
    return [GridCell(name, text, main.model_copy(update=dict(change))) for name, text, change in changes]


def with_ticks(main: WorldSettings, factor: float) -> dict[str, object]:
    """Changes of a world in which people tick less."""
    return {name: getattr(main, name) * factor for name in ("tick_own", "tick_near", "tick_far")}


def grid_figure(cells: dict[str, Cell], grid: list[GridCell], others: list[str]) -> Figure:
    """Ours over each other arm, in every world."""
    order = [cell.text for cell in grid if cell.name in cells]
    charts = []
    for other in others:
        rows = [
            {"cell": cell.text, **interval_row(cells[cell.name].ratio(OURS, other, "complete"))}
            for cell in grid
            if cell.name in cells and other in cells[cell.name].arms
        ]
        frame = pl.DataFrame(rows).rename({"cell": "arm"})
        axis = alt.Axis(title="ratio", tickCount=4)
        charts.append(points(frame, order, axis, f"ours / {other}", 1.0, labels=other == others[0]))
    caption = (
        "Pairs with k ratings per 1,000 person-minutes, ours over each other arm, in every world of the grid."
    )
    worst = min(cells[name].ratio(OURS, others[0], "complete").value for name in cells)
    spoken = f"The smallest ratio to {others[0]} over the grid is {worst:.2f}."
    return Figure("grid", caption, spoken, finished(alt.hconcat(*charts, spacing=14)))


def weighting_figure(main: Cell) -> Figure:
    """What weights do to the mean rating."""
    names = {
        "raw_error": "as given",
        "weighted_error": "by 1 / propensity",
        "population_error": "by post-stratification",
    }
    rows = [
        {"arm": arm, "mean": text, **interval_row(main.mean(arm, measure))}
        for arm in main.arms
        for measure, text in names.items()
    ]
    frame = pl.DataFrame(rows)
    y = alt.Y("arm:N", sort=main.arms, title=None)
    shift = alt.YOffset("mean:N", sort=list(names.values()))
    base = alt.Chart(frame.fill_nan(None).drop_nulls())
    shape = alt.Shape(
        "mean:N",
        title=None,
        scale=alt.Scale(domain=list(names.values()), range=["circle", "triangle", "diamond"]),
    )
    colour = alt.Color(
        "mean:N",
        title=None,
        scale=alt.Scale(domain=list(names.values()), range=[MUTED, ORANGE, ACCENT]),
    )
    zero = (
        alt.Chart(pl.DataFrame({"zero": [0.0]})).mark_rule(color=MUTED, strokeDash=[4, 3]).encode(x="zero:Q")
    )
    x = alt.X("value:Q", title="mean rating less true mean")
    chart = alt.layer(
        zero,
        base.mark_rule(strokeWidth=2).encode(y=y, yOffset=shift, x="low:Q", x2="high:Q", color=colour),
        base.mark_point(filled=True, size=55, opacity=1).encode(
            y=y, yOffset=shift, x=x, color=colour, shape=shape
        ),
    ).properties(width=380, height=26 * len(main.arms))
    caption = (
        "How far the mean rating is from what all people would give to all pairs, with and without weights."
    )
    spoken = "; ".join(
        f"{arm}: {main.mean(arm, 'raw_error').value:+.2f} as given, "
        f"{main.mean(arm, 'weighted_error').value:+.2f} by 1 / propensity, "
        f"{main.mean(arm, 'population_error').value:+.2f} by post-stratification"
        for arm in main.arms
    )
    return Figure("weighting", caption, f"{spoken}.", finished(chart))


def write(folder: Path, cells: dict[str, Cell], worlds: list[GridCell]) -> None:
    """Write figures and `report.md`."""
    main = cells[MAIN]
    drawn = [*figures(main), weighting_figure(main)]
    others = [arm for arm in main.arms if arm in RIVALS]
    if len(cells) > 1 and OURS in main.arms and others:
        drawn.append(grid_figure(cells, worlds, others))
    lines = ["# Ways to choose the next card, with simulated people", ""]
    for world in worlds:
        lines += [f"## {world.text} ({cells[world.name].seeds} seeds), per 1,000 person-minutes", ""]
        lines += [f"| arm | {' | '.join(HEADS.values())} |", "|---" * (len(HEADS) + 1) + "|"]
        lines += [f"| {arm} | {' | '.join(values)} |" for arm, values in table(cells[world.name])] + [""]
    lines += ["## Criteria, fixed before the first run", ""]
    met = {True: "met", False: "not met", None: "not judged"}
    lines += [f"- {v.number} {v.text} ({v.threshold}): {v.value}, {met[v.met]}" for v in verdicts(cells)]
    lines += ["", "## How near the main world is to LACES", ""]
    fitted = simulated(load_world("laces"), seeds=8)
    lines += [f"- {m.text}: published {m.published:.4g}, simulated {fitted[m.name]:.4g}" for m in PUBLISHED]
    for figure in drawn:
        save(figure, folder)
        lines += ["", f"![{figure.spoken}]({figure.name}.svg)", "", figure.caption]
    lines += ["", "## What is measured", "", *(f"- `{name}`: {text}" for name, text in MEASURES.items()), ""]
    (folder / "report.md").write_text("\n".join(lines), encoding="utf-8")


def main() -> None:
    """Run what is missing, and write everything anew."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", type=int, default=200, help="campaigns per arm in the main world")
    parser.add_argument("--grid-seeds", type=int, default=20, help="campaigns per arm in each other world")
    parser.add_argument("--variants", action="store_true", help="also the site without slots or candidates")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("-o", "--out", type=Path, default=Path("out/campaign-arms"))
    words = parser.parse_args()
    worlds = grid(load_world("laces"))[: None if words.grid_seeds else 1]
    arms = (*ARMS, *(VARIANTS if words.variants else ()))
    rows, cells = [], {}
    for world in worlds:
        seeds = words.seeds if world.name == MAIN else words.grid_seeds
        comparison = Comparison(arms, world.settings, seeds, SamplerSettings(), words.jobs)
        with shown(world.name) as tell:
            finished = run_campaigns(comparison, words.out / world.name, restart=False, tell=tell)
        rows += [{**row, "cell": world.name} for row in finished.rows]
        cells[world.name] = Cell(pl.DataFrame(finished.rows, infer_schema_length=None))
    write_tables(words.out, rows)
    write(words.out, cells, worlds)
    print(words.out / "report.md")


if __name__ == "__main__":
    main()
