"""Sentence pairs, the items of a probe: columns of their table, and the pair as a rule sees it."""

from __future__ import annotations

from dataclasses import dataclass

PAIR_COLUMNS: dict[str, str] = {
    "item_id": "unique name of the pair; kept in every record and estimate made from it",
    "language": "ISO 639 code of both sentences",
    "axis": "social axis of the pair in lower case (the `bias_type` of CrowS-Pairs), or 'unspecified'",
    "direction": "the published label: 'stereo', 'antistereo', or 'unknown' where there is none",
    "stereotypical": "which sentence is the stereotypical one under the data set's own rule: 'more' or 'less'",
    "sent_more": "the first sentence as published (CrowS-Pairs: the more stereotyping one)",
    "sent_less": "the second sentence",
    "identity": "the group the pair is about, as it stands in the text; pairs sharing it are resampled together",
    "identity_key": "one name for the identity in all languages, so that its translations count as one identity",
    "agreement": "grammatical gender of the attribute where it inflects ('m' or 'f'), else empty",
    "attribute_more": "the attribute in `sent_more`, where the data set names it",
    "attribute_less": "the attribute in `sent_less`, where the data set names it",
    "prompt": "what an encoder-decoder reads before it completes the sentence, or empty",
    "region": "where the stereotype was collected, or empty",
    "association_id": "the association the pair was made from, or empty",
}
"""Columns of a table of pairs, all strings; optional ones are null where nothing is known."""

REQUIRED_PAIR_COLUMNS = (
    "item_id",
    "language",
    "axis",
    "direction",
    "stereotypical",
    "sent_more",
    "sent_less",
)

DIRECTIONS = ("stereo", "antistereo", "unknown")


@dataclass(frozen=True, slots=True)
class Pair:
    """The two sentences of an item as a rule sees them."""

    sent_more: str
    sent_less: str
    direction: str = "stereo"
    prompt: str = ""
    identity: str = ""
