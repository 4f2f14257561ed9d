"""`endoxa build qa`: multiple-choice questions from associations."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from endoxa.commands.build_input import associations_of
from endoxa.commands.verbs import Outcome, argument, note
from endoxa.instruments.questions.options import QaOptions
from endoxa.runs.options import IncludeDrafts
from endoxa.schema.options import OUTPUT, Option

if TYPE_CHECKING:
    from endoxa.instruments.questions.items import Questions


def questions(
    associations: Annotated[
        Path | None,
        argument("Table with columns identity and attribute.", metavar="ASSOCIATIONS"),
    ] = None,
    *,
    out: Annotated[Path | None, Option("Questions (.jsonl).", OUTPUT, short="-o")] = None,
    options: QaOptions,
    include_drafts: IncludeDrafts = False,
    sample: Annotated[
        Path | None, Option("Write an invented sample table of associations, and exit.", OUTPUT)
    ] = None,
) -> Outcome:
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
    from endoxa.instruments.questions.items import build_questions
    from endoxa.sources.bbq import write_items
    from endoxa.sources.files import require_apart
    from endoxa.sources.frames import write_table

    if sample is not None:
        return _write_sample(sample, [associations, out])
    if associations is None or out is None:
        raise UserError("Missing ASSOCIATIONS or --out FILE (or write a sample table with --sample FILE).")
    if out.suffix.lower() != ".jsonl":
        raise UserError(f"--out: '{out}' has an unknown file type. Expected a file that ends in .jsonl.")
    left_out = out.with_name(f"{out.stem}.left_out.csv")
    require_apart([left_out], [associations])
    made = build_questions(
        associations_of(associations, drafts=include_drafts, language=options.language), options
    )
    write_table(made.left_out, left_out)
    _note_left_out(made, left_out)
    if not made.records:
        raise UserError(f"No question could be made from {associations}. See the reasons in {left_out}.")
    write_items(made.records, out)
    return Outcome(
        (
            f"{len(made.records)} questions from {made.associations} associations written to {out}",
            "Content notice: these ask about reported stereotypes, for evaluation only.",
        )
    )


def _write_sample(path: Path, others: list[Path | None]) -> Outcome:
    from endoxa.errors import UserError
    from endoxa.instruments.questions.items import SAMPLE
    from endoxa.sources.frames import read_table, write_table

    if any(others):
        raise UserError("--sample FILE only writes a sample table. Leave out ASSOCIATIONS and --out.")
    if path.exists():
        raise UserError(f"--sample: {path} already exists. Name another file.")
    table = read_table(SAMPLE)
    write_table(table, path)
    sentence = f"{table.height} invented associations in Spanish, English and Portuguese written to {path}"
    return Outcome((sentence,))


def _note_left_out(made: Questions, left_out: Path) -> None:
    """Say what was assumed and which associations are left out."""
    for sentence in made.notes:
        note(sentence)
    if made.fewer:
        note(f"{made.fewer} associations have fewer questions: too few distractors.")
    if made.left_out.is_empty():
        return
    reasons = made.left_out["reason"].str.replace(r"^row \d+", "another row")
    note(f"{made.left_out.height} associations left out (see {left_out}):")
    for reason, count in reasons.value_counts(sort=True).iter_rows():
        note(f"  {count}: {reason}")
