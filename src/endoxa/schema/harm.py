"""Ratings of how harmful associations are, and what they say together."""

from __future__ import annotations

from endoxa.schema.columns import shared

HARM_RATING_COLUMNS: dict[str, str] = {
    "association_id": "name of the association: made of its four parts",
    **shared("base_attribute base_value compared_attribute compared_value"),
    "rater": "the model as written on the command line, or the code of a person",
    **shared("rater_kind repeat"),
    "order": "which question came first: 'harm' or 'frequent'",
    **shared("language"),
    "harm": "does it reinforce a harmful stereotype, 1 (strongly disagree) to 5 (strongly agree); empty where not read",
    "frequent": "is the pattern frequent in reality: 'yes', 'no', 'not sure', or empty",
    "outcome": "'rated', 'partly', 'refused', 'out-of-range' or 'unparsed'",
    "answer": "the answer as it came; empty for people",
    **shared("seed finish served_model prompt_tokens completion_tokens error"),
}
"""Columns of harm ratings: `records.parquet` of `probe harm`, and (up to `outcome`) of people's ratings."""

HARM_OUTCOMES = ("rated", "partly", "refused", "out-of-range", "unparsed")
"""What a rating can be: both questions answered, one of them, a refusal, a number outside 1 to 5, nothing readable."""

HARM_SCORE_COLUMNS: dict[str, str] = {
    **shared("association_id"),
    "rater": "a model, or 'people' (all people together)",
    **shared("rater_kind"),
    "n": "ratings of harm that were read",
    **shared("mean median"),
    "harmful": "1 where the median reaches the threshold",
    **shared("frequent_yes"),
    "frequent_n": "answers on how frequent the pattern is",
}
"""One row per association and rater: what each rater thinks of each association."""

HARM_ASSOCIATION_COLUMNS: dict[str, str] = {
    **shared("association_id base_attribute base_value compared_attribute compared_value"),
    "people_n": "people who rated its harm",
    "people_mean": "mean of their ratings",
    "people_median": "median of their ratings",
    **shared("people_low people_high"),
    "people_at_threshold": "share of people whose rating reaches the threshold",
    "people_harmful": "1 where the median reaches the threshold (the article's rule)",
    "people_verdict": "'harmful' or 'benign' where the interval lies on one side of the threshold, else 'undecided'",
    "people_frequent_yes": "share of people who call the pattern frequent in reality",
    "models": "models that rated its harm",
    "models_mean": "mean over models of their mean ratings",
    "models_harmful": "share of models whose own median reaches the threshold",
    "models_frequent_yes": "mean over models of their shares of 'yes'",
    "delta": "models_mean - people_mean",
    "made_by": "models whose stories show it; empty without a table of associations",
}
"""One row per association: people's verdict and how models differ from it."""

CLAIM_COLUMNS: dict[str, str] = {
    **shared("neutral p_value p_adjusted confidence"),
    "interval": "'crossed': people and values are taken as samples (see `sampled`)",
    "clusters": "number of people whose ratings the difference is based on",
    "clusters_effective": "their effective number (Kish): less where some gave most of the ratings",
    "verdict": "'above' (models rate higher), 'below', 'unclear' or 'cannot-be-tested'; empty where nothing is tested",
    **shared("reason"),
    "base_values": "number of base values of the associations that the difference is based on",
    "compared_values": "number of their compared values",
    "sampled": "what the statement is about besides other people: 'both' other base and compared values, 'base values' "
    "(with these compared values only: too few of them, or one with most associations), or 'none' (cannot be tested)",
}
"""What may be claimed from a difference between models and people."""

HARM_RATER_COLUMNS: dict[str, str] = {
    "rater": "a model, 'all models' (the mean over models), or 'people'",
    "rater_kind": "'model', 'models' or 'human'",
    "associations": "associations it rated",
    "ratings": "ratings of harm that were read",
    "refused": "share of all its answers that decline",
    "unread": "share of all its answers without a usable rating of harm, refusals apart",
    "mean": "mean of its scores over associations",
    "at_maximum": "share of its ratings that are 5",
    **shared("frequent_yes"),
    "compared": "associations that both it and people rated",
    "delta": "mean over those of its score - people's mean",
    **shared("delta_low delta_high"),
    "pearson": "correlation of its scores with these people's means",
    **shared("pearson_low pearson_high"),
    "spearman": "rank correlation of the same",
    **shared("spearman_low spearman_high"),
    "agreement": "share of associations that it and people classify alike as harmful or benign",
    **shared("agreement_low agreement_high kappa kappa_low kappa_high"),
    "made": "rated associations that its own stories show; empty without a table of associations",
    "blind_spots": "those of them that it calls harmful itself",
    "blind_share": "blind_spots / made",
    **shared("blind_low blind_high"),
    **CLAIM_COLUMNS,
    "harmful_share": "share of the associations it rated that it calls harmful; read kappa beside it",
}
"""One row per rater: what it thinks overall, and how it compares with people."""

HARM_AGREEMENT_COLUMNS: dict[str, str] = {
    "rater_a": "one rater",
    "rater_b": "the other; every ordered pair has a row, each rater with itself too",
    "place_a": "place of the first on the ordered heat map, from 0 (average linkage, distance 1 - agreement)",
    **shared("place_b"),
    "n": "associations that both rated",
    "agreement": "share of them classified alike as harmful or benign",
    **shared("agreement_low agreement_high"),
}
"""The agreement of raters, a row for each cell of a heat map."""

HARM_ATTRIBUTE_COLUMNS: dict[str, str] = {
    "attribute": "an attribute of the associations",
    "side": "associations that have it: 'base', 'compared', or 'either'",
    "rater": "a model, or 'all models'",
    "n": "associations that both the rater and people rated",
    "rater_mean": "mean of its scores on them",
    "people_mean": "mean of people's means on them",
    "delta": "rater_mean - people_mean: negative where harm is underestimated",
    **shared("delta_low delta_high"),
    "made": "associations with the attribute that the model's own stories show ('all models': those of any model)",
    "made_share": "made / all associations that it makes",
    **CLAIM_COLUMNS,
}
"""Where models underestimate harm and where they overestimate it, and what they write."""

BLIND_SPOT_COLUMNS: dict[str, str] = {
    "rater": "a model",
    "generator_model": "the same model as the table of associations names it",
    "association_id": "an association of its own stories that it calls harmful itself",
    **shared("base_attribute base_value compared_attribute compared_value"),
    "aggregations": "where its stories show it ('all', or languages), joined by '; '",
    "n": "its ratings of harm",
    **shared("mean median frequent_yes"),
    "people_median": "median of people's ratings",
    "people_verdict": "people's verdict",
}
"""Associations that a model makes and itself calls harmful."""

HARM_SUMMARY_COLUMNS: dict[str, str] = {
    **shared("name value low high n method"),
}
"""The study in a few numbers."""
