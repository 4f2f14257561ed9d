"""Associations gained, lost and kept from one run of stories to another, and how many would be by chance.

Whether an association is in the list of a run is a decision at a level: lists of two runs of one model differ, too. So
they are compared with the lists of stories that changed sides by chance, prompt by prompt: what two runs of one model
would show that writes as both runs together do.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from endoxa.instruments.stories.associations import discover
from endoxa.instruments.stories.associations.discover import types_of
from endoxa.instruments.stories.options import Discovery
from endoxa.report.document import Finding
from endoxa.report.words import count, decimal, plural
from endoxa.schema.stories import DISCOVERED_COLUMNS
from endoxa.sources.stereotales import Profiles
from endoxa.sources.stereotales.associations import PARTS, association_id
from endoxa.stats.verdicts import ABOVE
from endoxa.study.compare.story_pairs import SIDES, PairedStories

GAINED, LOST, KEPT = "gained", "lost", "kept"
SWAPS = 20
MOST_DRAWS = 20_000
"""Random tables for a test where stories changed sides: only numbers of associations are taken from these lists."""
RESAMPLES = 2000


@dataclass(frozen=True, slots=True)
class Lists:
    """Associations of two runs.

    Attributes:
        associations: `PARTS`, `status` ('gained', 'lost', 'kept'), and for each run `fraction_` and `lift_` as
            `endoxa analyze associations` has them, null where the run does not show the association.
        by_chance: gained and lost together in each list of stories that changed sides.
    """

    associations: pl.DataFrame
    by_chance: tuple[int, ...] = ()

    def number(self, *statuses: str) -> int:
        """Associations with one of these statuses."""
        return self.associations.filter(pl.col("status").is_in(statuses)).height

    @property
    def changed(self) -> int:
        """Associations gained or lost."""
        return self.number(GAINED, LOST)


def lists_of(
    stories: PairedStories,
    settings: Discovery,
    *,
    swaps: int = SWAPS,
    seed: int = 0,
) -> Lists:
    """Associations of each run by the correction of `endoxa analyze associations`, and lists by chance.

    Args:
        stories: the stories; those without a partner that can be read are left out.
        settings: those of the discovery.
        swaps: lists made of stories that changed sides.
        seed: of what is drawn.
    """
    here = stories.comparable
    table = _compared(discovered(stories.profiles_where(here), settings))
    random = np.random.default_rng([seed, len(stories)])
    prompts = int(stories.prompt.max(initial=0)) + 1
    few = replace(settings, draws=min(settings.draws, MOST_DRAWS))
    by_chance = []
    for _ in range(swaps):
        swapped = (random.random(prompts) < 0.5)[stories.prompt]
        chance = _compared(discovered(stories.profiles_where(here, swapped), few))
        by_chance.append(chance.filter(pl.col("status") != KEPT).height)
    return Lists(table, tuple(by_chance))


def discovered(profiles: Profiles, settings: Discovery) -> pl.DataFrame:
    """Associations of the stories of each model that may be claimed (`DISCOVERED_COLUMNS`)."""
    if not len(profiles):
        return pl.DataFrame(schema=types_of(DISCOVERED_COLUMNS))
    # Processes of their own would take longer to start than a run of stories takes to test.
    discovered = discover(profiles, replace(settings, jobs=1, by_language=False))
    return discovered.associations.filter(verdict=ABOVE)


def _compared(associations: pl.DataFrame) -> pl.DataFrame:
    """Associations of the two sides, side by side."""
    numbers = ("fraction", "lift", "count", "row_total")
    lifts = associations.rename({"value": "lift"})
    before, after = (
        lifts.filter(model=side).select(*PARTS, pl.col(numbers).name.suffix(f"_{side}")) for side in SIDES
    )
    joined = before.join(after, on=PARTS, how="full", coalesce=True)
    inside = [pl.col(f"lift_{side}").is_not_null() for side in SIDES]
    status = pl.when(inside[0] & inside[1]).then(pl.lit(KEPT)).when(inside[0]).then(pl.lit(LOST))
    return joined.with_columns(status=status.otherwise(pl.lit(GAINED))).sort(PARTS)


def items_of_lists(lists: Lists) -> pl.DataFrame:
    """The associations of the lists of both runs, those that only one has first."""
    shown = {
        name: pl.when(pl.col(f"lift_{name}").is_null())
        .then(pl.lit("not listed"))
        .otherwise(
            pl.format(
                "listed ({} % of stories, lift {})",
                (100 * pl.col(f"fraction_{name}")).round().cast(pl.Int64),
                pl.col(f"lift_{name}").round(2),
            )
        )
        for name in SIDES
    }
    numbers = [f"{name}_{side}" for name in ("fraction", "lift") for side in SIDES]
    parts = lists.associations.select(PARTS).iter_rows()
    order = pl.col("direction").replace_strict({GAINED: 0, LOST: 1, KEPT: 2})
    return lists.associations.select(
        pl.Series("item_id", [association_id(*each) for each in parts], dtype=pl.String),
        rule=pl.lit(""),
        axis="base_attribute",
        identity="base_value",
        compared_attribute="compared_attribute",
        compared_value="compared_value",
        **shown,
        direction="status",
        **{name: pl.col(name) for name in numbers},
    ).sort(order, maintain_order=True)


def about_lists(lists: Lists) -> Iterator[Finding]:
    """How many associations only one list has, and how many would be by chance."""
    chance = lists.by_chance
    if not chance or not lists.changed:
        return
    reached = sum(number >= lists.changed for number in chance)
    head = "So many can differ by chance" if reached else "More differ than by chance"
    numbers = {
        "changed": lists.changed,
        "least": min(chance),
        "most": max(chance),
        "mean": float(np.mean(chance)),
        "lists": len(chance),
        "reached": reached,
    }
    yield Finding(
        f"{head} between two runs of one model: {count(lists.changed)} gained or lost; in "
        f"{plural(len(chance), 'list')} of stories that changed sides by chance {count(min(chance))} to "
        f"{count(max(chance))}, {decimal(numbers['mean'], 1)} on average.",
        (numbers,),
    )
