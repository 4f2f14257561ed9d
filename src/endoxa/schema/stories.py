"""Open-ended stories: prompts, stories, what was read off them, and the associations they show."""

from __future__ import annotations

from endoxa.schema.columns import shared
from endoxa.schema.provenance import PROVENANCE_COLUMNS

STORY_PROMPT_COLUMNS: dict[str, str] = {
    "sample_id": "unique name of the prompt; every model that gets it keeps it",
    **shared("language"),
    "theme": "one of the nine themes",
    "scenario": "the theme and the number of the scenario in it ('family 2')",
    "target_attribute": "the one attribute that the prompt names",
    "target_attribute_value": "its value, as extractors write it",
    "prompt": "what the model is asked",
    "associations": "associations whose identity is the value that the prompt names, as a JSON list of id, compared "
    "attribute and compared value; or empty",
    **PROVENANCE_COLUMNS,
}
"""Fields of a line of prompts (`endoxa build stories`)."""

STORY_MAP_COLUMNS: dict[str, str] = {
    **shared("association_id"),
    "base_attribute": "attribute of main characters that holds the association's identity",
    "base_value": "its value that means the identity",
    "compared_attribute": "attribute of main characters that holds what is said of the identity",
    "compared_value": "its value that means what is said",
}
"""Columns of the table that says which cell of stories is which association (`endoxa build stories --map`)."""

STORY_COLUMNS: dict[str, str] = {
    **{name: text for name, text in STORY_PROMPT_COLUMNS.items() if name != "sample_id"},
    "sample_id": "the prompt (the same prompt given to several models has one id)",
    "generator_model": "the model that wrote the story, as written on the command line",
    **shared("repeat seed"),
    "story": "the story, as it came",
    **shared("finish served_model prompt_tokens completion_tokens error"),
}
"""Columns of `records.parquet` of a run of stories: one row per prompt x model x repeat (StereoTales' names)."""


EXTRACTED_COLUMNS: dict[str, str] = {
    **STORY_COLUMNS,
    "refusal": "1 where the story is a refusal, by majority of the extractors; its profile is all 'unknown'",
    "extracted_attributes_json": "JSON object of all attributes: the majority of the votes; a tie is 'unknown'",
    "votes_json": "JSON object: for each extractor the attributes it read, or null where nothing could be read",
    "refusal_votes_json": "JSON object: for each extractor true, false, or null",
    "raw_json": "JSON object: for each extractor its answers as they came",
    "endings_json": "JSON object: for each extractor why each answer ended, the error, and the model's served name",
    "n_parsed": "extractors whose answer could be read",
    "unlisted_json": "JSON object: the attributes for which an extractor gave a value that is not in the list",
}
"""Columns of `records.parquet` of an extraction: one row per story."""

AGREEMENT_MEASURES: dict[str, str] = {
    "alpha": "Krippendorff's alpha, nominal, 'unknown' being a value; empty where all votes are the same",
    "agreement": "share of the pairs of votes on one story that are the same",
    "unparsed": "share of votes that could not be read",
    "alpha_known": "alpha of the votes that are not 'unknown': do extractors who see something see the same?",
    "ties": "share of stories on which no answer had more than half of the votes; they count as 'unknown'",
    "unknown": "share of stories whose answer is 'unknown', ties among them",
    "other": "share of stories whose answer is 'other'",
    "unlisted": "share of votes for something that is not in the list; they count as 'unknown'",
}
"""What `estimates.csv` of an extraction says of each attribute: how far its extractors agree."""

EXTRACTION_ESTIMATE_COLUMNS: dict[str, str] = {
    "attribute": "the attribute, or 'refusal' for the question whether a text is a refusal",
    **shared("name value low high"),
    "n": "stories (alpha and agreement: with two or more votes), or votes where the share is one of votes; refusals "
    "count in the rows 'refusal' alone",
}
"""Columns of `estimates.csv` of an extraction."""

WRITTEN_COLUMNS: dict[str, str] = {
    **shared("model name value n"),
}
"""Columns of `estimates.csv` of a run of stories, or of ratings of harm."""

EXTRACTION_ERROR_COLUMNS: dict[str, str] = {
    "attribute": "the attribute, or 'refusal'",
    "n": "stories that a person coded",
    "errors": "stories on which the extractors' majority gives another answer",
    "error_rate": "errors / n",
    **shared("low high"),
    "n_known": "stories in which the person found a value",
    "missed": "share of those on which the majority is 'unknown'",
    **shared("missed_low missed_high"),
    "swapped": "share of those on which the majority is another value",
    **shared("swapped_low swapped_high"),
    "n_unknown": "stories that the person coded 'unknown'",
    "invented": "share of those on which the majority is a value",
    **shared("invented_low invented_high kappa"),
}
"""Columns of the error rates of an extraction against a person's coding."""

CONFUSION_COLUMNS: dict[str, str] = {
    "attribute": "the attribute, or 'refusal'",
    "human": "answer of the person",
    "extracted": "answer of the extractors' majority",
    "count": "stories",
}
"""Columns of the confusion of person and extractors."""

ASSOCIATION_TEST_COLUMNS: dict[str, str] = {
    **shared("model aggregation base_attribute compared_attribute"),
    "status": "'tested', or 'no table' where fewer than two values on a side were left",
    "rows": "base values with at least ten stories",
    "columns": "compared values in them",
    "n": "stories in the table",
    "chi_square": "Pearson's statistic, without continuity correction",
    "dof": "its degrees of freedom",
    "p_value": "Fisher's exact test by Monte Carlo: (tables at most as probable + 1) / (draws + 1)",
    "n_resamples": "random tables drawn",
    "p_adjusted": "after Benjamini-Hochberg over the tables of a base attribute",
    "significant": "1 where the table is kept",
    "decision_stable": "1 where more draws would not change that, but for the stated error",
    **shared("cramer_v effect_category prompts"),
    "unit": "unit that is permuted: 'story', or 'prompt' with all its stories where a prompt has several",
    "method": "'fisher-sampled', or 'prompts-exchanged'",
    "stratified_p_value": "test within languages (generalised Cochran-Mantel-Haenszel); empty with one language",
    "stratified_p_adjusted": "after Benjamini-Hochberg over the tables of a base attribute",
    "verdict": "'above', 'unclear' or 'cannot-be-tested': whether the two attributes go together",
    **shared("reason"),
}
"""Columns of the table of tables (step 1)."""

DISCOVERED_COLUMNS: dict[str, str] = {
    **shared("model aggregation base_attribute base_value compared_attribute compared_value"),
    "name": "'lift': `fraction` / share of the compared value in the table",
    **shared("value low high"),
    "n": "stories in the table",
    "p_value": "one-sided exact test of the cell (0 where it is too small for a number; see `log10_p`)",
    "log10_p": "its decimal logarithm",
    "p_adjusted": "after Benjamini-Yekutieli over the cells of the table",
    "table_p_adjusted": "adjusted p-value of the table",
    **shared("cramer_v effect_category"),
    "fraction": "share of the base value's stories with the compared value",
    "count": "stories with both values",
    "row_total": "stories of the base value in the table",
    "column_total": "stories with the compared value in the table",
    "table_decision_stable": "1 where more draws would not change that the table is kept",
    "paper_rule": "1 where the article's extra rule keeps it: medium or large effect, lift >= 2",
    **shared("prompts"),
    "interval": "units of the interval and the tests: 'stories', or 'prompts' where a prompt has several stories",
    "stratified_p_value": "exact conditional test of the cell within languages; empty with one language",
    "stratified_p_adjusted": "after Benjamini-Yekutieli over the cells of the table",
    "table_stratified_p_adjusted": "adjusted p-value of the table within languages",
    "verdict": "'above' where it may be claimed, else 'unclear'",
    **shared("reason"),
}
"""Columns of a table of discovered associations (step 2)."""

PROTAGONIST_DIFFERENCE_COLUMNS: dict[str, str] = {
    "by": "what is compared: 'model', 'language' or 'theme'",
    "attribute": "an attribute of the protagonists",
    "distance": "largest total variation distance of two groups: share of stories that would need another value",
    "by_chance": "its mean over permutations",
    "n": "number of stories",
    "groups": "models, languages or themes",
    "prompts": "prompts; stories of one prompt keep together",
    "strata": "sets of prompts that agree in everything else and hold two groups: only these can be permuted",
    "p_value": "permutation test",
    "p_adjusted": "after comparison with the largest distance of all attributes (single-step maxT)",
    **shared("confidence"),
    "interval": "'permutation'",
    "verdict": "'above' where the groups differ more than chance makes them, 'unclear' or 'cannot-be-tested'",
    **shared("reason"),
}
"""Columns of the differences of protagonists between models, languages and themes."""


REACH_COLUMNS: dict[str, str] = {
    **shared("association_id base_attribute base_value compared_attribute compared_value"),
    "harmful": "'harmful', 'benign', 'undecided', or empty where it was not rated",
    "reach": "number of languages (or models) in which it is found",
    "of": "languages (or models) that have stories",
    "members": "those in which it is found, joined by '; '",
    "model_count": "models that find it in any of them",
    "models": "these models, joined by '; '",
}
"""One row per association: where it is found."""

_CLAIM = {
    **shared("neutral p_adjusted confidence"),
    "interval": "'associations' (bootstrap of associations), 'none'",
    "clusters": "number of associations in the test",
    **shared("verdict reason"),
}
"""What may be claimed from a comparison."""

REACH_COMPARISON_COLUMNS: dict[str, str] = {
    **shared("name value low high"),
    "p_value": "two-sided; in the row 'superiority', which has the verdict",
    "n": "number of associations",
    **shared("method"),
    **_CLAIM,
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
    "missed": "share of all associations that it lacks, which an analysis of it alone would miss",
    "missed_harmful": "the same of the harmful ones",
}
"""One row per language (or model)."""

JACCARD_COLUMNS: dict[str, str] = {
    "a": "one language (or model)",
    "b": "the other; every ordered pair has a row, each with itself too",
    "place_a": "place of the first on the ordered heat map, from 0 (average linkage, optimal order of leaves)",
    **shared("place_b"),
    "size_a": "associations of the first",
    "size_b": "associations of the second",
    "shared": "associations of both",
    "either": "associations of either",
    "jaccard": "shared / either; empty where neither has any",
    **shared("low high"),
    "overlap": "shared / the smaller size: not lowered where one has fewer stories",
}
"""The similarity of sets of associations, a row for each cell of a heat map."""

SHIFT_COLUMNS: dict[str, str] = {
    "language": "the language, or 'all': the mean over languages that have groups",
    "group": "'marked', 'unmarked', or 'marked - unmarked'",
    "attribute": "the attribute of one group, or 'all' groups of the kind together",
    "value": "the group, or 'all'",
    "here": "harmful associations with it in the language",
    "elsewhere": "their mean number in the other languages",
    "difference": "here - elsewhere: above 0, the language adds harm to it",
    **shared("low high"),
    "share_here": "share of the language's harmful associations",
    "share_elsewhere": "mean of that share over the other languages",
    "n": "harmful associations with it in any language",
    "p_value": "two-sided; each association's languages exchanged at random, how many it has kept",
    **_CLAIM,
    "clusters": "associations with it that the exchange can change: found in some languages, not in all",
}
"""Harmful associations with marked and unmarked groups, in their language against the others.

Families of tests: the rows over all languages, those of kinds of groups in a language, and those of single groups.
"""
