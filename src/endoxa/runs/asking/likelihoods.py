"""Options scored as continuations of a prompt, in place of asking: by the sum of log-probabilities, or per token.

`loglik` compares the sums (nats), `loglik-mean` the sums per token, which does not favour short options. An answer
holds the sum and the number of tokens of each option, so that every run shows what it would be by the other rule.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, islice
from typing import Any

from endoxa.errors import UserError
from endoxa.models.chat.local import model_options
from endoxa.models.chat.spec import ChatSpec
from endoxa.models.scoring import open_reader, parse_model
from endoxa.models.spec import ModelOptions, ModelSpec
from endoxa.runs.asking.calls import Report
from endoxa.runs.asking.jobs import Answered
from endoxa.runs.asking.journal import AnswerJournal
from endoxa.runs.asking.run import Score
from endoxa.runs.asking.settings import ChatRunSettings
from endoxa.runs.executors import begun_ahead, scoring_model
from endoxa.schema import (
    Architecture,
    CausalRequest,
    ChatAnswer,
    CompletionRequest,
    Model,
    Request,
    Sampling,
    Unscorable,
)
from endoxa.schema import Score as OptionScore

FINISH = "scored"
OTHER_RULE = {"loglik": "loglik-mean", "loglik-mean": "loglik"}
"""The other way to compare options."""
RULES = {
    "loglik": "the sum of their log-likelihood over tokens",
    "loglik-mean": "their log-likelihood per token",
}
"""What each way compares."""


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

    Before the first model is loaded, all that follow are checked.

    Args:
        settings: how models are loaded.
        specs: the models of the run.
        chunks: gives everything that is scored anew, a chunk at a time, numbered upwards.
    """
    options = model_options(settings.options)
    checked: set[int] = set()

    def score(number: int, journal: AnswerJournal, report: Report) -> dict[str, Any]:
        for later in range(number, len(specs)):
            if later not in checked:
                _require_scorable(parse_model(specs[later].text), options, chunks())
                checked.add(later)
        with scoring_model(parse_model(specs[number].text), options, settings.engine) as (model, ahead):
            _refuse_masked(model.name, model.architecture)

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


def _require_scorable(spec: ModelSpec, options: ModelOptions, chunks: Iterable[Sequence[Options]]) -> None:
    """Refuse what a local model cannot score; nothing but its tokenizer is loaded.

    A model on a server, or held by a Python program, is asked when its turn comes.

    Raises:
        UserError: a masked model, an item that cannot be scored, or a tokenizer that cannot be used.
    """
    reader = open_reader(spec, options)
    if reader is None:
        return
    _refuse_masked(reader.name, reader.architecture)
    for chunk in chunks:
        for each in chunk:
            for read in reader.read(list(each.requests(reader.architecture))):
                if isinstance(read, Unscorable):
                    raise _unscorable(each, reader.name, read)


def _refuse_masked(model: str, architecture: Architecture) -> None:
    if architecture == "masked":
        raise UserError(
            f"{model} is a masked model and cannot score an option given a question. Use a causal or an "
            "encoder-decoder model."
        )


def _unscorable(options: Options, model: str, result: Unscorable) -> UserError:
    return UserError(
        f"{model} cannot score the item '{options.name}': {result.reason}. Remove the item, or choose "
        "a model that reads longer texts."
    )


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
                raise _unscorable(options, model.name, result)
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
    default = Sampling(max_tokens=settings.sampling.max_tokens)
    options = {
        **{f"--{name}": there for name, there in changed.items()},
        "--set system": settings.system != "",
        "--batch": settings.batch,
        "--max-cost": settings.max_cost is not None,
        "--temperature": settings.sampling.temperature != default.temperature,
        "--set top_p": settings.sampling.top_p != default.top_p,
        "--set reasoning": settings.sampling.reasoning != default.reasoning,
        "--set extra": settings.sampling.extra != default.extra,
    }
    if without_effect := [name for name, there in options.items() if there]:
        raise UserError(
            f"--ask {ask} generates no text, so {', '.join(without_effect)} would have no effect. Leave it out."
        )
    for spec in specs:
        if not spec.host.likelihoods:
            raise UserError(
                f"The model '{spec.text}' does not return probabilities of a given text; --ask {ask} needs "
                "hf/... or a completions server (http://HOST:PORT/v1#NAME)."
            )
