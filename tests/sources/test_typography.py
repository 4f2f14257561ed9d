"""Sentences whose words are the same and whose tokens are not: found, named, and made alike."""

from __future__ import annotations

import polars as pl
import pytest

from endoxa.sources.check import check_pairs
from endoxa.sources.typography import differences, readable

APART = [
    ("The ‘maid’ can’t read.", "The 'boss' can't read.", "quotation marks", "en"),
    ("Women – like all – lie.", "Men - like all - lie.", "dashes", "en"),
    ("Women\u00a0are kind.", "Men are kind.", "blanks", "en"),
    ("All\u00a0women are kind.", "All men are kind.", "blanks", "en"),
    ("Women wait… and wait.", "Men wait... and wait.", "ellipses", "en"),
    (
        "Les Sénégalais rient.",
        "Les Se\u0301ne\u0301galais pleurent.",
        "composed and decomposed letters",
        "fr",
    ),
    ("Women are kind，always.", "Men are kind,always.", "full-width letters, ligatures or other forms", "en"),
    ("Wo\u00admen are kind.", "Men are kind.", "joiners or invisible characters", "en"),
    ("زنان می\u200cروند.", "مردان میروند.", "joiners or invisible characters", "fa"),
    ("زنان ایرانی", "مردان ايراني", "Arabic and Farsi letters", "fa"),
]
ALIKE = [
    ("زنان می\u200cروند.", "مردان می\u200cروند."),
    ("non-Muslims are kind.", "Muslims are kind."),
    ("Les femmes sont bavardes !", "Les hommes sont bavards !"),
]


@pytest.mark.parametrize(("more", "less", "kind", "language"), APART)
def test_what_differs_is_named_row_by_row(tmp_path, more, less, kind, language):
    path = tmp_path / "pairs.csv"
    rows = {"sent_more": [more, "A b."], "sent_less": [less, "C b."], "language": [language] * 2}
    pl.DataFrame(rows).write_csv(path)
    (found,) = [problem for problem in check_pairs(path) if problem.check == "typography"]
    assert (found.row, kind in found.message) == (1, True)


@pytest.mark.parametrize(("more", "less"), ALIKE)
def test_what_both_have_is_no_difference(more, less):
    assert differences(more, less) == ()


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("\u202bki\u00adnd\u202c\u200f", "kind"),
        ("ｋｉｎｄ", "kind"),
        ("ge\u0301ne\u0301reuse", "généreuse"),
        ("لطيفـــات", "لطيفات"),
        ("می\u200cروند", "می\u200cروند"),
        ("क्\u200dष", "क्\u200dष"),
        ("1º, ½, l’ami", "1º, ½, l’ami"),
    ],
)
def test_what_is_not_seen_is_not_read_and_joiners_of_the_script_stay(typed, read):
    assert readable(typed) == read
    assert readable(read) == read
