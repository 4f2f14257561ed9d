"""`endoxa collect groups`, `import-form`, `export-form`: groups beyond countries; questions from and to XLSForm."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from endoxa.errors import UserError
from endoxa.report.words import plural
from endoxa_collect.commands.export import Folder, Slug, campaign_in

if TYPE_CHECKING:
    from endoxa_collect.organiser.settings import Removed


def groups(
    folder: Folder,
    table: Annotated[
        Path, typer.Argument(metavar="FILE", help="Table of groups: id, name_en, kind, own, parent, near.")
    ],
    *,
    campaign: Slug = None,
) -> None:
    """Replace the groups that cards are about, and place everybody anew by what they said about themselves.

    Pairs about a group that is not in the new table stay live, under its id: the command names them. Groups need rules
    on questions that the campaign asks (import-form brings them).

    \b
    Example:
      endoxa collect groups campaign groups.csv
    """  # noqa: D301
    chosen = campaign_in(folder, campaign)
    from endoxa_collect.groups import read_groups, require_rules
    from endoxa_collect.organiser.settings import save_from_file

    declared = read_groups(table)
    require_rules(declared, chosen.settings, str(table))
    removed = save_from_file(
        chosen, {"groups": [group.model_dump(mode="json") for group in declared], "cards": True}, str(table)
    )
    _warn(removed)
    typer.echo(f"Cards of campaign '{chosen.slug}' are about {plural(len(declared), 'group')}.")


def _warn(removed: Sequence[Removed]) -> None:
    """Say what of the old settings is still there."""
    for out in removed:
        if out.pairs:
            typer.echo(
                f"{plural(out.pairs, 'pair')} about {out.name} stay and people go on getting them: hide them on the "
                "organisers' pages (All pairs).",
                err=True,
            )
        else:
            typer.echo(
                f"People gave the answer {out.name} about themselves: no export holds it now.", err=True
            )


def import_form(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="XLSForm (.xlsx) of KoboToolbox, ODK or LimeSurvey.")
    ],
    folder: Folder,
    *,
    replace: Annotated[
        bool, typer.Option("--replace", help="Leave out the questions that the campaign had.")
    ] = False,
    responses: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Answers exported from Kobo or ODK: write the map that reads them (--map)."
        ),
    ] = None,
    map_file: Annotated[
        Path | None, typer.Option("--map", metavar="FILE", help="Where to write the map (TOML).")
    ] = None,
    campaign: Slug = None,
) -> None:
    """Take questions from an XLSForm: select_one asks about the person, text is an open question of the survey.

    Questions of the same name are replaced, others added. What is not kept is named with its row and column. With
    --responses the answers that were already given to this form can be read: the map names their columns, and nothing
    else of the file is read (no device, no times, no account).

    \b
    Examples:
      endoxa collect import-form survey.xlsx campaign
      endoxa collect import-form survey.xlsx campaign --responses answers.xlsx --map map.toml
      endoxa curate extract answers.xlsx --map map.toml -o statements.csv
    """  # noqa: D301
    if (responses is None) != (map_file is None):
        raise UserError(
            "--responses and --map go together: the answers, and where to write the map for them."
        )
    chosen = campaign_in(folder, campaign)
    from endoxa_collect.organiser.settings import save_from_file
    from endoxa_collect.xlsform import read_form, responses_map, with_form

    form = read_form(file)
    removed = save_from_file(chosen, with_form(chosen.settings, form, replace=replace), str(file))
    for warning in form.warnings:
        typer.echo(warning, err=True)
    _warn(removed)
    typer.echo(
        f"Campaign '{chosen.slug}': {plural(len(form.profile), 'question')} about the person and "
        f"{plural(len(form.questions), 'open question')} taken from {file}."
    )
    if responses is not None and map_file is not None:
        text, missing = responses_map(responses, chosen.settings, chosen.slug)
        if map_file.exists():
            raise UserError(f"{map_file} is there already. Choose another file (--map).")
        map_file.write_text(text, encoding="utf-8")
        if missing:
            typer.echo(f"{responses} has no column of: {', '.join(missing)}.", err=True)
        typer.echo(f"Next: endoxa curate extract {responses} --map {map_file} -o statements.csv")


def export_form(
    folder: Folder,
    *,
    output: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="Form to write (.xlsx).")],
    campaign: Slug = None,
) -> None:
    """Write the questions of a campaign as an XLSForm, for KoboToolbox, ODK or LimeSurvey.

    The consent is its first note. Cards are not part of a form.

    \b
    Example:
      endoxa collect export-form campaign -o form.xlsx
    """  # noqa: D301
    if output.suffix.lower() != ".xlsx":
        raise UserError(f"-o {output}: forms are spreadsheets. Write a name that ends in .xlsx.")
    if output.exists():
        raise UserError(f"{output} is there already. Choose another file (-o).")
    chosen = campaign_in(folder, campaign)
    from endoxa_collect.xlsform import write_form

    write_form(chosen.settings, output, chosen.slug)
    asked = len(chosen.settings.profile), len(chosen.settings.questions)
    typer.echo(
        f"{output}: {plural(asked[0], 'question')} about the person, {plural(asked[1], 'open question')}."
    )
