"""What coders of thoughts say together: agreement of every two of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
import polars as pl

from endoxa.instruments.thoughts.texts import YES, Codes, ThoughtText
from endoxa.schema.thoughts import AGREEMENT_COLUMNS, ARGUED, CODES
from endoxa.sources.frames import column_types
from endoxa.stats.agreement import COEFFICIENTS, agreement_interval
from endoxa.stats.intervals import FEWEST_CLUSTERS, UNDEFINED

RULES, PEOPLE = "rules", "people"
PARTS = 200
"""Most thoughts, with different codes, that the jackknife leaves out singly."""
_AGREEMENT = column_types(
    AGREEMENT_COLUMNS, texts=("code", "first", "second"), counts=("n", "n_first", "n_second")
)


def agreement(coders: Mapping[str, Mapping[str, Codes]], *, confidence: float) -> pl.DataFrame:
    """Agreement of every two coders on every code that both gave: `schema.thoughts.AGREEMENT_COLUMNS`.

    Args:
        coders: codes by coder and name of the thought.
        confidence: confidence level of the intervals.
    """
    kappa, rows = COEFFICIENTS.get("cohen_kappa"), []
    for (first, codes), (second, others) in combinations(coders.items(), 2):
        for code in (*CODES, ARGUED):
            shared = [name for name in codes if code in codes[name] and code in others.get(name, {})]
            if not shared:
                continue
            pairs = [(codes[name][code], others[name][code]) for name in shared]
            answers = sorted({answer for pair in pairs for answer in pair})
            votes = np.array([[answers.index(answer) for answer in pair] for pair in pairs])
            value = kappa.value(votes, "nominal", None)
            interval = (
                agreement_interval(kappa, votes, "nominal", None, confidence=confidence, parts=PARTS)
                if len(votes) >= FEWEST_CLUSTERS and np.isfinite(value)
                else UNDEFINED
            )
            counts = [sum(pair[side] == YES for pair in pairs) if code in CODES else None for side in (0, 1)]
            alike = float((votes[:, 0] == votes[:, 1]).mean())
            ends = interval.low, interval.high
            rows.append((code, first, second, len(pairs), *counts, alike, value, *ends, confidence))
    return pl.DataFrame(rows, schema=_AGREEMENT, orient="row").with_columns(
        pl.selectors.float().fill_nan(None)
    )


def coders_of(
    thoughts: Sequence[ThoughtText],
    readers: Mapping[str, Mapping[str, Codes]],
    people: Mapping[str, Codes] | None,
) -> dict[str, Mapping[str, Codes]]:
    """Everybody who coded: people first, then rules where there are any, then reader models."""
    rules = {each.name: each.by_rules for each in thoughts if each.by_rules and not each.cut_off}
    return {
        **({PEOPLE: people} if people else {}),
        **({RULES: rules} if rules else {}),
        **readers,
    }
