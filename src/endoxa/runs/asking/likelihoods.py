"""Options scored as continuations of a prompt, in place of asking: by the sum of log-probabilities, or per token.

`loglik` compares the sums (nats), `loglik-mean` the sums per token, which does not favour short options. An answer
holds the sum and the number of tokens of each option, so that every run shows what it would be by the other rule.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import count, islice
from typing import Any

from endoxa.errors import UserError
from endoxa.models.chat.local import model_options
from endoxa.models.chat.spec import ChatSpec
from endoxa.models.scoring import parse_model
from endoxa.runs.asking.calls import Report
from endoxa.runs.asking.jobs import Answered, ChatRunSettings
from endoxa.runs.asking.journal import AnswerJournal
from endoxa.runs.asking.run import Score
from endoxa.runs.executors import begun_ahead, scoring_model
from endoxa.schema import (
    Architecture,
    CausalRequest,
    ChatAnswer,
    CompletionRequest,
    Model,
    Request,
    Unscorable,
)
from endoxa.schema import Score as OptionScore
from endoxa.schema.options import options_of

FINISH = "scored"
OTHER_RULE = {"loglik": "loglik-mean", "loglik-mean": "loglik"}
"""The other way to compare options."""
RULES = {
    "loglik": "the sum of their log-likelihood over tokens",
    "loglik-mean": "their log-likelihood per token",
}
"""What each way compares."""
OF_ANSWERS = ("system", "batch", "max_cost", "temperature", "top_p", "reasoning", "extra")
"""Settings of answers that are generated."""


@dataclass(frozen=True, slots=True)
class Options:
    """What is scored: a prompt, and what may follow it.

    Attributes:
        number: number of the job, by which the journal knows it.
        name: name of the item, for messages.
        prompt: the prompt, up to where an option begins.
        options: the options.
        language: ISO 639 code.
    """

    number: int
    name: str
    prompt: str
    options: tuple[str, ...]
    language: str

    def requests(self, architecture: Architecture) -> Iterator[Request]:
        """The prompt with each option; for a causal model first the prompt alone."""
        if architecture == "encoder-decoder":
            for option in self.options:
                yield CompletionRequest(self.prompt, option, self.language)
            return
        yield CausalRequest(self.prompt, "tokenizer")
        for option in self.options:
            yield CausalRequest(f"{self.prompt} {option}", "tokenizer")


def scorer(
    settings: ChatRunSettings,
    specs: Sequence[ChatSpec],
    chunks: Callable[[], Iterable[Sequence[Options]]],
) -> Score:
    """What brings the log-likelihoods of one model into the journal and returns the model's facts.

    Args:
        settings: how models are loaded.
        specs: the models of the run.
        chunks: gives everything that is scored anew, a chunk at a time, numbered upwards.
    """
    options = model_options(settings.options)

    def score(number: int, journal: AnswerJournal, report: Report) -> dict[str, Any]:
        with scoring_model(parse_model(specs[number].text), options, settings.engine) as (model, ahead):
            if model.architecture == "masked":
                raise UserError(
                    f"{model.name} is a masked model and cannot score an option given a question. Use a causal or an "
                    "encoder-decoder model."
                )

            def begun() -> Iterator[tuple[list[Options], Iterator[tuple[int, OptionScore | Unscorable]]]]:
                for chunk in chunks():
                    answered = journal.answers(number, chunk[0].number, chunk[-1].number)
                    missing = [each for each in chunk if each.number not in answered]
                    requests = [request for each in missing for request in each.requests(model.architecture)]
                    yield missing, model.score(requests)

            # What the journal has no answer for; chunks are committed one by one.
            for missing, answers in begun_ahead(begun(), ahead):
                journal.add(number, _scored(model, missing, dict(answers)))
                report(len(missing))
            return dict(model.describe())

    return score


def option_scores(answer: str, rule: str) -> list[float]:
    """The score of each option by a rule."""
    return [total / (tokens if rule == "loglik-mean" else 1) for total, tokens in json.loads(answer)]


def likeliest(answer: str, rule: str) -> int | None:
    """The option with the highest score by a rule; None in a tie, which is no choice."""
    scores = option_scores(answer, rule)
    return scores.index(max(scores)) if scores.count(max(scores)) == 1 else None


def _scored(
    model: Model,
    several: Sequence[Options],
    results: Mapping[int, OptionScore | Unscorable],
) -> Iterator[Answered]:
    """Log-probability of each option (nats), and its number of tokens; without those of a prompt scored alone."""
    in_order, alone = (results[k] for k in count()), model.architecture != "encoder-decoder"
    for options in several:
        scores = []
        for result in islice(in_order, len(options.options) + alone):
            if isinstance(result, Unscorable):
                raise UserError(
                    f"{model.name} cannot score the item '{options.name}': {result.reason}. Remove the item, or choose "
                    "a model that reads longer texts."
                )
            scores.append(result)
        prompt = scores.pop(0) if alone else OptionScore(0.0, 0)
        parts = [(score.total - prompt.total, score.n_tokens - prompt.n_tokens) for score in scores]
        yield Answered(options.number, 0, ChatAnswer(json.dumps(parts), FINISH))


def require_likelihoods(
    settings: ChatRunSettings, specs: Sequence[ChatSpec], ask: str, **changed: bool
) -> None:
    """Refuse models without likelihoods, and settings of answers where none is generated.

    Args:
        settings: the run's settings.
        specs: its models.
        ask: how it asks.
        changed: further options that would have no effect, and whether they are set.

    Raises:
        UserError: one of them is set, or a model returns no probabilities.
    """
    without_effect = [f"--{name}" for name, there in changed.items() if there] + [
        option.name
        for option in options_of(type(settings))
        if option.path[-1] in OF_ANSWERS and reduce(getattr, option.path, settings) != option.default
    ]
    if without_effect:
        raise UserError(
            f"--ask {ask} generates no text, so {', '.join(without_effect)} would have no effect. Leave it out."
        )
    for spec in specs:
        if not spec.host.likelihoods:
            raise UserError(
                f"The model '{spec.text}' does not return probabilities of a given text; --ask {ask} needs "
                "hf/... or a completions server (http://HOST:PORT/v1#NAME)."
            )
