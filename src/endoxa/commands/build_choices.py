"""`endoxa build choices`: inferences, decisions and word lists from associations."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from endoxa.commands.verbs import Outcome, argument, note
from endoxa.instruments.choices.options import ChoiceOptions
from endoxa.runs.options import IncludeDrafts
from endoxa.schema.options import OUTPUT, Option


def choices(
    associations: Annotated[
        Path,
        argument("Table with columns identity and attribute.", metavar="ASSOCIATIONS", sample="associations"),
    ],
    *,
    out: Annotated[Path, Option("Items (.jsonl).", OUTPUT, short="-o")],
    options: ChoiceOptions,
    include_drafts: IncludeDrafts = False,
) -> Outcome:
    """Make inferences, decisions between two candidates, or word lists from associations.

    An inference asks whether a sentence about one person follows from another one; right is that it cannot be
    determined. A decision is between two candidates who differ in the group only. A word list is to be sorted to two
    groups. The other group is that of a column 'reference', or is drawn from the same axis. Associations without an
    item are listed in FILE.left_out.csv, with the reason.

    \b
    Examples:
      endoxa build choices associations.csv --kind decision -o decisions.jsonl
      endoxa build choices associations.csv --kind inference --premises neutral,stereotype -o inferences.jsonl
      endoxa build choices associations.csv --kind association --language es -o lists.jsonl
    """  # noqa: D301
    from endoxa.commands.build import associations_of
    from endoxa.commands.build_prompts import require_jsonl
    from endoxa.errors import UserError
    from endoxa.instruments.choices.items.build import build_choices
    from endoxa.instruments.choices.items.read import write_items
    from endoxa.sources.files import require_apart
    from endoxa.sources.frames import write_table

    require_jsonl(out)
    if options.gender not in ("m", "f"):
        raise UserError(f"--gender: '{options.gender}' is unknown. Expected m or f.")
    left_out = out.with_name(f"{out.stem}.left_out.csv")
    require_apart([left_out], [associations])
    table = associations_of(associations, drafts=include_drafts, language=options.language)
    built = build_choices(table, options)
    write_table(built.left_out, left_out)
    if built.left_out.height:
        note(f"{built.left_out.height} associations left out: see {left_out}.")
    if not built.items:
        raise UserError(f"No item could be made from {associations}. See the reasons in {left_out}.")
    write_items(built.items, out)
    return Outcome(
        (
            f"{len(built.items)} items of {built.associations} associations written to {out}",
            "Content notice: these are reported stereotypes, for evaluation only.",
        )
    )
