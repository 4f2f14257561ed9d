"""`endoxa build names`: replace groups in questions by first names."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from annotated_types import Ge, Le

from endoxa.commands.verbs import Outcome, argument, note
from endoxa.schema.options import ITEMS, OUTPUT, Option

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from endoxa.instruments.questions.names import NameBank, NameVariants
    from endoxa.instruments.questions.names.ask import Asked
    from endoxa.instruments.questions.names.rewrite import Prepared

SHOWN = 5
"""Maximum number of reasons, or of problems, printed."""


def names(
    items: Annotated[Path, argument("Questions in BBQ's JSONL that name groups.", metavar="ITEMS")],
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
) -> Outcome:
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
    from endoxa.instruments.questions.names import build_names, read_bank
    from endoxa.runs.progress import shown
    from endoxa.sources.bbq import read_rows, write_items
    from endoxa.sources.files import require_apart
    from endoxa.sources.frames import write_table

    if check is not None:
        if out is not None or gender_model is not None:
            raise UserError("--check only checks a file. Leave out --out and --gender-model.")
        return _check(items, check, read_bank(bank))
    if out is None:
        raise UserError(
            "Missing --out FILE for the questions with names (or --check FILE to check such a file)."
        )
    if out.suffix.lower() != ".jsonl":
        raise UserError(f"--out: '{out}' has an unknown file type. Expected a file that ends in .jsonl.")
    unwritten, genders = (out.with_suffix(f".{what}.csv") for what in ("unwritten", "genders"))
    require_apart([unwritten, genders], [items, bank])
    groups = read_bank(bank)
    _note_bank(groups)
    decide = None if gender_model is None else _asker(gender_model, genders)
    rows = [row for _, row in read_rows(items)]
    with shown("records") as progress:
        made = build_names(rows, groups, seed=seed, variants=variants, decide=decide, progress=progress)
    write_table(made.unwritten_table(), unwritten)
    _note_unwritten(made, unwritten)
    if not made.rows:
        raise UserError(
            f"No record of {items} could be rewritten with names. See the reasons in {unwritten}."
        )
    written = write_items(made.records, out)
    return Outcome(
        (
            f"{made.rows} of {len(rows)} records rewritten, in {variants} variants: {written} records written to "
            f"{out}, all checked (sub-seeds {', '.join(map(str, made.seeds))})",
            "Content notice: the questions state harmful stereotypes; for evaluation only.",
        )
    )


def _note_bank(bank: NameBank) -> None:
    from endoxa.instruments.questions.names.bank import check_bank

    problems = check_bank(bank)
    for problem in problems[:SHOWN]:
        note(f"Bank {bank.label}: '{problem.name}' ({problem.group}) {problem.message}.")
    if len(problems) > SHOWN:
        note(f"Bank {bank.label}: {len(problems) - SHOWN} more names to review.")


def _note_unwritten(made: NameVariants, listed: Path) -> None:
    if not made.unwritten:
        return
    reasons = Counter(record.reason for record in made.unwritten if not record.follows)
    note(f"{len(made.unwritten)} records left out, see {listed}:")
    for reason, count in reasons.most_common(SHOWN):
        note(f"  {count}: {reason}")


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

            def answered(asked: Asked, answer: str) -> None:
                answers[asked] = answer
                keep(asked, answer)
                progress(f"asking {model}", len(answers), len(answers.keys() | set(missing)))

            asyncio.run(ask_all(open_chat(spec, ChatOptions()), missing, answered))
        return [settle(one, answers) for one in prepared]

    return decide


def _check(items: Path, written: Path, bank: NameBank) -> Outcome:
    from endoxa.instruments.questions.names.check import check_file
    from endoxa.sources.bbq import read_rows

    originals = (row for _, row in read_rows(items))
    checked = check_file(read_rows(written), originals, bank)
    problems = checked.problems
    for problem in problems[:SHOWN]:
        note(f"{written}, {problem}")
    if len(problems) > SHOWN:
        note(f"{len(problems) - SHOWN} more problems.")
    if checked.absent:
        listed = written.with_suffix(".unwritten.csv")
        note(
            f"{checked.absent} records of {items} are missing from all variants; those left out are listed in "
            f"{listed.name}."
        )
    sentence = f"{checked.records} records of {written} checked: {len(problems)} problems"
    return Outcome((sentence,), exit_code=int(bool(problems)))
