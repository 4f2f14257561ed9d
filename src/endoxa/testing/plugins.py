"""Batteries for what plugs in, ours and other packages': readers, rules, statistics, coefficients, instruments.

Each raises AssertionError with a sentence that names the thing and what is wrong with it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import is_dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal, get_args, get_origin

import numpy as np
import polars as pl
from polars.testing import assert_frame_equal

from endoxa.errors import UserError
from endoxa.instruments.pairs.estimates.inference import method_name
from endoxa.instruments.pairs.estimates.records import take
from endoxa.runs.folder import RECORDS, VECTORS, DifferentRunError
from endoxa.runs.instrument import INSTRUMENTS, Instrument
from endoxa.runs.run import measure, read_run, run
from endoxa.schema import (
    ARCHITECTURES,
    DIRECTIONS,
    PAIR_COLUMNS,
    REQUIRED_PAIR_COLUMNS,
    Model,
    Pair,
    Progress,
    Reader,
    ReadOptions,
    Rule,
    Sample,
    Score,
    Statistic,
    Unscorable,
)
from endoxa.schema.options import GROUPS, MODELS, OptionField, options_of
from endoxa.stats.agreement import Coefficient, Level


def _check_documented(thing: Any, *parts: str) -> None:
    for part in parts:
        text = getattr(thing, part)
        assert isinstance(text, str), f"{thing.name}: `{part}` must be text"
        assert text.strip(), f"{thing.name}: `{part}` is empty"


def refusal(work: Callable[[], Any], *kinds: type[BaseException]) -> str | None:
    """What is said against it; None where nothing is."""
    try:
        work()
    except kinds as problem:
        return str(problem)
    return None


_OPTIONS = ReadOptions()
_DAMAGED = {
    "an empty file": b"",
    "bytes that are no text": bytes(range(128, 256)) * 8,
    "a table of something else": b"colour,price\nred,3\n",
}


def check_reader(reader: Reader) -> None:
    """Run every check of the battery over a reader, with the example file it brings.

    It must document itself, recognise its example, yield frames with exactly the agreed columns and labels
    whatever the chunk size, give the same pairs every time, refuse what is no file of its format with a
    UserError, and, where it can write, read back the same pairs.

    Raises:
        AssertionError: a check failed; the message names the reader and what is wrong with it.
    """
    _check_documented(reader, "name", "title", "example", "units")
    assert reader.suffixes, f"{reader.name}: `suffixes` is empty"
    for suffix in reader.suffixes:
        ending = suffix[:1] == "." and suffix == suffix.lower()
        assert ending, f"{reader.name}: '{suffix}' is no file ending"
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"example{reader.suffixes[0]}"
        path.write_text(reader.example, encoding="utf-8")
        assert reader.recognise(path), f"{reader.name}: does not recognise its own example"
        pairs = pl.concat(reader.read(path, _OPTIONS))
        _check_pairs(reader.name, pairs)
        for rows in (1, 2, pairs.height + 1):
            frames = list(reader.read(path, replace(_OPTIONS, chunk_rows=rows)))
            tallest = max(frame.height for frame in frames)
            assert tallest <= rows, f"{reader.name}: a frame has {tallest} rows where chunk_rows is {rows}"
            same = pl.concat(frames).equals(pairs)
            assert same, f"{reader.name}: chunks of {rows} give other pairs than one chunk"
        _check_damaged(reader, path)


def _check_pairs(name: str, pairs: pl.DataFrame) -> None:
    """The columns and labels of the pairs of an example."""
    wanted = dict.fromkeys(PAIR_COLUMNS, pl.String)
    assert dict(pairs.schema) == wanted, f"{name}: columns are {pairs.schema}, not {wanted}"
    assert pairs.height, f"{name}: the example holds no pairs"
    for column in REQUIRED_PAIR_COLUMNS:
        empty = pairs.filter(pl.col(column).is_null() | (pl.col(column).str.strip_chars() == ""))
        assert empty.is_empty(), f"{name}: '{column}' is empty in {empty.height} pairs of the example"
    assert pairs["item_id"].is_unique().all(), f"{name}: two pairs of the example share an item_id"
    for column, allowed in (("direction", DIRECTIONS), ("stereotypical", ("more", "less"))):
        unknown = sorted(set(pairs[column]) - set(allowed))
        assert not unknown, f"{name}: '{column}' holds {unknown}"
    assert (pairs["axis"] == pairs["axis"].str.to_lowercase()).all(), f"{name}: axes must be in lower case"


def _check_damaged(reader: Reader, example: Path) -> None:
    """What is no file of the format is refused, with its name."""
    path = example.with_name(f"damaged{example.suffix}")
    missing = path.with_name(f"missing{example.suffix}")
    others = {"a file that is not there": missing, "a folder": path.parent}
    for what, place in (dict.fromkeys(_DAMAGED, path) | others).items():
        path.write_bytes(_DAMAGED.get(what, b""))
        message = refusal(lambda place=place: list(reader.read(place, _OPTIONS)), UserError)  # type: ignore[misc]
        assert message is not None, f"{reader.name}: reads pairs from {what} instead of raising UserError"
        named = place.name in message
        assert named, f"{reader.name}: the message about {what} does not name the file: {message}"


UNITS = ("nats", "nats per token")
TOLERANCE = 1e-4
"""Nats by which a score may differ when other sentences share its batch."""


def check_rule(rule: Rule, model: Model, pairs: Sequence[Pair]) -> None:
    """Raise AssertionError where a rule breaks a promise that the probe room relies on.

    Args:
        rule: the rule under test.
        model: a model of the rule's architecture.
        pairs: at least three different pairs of at least four words each, the first with different sentences.
    """
    assert rule.unit in UNITS, f"{rule.name}: its unit must be one of {UNITS}"
    assert rule.architecture in ARCHITECTURES, f"{rule.name}: unknown architecture"
    _check_documented(rule, "summary", "source")
    assert rule.architecture == model.architecture, "give check_rule a model of the rule's architecture"
    scores = score_pairs(rule, model, pairs)
    assert scores == score_pairs(rule, model, pairs), f"{rule.name}: the same input twice gives other scores"
    backwards = score_pairs(rule, model, pairs[::-1])[::-1]
    alone = [score_pairs(rule, model, [pair])[0] for pair in pairs]
    for others, what in ((backwards, "order of the rows"), (alone, "other rows of the batch")):
        close = np.allclose(scores, others, rtol=0, atol=TOLERANCE)
        assert close, f"{rule.name}: scores depend on the {what}"
    assert np.max(scores) <= 0, f"{rule.name}: a log-probability is above zero"
    assert rule.requests([], model) == [], f"{rule.name}: an empty table must give no request"
    assert list(model.score([])) == [], f"{rule.name}: no request must give no score"
    # Identical sentences have identical scores, to the last bit, whatever stands beside them.
    text, prompt = pairs[0].sent_more, pairs[0].prompt
    tied = Pair(text, text, "stereo", prompt)
    for batch in ([tied], [*pairs, tied], [tied, *pairs[::-1]]):
        more, less = score_pairs(rule, model, batch)[batch.index(tied)]
        assert more == less, f"{rule.name}: identical sentences have different scores"
    nothing = refusal(lambda: rule.value(Score(0.0, 0)), ValueError)
    assert nothing is not None, f"{rule.name}: nothing scored must raise ValueError"
    wrong: Any = Pair(None, 3)  # type: ignore[arg-type]
    errors = (TypeError, ValueError, AttributeError)
    refused = refusal(lambda: list(model.score(_requests(rule, model, [wrong]))), *errors)
    assert refused is not None, f"{rule.name}: a sentence that is no text must be refused, not scored"


def _requests(rule: Rule, model: Model, pairs: Sequence[Pair]) -> list[Any]:
    return [request for pair_requests in rule.requests(pairs, model) for request in pair_requests]


def score_pairs(rule: Rule, model: Model, pairs: Sequence[Pair]) -> list[tuple[float, float]]:
    """Score of both sentences of each pair, without journal or chunks.

    Raises:
        ValueError: a sentence cannot be scored.
    """
    requests = _requests(rule, model, pairs)
    scores: dict[int, float] = {}
    for index, result in model.score(requests):
        if isinstance(result, Unscorable):
            raise ValueError(  # noqa: TRY004 - the value is at fault, not its type
                f"pair {index // 2} cannot be scored: {result.reason}"
            )
        scores[index] = rule.value(result)
    assert len(scores) == len(requests), f"{rule.name}: some requests have no answer"
    return [(scores[2 * k], scores[2 * k + 1]) for k in range(len(pairs))]


CONFIDENCE = 0.95
SEED = 20


def check_statistic(statistic: Statistic) -> None:
    """Run every check of the battery over a statistic.

    It must document itself, give the same estimates for the same sample whatever the order of its pairs,
    name each method once, keep its parts consistent (value inside its interval, p-values in 0 to 1), lie near
    its neutral value for a model without any preference, and refuse an empty sample, NaN and wrong types with
    a ValueError that says so.

    Raises:
        AssertionError: a check failed; the message names the statistic and what is wrong with it.
    """
    name, neutral = statistic.name, statistic.neutral
    _check_documented(statistic, "name", "unit", "summary", "source")
    assert isinstance(neutral, float), f"{name}: `neutral` must be a float (NaN for none)"
    sample = neutral_sample()
    first = statistic.compute(sample, CONFIDENCE, SEED)
    assert first, f"{name}: no estimate for a sample that has everything"
    methods = [method_name(estimate.method) for estimate in first]
    assert len(set(methods)) == len(methods), f"{name}: two estimates share a method: {methods}"
    for estimate in first:
        where = f"{name} ({estimate.method})"
        assert estimate.name == name, f"{where}: the estimate is called '{estimate.name}'"
        assert estimate.method.strip(), f"{where}: the method is empty"
        same = np.array_equal(estimate.neutral, neutral, equal_nan=True)
        assert same, f"{where}: another neutral value than documented"
        assert estimate.confidence == CONFIDENCE, f"{where}: another confidence than asked for"
        assert estimate.n > 0, f"{where}: n must count the pairs"
        assert math.isnan(estimate.p_adjusted), f"{where}: p_adjusted is for the family, leave it NaN"
        assert math.isnan(estimate.p_value) or 0 <= estimate.p_value <= 1, f"{where}: p is {estimate.p_value}"
        inside = math.isnan(estimate.low) or estimate.low <= estimate.value <= estimate.high
        assert inside, f"{where}: the value is outside its interval"
    table, again = pl.DataFrame(first), statistic.compute(neutral_sample(), CONFIDENCE, SEED)
    assert table.equals(pl.DataFrame(again)), f"{name}: the same sample gave other estimates"
    order = np.random.default_rng(SEED).permutation(len(sample.difference))
    moved = pl.DataFrame(statistic.compute(take(sample, order), CONFIDENCE, SEED))
    changed = refusal(lambda: assert_frame_equal(table, moved, rel_tol=1e-6, abs_tol=1e-9), AssertionError)
    assert changed is None, f"{name}: the order of the pairs changed an estimate: {changed}"
    for estimate in first if not math.isnan(neutral) else ():
        near = abs(estimate.value - neutral) <= 0.05 * max(1.0, abs(neutral))
        assert near, (
            f"{name}: {estimate.value} for a model without preference, whose neutral value is {neutral}"
        )
    for what, broken in _broken(sample):
        reason = refusal(lambda broken=broken: statistic.compute(broken, CONFIDENCE, SEED), ValueError)  # type: ignore[misc]
        assert reason is not None, f"{name}: {what} gives no ValueError"
        assert reason.strip(), f"{name}: {what} is refused without a word"
        if what == "an empty sample":
            assert "empty" in reason, f"{name}: the error for {what} does not say so: {reason}"


def neutral_sample() -> Sample:
    """Scores of a model without preference: for every identity another one answers the other way round."""
    rng = np.random.default_rng(SEED)
    half, identities = 120, 24
    cluster = rng.integers(identities, size=half)
    difference = rng.normal(size=identities)[cluster] + rng.normal(size=half)
    neutral = 0.5 * difference + rng.normal(size=half)
    neutral[:10] = np.nan
    direction = np.where(np.arange(half) % 4 == 0, "antistereo", "stereo")
    less = rng.normal(-60, 10, size=2 * half)
    mirrored = np.concatenate([difference, -difference])
    return Sample(
        difference=mirrored,
        score_more=less + mirrored,
        score_less=less,
        direction=np.tile(direction, 2),
        neutral_difference=np.concatenate([neutral, -neutral]),
        cluster=np.concatenate([cluster, cluster + identities]),
        neutral_preferred=np.concatenate([neutral > 0, neutral <= 0]).astype(float),
        by_frequency=mirrored,
        by_length=np.round(mirrored),
        with_groups=np.ones(2 * half, dtype=bool),
        kind=np.tile(np.resize(["negation", "antonym", "other"], half), 2),
    )


def _broken(sample: Sample) -> Iterator[tuple[str, Sample]]:
    """Samples no number may be computed from, each with its description."""
    yield "an empty sample", take(sample, np.array([], dtype=int))
    undefined = sample.difference.copy()
    undefined[3] = np.nan
    yield "a NaN among the differences", replace(sample, difference=undefined)
    yield "text instead of differences", replace(sample, difference=sample.difference.astype(str))
    yield "a plain list of differences", replace(sample, difference=sample.difference.tolist())
    yield "identities that are no integers", replace(sample, cluster=sample.cluster.astype(float))
    yield "an unknown direction", replace(sample, direction=np.full(len(sample.direction), "sideways"))
    yield "arrays of different lengths", replace(sample, cluster=sample.cluster[:-1])


_ITEMS, _RATERS, _CATEGORIES = 4000, 3, 3


def check_coefficient(coefficient: Coefficient, level: Level = "nominal") -> None:
    """Run every check over a coefficient.

    It is 1 where all agree, near its neutral value where votes are drawn at random, never above 1, the same whatever
    the order of the items, and not defined without votes or where all votes are the same.

    Args:
        coefficient: what is checked.
        level: level of measurement, for one that uses it.

    Raises:
        AssertionError: a check failed; the message names the coefficient and what is wrong with it.
    """
    name, random = coefficient.name, np.random.default_rng(0)
    values = np.arange(_CATEGORIES, dtype=float)

    def value(codes: np.ndarray) -> float:
        raters = 2 if coefficient.votes == "two raters" else _RATERS
        votes = codes[:, :raters]
        if coefficient.votes != "two raters":
            votes = (votes[:, :, None] == np.arange(_CATEGORIES)).sum(axis=1)
        return float(coefficient.value(votes, level, values))

    _check_documented(coefficient, "name", "method")
    votes = random.integers(_CATEGORIES, size=(_ITEMS, _RATERS))
    alike = np.repeat(votes[:, :1], _RATERS, axis=1)
    assert math.isclose(value(alike), 1.0), f"{name}: {value(alike)} where all agree"
    by_chance = value(votes)
    if not math.isnan(coefficient.neutral):
        assert abs(by_chance - coefficient.neutral) < 0.05, f"{name}: {by_chance} for votes at random"
    half = np.where(random.random((_ITEMS, 1)) < 0.5, alike, votes)
    assert by_chance < value(half) < 1, f"{name}: {value(half)} where half of the votes agree"
    again = value(half[random.permutation(_ITEMS)])
    assert math.isclose(value(half), again), f"{name}: the order of the items changes it"
    if not math.isnan(coefficient.neutral):
        assert math.isnan(value(np.zeros_like(votes))), f"{name}: a value where all votes are the same"
    assert math.isnan(value(votes[:0])), f"{name}: a value without any vote"


def check_instrument(
    instrument: Instrument[Any], settings: Any, other: Any, added: str, folder: Path
) -> None:
    """Raise AssertionError where an instrument breaks a promise that commands, reports and users rely on.

    Args:
        instrument: the instrument under test.
        settings: settings of a run of a few seconds, with one model.
        other: settings that decide other records, with the same model.
        added: a second model.
        folder: an empty folder to work in.
    """
    assert INSTRUMENTS.get(instrument.name) is instrument, "register it in the group endoxa.instruments"
    assert instrument.holds, "say what its runs hold"
    assert instrument.unit, "say what progress counts"
    assert instrument.help.partition("\n")[0].endswith("."), "the first line of the help must be a sentence"
    assert "Examples:" in instrument.help, "the help must have examples"
    names = [option.name for option in options_of(instrument.settings)]
    assert len(names) == len(set(names)), "two options have one name"
    for option in options_of(instrument.settings):
        assert option.option.group in GROUPS, f"{option.name}: unknown group"
        assert option.option.help.endswith((".", "...", ")")), f"{option.name}: its help must be a sentence"
    _check_identity(instrument, settings, folder)
    out = folder / "run"
    first = run(instrument, settings, out)
    assert not first.was_complete
    facts = read_run(first.folder)
    assert facts["kind"] == instrument.name
    assert facts["finished"]
    assert facts["counts"]["items"] > 0
    assert [model["name"] for model in facts["identity"]["models"]] == list(settings.models)
    assert type(settings).model_validate(facts["settings"]) == settings, (
        "settings must come back from run.json"
    )
    if instrument.estimate is not None:
        assert all((first.folder / name).exists() for name in instrument.outputs)
    assert all(isinstance(line, str) and line for line in instrument.summary(settings, first))
    before = records(out)
    assert run(instrument, settings, out).was_complete, "a finished run must be left as it is"
    different = refusal(lambda: run(instrument, other, out), DifferentRunError)
    assert "holds a different run" in (different or ""), f"other settings must be refused: {different}"
    assert records(out) == before, "a refused run must not touch the records"
    measure(instrument, settings, folder / "again")
    assert records(folder / "again") == before, "the same settings must give the same records"
    half = folder / "half"
    _stop_writing(lambda progress: measure(instrument, settings, half, progress=progress))
    measure(instrument, settings, half)
    assert records(half) == before, "a run that was stopped must end like one that was not"
    _check_added_model(instrument, settings, added, out, folder)
    modelless = settings.model_copy(update={"models": ()})
    refused = refusal(lambda: measure(instrument, modelless, folder / "none"), UserError)
    assert refused, "a run without a model must be refused"
    assert not (folder / "none").exists(), "a start that failed must leave nothing behind"


def records(folder: Path) -> dict[str, list[Any]]:
    """Records of a run folder by file name; runs of encoders have vectors instead."""
    if (folder / RECORDS).exists():
        return {RECORDS: pl.read_parquet(folder / RECORDS).rows()}
    by_file: dict[str, list[Any]] = {}
    for path in sorted((folder / VECTORS).iterdir()):
        with np.load(path) as arrays:
            by_file |= {f"{path.name} {name}": arrays[name].tolist() for name in arrays}
    return by_file


def _check_identity(instrument: Instrument[Any], settings: Any, folder: Path) -> None:
    """Every option is part of the identity of a run, unless it is marked where it is declared (`Option.decides`)."""
    work = instrument.work(settings, folder / "identity")
    assert work.settings == settings, "the work must have the settings of the run"
    for option in options_of(type(settings)):
        when, field = option.option.decides, option.path[0]
        if field in (*work.contents, MODELS) or when in (False, MODELS):
            continue
        beside = settings if when is True else settings.model_copy(update={str(when): 1})
        varied = replace(work, settings=with_option(beside, option.path, another_value(option)))
        assert varied.identity != replace(work, settings=beside).identity, (
            f"{option.name} changes nothing in the identity of a run: if it decides no result, mark it (decides=False)"
        )


def another_value(option: OptionField) -> Any:
    """A value of an option's type other than its default."""
    kind = next((part for part in get_args(option.type) if part is not type(None)), option.type)
    if get_origin(option.type) is Literal:
        return next(word for word in get_args(option.type) if word != option.default)
    if option.type is bool:
        return not option.default
    if kind in (int, float):
        return (option.default or option.limits.get("ge", 0)) / 2 + 1
    if kind in (str, Path):
        return kind("another value")
    return {"another": "value"} if get_origin(option.type) is Mapping else ("another value",)


def with_option(settings: Any, path: Sequence[str], value: Any) -> Any:
    """The settings with one option replaced, without a look at whether they may be so."""
    if len(path) > 1:
        value = with_option(getattr(settings, path[0]), path[1:], value)
    if is_dataclass(settings):
        return replace(settings, **{path[0]: value})  # type: ignore[type-var]
    return settings.model_copy(update={path[0]: value})


def _check_added_model(
    instrument: Instrument[Any], settings: Any, added: str, out: Path, folder: Path
) -> None:
    extended = settings.model_copy(update={"models": (*settings.models, added)})
    before = records(out)
    _stop_writing(lambda progress: run(instrument, extended, out, progress=progress))
    assert run(instrument, settings, out).was_complete, "a run to which a model is being added stays finished"
    kept = records(out)
    assert {name: kept[name] for name in before} == before, "its records stay until the new model is through"
    phases: list[str] = []
    done = run(instrument, extended, out, progress=lambda what, *_: phases.append(what))
    assert not done.was_complete
    assert not [what for what in phases if what.endswith(settings.models[0])], (
        "only the new model is measured"
    )
    measure(instrument, extended, folder / "both")
    assert records(out) == records(folder / "both"), "adding a model must give the records of one run of both"
    names = [model["name"] for model in read_run(out)["models"]]
    assert len(names) == 2, "run.json must name both models"
    assert run(instrument, settings, out).was_complete, "the first command must find its run complete"


def _stop_writing(work: Callable[[Progress], Any]) -> None:
    """Ctrl-C when a run begins to write its records."""

    def stop(what: str, *_: object) -> None:
        if what == "writing records":
            raise KeyboardInterrupt

    assert refusal(lambda: work(stop), KeyboardInterrupt) is not None, "Ctrl-C must end a run"
