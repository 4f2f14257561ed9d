"""The cosine from which on two concepts count as the same, chosen by labelled pairs (LACES, section 5.2).

The cut maximises Youden's J, sensitivity + specificity - 1 (Youden 1950). LACES says that a threshold was calibrated on
256 labelled pairs, not by which criterion. How well the rule does on pairs it was not chosen on comes from repeated
cross-validation in which no text stands on both sides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from endoxa.curate.novelty.labels import Labels
from endoxa.errors import UserError
from endoxa.stats.intervals import FEWEST_CLUSTERS, NAN, UNDEFINED, Interval, clustered_share
from endoxa.stats.resampling import Clusters, bootstrap, drawn_units, expanded_interval

FOLDS = 5
REPEATS = 20
GUESSING = 0.5
"""Balanced accuracy of a rule that knows nothing."""
FEW = 30
"""Pairs of either answer below which the page warns."""

THRESHOLD_COLUMNS: dict[str, str] = {
    "threshold": "the cut that maximises Youden's J, between two neighbouring cosines; of equal cuts the lowest",
    "low": "lower end of its interval: the lowest cut that cannot be told from the best one",
    "high": "upper end: the highest such cut",
    "youden_j": "sensitivity + specificity - 1 at the cut",
    "sensitivity": "share of the related pairs at or above the cut",
    "specificity": "share of the unrelated pairs below the cut",
    "accuracy": "share of pairs decided as people did, in folds that the cut was not chosen on",
    "accuracy_low": "lower end of its interval (pairs that share texts are resampled together)",
    "accuracy_high": "upper end",
    "majority": "accuracy of calling every pair what most are",
    "balanced": "mean of the accuracies over related and over unrelated pairs, in the same folds; 0.5 by guessing",
    "balanced_low": "lower end of its interval",
    "balanced_high": "upper end",
    "n": "labelled pairs, each once",
    "n_related": "of these, related",
    "n_tested": "pairs that some fold tested",
    "texts": "different texts",
    "groups": "groups of pairs that share no text",
    "repeated": "rows left out because an earlier row has the same pair",
    "unlabelled": "rows without an answer",
    "equal": "rows of two equal texts, left out",
}
"""Columns of `FILE_threshold`, one row."""

CUT_COLUMNS: dict[str, str] = {
    "threshold": "a cut between two neighbouring cosines",
    "sensitivity": "share of the related pairs at or above it",
    "specificity": "share of the unrelated pairs below it",
    "youden_j": "sensitivity + specificity - 1",
}
"""Columns of `FILE_cuts`."""

Numbers = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
Codes = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Calibration:
    """A chosen threshold; the fields are those of `THRESHOLD_COLUMNS`, undefined ones NaN."""

    threshold: float
    low: float
    high: float
    youden_j: float
    sensitivity: float
    specificity: float
    accuracy: float
    accuracy_low: float
    accuracy_high: float
    majority: float
    balanced: float
    balanced_low: float
    balanced_high: float
    n: int
    n_related: int
    n_tested: int
    texts: int
    groups: int
    repeated: int = 0
    unlabelled: int = 0
    equal: int = 0

    @property
    def table(self) -> pl.DataFrame:
        """One row with the columns of `THRESHOLD_COLUMNS`."""
        return pl.DataFrame([asdict(self)]).select(list(THRESHOLD_COLUMNS))


def cuts(cosine: Numbers, related: Flags, weights: Numbers | None = None) -> pl.DataFrame:
    """Sensitivity, specificity and Youden's J of every cut, from the lowest; columns of `CUT_COLUMNS`.

    A cut lies midway between two neighbouring cosines; the first one, at the lowest cosine, calls every pair related.

    Args:
        cosine: of each pair.
        related: what people said of it.
        weights: how often each pair counts, once if not given.
    """
    weight = np.ones(len(cosine)) if weights is None else weights
    values, place = np.unique(cosine, return_inverse=True)
    yes = np.bincount(place, weight * related, len(values))
    no = np.bincount(place, weight * ~related, len(values))
    lost = np.concatenate([[0.0], np.cumsum(yes)[:-1]])
    spared = np.concatenate([[0.0], np.cumsum(no)[:-1]])
    sensitivity, specificity = 1 - lost / yes.sum(), spared / no.sum()
    # Whole numbers over one denominator, so that equal cuts are equal.
    j = (spared * yes.sum() - lost * no.sum()) / (yes.sum() * no.sum())
    middle = np.concatenate([values[:1], (values[:-1] + values[1:]) / 2])
    return pl.DataFrame(
        {"threshold": middle, "sensitivity": sensitivity, "specificity": specificity, "youden_j": j}
    )


def youden(cosine: Numbers, related: Flags, weights: Numbers | None = None) -> float:
    """The cut of the greatest J; of equal ones the lowest, which calls the fewest concepts unique."""
    candidates = cuts(cosine, related, weights)
    return float(candidates["threshold"][int(candidates["youden_j"].to_numpy().argmax())])


def calibrate(
    labels: Labels,
    cosine: Numbers,
    *,
    confidence: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
) -> Calibration:
    """Choose the threshold, and say how well the rule does on pairs it was not chosen on.

    Args:
        labels: the pairs.
        cosine: likeness of each pair (`Labels.cosines`).
        confidence: confidence level of both intervals.
        resamples: resamples behind the interval of the threshold.
        seed: of folds and resamples.

    Raises:
        UserError: no cut does better than calling every pair related.
    """
    related = labels.related
    all_cuts = cuts(cosine, related)
    best = all_cuts.row(int(all_cuts["youden_j"].to_numpy().argmax()), named=True)
    if best["youden_j"] <= 0:
        raise UserError(
            "The cosines of related pairs are not higher than those of unrelated ones, so no threshold can be chosen. "
            "Check the labels and --encoder."
        )
    first, second, texts = _text_codes(labels)
    group = _groups(first, second, texts)
    correct = cross_validated(cosine, related, first, second, seed=seed)
    tested = np.isfinite(correct)
    accuracy = float(correct[tested].mean()) if tested.any() else NAN
    spread = _accuracy_interval(correct[tested], group[tested], confidence)
    even, around = _balanced(
        correct[tested], related[tested], group[tested], confidence, resamples=resamples, seed=seed
    )
    ends = _threshold_interval(cosine, related, group, confidence, resamples=resamples, seed=seed)
    share = float(related.mean())
    return Calibration(
        **best,
        low=ends.low,
        high=ends.high,
        accuracy=accuracy,
        accuracy_low=spread.low,
        accuracy_high=spread.high,
        majority=max(share, 1 - share),
        balanced=even,
        balanced_low=around.low,
        balanced_high=around.high,
        n=len(related),
        n_related=int(related.sum()),
        n_tested=int(tested.sum()),
        texts=texts,
        groups=int(group.max()) + 1,
        repeated=labels.repeated,
        unlabelled=labels.unlabelled,
        equal=labels.equal,
    )


def cross_validated(
    cosine: Numbers,
    related: Flags,
    first: Codes,
    second: Codes,
    *,
    folds: int = FOLDS,
    repeats: int = REPEATS,
    seed: int = 0,
) -> Numbers:
    """How often each pair was decided as people did while the cut was chosen on pairs of other texts; NaN where never.

    Every text is put into a fold. A fold tests the pairs both of whose texts are in it, with the cut of the pairs that
    have none there. Texts that hang together through pairs go into one fold, unless they hold more pairs than a fold;
    those are put into folds one by one, and pairs between two folds are then neither tested nor learned from.

    Args:
        cosine: likeness of each pair.
        related: what people said of it.
        first: number of the first text of each pair.
        second: number of the second.
        folds: number of folds.
        repeats: number of divisions into folds.
        seed: of the divisions.
    """
    texts = int(max(first.max(), second.max())) + 1
    group = _groups(first, second, texts)
    unit = _units(first, second, group, folds)
    hits, tries = np.zeros(len(cosine)), np.zeros(len(cosine))
    rng = np.random.default_rng(seed)
    for _ in range(repeats):
        fold = (rng.permutation(int(unit.max()) + 1) % folds)[unit]
        for left_out in range(folds):
            inside, outside = (
                (fold[first] == left_out) & (fold[second] == left_out),
                (fold[first] != left_out) & (fold[second] != left_out),
            )
            if not inside.any() or len(np.unique(related[outside])) < 2:
                continue
            cut = youden(cosine[outside], related[outside])
            hits[inside] += (cosine[inside] >= cut) == related[inside]
            tries[inside] += 1
    share: Numbers = np.divide(hits, tries, out=np.full(len(cosine), NAN), where=tries > 0)
    return share


def _text_codes(labels: Labels) -> tuple[Codes, Codes, int]:
    """The numbers of the two texts of each pair, and how many texts there are."""
    names = {
        text: place
        for place, text in enumerate(dict.fromkeys(text for pair in labels.pairs for text in pair))
    }
    codes = np.array([[names[text], names[other]] for text, other in labels.pairs], dtype=np.int64)
    return codes[:, 0], codes[:, 1], len(names)


def _groups(first: Codes, second: Codes, texts: int) -> Codes:
    """For each pair the number of its group: pairs hang together that share a text, directly or through others."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    graph = coo_array((np.ones(len(first)), (first, second)), shape=(texts, texts))
    _, label = connected_components(graph, directed=False)
    _, codes = np.unique(label[first], return_inverse=True)
    return codes.astype(np.int64)


def _units(first: Codes, second: Codes, group: Codes, folds: int) -> Codes:
    """For each text the unit that goes into one fold: its group, or itself where the group is larger than a fold."""
    texts = int(max(first.max(), second.max())) + 1
    unit_of = np.zeros(texts, dtype=np.int64)
    unit_of[first], unit_of[second] = group, group
    large = np.bincount(group) * folds > max(len(group), folds)
    keys = np.where(large[unit_of], len(large) + np.arange(texts), unit_of)
    return np.unique(keys, return_inverse=True)[1].astype(np.int64)


def _accuracy_interval(correct: Numbers, group: Codes, confidence: float) -> Interval:
    """Groups of pairs that share texts are left out in turn; defined at 0 and 1 too."""
    _, place = np.unique(group, return_inverse=True)
    if len(correct) == 0 or place.max() + 1 < FEWEST_CLUSTERS:
        return UNDEFINED
    return clustered_share(
        np.bincount(place).astype(float), np.bincount(place, correct), float(correct.var()), confidence
    )


def _balanced(
    correct: Numbers, related: Flags, group: Codes, confidence: float, *, resamples: int, seed: int
) -> tuple[float, Interval]:
    """Balanced accuracy and its interval over groups of pairs; NaN where only one kind of answer was tested."""
    if len(np.unique(related)) < 2:
        return NAN, UNDEFINED

    def mean(total: Numbers) -> Numbers:
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray((total[:, 1] / total[:, 2] + total[:, 3] / total[:, 4]) / 2)

    clusters = Clusters.of(group, correct * related, related, correct * ~related, ~related)
    draws = bootstrap(clusters, mean, resamples, seed)
    return float(mean(clusters.totals.sum(axis=0)[None])[0]), expanded_interval(draws, clusters, confidence)


def _threshold_interval(
    cosine: Numbers, related: Flags, group: Codes, confidence: float, *, resamples: int, seed: int
) -> Interval:
    """From the lowest to the highest cut that cannot be told from the best one.

    Percentiles of resampled cuts would be too narrow: the place of a maximum converges with the cube root of n, and the
    bootstrap does not follow it (Kim and Pollard 1990; Abrevaya and Huang 2005). So a test is inverted: a cut stays if
    J there lies below the greatest by no more than resamples of J, each about its own value, make likely. That is valid
    if all cuts were equally good, hence rather wide.
    """
    groups = int(group.max()) + 1
    if groups < FEWEST_CLUSTERS:
        return UNDEFINED
    values, place = np.unique(cosine, return_inverse=True)
    order = np.argsort(place, kind="stable")
    starts = np.searchsorted(place[order], np.arange(len(values)))
    candidates = cuts(cosine, related)
    j = candidates["youden_j"].to_numpy()
    drawn = []
    for sample in drawn_units(groups, resamples, np.random.default_rng([seed, 1])):
        times = np.bincount(sample, minlength=groups)[group][order]
        yes = np.add.reduceat(times * related[order], starts)
        no = np.add.reduceat(times * ~related[order], starts)
        if yes.sum() and no.sum():
            lost, spared = np.cumsum(yes) - yes, np.cumsum(no) - no
            drawn.append(spared / no.sum() - lost / yes.sum() - j)
    if len(drawn) < resamples / 2:
        return UNDEFINED
    moved = np.array(drawn)
    margin = np.quantile(moved.max(axis=1)[:, None] - moved, confidence, axis=0)
    kept = candidates["threshold"].to_numpy()[j.max() - j <= margin]
    return Interval(float(kept.min()), float(kept.max()))


def warnings(calibration: Calibration) -> Sequence[str]:
    """What a reader should know before trusting the threshold."""
    sentences = []
    fewest = min(calibration.n_related, calibration.n - calibration.n_related)
    if fewest < FEW:
        which = "related" if calibration.n_related == fewest else "unrelated"
        sentences.append(
            f"Only {fewest} of {calibration.n} labelled pairs are {which}; a threshold needs at least {FEW} of "
            "either kind."
        )
    if calibration.balanced <= GUESSING or calibration.balanced_low <= GUESSING:
        sentences.append(
            "On pairs that it was not chosen on, the threshold is not clearly better than guessing."
        )
    if not np.isfinite(calibration.accuracy_low):
        sentences.append("The pairs share too many texts for an interval of the accuracy.")
    return sentences
