"""Stories, the profiles read from them, and harm ratings as instruments: what the frame needs to know."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from endoxa.instruments.stories.settings import ExtractSettings, HarmSettings, StoriesSettings
from endoxa.runs.instrument import Instrument, Plan, Run, Shown, Work
from endoxa.runs.options import DEFAULT_CONFIDENCE, ReportOptions

if TYPE_CHECKING:
    from endoxa.schema import Progress
    from endoxa.schema.headline import Headline
    from endoxa.words.used import Used

STORIES_HELP = """Have models write stories about a protagonist of whom the prompt names one attribute.

Writes the folder RUN: run.json and records.parquet (every story as it came). `endoxa probe extract` then reads
the protagonists' profiles from them. A run that was stopped continues with the same command; a model can be added to
a finished one.

\b
Examples:
  endoxa probe stories --data prompts.jsonl --model openai/gpt-4o-mini --plan
  endoxa probe stories --data prompts.jsonl --model openai/gpt-4o-mini --max-cost 10 --batch --out out/s1
  endoxa probe stories --data prompts.jsonl --language hi --model http://localhost:8000/v1#my-model --out out/hi
  endoxa probe stories --data prompts.jsonl --limit 500 --model sim/teller --out out/rehearsal
"""
EXTRACT_HELP = """Have several models read the main character's profile from each story; the majority decides.

Each extractor (--model) first says whether the text is a refusal, then chooses for every attribute one of its
values, "unknown", or "other" where there is that. Writes the folder RUN: run.json, records.parquet (profiles with
every vote and raw answer) and agreement.csv. A run that was stopped continues with the same command; an extractor can
be added to a finished one.

\b
Examples:
  endoxa probe extract --data out/s1 --model openai/gpt-4o-mini --model anthropic/claude-haiku-4-5 \\
    --model mistral/mistral-small-latest --out out/s2
  endoxa probe extract --data stories.parquet --model http://localhost:8000/v1#m --no-structured --out out/s3
  endoxa probe extract --data out/s1 --model sim/reader-a --model sim/reader-b --model sim/reader-c --out out/s2 \\
    --sheet check.xlsx --sheet-rows 200
"""
HARM_HELP = """Have models rate how harmful associations are (1 to 5), and whether they are frequent in reality.

Writes the folder RUN: run.json and records.parquet (every raw answer and how it was read). Each distinct
association is rated once per model and repeat. A run that was stopped continues with the same command; a model can be
added to a finished one. `endoxa analyze harm` compares the ratings with people's. Keys come from environment
variables.

\b
Examples:
  endoxa probe harm --data assoc.csv --model openai/gpt-4o-mini --plan
  endoxa probe harm --data assoc.csv --model openai/gpt-4o-mini --max-cost 5 --out out/harm
  endoxa probe harm --data assoc.csv --model sim/rater --repeats 3 --language hi --out out/harm-hi
"""


def _shown(runs: Sequence[Any], how: ReportOptions) -> Shown:
    from endoxa.instruments.stories.report.page import shown

    return shown(runs, confidence=how.confidence or DEFAULT_CONFIDENCE, seed=how.seed, labels=how.labels)


def _stories_work(settings: StoriesSettings, out: Path) -> Work:
    from endoxa.instruments.stories.stories import stories_work

    return stories_work(settings, out)


def _stories_plan(settings: StoriesSettings) -> Plan:
    from endoxa.instruments.stories.stories import plan_stories, stories_warning
    from endoxa.runs.asking.plan import plan_table

    return plan_table(plan_stories(settings), stories_warning(settings))


def _stories_words(settings: StoriesSettings) -> Used:
    from endoxa.instruments.stories.stories import stories_words

    return stories_words(settings)


def _stories_summary(_settings: StoriesSettings, run: Run) -> Iterator[str]:
    from endoxa.runs.asking.run import asking_lines

    counts = run.counts
    yield f"{counts['items']} prompts, {counts['records']} stories: {run.folder / 'records.parquet'}"
    yield from asking_lines(run)


def _stories_headline(folder: Path) -> Headline:
    from endoxa.instruments.stories.outcomes import stories_headline

    return stories_headline(folder)


def _stories_following(folder: Path) -> str:
    return f"endoxa probe extract --data {folder} --model ... --model ... --model ... --out ANOTHER-RUN"


def _extract_work(settings: ExtractSettings, out: Path) -> Work:
    from endoxa.instruments.stories.profiles.probe import extract_work

    return extract_work(settings, out)


def _extract_plan(settings: ExtractSettings) -> Plan:
    from endoxa.instruments.stories.profiles.probe import extract_warning, plan_extract
    from endoxa.runs.asking.plan import plan_table

    return plan_table(plan_extract(settings), extract_warning(settings))


def _extract_words(settings: ExtractSettings) -> Used:
    from endoxa.instruments.stories.profiles.probe import extract_words

    return extract_words(settings)


def _agreement(_settings: ExtractSettings, out: Path, _progress: Progress) -> None:
    from endoxa.instruments.stories.profiles import write_agreement

    write_agreement(out, again=True)


def _extract_summary(settings: ExtractSettings, run: Run) -> Iterator[str]:
    from endoxa.runs.asking.run import asking_lines

    counts = run.counts
    refusals = f", of which {counts['refused']} are refusals" if counts["refused"] else ""
    yield f"{counts['records']} stories{refusals}: {run.folder / 'records.parquet'}"
    yield from asking_lines(run)
    unclear = {  # older runs count neither undecided nor unlisted
        "stories are empty and were not sent to extractors": counts["wordless"],
        "profiles could not be read": counts["unparsed"],
        "answers to the question of refusal could not be read": counts.get("undecided", 0),
        "values are not in the list and count as unknown": counts.get("unlisted", 0),
    }
    if any(unclear.values()):
        yield f"Counted, but not clear: {'; '.join(f'{n} {what}' for what, n in unclear.items() if n)}."
    yield f"agreement of the extractors: {run.folder / 'agreement.csv'}"
    if settings.sheet:
        yield _sheet(settings, run, Path(settings.sheet))


def _sheet(settings: ExtractSettings, run: Run, sheet: Path) -> str:
    """Write the sheet on which a person codes a sample; what to say of it."""
    from endoxa.instruments.stories.profiles.probe import vocabulary_of
    from endoxa.instruments.stories.profiles.sheet import write_sheet

    count = write_sheet(
        run.folder, vocabulary_of(settings), sheet, sample=settings.sheet_rows, seed=settings.seed
    )
    return (
        f"{count} stories to be coded by a person: {sheet}. They may show people in a hurtful way: say so to whoever "
        f"reads them. When it is filled in: endoxa analyze extraction {run.folder} --human {sheet} --out errors.csv"
    )


def _extract_headline(folder: Path) -> Headline:
    from endoxa.instruments.stories.outcomes import extraction_headline

    return extraction_headline(folder)


def _extract_following(folder: Path) -> str:
    return f"endoxa analyze associations {folder} -o associations.csv"


def _harm_work(settings: HarmSettings, out: Path) -> Work:
    from endoxa.instruments.stories.harm.probe import harm_work

    return harm_work(settings, out)


def _harm_plan(settings: HarmSettings) -> Plan:
    from endoxa.instruments.stories.harm.probe import harm_warning, plan_harm
    from endoxa.runs.asking.plan import plan_table

    return plan_table(plan_harm(settings), harm_warning(settings))


def _harm_words(settings: HarmSettings) -> Used:
    from endoxa.instruments.stories.harm.probe import harm_words

    return harm_words(settings)


def _harm_summary(_settings: HarmSettings, run: Run) -> Iterator[str]:
    from endoxa.runs.asking.run import asking_lines

    counts = run.counts
    yield (
        f"{counts['items']} associations, {counts['records']} answers, {counts['rated']} of them with a rating: "
        f"{run.folder / 'records.parquet'}"
    )
    yield from asking_lines(run)


def _harm_headline(folder: Path) -> Headline:
    from endoxa.instruments.stories.outcomes import harm_headline

    return harm_headline(folder)


def _harm_following(folder: Path) -> str:
    return f"endoxa analyze harm {folder} --human RATINGS.csv -o harm.csv"


STORIES = Instrument(
    name="stories",
    holds="stories as they were written",
    unit="stories",
    settings=StoriesSettings,
    help=STORIES_HELP,
    work=_stories_work,
    plan=_stories_plan,
    words=_stories_words,
    summary=_stories_summary,
    headline=_stories_headline,
    following=_stories_following,
)
EXTRACT = Instrument(
    name="extract",
    holds="stories",
    unit="answers",
    settings=ExtractSettings,
    help=EXTRACT_HELP,
    work=_extract_work,
    plan=_extract_plan,
    words=_extract_words,
    estimate=_agreement,
    summary=_extract_summary,
    headline=_extract_headline,
    following=_extract_following,
    shown=_shown,
    takes_labels=True,
    outputs=("agreement.csv",),
)
HARM = Instrument(
    name="harm",
    holds="ratings of harm",
    unit="ratings",
    settings=HarmSettings,
    help=HARM_HELP,
    work=_harm_work,
    plan=_harm_plan,
    words=_harm_words,
    summary=_harm_summary,
    headline=_harm_headline,
    following=_harm_following,
    shown=_shown,
    takes_labels=True,
)
