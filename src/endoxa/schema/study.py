"""Tables of studies: one association measured by several instruments, and the cells of a reproduction.

What the columns of the first mean is said in docs/methods/convergence.md; those of `cells.csv` have a sentence each.
"""

from __future__ import annotations

PART_COLUMNS = ("model", "instrument", "association_id", "identity", "part", "value")
"""Columns of a table of parts, the smallest units that an instrument's items can be halved into: a template, an item, a
repeat, a scenario, a term. Values are above 0 towards the stereotype, below 0 against it."""

EFFECT_COLUMNS = (
    *("model", "instrument", "association_id", "identity", "n_parts", "value", "scale", "effect", "se"),
    *("low", "high", "confidence", "p_value", "p_adjusted", "neutral", "verdict", "reason"),
)
"""Columns of `effects.csv`: one row per model, instrument and association."""

RELIABILITY_COLUMNS = (
    *("model", "instrument", "n_associations", "n_identities", "n_halved", "parts", "reliability", "low"),
    *("high", "reason"),
)
"""Columns of `reliabilities.csv`: one row per model and instrument."""

CORRELATION_COLUMNS = (
    *("model", "instrument_1", "instrument_2", "n_associations", "n_identities", "raw", "raw_low"),
    *("raw_high", "reliability_1", "reliability_1_low", "reliability_1_high", "reliability_2"),
    *("reliability_2_low", "reliability_2_high", "corrected", "low", "high", "confidence", "p_value"),
    *("p_adjusted", "neutral", "verdict", "reason", "sentence", "n_attributes", "sampled"),
)
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

AGREEMENT_COLUMNS = (
    *("place", "model", "association_id", "identity", "attribute", "agreement", "direction", "above"),
    *("below", "unclear", "untested", "mean_effect", "n_instruments"),
)
"""Columns of `agreement.csv`: one row per model and association, in the order of the list to look at first."""

SEVERAL, ALL, AGAINST, ONE, NONE = "several", "all", "against each other", "one", "none"
TOGETHER = (SEVERAL, ALL, AGAINST, ONE, NONE)
"""By how many instruments an association is shown; those that all show are among those that several show."""

CHANCE_COLUMNS = (
    *("model", "together", "n_instruments", "n_associations", "n_identities", "n_attributes", "observed"),
    *("expected", "range_low", "range_high", "confidence", "p_value", "p_adjusted", "verdict", "reason"),
)
"""Columns of `chance.csv`: rows per model with two instruments or more."""

RELIABLE = "reliability"
MONOTRAIT_HETEROMETHOD = "monotrait-heteromethod"
HETEROTRAIT_MONOMETHOD = "heterotrait-monomethod"
HETEROTRAIT_HETEROMETHOD = "heterotrait-heteromethod"

MTMM_COLUMNS = (
    *("model", "trait_1", "instrument_1", "trait_2", "instrument_2", "kind", "n_units", "value", "low"),
    *("high", "confidence"),
)
"""Columns of `mtmm.csv`: one row per model and two measurements, the multitrait-multimethod matrix in long form."""

VALIDITY_COLUMNS = (
    *("model", "measure", "n_correlations", "value", "low", "high", "confidence", "p_value", "p_adjusted"),
    *("neutral", "verdict", "reason"),
)
"""Columns of `validity.csv`: what Campbell and Fiske ask of a multitrait-multimethod matrix, per model."""

REPRODUCTION_COLUMNS: dict[str, str] = {
    "result": "name of the published result, as in `endoxa reproduce`",
    "table": "where the number is printed",
    "cell": "row and column of the printed table",
    "published": "the printed number; empty where endoxa does not hold it, or where there is no such cell",
    "ours": "our number; empty where it was not computed",
    "difference": "ours minus published; empty where there is no verdict",
    "tolerance": "largest absolute difference that counts as agreement",
    "tolerance_reason": "why that much: rounding of the print, sampling, unstated details",
    "verdict": "`agrees`, `differs`, `not-comparable` (another model, or other data than the paper's) or "
    "`not-computed`",
    "why": "why it differs, cannot be compared or was not computed, as far as known",
    "source": "where the printed number was read",
}

AGREES, DIFFERS = "agrees", "differs"
NOT_COMPARABLE, NOT_COMPUTED = "not-comparable", "not-computed"
VERDICTS = (AGREES, DIFFERS, NOT_COMPARABLE, NOT_COMPUTED)
