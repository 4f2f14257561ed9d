"""What else may explain a preference ratio: length, labels, flagged pairs, identities, capitals, ties, words.

Where the calibrated preference decides, everything here is about that one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from endoxa.instruments.pairs.estimates import load_records
from endoxa.instruments.pairs.estimates.deciding import calibrated, calibration_decides
from endoxa.instruments.pairs.estimates.inference import Question, Units, share_estimate, units_of
from endoxa.instruments.pairs.estimates.records import CONTENT, scores_of
from endoxa.instruments.pairs.estimates.rounding import within_rounding
from endoxa.instruments.pairs.report.results import read_columns
from endoxa.report.quoting import (
    FEWEST,
    FLIPS,
    LARGE,
    ROUNDING,
    Diagnostic,
    points,
    precisions,
    review,
)
from endoxa.report.words import count, listed, percent, percent_interval, plural, short_labels
from endoxa.runs.estimates import settings_of
from endoxa.runs.options import DEFAULT_CONFIDENCE
from endoxa.runs.run import read_run
from endoxa.schema import PAIR_COLUMNS
from endoxa.sources.check import FILE_CHECKS, PAIR_CHECKS, Problem
from endoxa.sources.check.problems import Item, Trace
from endoxa.sources.drafts import Draft
from endoxa.stats.contrasts import contrast
from endoxa.stats.intervals import NAN
from endoxa.stats.verdicts import CLEAR, decide, significance

FLAGGED = ("error", "warning")
"""Severities of checks that flag a pair; notes are only worth knowing."""
MANY_FLAGGED = 0.1
MOVED = 0.02
MANY_TIES = 0.05
MANY_ROUNDED = 0.05
MOST_SINGLE = 0.5
MOST_NAMED = 3
"""Checks that are named; more are counted."""
TOKENS = ("n_tokens_more", "n_tokens_less")


@dataclass(frozen=True, slots=True)
class Preferences:
    """One model under one rule: the pairs that the ratio is made of, and what is known of each.

    Attributes:
        model: the model.
        rule: the rule.
        label: both, as readers see them.
        word: 'preferred', or 'preferred, compared with others,'.
        values: above 0 where the stereotypical sentence is preferred, 0 for a tie.
        size: the larger absolute score of both sentences.
        units: codes of identity and attribute.
        items: what is known of the pairs, aligned: columns of `looked_up`, and `length` with its `measure`.
        confidence: confidence level of intervals.
        rounding: the largest move of a difference that rounding was seen to make; NaN where it was not measured.
        linked: False where translations of an identity count as further ones: then there are no intervals.
    """

    model: str
    rule: str
    label: str
    word: str
    values: np.ndarray
    size: np.ndarray
    units: Units
    items: pl.DataFrame
    confidence: float
    rounding: float
    linked: bool

    @property
    def level(self) -> str:
        """The confidence level as '95 %'."""
        return f"{100 * self.confidence:g}\u00a0%"

    def row(self, chosen: np.ndarray) -> dict[str, Any]:
        """Share of the chosen pairs in which the stereotypical sentence is preferred, as a row with its own verdict."""
        sides, units = np.sign(self.values[chosen]), (self.units[0][chosen], self.units[1][chosen])
        estimate = share_estimate(Question("share", 0.5, self.confidence), sides, units)
        row, p_value = asdict(estimate), estimate.p_value
        if not self.linked:
            row |= {"low": NAN, "high": NAN, "reason": "languages are not linked"}
        alpha = significance(self.confidence)
        decision = decide(estimate.value, 0.5, p_value, p_value, alpha=alpha, untestable=row["reason"])
        return row | {"p_adjusted": p_value, **asdict(decision)}

    def ends(self, row: Mapping[str, Any]) -> str:
        """' (95 % interval 48.0 to 60.0)', or nothing."""
        low, high = row["low"], row["high"]
        return f" ({self.level} interval {percent_interval(low, high)})" if isfinite(low) else ""

    def diagnostic(
        self, name: str, sentence: str, concerning: bool, value: float | None = None, **more: Any
    ) -> Diagnostic:
        """A diagnostic of all pairs of this model and rule."""
        n = more.pop("n", len(self.values))
        return Diagnostic(name, sentence, concerning, n, self.model, self.rule, value, **more)


def examined(
    records: pl.DataFrame, folders: Sequence[Path], labels: Mapping[str, str], confidence: float
) -> tuple[list[Preferences], list[Problem]]:
    """Every model under every rule with what is known of its pairs, and what the dataset checks find in them.

    Args:
        records: of `load_records`.
        folders: their run folders.
        labels: how models are called.
        confidence: confidence level of intervals.
    """
    facts, problems = looked_up(read_columns(folders, tuple(PAIR_COLUMNS), once=True))
    tokens = _token_counts(read_columns(folders, ("item_id", "stereotypical", "model", "rule", *TOKENS)))
    every = _preferences(records, facts, tokens, labels, confidence)
    return [preferences for preferences in every if len(preferences.values)], problems


def diagnostics(
    every: Sequence[Preferences], problems: Sequence[Problem], folders: Sequence[Path], n: int
) -> Iterator[Diagnostic]:
    """Everything that is looked at in runs over one data set of `n` pairs; the others as of `examined`."""
    types = {name: kind for folder in folders for name, kind in precisions(read_run(folder)).items()}
    for look in (_length, _labels, partial(_without_flagged, problems=problems)):
        yield from (diagnostic for preferences in every for diagnostic in look(preferences))
    yield from _single_identities(every)
    for look in (_capitals, _ties, partial(_precision, types=types)):
        yield from (diagnostic for preferences in every for diagnostic in look(preferences))
    for folder in folders:
        yield from review(read_run(folder), n, "pairs")


def run_diagnostics(folder: Path) -> list[Diagnostic]:
    """The same of one run folder, with the confidence of its estimates."""
    records = load_records([folder])
    labels = short_labels(records["model"].unique(maintain_order=True).to_list())
    confidence = (settings_of(folder) or {}).get("confidence", DEFAULT_CONFIDENCE)
    every, problems = examined(records, [folder], labels, confidence)
    return list(diagnostics(every, problems, [folder], records["item_id"].n_unique()))


def looked_up(items: pl.DataFrame) -> tuple[pl.DataFrame, list[Problem]]:
    """What the sentences of each pair tell, and what the checks of `endoxa datasets check` find in the pairs.

    Returns:
        `item_id`; `characters` by which the stereotypical sentence is longer; `capital`: 1 where it alone has a capital
        letter among the differing words, -1 where the other one has, else 0; whether a check has `flagged` the pair.
        Then every problem.
    """
    problems: list[Problem] = []
    rows, traces = [], []
    for row, pair in enumerate(items.iter_rows(named=True), 1):
        item = Item.of(Draft(row, None, pair))
        traces.append(Trace.of(item))
        problems += [problem for check in PAIR_CHECKS for problem in check(item)]
        sign = 1 if pair["stereotypical"] == "more" else -1
        characters = len(item.cell("sent_more")) - len(item.cell("sent_less"))
        more, less = (
            any(
                word.text[:1].isupper()
                for replacement in item.replacements
                for word in replacement.sides[side]
            )
            for side in (0, 1)
        )
        rows.append((pair["item_id"], sign * characters, sign * (more - less)))
    problems += [problem for check in FILE_CHECKS for problem in check(traces)]
    flagged = {problem.item_id for problem in problems if problem.severity in FLAGGED}
    schema = {"item_id": pl.String, "characters": pl.Int64, "capital": pl.Int64}
    facts = pl.DataFrame(rows, schema=schema, orient="row")
    return facts.with_columns(flagged=pl.col("item_id").is_in(sorted(flagged))), problems


def _token_counts(table: pl.DataFrame) -> pl.DataFrame:
    """Tokens by which the stereotypical sentence is longer, under the rule of each model that scores most tokens.

    Rules that score shared tokens only count as many in both sentences. Without any other, a model has no rows.
    """
    more, less = (pl.col(name).cast(pl.Int64) for name in TOKENS)
    sign = pl.when(pl.col("stereotypical") == "more").then(1).otherwise(-1)
    table = table.drop_nulls(TOKENS).with_columns(tokens=sign * (more - less), scored=more + less)
    rules = table.group_by("model", "rule", maintain_order=True).agg(
        pl.col("scored").sum(), differs=(pl.col("tokens") != 0).any()
    )
    fullest = (
        rules.filter("differs")
        .sort("scored", "rule", descending=[True, False])
        .unique("model", keep="first", maintain_order=True)
    )
    return table.join(fullest, on=["model", "rule"], how="semi").select("item_id", "model", "tokens")


def _preferences(
    records: pl.DataFrame,
    facts: pl.DataFrame,
    tokens: pl.DataFrame,
    labels: Mapping[str, str],
    confidence: float,
) -> Iterator[Preferences]:
    joined = records.join(facts, on="item_id", how="left").join(tokens, on=["item_id", "model"], how="left")
    # In the order of `scores_of`.
    arranged = joined.sort("model", "rule", "data", CONTENT, "item_id")
    parts = arranged.partition_by("model", "rule", maintain_order=True)
    for scores, items in zip(scores_of(records, FLIPS), parts, strict=True):
        word, kept = "preferred", np.ones(len(scores.item), dtype=bool)
        defined = ~np.isnan(scores.sample.neutral_difference)
        decider = scores
        if calibration_decides(int(defined.sum()), len(defined)):
            decider, kept, word = calibrated(scores, defined), defined, "preferred, compared with others,"
        sample = decider.sample
        measure = "tokens" if items["tokens"].is_not_null().all() else "characters"
        yield Preferences(
            model=scores.model,
            rule=scores.rule,
            label=f"{labels[scores.model]} under {scores.rule}",
            word=word,
            values=sample.difference,
            size=np.maximum(np.abs(sample.score_more), np.abs(sample.score_less)),
            units=units_of(sample),
            items=items.with_columns(length=measure, measure=pl.lit(measure)).filter(kept),
            confidence=confidence,
            rounding=decider.rounding,
            linked=not decider.unlinked(np.ones(len(decider.item), dtype=bool)),
        )


def _compared(
    preferences: Preferences,
    name: str,
    groups: np.ndarray,
    words: tuple[str, str],
    *,
    about: str = "",
    after: str = "",
    **numbers: Any,
) -> Diagnostic:
    """A difference of two shares: it concerns the ratio where it is distinguishable from 0 and at least 10 points.

    Args:
        preferences: of a model and a rule.
        name: of the diagnostic.
        groups: 1 for pairs of the first kind, -1 for those of the second one.
        words: which pairs those are, behind "where".
        about: what is compared, behind the model.
        after: a further sentence.
        numbers: what stands in that sentence.
    """
    n = int((groups == 1).sum()), int((groups == -1).sum())
    counts = {"first_n": n[0], "second_n": n[1]}
    if min(n) < FEWEST:
        sentence = (
            f"{preferences.label}{about}: {plural(n[0], 'pair')} where {words[0]}, {count(n[1])} where {words[1]}: too "
            f"few to compare (at least {FEWEST} of each).{after}"
        )
        return preferences.diagnostic(
            name, sentence, False, n=sum(n), numbers={**counts, "needed": FEWEST, **numbers}
        )
    result = contrast(
        (1 + np.sign(preferences.values)) / 2,
        groups,
        preferences.units,
        confidence=preferences.confidence,
        bounds=(-1, 1),
        flips=FLIPS,
    )
    difference = result.difference
    low, high = (result.interval.low, result.interval.high) if preferences.linked else (None, None)
    by = points(difference, low, high, preferences.level)
    if result.sampled == "none":
        by += " (too few identities or attributes to test)"
    sentence = (
        f"{preferences.label}{about}: the stereotypical sentence is {preferences.word} in {percent(result.first)} of "
        f"{plural(n[0], 'pair')} where {words[0]}, in {percent(result.second)} of {count(n[1])} where {words[1]}; "
        f"difference {by}.{after}"
    )
    concerning = result.p_value <= significance(preferences.confidence) and abs(difference) >= LARGE
    test = {"p_value": result.p_value, "confidence": preferences.confidence}
    every = {"first": result.first, "second": result.second, **counts, **test, **numbers}
    return preferences.diagnostic(
        name, sentence, concerning, difference, low=low, high=high, n=sum(n), numbers=every
    )


def _length(preferences: Preferences) -> Iterator[Diagnostic]:
    """Does the shorter sentence win."""
    length = preferences.items["length"].to_numpy()
    measure = preferences.items["measure"][0]
    numbers: dict[str, Any] = {}
    same, after = length == 0, ""
    if n := int(same.sum()):
        row = preferences.row(same)
        share = f"{percent(row['value'])} of {plural(n, 'pair')}{preferences.ends(row)}"
        after = f" Where both are equally long: {share}."
        numbers = {"same": row["value"], "same_low": row["low"], "same_high": row["high"], "same_n": n}
    yield _compared(
        preferences,
        "length of the sentences",
        -np.sign(length),
        ("it is shorter", "it is longer"),
        about=f", length in {measure}",
        after=after,
        **numbers,
        measure=measure,
    )


def _labels(preferences: Preferences) -> Iterator[Diagnostic]:
    """Pairs that state a stereotype and pairs that contradict one; nothing where the data label none."""
    label = preferences.items["direction"].to_numpy()
    groups = np.select([label == "stereo", label == "antistereo"], [1, -1], 0)
    words = ("a stereotype is stated", "one is contradicted")
    if (groups == 1).any() and (groups == -1).any():
        yield _compared(preferences, "stereotypes stated or contradicted", groups, words)


def _capitals(preferences: Preferences) -> Iterator[Diagnostic]:
    """Pairs in which a capital letter stands among the differing words of one sentence only."""
    capital = preferences.items["capital"].to_numpy()
    words = ("only its differing words have a capital letter", "only those of the other sentence do")
    if capital.any():
        yield _compared(preferences, "capital letters", capital, words)


def _without_flagged(preferences: Preferences, problems: Sequence[Problem]) -> Iterator[Diagnostic]:
    """The ratio without the pairs that the checks flag."""
    name, flagged = "pairs flagged by the dataset checks", preferences.items["flagged"].to_numpy()
    total, n = len(flagged), int(flagged.sum())
    if not n:
        sentence = f"{preferences.label}: none of {plural(total, 'pair')} is flagged."
        yield preferences.diagnostic(name, sentence, False, 0.0)
        return
    of_run = set(preferences.items["item_id"])
    flags = {(p.check, p.item_id) for p in problems if p.severity in FLAGGED and p.item_id in of_run}
    checks = Counter(check for check, _ in sorted(flags))
    named = [f"{check} {count(number)}" for check, number in checks.most_common(MOST_NAMED)]
    others = len(checks) - len(named)
    which = listed([*named, *([plural(others, "further check")] if others else [])])
    sentence = (
        f"{count(n)} of {plural(total, 'pair')} ({percent(n / total)}) "
        f"{'is' if n == 1 else 'are'} flagged ({which})."
    )
    numbers: dict[str, Any] = {**checks, "further": others, "flagged": n}
    concerning = n >= MANY_FLAGGED * total
    if n < total:
        every, rest = preferences.row(np.ones(total, dtype=bool)), preferences.row(~flagged)
        sides = [row["verdict"] if row["verdict"] in CLEAR else "" for row in (every, rest)]
        concerning |= abs(rest["value"] - every["value"]) >= MOVED or sides[0] != sides[1]
        sentence += (
            f" Without them the stereotypical sentence is {preferences.word} in {percent(rest['value'])} of "
            f"{plural(total - n, 'pair')}{preferences.ends(rest)}, with them in {percent(every['value'])} "
            f"({preferences.label})."
        )
        without = {"without": rest["value"], "without_low": rest["low"], "without_high": rest["high"]}
        numbers |= {**without, "with": every["value"], "left": total - n}
    yield preferences.diagnostic(name, sentence, concerning, n / total, numbers=numbers)


def _single_identities(every: Sequence[Preferences]) -> Iterator[Diagnostic]:
    """Identities with one pair: an interval over identities takes each as a group of its own."""
    if not every:
        return
    fullest = max(every, key=lambda preferences: len(preferences.values))
    sizes = np.unique(fullest.units[0], return_counts=True)[1]
    single, number = int((sizes == 1).sum()), len(sizes)
    what = "identities" if number > 1 else "identity"
    sentence = (
        f"{count(single)} of {count(number)} {what} {'has' if single == 1 else 'have'} a single pair: intervals take "
        "each as a group of its own, so other names of one group count as further groups."
    )
    name, numbers = "identities with a single pair", {"single": single, "identities": number}
    concerning = single > MOST_SINGLE * number
    yield Diagnostic(name, sentence, concerning, number, value=single / number, numbers=numbers)


def _ties(preferences: Preferences) -> Iterator[Diagnostic]:
    ties, n = int((preferences.values == 0).sum()), len(preferences.values)
    share = f"{plural(ties, 'tie')} in {plural(n, 'pair')} ({percent(ties / n)})"
    sentence = f"{preferences.label}: {share}, counted one half."
    yield preferences.diagnostic("ties", sentence, ties > MANY_TIES * n, ties / n, numbers={"ties": ties})


def _precision(preferences: Preferences, types: Mapping[str, str]) -> Iterator[Diagnostic]:
    """Pairs whose scores differ by no more than rounding was seen to move, or by less than such a number is rounded."""
    name, kind = "precision of the numbers", types.get(preferences.model)
    if kind is None:
        return
    n, label = len(preferences.values), preferences.label
    if kind not in ROUNDING:
        sentence = f"{label} ran with {kind} weights: in full precision pairs may change sides."
        yield preferences.diagnostic(name, sentence, True)
        return
    if isfinite(preferences.rounding):
        close = int(within_rounding(preferences.values, preferences.rounding).sum())
        reason = "no more than rounding moved the difference of a pair that was scored twice"
    else:
        close = int((np.abs(preferences.values) < ROUNDING[kind] * preferences.size).sum())
        reason = "less than the rounding of one such number"
    sentence = (
        f"{label} ran with {kind} numbers: in {count(close)} of {plural(n, 'pair')} ({percent(close / n)}) the scores "
        f"differ by {reason}, so these may change sides with float32."
    )
    concerning = close > MANY_ROUNDED * n
    yield preferences.diagnostic(name, sentence, concerning, close / n, numbers={"close": close})
