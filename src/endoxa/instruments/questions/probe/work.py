"""`endoxa probe qa`: from questions and models to raw answers and how each was read, and the plan of a run.

Asked by log-likelihood, each option is scored as the continuation of the same prompt (context, question, the options
in the order shown, "Answer:"). `loglik` compares the sums of log-probabilities (nats), `loglik-mean` the sums per
token, which does not favour short options.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from endoxa.errors import UserError
from endoxa.instruments.questions.headline import answer_counts
from endoxa.instruments.questions.probe.jobs import (
    Presentation,
    Prompts,
    available,
    expected_work,
    items,
    jobs,
    metadata_of,
    presentations_of,
    prompts_for,
    question,
    read_prompts,
    scan,
    taken,
    unstated_language,
    written,
)
from endoxa.instruments.questions.probe.settings import QaSettings
from endoxa.models.chat import ChatSpec
from endoxa.models.chat.local import model_options
from endoxa.models.scoring import open_reader, parse_model
from endoxa.models.spec import ModelOptions, ModelSpec
from endoxa.runs.answers.language import signs_of_new_question
from endoxa.runs.answers.read import item_cells, outcome, read_answer
from endoxa.runs.asking.calls import Report
from endoxa.runs.asking.cost import Planned, parse_models, planned
from endoxa.runs.asking.jobs import Answered
from endoxa.runs.asking.journal import AnswerJournal
from endoxa.runs.asking.run import Questions, Score, asking_work
from endoxa.runs.estimates import parquet_in_parts
from endoxa.runs.executors import begun_ahead, scoring_model
from endoxa.runs.folder import NOTES, RECORDS
from endoxa.runs.instrument import Work
from endoxa.runs.items import chunked, counted, untestable
from endoxa.schema import (
    QA_RECORD_COLUMNS,
    Architecture,
    CausalRequest,
    ChatAnswer,
    CompletionRequest,
    Model,
    Reading,
    Request,
    Sampling,
    Unscorable,
)
from endoxa.schema import (
    Score as OptionScore,
)
from endoxa.schema.finish import THOUGHTS_ONLY
from endoxa.sources.files import require_file, sha256
from endoxa.stats.signs import fewest_units
from endoxa.stats.verdicts import significance

FINISH = "scored"


def score_all(
    model: Model,
    settings: QaSettings,
    prompts: Mapping[str, Prompts],
    *,
    number: int,
    journal: AnswerJournal,
    report: Callable[[int], None],
    ahead: int = 1,
) -> None:
    """Score the options of every item that the journal has no answer for; chunks are committed one by one.

    Args:
        model: the model.
        settings: what is asked.
        prompts: words of each language.
        number: the model's number in the run.
        journal: where scores are kept.
        report: told how many answers are new.
        ahead: chunks that the model is given before the first is read.

    Raises:
        UserError: a masked model, or an item that cannot be scored.
    """
    _refuse_masked(model.name, model.architecture)

    def begun() -> Iterator[tuple[list[Presentation], Iterator[tuple[int, OptionScore | Unscorable]]]]:
        for first, chunk in chunked(items(settings)):
            presentations = [
                presentation
                for k, item in enumerate(chunk)
                for presentation in presentations_of(item, first + k, settings)
            ]
            answered = journal.answers(number, presentations[0].number, presentations[-1].number)
            missing = [presentation for presentation in presentations if presentation.number not in answered]
            yield (
                missing,
                model.score(
                    [
                        request
                        for presentation in missing
                        for request in _requests(presentation, model.architecture, settings, prompts)
                    ]
                ),
            )

    for missing, answers in begun_ahead(begun(), ahead):
        journal.add(number, _scored(model, missing, dict(answers), mean=settings.ask == "loglik-mean"))
        report(len(missing))


def require_scorable(
    spec: ModelSpec, options: ModelOptions, settings: QaSettings, prompts: Mapping[str, Prompts]
) -> None:
    """Refuse what a local model cannot score; nothing but its tokenizer is loaded.

    A model on a server, or held by a Python program, is asked when its turn comes.

    Raises:
        UserError: a masked model, an item that cannot be scored, or a tokenizer that cannot be used.
    """
    reader = open_reader(spec, options)
    if reader is None:
        return
    _refuse_masked(reader.name, reader.architecture)
    for number, item in enumerate(items(settings)):
        for presentation in presentations_of(item, number, settings):
            for read in reader.read(list(_requests(presentation, reader.architecture, settings, prompts))):
                if isinstance(read, Unscorable):
                    raise _unscorable(presentation, reader.name, read)


def _refuse_masked(model: str, architecture: Architecture) -> None:
    if architecture == "masked":
        raise UserError(
            f"{model} is a masked model and cannot score an option given a question. Use a causal or an "
            "encoder-decoder model."
        )


def _unscorable(presentation: Presentation, model: str, result: Unscorable) -> UserError:
    return UserError(
        f"{model} cannot score the item '{presentation.item.item_id}': {result.reason}. Remove the item, or choose "
        "a model that reads longer texts."
    )


def likeliest(answer: str) -> int:
    """The option with the highest score; the first of them in a tie."""
    scores: list[float] = json.loads(answer)
    return max(range(len(scores)), key=scores.__getitem__)


def _scored(
    model: Model,
    presentations: Sequence[Presentation],
    results: Mapping[int, OptionScore | Unscorable],
    *,
    mean: bool,
) -> Iterator[Answered]:
    each = len(results) // len(presentations) if presentations else 0
    for k, presentation in enumerate(presentations):
        option_results = [results[k * each + place] for place in range(each)]
        scores = _option_scores(presentation, model, option_results, mean=mean)
        yield Answered(presentation.number, 0, ChatAnswer(json.dumps(scores), FINISH))


def _requests(
    presentation: Presentation,
    architecture: Architecture,
    settings: QaSettings,
    prompts: Mapping[str, Prompts],
) -> Iterator[Request]:
    """The prompt with each option; for a causal model first the prompt alone."""
    words = prompts_for(prompts, presentation.item.language)
    examples = [f"{asked}\n\n{words.answer} {answered}" for asked, answered in settings.examples]
    shown = settings.framed(question(presentation.item, presentation.order))
    prompt = "\n\n".join((*examples, shown, words.answer))
    if architecture == "encoder-decoder":
        for option in presentation.item.options:
            yield CompletionRequest(prompt, option, presentation.item.language)
        return
    yield CausalRequest(prompt, "tokenizer")
    for option in presentation.item.options:
        yield CausalRequest(f"{prompt} {option}", "tokenizer")


def _option_scores(
    presentation: Presentation,
    model: Model,
    option_results: Sequence[OptionScore | Unscorable],
    *,
    mean: bool,
) -> list[float]:
    """Log-probability of each option (nats), or per token of the option."""
    scores = []
    for result in option_results:
        if isinstance(result, Unscorable):
            raise _unscorable(presentation, model.name, result)
        scores.append(result)
    if model.architecture == "encoder-decoder":
        return [score.total / (score.n_tokens if mean else 1) for score in scores]
    prompt, *options = scores
    return [
        (score.total - prompt.total) / (score.n_tokens - prompt.n_tokens if mean else 1) for score in options
    ]


INTEGER_COLUMNS = (
    "label",
    "target",
    "unknown",
    "repeat",
    "seed",
    "choice",
    "prompt_tokens",
    "completion_tokens",
    "reasoning_tokens",
)
TYPES = {name: pl.Int64 if name in INTEGER_COLUMNS else pl.String for name in QA_RECORD_COLUMNS}


def write_records(settings: QaSettings, journal: AnswerJournal, out: Path) -> dict[str, int]:
    """Write `records.parquet` into the run folder.

    Returns:
        "records": its rows; "without_target": questions of which nobody knows the stereotyped option.
    """
    counts = {"records": 0, "without_target": 0}
    with parquet_in_parts(out / RECORDS) as add:
        for first, chunk in chunked(items(settings)):
            presentations = [
                presentation
                for k, item in enumerate(chunk)
                for presentation in presentations_of(item, first + k, settings)
            ]
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
        return Reading(likeliest(answer.text), refused=False, rule=ask)
    if not answer.text.strip() and answer.reasoning:
        return Reading(None, refused=False, rule=THOUGHTS_ONLY)
    reading = read_answer(answer.text, presentation.item, presentation.order)
    if answer.refused and reading.choice is None:
        return Reading(None, refused=True, rule="provider")
    return reading


def questions_work(settings: QaSettings, _out: Path) -> Work:
    """Every question to every model under every protocol, or the options scored by log-likelihood.

    Raises:
        UserError: any user error in data, models or settings.
    """
    require_file(Path(settings.data))
    specs = specs_of(settings)
    prompts = read_prompts(Path(settings.prompts) if settings.prompts else None)
    metadata = metadata_of(settings)
    names = Path(settings.names) if settings.names else None
    if names is not None:
        require_file(names)
    files = {path: sha256(path) for path in (Path(settings.data), metadata, names) if path is not None}
    contents: dict[str, Any] = {
        "data": files[Path(settings.data)],
        "metadata": files[metadata] if metadata else None,
        "prompts": {language: entry.model_dump() for language, entry in prompts.items()},
    }
    if names is not None:
        contents["names"] = files[names]
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

    languages: list[str] = []

    def scan_labelled(journal: AnswerJournal) -> int:
        scanned = scan(settings, journal)
        data["label"], data["styles"] = scanned.label, list(scanned.styles)
        if names is not None:
            data[NOTES].append(_left_out(settings))
        languages[:] = scanned.languages
        return scanned.items

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
            available=counted(lambda: available(settings), settings),
            score=_scorer(settings, specs, prompts) if settings.by_likelihood else None,
            signs=lambda: signs_of_new_question(languages),
            enough=enough,
        )
    )


def _left_out(settings: QaSettings) -> str:
    """How many of the questions are asked with names; those whose groups no name could replace are not."""
    asked = len({(item.category, item.example_id) for item in items(settings)})
    return f"{asked:,} of {sum(1 for _ in taken(settings)):,} questions are asked with the names of {settings.names}."


def _scorer(settings: QaSettings, specs: Sequence[ChatSpec], prompts: Mapping[str, Prompts]) -> Score:
    """What brings the log-likelihoods of one model into the journal and returns the model's facts.

    Before the first is loaded, all that follow are checked.
    """
    options = model_options(settings.options)
    checked: set[int] = set()

    def score(number: int, journal: AnswerJournal, report: Report) -> dict[str, Any]:
        spec = parse_model(specs[number].text)
        for later in range(number, len(specs)):
            if later not in checked:
                require_scorable(parse_model(specs[later].text), options, settings, prompts)
                checked.add(later)
        with scoring_model(spec, options, settings.engine) as (model, ahead):
            score_all(model, settings, prompts, number=number, journal=journal, report=report, ahead=ahead)
            return dict(model.describe())

    return score


def specs_of(settings: QaSettings) -> list[ChatSpec]:
    """The models of a run.

    Raises:
        UserError: none, one that is there twice or cannot be read, or one that cannot be asked this way.
    """
    specs = parse_models(settings.models)
    if settings.by_likelihood:
        _refuse_without_effect(settings)
        for spec in specs:
            if not spec.host.likelihoods:
                raise UserError(
                    f"The model '{spec.text}' does not return probabilities of a given text; --ask {settings.ask} "
                    "needs "
                    "hf/... or a completions server (http://HOST:PORT/v1#NAME)."
                )
    return specs


def _refuse_without_effect(settings: QaSettings) -> None:
    """Refuse settings of answers where none is generated.

    Raises:
        UserError: one of them is set.
    """
    default = Sampling(max_tokens=settings.sampling.max_tokens)
    changed = {
        "--debias": settings.protocols != ("baseline",),
        "--system": settings.system != "",
        "--batch": settings.batch,
        "--max-cost": settings.max_cost is not None,
        "--temperature": settings.sampling.temperature != default.temperature,
        "--top-p": settings.sampling.top_p != default.top_p,
        "--reasoning": settings.sampling.reasoning != default.reasoning,
        "--extra": settings.sampling.extra != default.extra,
    }
    without_effect = [name for name, there in changed.items() if there]
    if without_effect:
        raise UserError(
            f"--ask {settings.ask} generates no text, so {', '.join(without_effect)} would have no effect. Leave it "
            "out."
        )


def plan_qa(settings: QaSettings) -> list[Planned]:
    """Expected calls, tokens and cost by model.

    Raises:
        UserError: as `probe_qa`, for data and the names of models.
    """
    require_file(Path(settings.data))
    specs = specs_of(settings)
    scan(settings)
    prompts = read_prompts(Path(settings.prompts) if settings.prompts else None)
    longest = expected_work(settings, prompts, longest=True)
    return planned(settings, specs, expected_work(settings, prompts), longest)


def qa_warning(settings: QaSettings) -> str:
    """What a plan says of a language that was taken, and of too few templates to test anything; else empty."""
    needed = fewest_units(significance(settings.confidence))
    stated = unstated_language(settings)
    few = untestable(settings, scan(settings).templates, "templates", needed)
    return "\n".join(filter(None, (stated.note if stated else "", few)))
