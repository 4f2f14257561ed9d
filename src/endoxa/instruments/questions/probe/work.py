"""`endoxa probe qa`: from questions and models to raw answers and how each was read, and the plan of a run.

Asked by log-likelihood, each option is scored as the continuation of the same prompt (context, question, the options
in the order shown, "Answer:"), see `endoxa.runs.asking.likelihoods`.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from endoxa.instruments.questions.headline import answer_counts
from endoxa.instruments.questions.probe.jobs import (
    Presentation,
    Prompts,
    expected_work,
    items,
    jobs,
    metadata_of,
    presented,
    prompts_for,
    question,
    read_prompts,
    scan,
    unstated_language,
    without_names,
    written,
)
from endoxa.instruments.questions.probe.settings import QaSettings
from endoxa.models.chat.spec import ChatSpec
from endoxa.models.chat.thoughts import no_text
from endoxa.runs.answers.read import item_cells, outcome, read_answer
from endoxa.runs.asking.cost import Planned, parse_models, plan_table, planned
from endoxa.runs.asking.journal import AnswerJournal
from endoxa.runs.asking.likelihoods import Options, likeliest, require_likelihoods, scorer
from endoxa.runs.asking.run import Questions, asking_work
from endoxa.runs.estimates import parquet_in_parts
from endoxa.runs.folder import NOTES, RECORDS
from endoxa.runs.instrument import Plan, Work
from endoxa.runs.journal import counted, untestable
from endoxa.schema import QA_RECORD_COLUMNS, ChatAnswer, Reading
from endoxa.sources.files import require_file, sha256
from endoxa.stats.signs import fewest_units
from endoxa.stats.verdicts import significance

_LOG = logging.getLogger(__name__)


INTEGER_COLUMNS = (
    *("label", "target", "unknown", "repeat", "seed", "choice"),
    *("prompt_tokens", "completion_tokens", "reasoning_tokens"),
)
TYPES = {name: pl.Int64 if name in INTEGER_COLUMNS else pl.String for name in QA_RECORD_COLUMNS}


def write_records(settings: QaSettings, journal: AnswerJournal, out: Path) -> dict[str, int]:
    """Write `records.parquet` into the run folder.

    Returns:
        "records": its rows; "without_target": questions of which nobody knows the stereotyped option.
    """
    counts = {"records": 0, "without_target": 0}
    with parquet_in_parts(out / RECORDS) as add:
        for chunk, presentations in presented(settings):
            rows = [
                _row(presentation, model, settings.ask, answers[presentation.number])
                for number, model in enumerate(settings.models)
                for answers in [journal.answers(number, presentations[0].number, presentations[-1].number)]
                for presentation in presentations
            ]
            add(pl.DataFrame(rows, schema=TYPES, orient="row"))
            counts["records"] += len(rows)
            counts["without_target"] += sum(item.target is None for item in chunk)
    return counts


def _row(presentation: Presentation, model: str, ask: str, answers: Sequence[ChatAnswer]) -> dict[str, Any]:
    item, last = presentation.item, answers[-1]
    reading = read(presentation, ask, last)
    thoughts = [answer.reasoning for answer in answers]
    return {
        **item_cells(item),
        "model": model,
        "protocol": presentation.protocol,
        "ask": ask,
        "repeat": presentation.repeat,
        "seed": presentation.seed,
        "order": written(presentation.order),
        "answer": last.text,
        "turns": json.dumps([answer.text for answer in answers], ensure_ascii=False),
        "reasoning": json.dumps(thoughts, ensure_ascii=False) if any(thoughts) else "",
        "served_model": last.served_model,
        "finish": last.finish,
        "choice": reading.choice,
        "outcome": outcome(reading, item),
        "rule": reading.rule,
        "prompt_tokens": sum(answer.usage.prompt_tokens for answer in answers),
        "completion_tokens": sum(answer.usage.completion_tokens for answer in answers),
        "reasoning_tokens": sum(answer.usage.reasoning_tokens for answer in answers),
        "error": "; ".join(dict.fromkeys(answer.error for answer in answers if answer.error)),
    }


def read(presentation: Presentation, ask: str, answer: ChatAnswer) -> Reading:
    """What an answer says; a provider's own mark of refusal counts where no option was named."""
    if ask in ("loglik", "loglik-mean"):
        return Reading(likeliest(answer.text, ask), refused=False, rule=ask)
    if without_text := no_text(answer):
        return Reading(None, refused=False, rule=without_text)
    reading = read_answer(answer.text, presentation.item, presentation.order)
    if answer.refused and reading.choice is None:
        return Reading(None, refused=True, rule="provider")
    return reading


def questions_work(settings: QaSettings, _out: Path) -> Work:
    """Every question to every model under every protocol, or the options scored by log-likelihood.

    Raises:
        UserError: any user error in data, models or settings.
    """
    path, metadata = Path(settings.data), metadata_of(settings)
    require_file(path)
    specs = specs_of(settings)
    prompts = read_prompts(settings.prompts)
    named = {"data": path, "metadata": metadata, "names": Path(settings.names) if settings.names else None}
    if named["names"] is not None:
        require_file(named["names"])
    files = {file: sha256(file) for file in named.values() if file is not None}
    contents: dict[str, Any] = {name: files[file] for name, file in named.items() if file is not None}
    contents.setdefault("metadata", None)
    contents["prompts"] = {language: entry.model_dump() for language, entry in prompts.items()}
    enough = settings.enough if any(spec.host.runs_here for spec in specs) else None
    if enough is not None:
        contents["letter_tokens"] = enough
    stated = unstated_language(settings)
    if stated is not None and stated.code != "en":
        contents["language_taken"] = stated.code
    data: dict[str, Any] = {
        NOTES: [stated.note] if stated else [],
        "path": settings.data,
        "sha256": contents["data"],
        "label": settings.label,
        "styles": [],
    }

    def scan_labelled(journal: AnswerJournal) -> int:
        scanned = scan(settings, journal)
        data["label"], data["styles"] = scanned.label, list(scanned.styles)
        if settings.names is not None:
            data[NOTES].append(_asked_with_names(settings))
        if scanned.names:
            data[NOTES].append(scanned.names)
        if scanned.note:
            _LOG.warning("%s", scanned.note)
            data[NOTES].append(scanned.note)
        return scanned.items

    def scored() -> Iterator[list[Options]]:
        for _, presentations in presented(settings):
            yield [_options(presentation, settings, prompts) for presentation in presentations]

    return asking_work(
        Questions(
            settings=settings,
            specs=specs,
            contents=contents,
            data=data,
            scan=scan_labelled,
            jobs=lambda: jobs(settings, prompts),
            turns=settings.turns,
            calls=settings.calls_per_item,
            write=partial(write_records, settings),
            outcomes=answer_counts,
            files=files,
            available=counted(partial(items, settings, part=False), settings),
            score=scorer(settings, specs, scored) if settings.by_likelihood else None,
            enough=enough,
        )
    )


def _options(presentation: Presentation, settings: QaSettings, prompts: Mapping[str, Prompts]) -> Options:
    """The prompt up to the answer, and the options behind it."""
    item = presentation.item
    words = prompts_for(prompts, item.language)
    examples = [f"{asked}\n\n{words.answer} {answered}" for asked, answered in settings.examples]
    shown = settings.framed(question(item, presentation.order))
    prompt = "\n\n".join((*examples, shown, words.answer))
    return Options(presentation.number, item.item_id, prompt, item.options, item.language)


def _asked_with_names(settings: QaSettings) -> str:
    """How many of the questions are asked with names; those whose groups no name could replace are not."""
    asked = len({(item.category, item.example_id) for item in items(settings)})
    taken = sum(1 for _ in items(without_names(settings)))
    return f"{asked:,} of {taken:,} questions are asked with the names of {settings.names}."


def specs_of(settings: QaSettings) -> list[ChatSpec]:
    """The models of a run.

    Raises:
        UserError: none, one that is there twice or cannot be read, or one that cannot be asked this way.
    """
    specs = parse_models(settings.models)
    if settings.by_likelihood:
        require_likelihoods(settings, specs, settings.ask, debias=settings.protocols != ("baseline",))
    return specs


def plan_qa(settings: QaSettings) -> list[Planned]:
    """Expected calls, tokens and cost by model.

    Raises:
        UserError: as `probe_qa`, for data and the names of models.
    """
    require_file(Path(settings.data))
    specs = specs_of(settings)
    scan(settings)
    prompts = read_prompts(settings.prompts)
    longest = expected_work(settings, prompts, longest=True)
    return planned(settings, specs, expected_work(settings, prompts), longest)


def plan(settings: QaSettings) -> Plan:
    """The plan of a run, and what it says of a language that was taken, missing targets, and too few templates."""
    table = plan_qa(settings)
    needed = fewest_units(significance(settings.confidence))
    stated, scanned = unstated_language(settings), scan(settings)
    few = untestable(settings, scanned.templates, "templates", needed)
    warning = "\n".join(filter(None, (stated.note if stated else "", scanned.note, few)))
    return plan_table(table, warning)
