"""`endoxa collect simulate`: compare ways of choosing cards with simulated people."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from endoxa_collect.sampler import SamplerSettings
    from endoxa_collect.simulate.world import WorldSettings

_ARMS = "static-ticks,laces,endoxa"
_PLAN_SEEDS = 4


def simulate(
    *,
    output: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", metavar="FOLDER", help="Folder for results, tables, figures and the page."
        ),
    ] = None,
    arms: Annotated[
        str, typer.Option(metavar="NAMES", help="Ways of choosing cards, separated by commas.")
    ] = _ARMS,
    seeds: Annotated[int, typer.Option(min=2, help="Campaigns per arm.")] = 200,
    world: Annotated[
        str, typer.Option(metavar="NAME", help="Simulated world, from those that come with endoxa.")
    ] = "laces",
    plan: Annotated[
        bool, typer.Option("--plan", help="Only estimate how many people a campaign needs.")
    ] = False,
    people: Annotated[int | None, typer.Option(min=2, max=2_000, help="Number of people.")] = None,
    minutes: Annotated[
        float | None, typer.Option(min=1, max=1_000, help="Minutes per person spent on cards.")
    ] = None,
    countries: Annotated[
        str | None,
        typer.Option(
            metavar="CODES", help="Countries of the people, most frequent first: AR,CL,UY (ISO 3166-1)."
        ),
    ] = None,
    seeds_per_country: Annotated[
        int | None, typer.Option(min=0, max=500, help="Seed pairs per country.")
    ] = None,
    days: Annotated[
        float | None,
        typer.Option(min=0.1, max=365, help="Duration of an online campaign in days (default: one meeting)."),
    ] = None,
    k: Annotated[int, typer.Option(min=1, max=50, help="Ratings per pair to aim for.")] = 3,
    jobs: Annotated[int | None, typer.Option(min=1, help="Number of processes (default: all cores).")] = None,
    restart: Annotated[bool, typer.Option("--restart", help="Discard the results in the folder.")] = False,
) -> None:
    """Compare ways of choosing cards with simulated people, or estimate how many people you need (--plan).

    All arms meet the same people. The same command resumes an interrupted run.

    \b
    Examples:
      endoxa collect simulate -o out/sim
      endoxa collect simulate --seeds 20 -o out/quick
      endoxa collect simulate --plan --people 40 --minutes 60 --countries KE,TZ,UG --seeds-per-country 10
    """  # noqa: D301
    import os

    from endoxa.errors import UserError
    from endoxa.runs.progress import shown
    from endoxa_collect.sampler import SamplerSettings
    from endoxa_collect.simulate.arms import ARMS
    from endoxa_collect.simulate.comparison import Comparison, compare
    from endoxa_collect.simulate.world import load_world

    settings = _changed(
        load_world(world),
        people=people,
        minutes=minutes,
        countries=countries,
        seeds_per_country=seeds_per_country,
        days=days,
    )
    usual = SamplerSettings()
    sampler = SamplerSettings(k=k, k_max=max(usual.k_max, k + usual.k_max - usual.k))
    if plan:
        _plan(settings, sampler)
        return
    names = tuple(dict.fromkeys(word.strip() for word in arms.split(",") if word.strip()))
    if not names:
        raise UserError("--arms is empty: write names separated by commas, like laces,endoxa.")
    if output is None:
        raise UserError(
            "--out is missing: name a folder for the results (or estimate the number of people with --plan)."
        )
    comparison = Comparison(
        arms=tuple(ARMS.get(name) for name in names),
        world=settings,
        seeds=seeds,
        sampler=sampler,
        jobs=jobs or os.cpu_count() or 1,
    )
    with shown("campaigns") as tell:
        lines = compare(comparison, output, restart=restart, tell=tell)
    typer.echo("\n".join(lines))
    typer.echo(f"Page, tables and figures: {output / 'report.html'}")


def _changed(
    settings: WorldSettings,
    *,
    people: int | None,
    minutes: float | None,
    countries: str | None,
    seeds_per_country: int | None,
    days: float | None,
) -> WorldSettings:
    """The world as an organiser describes their campaign; what they do not say stays."""
    changes: dict[str, object] = {}
    if countries is not None:
        # Only what the people present come from: nobody could say much of others.
        from endoxa.errors import UserError
        from endoxa_collect import geography

        codes = tuple(dict.fromkeys(word.strip().upper() for word in countries.split(",") if word.strip()))
        unknown = [code for code in codes if code not in geography.codes()]
        if unknown or not codes:
            problem = f"unknown country '{unknown[0]}'" if unknown else "empty"
            raise UserError(
                f"--countries: {problem}. Write ISO 3166-1 codes separated by commas, like AR,CL,UY."
            )
        changes |= {"countries": codes, "others": 0, "seed_country": ""}
    if people is not None:
        changes["people"] = people
    if minutes is not None:
        changes["minutes"] = minutes
    if days is not None:
        changes |= {"arrival": "online", "spread": days * 24 * 60}
    changed = settings.model_copy(update=changes)
    if seeds_per_country is not None:
        number = seeds_per_country * len(changed.countries)
        changed = changed.model_copy(update={"seeds": number, "seed_country": ""})
    return changed


def _plan(settings: WorldSettings, sampler: SamplerSettings) -> None:
    from endoxa.runs.progress import shown
    from endoxa_collect.simulate.comparison import plan, sentence

    with shown("numbers") as tell:
        expected = plan(settings, sampler, seeds=_PLAN_SEEDS, tell=tell)
    typer.echo(sentence(expected, settings.people, sampler.k))
    typer.echo(f"{'people':>8}{'new pairs':>12}{'all pairs':>12}{f'with {sampler.k}':>12}{'ratings':>10}")
    for row in expected:
        numbers = f"{row.added:>12,.0f}{row.pairs:>12,.0f}{row.complete:>12,.0f}{row.ratings:>10,.0f}"
        typer.echo(f"{row.people:>8}{numbers}")
