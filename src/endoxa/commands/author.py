"""`endoxa author KIND`: drafts by models, for people to judge."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, make_dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from annotated_types import Ge

from endoxa.author import settings as kinds
from endoxa.author.drafting import Outcome as Drafted
from endoxa.author.drafting import draft, is_service, prompt_components
from endoxa.author.kinds import KINDS as PROMPTED
from endoxa.author.run import plan
from endoxa.author.settings import AuthorSettings, TranslateSettings
from endoxa.author.tables import headline
from endoxa.commands.verbs import Outcome, argument, note, plan_line
from endoxa.errors import UserError
from endoxa.report.words import plural
from endoxa.runs.asking.cost import plan_table
from endoxa.runs.asking.outcomes import answer_warnings, read_counts
from endoxa.runs.asking.run import asking_lines
from endoxa.runs.progress import shown
from endoxa.schema.options import OUTPUT, Option, options_of, settings_from
from endoxa.sources.source import reading_files
from endoxa.words.state import unreviewed

PRINTING = True
"""It has --quiet and --json."""
NOTICE = "Content notice: drafts by language models, some of them offensive; nobody has judged them yet."


@dataclass(frozen=True, slots=True)
class Drafting:
    """Where drafts go.

    Attributes:
        out: Drafts: .csv, .tsv, .jsonl or .parquet. Answers go to STEM_run beside it.
        plan: Only print what the run would take; ask nothing.
        restart: Discard earlier answers, or continue.
    """

    out: Annotated[Path | None, Option(group=OUTPUT, short="-o")] = None
    plan: Annotated[bool, Option(group=OUTPUT, only_on=True)] = False
    restart: Annotated[bool, Option(group=OUTPUT, name="--restart/--resume", default="resume")] = False


KINDS: Mapping[str, type[AuthorSettings]] = {
    "tuples": kinds.TuplesSettings,
    "sentences": kinds.SentencesSettings,
    "expand": kinds.ExpandSettings,
    "counter": kinds.CounterSettings,
    "translate": kinds.TranslateSettings,
    "label": kinds.LabelSettings,
}
"""Settings of each kind of drafts; `AuthorSettings` has what they share."""


def _options_of_kind() -> Iterator[tuple[str, Any, Any]]:
    """The options that only one kind has, none of them required: the kind says which it needs."""
    for kind, settings in KINDS.items():
        for entry in options_of(settings):
            name = entry.path[0]
            if name in AuthorSettings.model_fields:
                continue
            default = entry.option.default or ("" if entry.default in (..., None, ()) else str(entry.default))
            option = replace(entry.option, help=f"{kind}: {entry.option.help}", default=default, parse=None)
            limits = [Ge(entry.limits["ge"])] if "ge" in entry.limits else []
            hint: Any = entry.type | None
            for extra in (*limits, option):
                hint = Annotated[hint, extra]
            yield name, hint, None


if TYPE_CHECKING:
    KindOptions = Any
else:
    KindOptions = make_dataclass(
        "KindOptions",
        [(name, hint, field(default=default)) for name, hint, default in _options_of_kind()],
        frozen=True,
        kw_only=True,
    )


def author(
    kind: Annotated[str, argument(metavar="KIND")],
    data: Annotated[Path, argument(sample="associations")],
    *,
    settings: AuthorSettings,
    of_kind_options: KindOptions,
    how: Drafting,
) -> Outcome:
    """Have language models write drafts for people to judge.

    \b
    KIND says what is drafted, from which columns of FILE:
      tuples     attributes that people ascribe to groups (identity)
      sentences  natural sentences for tuples, each with a minimally different partner (identity, attribute)
      expand     further stereotypes of a country, after the pattern of your own (identity, attribute)
      counter    a favourable counter-narrative for each stereotype (stereotype, or identity and attribute)
      translate  translations of both sentences of pairs by several engines (sent_more, sent_less)
      label      one label for each row from a closed list: topics, sentiment, or your own

    Tuples that differ in form only are united. What your data has already, denials, and sentences that do not differ
    minimally are left out and counted, with the reason. People judge tuples in the room of votes of a campaign,
    translations in that of translations (`endoxa collect import CAMP FILE --task votes`); `endoxa curate review` takes
    over what they decided. label --sheet writes a sample for a person to label; `endoxa analyze agreement` compares.
    Sources: IndiBias 4.1 and 4.2, AfriStereo 3.4 and B.1 to B.3, LACES 4.1 and 5.1.

    \b
    Examples:
      endoxa author tuples identities.csv --model openai/gpt-4o-mini --plan
      endoxa author tuples identities.csv --model hf/smollm2 --per-identity 10 -o out/tuples.csv
      endoxa author sentences tuples.csv --model openai/gpt-4o-mini --register dialogue --contrast attribute -o s.csv
      endoxa author expand pairs.csv --model openai/gpt-4o-mini --country Nigeria --axis ethnicity -o drafts.csv
      endoxa author counter pairs.csv --model openai/gpt-4o-mini -o counter.csv
      endoxa author translate pairs.csv --to hi --model openai/gpt-4o-mini --model table:ours.csv -o candidates.csv
      endoxa author label attributes.csv --scheme topics --model openai/gpt-4o-mini --repeats 3 -o topics.csv

    Options:
        kind: tuples, sentences, expand, counter, translate or label.
        data: Table that the drafts are made from.
    """  # noqa: D301
    if kind not in KINDS:
        raise UserError(f"There is no kind of drafts '{kind}'. Expected one of: {', '.join(KINDS)}.")
    of_kind = _settings_of(kind, data, settings, of_kind_options)
    if isinstance(of_kind, TranslateSettings):
        services = tuple(engine for engine in of_kind.models if is_service(engine))
        models = tuple(engine for engine in of_kind.models if not is_service(engine))
        of_kind = of_kind.model_copy(update={"models": models, "services": services})
    if how.plan:
        return Outcome(_plan(kind, of_kind))
    if how.out is None:
        raise UserError("No table was given: name one with -o (or look at --plan).")
    with shown("answers") as progress:
        drafted = draft(kind, of_kind, how.out, restart=how.restart, progress=progress, command=sys.argv)
    return _drafted(kind, drafted)


def _settings_of(kind: str, data: Path, settings: AuthorSettings, of_kind_options: Any) -> AuthorSettings:
    """The settings of a kind: what was given of those that all share, and of its own.

    Raises:
        UserError: an option that it needs is missing, or one of another kind was given.
    """
    fields = KINDS[kind].model_fields
    chosen = {name: value for name, value in asdict(of_kind_options).items() if value is not None}
    names = {entry.path[0]: entry.name for each in KINDS.values() for entry in options_of(each)}
    for name in chosen.keys() - fields.keys():
        raise UserError(f"{names[name]} is not for drafts of kind '{kind}'. Leave it out.")
    for name, entry in fields.items():
        if entry.is_required() and name not in chosen:
            raise UserError(f"Drafts of kind '{kind}' need {names[name]}.")
    values: dict[tuple[str, ...], Any] = {
        (name,): getattr(settings, name) for name in settings.model_fields_set - {"sampling"}
    }
    usual, of_kind = AuthorSettings.model_fields["sampling"].default, fields["sampling"].default
    for name, value in asdict(settings.sampling).items():
        values["sampling", name] = getattr(of_kind, name) if value == getattr(usual, name) else value
    return settings_from(
        KINDS[kind], values | {(name,): value for name, value in chosen.items()} | {("data",): str(data)}
    )


def _plan(name: str, settings: AuthorSettings) -> Iterator[Any]:

    if isinstance(settings, TranslateSettings) and settings.services:
        note(f"Not in this plan, since they are no chat models: {', '.join(settings.services)}.")
        if not settings.models:
            return
    with reading_files(include_drafts=settings.include_drafts):
        yield plan_line(plan_table(plan(PROMPTED[name], settings)))
    if line := unreviewed(prompt_components(settings).items()):
        yield line


def _drafted(name: str, drafted: Drafted) -> Outcome:
    """What came of it: a table by model, files, and what to do next."""
    made, shown = drafted.made, headline(drafted.made.yields)
    if drafted.run is not None:
        warnings = answer_warnings(read_counts(drafted.run.folder), drafted.run.facts)
        shown = replace(shown, warnings=warnings)
    counts = {"drafts": made.drafts.height, "left_out": made.left_out.height}
    facts = {"kind": name, "counts": counts, "headline": [dict(row) for row in shown.rows]}
    table, *others = drafted.written
    also = ", ".join(str(path) for path in others)
    room = {"tuples": "votes", "translate": "translation", "sentences": "pairs"}.get(name)
    following = f"endoxa report {table} -o {table.with_suffix('.html')}"
    if room:
        following = f"endoxa collect import CAMPAIGN {table} --task {room}"
    return Outcome(
        (
            shown,
            *(asking_lines(drafted.run) if drafted.run is not None else ()),
            *([f"Of a part of the data: {drafted.part}."] if drafted.part else []),
            f"{plural(made.drafts.height, 'draft')} written to {table}; also {also}",
            NOTICE,
            f"Next: {following}",
        ),
        facts=facts | ({"warnings": list(shown.warnings)} if shown.warnings else {}),
    )
