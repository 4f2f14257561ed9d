"""What was read off stories, how far readers agree, and how often they err."""

from __future__ import annotations

from endoxa.schema.stories.told import STORY_COLUMNS

EXTRACTED_COLUMNS: dict[str, str] = {
    **STORY_COLUMNS,
    "refusal": "1 where the story is a refusal, by majority of the extractors; its profile is all 'unknown'",
    "extracted_attributes_json": "JSON object of all attributes: the majority of the votes; a tie is 'unknown'",
    "votes_json": "JSON object: for each extractor the attributes it read, or null where nothing could be read",
    "refusal_votes_json": "JSON object: for each extractor true, false, or null",
    "raw_json": "JSON object: for each extractor its answers as they came",
    "n_parsed": "extractors whose answer could be read",
    "unlisted_json": "JSON object: the attributes for which an extractor gave something that is not in the list",
}
"""Columns of `records.parquet` of an extraction: one row per story."""

EXTRACTOR_AGREEMENT_COLUMNS: dict[str, str] = {
    "attribute": "the attribute, or 'refusal' for the question whether a text is a refusal",
    "n": "stories with two or more readable votes (those that are no refusals, but in the row 'refusal')",
    "alpha": "Krippendorff's alpha, nominal, 'unknown' being a value; empty where all votes are the same",
    "alpha_low": "lower end of its interval: percentile bootstrap of stories; empty with fewer than five",
    "alpha_high": "upper end",
    "n_known": "stories with two or more votes that are not 'unknown'",
    "alpha_known": "alpha of those votes alone: do extractors who see something see the same?",
    "alpha_known_low": "lower end of its interval",
    "alpha_known_high": "upper end",
    "agreement": "share of the pairs of votes on one story that are the same",
    "ties": "share of stories on which no answer had more than half of the votes; they count as 'unknown'",
    "unknown": "share of stories whose answer is 'unknown', ties among them",
    "other": "share of stories whose answer is 'other'",
    "unparsed": "share of votes that could not be read",
    "unlisted": "share of votes for something that is not in the list; they count as 'unknown'",
    "unlisted_json": "how many of them each extractor gave, as JSON",
}
"""Columns of `agreement.csv`: how far the extractors of a run agree."""

EXTRACTION_ERROR_COLUMNS: dict[str, str] = {
    "attribute": "the attribute, or 'refusal'",
    "n": "stories that a person coded",
    "errors": "stories on which the extractors' majority says something else",
    "error_rate": "errors / n",
    "low": "lower end of its Wilson interval",
    "high": "upper end",
    "n_known": "stories on which the person sees a value",
    "missed": "share of those on which the majority is 'unknown'",
    "missed_low": "lower end of its Wilson interval",
    "missed_high": "upper end",
    "swapped": "share of those on which the majority is another value",
    "swapped_low": "lower end of its Wilson interval",
    "swapped_high": "upper end",
    "n_unknown": "stories on which the person says 'unknown'",
    "invented": "share of those on which the majority is a value",
    "invented_low": "lower end of its Wilson interval",
    "invented_high": "upper end",
    "kappa": "Cohen's kappa of person and majority; empty where both always say the same one thing",
}
"""Columns of the error rates of an extraction against a person's coding."""

CONFUSION_COLUMNS: dict[str, str] = {
    "attribute": "the attribute, or 'refusal'",
    "human": "what the person says",
    "extracted": "what the extractors' majority says",
    "count": "stories",
}
"""Columns of the confusion of person and extractors."""

CORRECTED_COLUMNS: dict[str, str] = {
    "model": "the model that wrote the stories, or 'all'",
    "attribute": "the attribute",
    "value": "one of its answers",
    "count": "stories with that answer, refusals left out",
    "n": "stories, refusals left out",
    "fraction": "count / n",
    "n_coded": "stories that a person coded with that answer",
    "few_coded": "1 where these are fewer than 20: the interval then says little",
    "corrected": "fraction after correction by the error rates",
    "low": "lower end of its interval: percentiles over samples of stories and draws of the error rates",
    "high": "upper end",
}
"""Columns of counts corrected for the errors of extraction."""
