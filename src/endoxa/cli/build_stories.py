"""`endoxa build stories`: prompts that ask for a story about somebody of whom one thing is said."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl

    from endoxa.instruments.stories.prompts import Selection
    from endoxa.instruments.stories.prompts.language import Language


def stories(
    *,
    output: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FILE", help="The prompts: .jsonl (or .csv, .parquet)."),
    ] = None,
    language: Annotated[
        list[str] | None,
        typer.Option(metavar="CODE", help="Language (ISO 639), also several times.  [default: en]"),
    ] = None,
    attribute: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Only this attribute, also several times.")
    ] = None,
    scenario: Annotated[
        list[str] | None,
        typer.Option(metavar="THEME", help="Only this theme, or scenario ('family 2'), also several times."),
    ] = None,
    per_cell: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="At most N prompts for each value in each language."),
    ] = None,
    limit: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="At most N prompts, spread over values.")
    ] = None,
    file: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE", help="Your own language, values or attributes (YAML), also several times."
        ),
    ] = None,
    check: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="Only check such a file: one line for each fault."),
    ] = None,
) -> None:
    """Make prompts that ask a model for a story: every value of every attribute in every scenario.

    The prompt says one thing of the main character ("a person who lives in a city"); what else the model makes of
    them is what is measured. The file goes attribute by attribute, so a beginning of it can be analyzed.

    \b
    Examples:
      endoxa build stories -o prompts.jsonl
      endoxa build stories --language en --language hi -o prompts.jsonl
      endoxa build stories --attribute religion --scenario family -o prompts.jsonl
      endoxa build stories --check mine.yaml
      endoxa build stories --file mine.yaml -o prompts.jsonl
    """  # noqa: D301
    from endoxa.errors import UserError
    from endoxa.instruments.stories.prompts import Selection

    if check:
        if output is not None:
            raise UserError("--check writes nothing: leave out --out, or give --file instead.")
        _check(check)
        return
    if output is None:
        raise UserError("Give --out FILE for the prompts, or --check FILE to check a file of your own.")
    asked = Selection(tuple(attribute or ()), tuple(scenario or ()), per_cell, limit)
    _build(output, language or (), file or (), asked)


def _build(output: Path, codes: Sequence[str], own: Sequence[Path], asked: Selection) -> None:
    from endoxa.datasets.files import require_apart
    from endoxa.datasets.frames import require_table_name, write_table
    from endoxa.instruments.stories.prompts import (
        build_prompts,
        load_languages,
        vocabulary_of,
        write_vocabulary,
    )

    vocabulary_file = output.with_suffix(".vocabulary.toml")
    require_apart([output, vocabulary_file], own)
    require_table_name(output)
    languages = load_languages(codes, own)
    prompts = build_prompts(languages, asked)
    write_table(prompts, output)
    _tell(prompts, languages)
    typer.echo(f"{prompts.height} prompts written to {output}")
    if any(one.attributes for one in languages):
        write_vocabulary(vocabulary_of(languages), vocabulary_file)
        typer.echo(f"All attributes and values, for `endoxa probe extract --vocabulary`: {vocabulary_file}")
    typer.echo("Content notice: stories that models write to these prompts can hold harmful stereotypes.")


def _tell(prompts: pl.DataFrame, languages: Sequence[Language]) -> None:
    """Prompts by language, and stories that each value gets from them."""
    from rich.console import Console
    from rich.table import Table

    table = Table("language", "", "prompts", "attributes", "values", "stories of a value*")
    for one in languages:
        here = prompts.filter(language=one.language)
        cells = here.group_by("target_attribute", "target_attribute_value").len()["len"].to_list()
        fewest, most = min(cells, default=0), max(cells, default=0)
        span = str(most) if fewest == most else f"{fewest} to {most}"
        numbers = (here.height, here["target_attribute"].n_unique(), len(cells), span)
        table.add_row(one.language, one.name, *map(str, numbers))
    Console().print(table)
    typer.echo(
        "* from each model, times --repeats of `endoxa probe stories`; values with fewer than 10 stories are not "
        "analyzed."
    )


def _check(paths: Sequence[Path]) -> None:
    from endoxa.instruments.stories.prompts import check_files

    checked = check_files(paths)
    faults = [fault for one in checked for fault in one.faults]
    for fault in faults:
        typer.echo(fault)
    names = ", ".join(f"{one.language.name} ({one.language.language})" for one in checked)
    typer.echo(f"{names} checked: {len(faults)} faults")
    if faults:
        raise typer.Exit(1)
