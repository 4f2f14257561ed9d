"""One association measured by several instruments: parts, effects, reliabilities, correlations, agreement."""

from __future__ import annotations

from endoxa.schema.columns import shared

PART_COLUMNS: dict[str, str] = {
    **shared("model"),
    "instrument": "'pairs', 'questions', 'tests', 'stories', or any other name",
    "association_id": "the association; followed by its language in brackets where it was measured in several",
    **shared("identity"),
    "part": "what the value was measured with: a template, an item, a repeat, a scenario, a term",
    "value": "the measurement, above 0 towards the stereotype, below 0 against it, 0 where neutral",
}
"""Columns of a table of parts: the smallest units that an instrument's items can be halved into."""

EFFECT_COLUMNS: dict[str, str] = {
    **shared("model instrument association_id identity"),
    "n_parts": "parts that the effect is the mean of",
    "value": "mean over the parts in the instrument's own unit, levels of shared parts taken off",
    "scale": "standard deviation of single parts of this model and instrument, over all associations",
    "effect": "value / scale: above 0 towards the stereotype; empty where all parts are the same",
    "se": "standard error of the effect: pooled standard deviation within associations / sqrt(n_parts) / scale",
    **shared("low high confidence p_value p_adjusted neutral verdict reason"),
}
"""Columns of `effects.csv`: one row per model, instrument and association."""

RELIABILITY_COLUMNS: dict[str, str] = {
    **shared("model instrument"),
    "n_associations": "associations it measured",
    **shared("n_identities"),
    "n_halved": "associations with two or more parts",
    "parts": "median number of parts of an association",
    "reliability": "share of the variance of effects that two halves of the parts share (mean over all halvings)",
    **shared("low high reason"),
}
"""Columns of `reliabilities.csv`: one row per model and instrument."""

CORRELATION_COLUMNS: dict[str, str] = {
    **shared("model"),
    "instrument_1": "one instrument",
    "instrument_2": "the other",
    "n_associations": "associations that both measured",
    **shared("n_identities"),
    "raw": "Pearson's correlation of the effects over these associations",
    **shared("raw_low raw_high"),
    "reliability_1": "reliability of the first instrument over these associations",
    **shared("reliability_1_low reliability_1_high"),
    "reliability_2": "reliability of the second",
    **shared("reliability_2_low reliability_2_high"),
    "corrected": "raw / sqrt(reliability_1 * reliability_2) (Spearman 1904); can exceed 1; empty where a reliability "
    "is unknown or too low",
    **shared("low"),
    "high": "upper end of its interval; 'inf' where the reliabilities are too uncertain to bound it",
    **shared("confidence p_value p_adjusted neutral verdict reason"),
    "sentence": "the finding in one sentence",
    **shared("n_attributes sampled"),
}
"""Columns of `correlations.csv`: one row per model and pair of instruments."""

ALL_AGREE = "all agree"
CONTRADICT = "contradict"
SOME_AGREE = "some agree"
LONE_FINDING = "only one sees it"
NONE_SEES = "none sees it"
SINGLE_INSTRUMENT = "one instrument"
NOT_TESTED = "cannot be tested"
AGREEMENTS = (ALL_AGREE, CONTRADICT, SOME_AGREE, LONE_FINDING, NONE_SEES, SINGLE_INSTRUMENT, NOT_TESTED)
"""What the instruments say together about an association, in the order of the list to look at first."""

AGREEMENT_COLUMNS: dict[str, str] = {
    "place": "place in the model's list of associations to look at first, from 1",
    **shared("model association_id identity attribute"),
    "agreement": "one of `AGREEMENTS`, explained in docs/methods/convergence.md",
    "direction": "'above' (stereotype) or 'below' where something is claimed without contradiction, else empty",
    "above": "instruments that claim the stereotype, joined by '; '",
    "below": "instruments that claim the opposite",
    "unclear": "instruments that were tested and claim nothing",
    "untested": "instruments that measured it and cannot be tested",
    "mean_effect": "mean of the effects of all instruments that measured it",
    "n_instruments": "instruments that measured it",
}
"""Columns of `agreement.csv`: one row per model and association, in the order of the list to look at first."""

SEVERAL, ALL, AGAINST, ONE, NONE = "several", "all", "against each other", "one", "none"
TOGETHER = (SEVERAL, ALL, AGAINST, ONE, NONE)
"""By how many instruments an association is shown; those that all show are among those that several show."""

CHANCE_COLUMNS: dict[str, str] = {
    **shared("model"),
    "together": "one of `TOGETHER`, explained in docs/methods/convergence.md",
    "n_instruments": "instruments that measured the model",
    "n_associations": "associations that two or more of them tested; of 'all', that all of them tested",
    **shared("n_identities n_attributes"),
    "observed": "associations that are shown so",
    "expected": "mean of the same where identities were exchanged in all instruments but one, attribute means kept; "
    "empty where every attribute belongs to one identity",
    "range_low": "lower end of the range of the same that holds `confidence` of the exchanges",
    **shared("range_high confidence"),
    "p_value": "share of the exchanges (the measured order counted) in which as many or more are shown so",
    **shared("p_adjusted verdict reason"),
}
"""Columns of `chance.csv`: rows per model with two instruments or more."""

RELIABLE = "reliability"
MONOTRAIT_HETEROMETHOD = "monotrait-heteromethod"
HETEROTRAIT_MONOMETHOD = "heterotrait-monomethod"
HETEROTRAIT_HETEROMETHOD = "heterotrait-heteromethod"

MTMM_COLUMNS: dict[str, str] = {
    **shared("model"),
    "trait_1": "one trait",
    "instrument_1": "the instrument that measured it",
    "trait_2": "the other trait",
    "instrument_2": "the instrument that measured that",
    "kind": "'reliability' (same trait and instrument), 'monotrait-heteromethod', 'heterotrait-monomethod' or "
    "'heterotrait-heteromethod' (Campbell and Fiske 1959)",
    "n_units": "units that both were measured of: attributes where a trait is an axis, else identities",
    "value": "correlation over these units, or the reliability; empty with fewer than ten units",
    **shared("low high confidence"),
}
"""Columns of `mtmm.csv`: one row per model and two measurements, the multitrait-multimethod matrix in long form."""

VALIDITY_COLUMNS: dict[str, str] = {
    **shared("model"),
    "measure": "mean of all correlations of a kind, or a difference of two such means",
    "n_correlations": "correlations that it is made of (of a difference: of the smaller side)",
    **shared("value low high confidence p_value p_adjusted neutral verdict reason"),
}
"""Columns of `validity.csv`: what Campbell and Fiske ask of a multitrait-multimethod matrix, per model."""
