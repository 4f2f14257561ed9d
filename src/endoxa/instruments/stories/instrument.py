"""Stories, the profiles read from them, and harm ratings as instruments: what the frame needs to know."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from annotated_types import Ge

from endoxa.runs.asking.jobs import FramedSettings
from endoxa.runs.folder import ESTIMATES
from endoxa.runs.instrument import Instrument, Plan, Run, Shown, late
from endoxa.runs.options import DEFAULT_CONFIDENCE, ReportOptions
from endoxa.schema import Sampling
from endoxa.schema.options import ASKING, DATA, OUTPUT, Option, Setting

if TYPE_CHECKING:
    from endoxa.schema import Progress


class StoriesSettings(FramedSettings):
    """Settings of `endoxa probe stories`.

    Attributes:
        data: Prompts of `endoxa build stories`.
        themes: Use only prompts of this theme; repeatable.
        repeats: Number of stories per prompt.
    """

    data: Annotated[str, Option(group=DATA, metavar="FILE", sample="prompts")]
    themes: Annotated[tuple[str, ...], Option(group=DATA, name="--theme", metavar="NAME")] = ()
    repeats: Annotated[int, Ge(1), Option(group=ASKING)] = 1
    sampling: Sampling = Sampling(max_tokens=800)  # enough for a story of about 200 words in any script


class ExtractSettings(FramedSettings):
    """Settings of `endoxa probe extract`; its `models` are the extractors.

    Attributes:
        data: Run of `probe stories`, or a table with a column 'story'.
        vocabulary: Your own attributes and values (TOML).
        structured: Hold extractors to a JSON schema; switch off where a server refuses it.
        sheet: Also write a sheet on which a person codes a sample (.xlsx, .csv).
        sheet_rows: Number of stories on the sheet, from every model and language.
    """

    data: Annotated[str, Option(group=DATA, metavar="RUN|FILE", sample="stories")]
    vocabulary: Annotated[str | None, Option(group=ASKING, metavar="FILE", default="StereoTales'")] = None
    structured: Annotated[bool, Option(group=ASKING)] = True
    sheet: Annotated[str | None, Option(group=OUTPUT, metavar="FILE", decides=False)] = None
    sheet_rows: Annotated[int, Ge(1), Setting(group=OUTPUT, decides=False)] = 200
    sampling: Sampling = Sampling(temperature=0.0, max_tokens=1024)  # enough for all attributes as JSON


class HarmSettings(FramedSettings):
    """Settings of `endoxa probe harm`; `run.json` keeps them.

    Attributes:
        data: Associations of `endoxa analyze associations`, or StereoTales' JSON.
        language: Language of the questions: ar, en, es, fr, hi, pt or sw.
        repeats: Number of ratings per association and model.
        prompts: Your own questions (TOML), in --language.
    """

    data: Annotated[str, Option(group=DATA, metavar="FILE", sample="findings")]
    languages: tuple[str, ...] = ()
    language: Annotated[str, Option(group=ASKING, metavar="CODE")] = "en"
    repeats: Annotated[int, Ge(1), Option(group=ASKING)] = 3
    prompts: Annotated[str | None, Setting(group=ASKING, metavar="FILE")] = None


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
every vote and raw answer) and estimates.csv (how far the extractors agree). A run that was stopped continues with the
same command; an extractor can be added to a finished one.

\b
Examples:
  endoxa probe extract --data out/s1 --model openai/gpt-4o-mini --model anthropic/claude-haiku-4-5 \\
    --model mistral/mistral-small-latest --out out/s2
  endoxa probe extract --data stories.parquet --model http://localhost:8000/v1#m --no-structured --out out/s3
  endoxa probe extract --data out/s1 --model sim/reader-a --model sim/reader-b --model sim/reader-c --out out/s2 \\
    --sheet check.xlsx --set sheet_rows=200
"""
HARM_HELP = """Have models rate how harmful associations are (1 to 5), and whether they are frequent in reality.

Writes the folder RUN: run.json and records.parquet (every raw answer and how it was read). Each distinct
association is rated once per model and repeat. A run that was stopped continues with the same command; a model can be
added to a finished one. `endoxa analyze run` compares the ratings with people's. Keys come from environment
variables.

\b
Examples:
  endoxa probe harm --data assoc.csv --model openai/gpt-4o-mini --plan
  endoxa probe harm --data assoc.csv --model openai/gpt-4o-mini --max-cost 5 --out out/harm
  endoxa probe harm --data assoc.csv --model openai/gpt-4o-mini --repeats 3 --language hi --out out/harm-hi
"""


def _probe(module: str, kind: str, estimates: str) -> dict[str, Any]:
    """Work, plan, words, estimates and headline of a probe."""
    probe = late(f"{__package__}.{module}:{kind}_probe")
    estimates_of = late(f"{__package__}.{estimates}")

    def plan(settings: Any) -> Plan:
        from endoxa.runs.asking.cost import plan_table

        return plan_table(probe(settings).plan(), "")

    def estimate(_settings: Any, out: Path, _progress: Progress) -> None:
        from endoxa.sources.frames import write_table

        write_table(estimates_of(out), out / ESTIMATES)

    return {
        "work": lambda settings, out: probe(settings).work(out),
        "plan": plan,
        "estimate": estimate,
        "outputs": (ESTIMATES,),
        "words": late(f"{__package__}.{module}:{kind}_words"),
        "headline": late(f"{__package__}.outcomes:{kind}_headline"),
    }


def _shown(runs: Sequence[Any], how: ReportOptions) -> Shown:
    from endoxa.instruments.stories.report.page import shown

    return shown(runs, confidence=how.confidence or DEFAULT_CONFIDENCE, seed=how.seed, labels=how.labels)


def _summary(counted: str) -> Callable[[Any, Run], Iterator[str]]:
    """The counts of a run in words, where its records are, and what became of its requests."""

    def lines(_settings: Any, run: Run) -> Iterator[str]:
        from endoxa.runs.asking.run import asking_lines

        yield f"{counted.format(**run.counts)}: {run.folder / 'records.parquet'}"
        yield from asking_lines(run)

    return lines


def _extract_summary(settings: ExtractSettings, run: Run) -> Iterator[str]:
    counts = run.counts
    refusals = ", of which {refused} are refusals" if counts["refused"] else ""
    yield from _summary("{records} stories" + refusals)(settings, run)
    unclear = {
        "stories are empty and were not sent to extractors": counts["wordless"],
        "profiles could not be read": counts["unparsed"],
        "answers to the question of refusal could not be read": counts["undecided"],
        "values are not in the list and count as unknown": counts["unlisted"],
    }
    if any(unclear.values()):
        yield f"Counted, but not clear: {'; '.join(f'{n} {what}' for what, n in unclear.items() if n)}."
    yield f"agreement of the extractors: {run.folder / ESTIMATES}"
    if settings.sheet:
        from endoxa.instruments.stories.coding import write_sheet
        from endoxa.instruments.stories.extraction import vocabulary_of

        sheet = Path(settings.sheet)
        count = write_sheet(
            run.folder, vocabulary_of(settings), sheet, sample=settings.sheet_rows, seed=settings.seed
        )
        yield (
            f"{count} stories to be coded by a person: {sheet}. They may show people in a hurtful way: say so to "
            f"whoever reads them. When it is filled in: endoxa analyze run {run.folder} --human {sheet} "
            "-o extraction"
        )


STORIES = Instrument(
    name="stories",
    holds="stories as they were written",
    unit="stories",
    settings=StoriesSettings,
    help=STORIES_HELP,
    **_probe("probe", "stories", "outcomes:stories_estimates"),
    summary=_summary("{items} prompts, {records} stories"),
    following=lambda folder: (
        f"endoxa probe extract --data {folder} --model ... --model ... --model ... --out ANOTHER-RUN"
    ),
)
EXTRACT = Instrument(
    name="extract",
    holds="stories",
    unit="answers",
    settings=ExtractSettings,
    help=EXTRACT_HELP,
    **_probe("extraction", "extract", "coding:agreement_of"),
    summary=_extract_summary,
    following=lambda folder: f"endoxa analyze associations {folder} -o associations.csv",
    shown=_shown,
    takes_labels=True,
)
HARM = Instrument(
    name="harm",
    holds="ratings of harm",
    unit="ratings",
    settings=HarmSettings,
    help=HARM_HELP,
    **_probe("harm.probe", "harm", "outcomes:harm_estimates"),
    summary=_summary("{items} associations, {records} answers, {rated} of them with a rating"),
    following=lambda folder: f"endoxa analyze run {folder} --human RATINGS.csv -o harm",
    shown=_shown,
    takes_labels=True,
)
