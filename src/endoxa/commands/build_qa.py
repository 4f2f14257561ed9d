"""`endoxa build qa`: multiple-choice questions from associations."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from endoxa.commands.build_input import associations_of
from endoxa.instruments.questions.options import QaOptions
from endoxa.runs.options import IncludeDrafts
from endoxa.schema.options import OUTPUT, Option

if TYPE_CHECKING:
    from endoxa.instruments.questions.items.record import Questions


def questions(
    associations: Annotated[
        Path | None,
        typer.Argument(metavar="ASSOCIATIONS", help="Table with columns identity and attribute."),
    ] = None,
    *,
    out: Annotated[Path | None, Option("Questions (.jsonl).", OUTPUT, short="-o")] = None,
    options: QaOptions,
    include_drafts: IncludeDrafts = False,
    sample: Annotated[
        Path | None, Option("Write an invented sample table of associations, and exit.", OUTPUT)
    ] = None,
) -> None:
    """Make multiple-choice questions: the association's identity against one without the attribute.

    Questions are written in BBQ's JSONL format, with ambiguous contexts only: the correct answer is always "unknown".
    Associations without a question are listed in FILE.left_out.csv, with the reason.

    \b
    Examples:
      endoxa build qa --sample associations.csv
      endoxa build qa associations.csv --language es -o questions.jsonl
      endoxa build qa associations.csv --language pt --per-association 3 --gender any -o questions.jsonl
    """  # noqa: D301
    from endoxa.errors import UserError
    from endoxa.instruments.questions.items.build import build_questions
    from endoxa.sources.bbq import write_items
    from endoxa.sources.files import require_apart
    from endoxa.sources.frames import write_table

    if sample is not None:
        _write_sample(sample, [associations, out])
        return
    if associations is None or out is None:
        raise UserError("Missing ASSOCIATIONS or --out FILE (or write a sample table with --sample FILE).")
    _require_jsonl(out)
    left_out = out.with_name(f"{out.stem}.left_out.csv")
    require_apart([out, left_out], [associations])
    made = build_questions(
        associations_of(associations, drafts=include_drafts, language=options.language), options
    )
    write_table(made.left_out, left_out)
    _tell(made, left_out)
    if not made.records:
        raise UserError(f"No question could be made from {associations}. See the reasons in {left_out}.")
    write_items(made.records, out)
    typer.echo(f"{len(made.records)} questions from {made.associations} associations written to {out}")
    typer.echo("Content notice: these ask about reported stereotypes, for evaluation only.")


def _require_jsonl(output: Path) -> None:
    from endoxa.errors import UserError

    if output.suffix.lower() != ".jsonl":
        raise UserError(f"--out: '{output}' has an unknown file type. Expected a file that ends in .jsonl.")


def _write_sample(path: Path, given: list[Path | None]) -> None:
    from endoxa.errors import UserError
    from endoxa.instruments.questions.items.build import SAMPLE
    from endoxa.sources.frames import read_table, write_table

    if any(given):
        raise UserError("--sample FILE only writes a sample table. Leave out ASSOCIATIONS and --out.")
    if path.exists():
        raise UserError(f"--sample: {path} already exists. Name another file.")
    table = read_table(SAMPLE)
    write_table(table, path)
    typer.echo(f"{table.height} invented associations in Spanish, English and Portuguese written to {path}")


def _tell(made: Questions, left_out: Path) -> None:
    """Print assumptions and associations left out to stderr."""
    for note in made.notes:
        typer.echo(note, err=True)
    if made.fewer:
        typer.echo(f"{made.fewer} associations have fewer questions: too few distractors.", err=True)
    if made.left_out.is_empty():
        return
    reasons = made.left_out["reason"].str.replace(r"^row \d+", "another row")
    typer.echo(f"{made.left_out.height} associations left out (see {left_out}):", err=True)
    for reason, count in reasons.value_counts(sort=True).iter_rows():
        typer.echo(f"  {count}: {reason}", err=True)
