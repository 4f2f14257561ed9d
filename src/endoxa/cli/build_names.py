"""`endoxa build names`: first names in the place of groups."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from endoxa.instruments.questions.names import NameBank, NameVariants
    from endoxa.instruments.questions.names.ask import Asked
    from endoxa.instruments.questions.names.rewrite import Prepared

SHOWN = 5
"""Reasons, or problems, that are printed."""


def names(
    items: Annotated[
        Path, typer.Argument(metavar="ITEMS", help="Questions in BBQ's JSONL, with groups named in them.")
    ],
    *,
    output: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FILE", help="The same questions with names (.jsonl)."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, max=2**32 - 1, help="Seed of everything that is drawn.")] = 42,
    variants: Annotated[int, typer.Option(min=1, max=1000, help="How often names are drawn.")] = 3,
    bank: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Your own names: columns group, gender, name.",
            show_default="68 nationalities, 10 names each",
        ),
    ] = None,
    gender_model: Annotated[
        str | None,
        typer.Option(metavar="MODEL", help="Ask this chat model where the text leaves a gender open."),
    ] = None,
    check: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write nothing; check a file with names against ITEMS."),
    ] = None,
) -> None:
    """Put first names in the place of groups, so that a group is hinted at and not said.

    "My Danish friend" becomes "my friend Viggo", "the Danish family" "Viggo's family". Each variant is a new draw of
    names. What cannot be put into natural English is left out and listed in NAME.unwritten.csv beside FILE.

    \b
    Examples:
      endoxa build names Nationality.jsonl -o names.jsonl --seed 42 --variants 3
      endoxa build names Religion.jsonl -o names.jsonl --bank my-names.csv
      endoxa build names Nationality.jsonl --check names.jsonl
    """  # noqa: D301
    from endoxa.errors import UserError
    from endoxa.instruments.questions.names import read_bank

    if check is not None:
        if output is not None or gender_model is not None:
            raise UserError("--check writes nothing: leave out --out and --gender-model.")
        _check(items, check, read_bank(bank))
        return
    if output is None:
        raise UserError("Give --out FILE for the questions with names, or --check FILE to check one.")
    _build(items, output, bank, seed=seed, variants=variants, gender_model=gender_model)


def _build(
    items: Path, output: Path, bank_file: Path | None, *, seed: int, variants: int, gender_model: str | None
) -> None:
    from endoxa.cli.progress import shown
    from endoxa.datasets.bbq import read_rows, write_items
    from endoxa.datasets.files import require_apart
    from endoxa.datasets.frames import write_table
    from endoxa.errors import UserError
    from endoxa.instruments.questions.names import build_names, read_bank

    if output.suffix.lower() != ".jsonl":
        raise UserError(f"'{output}' cannot be written: questions are written as .jsonl.")
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
        raise UserError(f"No record of {items} could be written with names: {unwritten} says why.")
    written = write_items(made.records, output)
    typer.echo(
        f"{made.rows} of {len(rows)} records with names, in {variants} variants: {written} records written to "
        f"{output}, every one checked (sub-seeds {', '.join(map(str, made.seeds))})"
    )
    typer.echo("Content notice: the questions state harmful stereotypes; for evaluation only.")


def _tell_bank(bank: NameBank) -> None:
    from endoxa.instruments.questions.names.bank import check_bank

    found = check_bank(bank)
    for problem in found[:SHOWN]:
        typer.echo(f"Bank {bank.label}: '{problem.name}' ({problem.group}) {problem.message}.", err=True)
    if len(found) > SHOWN:
        typer.echo(f"Bank {bank.label}: {len(found) - SHOWN} more names to look at.", err=True)


def _tell_unwritten(made: NameVariants, listed: Path) -> None:
    if not made.unwritten:
        return
    reasons = Counter(one.reason for one in made.unwritten if not one.follows)
    typer.echo(f"{len(made.unwritten)} records left out, see {listed}:", err=True)
    for reason, count in reasons.most_common(SHOWN):
        typer.echo(f"  {count}: {reason}", err=True)


def _asker(model: str, file: Path) -> Callable[[Sequence[Prepared]], Sequence[Prepared]]:
    """Asks the model about genders that are left open; its answers are kept in the file and not asked for again."""
    import asyncio

    from endoxa.cli.progress import shown
    from endoxa.instruments.questions.names.ask import ask_all, keeping, read_answers, settle, unsettled
    from endoxa.models.chat import ChatOptions, open_chat, parse_chat_model

    spec = parse_chat_model(model)

    def decide(prepared: Sequence[Prepared]) -> Sequence[Prepared]:
        answers = read_answers(model, file)
        missing = [asked for asked in unsettled(prepared) if asked not in answers]
        if not missing:
            return [settle(one, answers) for one in prepared]
        with shown("answers") as progress, keeping(model, file) as keep:

            def told(asked: Asked, answer: str) -> None:
                answers[asked] = answer
                keep(asked, answer)
                progress(f"asking {model}", len(answers), len(answers.keys() | set(missing)))

            asyncio.run(ask_all(open_chat(spec, ChatOptions()), missing, told))
        return [settle(one, answers) for one in prepared]

    return decide


def _check(items: Path, written: Path, bank: NameBank) -> None:
    from endoxa.datasets.bbq import read_rows
    from endoxa.instruments.questions.names.check import check_file

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
            f"{checked.absent} records of {items} are in no variant: {listed.name} lists those that were left out.",
            err=True,
        )
    typer.echo(f"{checked.records} records of {written} checked: {len(found)} problems")
    if found:
        raise typer.Exit(1)
