"""Sentence pairs and models in, one record per pair, model and rule out; before it, what the run can show at all.

Pairs are read in chunks; for each model a chunk's requests are answered (from the journal, else by the model) and
its rows written to the journal; when every model is through, rows and pairs are joined into `records.parquet`.
Memory grows with the chunk, not with the file. The share of tokens that a model's tokenizer does not know is
recorded by language: such scores look like any others and mean little.
"""

from __future__ import annotations

import logging
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from math import isnan
from pathlib import Path
from typing import Any, cast

import numpy as np
import polars as pl

from endoxa.errors import UserError
from endoxa.instruments.pairs.estimates.inference import denials_note
from endoxa.instruments.pairs.estimates.records import attributes_of
from endoxa.instruments.pairs.options import PairsSettings
from endoxa.instruments.pairs.probe.items import (
    GROUP,
    LOOKED_AT,
    Chunk,
    Comparisons,
    available,
    chunks,
    comparisons_of,
    group_notes,
    has_groups,
    items_of,
    language_notes,
    require_items,
)
from endoxa.instruments.pairs.probe.scoring import (
    Begun,
    Journal,
    Row,
    Task,
    rounds,
    sampled,
    write_records,
)
from endoxa.instruments.pairs.rules import DEFAULT_RULES, RULES
from endoxa.models.scoring import WORTH_SAYING, look_at, open_reader, parse_model
from endoxa.models.spec import ModelSpec
from endoxa.runs.executors import begun_ahead, scoring_model
from endoxa.runs.folder import NOTES
from endoxa.runs.instrument import Plan, Work
from endoxa.runs.journal import counted, each_once, untestable
from endoxa.schema import ALL, PAIR_COLUMNS, Architecture, Model, Progress, Rule, Score, Unscorable
from endoxa.schema.options import deciding
from endoxa.sources.check.wording import negates
from endoxa.sources.files import require_file, sha256
from endoxa.sources.identities import identity_key
from endoxa.sources.read import recognise
from endoxa.sources.sources import locate
from endoxa.sources.tables import counted_sources
from endoxa.stats.intervals import NAN
from endoxa.stats.power import (
    ALPHA,
    ASSUMED_CORRELATION,
    detectable_share_independent,
    detectable_share_of,
)
from endoxa.stats.signs import fewest_units
from endoxa.stats.verdicts import significance


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
    _refuse_repeated("rule", names)
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
    measured: dict[str, float] = {}
    for language, sentences in sorted(texts.items()):
        if (share := model.unknown_share(sentences)) is not None:
            measured[language] = share
        if share is not None and share > WORTH_SAYING:
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

    def chunks(self) -> Iterator[Chunk]:
        """All items."""
        return chunks(self.data, self.settings)

    def refuse_unscorable(self, chunk: Chunk, rows: Sequence[Row]) -> None:
        """Refuse a pair that cannot be scored, unless such pairs are to be left out.

        Raises:
            UserError: there is one.
        """
        problems = [row for row in rows if row.problem]
        if problems and not self.settings.skip_unscorable:
            place, item = problems[0].item, chunk.items[problems[0].item - chunk.first]
            raise UserError(
                f"{self.data}, pair {place + 1} ('{item['item_id']}'): {problems[0].problem}. Correct or remove the "
                "pair, or pass --skip-unscorable to leave such pairs out and list them."
            )


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
    if not settings.models:
        raise UserError("No model was given: name one with --model, for example hf/openai-community/gpt2.")
    _refuse_repeated("model", settings.models)
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
        missing = list(enumerate(specs))[len(done) :]
        for number, spec in missing if not settings.skip_unscorable else ():
            if rules[spec.text]:
                _require_scorable(work, number, spec, rules[spec.text])
        scored = [_score_model(work, number, spec, rules[spec.text]) for number, spec in missing]
        return {"models": [*done, *scored]}

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
        keeps_journal=False,
    )


def _score_model(work: Scoring, number: int, spec: ModelSpec, rules: Sequence[Rule]) -> dict[str, Any]:
    """Bring every chunk's rows of one model into the journal; returns the model's facts for `run.json`."""
    work.progress(f"loading {spec.text}", 0, work.items)
    unknown: dict[str, float] = {}
    noise: dict[str, Any] = {}
    with scoring_model(spec, work.settings.options, work.settings.engine) as (model, ahead):
        task = Task(number, model, rules, work.journal, work.comparisons)
        if rules:
            unknown = unknown_tokens(model, next(work.chunks()))
            if not work.settings.skip_unscorable and not spec.runs_here:  # others passed `_require_scorable`
                doubtful = _doubtful(work, model.max_tokens)
                _score_chunks(work, task, doubtful, f"checking lengths with {model.name}", ahead)
            _score_chunks(work, task, work.chunks(), f"scoring with {model.name}", ahead)
            if rounds(model.describe().get("dtype")):
                noise = task.rounding(_sampled(work, f"measuring the rounding of {model.name}"))
        names = [rule.name for rule in rules]
        facts = {**model.describe(), "unknown_tokens": unknown, "rules": names}
        return facts | ({"rounding": noise} if any(noise.values()) else {})


def _sampled(work: Scoring, what: str) -> Iterator[Chunk]:
    """The pairs that are scored twice, a chunk for each."""
    numbers = sampled(work.items, work.settings.seed)
    for chunk in work.chunks():
        work.progress(what, chunk.first, work.items)
        yield from (single for single in chunk.singles() if single.first in numbers)


def _require_scorable(work: Scoring, number: int, spec: ModelSpec, rules: Sequence[Rule]) -> None:
    """Refuse what the model cannot score before any model is scored; nothing but its tokenizer is loaded.

    A model on a server, or held by a Python program, tells only when it is asked.

    Raises:
        UserError: a pair cannot be scored, or the tokenizer cannot be used.
    """
    work.progress(f"checking the pairs with {spec.text}", 0, work.items)
    reader = open_reader(spec, work.settings.options)
    if reader is None:
        return
    # Rules ask for name and tokenizer only.
    task = Task(number, cast("Model", reader), rules, work.journal, None)
    for chunk in _doubtful(work, reader.max_tokens):
        lines, requests = task.needs(chunk)
        read = zip(requests, reader.read(list(requests.values())), strict=True)
        results = {key: result if isinstance(result, Unscorable) else _READABLE for key, result in read}
        work.refuse_unscorable(chunk, list(task.rows(lines, results)))


def _doubtful(work: Scoring, max_tokens: int | None) -> Iterator[Chunk]:
    """The sentences that might not be scored, so that a refusal comes before hours of work.

    They might be too long or too short, or hold special tokens; one of each language, because a model may lack it. A
    token covers at least one byte, so only sentences of more bytes than the model has positions can be too long.
    """
    languages: set[str] = set()
    for chunk in work.chunks():
        for single in chunk.singles():
            (item,) = single.items
            texts = (item["sent_more"], item["sent_less"], item["prompt"] or "")
            longest = max(len(text.encode()) for text in texts)
            too_long = max_tokens is not None and longest + 2 > max_tokens
            too_short = any(len(text) < SHORT and " " not in text.strip() for text in texts[:2])
            special = any(sign in text for text in texts for sign in "<[")
            if too_long or too_short or special or item["language"] not in languages:
                languages.add(item["language"])
                yield single


def _score_chunks(work: Scoring, task: Task, several: Iterable[Chunk], what: str, ahead: int) -> None:
    """Bring the rows of chunks into the journal, in their order; `ahead` of them are sent before the first is read."""
    under_way: set[bytes] = set()

    def begun() -> Iterator[tuple[Chunk, Begun | None]]:
        for chunk in several:
            finished = work.journal.count_records(task.number, chunk.first, chunk.last)
            done = finished == len(chunk.items) * len(task.rules)
            yield chunk, None if done else task.begin(chunk, under_way)

    for chunk, sent in begun_ahead(begun(), ahead):

        def advance(share: float, chunk: Chunk = chunk) -> None:
            work.progress(what, chunk.first + share * len(chunk.items), work.items)

        if sent is not None:
            advance(0)
            rows = task.finish(sent, advance)
            under_way.difference_update(sent.missing)
            work.refuse_unscorable(chunk, rows)
            work.journal.add_records(rows)
        advance(1)


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


def _refuse_repeated(noun: str, names: Sequence[str]) -> None:
    if twice := [name for k, name in enumerate(names) if name in names[:k]]:
        raise UserError(f"The {noun} '{twice[0]}' is given twice. Name each {noun} once.")


def detectable_ratios(pairs: int, identities: int, attributes: int) -> tuple[float, float, float]:
    """Smallest preference ratios that a planned run tells from 0.5, before any correction for many tests.

    Identities are taken to have as many pairs each, and so are attributes.

    Args:
        pairs: their number.
        identities: number of identities that they are about.
        attributes: number of attributes, or of pairs where none recurs.

    Returns:
        The ratio where pairs are independent; where answers about one identity, and about one attribute, are
        correlated; and where pairs that share an identity always answer alike. NaN where the test cannot become
        significant.
    """
    best, worst = detectable_share_independent(pairs), detectable_share_independent(identities)
    needed = fewest_units(ALPHA)
    if identities < needed:
        return best, NAN, worst
    # As in the analysis: too few attributes are no sample, and a kind without recurring units lies within the other.
    counts = [count for count in (identities, attributes) if needed <= count < pairs]
    sizes = [pairs // count + (np.arange(count) < pairs % count) for count in counts or [identities]]
    excess = sum(float((kind**2).sum()) / pairs - 1 for kind in sizes)
    return best, detectable_share_of(sizes, 1 + ASSUMED_CORRELATION * excess), worst


def cells(path: Path, settings: PairsSettings) -> tuple[dict[tuple[str, str], tuple[int, int, int]], str]:
    """What is planned: numbers by cell, and what it costs as a sentence (for `--plan`).

    Returns:
        Numbers of pairs, identities and attributes by language and axis, those of all first; then how many sentences a
        model scores under a rule, and how many of them are about others.

    Raises:
        UserError: nothing is left after the filters.
    """
    pairs: Counter[tuple[str, str]] = Counter()
    identities: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    attributes: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    comparisons = comparisons_of(path, settings)
    stated, others = set[str](), set[str]()
    for chunk in chunks(path, settings):
        items = pl.DataFrame(chunk.items, schema=dict.fromkeys(PAIR_COLUMNS, pl.String))
        for item, attribute in zip(chunk.items, attributes_of(items), strict=True):
            # A pair without a named identity stands for itself, as in the analysis; one without a group is none.
            key = identity_key(item["identity_key"] or item["identity"] or item["item_id"])
            identity = key if item[GROUP] is None else item[GROUP]
            for cell in ((ALL, ALL), (item["language"], item["axis"])):
                pairs[cell] += 1
                identities[cell].update([identity] if identity else [])
                attributes[cell].add(attribute)
            stated.update((item["sent_more"], item["sent_less"]))
            for pair in comparisons.of(item)[1] if comparisons else ():
                others.update((pair.sent_more, pair.sent_less))
    require_items(pairs.total(), path, settings)
    ordered = sorted(pairs, key=lambda cell: (cell != (ALL, ALL), cell))
    beside = f", {len(others - stated)} of them about others (--no-calibrate leaves these out)" * bool(others)
    cost = f"Sentences for each model and rule: {len(stated | others)}{beside}."
    return {cell: (pairs[cell], len(identities[cell]), len(attributes[cell])) for cell in ordered}, cost


def plan_table(settings: PairsSettings) -> Plan:
    """What each language and axis of the data can show, before anything is scored.

    Raises:
        UserError: the data cannot be read, or nothing is left after the filters.
    """
    data = locate(settings.data)
    planned, cost = cells(data, settings)
    needed = fewest_units(significance(settings.confidence))
    few_groups = (
        " Identities are groups; of fewer than six the best case applies, to these groups as they are."
    )
    note = (
        "Best: all pairs independent. Expected: answers about one identity correlated 0.1, and those about one "
        "attribute too. Worst: all pairs about one identity answered alike. Ratios below 0.5: the mirror image. "
        f"Before correction for several tests.\n{cost}{few_groups if has_groups(data, settings) else ''}"
    )
    warning = untestable(settings, planned[ALL, ALL][1], "identities", needed)
    return Plan(
        title="Smallest detectable preference ratio (power 0.8, two-sided 0.05)",
        columns=("language", "axis", "pairs", "identities", "attributes", "best", "expected", "worst"),
        texts=2,
        rows=tuple(
            (
                *(*cell, str(pairs), str(identities), str(attributes) if attributes < pairs else ""),
                *(
                    "none" if isnan(ratio) else f"{ratio:.3f}"
                    for ratio in detectable_ratios(pairs, identities, attributes)
                ),
            )
            for cell, (pairs, identities, attributes) in planned.items()
        ),
        note="\n".join(filter(None, (note, warning))),
    )
