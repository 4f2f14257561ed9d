"""Associations over languages and models: which are shared, which are found in one only."""

from __future__ import annotations

REACH_COLUMNS: dict[str, str] = {
    "association_id": "name of the association",
    "base_attribute": "the attribute that the prompts named",
    "base_value": "its value",
    "compared_attribute": "the attribute that was read off the stories",
    "compared_value": "the value that comes more often than expected",
    "harmful": "'harmful', 'benign', 'undecided', or empty where nobody rated it",
    "reach": "languages (or models) in which it is found",
    "of": "languages (or models) that have stories",
    "members": "those in which it is found, joined by '; '",
    "model_count": "models that find it in any of them",
    "models": "these models, joined by '; '",
}
"""One row per association: where it is found."""

CLAIM_COLUMNS: dict[str, str] = {
    "neutral": "the value where there is no difference; empty where nothing is tested",
    "p_adjusted": "`p_value` after Benjamini-Hochberg over the family",
    "confidence": "confidence level of the intervals, 1 - level of the tests",
    "interval": "'associations' (bootstrap of associations), 'none'",
    "clusters": "associations that the test rests on",
    "verdict": "'above', 'below', 'unclear' or 'cannot-be-tested', against `neutral`; empty where nothing is tested",
    "reason": "why it cannot be tested, or why it is unclear although the raw p-value is small; else empty",
}
"""What may be claimed from a comparison."""

REACH_COMPARISON_COLUMNS: dict[str, str] = {
    "name": "what is compared",
    "value": "its value; empty where undefined",
    "low": "lower end of the interval (values, or associations, as units: column interval); empty with too few",
    "high": "upper end",
    "p_value": "two-sided; in the row 'superiority', which has the verdict, and in that of Mann and Whitney's test",
    "n": "associations that it rests on",
    "method": "how it was computed",
    **CLAIM_COLUMNS,
}
"""Reach of harmful associations against that of benign ones."""

MEMBER_COLUMNS: dict[str, str] = {
    "member": "the language (or model)",
    "stories": "stories with a usable profile; empty where the stories were not given",
    "models": "models that find anything in it",
    "associations": "associations it has",
    "harmful": "harmful ones among them; empty where none was rated",
    "exclusive": "associations that no other has",
    "exclusive_harmful": "harmful ones among them",
    "missed": "share of all associations that it lacks: what one would miss who looks at it alone",
    "missed_harmful": "the same of the harmful ones",
}
"""One row per language (or model)."""

JACCARD_COLUMNS: dict[str, str] = {
    "a": "one language (or model)",
    "b": "the other; every ordered pair has a row, each with itself too",
    "place_a": "place of the first on the ordered heat map, from 0 (average linkage, optimal order of leaves)",
    "place_b": "place of the second",
    "size_a": "associations of the first",
    "size_b": "associations of the second",
    "shared": "associations of both",
    "either": "associations of either",
    "jaccard": "shared / either; empty where neither has any",
    "low": "lower end of its interval (bootstrap of associations)",
    "high": "upper end",
    "overlap": "shared / the smaller size: not lowered where one has fewer stories",
}
"""The similarity of sets of associations, a row for each cell of a heat map."""

EXCLUSIVE_COLUMNS: dict[str, str] = {
    "association_id": "name of the association",
    "base_attribute": "the attribute that the prompts named",
    "base_value": "its value",
    "compared_attribute": "the attribute that was read off the stories",
    "compared_value": "the value that comes more often than expected",
    "harmful": "'harmful', 'benign', 'undecided', or empty where nobody rated it",
    "member": "the only language (or model) in which it is found",
    "model_count": "models that find it there; what follows is about the stories of these models",
    "lift_elsewhere": "its largest lift in any other; empty where the stories were not given, as all that follows",
    "p_elsewhere": "its smallest p-value in any other, after Bonferroni over all of them",
    "nearest": "where that is",
    "power_elsewhere": "least probability that another would have shown it, were it as strong there as here",
    "weakest": "where that is",
    "untested": "others with fewer than ten stories of its base value, or no table; joined by '; '",
    "caution": "why its absence elsewhere may mean little; empty where nothing speaks against it",
}
"""Associations of one language (or model) alone."""

UNIVERSAL_COLUMNS: dict[str, str] = {
    "association_id": "name of the association",
    "base_attribute": "the attribute that the prompts named",
    "base_value": "its value",
    "compared_attribute": "the attribute that was read off the stories",
    "compared_value": "the value that comes more often than expected",
    "harmful": "'harmful', 'benign', 'undecided', or empty where nobody rated it",
    "of": "languages (or models) that have stories: all have it",
    "fewest_models": "models that find it where the fewest do",
    "most_models": "models that find it where the most do",
}
"""Associations of all languages (or models)."""

SHIFT_COLUMNS: dict[str, str] = {
    "language": "the language, or 'all': the mean over languages that have groups",
    "group": "'marked', 'unmarked', or 'marked - unmarked'",
    "attribute": "the attribute of one group, or 'all' groups of the kind together",
    "value": "the group, or 'all'",
    "here": "harmful associations with it in the language",
    "elsewhere": "their mean number in the other languages",
    "difference": "here - elsewhere: above 0, the language adds harm to it",
    "low": "lower end of its interval (bootstrap of harmful associations, agrees with the test); empty below five",
    "high": "upper end",
    "share_here": "share of the language's harmful associations",
    "share_elsewhere": "mean of that share over the other languages",
    "n": "harmful associations with it in any language",
    "models": "models with stories in the language and in others",
    "per_model": "mean over them of the difference in the model's own number of such associations",
    "per_model_low": "lower end of its interval (bootstrap of models; empty with fewer than five)",
    "per_model_high": "upper end",
    "p_value": "two-sided; each association's languages exchanged at random, how many it has kept",
    **CLAIM_COLUMNS,
    "clusters": "associations with it that the exchange can change: found in some languages, not in all",
}
"""Harmful associations with marked and unmarked groups, in their language against the others.

Families of tests: the rows over all languages, those of kinds of groups in a language, and those of single groups.
"""
