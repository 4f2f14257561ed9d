"""`endoxa build`: make the items that models are probed with."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from endoxa.commands.build_input import associations_of
from endoxa.commands.build_names import names
from endoxa.commands.build_qa import questions
from endoxa.commands.build_stories import stories
from endoxa.commands.build_tests import association_tests
from endoxa.commands.verbs import Group, Outcome, argument, note
from endoxa.instruments.pairs.options import PairOptions
from endoxa.runs.options import IncludeDrafts
from endoxa.schema.options import OUTPUT, Option

if TYPE_CHECKING:
    from endoxa.instruments.pairs.items import Built

BUILD = Group("build", "Build items: sentence pairs, questions, association tests and story prompts.")
app = BUILD.app


def pairs(
    associations: Annotated[
        Path,
        argument("Table with columns identity and attribute.", metavar="ASSOCIATIONS"),
    ],
    *,
    out: Annotated[Path, Option("Pairs: .csv, .tsv, .jsonl or .parquet.", OUTPUT, table=True, short="-o")],
    report: Annotated[
        Path | None,
        Option("Also write associations left out and pairs to review, with reasons.", OUTPUT),
    ] = None,
    options: PairOptions,
    include_drafts: IncludeDrafts = False,
    keep_region: Annotated[
        bool, Option("Keep every region, regardless of --min-cell.", OUTPUT, only_on=True)
    ] = False,
) -> Outcome:
    """Make a stereotype and an anti-stereotype sentence from each association.

    The second sentence uses the antonym of the attribute if the lexicon has one, and the negation otherwise.
    Associations whose sentences might be ungrammatical are left out; --report lists the reasons.

    \b
    Examples:
      endoxa build pairs associations.csv -o pairs.csv
      endoxa build pairs associations.csv -o pairs.csv --report problems.csv --min-support 2
      endoxa build pairs associations.csv -o african.csv --prefix African --negation-only
    """  # noqa: D301
    from endoxa.errors import UserError
    from endoxa.instruments.pairs.items import build_pairs
    from endoxa.sources.frames import write_table

    if options.negation_only and options.antonym_only:
        raise UserError("Give --negation-only or --antonym-only, not both.")
    if keep_region:
        options = replace(options, min_cell=1)
    built = build_pairs(
        associations_of(associations, drafts=include_drafts, language=options.language), options
    )
    if report is not None:
        write_table(built.problems, report)
    _note_left_out(built, report)
    if built.pairs.is_empty():
        reasons = f"See the reasons in {report}." if report else "List the reasons with --report FILE."
        raise UserError(f"No pair could be made from {associations}. {reasons}")
    antonyms = built.pairs.filter(how="antonym").height
    return Outcome(
        (
            f"{built.pairs.height} pairs written to {out}: {antonyms} with an antonym, "
            f"{built.pairs.height - antonyms} with a negation",
            "Content notice: these are reported stereotypes, for evaluation only.",
        ),
        {"out": built.pairs},
    )


BUILD.add(association_tests, "tests")
BUILD.add(names)
BUILD.add(questions, "qa")
BUILD.add(stories)
BUILD.add(pairs)


def _note_left_out(built: Built, report: Path | None) -> None:
    """Say what was assumed, which associations are left out and which pairs are to be reviewed."""
    for sentence in built.assumed:
        note(sentence)
    if built.rare:
        note(f"{built.rare} associations left out: too few respondents (--min-support).")
    if built.placeless:
        note(
            f"{built.placeless} pairs written without their region: fewer respondents than --min-cell, so the region "
            "could identify a person (--keep-region keeps it)."
        )
    left_out = built.problems.filter(outcome="left out").height
    looked_at = built.problems.filter(outcome="kept")["association_id"].n_unique()
    where = f"see {report}" if report is not None else "list them with --report FILE"
    counts = [f"{left_out} associations left out"] if left_out else []
    if looked_at:
        counts.append(f"{looked_at} pairs to review")
    if counts:
        note(f"{', '.join(counts)}: {where}.")
