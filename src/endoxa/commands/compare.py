"""`endoxa compare`: what changed between runs, or between two editions of their data?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from endoxa.commands.verbs import Outcome, argument, note
from endoxa.runs.options import DEFAULT_CONFIDENCE, Confidence
from endoxa.schema.headline import Headline
from endoxa.schema.options import ANALYSIS, DATA, OUTPUT, Option

if TYPE_CHECKING:
    from endoxa.study.compare.results import Comparison


def compare(
    paths: Annotated[
        tuple[Path, ...],
        argument(
            "Finished run folders, or folders of studies, the first of which is what the others are compared with; "
            "or two tables (statements, associations, a campaign's pairs.csv, sets of pairs) or release folders.",
            metavar="RUN...",
        ),
    ],
    *,
    out: Annotated[
        Path | None,
        Option(
            "File to write: .html (page) or .csv (every change); of runs also .json, of tables also .tsv, .jsonl and "
            ".parquet.",
            OUTPUT,
            short="-o",
        ),
    ] = None,
    items: Annotated[
        Path | None,
        Option("Of runs: also write the items that changed sides.", OUTPUT, metavar="TABLE", table=True),
    ] = None,
    table: Annotated[
        Path | None, Option("Of tables: also write the table of changes.", OUTPUT, table=True, metavar="FILE")
    ] = None,
    model: Annotated[
        tuple[str, ...],
        Option("Model, where runs hold several; repeatable.", DATA, metavar="MODEL", default="all of them"),
    ] = (),
    rule: Annotated[
        tuple[str, ...],
        Option(
            "Scoring rule of pairs or protocol of questions; repeatable.",
            ANALYSIS,
            default="every one of all runs",
        ),
    ] = (),
    harm: Annotated[
        tuple[Path, ...],
        Option(
            "Of stories: a run of endoxa probe harm, or people's ratings, that say which associations are harmful; "
            "repeatable.",
            ANALYSIS,
            metavar="RUN|TABLE",
        ),
    ] = (),
    groups: Annotated[
        Path | None,
        Option("Of tables: groups of attributes (`endoxa curate group`), used for both.", DATA),
    ] = None,
    respondents: Annotated[
        tuple[int, ...],
        Option(
            "Number of respondents of each table, where tables only count (give it twice).", DATA, metavar="N"
        ),
    ] = (),
    regions: Annotated[
        bool,
        Option(
            "Of one table: find stereotypes that are turned round between two regions.",
            ANALYSIS,
            only_on=True,
        ),
    ] = False,
    confidence: Confidence = DEFAULT_CONFIDENCE,
) -> Outcome:
    """Show what changed between runs of the same items and at what price, or between two editions of their data.

    Runs may differ in model, system message, temperature, reasoning, or anything else about how they were asked. Items
    are paired. Shown are the change of each measure with its interval, accuracy, refusals and lengths beside it, the
    largest changes by axis and identity, and the items that changed sides. Three runs and more are each compared with
    the first. A single run with several models compares these. Of whole studies every instrument that they share is
    compared, and all claims are corrected together.

    Of two tables, shares are of respondents, and all intervals hold together; associations that are new, lost and kept
    stand beside them. Two sets of sentence pairs are compared pair by pair.

    With --regions, one table of statements (columns respondent, country) or of associations by country (region,
    support) is looked through for reversals: an attribute and its opposite said of one group, or two groups of an axis
    of which one attribute is said, one side of which leads in one region and the other in the other; both must be clear
    after correction over all comparisons.

    \b
    Examples:
      endoxa compare out/plain out/careful -o out/careful.html
      endoxa compare out/c#baseline out/c#careful -o out/careful.html
      endoxa compare out/a out/b out/c -o out/three.html --items out/changed.csv
      endoxa compare out/stories-a out/stories-b --harm out/harm -o out/stories.html
      endoxa compare out/before out/after -o out/studies.html
      endoxa compare survey2024.csv survey2026.csv -o changes.html --groups groups.csv
      endoxa compare pairs-v1.csv pairs-v2.csv -o pairs.html
      endoxa compare statements.csv --regions --groups groups.csv -o reversals.csv
    """  # noqa: D301
    from endoxa.errors import UserError
    from endoxa.runs.folder import RUN
    from endoxa.sources.files import require_apart
    from endoxa.sources.frames import WRITTEN_SUFFIXES
    from endoxa.study.compare.editions.sets import is_set
    from endoxa.study.file import FILE

    suffixes = (*WRITTEN_SUFFIXES, ".xlsx")
    if any((path / FILE).is_file() for path in paths):
        if rule:
            raise UserError("--rule is for runs of one instrument. Leave it out for studies.")
        return _compare_studies(paths, out, items, model=model, confidence=confidence)
    if not any(
        path.suffix in suffixes or path.is_file() or (path.is_dir() and not (path / RUN).is_file())
        for path in paths
    ):
        return _compare_runs(
            paths,
            out,
            items,
            model=model,
            rule=rule,
            harm=harm,
            confidence=confidence,
        )
    tables = list(paths)
    if out is None:
        raise UserError("Missing --out. Name a file for the comparison of the tables: .html or .csv.")
    if regions:
        return find_regions(tables, out, groups, confidence)
    require_apart([out, table], [path for path in tables if path.is_file()])
    if out.suffix.lower() not in (".html", *WRITTEN_SUFFIXES):
        raise UserError(
            f"--out: '{out}' has an unknown file type. Expected .html, {', '.join(WRITTEN_SUFFIXES)}."
        )
    if all(map(is_set, tables)):
        return compare_pair_sets(tables, out, table)
    return compare_tables(tables, out, table, groups=groups, respondents=respondents, confidence=confidence)


def _compare_runs(
    paths: tuple[Path, ...],
    out: Path | None,
    items: Path | None,
    *,
    model: tuple[str, ...],
    rule: tuple[str, ...],
    harm: tuple[Path, ...],
    confidence: float,
) -> Outcome:
    """The branch of `endoxa compare` for runs.

    Raises:
        UserError: the runs cannot be compared.
    """
    from endoxa.sources.files import require_apart
    from endoxa.study.compare.results import Comparison
    from endoxa.study.compare.run import compare as contrast
    from endoxa.study.saving import require_suffix

    if out is not None:
        require_suffix(out, Comparison.suffixes)
    require_apart([out, items], [path / name for path in paths for name in ("run.json", "records.parquet")])
    return _written(contrast(*paths, model=model, rule=rule, harm=harm, confidence=confidence), out, items)


def _compare_studies(
    paths: tuple[Path, ...],
    out: Path | None,
    items: Path | None,
    *,
    model: tuple[str, ...],
    confidence: float,
) -> Outcome:
    """The branch of `endoxa compare` for studies.

    Raises:
        UserError: the studies cannot be compared.
    """
    from endoxa.sources.files import require_apart
    from endoxa.study.compare.results import Comparison
    from endoxa.study.compare.studies import compare_studies
    from endoxa.study.file import ASSOCIATIONS, FILE
    from endoxa.study.saving import require_suffix

    if out is not None:
        require_suffix(out, Comparison.suffixes)
    require_apart([out, items], [path / name for path in paths for name in (FILE, ASSOCIATIONS)])
    return _written(compare_studies(paths, model, confidence), out, items)


def _written(comparison: Comparison, out: Path | None, items: Path | None) -> Outcome:
    if out is not None:
        comparison.save(out)
    written = [str(path) for path in (out, items) if path is not None]
    lines: list[str | Headline] = [
        comparison.sentence,
        comparison.headline(),
        *([f"Written: {', '.join(written)}"] if written else []),
    ]
    return Outcome(lines, tables={"items": comparison.items})


def find_regions(paths: list[Path], out: Path, groups: Path | None, confidence: float) -> Outcome:
    """The branch of `endoxa compare` for regions of one table.

    Raises:
        UserError: several tables, one that cannot be compared, or a file that is no table.
    """
    from endoxa.errors import UserError
    from endoxa.sources.files import require_apart
    from endoxa.sources.frames import require_table_name, write_table
    from endoxa.study.compare.reversals import find_reversals

    if len(paths) > 1:
        raise UserError("--regions looks through one table. Name one.")
    require_apart([out], paths)
    require_table_name(out)
    turned = find_reversals(paths[0], groups=groups, confidence=confidence)
    for sentence in turned.notes:
        note(sentence)
    write_table(turned.table, out)
    return Outcome([*turned.sentences, f"Written: {out}"])


def compare_pair_sets(paths: list[Path], out: Path, table: Path | None) -> Outcome:
    """The branch of `endoxa compare` for sets of pairs.

    Raises:
        UserError: the sets cannot be compared.
    """
    from endoxa.sources.frames import write_table
    from endoxa.study.compare.editions.sets import compare_sets, write_set_page

    comparison = compare_sets(paths)
    if out.suffix.lower() == ".html":
        write_set_page(comparison, out)
    else:
        write_table(comparison.pairs, out)
    lines = [comparison.headline, f"Written: {out}"]
    return Outcome(lines, {} if table is None else {"table": comparison.pairs})


def compare_tables(
    paths: list[Path],
    out: Path,
    table: Path | None,
    *,
    groups: Path | None,
    respondents: tuple[int, ...],
    confidence: float,
) -> Outcome:
    """The branch of `endoxa compare` for surveys, associations, exports of campaigns and releases.

    Raises:
        UserError: the tables cannot be compared.
    """
    from endoxa.sources.frames import write_table
    from endoxa.study.compare.editions.comparison import compare_editions, write_edition_page

    comparison = compare_editions(paths, groups=groups, respondents=respondents, confidence=confidence)
    for sentence in comparison.notes:
        note(sentence)
    if out.suffix.lower() == ".html":
        write_edition_page(comparison, out)
    else:
        write_table(comparison.changes, out)
    lines = [comparison.headline, comparison.sentence, f"Written: {out}"]
    return Outcome(lines, {} if table is None else {"table": comparison.changes})
