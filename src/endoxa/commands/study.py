"""`endoxa study`: the same associations through several instruments."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import polars as pl

from endoxa.commands.options import Layout
from endoxa.commands.verbs import Outcome, add_command, argument, command_group
from endoxa.runs.options import Allowed
from endoxa.runs.progress import shown
from endoxa.schema.headline import Headline
from endoxa.schema.options import DATA, OUTPUT, Option

if TYPE_CHECKING:
    from collections.abc import Sequence

    from endoxa.study.file import Study
    from endoxa.study.items import Items

app = command_group("study")
Folder = Annotated[Path, argument("Folder of the study.", metavar="DIR")]


def init(
    folder: Folder,
    *,
    source: Annotated[Path, Option(group=DATA, name="--from", sample="associations")],
    format: Annotated[str | None, Option(group=DATA, metavar="NAME", default="detected")] = None,  # noqa: A002
    layout: Layout,
    min_support: Annotated[int | None, Option(group=DATA, default="the rule of the data set")] = None,
    limit: Annotated[
        int | None, Option(group=DATA, default="60 of a published file, all of your table")
    ] = None,
    model: Annotated[tuple[str, ...], Option(group=DATA, metavar="MODEL", default="sim/latent")] = (),
    language: Annotated[
        tuple[str, ...], Option(group=DATA, metavar="CODE", default="those of the associations")
    ] = (),
) -> Outcome:
    """Write a study file to edit: associations, models, instruments and their settings, seed, budget.

    Without --model the study is a rehearsal with a simulated model. stories.csv says which values of main characters
    mean which association; the suggestions in it have to be looked at.

    \b
    Examples:
      endoxa study init out/study --from associations.csv
      endoxa study init out/study --from associations.csv --model hf/openai-community/gpt2 --model openai/gpt-4o-mini
      endoxa study init out/study --from safari/english.csv --limit 200
      endoxa study init out/study --from safari_dataset.xlsx --sheet 2 --language sw

    Options:
        source: Associations: a table with columns identity and attribute, a file of SAFARI, SPICE, SeeGULL or LACES,
            or the name of a downloaded data set.
        format: Layout of FILE (see `endoxa datasets list`), or csv for columns identity and attribute.
        min_support: Minimum number of people behind an association.
        limit: Use only the N associations with the most support; 0 for all.
        model: Model; repeatable. Each instrument takes those it can.
        language: Language (ISO 639); repeatable.
    """  # noqa: D301
    from endoxa.sources.sources import locate
    from endoxa.study.begin import init_study

    path = source if source.exists() or source.suffix else locate(str(source))
    count, suggested, without = init_study(
        folder, path, model, language, layout=format, min_support=min_support, limit=limit
    )
    values = f", {len(suggested)} of them with suggested values of stories" if suggested else ""
    files = f"{folder / 'study.toml'} and {folder / 'stories.csv'}"
    left_out = (f"Left out of study.toml: {name} ({why})." for name, why in without.items())
    return Outcome(
        (
            f"{count} associations{values}: {folder}",
            *left_out,
            f"Next: edit {files}, then: endoxa study run {folder} --plan",
        )
    )


def run(
    folder: Folder,
    *,
    allowed: Allowed,
    out: Annotated[
        Path | None, Option(group=OUTPUT, short="-o", default="DIR/study.html", ending=".html")
    ] = None,
    plan: Annotated[bool, Option(group=OUTPUT, only_on=True)] = False,
) -> Outcome:
    """Run every instrument of the study, and write its page; what is measured already is not measured again.

    A study that was stopped continues with the same command. Where settings or associations have changed, only the runs
    that depend on them are made again; the old ones are kept in DIR/earlier and used again if the settings return. The
    page has the findings and the convergence of the instruments; beside it lie its tables and the page of each
    instrument.

    \b
    Examples:
      endoxa study run out/study --plan
      endoxa study run out/study

    Options:
        out: Page of the study (.html); its tables go beside it.
        plan: Only print items, calls, dollars, and what each instrument can detect; measure nothing.
    """  # noqa: D301
    from endoxa.study.file import read_study

    study = read_study(folder, allowed)
    return _planned(study) if plan else _carried_out(study, out or folder / "study.html")


def _planned(study: Study) -> Outcome:
    """What the study takes."""
    from endoxa.study.run import plan_study, plan_table

    items, rows = plan_study(study)
    budget = [] if study.budget is None else [f"Budget: ${study.budget:g} for all of it."]
    return Outcome(
        (plan_table(items, rows), *budget, f"Next: endoxa study run {study.folder}"),
        {"plan": pl.DataFrame(list(map(asdict, rows)))},
        notes=_unused(items),
    )


def _carried_out(study: Study, out: Path) -> Outcome:
    """Runs and page."""
    from endoxa.study.report import headline, write_study
    from endoxa.study.run import run_study, total_cost

    with shown("items") as progress:
        items, done = run_study(study, progress, sys.argv)
    heads = ("run", "folder", "items", "records", "")
    rows = [
        (step.name, str(step.folder), *(str(step.counts.get(name, "")) for name in heads[2:4]), step.what)
        for step in done
    ]
    convergence, written = write_study(study, out)
    correlations = headline(convergence)
    runs = pl.DataFrame(rows, ("name", "folder", "items", "records", "what"), orient="row")
    return Outcome(
        (
            Headline("", heads, rows, words=heads),
            f"Spent: ${total_cost(study):.2f}",
            str(correlations) if correlations.rows else "\n".join(correlations.notes),
            *(f"Written: {path}" for path in written),
            f"Next: open {out}",
        ),
        notes=_unused(items),
        facts={step.name: dict(step.counts) for step in done},
        tables={"runs": runs, **convergence.tables},
    )


add_command(app, init)
add_command(app, run, printing=True)


def _unused(items: Sequence[Items]) -> list[str]:
    """Which associations have no item."""
    from endoxa.study.items import left_out_lines

    return [line for part in items for line in left_out_lines(part)]
