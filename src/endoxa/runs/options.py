"""Options that several commands share, what every run is asked, and options by keyword; nothing heavy is loaded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from annotated_types import Ge, Le
from pydantic import BaseModel, ConfigDict, model_validator

from endoxa.errors import UserError
from endoxa.schema.options import (
    ANALYSIS,
    DATA,
    LOCAL,
    MACHINES,
    OUTPUT,
    Internal,
    Option,
    OptionField,
    Setting,
    options_of,
)

DEFAULT_CONFIDENCE = 0.95
DEFAULT_RESAMPLES = 2000

IncludeDrafts = Annotated[
    bool,
    Setting(
        "Also use drafts of `endoxa author` that nobody has judged yet; rejected ones never are.",
        DATA,
    ),
]
Seed = Annotated[int, Ge(0), Le(2**31 - 1), Option("Seed of every random draw.", ANALYSIS)]
Confidence = Annotated[
    float, Ge(0.01), Le(0.999), Option("Confidence level of the intervals.", ANALYSIS, decides=False)
]
RunConfidence = Annotated[Confidence, Setting("Confidence level of the intervals.", ANALYSIS, decides=False)]
Resamples = Annotated[int, Ge(100), Option("Bootstrap samples per interval.", ANALYSIS, decides=False)]


class Settings(BaseModel):
    """Base of all settings: they never change, and a name that is not known is refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class RunSettings(Settings):
    """Settings that all runs share; `run.json` keeps them, and a run can be repeated from there.

    Attributes:
        models: Model; repeatable.
        languages: Use only items in this language; repeatable.
        limit: Use only the first N items.
        sample: Use a random sample of N items, stratified by what they have: language, axis, template, identity
            (--seed).
        include_drafts: also drafts in a table that nobody has judged.
        seed: Seed of every random draw.
        notice: what every page made from the run must say first ("planted models").
    """

    models: Annotated[tuple[str, ...], Option(group=DATA, name="--model", metavar="MODEL")] = ()
    languages: Annotated[tuple[str, ...], Option(group=DATA, name="--language", metavar="CODE")] = ()
    limit: Annotated[int | None, Ge(1), Option(group=DATA, metavar="N")] = None
    sample: Annotated[int | None, Ge(1), Option(group=DATA, metavar="N")] = None
    include_drafts: IncludeDrafts = False
    seed: Annotated[Seed, Option(group=ANALYSIS, decides="sample")] = 0
    notice: Annotated[str | None, Internal(decides=False)] = None

    @model_validator(mode="after")
    def _limit_or_sample(self) -> Self:
        if self.limit is not None and self.sample is not None:
            raise UserError(
                "--limit takes the first items and --sample a random part of all of them. Give only one of the two."
            )
        return self

    def asked(self) -> dict[str, Any]:
        """What decides estimates and report besides the records."""
        return {"seed": self.seed}


@dataclass(frozen=True, slots=True)
class Resampling:
    """How intervals are made.

    Attributes:
        confidence: confidence level.
        resamples: bootstrap samples.
        seed: everything drawn follows from it.
    """

    confidence: Confidence = DEFAULT_CONFIDENCE
    resamples: Resamples = DEFAULT_RESAMPLES
    seed: Seed = 0


@dataclass(frozen=True, slots=True)
class ReportOptions:
    """How a report is made, and what its tables and figures for a paper hold; tables as Markdown, LaTeX and CSV.

    Attributes:
        confidence: Confidence level of the intervals; not for association tests.
        seed: seed of the bootstrap.
        labels: Display names of models: table with columns model, label, provider, size (questions, stories).
        interval: Tables of pairs: which interval; t is for mean differences, over pairs.
        rules: Tables of pairs: only this rule; repeatable.
        transpose: Wide tables: rows and columns exchanged (pairs, questions, tests).
        caption: LaTeX: caption in place of ours.
        label: LaTeX: label; further tables get -2, -3 ...
        width: Figures for print with 8 pt text, as PDF, SVG and PNG (300 dpi): 85 mm (column) or 170 mm (page) wide.
        note: what every table says of its runs at the end.
    """

    confidence: Annotated[
        float | None, Ge(0.01), Le(0.999), Option(group=ANALYSIS, default=str(DEFAULT_CONFIDENCE))
    ] = None
    seed: Seed = 0
    labels: Annotated[Path | None, Option(group=OUTPUT)] = None
    interval: Annotated[Literal["identities", "wilson", "t"], Option(group=OUTPUT)] = "identities"
    rules: Annotated[tuple[str, ...], Option(group=OUTPUT, name="--rule", metavar="RULE")] = ()
    transpose: Annotated[bool, Option(group=OUTPUT, only_on=True)] = False
    caption: Annotated[str | None, Option(group=OUTPUT, metavar="TEXT")] = None
    label: Annotated[str | None, Option(group=OUTPUT, metavar="NAME")] = None
    width: Annotated[Literal["column", "page"] | None, Option(group=OUTPUT)] = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Allowed:
    """What a study file asks for and may only have because the command says it, too (`endoxa.schema.typed`).

    Attributes:
        models: Allow this model of the study file: needed where it is on a server of another machine, or where
            ENDOXA_SERVER_KEY is for its server; repeatable.
        trust_remote_code: Allow Python code that comes with a model.
        ray_address: Allow this Ray cluster of the study file.
        files: Allow this file of the study file: needed where it is not in the folder of the study; repeatable.
    """

    models: Annotated[tuple[str, ...], Option(group=DATA, name="--model", metavar="MODEL")] = ()
    trust_remote_code: Annotated[bool, Option(group=LOCAL, only_on=True)] = False
    ray_address: Annotated[str | None, Option(group=MACHINES, metavar="ADDRESS")] = None
    files: Annotated[tuple[Path, ...], Option(group=DATA, name="--file", metavar="FILE")] = ()


NOTHING_ALLOWED = Allowed()


@dataclass(frozen=True, slots=True)
class EngineOptions:
    """Where local weights run; no number depends on it.

    Attributes:
        engine: Compute on this machine, or on a Ray cluster.
        ray_address: Ray cluster: auto, HOST:PORT or ray://HOST:10001.
        workers: With --set engine=ray: copies of each model.
        num_gpus: With --set engine=ray: GPUs of each copy, such as 0.5.
    """

    engine: Annotated[Literal["local", "ray"], Setting(group=MACHINES, decides=False)] = "local"
    ray_address: Annotated[
        str | None, Setting(group=MACHINES, metavar="ADDRESS", default="one on this machine", decides=False)
    ] = None
    workers: Annotated[
        int | None, Ge(1), Setting(group=MACHINES, default="one per GPU, else one per machine", decides=False)
    ] = None
    num_gpus: Annotated[
        float | None, Ge(0), Setting(group=MACHINES, metavar="X", default="1 if any", decides=False)
    ] = None


def keywords(owner: Any) -> dict[str, OptionField]:
    """Options by keyword: as the command spells them, and by the names of their fields ("rule", "rules")."""
    options = options_of(owner)
    return {option.path[-1]: option for option in options} | {option.word: option for option in options}


def keyword_of(option: OptionField, options: Mapping[str, OptionField]) -> str:
    """The name of an option's field; the word of the command where another option has that name."""
    field = option.path[-1]
    if options[field].path == option.path:
        return field
    return next(word for word, other in options.items() if other.path == option.path)


def nearest(word: str, choices: Mapping[str, Any]) -> str:
    """A question to put behind "There is no option ...": did you mean the nearest one? Empty where none is near."""
    near = get_close_matches(word, choices, n=1)
    return f" Did you mean '{near[0]}'?" if near else ""


def values_by_path(owner: Any, arguments: Mapping[str, Any]) -> dict[tuple[str, ...], Any]:
    """Values by the path of their setting, as `endoxa.schema.options.settings_from` takes them.

    Raises:
        TypeError: an option is not known.
    """
    options = keywords(owner)
    values: dict[tuple[str, ...], Any] = {}
    for word, value in arguments.items():
        if word not in options:
            raise TypeError(f"There is no option '{word}'.{nearest(word, options)}")
        values[options[word].path] = as_setting(options[word], value)
    return values


def as_setting(option: OptionField, value: Any) -> Any:
    """A value as the setting takes it: one word for several, a path for a text."""
    if getattr(option.type, "__origin__", None) is tuple:
        return (value,) if isinstance(value, str | Path) else value
    return str(value) if isinstance(value, Path) and option.type is not Path else value
