"""What coders of thoughts say together: agreement of every two of them, and shares by the majority of reader models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
import polars as pl

from endoxa.instruments.thoughts.texts import YES, Codes, ThoughtText
from endoxa.schema.thoughts import AGREEMENT_COLUMNS, ARGUED, CODES, THOUGHT_COLUMNS
from endoxa.sources.frames import column_types
from endoxa.stats.agreement import COEFFICIENTS, agreement_interval
from endoxa.stats.intervals import FEWEST_CLUSTERS, UNDEFINED, clustered_share

RULES, PEOPLE = "rules", "people"
PARTS = 200
"""Most thoughts, with different codes, that the jackknife leaves out singly."""
METHOD = "single thoughts as units"
"""Thoughts about one prompt or association are not independent; the journal does not say which are."""
_AGREEMENT = column_types(
    AGREEMENT_COLUMNS, texts=("code", "first", "second"), counts=("n", "n_first", "n_second")
)
_TEXTS = ("data", "model", "protocol", "context_condition", "measure", "method", "verdict", "reason")
_SHARES = column_types(THOUGHT_COLUMNS, texts=_TEXTS, counts=("n",))


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
            rows.append(
                {
                    "code": code,
                    "first": first,
                    "second": second,
                    "n": len(pairs),
                    "n_first": counts[0],
                    "n_second": counts[1],
                    "agreement": float((votes[:, 0] == votes[:, 1]).mean()),
                    "kappa": value,
                    "low": interval.low,
                    "high": interval.high,
                    "confidence": confidence,
                }
            )
    return pl.DataFrame(rows, schema=_AGREEMENT).with_columns(pl.selectors.float().fill_nan(None))


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


def majority(readers: Mapping[str, Mapping[str, Codes]], name: str) -> dict[str, bool]:
    """Whether more than half of the readers who coded a thought say yes, for each code."""
    votes_by_code = {
        code: [codes[name][code] for codes in readers.values() if name in codes] for code in CODES
    }
    return {code: 2 * votes.count(YES) > len(votes) for code, votes in votes_by_code.items() if votes}


def shares_by_readers(
    thoughts: Sequence[ThoughtText], readers: Mapping[str, Mapping[str, Codes]], *, confidence: float
) -> pl.DataFrame:
    """Shares of every model's thoughts, and of those that did not end: `schema.thoughts.THOUGHT_COLUMNS`.

    Args:
        thoughts: all thoughts, cut-off ones included; of stories, profiles and ratings.
        readers: codes by reader and name of the thought.
        confidence: confidence level of the intervals.
    """
    rows = []
    for model in dict.fromkeys(thought.model for thought in thoughts):
        of_model = [thought for thought in thoughts if thought.model == model]
        coded = [majority(readers, thought.name) for thought in of_model if not thought.cut_off]
        answers = {code: [codes[code] for codes in coded if code in codes] for code in CODES}
        answers["cut_off"] = [thought.cut_off for thought in of_model]
        for measure, values in ((name, np.array(each, float)) for name, each in answers.items() if each):
            interval = clustered_share(np.ones(len(values)), values, float(values.var()), confidence)
            rows.append(
                {
                    "model": model,
                    "measure": measure,
                    "n": len(values),
                    "value": float(values.mean()),
                    "low": interval.low,
                    "high": interval.high,
                    "confidence": confidence,
                    "method": METHOD,
                }
            )
    table = pl.DataFrame(rows, schema=_SHARES)
    return table.with_columns(pl.selectors.float().fill_nan(None), pl.selectors.string().fill_null(""))
