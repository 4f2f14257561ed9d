"""`endoxa compare` and `endoxa gate`: what changed between runs, or editions of data; is a candidate model worse?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from endoxa.commands.verbs import Outcome, argument, note
from endoxa.errors import UserError
from endoxa.runs.folder import RECORDS, RUN
from endoxa.runs.options import DEFAULT_CONFIDENCE, Confidence
from endoxa.schema.headline import Headline
from endoxa.schema.options import ANALYSIS, DATA, OUTPUT, Option
from endoxa.sources.files import require_apart
from endoxa.sources.frames import WRITTEN_SUFFIXES, require_table_name, write_table

if TYPE_CHECKING:
    from endoxa.study.compare.results import Result


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
    from endoxa.study.compare.results import Comparison
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
    kept = (FILE, ASSOCIATIONS) if studies else (RUN, RECORDS)
    _require_files(out, Comparison.suffixes, [path / name for path in paths for name in kept], items)
    comparison = (
        compare_studies(paths, model, confidence)
        if studies
        else contrast(*paths, model=model, rule=rule, confidence=confidence)
    )
    lines: list[str | Headline] = [comparison.sentence, comparison.headline()]
    lines += _saved(comparison, out, items)
    return Outcome(lines, {"items": comparison.items})


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


def _require_files(
    out: Sequence[Path], suffixes: tuple[str, ...], inputs: Sequence[Path], beside: Path | None = None
) -> None:
    """Refuse files to write before anything is computed."""
    from endoxa.study.compare.results import require_suffix

    for path in out:
        require_suffix(path, suffixes)
    require_apart([*out, beside], inputs)


def _saved(result: Result, out: Sequence[Path], beside: Path | None = None) -> list[str]:
    """Write a result, and say where; `beside` is written elsewhere."""
    for path in out:
        result.save(path)
    written = [*out, *([beside] if beside else [])]
    return [_written(written)] if written else []


def _written(paths: Sequence[Path]) -> str:
    return f"Written: {', '.join(map(str, paths))}"


@dataclass(frozen=True)
class Tests:
    """What a gate tests.

    Attributes:
        baseline: Finished run of the model in use.
        candidate: Finished run of the new model, same data.
        margin: Largest difference that is accepted, in the units of the measure (0.02: two points of a share).
        measure: Measure; repeatable. Pairs: preference_ratio. Questions: bias_ambig, bias_disambig, accuracy_ambig,
            accuracy_disambig, answered. Association tests: effect_size. Stories: strength, answered. Ratings of harm:
            harm_recognized, harmless_recognized, answered.
        axis: Axis, category or association test, a test each; repeatable. all: all items together, and nothing else.
        rule: Scoring rule of pairs or protocol of questions; repeatable.
        baseline_model: Model of the baseline run, where it holds several.
        candidate_model: Model of the candidate run, where it holds several.
        confidence: 1 minus the largest chance of a wrong pass, and of a wrong failure.
        most_left_out: Share of items that may have no score or readable answer in one of the runs; with more a test is
            undecided.
        human: People's ratings of harm (as for analyze run), with which ratings of harm are compared.
    """

    baseline: Annotated[Path, Option(group=DATA, metavar="RUN")]
    candidate: Annotated[Path, Option(group=DATA, metavar="RUN")]
    margin: Annotated[float, Option(group=ANALYSIS)]
    measure: Annotated[tuple[str, ...], Option(group=ANALYSIS, metavar="NAME", default="all of these")] = ()
    axis: Annotated[
        tuple[str, ...], Option(group=ANALYSIS, default="all items, and every axis with 6 identities or more")
    ] = ()
    rule: Annotated[
        tuple[str, ...], Option(group=ANALYSIS, default="every one of both runs, a test each")
    ] = ()
    baseline_model: Annotated[str | None, Option(group=DATA, metavar="MODEL")] = None
    candidate_model: Annotated[str | None, Option(group=DATA, metavar="MODEL")] = None
    confidence: Annotated[Confidence, Option(group=ANALYSIS)] = DEFAULT_CONFIDENCE
    most_left_out: Annotated[float, Option(group=ANALYSIS, metavar="SHARE")] = 0.1
    human: Annotated[Path | None, Option(group=DATA)] = None


def gate(
    *,
    tests: Tests,
    out: Annotated[tuple[Path, ...], Option(group=OUTPUT, short="-o")] = (),
) -> Outcome:
    """Decide whether a candidate model is worse than a baseline by more than a margin.

    Exit codes: 0 not worse by more than the margin, 1 worse, 4 undecided (the output says how many more items would
    decide), 2 error. Runs are paired by item; identities and attributes are both samples. Worse is further from the
    neutral value, on either side; for accuracies and the share answered, lower. It passes if every test passes. Runs
    over different data are refused, and runs with different settings, unless conditions may differ in them: the output
    says in which they do.

    \b
    Examples:
      endoxa gate --baseline out/a --candidate out/b --margin 0.02
      endoxa gate --baseline out/a --candidate out/b --margin 0.05 --axis all --axis age -o gate.json
      endoxa gate --baseline out/c#baseline --candidate out/c#careful --margin 0.05
      endoxa gate --baseline out/a --candidate out/b --margin 0.02 -o gate.json -o gate.md -o gate.xml
      endoxa gate --baseline out/q1 --candidate out/q2 --measure bias_ambig --margin 0.05 -o gate.json
      endoxa gate --baseline out/encoder-a --candidate out/encoder-b --margin 0.3
      endoxa gate --baseline out/s1-read --candidate out/s2-read --margin 0.05

    Options:
        out: Also write the decision: .json, .md (summary for a pull request), .xml (JUnit for CI: worse fails,
            undecided is skipped) or .html (page); repeatable.
    """  # noqa: D301
    from endoxa.study.compare.gate import gate as decide
    from endoxa.study.compare.results import Gate

    runs = [run / name for run in (tests.baseline, tests.candidate) for name in (RUN, RECORDS)]
    _require_files(out, Gate.suffixes, runs)
    decision = decide(**vars(tests))
    return Outcome([str(decision), *_saved(decision, out)], exit_code=decision.exit_code)
