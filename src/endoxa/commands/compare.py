"""`endoxa compare`: what changed between two editions of a survey."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from endoxa.commands.verbs import Outcome, argument, note
from endoxa.schema.options import DATA, OUTPUT, Option
from endoxa.study.compare.edition_options import EditionOptions

if TYPE_CHECKING:
    from endoxa.study.compare.editions import EditionComparison


def compare(
    tables: Annotated[
        list[Path],
        argument(
            "Two tables (statements, associations, a campaign's pairs.csv) or release folders.",
            metavar="TABLE TABLE",
        ),
    ],
    *,
    out: Annotated[
        Path, Option("Page (.html) or table of changes (.csv, .tsv, .jsonl, .parquet).", OUTPUT, short="-o")
    ],
    table: Annotated[
        Path | None, Option("Also write the table of changes.", OUTPUT, table=True, metavar="FILE")
    ] = None,
    run: Annotated[
        tuple[Path, ...],
        Option("Of two sets of pairs: a run over each, in their order (give it twice).", DATA, metavar="RUN"),
    ] = (),
    editions: EditionOptions,
) -> Outcome:
    """Compare two editions of a survey: associations that are new, lost and kept, and changes of shares.

    Shares are of respondents; all intervals hold together. An association that is missing may be missing by chance:
    the page says how likely. --balance country gives every country equal weight; --paired compares respondents with
    themselves. Tables without respondents are compared by their counts, and the output says what is assumed. Two
    sets of sentence pairs (or stereotypes with their opposites) are compared pair by pair; with --run, also what
    their changes do to a model's figure.

    \b
    Examples:
      endoxa compare survey2024.csv survey2026.csv -o changes.html --groups groups.csv
      endoxa compare survey2024.csv survey2026.csv -o changes.csv --balance country
      endoxa compare old.csv new.csv -o changes.html --respondents 300 --respondents 420
      endoxa compare pairs-v1.csv pairs-v2.csv --run out/v1 --run out/v2 -o pairs.html
    """  # noqa: D301
    from endoxa.errors import UserError
    from endoxa.sources.files import require_apart
    from endoxa.sources.frames import WRITTEN_SUFFIXES
    from endoxa.study.compare.editions.sets import is_set

    require_apart([out, table], [path for path in tables if path.is_file()])
    if out.suffix.lower() not in (".html", *WRITTEN_SUFFIXES):
        raise UserError(
            f"--out: '{out}' has an unknown file type. Expected .html, {', '.join(WRITTEN_SUFFIXES)}."
        )
    if tables and all(map(is_set, tables)):
        return compare_pair_sets(tables, run, out, table, editions.confidence)
    if run:
        raise UserError("--run goes with two sets of sentence pairs. Leave it out for surveys.")
    return compare_tables(tables, out, table, editions)


def compare_pair_sets(
    paths: list[Path], runs: tuple[Path, ...], out: Path, table: Path | None, confidence: float
) -> Outcome:
    """The branch of `endoxa compare` for sets of pairs.

    Raises:
        UserError: the sets or runs cannot be compared.
    """
    from endoxa.sources.frames import write_table
    from endoxa.study.compare.editions.sets import compare_sets
    from endoxa.study.compare.editions.sets_page import figure_sentences, headline, write_set_page

    comparison = compare_sets(paths, runs, confidence=confidence)
    if out.suffix.lower() == ".html":
        write_set_page(comparison, out)
    else:
        write_table(comparison.pairs, out)
    lines = [headline(comparison), *map(str, figure_sentences(comparison)), f"Written: {out}"]
    return Outcome(lines, {} if table is None else {"table": comparison.pairs})


def compare_tables(paths: list[Path], out: Path, table: Path | None, editions: EditionOptions) -> Outcome:
    """The branch of `endoxa compare` for surveys, associations, exports of campaigns and releases.

    Raises:
        UserError: the tables cannot be compared.
    """
    from endoxa.sources.frames import write_table
    from endoxa.study.compare.editions import compare_editions
    from endoxa.study.compare.editions.page import write_edition_page

    comparison = compare_editions(paths, editions)
    for sentence in comparison.notes:
        note(sentence)
    if out.suffix.lower() == ".html":
        write_edition_page(comparison, out)
    else:
        write_table(comparison.changes, out)
    return Outcome(_lines(comparison, out), {} if table is None else {"table": comparison.changes})


def _lines(comparison: EditionComparison, out: Path) -> list[str]:
    from endoxa.study.compare.editions.page import headline, overall_sentences

    return [headline(comparison), *map(str, overall_sentences(comparison)), f"Written: {out}"]
