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

FOLDS = 5
REPEATS = 20
FEW = 30
"""Pairs of either answer below which the page warns."""

THRESHOLD_COLUMNS: dict[str, str] = {
    "threshold": "the cut that maximises Youden's J, between two neighbouring cosines; of equal cuts the lowest",
    "youden_j": "sensitivity + specificity - 1 at the cut",
    "sensitivity": "share of the related pairs at or above the cut",
    "specificity": "share of the unrelated pairs below the cut",
    "accuracy": "share of pairs decided as people did, in folds that the cut was not chosen on",
    "accuracy_low": "lower end of its interval (pairs that share texts are resampled together)",
    "accuracy_high": "upper end",
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
    youden_j: float
    sensitivity: float
    specificity: float
    accuracy: float
    accuracy_low: float
    accuracy_high: float
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


def cuts(cosine: Numbers, related: Flags) -> pl.DataFrame:
    """Sensitivity, specificity and Youden's J of every cut, from the lowest; columns of `CUT_COLUMNS`.

    A cut lies midway between two neighbouring cosines; the first one, at the lowest cosine, calls every pair related.

    Args:
        cosine: of each pair.
        related: what people said of it.
    """
    values, place = np.unique(cosine, return_inverse=True)
    yes = np.bincount(place, related, len(values))
    no = np.bincount(place, ~related, len(values))
    lost = np.concatenate([[0.0], np.cumsum(yes)[:-1]])
    spared = np.concatenate([[0.0], np.cumsum(no)[:-1]])
    sensitivity, specificity = 1 - lost / yes.sum(), spared / no.sum()
    # Whole numbers over one denominator, so that equal cuts are equal.
    j = (spared * yes.sum() - lost * no.sum()) / (yes.sum() * no.sum())
    middle = np.concatenate([values[:1], (values[:-1] + values[1:]) / 2])
    return pl.DataFrame(
        {"threshold": middle, "sensitivity": sensitivity, "specificity": specificity, "youden_j": j}
    )


def youden(cosine: Numbers, related: Flags) -> float:
    """The cut of the greatest J; of equal ones the lowest, which calls the fewest concepts unique."""
    candidates = cuts(cosine, related)
    return float(candidates["threshold"][int(candidates["youden_j"].to_numpy().argmax())])


def calibrate(labels: Labels, cosine: Numbers, *, confidence: float = 0.95, seed: int = 0) -> Calibration:
    """Choose the threshold, and say how well the rule does on pairs it was not chosen on.

    Args:
        labels: the pairs.
        cosine: likeness of each pair (`Labels.cosines`).
        confidence: confidence level of the interval of the accuracy.
        seed: of the folds.

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
    spread = _accuracy_interval(correct[tested], group[tested], confidence)
    return Calibration(
        **best,
        accuracy=float(correct[tested].mean()) if tested.any() else NAN,
        accuracy_low=spread.low,
        accuracy_high=spread.high,
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
    if not np.isfinite(calibration.accuracy_low):
        sentences.append("The pairs share too many texts for an interval of the accuracy.")
    return sentences
