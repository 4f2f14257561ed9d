"""`endoxa curate review` and `evaluate`: sheets for reviewers, their corrections, and extraction held against them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import polars as pl

from endoxa.commands.analyze_people import agreement_lines
from endoxa.commands.verbs import Outcome, argument, table_option
from endoxa.curate.review.sheet import Choice
from endoxa.errors import UserError
from endoxa.report.tables import headline_of, interval_field
from endoxa.report.words import plural
from endoxa.runs.options import DEFAULT_CONFIDENCE, Confidence, Seed
from endoxa.runs.progress import shown
from endoxa.schema.headline import Headline
from endoxa.schema.options import ANALYSIS, DATA, OUTPUT, Option
from endoxa.sources.files import require_apart
from endoxa.sources.frames import require_table_name, write_table

if TYPE_CHECKING:
    from endoxa.curate.evaluation.gold import Gold, Reading
    from endoxa.curate.review.merge import Reviewed

_NOTICE = "Content notice: the sheet contains stereotypes as reported by respondents; reviewers may stop at any time."
SHOWN_CONFLICTS = 10
PARTS = ("both", "both_loose", "equivalence", "pair_f1_loose")
ALL_STATEMENTS = ("identity", "attribute", *PARTS, "omission_precision", "omission_recall")
"""Scores printed, by part of the statements and of all of them."""


def review(
    table: Annotated[Path, argument(metavar="TABLE")],
    sheets: Annotated[tuple[Path, ...], argument(metavar="SHEET...")] = (),
    *,
    out: Annotated[Path, Option(group=OUTPUT, short="-o")],
    sheet: Choice,
    overwrite: Annotated[bool, Option(group=OUTPUT, only_on=True)] = False,
    resolve: Annotated[Literal["none", "first", "majority"], Option(group=ANALYSIS)] = "none",
    drop_omitted: Annotated[
        bool | None,
        Option(group=ANALYSIS, name="--drop-omitted/--keep-omitted", default="keep statements, drop others"),
    ] = None,
) -> Outcome:
    """Write a sheet for a reviewer, or merge returned sheets into the table and list changes and disagreements.

    A reviewer fills in a spreadsheet and does not need endoxa. Drafts get the status that people decided on (approved,
    rejected, or still a draft); words that people changed in a room are taken over. FILE.changes.csv has all changes,
    with the reviewer, and FILE.conflicts.csv all disagreements.

    \b
    Examples:
      endoxa curate review statements.csv -o ana.xlsx --reviewer Ana
      endoxa curate review statements.csv -o both.xlsx --sample 200 --seed 1
      endoxa curate review statements.csv ana.xlsx ben.xlsx -o reviewed.csv
      endoxa curate review pairs.csv a.xlsx b.xlsx c.xlsx -o reviewed.csv --resolve majority
      endoxa curate review tuples.csv votes_items.csv -o judged.csv

    Options:
        table: Table of statements, groups, associations, pairs or drafts (CSV, JSONL, Parquet).
        sheets: Returned sheets; of drafts outcomes of a room (*_items.csv).
        out: Without SHEET: the sheet to write (.xlsx). Else the reviewed table.
        overwrite: Sheet: replace an existing one, including its answers.
        resolve: Value used where reviewers disagree: that of the table, of the first sheet, or of more than half of
            the reviewers. All disagreements are listed in any case.
        drop_omitted: Remove rows that reviewers omit, or keep them with omit=true.
    """  # noqa: D301
    from endoxa.author.tables import is_drafts
    from endoxa.curate.agreement import agreement, ballots_from_votes
    from endoxa.curate.review.merge import apply_review
    from endoxa.curate.review.returned import is_sheet, read_sheets, votes

    if not sheets:
        return _handed_out(table, out, sheet, overwrite=overwrite)
    if overwrite or replace(sheet, seed=0) != Choice():
        raise UserError(
            "Options of a sheet were given together with returned sheets. Leave one or the other out."
        )
    require_table_name(out)
    if is_drafts(table) and not is_sheet(sheets[0]):
        return _approved(table, sheets, out)
    listed = {name: out.with_name(f"{out.stem}.{name}.csv") for name in ("changes", "conflicts")}
    require_apart(listed.values(), [table, *sheets])
    returned = read_sheets(list(sheets))
    reviewed = apply_review(table, returned, resolve=resolve, drop_omitted=drop_omitted)
    lines: list[Any] = list(_review_lines(reviewed, listed["conflicts"]))
    write_table(reviewed.changes, listed["changes"])
    write_table(reviewed.conflicts, listed["conflicts"])
    cast = votes(returned, "decision") if len(returned) > 1 else ()
    if cast:
        lines += agreement_lines(agreement(ballots_from_votes(cast), seed=sheet.seed))
    return Outcome(
        [*lines, f"{plural(len(reviewed.table), 'row')} written to {out}"],
        {"out": reviewed.table, "changes": reviewed.changes, "conflicts": reviewed.conflicts},
    )


def _handed_out(table: Path, out: Path, sheet: Choice, *, overwrite: bool) -> Outcome:
    """A spreadsheet for a reviewer.

    Raises:
        UserError: there is one already, or the table cannot be reviewed.
    """
    from endoxa.curate.review.sheet import make_sheet, write_sheet

    if out.exists() and not overwrite:
        raise UserError(
            f"{out} already exists and may contain a reviewer's answers. Name another file, or pass --overwrite."
        )
    made = make_sheet(table, sheet)
    with shown("rows") as progress:
        write_sheet(made, out, progress)
    return Outcome([f"{plural(len(made.rows), 'row')} of {made.kind.name} written to {out}", _NOTICE])


def _approved(drafts: Path, judged: Sequence[Path], out: Path) -> Outcome:
    """Drafts with the status that people decided on.

    Raises:
        UserError: several tables of outcomes, or one that cannot be read.
    """
    from endoxa.author.tables import approved, copy_companions, counted

    if len(judged) > 1:
        raise UserError("Drafts are judged by one table of outcomes. Name one.")
    table = approved(drafts, judged[0])
    write_table(table, out)
    copy_companions(drafts, out)
    counts = ", ".join(f"{n} {status}" for status, n in counted(table).items())
    return Outcome((f"{table.height} drafts written to {out}: {counts}",))


def _review_lines(reviewed: Reviewed, listed: Path) -> Iterator[str]:
    """Counts and the first conflicts, without the text of the data."""
    where = "removed from the table" if reviewed.dropped else "kept with omit=true"
    omitted = f"; {plural(reviewed.left_out, 'row')} omitted ({where})" if reviewed.left_out else ""
    yield f"{plural(len(reviewed.changes), 'change')}{omitted}"
    if reviewed.incomplete:
        yield f"{plural(reviewed.incomplete, 'incomplete answer')} counted as unsure (see review_note)"
    unsettled = len(reviewed.conflicts.filter(settled=False))
    if len(reviewed.conflicts):
        unresolved = f"{unsettled} of them unresolved" if unsettled else "all resolved"
        yield f"{plural(len(reviewed.conflicts), 'conflict')}, {unresolved}"
    for row in reviewed.conflicts.head(SHOWN_CONFLICTS).iter_rows(named=True):
        column = f", {row['column']}" if row["column"] else ""
        yield f"  {row['row']}{column}: {row['problem']} ({row['sheets']}): {row['outcome']}"
    if len(reviewed.conflicts):
        yield f"  All of them, with their text: {listed}"


def evaluate(
    gold: Annotated[tuple[Path, ...], argument(metavar="GOLD...")],
    *,
    out: Annotated[Path, table_option("Scores")],
    by: Annotated[str, Option(group=DATA, metavar="COLUMN")] = "respondent",
    statement_column: Annotated[str | None, Option(group=DATA, metavar="COLUMN")] = None,
    reading: Annotated[Path | None, Option(group=DATA, metavar="TABLE")] = None,
    confidence: Confidence = DEFAULT_CONFIDENCE,
    seed: Seed = 0,
) -> Outcome:
    """Score extraction against reviewers, with intervals over respondents.

    Scores are strict, loose and by equivalence, for all statements, for those that reviewers edited, and by question.
    Omissions are scored too. If GOLD holds the reading of another extractor (columns authors_identity and
    authors_attribute), it is scored as 'published'. Beside the rules, one regular expression is scored: as it reads
    ('regex'), and with all that the rules have besides their grammar, names and forms above all ('regex, normalised').

    \b
    Examples:
      endoxa curate evaluate gold.csv --by respondent -o scores.csv
      endoxa curate evaluate reviewed.csv -o scores.csv
      endoxa curate evaluate reviewed.csv --reading model.csv -o scores.csv
      endoxa curate evaluate wave1.csv wave2.csv -o scores.csv

    Options:
        gold: Statements with the right pairs: a gold file, a reviewed table, or any table with the columns identity
            and attribute; several are taken together.
        by: Column of the units that intervals are taken over.
        statement_column: Column of the statements in a table with identity and attribute ('statement' or else
            'sentence').
        reading: Score this table of statements instead of reading GOLD with the rules.
    """  # noqa: D301
    from endoxa.curate.evaluation import evaluate as score
    from endoxa.curate.evaluation.gold import read_gold

    reviewed = [statement for path in gold for statement in read_gold(path, by, statement_column)]
    scores = score(reviewed, _readings(reviewed, reading), confidence=confidence, seed=seed)
    lines: list[str | Headline] = list(_score_lines(scores, confidence))
    kept = sum(statement.kept for statement in reviewed)
    lines.append(
        f"{plural(len(reviewed), 'reviewed statement')} ({kept} kept, {len(reviewed) - kept} omitted); "
        f"scores written to {out}"
    )
    return Outcome(lines, {"out": scores})


def _readings(reviewed: list[Gold], reading: Path | None) -> dict[str, list[Reading]]:
    """What each reader makes of the statements."""
    from endoxa.curate.evaluation.gold import read_all, read_by_expression, read_readings

    readings = {reading.stem: read_readings(reading, reviewed)} if reading else {"rules": read_all(reviewed)}
    published = [statement.published for statement in reviewed if statement.published is not None]
    if len(published) == len(reviewed):
        readings["published"] = published
    if reading is None:
        for name, normalised in (("regex", False), ("regex, normalised", True)):
            readings[name] = [read_by_expression(each, normalised=normalised) for each in reviewed]
    return readings


def _score_lines(scores: pl.DataFrame, confidence: float) -> Iterator[Headline]:
    """Scores of all statements by reader, with intervals, then those of whole pairs by part of the statements."""
    of_all = scores.filter(pl.col("measure").is_in(ALL_STATEMENTS), subset="all")
    title = f"All statements ({confidence:.0%} intervals over respondents)"
    yield headline_of(title, of_all, ("reader", "measure", "value", interval_field()))
    of_parts = scores.filter(pl.col("measure").is_in(PARTS))
    table = of_parts.pivot("measure", index=["reader", "subset", "statements"], values="value")
    yield headline_of("Identity and attribute both right, by part", table)
