"""What a run and its analysis hand on: columns of records and estimates, an estimate, and how a statistic plugs in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from endoxa.schema.columns import shared
from endoxa.schema.pairs import PAIR_COLUMNS

if TYPE_CHECKING:
    import numpy as np


class Progress(Protocol):
    """Shows how far a run is."""

    def __call__(self, what: str, done: float, total: int, detail: str = "", /) -> None:
        """Show the state of a run.

        Args:
            what: what is being done; another text begins another phase.
            done: units done so far.
            total: units in all (0: not known).
            detail: what is under way besides ("812 tokens").
        """
        ...


RECORD_COLUMNS: dict[str, str] = {
    **PAIR_COLUMNS,
    **shared("model"),
    "rule": "the scoring rule (its unit is in the manual: nats, or nats per token)",
    "score_more": "score of `sent_more` under the rule",
    "score_less": "score of `sent_less` under the rule",
    "n_tokens_more": "tokens of `sent_more` that were scored",
    "n_tokens_less": "tokens of `sent_less` that were scored",
    "neutral_difference": "score_more - score_less of the same pair about others (`compared_with`), their median",
    "n_neutral": "number of these others (0 where none fits)",
    "neutral_preferred": "share of these others about whom `sent_more` scores higher (a tie counts one half)",
    "compared_with": "'groups': other identities of the table; 'phrases': people in general; empty where none fits",
    "identity_group": "group that the pair is about, from the table of groups; empty where it has none for the pair, "
    "null where no table was used",
}
"""Columns of `records.parquet`: one row per item x model x rule."""

ROUNDING_COLUMNS: dict[str, str] = {
    "precision": "type of the model's numbers ('bfloat16') where they have fewer bits than float32 and their rounding "
    "was measured; of preference ratios. Else empty, as the columns after it",
    "within_rounding": "of a preference ratio: pairs whose difference is not larger than rounding was seen to move one",
    "rounding_low": "the value if all of these had gone to the other sentence",
    "rounding_high": "the value if all of these had gone to the stereotypical one",
    "rounding_verdicts": "the verdicts of both, if one of them is another than `verdict`; else empty",
}
"""Columns at the end of `estimates.csv` about half precision."""

ESTIMATE_COLUMNS: dict[str, str] = {
    **shared("model"),
    "rule": "the scoring rule",
    **shared("language axis name value low high confidence p_value p_adjusted n neutral method"),
    "unit": "unit of the value",
    "interval": "name of the interval: 'identities', 'wilson', 't' or 'none'",
    **shared("clusters attributes sampled verdict reason"),
    "largest": "share of the pairs that the largest identity has; over one half, the statement is about these "
    "identities as they are",
    **ROUNDING_COLUMNS,
}
"""Columns of `estimates.csv`; language and axis are also 'all'."""

ALL = "all"


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value with what is needed to defend it. NaN where a part is not defined (never zero).

    A statistic leaves `p_adjusted` and `verdict` open: they follow once the family of tests is known. In `reason` it
    says why nothing can be tested, if so.
    """

    name: str
    value: float
    low: float
    high: float
    confidence: float
    p_value: float
    p_adjusted: float
    n: int
    neutral: float
    method: str
    interval: str = ""
    clusters: int = 0
    attributes: int = 0
    sampled: str = ""
    verdict: str = ""
    reason: str = ""
    largest: float = float("nan")


@dataclass(frozen=True, slots=True)
class Sample:
    """Scores of the pairs an estimate is made of: aligned arrays, one entry per pair.

    Attributes:
        difference: score of the stereotypical sentence minus the other one (rule's unit); 0 is a tie.
        score_more: score of `sent_more`, whatever the label says.
        score_less: score of `sent_less`.
        direction: 'stereo', 'antistereo' or 'unknown' per pair.
        neutral_difference: `difference` of the same pair about others, their median; NaN where there is none.
        cluster: integer code of the identity, pairs with one code are resampled together; negative where it is a group
            of a list (`identity_group`).
        attribute: integer code of the attribute (or of the sentence frame, where pairs differ in the identity); None
            where no two pairs share one.
        kind: what the other sentence is made with, 'negation', 'antonym' or 'other' per pair; None where all are other.
        denied: 1 where the other sentence denies the stereotypical one, -1 the other way round, else 0; None where no
            pair is a denial.
        neutral_preferred: share of these others about whom the stereotypical sentence scores higher; None where nobody
            counted.
        with_groups: whether these others are groups, not people in general; None where they are nowhere.
        by_frequency: log-frequency of the words of the stereotypical sentence minus that of the other one; NaN where
            there are no frequencies.
        by_length: characters of the other sentence minus those of the stereotypical one; NaN where nobody counted.
        resamples: how many bootstrap samples an interval may draw (a sign-flip test draws five times as many).
    """

    difference: np.ndarray
    score_more: np.ndarray
    score_less: np.ndarray
    direction: np.ndarray
    neutral_difference: np.ndarray
    cluster: np.ndarray
    resamples: int = 2000
    attribute: np.ndarray | None = None
    kind: np.ndarray | None = None
    denied: np.ndarray | None = None
    neutral_preferred: np.ndarray | None = None
    with_groups: np.ndarray | None = None
    by_frequency: np.ndarray | None = None
    by_length: np.ndarray | None = None


@dataclass(frozen=True, slots=True)
class Statistic:
    """A named statistic over a `Sample`.

    Attributes:
        name: value of the column `name` in `estimates.csv`.
        unit: unit of its value ("share of pairs", "percent", "nats" ...; "rule" for the rule's own unit).
        neutral: value of an unbiased model.
        summary: one line for lists and the report.
        source: paper, section, equation, or the function of a library.
        compute: (sample, confidence, seed) -> estimates (one per method). Raises ValueError on an empty
            sample or NaN.
    """

    name: str
    unit: str
    neutral: float
    summary: str
    source: str
    compute: Callable[[Sample, float, int], list[Estimate]]
