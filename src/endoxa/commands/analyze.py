"""`endoxa analyze`: compute estimates from runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from endoxa.commands.analyze_associations import associations
from endoxa.commands.analyze_intersections import intersections
from endoxa.commands.analyze_novelty import novelty
from endoxa.commands.analyze_people import agreement, disagreement, leniency, topics
from endoxa.commands.analyze_qa import qa
from endoxa.commands.analyze_reversals import reversals
from endoxa.commands.analyze_stories import extraction, harm, languages
from endoxa.commands.analyze_thoughts import thoughts
from endoxa.commands.plugins import SUMMARIES
from endoxa.commands.verbs import Group, Outcome, argument, print_lines
from endoxa.instruments.association_tests.options import AnalysisOptions
from endoxa.runs.options import Resampling
from endoxa.schema.options import DATA, OUTPUT, Option
from endoxa.schema.terminal import terminal_table

if TYPE_CHECKING:
    import polars as pl
    from rich.table import Table

    from endoxa.instruments.association_tests.estimates import Source


ANALYZE = Group(
    "analyze",
    SUMMARIES["analyze"],
    printing=True,
)
app = ANALYZE.app


def pairs(
    runs: Annotated[
        tuple[Path, ...],
        argument(
            "Run folders, records (.parquet), or logs of lm-evaluation-harness or Inspect.", metavar="RUN..."
        ),
    ],
    *,
    out: Annotated[Path, Option("Estimates: .csv, .jsonl or .parquet.", OUTPUT, short="-o")],
    comparisons: Annotated[
        Path | None, Option("Also write paired comparisons between models.", OUTPUT)
    ] = None,
    flips: Annotated[Path | None, Option("Also write disagreement between rules.", OUTPUT)] = None,
    how: Resampling,
) -> Outcome:
    """Estimate preferences from records of sentence pairs: per model, rule, language and axis.

    \b
    Examples:
      endoxa analyze pairs out/gpt2 out/bert -o estimates.csv
      endoxa analyze pairs out/gpt2 -o estimates.csv --comparisons models.csv --flips flips.csv
      endoxa analyze pairs harness/gpt2/samples_crows_pairs_english_*.jsonl -o estimates.csv
      endoxa analyze pairs logs/*_pairs_*.eval -o estimates.csv
    """  # noqa: D301
    from endoxa.errors import UserError
    from endoxa.instruments.logs import runs_and_logs, unscored_lines
    from endoxa.instruments.pairs.estimates import analyze_pairs, analyze_run
    from endoxa.instruments.pairs.estimates.records import load_records
    from endoxa.instruments.pairs.report.preference import headline_of
    from endoxa.sources.frames import write_table

    with runs_and_logs(list(runs)) as folders:
        if len(folders) == 1 and folders[0].is_dir():
            analysis = analyze_run(folders[0], **asdict(how))
        else:
            records = load_records(folders)
            if records["data"].drop_nulls().n_unique() > 1:
                raise UserError(
                    "The runs use different data sets, whose pairs must not be pooled. Analyze each run separately."
                )
            analysis = analyze_pairs(records, **asdict(how))
        unanswered = unscored_lines(folders)
    write_table(analysis.estimates, out)
    headline = headline_of(analysis.estimates)
    return Outcome(
        (headline, *unanswered, f"{len(analysis.estimates)} estimates written to {out}"),
        {"comparisons": analysis.comparisons, "flips": analysis.flips},
        headline,
    )


def association_tests(
    runs: Annotated[
        tuple[Path, ...],
        argument("Run folders of `endoxa probe embeddings`.", metavar="RUN"),
    ] = (),
    *,
    out: Annotated[Path, Option("Results: .csv, .tsv, .jsonl or .parquet.", OUTPUT, table=True, short="-o")],
    definitions: Annotated[
        Path | None,
        Option(
            "Tests, from `endoxa build tests` or in SEAT's format (JSON).",
            DATA,
            name="--tests",
            sample="tests",
        ),
    ] = None,
    vectors: Annotated[
        tuple[Path, ...],
        Option("Vectors: .npz (texts, vectors) or word2vec text; repeatable.", DATA),
    ] = (),
    pooling: Annotated[str, Option("Pooling of the vectors, shown in the table.", DATA, metavar="NAME")] = "",
    settings: AnalysisOptions,
) -> Outcome:
    """Compute association tests (WEAT, SEAT): effect size, bootstrap interval, permutation p, verdict.

    Give run folders of `endoxa probe embeddings`, or tests (--tests) and files of vectors (--vectors). p-values are
    adjusted over all tests of the table, across models and poolings.

    \b
    Examples:
      endoxa analyze tests --tests tests.json --vectors vectors.npz -o results.csv
      endoxa analyze tests out/bert out/muril -o results.csv --unequal truncate
      endoxa analyze tests --tests weat.json --vectors glove.txt -o results.csv --ddof wefe
    """  # noqa: D301
    from endoxa.instruments.association_tests.estimates import analyze_sources
    from endoxa.runs.progress import shown
    from endoxa.sources.files import require_apart

    require_apart([out], [run / name for run in runs for name in ("estimates.csv", "run.json", "tests.json")])
    sources = _sources(runs, definitions, vectors, pooling)
    with shown("tests") as progress:
        results = analyze_sources(sources, settings, progress)
    return Outcome((*_lines(results), f"{len(results)} results written to {out}"), {"out": results})


def _lines(results: pl.DataFrame) -> Iterator[str | Table]:
    """The results; an undefined value is a dash, and reasons follow the table."""
    from rich.markup import escape

    from endoxa.report.claims import CHIPS, chip
    from endoxa.report.words import plural

    table = terminal_table(
        "Association tests (effect size above 0: X is closer to A, relative to B, than Y is)"
    )
    many = results.select("model", "pooling").n_unique() > 1
    if many:
        table.add_column("model", overflow="fold")
        table.add_column("pooling")
    table.add_column("test", overflow="fold")
    side = results["alternative"][0]
    p_name = "p" if side == "two-sided" else f"p ({side} only)"
    for name in ("texts", "effect", "interval", p_name, "adjusted p"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("verdict")
    for row in results.iter_rows(named=True):
        interval = "-" if row["low"] is None else f"{row['low']:.2f} to {row['high']:.2f}"
        table.add_row(
            *((escape(row["model"]), escape(row["pooling"])) if many else ()),
            escape(row["test"]),
            f"{row['n_x']}+{row['n_y']}",
            _number(row["value"], ".3f"),
            interval,
            _number(row["p_value"], ".4g"),
            _number(row["p_adjusted"], ".4g"),
            chip(row),
        )
    yield table
    if side != "two-sided":
        yield "One-sided test: an effect in the other direction cannot be shown, however large."
    kinds = Counter(results["p_kind"]).most_common()
    yield "p: " + ", ".join(f"{count} {kind}" for kind, count in kinds)
    for row in results.filter(results["undefined"] != "").iter_rows(named=True):
        yield f"{row['test']}: {row['undefined']}"
    for reason in results.filter(results["reason"] != "")["reason"].unique(maintain_order=True):
        alike = results.filter(reason=reason)
        yield f"{CHIPS[alike.item(0, 'verdict')]} ({plural(alike.height, 'result')}): {reason}"


def _number(value: float | None, form: str) -> str:
    return "-" if value is None else format(value, form)


def _sources(
    runs: Sequence[Path], definitions: Path | None, vectors: Sequence[Path], pooling: str
) -> list[Source]:
    """One source per file of vectors, or per model and pooling of the runs.

    Raises:
        UserError: options contradict each other, or two runs hold the same tests.
    """
    from endoxa.errors import UserError
    from endoxa.instruments.association_tests.estimates import Source, run_sources
    from endoxa.instruments.association_tests.items import read_tests, shared_words

    if bool(runs) == bool(vectors):
        raise UserError(
            ("Runs and files of vectors were given together. " if runs else "No vectors were given. ")
            + "Give either run folders of `endoxa probe embeddings`, or --tests FILE with --vectors FILE."
        )
    if vectors and definitions is None:
        raise UserError("--vectors was given without --tests. Name the tests with --tests FILE.")
    if runs and pooling:
        raise UserError(
            "--pooling applies to --vectors only; run folders record their pooling. Leave it out."
        )
    tests = None if definitions is None else read_tests(definitions)
    print_lines(shared_words(tests or []))
    if tests is not None and vectors:
        return [Source(tuple(tests), path, str(path), pooling) for path in vectors]
    sources = [source for run in runs for source in run_sources(run, tests)]
    seen: set[tuple[str, str, str]] = set()
    for source in sources:
        keys = {(source.model, source.pooling, test.name) for test in source.tests}
        if keys & seen:
            raise UserError(
                f"Two runs hold model {source.model} with pooling {source.pooling} and tests of the same name. "
                "Analyze the runs separately."
            )
        seen |= keys
    return sources


ANALYZE.add(
    agreement,
    following="ask more raters where agreement is low, or go on: endoxa curate review apply --help",
)
ANALYZE.add(
    associations,
    following="endoxa report {out} -o report.html, or have them rated: endoxa probe harm --data {out} --model ...",
)
ANALYZE.add(disagreement, following="endoxa report {out} -o disagreement.html")
ANALYZE.add(leniency, following="endoxa report {out} -o leniency.html")
ANALYZE.add(novelty, following="endoxa report {out} -o novelty.html")
ANALYZE.add(topics, following="endoxa report {out} -o topics.html")
ANALYZE.add(reversals)
ANALYZE.add(intersections)
ANALYZE.add(
    extraction,
    following="endoxa analyze associations {runs} -o associations.csv, and quote {out} beside it",
)
ANALYZE.add(harm, following="endoxa report {runs} RATINGS.csv -o report.html")
ANALYZE.add(languages, following="endoxa report RUN {out} -o report.html")
ANALYZE.add(languages, "overlap", "endoxa report RUN {out} -o report.html", hidden=True)  # its old name
ANALYZE.add(association_tests, "tests", "endoxa report {out} -o report.html")
ANALYZE.add(thoughts, following="quote {out} with the agreement of people on a sample: --sheet check.xlsx")
ANALYZE.add(qa, following="endoxa report {runs} -o report.html")
ANALYZE.add(pairs, following="endoxa report {runs} -o report.html")
