"""Local models asked by log-likelihood: which of the three options does the model find likeliest after the question?

Each option is scored as the continuation of the same prompt (context, question, the options in the order shown,
"Answer:"). `loglik` compares the sums of log-probabilities (nats), `loglik-mean` the sums per token, which does not
favour short options.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence

from endoxa.errors import UserError
from endoxa.instruments.questions.probe.jobs import (
    Presentation,
    Prompts,
    items,
    presentations_of,
    prompts_for,
    question,
)
from endoxa.instruments.questions.probe.settings import QaSettings
from endoxa.models.scoring import open_reader
from endoxa.models.spec import ModelOptions, ModelSpec
from endoxa.runs.asking.jobs import Answered
from endoxa.runs.asking.journal import AnswerJournal
from endoxa.runs.executors import begun_ahead
from endoxa.runs.items import chunked
from endoxa.schema import (
    Architecture,
    CausalRequest,
    ChatAnswer,
    CompletionRequest,
    Model,
    Request,
    Score,
    Unscorable,
)

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

    def begun() -> Iterator[tuple[list[Presentation], Iterator[tuple[int, Score | Unscorable]]]]:
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
                        for request in _requests(presentation, model.architecture, prompts)
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
            for read in reader.read(list(_requests(presentation, reader.architecture, prompts))):
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
    results: Mapping[int, Score | Unscorable],
    *,
    mean: bool,
) -> Iterator[Answered]:
    each = len(results) // len(presentations) if presentations else 0
    for k, presentation in enumerate(presentations):
        option_results = [results[k * each + place] for place in range(each)]
        scores = _option_scores(presentation, model, option_results, mean=mean)
        yield Answered(presentation.number, 0, ChatAnswer(json.dumps(scores), FINISH))


def _requests(
    presentation: Presentation, architecture: Architecture, prompts: Mapping[str, Prompts]
) -> Iterator[Request]:
    """The prompt with each option; for a causal model first the prompt alone."""
    words = prompts_for(prompts, presentation.item.language)
    prompt = f"{question(presentation.item, presentation.order)}\n\n{words.answer}"
    if architecture == "encoder-decoder":
        for option in presentation.item.options:
            yield CompletionRequest(prompt, option, presentation.item.language)
        return
    yield CausalRequest(prompt, "tokenizer")
    for option in presentation.item.options:
        yield CausalRequest(f"{prompt} {option}", "tokenizer")


def _option_scores(
    presentation: Presentation, model: Model, option_results: Sequence[Score | Unscorable], *, mean: bool
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
