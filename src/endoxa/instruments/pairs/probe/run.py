"""Sentence pairs and models in, one record per pair, model and rule out.

Pairs are read in chunks; for each model a chunk's requests are answered (from the journal, else by the model) and
its rows written to the journal; when every model is through, rows and pairs are joined into `records.parquet`.
Memory grows with the chunk, not with the file. The share of tokens that a model's tokenizer does not know is
recorded by language: such scores look like any others and mean little.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, cast

from endoxa.errors import UserError
from endoxa.instruments.pairs.estimates.deciding import denials_note
from endoxa.instruments.pairs.probe.calibration import Comparisons
from endoxa.instruments.pairs.probe.items import (
    LOOKED_AT,
    Chunk,
    available,
    chunks,
    comparisons_of,
    group_notes,
    items_of,
    language_notes,
    neutral_notes,
    require_items,
)
from endoxa.instruments.pairs.probe.records import Journal, Row, write_records
from endoxa.instruments.pairs.probe.scoring import (
    Begun,
    Line,
    begin,
    finish,
    lines_of,
    rounding,
    rounds,
    rows_of,
    sampled,
)
from endoxa.instruments.pairs.probe.settings import PairsSettings
from endoxa.instruments.pairs.rules import DEFAULT_RULES, RULES
from endoxa.models.scoring import WORTH_SAYING, look_at, open_reader, parse_model
from endoxa.models.spec import ModelSpec
from endoxa.runs.executors import begun_ahead, scoring_model
from endoxa.runs.folder import NOTES
from endoxa.runs.instrument import Work
from endoxa.runs.items import counted, each_once
from endoxa.schema import Architecture, Model, Progress, Rule, Score, Unscorable
from endoxa.schema.options import deciding
from endoxa.sources.check.wording import negates
from endoxa.sources.files import require_file, sha256
from endoxa.sources.read import recognise
from endoxa.sources.sources import locate
from endoxa.sources.tables import counted_sources


def fit_rules(
    architectures: Mapping[str, Architecture], names: Sequence[str]
) -> tuple[dict[str, list[Rule]], list[dict[str, str]]]:
    """The rules each model is scored with, and which of them are not for a model (`model`, `rule`, `reason`).

    Args:
        architectures: architecture of each model, by name.
        names: rules asked for; none takes the usual rule of each architecture.

    Raises:
        UserError: unknown rule, a rule named twice, or a rule that is for none of the models.
    """
    if not names:
        return {model: [RULES.get(DEFAULT_RULES[kind])] for model, kind in architectures.items()}, []
    twice = [name for k, name in enumerate(names) if name in names[:k]]
    if twice:
        raise UserError(f"The rule '{twice[0]}' is given twice. Name each rule once.")
    rules = [RULES.get(name) for name in names]
    for rule in rules:
        if rule.architecture not in architectures.values():
            kinds = ", ".join(f"'{model}' is {kind}" for model, kind in architectures.items())
            fitting = [r.name for r in RULES.all().values() if r.architecture in architectures.values()]
            raise UserError(
                f"The rule '{rule.name}' applies only to {rule.architecture} models, but none was given ({kinds}). "
                f"Rules that fit: {', '.join(fitting)}."
            )
    fitted = {model: [r for r in rules if r.architecture == kind] for model, kind in architectures.items()}
    skipped = [
        {
            "model": model,
            "rule": rule.name,
            "reason": f"{rule.name} is for {rule.architecture} models and this one is {kind}",
        }
        for model, kind in architectures.items()
        for rule in rules
        if rule.architecture != kind
    ]
    return fitted, skipped


log = logging.getLogger(__name__)


def unknown_tokens(model: Model, chunk: Chunk) -> dict[str, float]:
    """Share of unknown tokens by language, in the sentences of one chunk; empty where the model does not tell."""
    texts: dict[str, list[str]] = {}
    for item in chunk.items:
        texts.setdefault(item["language"], []).extend((item["sent_more"], item["sent_less"]))
    shares = {language: model.unknown_share(sentences) for language, sentences in sorted(texts.items())}
    measured = {language: share for language, share in shares.items() if share is not None}
    for language, share in measured.items():
        if share > WORTH_SAYING:
            log.warning(
                "%s: %.0f %% of the tokens of its '%s' sentences are unknown to the tokenizer; the scores are "
                "unreliable",
                model.name,
                100 * share,
                language,
            )
    return measured


SHORT = 20
"""Characters below which a sentence might be a single token."""


_READABLE = Score(0.0, 1)
"""In place of the score of a text that a model can read."""


@dataclass(frozen=True, slots=True)
class Scoring:
    """The run as all its steps see it."""

    settings: PairsSettings
    data: Path
    items: int
    journal: Journal
    progress: Progress
    comparisons: Comparisons | None


def denial_notes(path: Path, settings: PairsSettings, comparisons: Comparisons | None) -> Iterator[str]:
    """What is to be said first where nearly all pairs set a sentence against its denial.

    Looks at the first pairs only.
    """
    first = list(islice(items_of(path, settings), LOOKED_AT))
    denied = [
        item
        for item in first
        if negates(item["sent_more"], item["sent_less"], (item["language"] or "").split("-")[0])
    ]
    if sentence := denials_note(denied, comparisons, len(first)):
        yield sentence


def pairs_work(settings: PairsSettings, out: Path) -> Work:
    """Every pair under every model and every rule that fits.

    Raises:
        UserError: any user error in data, models, rules or settings.
    """
    data = locate(settings.data)
    require_file(data)
    read_as = settings.format or ("native" if settings.columns else recognise(data).name)
    _refuse_repeated(settings.models)
    specs = [parse_model(text) for text in settings.models]
    facts = {spec.text: look_at(spec, settings.options) for spec in specs}
    rules, skipped = fit_rules({name: fact.architecture for name, fact in facts.items()}, settings.rules)
    digest = sha256(data)
    loading = deciding(settings.options, of_models=True)
    comparisons = comparisons_of(data, settings)

    def measure(
        journal: Journal, items: int, before: Mapping[str, Any], progress: Progress
    ) -> dict[str, Any]:
        work = Scoring(settings, data, items, journal, progress, comparisons)
        done = before.get("models", []) if before.get("finished") else []
        if done:
            journal.restore(out, [(spec.text, [rule.name for rule in rules[spec.text]]) for spec in specs])
        scored = [len(model["rules"]) for model in done] + [0] * (len(specs) - len(done))
        missing = [
            (number, spec, scored[number])
            for number, spec in enumerate(specs)
            if number >= len(done) or scored[number] < len(rules[spec.text])
        ]
        for number, spec, first in missing if not settings.skip_unscorable else ():
            if rules[spec.text]:
                _require_scorable(work, number, spec, rules[spec.text], first)
        models = dict(enumerate(done))
        for number, spec, first in missing:
            earlier = models.get(number, {})
            facts = _score_model(work, number, spec, rules[spec.text], first)
            if noise := {**earlier.get("rounding", {}), **facts.pop("rounding")}:
                facts["rounding"] = noise
            models[number] = earlier | facts
        return {"models": [models[number] for number in range(len(specs))]}

    def write(journal: Journal, out: Path) -> dict[str, int]:
        names = [[rule.name for rule in rules[spec.text]] for spec in specs]
        records, unscored = write_records(data, settings, journal, out, names)
        return {"records": records, "unscored": unscored}

    return Work(
        settings=settings,
        models=[{"name": fact.name, "fingerprint": fact.fingerprint, **loading} for fact in facts.values()],
        contents={"data": digest},
        facts={
            "notice": settings.notice,
            "data": {
                "path": settings.data,
                "sha256": digest,
                "format": read_as,
                "sources": counted_sources(data),
                NOTES: [
                    *denial_notes(data, settings, comparisons),
                    *language_notes(data, settings, comparisons),
                    *neutral_notes(data, settings, comparisons),
                    *group_notes(data, settings),
                ],
                "options": {
                    "prefix": settings.prefix,
                    "template": settings.template,
                    **({"columns": dict(settings.columns)} if settings.columns else {}),
                    **({"identities": sha256(settings.identities)} if settings.identities else {}),
                },
            },
            "models": [],
            "rules": list(settings.rules),
            "skipped": skipped,
        },
        journal=Journal,
        scan=lambda journal: _count(data, settings, journal),
        measure=measure,
        write=write,
        available=counted(lambda: available(data, settings), settings),
        growing=("rules",),
        keeps_journal=False,
    )


def _score_model(
    work: Scoring, number: int, spec: ModelSpec, rules: Sequence[Rule], first: int
) -> dict[str, Any]:
    """Bring every chunk's rows of one model into the journal; returns the model's facts for `run.json`.

    Args:
        work: the run.
        number: the model's number.
        spec: the model.
        rules: all its rules.
        first: number of the first that is not scored yet.
    """
    work.progress(f"loading {spec.text}", 0, work.items)
    unknown: dict[str, float] = {}
    noise: dict[str, Any] = {}
    with scoring_model(spec, work.settings.options, work.settings.engine) as (model, ahead):
        if rules:
            unknown = unknown_tokens(model, next(chunks(work.data, work.settings)))
            if not work.settings.skip_unscorable and not spec.runs_here:  # others passed `_require_scorable`
                checking = f"checking lengths with {model.name}"
                doubtful = _doubtful(work, model.max_tokens)
                _score_chunks(work, number, model, rules, doubtful, ahead=ahead, first=first, what=checking)
            scoring = f"scoring with {model.name}"
            all_chunks = chunks(work.data, work.settings)
            _score_chunks(work, number, model, rules, all_chunks, ahead=ahead, first=first, what=scoring)
            if rounds(model.describe().get("dtype")):
                chosen = _sampled(work, f"measuring the rounding of {model.name}")
                noise = rounding(
                    model, number, rules, chosen, work.journal, comparisons=work.comparisons, first=first
                )
        names = [rule.name for rule in rules]
        return {**model.describe(), "unknown_tokens": unknown, "rules": names, "rounding": noise}


def _sampled(work: Scoring, what: str) -> Iterator[Chunk]:
    """The pairs that are scored twice, a chunk for each."""
    numbers = sampled(work.items, work.settings.seed)
    for chunk in chunks(work.data, work.settings):
        work.progress(what, chunk.first, work.items)
        for k, item in enumerate(chunk.items):
            if chunk.first + k in numbers:
                yield Chunk(chunk.first + k, [item])


def _require_scorable(work: Scoring, number: int, spec: ModelSpec, rules: Sequence[Rule], first: int) -> None:
    """Refuse what the model cannot score before any model is scored; nothing but its tokenizer is loaded.

    A model on a server, or held by a Python program, tells only when it is asked.

    Raises:
        UserError: a pair cannot be scored, or the tokenizer cannot be used.
    """
    work.progress(f"checking the pairs with {spec.text}", 0, work.items)
    reader = open_reader(spec, work.settings.options)
    if reader is None:
        return
    model = cast("Model", reader)  # rules ask for name and tokenizer only
    for chunk in _doubtful(work, reader.max_tokens):
        lines, requests = lines_of(chunk.items, chunk.first, rules, model, comparisons=None, first_rule=first)
        read = zip(requests, reader.read(list(requests.values())), strict=True)
        results = {key: result if isinstance(result, Unscorable) else _READABLE for key, result in read}
        _rows(work, chunk, list(rows_of(lines, rules, number, results)))


def _doubtful(work: Scoring, max_tokens: int | None) -> Iterator[Chunk]:
    """The sentences that might not be scored, so that a refusal comes before hours of work.

    They might be too long or too short, or hold special tokens; one of each language, because a model may lack it. A
    token covers at least one byte, so only sentences of more bytes than the model has positions can be too long.
    """
    languages: set[str] = set()
    for chunk in chunks(work.data, work.settings):
        for k, item in enumerate(chunk.items):
            texts = (item["sent_more"], item["sent_less"], item["prompt"] or "")
            longest = max(len(text.encode()) for text in texts)
            too_long = max_tokens is not None and longest + 2 > max_tokens
            too_short = any(len(text) < SHORT and " " not in text.strip() for text in texts[:2])
            special = any(sign in text for text in texts for sign in "<[")
            if too_long or too_short or special or item["language"] not in languages:
                languages.add(item["language"])
                yield Chunk(chunk.first + k, [item])


def _score_chunks(
    work: Scoring,
    number: int,
    model: Model,
    rules: Sequence[Rule],
    several: Iterable[Chunk],
    *,
    ahead: int,
    first: int,
    what: str,
) -> None:
    """Bring the rows of chunks into the journal, in their order; `ahead` of them are sent before the first is read.

    Rules before number `first` have theirs.
    """
    under_way: set[bytes] = set()

    def begun() -> Iterator[tuple[Chunk, list[Line], Begun | None]]:
        for chunk in several:
            if work.journal.count_records(number, chunk.first, chunk.last) == len(chunk.items) * len(rules):
                yield chunk, [], None
                continue
            lines, requests = lines_of(
                chunk.items,
                chunk.first,
                rules,
                model,
                comparisons=work.comparisons,
                first_rule=first,
            )
            yield chunk, lines, begin(model, number, requests, work.journal, under_way)

    for chunk, lines, sent in begun_ahead(begun(), ahead):

        def advance(share: float, chunk: Chunk = chunk) -> None:
            work.progress(what, chunk.first + share * len(chunk.items), work.items)

        if sent is not None:
            advance(0)
            results = finish(sent, number, work.journal, advance)
            under_way.difference_update(sent.missing)
            work.journal.add_records(_rows(work, chunk, list(rows_of(lines, rules, number, results))))
        advance(1)


def _rows(work: Scoring, chunk: Chunk, rows: list[Row]) -> list[Row]:
    """The rows of a chunk.

    Raises:
        UserError: a pair cannot be scored, and such pairs are not to be left out.
    """
    problems = [row for row in rows if row.problem]
    if problems and not work.settings.skip_unscorable:
        item = chunk.items[problems[0].item - chunk.first]
        raise UserError(
            f"{work.data}, pair {problems[0].item + 1} ('{item['item_id']}'): {problems[0].problem}. Correct or remove "
            "the pair, or pass --skip-unscorable to leave such pairs out and list them."
        )
    return rows


def _count(data: Path, settings: PairsSettings, journal: Journal) -> int:
    """Number of items.

    Raises:
        UserError: none is left, or two have one id.
    """

    def repeated(name: str, first: int, second: int) -> str:
        return (
            f"{data}: pairs {first} and {second} have the same item id '{name}'. Make ids unique; `endoxa datasets "
            "check` lists all duplicates."
        )

    items = items_of(data, settings)
    count = sum(1 for _ in each_once(items, lambda item: str(item["item_id"]), journal, repeated))
    require_items(count, data, settings)
    return count


def _refuse_repeated(models: Sequence[str]) -> None:
    if not models:
        raise UserError(
            "No model was given: name at least one with --model, for example hf/openai-community/gpt2."
        )
    if twice := [name for k, name in enumerate(models) if name in models[:k]]:
        raise UserError(f"The model '{twice[0]}' is given twice. Name each model once.")
