"""Columns that several tables have, described once."""

from __future__ import annotations

SHARED: dict[str, str] = {
    "model": "the model as written on the command line; of a study its name there",
    "confidence": "confidence level of intervals; 1 - level of tests",
    "reason": "why it cannot be tested, is unclear although the raw p-value is small, or has no value; else empty",
    "verdict": "'above', 'below', 'unclear' or 'cannot-be-tested', against `neutral`; empty where nothing is tested",
    "low": "lower end of its interval; empty without one",
    "high": "upper end of its interval",
    "neutral": "value without a bias or a difference; empty where nothing is tested",
    "p_value": "two-sided p-value against `neutral`; empty where it cannot be tested",
    "association_id": "the association that the row is about, or empty",
    "language": "ISO 639 code",
    "clusters": "number of independent units that are taken as a sample",
    "attributes": "number of attributes that these are crossed with; 0 where none recurs",
    "sampled": "units that the statement is about: 'both' kinds, one kind (with the others as they are), or 'none'",
    "p_adjusted": "`p_value` after correction over its family of tests, which the page lists",
    "name": "what is estimated",
    "value": "its value; empty where undefined",
    "n": "what it rests on",
    "method": "how value, interval and test were computed",
    "identity": "its identity",
    "attribute": "its attribute",
    "region": "its region, or empty",
    "axis": "social axis",
    "protocol": "how it was asked: 'baseline', 'explanation' or 'reprompting'",
    "base_attribute": "the attribute that the prompts named",
    "base_value": "its value",
    "compared_attribute": "the attribute extracted from the stories",
    "compared_value": "the value that is more frequent than expected",
    "repeat": "number of the repeat, from 1",
    "seed": "seed of the draw",
    "error": "the provider's message where it refused this request, or empty",
    "context_condition": "'ambig' or 'disambig'",
    "data": "label of the data set",
    "served_model": "the model's exact name as its provider reports it, or empty",
    "finish": "why the answer ended",
    "prompt_tokens": "tokens sent, over all turns",
    "completion_tokens": "tokens received, over all turns",
    "mean": "their mean",
    "median": "their median",
    "premise": "of inferences the kind of premise: 'neutral' or 'stereotype'; else empty",
    "kind": "'inference', 'decision' or 'association'",
    "effect_category": "'negligible', 'small', 'medium' or 'large'",
    "aggregation": "'all' languages together, or one language",
    "cramer_v": "bias-corrected Cramér's V of the table",
    "prompts": "prompts whose stories are in the table",
    "rater_kind": "'model' or 'human'",
    "label": "the right option, 0 to 2",
    "target": "the option that agrees with the stereotype, 0 to 2; empty where unknown",
    "unknown": "the option that says it cannot be known, 0 to 2",
    "choice": "the option that was read in the answer, 0 to 2, or empty",
    "frequent_yes": "share of 'yes' among answers on how frequent the pattern is",
    "item_id": "unique name of the item within its file",
    "identity_key": "one name for the identity in all languages, or empty",
    "place_b": "place of the second",
    "ask": "how it was asked: 'letters', 'text', 'loglik' or 'loglik-mean'",
    "reasoning_tokens": "tokens of thoughts among them, where the provider counts these; else 0",
    "kappa": "Cohen's kappa; empty where both always say the same one thing",
    "position": "place in the answer, from 1",
    "batch": "batch of the run, from 1",
}


def shared(names: str) -> dict[str, str]:
    """Descriptions of these columns, whose names stand apart by spaces, in this order.

    The ends of an interval, `NAME_low` and `NAME_high`, are said as `low` and `high` are.
    """
    ends = {name: name.rpartition("_")[2] for name in names.split() if name.endswith(("_low", "_high"))}
    return {name: SHARED.get(name) or SHARED[ends[name]] for name in names.split()}
