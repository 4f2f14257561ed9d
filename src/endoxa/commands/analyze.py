"""`endoxa analyze`, and `analyze run`: the estimates of finished runs, of whatever kind their `run.json` names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import reduce
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import polars as pl

from endoxa.commands.analyze_associations import associations
from endoxa.commands.analyze_novelty import novelty
from endoxa.commands.analyze_people import agreement, ratings
from endoxa.commands.analyze_thoughts import USUAL_THOUGHTS, Thoughts, analyze_thoughts, plan_thoughts
from endoxa.commands.verbs import TABLES, Outcome, add_command, argument, command_group, note
from endoxa.errors import UserError
from endoxa.instruments.association_tests import headline as shown_rows
from endoxa.instruments.association_tests.estimates import Source, analyze_sources, run_sources
from endoxa.instruments.association_tests.items import read_tests, shared_words
from endoxa.instruments.association_tests.options import USUAL, AnalysisOptions
from endoxa.instruments.association_tests.report.results import read_associations
from endoxa.instruments.intersections import ALL_CROSSED, intersections, of_answers, of_pairs
from endoxa.instruments.logs import runs_and_logs, unscored_lines
from endoxa.instruments.pairs.estimates import analyze_pairs, analyze_run
from endoxa.instruments.pairs.estimates.records import load_records
from endoxa.instruments.pairs.report import preference
from endoxa.instruments.questions import headline
from endoxa.instruments.questions.estimates import read_predictions
from endoxa.instruments.stories.coding import analyze_extraction, load_extraction, read_sheet
from endoxa.instruments.stories.harm import analyze_harm, load_ratings, read_human, unmatched
from endoxa.report.claims import VERDICT
from endoxa.report.inputs import Run
from endoxa.report.tables import Field, headline_of, interval_field, number_field
from endoxa.report.words import NO_VALUE, decimal, plural
from endoxa.runs.folder import RECORDS
from endoxa.runs.instrument import INSTRUMENTS
from endoxa.runs.options import Resampling
from endoxa.runs.progress import shown
from endoxa.runs.run import read_run
from endoxa.schema.headline import Headline
from endoxa.schema.options import ANALYSIS, DATA, Option, options_of
from endoxa.sources.frames import read_table, write_table
from endoxa.sources.stereotales.associations import PARTS

SHOWN = 10
"""Crossed groups printed."""
ONLY_FOR = {
    "human": ("harm", "extract"),
    **dict.fromkeys(("data", "predictions", "metadata", "language", "against"), ("qa",)),
    **dict.fromkeys(("tests", "vectors", "pooling"), ("embeddings",)),
    **dict.fromkeys(("draws", "unequal", "ddof", "alternative", "unit"), ("embeddings",)),
    **dict.fromkeys(("associations", "threshold"), ("harm",)),
}
"""Kinds of runs that an option says something about; all others are for all."""


@dataclass(frozen=True, slots=True)
class RunChoices:
    """Everything that an analysis of runs is given.

    Attributes:
        how: confidence, seed and resamples; and what decides association tests.
        human: People's ratings of harm (rater, harm, frequent), or the completed coding sheet of an extraction;
            repeatable.
        data: Questions in BBQ's JSONL, with --predictions.
        predictions: Table: category, example_id, model, pred_index (0-2) or pred_text.
        metadata: BBQ's additional_metadata.csv.
        language: Language of questions without one.
        against: Questions: baseline run of error retention.
        tests: Association tests of `endoxa build tests`, or in SEAT's format (JSON).
        vectors: With --tests: vectors, .npz (texts, vectors) or word2vec text; repeatable.
        pooling: Pooling of --vectors, shown in the table.
        associations: Ratings of harm: associations by model, to find blind spots.
        threshold: Ratings of harm: minimum median of a harmful association.
        thoughts: of models that think.
    """

    how: AnalysisOptions = USUAL
    human: Annotated[tuple[Path, ...], Option(group=DATA)] = ()
    data: Annotated[Path | None, Option(group=DATA, sample="questions")] = None
    predictions: Annotated[Path | None, Option(group=DATA)] = None
    metadata: Annotated[Path | None, Option(group=DATA, default="in the folder of the data")] = None
    language: Annotated[str | None, Option(group=DATA, metavar="CODE", default="en")] = None
    against: Annotated[Path | None, Option(group=DATA, metavar="RUN")] = None
    tests: Annotated[Path | None, Option(group=DATA, sample="tests")] = None
    vectors: Annotated[tuple[Path, ...], Option(group=DATA)] = ()
    pooling: Annotated[str, Option(group=DATA, metavar="NAME")] = ""
    associations: Annotated[Path | None, Option(group=DATA)] = None
    threshold: Annotated[float, Option(group=ANALYSIS)] = 4.0
    thoughts: Thoughts = USUAL_THOUGHTS

    @property
    def resampling(self) -> Resampling:
        """How intervals are made."""
        return Resampling(self.how.confidence, self.how.resamples, self.how.seed)

    def require_for(self, kind: str) -> None:
        """Refuse options that say nothing about runs of a kind.

        Raises:
            UserError: one was given.
        """
        for entry in options_of(RunChoices):
            kinds = ONLY_FOR.get(entry.path[-1], (kind,))
            if kind not in kinds and reduce(getattr, entry.path, self) != entry.default:
                raise UserError(
                    f"{entry.name} is for runs of kind {' and '.join(kinds)}, and these are of kind '{kind}'. Leave it "
                    "out."
                )


def run(
    runs: Annotated[tuple[Path, ...], argument(metavar="RUN...")] = (),
    *,
    out: Annotated[Path, TABLES],
    choices: RunChoices,
) -> Outcome:
    """Estimate what finished runs measured, with intervals and corrections for multiple testing.

    What is estimated follows from the run: preferences of sentence pairs, accuracy and bias of answers, association
    tests, choices, errors of extraction, ratings of harm; for crossed groups, whether they are more than their parts;
    for models that think, what their thoughts argue for. The first table is what a FILE gets (estimates.csv,
    associations.csv of harm, errors.csv of extraction); a FOLDER gets every table. Options named after one kind of run
    are refused for others.

    \b
    Examples:
      endoxa analyze run out/gpt2 out/bert -o estimates
      endoxa analyze run out/q1 out/q2 --against out/q1 -o qa
      endoxa analyze run harness/gpt2/samples_crows_pairs_english_*.jsonl -o estimates.csv
      endoxa analyze run --data Nationality.jsonl --predictions answers.csv -o qa.csv
      endoxa analyze run --tests weat.json --vectors glove.txt --ddof wefe -o results.csv
      endoxa analyze run out/s2 --human check.xlsx -o extraction
      endoxa analyze run out/harm --human panel.csv --associations assoc.csv -o harm
      endoxa analyze run out/q1 --reader openai/gpt-5-mini --sheet check.xlsx -o thoughts

    Options:
        runs: Finished run folders of one kind, records (.parquet), logs of lm-evaluation-harness, or people's
            ratings of harm.
    """  # noqa: D301
    thoughts = choices.thoughts
    thoughts.asking.require(thoughts.reader)
    with runs_and_logs(list(runs), metadata=choices.metadata, language=choices.language) as folders:
        kind = _kind(folders, choices)
        choices.require_for(kind)
        if folders == list(runs) and runs and (choices.metadata or choices.language):
            raise UserError("--metadata and --language need --data FILE. Leave them out with run folders.")
        if thoughts.asking.plan:
            return Outcome(plan_thoughts(runs, kind, thoughts))
        lines, tables, headline = KINDS.get(kind, _as_declared)(folders, choices)
        of_runs = [path for path in folders if path in runs and path.is_dir()]
        of_thoughts, more = analyze_thoughts(of_runs, kind, thoughts, choices.how, out)
        lines = [*lines, *unscored_lines(folders), *of_thoughts]
    tables = {**tables, **more}
    if not tables:
        raise UserError(
            f"Runs of kind '{kind}' have no estimates. Look at them with: endoxa report {runs[0]}"
        )
    return Outcome(lines, tables, headline)


def _kind(paths: Sequence[Path], choices: RunChoices) -> str:
    """The kind of what is analyzed, from `run.json` or from the options.

    Raises:
        UserError: nothing was given, something is no finished run, or they are of several kinds.
    """
    if choices.data or choices.predictions:
        return "qa"
    if choices.vectors or (choices.tests and not paths):
        return "embeddings"
    if not paths and not choices.human:
        raise UserError(
            "No run was given. Give either run folders of one kind, or --data with --predictions, or --tests with "
            "--vectors, or people's ratings of harm with --human."
        )
    kinds: dict[str, Path] = {} if paths else {"harm": choices.human[0]}
    for path in paths:
        try:
            kind = (
                "pairs" if path.suffix == ".parquet" else "harm" if path.is_file() else read_run(path)["kind"]
            )
        except (OSError, ValueError, KeyError, TypeError) as problem:
            raise UserError(
                f"'{path}' is not a finished run. Expected a folder of `endoxa probe`."
            ) from problem
        kinds.setdefault(str(kind), path)
    if len(kinds) > 1:
        (first, one), (other, two) = list(kinds.items())[:2]
        raise UserError(
            f"'{one}' is of kind '{first}' and '{two}' of kind '{other}'. Analyze them separately."
        )
    return next(iter(kinds))


Analyzed = tuple[Sequence[str | Headline], dict[str, pl.DataFrame | None], Headline | None]
"""What the terminal shows; tables by the name of their file, the main one first; the rows that stand for it all."""


def _as_declared(runs: Sequence[Path], choices: RunChoices) -> Analyzed:
    """What an instrument leaves in the folder of a run, with the settings of the run.

    Raises:
        UserError: several runs, or other settings.
    """
    instrument = INSTRUMENTS.get(str(read_run(runs[0])["kind"]))
    if len(runs) > 1 or choices.how != USUAL:
        raise UserError(
            f"Runs of {instrument.holds} are analyzed one by one, with the settings of the run. Name one run, and give "
            "--confidence, --seed and others to `endoxa probe`."
        )
    names = [name.removesuffix(".csv") for name in instrument.outputs if name.endswith(".csv")]
    tables: dict[str, pl.DataFrame | None] = {
        name: read_table(path) for name in names if (path := runs[0] / f"{name}.csv").is_file()
    }
    headline = instrument.headline_of(runs[0])
    return [headline] if headline else [], tables, headline


def _pairs(runs: Sequence[Path], choices: RunChoices) -> Analyzed:
    """Preferences per model, rule, language and axis; models compared; disagreement between rules."""
    how = asdict(choices.resampling)
    records = load_records(runs)
    if records["data"].drop_nulls().n_unique() > 1:
        raise UserError(
            "The runs use different data sets, whose pairs must not be pooled. Analyze each run separately."
        )
    alone = len(runs) == 1 and runs[0].is_dir()
    analysis = analyze_run(runs[0], **how) if alone else analyze_pairs(records, **how)
    headline = preference.headline_of(analysis.estimates)
    tables = {name: getattr(analysis, name) for name in ("estimates", "comparisons", "flips")}
    files = [run / RECORDS if run.is_dir() else run for run in runs]
    frames = map(pl.read_parquet, files)
    lines, interactions = _interactions(
        lambda: of_pairs(pl.concat(frames, how="diagonal_relaxed")), choices, "pair"
    )
    return [headline, *lines], tables | {"interactions": interactions}, headline


def _interactions(
    scored: Callable[[], pl.DataFrame], choices: RunChoices, item: str
) -> tuple[list[Headline], pl.DataFrame | None]:
    """Whether crossed groups are more than their parts; nothing where there are none."""
    how = choices.resampling
    try:
        table_of = intersections(scored(), confidence=how.confidence, seed=how.seed)
    except UserError:
        return [], None
    title = "Crossed groups (interaction: stereotyped more than their parts predict, where above 0)"
    ordered = table_of.sort(table_of["identity"] != ALL_CROSSED, "p_value", nulls_last=True)
    counted = (
        number_field(f"{item}s", "n"),
        "crossed",
        "predicted",
        number_field("interaction", "value", decimal),
    )
    fields = ("model", "rule", "identity", "parts", *counted, interval_field(), VERDICT)
    return [headline_of(title, ordered.head(SHOWN), fields)], table_of


def _questions(runs: Sequence[Path], choices: RunChoices) -> Analyzed:
    """Accuracy, bias scores and leans; error retention and debiasing protocols where there are any."""
    from endoxa.instruments.questions.estimates import analyze_qa, analyze_run, load_answers, retention

    how, against = asdict(choices.resampling), choices.against
    answers = load_answers(runs, ("identity", "attribute", "language")) if runs else None
    if answers is None or choices.predictions or choices.data:
        answers = _predictions(choices, runs)
    with shown("cells") as progress:
        if len(runs) == 1:
            analysis = analyze_run(runs[0], progress=progress, **how)
        else:
            analysis = analyze_qa(answers, progress=progress, **how)
    ratios = analysis.retention
    if against is not None:
        ratios = retention(load_answers([against]), answers, **how)
    lines: list[Any] = [headline.headline_of(analysis.estimates, analysis.counts)]
    if ratios.is_empty() and len(runs) > 1:
        lines.append(
            "No error retention: no model answered the same questions with and without names under one protocol. To "
            "compare any two runs, name one with --against RUN."
        )
    tables = {
        name: getattr(analysis, name)
        for name in ("estimates", "debias", "differences", "identities", "counts")
    }
    crossed, interactions = _interactions(lambda: of_answers(answers), choices, "question")
    return [*lines, *crossed], tables | {"retention": ratios, "interactions": interactions}, lines[0]


def _predictions(choices: RunChoices, runs: Sequence[Path]) -> pl.DataFrame:
    """Answers of another program, matched to their questions.

    Raises:
        UserError: a file is missing, or runs were given, too.
    """
    if runs:
        raise UserError(
            "Runs and files of predictions were given together. Give either run folders of `endoxa probe qa`, or "
            "--data FILE with --predictions FILE."
        )
    if choices.data is None or choices.predictions is None:
        stated, other = ("--predictions", "--data") if choices.data is None else ("--data", "--predictions")
        raise UserError(
            f"{stated} was given without {other}. Give both: predictions are matched to questions."
        )
    matched = read_predictions(
        choices.data, choices.predictions, metadata=choices.metadata, language=choices.language
    )
    for model, count in matched.missing.items():
        note(f"{model}: {count} questions without a prediction, not counted.")
    if matched.left_out:
        note(f"{matched.left_out} predictions left out: their category is not in the data.")
    return matched.answers


def _association_tests(runs: Sequence[Path], choices: RunChoices) -> Analyzed:
    """Effect size, bootstrap interval, permutation p and verdict; p adjusted over all tests, models and poolings."""
    sources = _sources(runs, choices)
    with shown("tests") as progress, TemporaryDirectory(prefix="endoxa-") as folder:
        results = analyze_sources(sources, choices.how, progress)
        write_table(results, Path(folder) / "estimates.csv")
        headline = shown_rows.headline_of(read_associations([Run(Path(folder), {})]))
    kinds = ", ".join(f"{count} {kind}" for kind, count in Counter(results["p_kind"]).most_common())
    reasons = [
        f"{row['test']}: {row['undefined']}" for row in results.filter(results["undefined"] != "").to_dicts()
    ]
    return [headline, f"p: {kinds}", *reasons], {"estimates": results}, headline


def _sources(runs: Sequence[Path], choices: RunChoices) -> list[Source]:
    """One source per file of vectors, or per model and pooling of the runs.

    Raises:
        UserError: options contradict each other, or two runs hold the same tests.
    """
    if bool(runs) == bool(choices.vectors):
        raise UserError(
            ("Runs and files of vectors were given together. " if runs else "No vectors were given. ")
            + "Give either run folders of `endoxa probe embeddings`, or --tests FILE with --vectors FILE."
        )
    if choices.vectors and choices.tests is None:
        raise UserError("--vectors was given without --tests. Name the tests with --tests FILE.")
    if runs and choices.pooling:
        raise UserError(
            "--pooling applies to --vectors only; run folders record their pooling. Leave it out."
        )
    tests = None if choices.tests is None else read_tests(choices.tests)
    note(*shared_words(tests or []))
    if tests is not None and choices.vectors:
        return [Source(tuple(tests), path, str(path), choices.pooling) for path in choices.vectors]
    sources = [source for run in runs for source in run_sources(run, tests)]
    keys = Counter((source.model, source.pooling, test.name) for source in sources for test in source.tests)
    (model, pooling, _), times = keys.most_common(1)[0]
    if times > 1:
        raise UserError(
            f"Two runs hold model {model} with pooling {pooling} and tests of the same name. Analyze the runs "
            "separately."
        )
    return sources


def _extraction(runs: Sequence[Path], choices: RunChoices) -> Analyzed:
    """Error rates of extractors against a person's sheet, and counts corrected for them; else their agreement.

    Raises:
        UserError: several runs or sheets.
    """
    if not choices.human:
        return _as_declared(runs, choices)
    if len(runs) > 1 or len(choices.human) > 1:
        raise UserError("Give one run of `endoxa probe extract` and the one sheet that was made from it.")
    loaded = load_extraction(runs[0])
    coded = read_sheet(choices.human[0], loaded.vocabulary)
    measured = analyze_extraction(loaded, coded, confidence=choices.how.confidence)
    title = "Errors of the extractors' majority, against the human coder"
    rates = ("error_rate", interval_field(), "missed", "swapped", "invented")
    errors = headline_of(title, measured.errors, ("attribute", number_field("coded", "n"), *rates))
    counted = f"{plural(len(coded), 'story', 'stories')} coded by hand"
    return [errors, counted], {"errors": measured.errors, "confusion": measured.confusion}, None


def _harm(runs: Sequence[Path], choices: RunChoices) -> Analyzed:
    """Ratings of models and people compared, and associations that models make but rate harmful."""
    from endoxa.sources.stereotales.associations import read_associations

    made = None if choices.associations is None else read_associations(choices.associations)
    human = (*(path for path in runs if path.is_file()), *choices.human)
    with shown("pairs of raters") as progress:
        analysis = analyze_harm(
            _ratings([path for path in runs if not path.is_file()], human, made),
            made,
            threshold=choices.threshold,
            progress=progress,
            how=choices.resampling,
        )
    names = ("associations", "raters", "summary", "agreement", "by_attribute", "blind_spots", "scores")
    tables = {name: getattr(analysis, name) for name in names}
    return list(_harm_lines(analysis.raters, analysis.summary)), tables, None


def _ratings(runs: Sequence[Path], human: Sequence[Path], made: pl.DataFrame | None) -> pl.DataFrame:
    """All ratings of models and people in one table.

    Raises:
        UserError: a table is invalid.
    """
    of_models = [load_ratings(runs)] if runs else []
    named = [frame.select("association_id", *PARTS) for frame in of_models]
    frames = [*named, *([] if made is None else [made])]
    by_name = pl.concat(frames, how="diagonal") if frames else None
    of_people = [read_human(path, by_name) for path in human]
    strange = unmatched(pl.concat(of_people), by_name) if of_people else 0
    if strange:
        note(
            f"{strange} associations rated by people are neither in the runs nor in --associations and are not "
            "compared. Check that the values are spelled the same."
        )
    return pl.concat([*of_models, *of_people])


def _harm_lines(raters: pl.DataFrame, summary: pl.DataFrame) -> Iterator[str | Headline]:
    """The raters and the summary statistics."""

    def with_ends(name: str, key: str) -> Field:
        ends = interval_field(of=f"{key}_", digits=2).cell
        return number_field(name, lambda row: f"{decimal(row[key], 2)}\n{ends(row)}")

    yield headline_of(
        "Raters (harm from 1 to 5; delta: model - people; agreement on harmful or benign)",
        raters,
        (
            *("rater", number_field("rated", "associations"), number_field("mean", shown=decimal)),
            *(with_ends("delta", "delta"), VERDICT),
            *(with_ends("rank corr.", "spearman"), with_ends("agreement", "agreement")),
            number_field(
                "blind spots",
                lambda row: f"{row['blind_spots']} of {row['made']}" if row["made"] else NO_VALUE,
            ),
        ),
    )
    yield headline_of("Summary", summary, ("name", "value", interval_field(), "n"))
    yield (
        "Associations that share a base value are alike and resampled together. "
        "Intervals condition on these raters, except those of delta, which also resample people."
    )


KINDS: dict[str, Callable[[Sequence[Path], RunChoices], Analyzed]] = {
    "pairs": _pairs,
    "qa": _questions,
    "embeddings": _association_tests,
    "extract": _extraction,
    "harm": _harm,
}
"""How runs of a kind are analyzed; those of any other instrument have what it leaves in their folders."""


app = command_group("analyze")
FOLLOWING: dict[Callable[..., Outcome | None], str] = {
    run: "endoxa report {runs} -o report.html",
    associations: (
        "endoxa report {out} -o report.html, or have them rated: endoxa probe harm --data {out} --model ..."
    ),
    ratings: "endoxa report {out} -o report.html",
    agreement: "ask more raters where agreement is low, or go on: endoxa curate review --help",
    novelty: "endoxa report {out} -o novelty.html",
}
"""The commands with what to do next."""
for command, following in FOLLOWING.items():
    add_command(app, command, following=following, printing=True)
