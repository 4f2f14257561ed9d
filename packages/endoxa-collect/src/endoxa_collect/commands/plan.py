"""`endoxa collect plan`: how many pairs so many people can say and rate."""

from __future__ import annotations

from typing import Annotated

import typer

_RATING, _SAYING = 0.48, 1.07
"""Minutes of a rating, and of saying a new pair, with pauses, skipped cards and the end, when nothing new is
asked for. Fitted to five simulated campaigns about the people's own countries (docs/collect/simulate.md), whose pairs
come out within 10 %; of one that was simulated afterwards (one country, 30 people, 90 minutes) 40 % too many."""

_STAYING = 0.95
"""Share of their time that people stay, on average: one in ten leaves early."""

_NUMBERS = (20, 40, 60, 80, 100, 120)


def plan(
    *,
    people: Annotated[int, typer.Option(min=2, max=100_000, help="Number of people.")],
    minutes: Annotated[float, typer.Option(min=1, max=1_000, help="Minutes per person spent on cards.")],
    seeds: Annotated[int, typer.Option(min=0, max=100_000, help="Pairs to begin with.")] = 0,
    k: Annotated[int, typer.Option(min=1, max=50, help="Ratings per pair to aim for.")] = 3,
) -> None:
    """Estimate how many pairs a number of people can say and rate.

    A rule of thumb, which may be 40 % off: the site lets in as many new pairs as the people present can rate.

    \b
    Example:
      endoxa collect plan --people 40 --minutes 45 --seeds 40
    """  # noqa: D301
    pairs, complete = expected(people, minutes, seeds, k)
    typer.echo(f"With {people} people expect about {pairs:,} pairs, of which {complete:,} get {k} ratings.")
    typer.echo(f"{'people':>8}{'pairs':>10}{f'with {k}':>10}{'ratings':>10}")
    for number in sorted({people, *_NUMBERS}):
        pairs, complete = expected(number, minutes, seeds, k)
        typer.echo(f"{number:>8,}{pairs:>10,}{complete:>10,}{complete * k:>10,}")


def expected(people: int, minutes: float, seeds: int, k: int) -> tuple[int, int]:
    """All pairs at the end, seeds included, and how many of them have k ratings."""
    time = people * minutes * _STAYING
    complete = time / (k * _RATING)
    if complete <= seeds:
        return seeds, round(complete)
    new = (time - seeds * k * _RATING) / (k * _RATING + _SAYING)
    return round(seeds + new), round(seeds + new)
