"""The commands of `endoxa author`: drafts by models, and what people said of them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from endoxa.author.settings import (
    AdaptSettings,
    AuthorSettings,
    CounterSettings,
    ExpandSettings,
    LabelSettings,
    SentencesSettings,
    TranslateSettings,
    TuplesSettings,
)
from endoxa.commands.plugins import SUMMARIES
from endoxa.commands.verbs import Group, Outcome, argument, note, plan_lines
from endoxa.errors import UserError
from endoxa.report.words import plural
from endoxa.schema.options import OUTPUT, Option

if TYPE_CHECKING:
    from endoxa.author.drafting import Outcome as Drafted

NOTICE = "Content notice: drafts by language models, some of them offensive; nobody has judged them yet."


@dataclass(frozen=True, slots=True)
class Drafting:
    """Options of every command that drafts.

    Attributes:
        out: the table of drafts.
        plan: only print what the run would take.
        restart: discard earlier answers.
    """

    out: Annotated[
        Path | None,
        Option(
            "Drafts: .csv, .tsv, .jsonl or .parquet. Answers go to STEM_run beside it.", OUTPUT, short="-o"
        ),
    ] = None
    plan: Annotated[
        bool, Option("Only print what the run would take; ask nothing.", OUTPUT, only_on=True)
    ] = False
    restart: Annotated[
        bool,
        Option("Discard earlier answers, or continue.", OUTPUT, name="--restart/--resume", default="resume"),
    ] = False


def _file(text: str, sample: str = "associations") -> Option:
    return argument(text, metavar="FILE", sample=sample)


def tuples(
    data: Annotated[Path, _file("Table with a column identity (axis, country, language if you have them).")],
    *,
    settings: TuplesSettings,
    how: Drafting,
) -> Outcome:
    """Have models name attributes that people ascribe to groups.

    Near-duplicates are united, each with the models that named it. People judge them in the room of votes of a campaign
    (`endoxa collect import CAMP FILE --task votes`). Source: IndiBias, 4.1.

    \b
    Examples:
      endoxa author tuples identities.csv --model openai/gpt-4o-mini --plan
      endoxa author tuples identities.csv --model openai/gpt-4o-mini --model mistral/mistral-small-latest -o tuples.csv
      endoxa author tuples identities.csv --model sim/author --per-identity 10 -o out/tuples.csv
    """  # noqa: D301
    return _author("tuples", data, settings, how)


def sentences(
    data: Annotated[Path, _file("Table with columns identity and attribute.")],
    *,
    settings: SentencesSettings,
    how: Drafting,
) -> Outcome:
    """Have models write natural sentences for tuples, each with a minimally different partner.

    The partner has another group of the same axis (column `contrast`, else drawn), or the opposite attribute. Minimal
    difference, number, and contradiction with the tuple are checked. Source: IndiBias, 4.2.2.

    \b
    Examples:
      endoxa author sentences tuples.csv --model openai/gpt-4o-mini -o sentences.csv
      endoxa author sentences tuples.csv --model sim/author --register dialogue --contrast attribute -o out/s.csv
    """  # noqa: D301
    return _author("sentences", data, settings, how)


def expand(
    data: Annotated[
        Path, _file("Your own pairs: columns identity and attribute; examples are drawn from them.")
    ],
    *,
    settings: ExpandSettings,
    how: Drafting,
) -> Outcome:
    """Have models write further stereotypes of a country, after the pattern of your own.

    Every row has six fields: group, country, category, attribute, stereotype, counter-stereotype. What your data has
    already, other countries and other categories are left out and counted. Source: AfriStereo, 3.4 and B.1 to B.3.

    \b
    Examples:
      endoxa author expand pairs.csv --model openai/gpt-4o-mini --country Nigeria --axis ethnicity -o drafts.csv
      endoxa author expand pairs.csv --model sim/author --country Nigeria --rows 300 --batch 50 -o out/drafts.csv
    """  # noqa: D301
    return _author("expand", data, settings, how)


def counter(
    data: Annotated[Path, _file("Table with stereotype or sent_more, or with identity and attribute.")],
    *,
    settings: CounterSettings,
    how: Drafting,
) -> Outcome:
    """Have models write a favourable counter-narrative for each stereotype.

    Mere denials and sentences that nearly repeat the stereotype are left out and counted. Source: AfriStereo, B.3.

    \b
    Examples:
      endoxa author counter pairs.csv --model openai/gpt-4o-mini -o counter.csv
    """  # noqa: D301
    return _author("counter", data, settings, how)


def adapt(
    data: Annotated[Path, _file("Pairs with columns sent_more and sent_less, such as CrowS-Pairs.", "")],
    *,
    settings: AdaptSettings,
    how: Drafting,
) -> Outcome:
    """Have models say which published pairs fit a society, and adapt them: keep, adapt or drop, with a reason.

    Both sentences must change in the same way. Source: IndiBias, 4.2.1 and 4.3.

    \b
    Examples:
      endoxa author adapt crows_pairs.csv --context senegal.toml --model openai/gpt-4o-mini -o adapted.csv
    """  # noqa: D301
    return _author("adapt", data, settings, how)


def translate(
    data: Annotated[Path, _file("Pairs with columns sent_more and sent_less.", "")],
    *,
    settings: TranslateSettings,
    how: Drafting,
) -> Outcome:
    """Have several engines translate both sentences of pairs, for people to choose.

    The table goes to the room of translations (`endoxa collect import CAMP FILE --task translation`), where nobody sees
    which engine said what. Pairs that became identical or less minimal are marked. Source: IndiBias, 4.2.1.

    \b
    Examples:
      endoxa author translate pairs.csv --to hi --engine openai/gpt-4o-mini --engine table:ours.csv -o candidates.csv
      endoxa author translate pairs.csv --to hi --engine sim/translator-a --engine sim/translator-b -o out/c.csv
    """  # noqa: D301
    from endoxa.author.drafting import is_service

    services = tuple(engine for engine in settings.models if is_service(engine))
    models = tuple(engine for engine in settings.models if not is_service(engine))
    return _author(
        "translate", data, settings.model_copy(update={"models": models, "services": services}), how
    )


def label(
    data: Annotated[Path, _file("Table with what is labelled.")],
    *,
    settings: LabelSettings,
    how: Drafting,
) -> Outcome:
    """Have models give each row one label from a closed list: topics, sentiment, or your own.

    The label of most votes counts. --sheet writes a random sample for a person to label; `endoxa author kappa`
    compares. Source: LACES, 4.1 and 5.1.

    \b
    Examples:
      endoxa author label attributes.csv --scheme topics --model openai/gpt-4o-mini --repeats 3 -o topics.csv
      endoxa author label attributes.csv --scheme sentiment --model sim/author --sheet check.csv -o out/sentiment.csv
    """  # noqa: D301
    return _author("label", data, settings, how)


def _author(name: str, data: Path, options: AuthorSettings, how: Drafting) -> Outcome:
    """Plan, or ask, and write the drafts."""
    settings = options.model_copy(update={"data": str(data)})
    if how.plan:
        return Outcome(_plan(name, settings))
    if how.out is None:
        raise UserError("No table was given: name one with -o (or look at --plan).")
    from endoxa.author.drafting import draft
    from endoxa.runs.progress import shown

    with shown("answers") as progress:
        drafted = draft(name, settings, how.out, restart=how.restart, progress=progress, command=sys.argv)
    return _drafted(name, drafted)


def _plan(name: str, settings: AuthorSettings) -> Iterator[Any]:
    from endoxa.author.drafting import prompt_components
    from endoxa.author.kinds import KINDS
    from endoxa.author.run import plan
    from endoxa.runs.asking.cost import plan_table
    from endoxa.sources.source import reading_files
    from endoxa.words import unreviewed

    if isinstance(settings, TranslateSettings) and settings.services:
        note(f"Not in this plan, since they are no chat models: {', '.join(settings.services)}.")
        if not settings.models:
            return
    with reading_files(include_drafts=settings.include_drafts):
        yield from plan_lines(plan_table(plan(KINDS[name], settings)))
    if line := unreviewed(prompt_components(settings).items()):
        yield line


def _drafted(name: str, drafted: Drafted) -> Outcome:
    """What came of it: a table by model, files, and what to do next."""
    from endoxa.author.tables import headline
    from endoxa.runs.asking.outcomes import answer_warnings, read_counts
    from endoxa.runs.asking.run import asking_lines

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


def approve(
    drafts: Annotated[Path, argument("Table of drafts.", metavar="DRAFTS")],
    judged: Annotated[
        Path,
        argument("Outcomes of a room (*_items.csv), or a sheet with draft_id, approved.", metavar="JUDGED"),
    ],
    *,
    out: Annotated[Path, Option("Drafts with their new status.", OUTPUT, table=True, short="-o")],
) -> Outcome:
    """Give drafts the status that people decided on: approved, rejected, or still a draft.

    Words that people changed in a room are taken over.

    \b
    Examples:
      endoxa author approve tuples.csv votes_items.csv -o judged.csv
    """  # noqa: D301
    from endoxa.author.tables import approved, copy_companions, counted
    from endoxa.sources.frames import write_table

    table = approved(drafts, judged)
    write_table(table, out)
    copy_companions(drafts, out)
    counts = ", ".join(f"{n} {status}" for status, n in counted(table).items())
    return Outcome((f"{table.height} drafts written to {out}: {counts}",))


def kappa(
    labels: Annotated[Path, argument("Table of `endoxa author label`.", metavar="LABELS")],
    sheet: Annotated[Path, argument("The sheet of --sheet, filled in by a person.", metavar="SHEET")],
) -> Outcome:
    """Compare labels of models with a person's: share of agreement and Cohen's kappa with an interval.

    \b
    Examples:
      endoxa author kappa topics.csv check.csv
    """  # noqa: D301
    from endoxa.author.tables import agreement_with
    from endoxa.report.words import decimal, decimal_interval, percent, plural

    agreed = agreement_with(labels, sheet)
    if agreed["kappa"] == agreed["kappa"]:
        interval = decimal_interval(agreed["low"], agreed["high"], 3)
        sentence = f"Cohen's kappa {decimal(agreed['kappa'], 3)} (95 % interval {interval})"
    else:
        sentence = "Cohen's kappa is not defined: all labels are the same"
    lines = [
        f"{plural(agreed['n'], 'row')} with both labels: {percent(agreed['agreement'])} agree; {sentence}."
    ]
    if agreed["unlabelled"]:
        lines.append(
            f"{plural(agreed['unlabelled'], 'row')} of the sheet have no label of the models (ties, or none)."
        )
    return Outcome(lines)


AUTHOR = Group("author", SUMMARIES["author"])
app = AUTHOR.app
for drafting in (tuples, sentences, expand, counter, adapt, translate, label):
    AUTHOR.add(drafting, printing=True)
AUTHOR.add(approve)
AUTHOR.add(kappa)
