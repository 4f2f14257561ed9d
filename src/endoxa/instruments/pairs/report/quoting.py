"""What else may explain a preference ratio: length, labels, flagged pairs, identities, capitals, ties, precision.

Where the calibrated preference decides, everything here is about that one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from endoxa.instruments.pairs.estimates.inference import (
    Question,
    calibrated,
    calibration_decides,
    share_estimate,
    units_of,
    within_rounding,
)
from endoxa.instruments.pairs.estimates.records import CONTENT, Scores, load_records, scores_of, take
from endoxa.instruments.pairs.report.results import read_columns
from endoxa.report.quoting import FEWEST, FLIPS, LARGE, Diagnostic, points, precisions, review
from endoxa.report.words import count, percent, plural, short_labels
from endoxa.runs.estimates import settings_of
from endoxa.runs.options import DEFAULT_CONFIDENCE
from endoxa.runs.run import read_run
from endoxa.schema import PAIR_COLUMNS
from endoxa.sources.check import FILE_CHECKS
from endoxa.sources.check.problems import PAIR_CHECKS, Item, Trace
from endoxa.sources.drafts import Draft
from endoxa.stats.contrasts import contrast
from endoxa.stats.intervals import NAN
from endoxa.stats.verdicts import decide, significance

FLAGGED = ("error", "warning")
"""Severities of checks that flag a pair; notes are only worth knowing."""
MANY_FLAGGED = 0.1
MANY_TIES = 0.05
MANY_ROUNDED = 0.05
MOST_SINGLE = 0.5


@dataclass(frozen=True, slots=True)
class Preferences:
    """One model under one rule: the pairs that the ratio is made of, and what is known of each.

    Attributes:
        scores: of the pairs; above 0 where the stereotypical sentence is preferred.
        label: model and rule, as readers see them.
        word: 'preferred', or 'preferred, compared with others,'.
        items: what is known of the pairs, aligned: whether a check has `flagged` the pair, and by how much the
            stereotypical sentence is the `shorter` one, in tokens of the rule where these differ, else in characters.
        measure: 'tokens' or 'characters'.
        confidence: confidence level of intervals.
    """

    scores: Scores
    label: str
    word: str
    items: pl.DataFrame
    measure: str
    confidence: float

    @property
    def linked(self) -> bool:
        """False where translations of an identity count as further ones: then there are no intervals."""
        return not self.scores.unlinked(np.ones(len(self.scores.item), dtype=bool))

    def row(self, chosen: np.ndarray) -> dict[str, Any]:
        """Share of the chosen pairs in which the stereotypical sentence is preferred, as a row with its own verdict."""
        sample, question = take(self.scores.sample, chosen), Question("share", 0.5, self.confidence)
        row = asdict(share_estimate(question, np.sign(sample.difference), units_of(sample)))
        if not self.linked:
            row |= {"low": NAN, "high": NAN, "reason": "languages are not linked"}
        p_value, alpha = row["p_value"], significance(self.confidence)
        decision = decide(row["value"], 0.5, p_value, p_value, alpha=alpha, untestable=row["reason"])
        return row | {"p_adjusted": p_value, **asdict(decision)}

    def diagnostic(
        self, name: str, sentence: str, concerning: bool, value: float | None = None, **more: Any
    ) -> Diagnostic:
        """A diagnostic of all pairs of this model and rule."""
        n = more.pop("n", len(self.scores.item))
        return Diagnostic(name, sentence, concerning, n, self.scores.model, self.scores.rule, value, **more)


def examined(
    records: pl.DataFrame, folders: Sequence[Path], labels: Mapping[str, str], confidence: float
) -> list[Preferences]:
    """Every model under every rule with what is known of its pairs.

    Args:
        records: of `load_records`.
        folders: their run folders.
        labels: how models are called.
        confidence: confidence level of intervals.
    """
    flagged = _flagged(read_columns(folders, tuple(PAIR_COLUMNS)))
    sign = pl.when(pl.col("stereotypical") == "more").then(1.0).otherwise(-1.0)
    # In the order of `scores_of`.
    arranged = records.sort("model", "rule", "data", CONTENT, "item_id")
    every = []
    for scores, items in zip(
        scores_of(records, FLIPS), arranged.partition_by("model", "rule", maintain_order=True), strict=True
    ):
        # A rule that scores the tokens that both sentences share counts as many in either.
        measure = "tokens" if (items["by_tokens"].fill_null(0) != 0).any() else "characters"
        length = pl.col("by_tokens" if measure == "tokens" else "by_length")
        known = items.select(
            shorter=(sign * length).fill_null(0), flagged=pl.col("item_id").is_in(sorted(flagged))
        )
        defined = ~np.isnan(scores.sample.neutral_difference)
        decides = bool(calibration_decides(int(defined.sum()), len(defined)))
        every.append(
            Preferences(
                calibrated(scores, defined) if decides else scores,
                f"{labels[scores.model]} under {scores.rule}",
                "preferred, compared with others," if decides else "preferred",
                known.filter(defined) if decides else known,
                measure,
                confidence,
            )
        )
    return every


def _flagged(items: pl.DataFrame) -> set[str]:
    """Ids of the pairs in which a check of `endoxa datasets check` finds an error or a warning."""
    problems, traces = [], []
    for row, pair in enumerate(items.iter_rows(named=True), 1):
        item = Item.of(Draft(row, None, pair))
        traces.append(Trace.of(item))
        problems += [problem for check in PAIR_CHECKS for problem in check(item)]
    problems += [problem for check in FILE_CHECKS for problem in check(traces)]
    return {problem.item_id for problem in problems if problem.severity in FLAGGED}


def diagnostics(every: Sequence[Preferences], folders: Sequence[Path], n: int) -> Iterator[Diagnostic]:
    """Everything that is looked at in runs over one data set of `n` pairs; the others as of `examined`."""
    yield from (_compared(each, look) for look in EXPLAINED for each in every if look.groups(each).any())
    yield _single_identities(every)
    yield from map(_ties, every)
    types = {name: kind for folder in folders for name, kind in precisions(read_run(folder)).items()}
    yield from (_precision(each, types[each.scores.model]) for each in every if each.scores.model in types)
    for folder in folders:
        yield from review(read_run(folder), n, "pairs")


def run_diagnostics(folder: Path) -> list[Diagnostic]:
    """The same of one run folder, with the confidence of its estimates."""
    records = load_records([folder])
    labels = short_labels(records["model"].unique(maintain_order=True).to_list())
    confidence = (settings_of(folder) or {}).get("confidence", DEFAULT_CONFIDENCE)
    every = examined(records, [folder], labels, confidence)
    return list(diagnostics(every, [folder], records["item_id"].n_unique()))


@dataclass(frozen=True, slots=True)
class Look:
    """Two kinds of pairs whose ratios are compared.

    Attributes:
        name: of the diagnostic.
        groups: 1 for pairs of the first kind, -1 for those of the second one, else 0.
        first: which pairs those are, behind "where"; `{measure}` is that of the preferences.
        second: which these are.
        many: share of the first kind from which on the line concerns the number whatever the difference.
    """

    name: str
    groups: Callable[[Preferences], np.ndarray]
    first: str
    second: str
    many: float = 2.0

    def words(self, preferences: Preferences) -> list[str]:
        """Which pairs both kinds are."""
        return [text.format(measure=preferences.measure) for text in (self.first, self.second)]


def stated(preferences: Preferences) -> np.ndarray:
    """1 for pairs that state a stereotype, -1 for those that contradict one, where the data label both."""
    label = preferences.scores.sample.direction
    groups: np.ndarray = np.select([label == "stereo", label == "antistereo"], [1, -1], 0)
    return groups if {1, -1} <= set(groups.tolist()) else 0 * groups


EXPLAINED = (
    Look(
        "length of the sentences",
        lambda preferences: np.sign(preferences.items["shorter"].to_numpy()),
        "it has fewer {measure}",
        "it has more {measure}",
    ),
    Look("stereotypes stated or contradicted", stated, "a stereotype is stated", "one is contradicted"),
    Look(
        "pairs flagged by the dataset checks",
        lambda preferences: np.where(preferences.items["flagged"].to_numpy(), 1, -1),
        "a check flags the pair",
        "none does",
        MANY_FLAGGED,
    ),
)


def _compared(preferences: Preferences, look: Look) -> Diagnostic:
    """A difference of two shares: it concerns the ratio where it is distinguishable from 0 and at least 10 points.

    So does a kind with many of the pairs, where the look says how many those are.
    """
    (first, second), groups = look.words(preferences), look.groups(preferences)
    label, sample = preferences.label, preferences.scores.sample
    n = int((groups == 1).sum()), int((groups == -1).sum())
    counts: dict[str, Any] = {"first_n": n[0], "second_n": n[1]}
    concerning = n[0] >= look.many * sum(n)
    if min(n) < FEWEST:
        sentence = (
            f"{label}: {plural(n[0], 'pair')} where {first}, {count(n[1])} where {second}: too few to "
            f"compare (at least {FEWEST} of each)."
        )
        numbers = {**counts, "needed": FEWEST}
        return preferences.diagnostic(look.name, sentence, concerning, n=sum(n), numbers=numbers)
    sides, level = (1 + np.sign(sample.difference)) / 2, preferences.confidence
    settings: dict[str, Any] = {"confidence": level, "bounds": (-1, 1), "flips": FLIPS}
    result = contrast(sides, groups, units_of(sample), **settings)
    low, high = (result.interval.low, result.interval.high) if preferences.linked else (None, None)
    by = points(result.difference, low, high, f"{100 * level:g}\u00a0%")
    untested = " (too few identities or attributes to test)" if result.sampled == "none" else ""
    sentence = (
        f"{label}: the stereotypical sentence is {preferences.word} in {percent(result.first)} of "
        f"{plural(n[0], 'pair')} where {first}, in {percent(result.second)} of {count(n[1])} where {second}; "
        f"difference {by}{untested}."
    )
    concerning |= result.p_value <= significance(level) and abs(result.difference) >= LARGE
    numbers = {**counts, "first": result.first, "second": result.second}
    numbers |= {"p_value": result.p_value, "confidence": level}
    ends: dict[str, Any] = {"low": low, "high": high, "n": sum(n)}
    return preferences.diagnostic(look.name, sentence, concerning, result.difference, **ends, numbers=numbers)


def _single_identities(every: Sequence[Preferences]) -> Diagnostic:
    """Identities with one pair: an interval over identities takes each as a group of its own."""
    fullest = max((each.scores.sample.cluster for each in every), key=len)
    sizes = np.unique(fullest, return_counts=True)[1]
    single, number = int((sizes == 1).sum()), len(sizes)
    sentence = (
        f"{count(single)} of {plural(number, 'identity', 'identities')} {'has' if single == 1 else 'have'} a single "
        "pair: intervals take each as a group of its own, so other names of one group count as further groups."
    )
    name, numbers = "identities with a single pair", {"single": single, "identities": number}
    concerning = single > MOST_SINGLE * number
    return Diagnostic(name, sentence, concerning, number, value=single / number, numbers=numbers)


def _ties(preferences: Preferences) -> Diagnostic:
    ties, n = int((preferences.scores.sample.difference == 0).sum()), len(preferences.scores.item)
    share = f"{plural(ties, 'tie')} in {plural(n, 'pair')} ({percent(ties / n)})"
    sentence = f"{preferences.label}: {share}, counted one half."
    return preferences.diagnostic("ties", sentence, ties > MANY_TIES * n, ties / n, numbers={"ties": ties})


def _precision(preferences: Preferences, kind: str) -> Diagnostic:
    """Pairs whose scores differ by no more than rounding was seen to move; all of them where it was not measured."""
    name, ran, scores = (
        "precision of the numbers",
        f"{preferences.label} ran with {kind} numbers",
        preferences.scores,
    )
    if not isfinite(scores.rounding):
        return preferences.diagnostic(name, f"{ran}: in full precision pairs may change sides.", True)
    n, close = len(scores.item), int(within_rounding(scores.sample.difference, scores.rounding).sum())
    sentence = (
        f"{ran}: in {count(close)} of {plural(n, 'pair')} ({percent(close / n)}) the scores differ by no more than "
        "rounding moved the difference of a pair that was scored twice, so these may change sides with float32."
    )
    concerning = close > MANY_ROUNDED * n
    return preferences.diagnostic(name, sentence, concerning, close / n, numbers={"close": close})
