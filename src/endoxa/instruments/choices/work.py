"""`endoxa probe choices`: from items and models to raw answers and how each was read, and the plan of a run."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from endoxa.errors import UserError
from endoxa.instruments.choices.answers import Outcome, outcomes_of, read_choice, read_words
from endoxa.instruments.choices.jobs import (
    Presentation,
    expected_work,
    filtered,
    items,
    jobs,
    presentations_of,
    shown,
)
from endoxa.instruments.choices.options import ChoiceSettings
from endoxa.instruments.choices.wording import templates_of
from endoxa.models.chat.spec import ChatSpec
from endoxa.models.chat.thoughts import no_text
from endoxa.runs.asking.cost import Planned, parse_models, planned
from endoxa.runs.asking.journal import AnswerJournal
from endoxa.runs.asking.likelihoods import (
    FINISH,
    Options,
    likeliest,
    option_scores,
    require_likelihoods,
    scorer,
)
from endoxa.runs.asking.outcomes import AnswerCounts, count_answers
from endoxa.runs.asking.run import Questions, asking_work
from endoxa.runs.estimates import parquet_in_parts
from endoxa.runs.folder import RECORDS
from endoxa.runs.instrument import Work
from endoxa.runs.journal import chunked, counted, each_once
from endoxa.schema import ChatAnswer
from endoxa.schema.choices import (
    ANTI,
    CHOICE_RECORD_COLUMNS,
    NEITHER,
    REFUSED,
    SCORES,
    STEREOTYPE,
    UNDETERMINED,
    UNREAD,
    ChoiceItem,
    Word,
)
from endoxa.sources.files import require_file, sha256
from endoxa.sources.frames import column_types

_COUNTS = ("wording", "repeat", "seed", "prompt_tokens", "completion_tokens", "reasoning_tokens")
_NUMBERS = ("score", "p_stereotype", "p_anti", "p_undetermined")
TYPES = column_types(
    CHOICE_RECORD_COLUMNS, texts=CHOICE_RECORD_COLUMNS.keys() - {*_COUNTS, *_NUMBERS}, counts=_COUNTS
)
_OF_ITEM = (
    *(
        "item_id",
        "association_id",
        "kind",
        "identity",
        "identity_key",
        "reference",
        "attribute",
        "counterpart",
    ),
    *("axis", "region", "language", "situation", "wording", "premise"),
)
"""Columns that are fields of the item."""

ROUNDING = 1e-9
"""Part of the largest log-probability below which two sums are equal but for the order of adding."""


def choices_work(settings: ChoiceSettings, _out: Path) -> Work:
    """Every item in both orders to every model.

    Raises:
        UserError: any user error in data, models or settings.
    """
    path = Path(settings.data)
    require_file(path)
    specs = specs_of(settings)
    digest = sha256(path)

    def scored() -> Iterator[list[Options]]:
        for presentations in _presented(settings):
            yield [_options(each, settings) for each in presentations]

    return asking_work(
        Questions(
            settings=settings,
            specs=specs,
            contents={"data": digest},
            data={"path": settings.data, "sha256": digest},
            scan=partial(scan, settings),
            jobs=lambda: jobs(settings),
            turns=1,
            calls=settings.calls_per_item,
            write=partial(write_records, settings),
            outcomes=answer_counts,
            files={path: digest},
            available=counted(lambda: filtered(settings), settings),
            score=scorer(settings, specs, scored) if settings.by_likelihood else None,
        )
    )


def specs_of(settings: ChoiceSettings) -> list[ChatSpec]:
    """The models of a run.

    Raises:
        UserError: none, one that is there twice or cannot be read, or one that cannot be asked this way.
    """
    specs = parse_models(settings.models)
    if settings.by_likelihood:
        require_likelihoods(settings, specs, settings.ask)
    lists = (item for item in items(settings) if item.kind == "association")
    if settings.ask == "loglik-mean" and (item := next(lists, None)):
        raise UserError(
            f"--ask loglik-mean is for inferences and decisions; '{item.item_id}' is a word list. Take --ask loglik."
        )
    return specs


def _presented(settings: ChoiceSettings) -> Iterator[list[Presentation]]:
    """Every presentation of a run, a chunk of items at a time."""
    for first, chunk in chunked(items(settings)):
        yield [each for k, item in enumerate(chunk) for each in presentations_of(item, first + k, settings)]


def _options(presentation: Presentation, settings: ChoiceSettings) -> Options:
    item = presentation.item
    answer = templates_of(item.language).answer
    examples = [f"{asked}\n\n{answer} {answered}" for asked, answered in settings.examples]
    prompt = "\n\n".join((*examples, settings.framed(shown(presentation)), answer))
    options = item.options
    if item.kind == "association":
        options = tuple(f"{word.text} - {group}" for word in item.words for group in item.options)
    return Options(presentation.number, item.item_id, prompt, options, item.language)


def scan(settings: ChoiceSettings, journal: AnswerJournal | None = None) -> int:
    """Number of items.

    Raises:
        UserError: none is left after the filters, or two have one id.
    """

    def repeated(name: str, first: int, second: int) -> str:
        return f"{settings.data}: the item '{name}' appears twice (items {first} and {second}). Make item_id unique."

    each = each_once(items(settings), lambda item: item.item_id, journal, repeated)
    number = sum(1 for _ in each)
    if not number:
        wanted = f" in the language {', '.join(settings.languages)}" if settings.languages else ""
        raise UserError(f"{settings.data} contains no item{wanted}. Expected at least one.")
    return number


def write_records(settings: ChoiceSettings, journal: AnswerJournal, out: Path) -> dict[str, int]:
    """Write `records.parquet` into the run folder; returns the number of its rows."""
    records = 0
    with parquet_in_parts(out / RECORDS) as add:
        for presentations in _presented(settings):
            rows: list[dict[str, Any]] = []
            for number, model in enumerate(settings.models):
                answers = journal.answers(number, presentations[0].number, presentations[-1].number)
                for each in presentations:
                    rows += _rows(each, model, settings.ask, answers[each.number][-1])
            add(pl.DataFrame(rows, schema=TYPES, orient="row"))
            records += len(rows)
    return {"records": records}


def _rows(presentation: Presentation, model: str, ask: str, answer: ChatAnswer) -> Iterator[dict[str, Any]]:
    """The record of an answer; of a word list one for each word."""
    item, scored = presentation.item, answer.finish == FINISH
    shared = {
        **{name: getattr(item, name) for name in _OF_ITEM},
        **{name: getattr(answer, name) for name in ("reasoning", "served_model", "finish", "error")},
        **{name: getattr(answer.usage, name) for name in _COUNTS if name.endswith("_tokens")},
        "model": model,
        "ask": ask,
        "repeat": presentation.repeat,
        "seed": presentation.seed,
        "order": "".join(map(str, presentation.order)),
        "first": "" if item.kind == "inference" else ("identity", "reference")[presentation.order[0]],
        "answer": answer.text,
    }
    if item.kind != "association":
        yield shared | (
            _scored_cells(answer.text, item, ask) if scored else _read_cells(presentation, answer)
        )
        return
    if scored:
        by_word = _scored_words(answer.text, item.words)
    else:
        read = read_words(answer.text, item.words, item.options, item.language)
        by_word = {word: _cells(_as_sent(outcome, answer)) for word, outcome in read.items()}
    for word in item.words:
        of_word = {
            "association_id": word.association_id,
            "identity": item.options[word.group],
            "identity_key": item.identity_key if word.group == 0 else f"{item.identity_key}/other",
            "reference": item.options[1 - word.group],
            "attribute": word.text,
            "first": "identity" if presentation.order[0] == word.group else "reference",
        }
        yield {**shared, **of_word, **by_word[word.text]}


def _read_cells(presentation: Presentation, answer: ChatAnswer) -> dict[str, Any]:
    if without_text := no_text(answer):
        return _cells(Outcome(UNREAD, without_text))
    return _cells(_as_sent(read_choice(answer.text, presentation.item, presentation.order), answer))


def _as_sent(outcome: Outcome, answer: ChatAnswer) -> Outcome:
    """The outcome; a refusal where nothing was read and the provider says that the model refused."""
    return Outcome(REFUSED, "provider") if answer.refused and outcome.outcome == UNREAD else outcome


def _cells(outcome: Outcome) -> dict[str, Any]:
    return {"outcome": outcome.outcome, "rule": outcome.rule, "score": SCORES.get(outcome.outcome)}


def _scored_cells(text: str, item: ChoiceItem, ask: str) -> dict[str, Any]:
    """Outcome of the likeliest option, the last in a tie, and probabilities among the options."""
    scores = np.array(option_scores(text, ask))
    weights = np.exp(scores - scores.max())
    probabilities = weights / weights.sum()
    outcomes = outcomes_of(item)
    names = {STEREOTYPE: "p_stereotype", ANTI: "p_anti", UNDETERMINED: "p_undetermined"}
    presented = {names[outcome]: float(p) for outcome, p in zip(outcomes, probabilities, strict=False)}
    chosen = likeliest(text, ask)
    return {**_cells(Outcome(outcomes[2 if chosen is None else chosen], ask)), **presented}


def _scored_words(text: str, words: Sequence[Word]) -> Mapping[str, Mapping[str, Any]]:
    """Outcome of each word of a list whose groups were scored behind it, and probabilities of the groups.

    The name of one group may be the more probable one whatever the word. So the difference between both is compared
    with its mean over the words of the list, those of either group weighing as much (batch calibration).
    """
    scores = np.array(option_scores(text, "loglik")).reshape(len(words), 2)
    lean = scores[:, 0] - scores[:, 1]
    group = np.array([word.group for word in words])
    lean -= np.mean([lean[group == side].mean() for side in set(group.tolist())])
    lean[np.abs(lean) <= ROUNDING * np.abs(scores).max()] = 0.0
    agreeing = np.where(group == 0, lean, -lean)
    cells = {}
    for word, value in zip(words, agreeing.tolist(), strict=True):
        probability = 1 / (1 + math.exp(-value))
        outcome = Outcome(STEREOTYPE if value > 0 else ANTI if value < 0 else NEITHER, "loglik")
        cells[word.text] = {**_cells(outcome), "p_stereotype": probability, "p_anti": 1 - probability}
    return cells


def answer_counts(folder: Path) -> tuple[AnswerCounts, ...]:
    """What became of the answers, by kind; a word list was read where one of its words was."""
    answers = (
        pl.scan_parquet(folder / RECORDS)
        .group_by("model", "kind", "item_id", "repeat", "order", maintain_order=True)
        .agg(
            pl.col("finish", "error", "answer").first(),
            read=pl.col("score").is_not_null().any(),
            refused=(pl.col("outcome") == REFUSED).all(),
        )
        .select(
            "model",
            "finish",
            "error",
            "read",
            "refused",
            context="kind",
            blank=pl.col("answer").fill_null("").str.strip_chars() == "",
        )
    )
    return count_answers(answers)


def plan_choices(settings: ChoiceSettings) -> list[Planned]:
    """Expected calls, tokens and cost by model.

    Raises:
        UserError: as a run, for data and the names of models.
    """
    specs = specs_of(settings)
    scan(settings)
    expected, longest = (expected_work(settings, longest=each) for each in (False, True))
    return planned(settings, specs, expected, longest)
