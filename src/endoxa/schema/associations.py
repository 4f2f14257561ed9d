"""Columns of the tables of free text on its way to associations: statements, groups, associations."""

from __future__ import annotations

from endoxa.schema.columns import shared

STATEMENT_COLUMNS: dict[str, str] = {
    "statement_id": "unique name of the statement; a statement with several pairs has several rows",
    "respondent": "respondent: row number or code of the survey, never a name",
    "question": "short name of the question it answers",
    **shared("axis position"),
    "country": "country of the respondent, where the campaign kept it, else empty",
    "language": "ISO 639 code of the original statement",
    "language_confidence": "how sure the identification is, from 0 to 1; empty where the table named the language",
    "original_statement": "the respondent's words, unchanged",
    "statement": "the same in the working language (English); equal to the original where nothing was translated",
    "identity": "the group it is about, normalised, lower case, plural",
    "attribute": "attribute of the group, lower case, without the copula",
    "verb": "'have' where the attribute is something the group has ('strong faith'), else empty",
    "rule": "the rule of the extractor that fired",
    "confidence": "how sure the rule is, from 0 to 1",
    "omit": "'true' where omission is proposed, else 'false'",
    "omit_reason": "why omission is proposed, or empty",
    "flag": "flags for reviewers ('chatbot', ...), separated by spaces, or empty",
}
"""Columns of a table of statements; kept demographic columns follow them under their own names."""

ASSOCIATION_COLUMNS: dict[str, str] = {
    "association_id": "unique name; kept by every item, record and estimate made from it",
    "identity": "the group, plural, lower case",
    "attribute": "the canonical attribute of the group of like attributes, without a copula",
    **shared("axis"),
    "region": "regions it was collected in, or countries where no region is known, separated by '; '; may be empty",
    "language": "ISO 639 code of identity and attribute",
    "polarity": "'positive', 'negative' or 'neutral'; 'not negative' where no more is known",
    "source": "survey or campaign of origin",
    "support": "number of respondents",
}
"""Columns of a table of associations; `group_id` and `statement_ids` may follow."""

GROUP_COLUMNS: dict[str, str] = {
    "attribute": "an attribute as written in the table of statements",
    "group_id": "name of the group of like attributes it belongs to",
    "canonical": "the term that represents the group",
    "polarity": "'positive', 'negative' or 'neutral'",
}
"""Columns of a grouping of attributes."""

SMALLEST_CELL = 5
"""Smallest count of a subgroup that is published."""
