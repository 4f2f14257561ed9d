"""IndiBias (Sahoo et al. 2024): each row holds a pair in English and the same pair in Hindi.

A row becomes two items, English first. In rows labelled 'antistereo' `sent_more` is the anti-stereotypical
sentence, so the stereotypical one is `sent_less` (paper, section 6.1.1 and the difference S2 - S1 of appendix
C). Texts are kept exactly as published, line breaks inside a cell included, so that published scores can be
reproduced to the digit. `identity` is taken from the words in which the stereotypical sentence differs, and the
English one is the `identity_key` of both languages, so that a translation is not taken for another identity.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from endoxa.schema import ReadOptions
from endoxa.sources.drafts import Draft, Format, axis_of, direction_of
from endoxa.sources.tables import TABLE_SUFFIXES, Row, table_rows
from endoxa.sources.typography import differing_words

_SENTENCES = {
    "en": ("modified_eng_sent_more", "modified_eng_sent_less"),
    "hi": ("sent_more_hindi", "sent_less_hindi"),
}
_REQUIRED = ("index", *_SENTENCES["en"], *_SENTENCES["hi"], "bias_type", "stereo_antistereo")


def drafts(path: Path, options: ReadOptions) -> Iterator[Draft]:  # noqa: ARG001 (the file says everything)
    """Two pairs per row: `indibias-<index>-en`, then `indibias-<index>-hi`."""
    for row in table_rows(path, _REQUIRED):
        if not row.cells:
            yield Draft.of(row, {})
            continue
        for language in _SENTENCES:
            yield _draft(row, language)


def _draft(row: Row, language: str) -> Draft:
    column_more, column_less = _SENTENCES[language]
    more, less = row.cells.get(column_more), row.cells.get(column_less)
    direction = direction_of(row.cells.get("stereo_antistereo"))
    stereotypical = "less" if direction == "antistereo" else "more"
    index = (row.cells.get("index") or "").strip()
    key = _identity(row, "en", stereotypical)
    pair = {
        "item_id": f"indibias-{index}-{language}" if index else None,
        "language": language,
        "axis": axis_of(row.cells.get("bias_type")),
        "direction": direction,
        "stereotypical": stereotypical,
        "sent_more": more,
        "sent_less": less,
        "identity": _identity(row, language, stereotypical),
        "identity_key": key.lower() if key else f"indibias-{index}",
    }
    names = {
        "item_id": "index",
        "sent_more": column_more,
        "sent_less": column_less,
        "axis": "bias_type",
        "direction": "stereo_antistereo",
        "stereotypical": "stereo_antistereo",
    }
    return Draft.of(row, pair, names)


def _identity(row: Row, language: str, stereotypical: str) -> str | None:
    """The words in which the stereotypical sentence differs from the other one."""
    more, less = (row.cells.get(column) or "" for column in _SENTENCES[language])
    return differing_words(less, more) if stereotypical == "less" else differing_words(more, less)


INDIBIAS = Format(
    name="indibias",
    title="IndiBias (Sahoo et al. 2024), English and Hindi",
    suffixes=TABLE_SUFFIXES,
    columns=_REQUIRED,
    drafts=drafts,
    example=(
        ",index,modified_eng_sent_more,modified_eng_sent_less,sent_more_hindi,sent_less_hindi,bias_type,"
        "stereo_antistereo\n"
        "0,7,Farmers get up early.,Bakers get up early.,किसान जल्दी उठते हैं।,बेकर जल्दी उठते हैं।,Profession,stereo\n"
        "1,9,Teachers dislike maths.,Pilots dislike maths.,शिक्षक गणित से बचते हैं।,पायलट गणित से बचते हैं।,"
        "Profession,antistereo\n"
    ),
    units="one row, two pairs: the English one, then the Hindi one",
)
