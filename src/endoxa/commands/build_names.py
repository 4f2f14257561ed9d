"""`endoxa build names`: replace groups in questions by first names."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from annotated_types import Ge, Le

from endoxa.schema.options import ITEMS, OUTPUT, Option

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from endoxa.instruments.questions.names.ask import Person
    from endoxa.instruments.questions.names.bank import NameBank
    from endoxa.instruments.questions.names.build import NameVariants
    from endoxa.instruments.questions.names.rewrite import Prepared

SHOWN = 5
"""Maximum number of reasons, or of problems, printed."""


def names(
    items: Annotated[
        Path, typer.Argument(metavar="ITEMS", help="Questions in BBQ's JSONL that name groups.")
    ],
    *,
    out: Annotated[Path | None, Option("Questions with names (.jsonl).", OUTPUT, short="-o")] = None,
    seed: Annotated[int, Ge(0), Le(2**32 - 1), Option("Seed of every random draw.", ITEMS)] = 42,
    variants: Annotated[int, Ge(1), Le(1000), Option("Number of draws of names.", ITEMS)] = 3,
    bank: Annotated[
        Path | None,
        Option(
            "Your own names: columns group, gender, name.",
            ITEMS,
            default="68 nationalities, 10 names each",
        ),
    ] = None,
    gender_model: Annotated[
        str | None,
        Option("Chat model that decides genders left open by the text.", ITEMS, metavar="MODEL"),
    ] = None,
    check: Annotated[Path | None, Option("Only check this file with names against ITEMS.", OUTPUT)] = None,
) -> None:
    """Replace groups in questions by first names, so that the group is implied but not stated.

    "My Danish friend" becomes "my friend Viggo", "the Danish family" becomes "Viggo's family". Each variant is a new
    draw of names. Records that cannot be rewritten in natural English are left out and listed in NAME.unwritten.csv in
    the folder of FILE.

    \b
    Examples:
      endoxa build names Nationality.jsonl -o names.jsonl --seed 42 --variants 3
      endoxa build names Religion.jsonl -o names.jsonl --bank my-names.csv
      endoxa build names Nationality.jsonl --check names.jsonl
    """  # noqa: D301
    from endoxa.errors import UserError
    from endoxa.instruments.questions.names.bank import read_bank

    if check is not None:
        if out is not None or gender_model is not None:
            raise UserError("--check only checks a file. Leave out --out and --gender-model.")
        _check(items, check, read_bank(bank))
        return
    if out is None:
        raise UserError(
            "Missing --out FILE for the questions with names (or --check FILE to check such a file)."
        )
    _build(items, out, bank, seed=seed, variants=variants, gender_model=gender_model)


def _build(
    items: Path, output: Path, bank_file: Path | None, *, seed: int, variants: int, gender_model: str | None
) -> None:
    from endoxa.errors import UserError
    from endoxa.instruments.questions.names.bank import read_bank
    from endoxa.instruments.questions.names.build import build_names
    from endoxa.runs.progress import shown
    from endoxa.sources.bbq import read_rows, write_items
    from endoxa.sources.files import require_apart
    from endoxa.sources.frames import write_table

    if output.suffix.lower() != ".jsonl":
        raise UserError(f"--out: '{output}' has an unknown file type. Expected a file that ends in .jsonl.")
    unwritten, genders = (output.with_suffix(f".{what}.csv") for what in ("unwritten", "genders"))
    require_apart([output, unwritten, genders], [items, bank_file])
    bank = read_bank(bank_file)
    _tell_bank(bank)
    decide = None if gender_model is None else _asker(gender_model, genders)
    rows = [row for _, row in read_rows(items)]
    with shown("records") as progress:
        made = build_names(rows, bank, seed=seed, variants=variants, decide=decide, progress=progress)
    write_table(made.unwritten_table(), unwritten)
    _tell_unwritten(made, unwritten)
    if not made.rows:
        raise UserError(
            f"No record of {items} could be rewritten with names. See the reasons in {unwritten}."
        )
    written = write_items(made.records, output)
    typer.echo(
        f"{made.rows} of {len(rows)} records rewritten, in {variants} variants: {written} records written to "
        f"{output}, all checked (sub-seeds {', '.join(map(str, made.seeds))})"
    )
    typer.echo("Content notice: the questions state harmful stereotypes; for evaluation only.")


def _tell_bank(bank: NameBank) -> None:
    from endoxa.instruments.questions.names.bank import check_bank

    found = check_bank(bank)
    for problem in found[:SHOWN]:
        typer.echo(f"Bank {bank.label}: '{problem.name}' ({problem.group}) {problem.message}.", err=True)
    if len(found) > SHOWN:
        typer.echo(f"Bank {bank.label}: {len(found) - SHOWN} more names to review.", err=True)


def _tell_unwritten(made: NameVariants, listed: Path) -> None:
    if not made.unwritten:
        return
    reasons = Counter(one.reason for one in made.unwritten if not one.follows)
    typer.echo(f"{len(made.unwritten)} records left out, see {listed}:", err=True)
    for reason, count in reasons.most_common(SHOWN):
        typer.echo(f"  {count}: {reason}", err=True)


def _asker(model: str, file: Path) -> Callable[[Sequence[Prepared]], Sequence[Prepared]]:
    """A function that asks the model about open genders; answers are stored in the file and reused."""
    import asyncio

    from endoxa.instruments.questions.names.ask import ask_all, keeping, read_answers, settle, unsettled
    from endoxa.models.chat import ChatOptions, open_chat, parse_chat_model
    from endoxa.runs.progress import shown

    spec = parse_chat_model(model)

    def decide(prepared: Sequence[Prepared]) -> Sequence[Prepared]:
        answers = read_answers(model, file)
        missing = [asked for asked in unsettled(prepared) if asked not in answers]
        if not missing:
            return [settle(one, answers) for one in prepared]
        with shown("answers") as progress, keeping(model, file) as keep:

            def answered(asked: Person, answer: str) -> None:
                answers[asked] = answer
                keep(asked, answer)
                progress(f"asking {model}", len(answers), len(answers.keys() | set(missing)))

            asyncio.run(ask_all(open_chat(spec, ChatOptions()), missing, answered))
        return [settle(one, answers) for one in prepared]

    return decide


def _check(items: Path, written: Path, bank: NameBank) -> None:
    from endoxa.instruments.questions.names.check import check_file
    from endoxa.sources.bbq import read_rows

    originals = (row for _, row in read_rows(items))
    checked = check_file(read_rows(written), originals, bank)
    found = checked.problems
    for problem in found[:SHOWN]:
        typer.echo(f"{written}, {problem}", err=True)
    if len(found) > SHOWN:
        typer.echo(f"{len(found) - SHOWN} more problems.", err=True)
    if checked.absent:
        listed = written.with_suffix(".unwritten.csv")
        typer.echo(
            f"{checked.absent} records of {items} are missing from all variants; those left out are listed in "
            f"{listed.name}.",
            err=True,
        )
    typer.echo(f"{checked.records} records of {written} checked: {len(found)} problems")
    if found:
        raise typer.Exit(1)
