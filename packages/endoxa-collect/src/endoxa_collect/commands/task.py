"""`endoxa collect task`: things that people judge one by one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from endoxa.commands.plugins import Groups
from endoxa.commands.settings_command import GroupedCommand
from endoxa.errors import UserError
from endoxa.report.words import plural
from endoxa_collect.commands.export import Folder, Slug, argument, campaign_in, option

if TYPE_CHECKING:
    from endoxa_collect.models import Task

app = typer.Typer(
    cls=Groups,
    rich_markup_mode=None,
    no_args_is_help=True,
    help="Have people judge items one by one: votes, reviews, studies.",
)

Name = Annotated[str, argument("NAME", "Name of the task.")]


@app.command(cls=GroupedCommand)
def kinds() -> None:
    """List the kinds of tasks, with the columns that their items need.

    \b
    Example:
      endoxa collect task kinds
    """  # noqa: D301
    _without_campaign()
    from endoxa_collect.tasks.rooms import rooms

    for kind, room in sorted(rooms().items()):
        typer.echo(f"{kind}: {room.title}")
        for column, meaning in {**room.columns, **room.optional}.items():
            optional = " (optional)" if column in room.optional else ""
            typer.echo(f"  column {column}{optional}: {meaning}")
        for setting, field in room.settings.model_fields.items():
            typer.echo(f"  --set {setting}={_shown(field.default)}")


@app.command("list", cls=GroupedCommand)
def list_all(folder: Folder, *, campaign: Slug = None) -> None:
    """List the tasks of a campaign with their progress.

    \b
    Example:
      endoxa collect task list camp
    """  # noqa: D301
    chosen = campaign_in(folder, campaign)
    from endoxa_collect.tasks.results import progress

    tasks = list(chosen.tasks.order_by("name"))
    if not tasks:
        typer.echo(f"No tasks. Make one: endoxa collect import {folder} tuples.csv --task votes")
    for task in tasks:
        figures = progress(task)
        typer.echo(
            f"{task.name} ({task.kind}, {task.state}): {figures['done']} of {plural(figures['items'], 'item')} done, "
            f"{plural(figures['judgements'], 'judgement')}, {figures['least']} to {figures['most']} an item"
        )
        if task.code:
            states = ", ".join(f"{number} {state}" for state, number in sorted(figures["judges"].items()))
            typer.echo(f"  address for the panel: /t/{task.code}/{parameter(task)}")
            typer.echo(f"  people: {states or 'none yet'}")


@app.command(cls=GroupedCommand)
def export(
    folder: Folder,
    name: Name,
    *,
    output: Annotated[Path, option("FILE", ".csv, .tsv, .jsonl or .parquet file to write.", "--out", "-o")],
    campaign: Slug = None,
) -> None:
    """Write the judgements of a task, a row each, and beside them what each item came to (FILE_items).

    Judges have new keys in each export. Judgements that were taken back are left out.

    \b
    Example:
      endoxa collect task export camp votes -o votes.csv
    """  # noqa: D301
    from endoxa.sources.frames import require_table_name

    require_table_name(output)
    task = _task(folder, campaign, name)
    from endoxa_collect.tasks.results import write_results

    for path in write_results(task, output):
        typer.echo(f"Written: {path}")
    typer.echo(f"Next: {_following(task.kind, output)}")


@app.command(cls=GroupedCommand)
def close(folder: Folder, name: Name, *, campaign: Slug = None) -> None:
    """Close a task: nobody judges any more. What was hidden from judges may then be exported.

    \b
    Example:
      endoxa collect task close camp translation
    """  # noqa: D301
    task = _task(folder, campaign, name)
    from endoxa_collect.models import Task, TaskState, record

    Task.objects.filter(pk=task.pk).update(state=TaskState.CLOSED)
    record(task.campaign, None, "task closed", task=task.name)
    typer.echo(f"Task '{name}' is closed.")


def _without_campaign() -> None:
    """Set Django up as far as rooms and forms need it, where no campaign has done so."""
    import django
    from django.conf import settings

    if not settings.configured:
        applications = ["django.contrib.auth", "django.contrib.contenttypes", "endoxa_collect"]
        settings.configure(USE_I18N=False, INSTALLED_APPS=applications)
        django.setup()


def parameter(task: Task) -> str:
    """The end of the address that a panel fills in with its id of a person."""
    name = task.settings.get("participant", "")
    return f"?{name}=ID" if name else ""


_FOLLOWING = {
    "harm": "endoxa analyze harm {table} -o harm_results.csv",
    "extraction": "endoxa curate group {items} -o groups.csv",
    "pairs": "endoxa datasets check {pairs}",
    "translation": "endoxa datasets check {pairs}",
    "words": "endoxa languages patch {items} -o words.diff",
    "votes": "endoxa analyze agreement {table} -o agreement.csv --help",
}


def _following(kind: str, output: Path) -> str:
    beside = {name: output.with_name(f"{output.stem}_{name}{output.suffix}") for name in ("items", "pairs")}
    return _FOLLOWING[kind].format(table=output, **beside)


def _shown(value: Any) -> str:
    return f"[{','.join(value)}]" if isinstance(value, tuple) else str(value)


def _task(folder: Path, slug: str | None, name: str) -> Task:
    chosen = campaign_in(folder, slug)
    tasks = {task.name: task for task in chosen.tasks.select_related("campaign")}
    if name not in tasks:
        there = ", ".join(sorted(tasks)) or "none"
        raise UserError(f"The campaign has no task '{name}' (there are: {there}).")
    return tasks[name]
