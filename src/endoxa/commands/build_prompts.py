"""`endoxa build qa --names` and `build stories`: names in place of groups, and prompts for stories."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import polars as pl
from annotated_types import Ge, Le

from endoxa.commands.verbs import Outcome, note
from endoxa.errors import UserError
from endoxa.instruments.questions.names.bank import check_bank, read_bank
from endoxa.instruments.questions.names.build import build_names
from endoxa.instruments.stories import prompts as texts
from endoxa.instruments.stories.options import Selection
from endoxa.instruments.stories.prompt_language import Language
from endoxa.instruments.stories.prompts import check_files
from endoxa.runs.options import IncludeDrafts
from endoxa.runs.progress import shown
from endoxa.schema.headline import Headline
from endoxa.schema.options import DATA, ITEMS, OUTPUT, Option
from endoxa.sources.bbq.rows import read_rows, write_items
from endoxa.sources.files import require_apart
from endoxa.sources.frames import require_table_name, write_table
from endoxa.sources.source import reading_files

SHOWN = 10
"""Maximum number of reasons printed."""


@dataclass(frozen=True, slots=True)
class Names:
    """Names in place of groups.

    Attributes:
        names: Questions in BBQ's JSONL, in place of ASSOCIATIONS: first names take the place of the groups in them.
        variants: With --names: number of draws of names.
        bank: With --names: your own names (columns group, gender, name).
    """

    names: Annotated[Path | None, Option(group=ITEMS, sample="questions")] = None
    variants: Annotated[int, Ge(1), Le(1000), Option(group=ITEMS)] = 3
    bank: Annotated[Path | None, Option(group=ITEMS, default="68 nationalities, 10 names each")] = None


def with_names(items: Path, chosen: Names, out: Path | None, seed: int) -> Outcome:
    """Replace groups in questions by first names, so that the group is implied but not stated.

    Raises:
        UserError: the questions or names cannot be used, or no record can be rewritten.
    """
    if out is None:
        raise UserError("Missing --out FILE for the questions with names.")
    unwritten = out.with_suffix(".unwritten.csv")
    require_apart([unwritten], [items, chosen.bank])
    groups = read_bank(chosen.bank)
    problems = check_bank(groups)
    for problem in problems[:SHOWN]:
        note(f"Bank {groups.label}: '{problem.name}' ({problem.group}) {problem.message}.")
    if len(problems) > SHOWN:
        note(f"Bank {groups.label}: {len(problems) - SHOWN} more names to review.")
    rows = [row for _, row in read_rows(items)]
    with shown("records") as progress:
        made = build_names(rows, groups, seed=seed, variants=chosen.variants, progress=progress)
    write_table(made.unwritten_table(), unwritten)
    reasons = [record.reason for record in made.unwritten if not record.follows]
    note_left_out("records", len(made.unwritten), unwritten, reasons)
    if not made.rows:
        raise UserError(
            f"No record of {items} could be rewritten with names. See the reasons in {unwritten}."
        )
    written = write_items(made.records, out)
    return Outcome(
        (
            f"{made.rows} of {len(rows)} records rewritten, in {chosen.variants} variants: {written} records written "
            f"to {out} (sub-seeds {', '.join(map(str, made.seeds))})",
            "Content notice: the questions state harmful stereotypes; for evaluation only.",
        )
    )


def note_left_out(what: str, number: int, listed: Path, reasons: Iterable[str]) -> None:
    """Say how many things were left out, where they are listed, and the commonest reasons."""
    if number:
        note(f"{number} {what} left out, see {listed}:")
    for reason, count in Counter(reasons).most_common(SHOWN):
        note(f"  {count}: {reason}")


def stories(
    *,
    out: Annotated[Path | None, Option(group=OUTPUT, short="-o")] = None,
    language: Annotated[tuple[str, ...], Option(group=DATA, metavar="CODE", default="en")] = (),
    selection: Selection,
    file: Annotated[tuple[Path, ...], Option(group=DATA)] = (),
    seeds: Annotated[Path | None, Option(group=DATA, metavar="FOLDER")] = None,
    aspects: Annotated[bool, Option(group=ITEMS, only_on=True)] = False,
    map: Annotated[Path | None, Option(group=DATA)] = None,  # noqa: A002
    include_drafts: IncludeDrafts = False,
    check: Annotated[tuple[Path, ...], Option(group=OUTPUT)] = (),
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
      endoxa build stories --seeds configs/stereotales_seeds --aspects -o prompts.jsonl
      endoxa build stories --map associations-in-stories.csv -o prompts.jsonl

    Options:
        out: Prompts: .jsonl, .csv or .parquet.
        language: Language (ISO 639); repeatable.
        file: Your own language, values or attributes (YAML); repeatable.
        seeds: Folder of StereoTales' seeds (attributes, scenarios, prompts_template), in place of endoxa's own texts.
        aspects: With --seeds: ask with StereoTales' template, which names 13 aspects to reveal.
        map: Table of associations and the values that mean them; prompts carry their ids.
        check: Only check such a file; print one line per fault.
    """  # noqa: D301
    if check:
        if out is not None:
            raise UserError("--check only checks a file. Leave out --out, or use --file instead of --check.")
        checked = check_files(check)
        faults = [fault for each in checked for fault in each.faults]
        names = ", ".join(f"{each.language.name} ({each.language.language})" for each in checked)
        return Outcome((*faults, f"{names} checked: {len(faults)} faults"), exit_code=int(bool(faults)))
    if out is None:
        raise UserError("Missing --out FILE for the prompts (or --check FILE to check your own file).")
    if seeds is None and aspects:
        raise UserError("--aspects needs --seeds FOLDER, whose template it takes.")
    if seeds is not None and file:
        raise UserError("Give --seeds or --file, not both.")
    vocabulary_file = out.with_suffix(".vocabulary.toml")
    require_apart([vocabulary_file], [*file, map])
    require_table_name(out)
    with reading_files(include_drafts=include_drafts):
        languages = (
            texts.load_languages(language, file)
            if seeds is None
            else texts.seed_languages(seeds, language, aspects=aspects)
        )
        cells = () if map is None else texts.read_map(map, texts.vocabulary_of(languages))
        prompts = texts.build_prompts(languages, selection, cells)
    lines: list[Any] = [
        _prompts_table(prompts, languages),
        NUMBERS,
        f"{prompts.height} prompts written to {out}",
    ]
    if any(code.attributes for code in languages):
        texts.write_vocabulary(texts.vocabulary_of(languages), vocabulary_file)
        lines.append(f"Vocabulary for `endoxa probe extract --vocabulary`: {vocabulary_file}")
    lines.append("Content notice: stories that models write to these prompts can hold harmful stereotypes.")
    return Outcome(lines, {"out": prompts})


NUMBERS = "* per model, times --repeats of `endoxa probe stories`; values with fewer than 10 stories are not analyzed."


def _prompts_table(prompts: pl.DataFrame, languages: Sequence[Language]) -> Headline:
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
    return Headline("", heads, rows, words=heads)
