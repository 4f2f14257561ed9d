"""`endoxa build stories`: prompts for stories about a main character with one given attribute."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from endoxa.instruments.stories.settings import Selection
from endoxa.runs.options import IncludeDrafts
from endoxa.schema.options import DATA, OUTPUT, Option
from endoxa.schema.terminal import terminal_console, terminal_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl

    from endoxa.instruments.stories.prompts.language import Language


def stories(
    *,
    out: Annotated[Path | None, Option("Prompts: .jsonl, .csv or .parquet.", OUTPUT, short="-o")] = None,
    language: Annotated[
        tuple[str, ...],
        Option("Language (ISO 639); repeatable.", DATA, metavar="CODE", default="en"),
    ] = (),
    selection: Selection,
    file: Annotated[
        tuple[Path, ...],
        Option("Your own language, values or attributes (YAML); repeatable.", DATA),
    ] = (),
    map: Annotated[  # noqa: A002
        Path | None,
        Option("Table of associations and the values that mean them; prompts carry their ids.", DATA),
    ] = None,
    include_drafts: IncludeDrafts = False,
    check: Annotated[
        tuple[Path, ...], Option("Only check such a file; print one line per fault.", OUTPUT)
    ] = (),
) -> None:
    """Make story prompts: every value of every attribute in every scenario.

    A prompt gives one attribute of the main character ("a person who lives in a city"); the other attributes, chosen by
    the model, are measured. Prompts are ordered by attribute, so that the first part of the file can be analyzed alone.

    \b
    Examples:
      endoxa build stories -o prompts.jsonl
      endoxa build stories --language en --language hi -o prompts.jsonl
      endoxa build stories --attribute religion --scenario family -o prompts.jsonl
      endoxa build stories --check mine.yaml
      endoxa build stories --file mine.yaml -o prompts.jsonl
      endoxa build stories --map associations-in-stories.csv -o prompts.jsonl
    """  # noqa: D301
    from endoxa.errors import UserError

    if check:
        if out is not None:
            raise UserError("--check only checks a file. Leave out --out, or use --file instead of --check.")
        _check(check)
        return
    if out is None:
        raise UserError("Missing --out FILE for the prompts (or --check FILE to check your own file).")
    from endoxa.sources.statuses import reading_drafts

    with reading_drafts(include=include_drafts):
        _build(out, language, file, selection, map)


def _build(
    output: Path, codes: Sequence[str], own: Sequence[Path], asked: Selection, mapping: Path | None
) -> None:
    from endoxa.instruments.stories.prompts import (
        build_prompts,
        load_languages,
        read_map,
        vocabulary_of,
        write_vocabulary,
    )
    from endoxa.sources.files import require_apart
    from endoxa.sources.frames import require_table_name, write_table

    vocabulary_file = output.with_suffix(".vocabulary.toml")
    require_apart([output, vocabulary_file], [*own, mapping])
    require_table_name(output)
    languages = load_languages(codes, own)
    cells = () if mapping is None else read_map(mapping, vocabulary_of(languages))
    prompts = build_prompts(languages, asked, cells)
    write_table(prompts, output)
    _tell(prompts, languages)
    typer.echo(f"{prompts.height} prompts written to {output}")
    if any(one.attributes for one in languages):
        write_vocabulary(vocabulary_of(languages), vocabulary_file)
        typer.echo(f"Vocabulary for `endoxa probe extract --vocabulary`: {vocabulary_file}")
    typer.echo("Content notice: stories that models write to these prompts can hold harmful stereotypes.")


def _tell(prompts: pl.DataFrame, languages: Sequence[Language]) -> None:
    """Print the number of prompts per language and of stories per value."""
    table = terminal_table()
    for name in ("language", "", "prompts", "attributes", "values", "stories per value*"):
        table.add_column(name)
    for one in languages:
        here = prompts.filter(language=one.language)
        cells = here.group_by("target_attribute", "target_attribute_value").len()["len"].to_list()
        fewest, most = min(cells, default=0), max(cells, default=0)
        span = str(most) if fewest == most else f"{fewest} to {most}"
        numbers = (here.height, here["target_attribute"].n_unique(), len(cells), span)
        table.add_row(one.language, one.name, *map(str, numbers))
    terminal_console().print(table)
    typer.echo(
        "* per model, times --repeats of `endoxa probe stories`; values with fewer than 10 stories are not analyzed."
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
