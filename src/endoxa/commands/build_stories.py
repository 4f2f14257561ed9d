"""`endoxa build stories`: prompts for stories about a main character with one given attribute."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from endoxa.commands.verbs import Outcome, table
from endoxa.instruments.stories.options import Selection
from endoxa.runs.options import IncludeDrafts
from endoxa.schema.options import DATA, OUTPUT, Option

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl
    from rich.table import Table

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
) -> Outcome:
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
    from endoxa.instruments.stories.prompts import (
        build_prompts,
        load_languages,
        read_map,
        vocabulary_of,
        write_vocabulary,
    )
    from endoxa.sources.files import require_apart
    from endoxa.sources.frames import require_table_name
    from endoxa.sources.statuses import reading_drafts

    if check:
        if out is not None:
            raise UserError("--check only checks a file. Leave out --out, or use --file instead of --check.")
        return _check(check)
    if out is None:
        raise UserError("Missing --out FILE for the prompts (or --check FILE to check your own file).")
    vocabulary_file = out.with_suffix(".vocabulary.toml")
    require_apart([vocabulary_file], [*file, map])
    require_table_name(out)
    with reading_drafts(include=include_drafts):
        languages = load_languages(language, file)
        cells = () if map is None else read_map(map, vocabulary_of(languages))
        prompts = build_prompts(languages, selection, cells)
    lines = [_prompts_table(prompts, languages), NUMBERS, f"{prompts.height} prompts written to {out}"]
    if any(code.attributes for code in languages):
        write_vocabulary(vocabulary_of(languages), vocabulary_file)
        lines.append(f"Vocabulary for `endoxa probe extract --vocabulary`: {vocabulary_file}")
    lines.append("Content notice: stories that models write to these prompts can hold harmful stereotypes.")
    return Outcome(lines, {"out": prompts})


NUMBERS = "* per model, times --repeats of `endoxa probe stories`; values with fewer than 10 stories are not analyzed."


def _prompts_table(prompts: pl.DataFrame, languages: Sequence[Language]) -> Table:
    """The number of prompts per language and of stories per value."""
    rows = []
    for language in languages:
        here = prompts.filter(language=language.language)
        cells = here.group_by("target_attribute", "target_attribute_value").len()["len"].to_list()
        fewest, most = min(cells, default=0), max(cells, default=0)
        span = str(most) if fewest == most else f"{fewest} to {most}"
        numbers = (here.height, here["target_attribute"].n_unique(), len(cells), span)
        rows.append((language.language, language.name, *(str(number) for number in numbers)))
    heads = ("language", "", "prompts", "attributes", "values", "stories per value*")
    return table("", heads, rows, texts=len(heads))


def _check(paths: Sequence[Path]) -> Outcome:
    from endoxa.instruments.stories.prompts import check_files

    checked = check_files(paths)
    faults = [fault for file in checked for fault in file.faults]
    names = ", ".join(f"{file.language.name} ({file.language.language})" for file in checked)
    return Outcome((*faults, f"{names} checked: {len(faults)} faults"), exit_code=int(bool(faults)))
