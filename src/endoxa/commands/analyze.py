"""`endoxa analyze`: compute estimates from runs."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from endoxa.commands.analyze_associations import associations
from endoxa.commands.analyze_extraction import extraction
from endoxa.commands.analyze_harm import harm
from endoxa.commands.analyze_languages import languages
from endoxa.commands.analyze_people import agreement, disagreement, leniency, novelty, topics
from endoxa.commands.analyze_qa import qa
from endoxa.commands.analyze_tests import association_tests
from endoxa.commands.verbs import Group, Outcome, argument
from endoxa.runs.options import Resampling
from endoxa.schema.options import OUTPUT, Option

ANALYZE = Group(
    "analyze",
    "Estimate bias from runs, with confidence intervals and corrections for multiple testing.",
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
    from endoxa.instruments.pairs.estimates import analyze_pairs, analyze_run, load_records, write_estimates
    from endoxa.instruments.pairs.headline import headline_of

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
    write_estimates(analysis, out)
    headline = headline_of(analysis.estimates)
    return Outcome(
        (headline, *unanswered, f"{len(analysis.estimates)} estimates written to {out}"),
        {"comparisons": analysis.comparisons, "flips": analysis.flips},
        headline,
    )


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
ANALYZE.add(
    extraction,
    following="endoxa analyze associations {runs} -o associations.csv, and quote {out} beside it",
)
ANALYZE.add(harm, following="endoxa report {runs} RATINGS.csv -o report.html")
ANALYZE.add(languages, following="endoxa report RUN {out} -o report.html")
ANALYZE.add(languages, "overlap", "endoxa report RUN {out} -o report.html", hidden=True)  # its old name
ANALYZE.add(association_tests, "tests", "endoxa report {out} -o report.html")
ANALYZE.add(qa, following="endoxa report {runs} -o report.html")
ANALYZE.add(pairs, following="endoxa report {runs} -o report.html")
