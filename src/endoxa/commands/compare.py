"""`endoxa compare`: what changed between runs, or between two editions of their data?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from endoxa.commands.verbs import Outcome, argument, note
from endoxa.errors import UserError
from endoxa.runs.folder import RECORDS, RUN
from endoxa.runs.options import DEFAULT_CONFIDENCE, Confidence
from endoxa.schema.options import ANALYSIS, DATA, OUTPUT, Option
from endoxa.sources.files import require_apart
from endoxa.sources.frames import WRITTEN_SUFFIXES, require_table_name, write_table


def compare(
    paths: Annotated[tuple[Path, ...], argument(metavar="RUN...")],
    *,
    out: Annotated[tuple[Path, ...], Option(group=OUTPUT, short="-o")] = (),
    items: Annotated[Path | None, Option(group=OUTPUT, metavar="TABLE", table=True)] = None,
    model: Annotated[tuple[str, ...], Option(group=DATA, metavar="MODEL", default="all of them")] = (),
    rule: Annotated[tuple[str, ...], Option(group=ANALYSIS, default="every one of all runs")] = (),
    groups: Annotated[Path | None, Option(group=DATA)] = None,
    respondents: Annotated[tuple[int, ...], Option(group=DATA)] = (),
    regions: Annotated[bool, Option(group=ANALYSIS, only_on=True)] = False,
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

    With --regions, one table of statements (columns respondent, country) is looked through for reversals: an attribute
    and its opposite said of one group, or two groups of an axis of which one attribute is said, one side of which leads
    in one region and the other in the other; both must be clear after correction over all comparisons.

    \b
    Examples:
      endoxa compare out/plain out/careful -o out/careful.html
      endoxa compare out/c#baseline out/c#careful -o out/careful.html
      endoxa compare out/a out/b out/c -o out/three.html --items out/changed.csv
      endoxa compare out/profiles-a out/profiles-b -o out/stories.html
      endoxa compare out/before out/after -o out/studies.html
      endoxa compare survey2024.csv survey2026.csv -o changes.html --groups groups.csv
      endoxa compare pairs-v1.csv pairs-v2.csv -o pairs.html
      endoxa compare statements.csv --regions --groups groups.csv -o reversals.csv

    Options:
        paths: Finished run folders, or folders of studies, the first of which is what the others are compared with; or
            two tables (statements, associations, a campaign's pairs.csv, sets of pairs) or release folders.
        out: File to write: .html (page) or .csv (every change); of runs also .json, of tables also .tsv, .jsonl and
            .parquet; repeatable.
        items: Of runs: also write the items that changed sides.
        model: Model, where runs hold several; repeatable.
        rule: Scoring rule of pairs or protocol of questions; repeatable.
        groups: Of tables: groups of attributes (`endoxa curate group`), used for both.
        respondents: Number of respondents of each table, where tables only count (give it twice).
        regions: Of one table: find stereotypes that are turned round between two regions.
    """  # noqa: D301
    from endoxa.study.compare.results import Comparison, require_suffix
    from endoxa.study.compare.run import compare as contrast
    from endoxa.study.compare.run import compare_studies
    from endoxa.study.file import ASSOCIATIONS, FILE

    studies = any((path / FILE).is_file() for path in paths)
    if studies and rule:
        raise UserError("--rule is for runs of one instrument. Leave it out for studies.")
    if not studies and any(map(_is_table, paths)):
        return _compare_tables(
            paths, out, regions, groups=groups, respondents=respondents, confidence=confidence
        )
    for path in out:
        require_suffix(path, Comparison.suffixes)
    kept = (FILE, ASSOCIATIONS) if studies else (RUN, RECORDS)
    require_apart([*out, items], [path / name for path in paths for name in kept])
    comparison = (
        compare_studies(paths, model, confidence)
        if studies
        else contrast(*paths, model=model, rule=rule, confidence=confidence)
    )
    for path in out:
        comparison.save(path)
    written = [path for path in (*out, items) if path is not None]
    ending = [_written(written)] if written else []
    return Outcome([comparison.sentence, comparison.headline(), *ending], {"items": comparison.items})


def _compare_tables(
    paths: Sequence[Path],
    out: Sequence[Path],
    regions: bool,
    *,
    groups: Path | None,
    confidence: float,
    respondents: Sequence[int],
) -> Outcome:
    """The branch of `endoxa compare` for surveys, associations, sets of pairs, releases, and regions of one table.

    Raises:
        UserError: the tables cannot be compared.
    """
    from endoxa.report.frame import write_page
    from endoxa.study.compare.editions.comparison import compare_editions
    from endoxa.study.compare.editions.reversals import find_reversals
    from endoxa.study.compare.editions.sets import compare_sets, is_set

    if not out:
        raise UserError("Missing --out. Name a file for the comparison of the tables: .html or .csv.")
    if regions and len(paths) > 1:
        raise UserError("--regions looks through one table. Name one.")
    require_apart(out, [path for path in paths if path.is_file()])
    for path in out:
        if regions:
            require_table_name(path)
        elif path.suffix.lower() not in (".html", *WRITTEN_SUFFIXES):
            raise UserError(
                f"--out: '{path}' has an unknown file type. Expected .html, {', '.join(WRITTEN_SUFFIXES)}."
            )
    if regions:
        made = find_reversals(paths[0], groups=groups, confidence=confidence)
    elif all(map(is_set, paths)):
        made = compare_sets(list(paths))
    else:
        made = compare_editions(list(paths), groups=groups, respondents=respondents, confidence=confidence)
    note(*made.notes)
    for path in out:
        if made.page is not None and path.suffix.lower() == ".html":
            write_page(made.page, path)
        else:
            write_table(made.changes, path)
    return Outcome([*made.sentences, _written(out)])


def _is_table(path: Path) -> bool:
    """Whether this is a table or a release folder, not a run."""
    table = path.suffix in (*WRITTEN_SUFFIXES, ".xlsx") or path.is_file()
    return table or (path.is_dir() and not (path / RUN).is_file())


def _written(paths: Sequence[Path]) -> str:
    return f"Written: {', '.join(map(str, paths))}"
